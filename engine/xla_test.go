package engine

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gomlx/compute"
)

func TestOpenXLA(t *testing.T) {
	const cpuPlugin = "usr/local/lib/go-xla/pjrt_c_api_cpu_plugin.so"
	for _, tt := range []struct {
		name         string
		files        fstest.MapFS
		file, device string // wanted
	}{
		{name: "CUDA", files: fstest.MapFS{"dev/nvidia0": {}, venvPlugin: {}, cpuPlugin: {}}, file: "/" + venvPlugin, device: "device#0"},
		{name: "GPU unknown to us", files: fstest.MapFS{venvPlugin: {}}, file: "/" + venvPlugin, device: "device#0"},
		{name: "CPU alone", files: fstest.MapFS{cpuPlugin: {}}, file: "/" + cpuPlugin, device: processor()},
		{
			name:  "second choice",
			files: fstest.MapFS{"usr/local/lib/go-xla/nvidia/pjrt_c_api_cuda_plugin.so": {}, venvPlugin: {}, "proc/driver/nvidia/gpus/0/information": {Data: []byte("Model: NVIDIA H200\n")}},
			file:  "/" + venvPlugin, device: "NVIDIA H200",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := fakeHost(tt.files, map[string]string{"VIRTUAL_ENV": "/opt/jax"})
			load := h.load
			h.load = func(p plugin) (compute.Backend, error) {
				if strings.Contains(p.file, "/nvidia/") {
					return nil, errors.New("broken")
				}
				return load(p)
			}
			b, err := h.open("xla", &Options{})
			if err != nil {
				t.Fatal(err)
			}
			if b.Kind != "xla" || b.Plugin != tt.file || b.Device != tt.device || !strings.HasPrefix(b.Kernels, "xla, ") || b.Why != "" {
				t.Errorf("got %+v, want %s on %s", b, tt.file, tt.device)
			}
		})
	}
}

func TestOpenXLAErrors(t *testing.T) {
	h := fakeHost(fstest.MapFS{"usr/bin/python3": {}}, map[string]string{"HOME": "/home/ann", "PATH": "/usr/bin"})
	_, err := h.open("xla", &Options{})
	want := `engine: XLA is not there: found no plugin for CUDA in PJRT_PLUGIN_LIBRARY_PATH (not set), ` +
		`/home/ann/.local/lib/go-xla, /usr/local/lib/go-xla, the packages of /usr/bin/python3; ` + howToGet
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}

	h = fakeHost(nil, nil)
	if _, err := h.open("xla", &Options{}); err == nil || !strings.Contains(err.Error(), "Python (no python3 on PATH); install") {
		t.Errorf("without Python: %v", err)
	}

	h.noXLA = "this binary was built without cgo"
	if _, err := h.open("xla", &Options{}); err == nil || err.Error() != "engine: XLA is not there: this binary was built without cgo" {
		t.Errorf("without cgo: %v", err)
	}

	h = fakeHost(fstest.MapFS{"p/xla_cuda_plugin.so": {}}, map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/p"})
	h.load = func(plugin) (compute.Backend, error) { return nil, errors.New("libcuda.so.1: no such file\nstack") }
	_, err = h.open("xla", &Options{})
	want = "engine: cannot open XLA: /p/xla_cuda_plugin.so: libcuda.so.1: no such file; " + noGPU
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A file that is no plugin is refused by the real loader, whatever the build.
func TestLoadPluginRefuses(t *testing.T) {
	for _, file := range []string{"/no/such/pjrt_c_api_cpu_plugin.so", "/a,b/xla_cuda_plugin.so"} {
		if b, err := loadPlugin(plugin{file: file}); err == nil || b != nil {
			t.Errorf("%s: got %v, %v", file, b, err)
		}
	}
}
