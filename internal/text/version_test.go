package text

import (
	"testing"

	"rot.example/rot/engine"
)

func TestVersion(t *testing.T) {
	const plugin = "/opt/jax/xla_cuda_plugin.so"
	for _, tt := range []struct {
		name string
		xla  engine.Finding
		want string
	}{
		{
			name: "GPU", xla: engine.Finding{Ready: true, Auto: true, Device: "NVIDIA H200", Plugins: []string{plugin, "/usr/other.so"}},
			want: "NVIDIA H200; plugin /opt/jax/xla_cuda_plugin.so; --backend auto takes it",
		},
		{name: "GPU without a name", xla: engine.Finding{Ready: true, Plugins: []string{plugin}}, want: "ready; plugin /opt/jax/xla_cuda_plugin.so"},
		{name: "plugin alone", xla: engine.Finding{Plugins: []string{plugin}, Why: "no GPU"}, want: "no GPU; plugin /opt/jax/xla_cuda_plugin.so"},
		{name: "not built", xla: engine.Finding{Why: "built without cgo"}, want: "built without cgo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.xla.Backend = "xla"
			r := Version{
				Build{Version: "v1.0.0", Go: "go1.26", OS: "linux", Arch: "amd64"},
				[]engine.Finding{{Backend: "go", Ready: true, Auto: !tt.xla.Auto, Device: "CPU, 2 cores"}, tt.xla},
			}
			want := "rot v1.0.0, go1.26, linux/amd64\nbackend go: CPU, 2 cores"
			if !tt.xla.Auto {
				want += "; --backend auto takes it"
			}
			want += "\nbackend xla: " + tt.want + "\n"
			if got := r.String(); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}
