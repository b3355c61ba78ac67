package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
)

func TestMergeFlags(t *testing.T) {
	ours := []xlaFlag{{"xla_a", "/x"}, {"xla_b", "/y z"}}
	for _, tt := range []struct{ name, user, want string }{
		{name: "none", want: `--xla_a=/x --xla_b="/y z"`},
		{name: "others", user: "--xla_c=1", want: `--xla_c=1 --xla_a=/x --xla_b="/y z"`},
		{name: "the user's own wins", user: "--xla_b=mine --xla_c", want: "--xla_b=mine --xla_c --xla_a=/x"},
		{name: "set to nothing", user: "--xla_a= --xla_b", want: "--xla_a= --xla_b"},
		{name: "longer name", user: "--xla_a_b=1", want: `--xla_a_b=1 --xla_a=/x --xla_b="/y z"`},
		{name: "file of flags", user: "flags.txt", want: "flags.txt"},
	} {
		if got := mergeFlags(tt.user, ours); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	if got, want := quote(`a "b\`), `"a \"b\\"`; got != want {
		t.Errorf("quote: got %s, want %s", got, want)
	}
}

func TestMentions(t *testing.T) {
	const block = 1 << 20
	for _, at := range []int{0, 100, block - len(autotuneFlag), block - 20, block - 1, block, 2*block - 30} {
		text := strings.Repeat("x", at) + autotuneFlag + "more"
		if ok, err := mentions(strings.NewReader(text), autotuneFlag); !ok || err != nil {
			t.Errorf("at %d: %t, %v", at, ok, err)
		}
	}
	for _, text := range []string{"", autotuneFlag[1:], strings.Repeat("xla_gpu_", block/4)} {
		if ok, err := mentions(strings.NewReader(text), autotuneFlag); ok || err != nil {
			t.Errorf("%d bytes without it: %t, %v", len(text), ok, err)
		}
	}
	if _, err := mentions(iotest.ErrReader(os.ErrPermission), autotuneFlag); err == nil {
		t.Error("no error")
	}
}

func TestPrepare(t *testing.T) {
	p := plugin{file: "/" + venvPlugin, cuda: true}
	know := fstest.MapFS{venvPlugin: {Data: []byte("\x00" + autotuneFlag + "\x00")}}
	toolkit := fstest.MapFS{venvPlugin: {}, "opt/jax/lib/python3.12/site-packages/nvidia/cu13/bin/ptxas": {}}
	const data = "--xla_gpu_cuda_data_dir=/opt/jax/lib/python3.12/site-packages/nvidia/cu13"
	for _, tt := range []struct {
		name  string
		files fstest.MapFS
		off   bool // no folder for the cache
		user  string
		cache bool   // wanted
		want  string // XLA_FLAGS; CACHE stands for the folder
	}{
		{name: "cache", files: know, cache: true, want: "--" + autotuneFlag + "=CACHE"},
		{name: "cache switched off", files: know, off: true},
		{name: "the user's cache", files: know, user: "--" + autotuneFlag + "=/mine", want: "--" + autotuneFlag + "=/mine"},
		{name: "too old for a cache", files: fstest.MapFS{venvPlugin: {Data: []byte("xla_gpu_autotune_level")}}},
		{name: "toolkit", files: toolkit, user: "--xla_dump_to=/d", want: "--xla_dump_to=/d " + data},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := map[string]string{"XLA_FLAGS": tt.user}
			dir := filepath.Join(t.TempDir(), "rot/xla")
			if tt.off {
				dir = ""
			}
			cache, err := fakeHost(tt.files, env).prepare(p, dir, tt.user)
			if err != nil {
				t.Fatal(err)
			}
			if (cache != "") != tt.cache {
				t.Errorf("cache is %q", cache)
			}
			if got, want := env["XLA_FLAGS"], strings.ReplaceAll(tt.want, "CACHE", cache); got != want {
				t.Errorf("XLA_FLAGS is %s, want %s", got, want)
			}
			if got := env["GOPJRT_CUDA_CHECKS"]; got != "0" {
				t.Errorf("GOPJRT_CUDA_CHECKS is %q", got)
			}
			if tt.cache {
				if info, err := os.Stat(cache); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
					t.Errorf("cache folder: %v, %v", info, err)
				}
			}
		})
	}
}

// Each version of a plugin has a folder of its own, and keeps it.
func TestAutotuneCache(t *testing.T) {
	dir := t.TempDir()
	p := plugin{file: "/" + venvPlugin, cuda: true}
	caches := map[string]bool{}
	for _, data := range []string{autotuneFlag, autotuneFlag, autotuneFlag + " version 2"} {
		h := fakeHost(fstest.MapFS{venvPlugin: {Data: []byte(data)}}, nil)
		cache, err := h.autotuneCache(p, dir)
		if err != nil {
			t.Fatal(err)
		}
		caches[cache] = true
	}
	if len(caches) != 2 {
		t.Errorf("got %v, want two folders", caches)
	}
	occupied := filepath.Join(dir, "file")
	if err := os.WriteFile(occupied, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := fakeHost(fstest.MapFS{venvPlugin: {Data: []byte(autotuneFlag)}}, nil)
	if cache, err := h.autotuneCache(p, occupied); err == nil || cache != "" {
		t.Errorf("in a file: got %q, %v", cache, err)
	}
}

// A plugin that fails leaves no settings of its own to the next.
func TestPrepareAgain(t *testing.T) {
	const old = "opt/old/lib/python3.12/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so"
	files := fstest.MapFS{
		venvPlugin: {}, "opt/jax/lib/python3.12/site-packages/nvidia/cu13/bin/ptxas": {},
		old: {}, "opt/old/lib/python3.12/site-packages/nvidia/cuda_nvcc/bin/ptxas": {},
	}
	env := map[string]string{}
	h := fakeHost(files, env)
	for _, file := range []string{venvPlugin, old} {
		if _, err := h.prepare(plugin{file: "/" + file, cuda: true}, "", ""); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := env["XLA_FLAGS"], "--xla_gpu_cuda_data_dir=/opt/old/lib/python3.12/site-packages/nvidia/cuda_nvcc"; got != want {
		t.Errorf("XLA_FLAGS is %s, want %s", got, want)
	}
}
