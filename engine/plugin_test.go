package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gomlx/compute"
)

// fakeHost is a machine with the given files and environment, on which any
// plugin opens, as a go backend in disguise. Python is not there.
func fakeHost(files fstest.MapFS, env map[string]string) *host {
	if files == nil {
		files = fstest.MapFS{}
	}
	if env == nil {
		env = map[string]string{}
	}
	return &host{
		files:  files,
		getenv: func(key string) string { return env[key] },
		setenv: func(key, value string) error { env[key] = value; return nil },
		python: func(string) ([]string, error) { return nil, errors.New("no Python") },
		load: func(plugin) (compute.Backend, error) {
			b, err := openGo()
			if err != nil {
				return nil, err
			}
			return b.Backend, nil
		},
	}
}

const venvPlugin = "opt/jax/lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so"

func TestPlugins(t *testing.T) {
	link := func(target string) *fstest.MapFile {
		return &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte(target)}
	}
	file := &fstest.MapFile{}
	for _, tt := range []struct {
		name  string
		files fstest.MapFS
		env   map[string]string
		want  []string // the file, or "cpu" and the file
	}{
		{name: "nothing"},
		{
			name:  "variable names a folder",
			files: fstest.MapFS{"p/pjrt_c_api_cuda_plugin.so": file, "p/notes.txt": file},
			env:   map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/none:/p"},
			want:  []string{"/p/pjrt_c_api_cuda_plugin.so"},
		},
		{
			name:  "variable names a plugin",
			files: fstest.MapFS{"p/xla_cuda_plugin.so": file},
			env:   map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/p/xla_cuda_plugin.so"},
			want:  []string{"/p/xla_cuda_plugin.so"},
		},
		{
			name:  "two names of one plugin",
			files: fstest.MapFS{"p/xla_cuda_plugin.so": file, "p/pjrt_c_api_cuda_plugin.so": link("xla_cuda_plugin.so")},
			env:   map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/p"},
			want:  []string{"/p/pjrt_c_api_cuda_plugin.so"},
		},
		{
			name:  "relative folders are not for programs",
			files: fstest.MapFS{"p/xla_cuda_plugin.so": file},
			env:   map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "p", "PATH": "p::.", "VIRTUAL_ENV": "p"},
		},
		{
			name:  "a folder and a dangling link called like plugins",
			files: fstest.MapFS{"p/xla_cuda_plugin.so/x": file, "p/pjrt_c_api_cuda_plugin.so": link("gone.so")},
			env:   map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/p"},
		},
		{
			name: "go-xla's installer",
			files: fstest.MapFS{
				"home/ann/.local/lib/go-xla/pjrt_c_api_cpu_v0.114.0_plugin.so":   file,
				"home/ann/.local/lib/go-xla/nvidia/pjrt_c_api_cuda_plugin.so":    file,
				"home/ann/.local/lib/go-xla/pjrt_c_api_tpu_plugin.so":            file,
				"usr/local/lib/go-xla/nvidia/pjrt_c_api_cuda_plugin.so":          file,
				"home/someone-else/.local/lib/go-xla/pjrt_c_api_cuda_plugin.so":  file,
				"home/ann/.local/lib/python3.9/site-packages/jax_plugins/README": file,
			},
			env: map[string]string{"HOME": "/home/ann"},
			want: []string{
				"cpu /home/ann/.local/lib/go-xla/pjrt_c_api_cpu_v0.114.0_plugin.so",
				"/home/ann/.local/lib/go-xla/nvidia/pjrt_c_api_cuda_plugin.so",
				"/usr/local/lib/go-xla/nvidia/pjrt_c_api_cuda_plugin.so",
			},
		},
		{
			name: "virtual environment on PATH",
			files: fstest.MapFS{
				"usr/bin/python3.12":  file,
				"usr/bin/python3":     link("python3.12"),
				"opt/jax/bin/python3": link("../../../usr/bin/python3"),
				venvPlugin:            file,
			},
			env:  map[string]string{"PATH": "/opt/jax/bin:/usr/bin"},
			want: []string{"/" + venvPlugin},
		},
		{
			name: "link to a virtual environment on PATH",
			files: fstest.MapFS{
				"usr/bin/python3.12":    file,
				"opt/jax/bin/python3":   link("../../../usr/bin/python3.12"),
				"usr/local/bin/python3": link("../../../opt/jax/bin/python3"),
				venvPlugin:              file,
			},
			env:  map[string]string{"PATH": "/usr/local/bin:/usr/bin"},
			want: []string{"/" + venvPlugin},
		},
		{
			name:  "active virtual environment off PATH",
			files: fstest.MapFS{venvPlugin: file},
			env:   map[string]string{"VIRTUAL_ENV": "/opt/jax"},
			want:  []string{"/" + venvPlugin},
		},
		{
			name: "newer CUDA first, and Debian's folders",
			files: fstest.MapFS{
				"usr/bin/python3": file,
				"usr/lib/python3/dist-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so":             file,
				"usr/local/lib/python3.12/dist-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so":    file,
				"usr/local/lib/python3.12/dist-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so":    file,
				"usr/local/lib/python3.12/dist-packages/jax_plugins/xla_rocm7/xla_rocm_plugin.so":     file,
				"usr/local/lib/python3.12/dist-packages/jax_plugins/xla_cuda13/cuda_plugin_extension": file,
			},
			env: map[string]string{"PATH": "/usr/bin"},
			want: []string{
				"/usr/lib/python3/dist-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
				"/usr/local/lib/python3.12/dist-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so",
				"/usr/local/lib/python3.12/dist-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, _ := fakeHost(tt.files, tt.env).plugins(true)
			var got []string
			for _, p := range found {
				if p.cuda {
					got = append(got, p.file)
				} else {
					got = append(got, "cpu "+p.file)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

// A wrapper script on PATH hides the environment; Python itself knows.
func TestPluginsAskPython(t *testing.T) {
	files := fstest.MapFS{"shims/python3": {}, venvPlugin: {}}
	h := fakeHost(files, map[string]string{"PATH": "/shims"})
	asked := 0
	h.python = func(file string) ([]string, error) {
		if file != "/shims/python3" {
			t.Errorf("ran %s", file)
		}
		asked++
		return []string{"", "/opt/jax/lib/python312.zip", "/opt/jax/lib/python3.12/site-packages"}, nil
	}
	if found, _ := h.plugins(false); len(found) != 0 || asked != 0 {
		t.Errorf("found %v, and asked %d times without being told to", found, asked)
	}
	want := plugin{file: "/" + venvPlugin, cuda: true}
	if found, _ := h.plugins(true); !slices.Equal(found, []plugin{want}) || asked != 1 {
		t.Errorf("found %v, asked %d times", found, asked)
	}
	h.getenv = func(key string) string { return map[string]string{"PATH": "/shims", "VIRTUAL_ENV": "/opt/jax"}[key] }
	if found, _ := h.plugins(true); !slices.Equal(found, []plugin{want}) || asked != 1 {
		t.Errorf("found %v, asked %d times although it was found without", found, asked)
	}
}

// Virtual environments link to their interpreter by an absolute path, which a
// made-up file system does not follow; nor does it survive a link to itself.
func TestPluginsAbsoluteLink(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "jax/lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so")
	for _, f := range []string{file, filepath.Join(root, "usr/bin/python3.12"), filepath.Join(root, "bin/x"), filepath.Join(root, "loop/x"), filepath.Join(root, "jax/bin/x")} {
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"jax/bin/python3": "usr/bin/python3.12", "bin/python3": "jax/bin/python3", "loop/python3": "loop/python3"} {
		if err := os.Symlink(filepath.Join(root, target), filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	h := fakeHost(nil, map[string]string{"PATH": filepath.Join(root, "loop") + ":" + filepath.Join(root, "bin")})
	h.files = os.DirFS("/")
	if found, _ := h.plugins(false); !slices.Contains(found, plugin{file: file, cuda: true}) {
		t.Errorf("found %v, want %s among them", found, file)
	}
}

func TestSysPath(t *testing.T) {
	file := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho\necho /a\necho '/b c'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := sysPath(file)
	if want := []string{"/a", "/b c"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("sysPath = %q, %v; want %q", got, err, want)
	}
	if _, err := sysPath(file + "3"); err == nil {
		t.Error("no error for an interpreter that is not there")
	}
}

func TestGPU(t *testing.T) {
	info := func(model string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("Model: \t\t " + model + "\nIRQ:   \t\t 16\n")}
	}
	const gpus = "proc/driver/nvidia/gpus/"
	for _, tt := range []struct {
		name  string
		files fstest.MapFS
		has   bool
		model string
	}{
		{name: "none"},
		{name: "driver alone", files: fstest.MapFS{"dev/nvidiactl": {}, "dev/nvidia-uvm": {}}},
		{name: "third of several", files: fstest.MapFS{"dev/nvidia2": {}}, has: true},
		{name: "WSL", files: fstest.MapFS{"dev/dxg": {}}, has: true},
		{name: "named", files: fstest.MapFS{"dev/nvidia0": {}, gpus + "0/information": info("NVIDIA H200")}, has: true, model: "NVIDIA H200"},
		{name: "alike", files: fstest.MapFS{gpus + "0/information": info("A"), gpus + "1/information": info("A")}, model: "A"},
		{name: "unlike", files: fstest.MapFS{gpus + "0/information": info("A"), gpus + "1/information": info("B")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := fakeHost(tt.files, nil)
			if has, model := h.hasGPU(), h.gpuModel(); has != tt.has || model != tt.model {
				t.Errorf("got %t, %q; want %t, %q", has, model, tt.has, tt.model)
			}
		})
	}
}

func TestFound(t *testing.T) {
	gpu := fstest.MapFS{
		"dev/nvidia0": {}, venvPlugin: {},
		"proc/driver/nvidia/gpus/0/information": {Data: []byte("Model: NVIDIA H200\n")},
	}
	for _, tt := range []struct {
		name  string
		noXLA string
		files fstest.MapFS
		want  Finding
	}{
		{name: "not built", noXLA: "no cgo", files: gpu, want: Finding{Why: "no cgo"}},
		{name: "GPU", files: gpu, want: Finding{Ready: true, Auto: true, Device: "NVIDIA H200", Plugins: []string{"/" + venvPlugin}}},
		{name: "no GPU", files: fstest.MapFS{venvPlugin: {}}, want: Finding{Plugins: []string{"/" + venvPlugin}, Why: noGPU}},
		{name: "no plugin", files: fstest.MapFS{"dev/nvidia0": {}}, want: Finding{Why: "no plugin for CUDA was found"}},
		{
			name: "CPU plugin", files: fstest.MapFS{"usr/local/lib/go-xla/pjrt_c_api_cpu_plugin.so": {}},
			want: Finding{Ready: true, Device: processor(), Plugins: []string{"/usr/local/lib/go-xla/pjrt_c_api_cpu_plugin.so"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := fakeHost(tt.files, map[string]string{"VIRTUAL_ENV": "/opt/jax"})
			h.noXLA = tt.noXLA
			h.load = nil // nothing is loaded
			got := h.found()
			c, g, x := got[0], got[1], got[2]
			if c.Backend != "cpu" || !c.Ready || c.Auto == x.Auto || !strings.HasPrefix(c.Device, "CPU, ") {
				t.Errorf("cpu: %+v", c)
			}
			if g.Backend != "go" || !g.Ready || g.Auto || !strings.HasPrefix(g.Device, "CPU, ") {
				t.Errorf("go: %+v", g)
			}
			tt.want.Backend = "xla"
			if x.Ready != tt.want.Ready || x.Auto != tt.want.Auto || x.Device != tt.want.Device || x.Why != tt.want.Why || !slices.Equal(x.Plugins, tt.want.Plugins) {
				t.Errorf("got %+v, want %+v", x, tt.want)
			}
		})
	}
}
