package engine

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// howToGet ends every error about a plugin that was not found.
const howToGet = `install one with pip install "jax[cuda13]" in a virtual environment and put its bin folder on PATH, ` +
	`or set PJRT_PLUGIN_LIBRARY_PATH to the folder that holds xla_cuda_plugin.so`

// openAutoXLA opens XLA on a GPU. The GPU is looked for first: without one
// there is no need to search for plugins, nor to load a hundred megabytes.
func (h *host) openAutoXLA(opts *Options) (*Backend, error) {
	if h.noXLA == "" && !h.hasGPU() {
		return nil, errors.New("engine: " + noGPU)
	}
	return h.openXLA(opts, true)
}

// openXLA opens the first plugin that works: one for CUDA, or, when there is
// none and cudaOnly is not set, one for the CPU.
func (h *host) openXLA(opts *Options, cudaOnly bool) (*Backend, error) {
	if h.noXLA != "" {
		return nil, fmt.Errorf("engine: XLA is not there: %s", h.noXLA)
	}
	found, looked := h.plugins(true)
	usable := choose(found, cudaOnly)
	if len(usable) == 0 {
		return nil, fmt.Errorf("engine: XLA is not there: found no plugin for CUDA in %s; %s", strings.Join(looked, ", "), howToGet)
	}
	var failures []string
	userFlags := h.getenv("XLA_FLAGS")
	for _, p := range usable {
		b, err := h.openPlugin(p, opts, userFlags)
		if err == nil {
			return b, nil
		}
		failures = append(failures, fmt.Sprintf("%s: %s", p.file, firstLine(err)))
	}
	hint := ""
	if usable[0].cuda && !h.hasGPU() {
		hint = "; " + noGPU
	}
	return nil, fmt.Errorf("engine: cannot open XLA: %s%s", strings.Join(failures, "; "), hint)
}

// choose keeps the plugins for CUDA, or those for the CPU when there are none.
func choose(found []plugin, cudaOnly bool) []plugin {
	var cuda, other []plugin
	for _, p := range found {
		if p.cuda {
			cuda = append(cuda, p)
		} else {
			other = append(other, p)
		}
	}
	if len(cuda) > 0 || cudaOnly {
		return cuda
	}
	return other
}

func (h *host) openPlugin(p plugin, opts *Options, userFlags string) (*Backend, error) {
	p.tf32 = p.cuda && !opts.FullFloat32
	b := &Backend{Kind: "xla", Plugin: p.file, TF32: p.tf32}
	if p.cuda {
		var err error
		if b.Cache, err = h.prepare(p, opts.CacheDir, userFlags); err != nil {
			return nil, err
		}
		if model := h.gpuModel(); b.Cache != "" && model != "" {
			p.programs = &programStore{dir: filepath.Join(b.Cache, "programs"), salt: model + "\n" + h.getenv("XLA_FLAGS")}
		}
	}
	var err error
	if b.Backend, err = h.load(p); err != nil {
		return nil, err
	}
	if b.Backend.NumDevices() == 0 {
		b.Close()
		return nil, errors.New("it sees no device")
	}
	b.Kernels = "xla, CPU"
	switch name := h.gpuModel(); {
	case !p.cuda:
		b.Device = processor()
		return b, nil
	case name != "":
		b.Device = name
	default:
		b.Device = b.Backend.DeviceDescription(0)
	}
	b.Kernels = "xla, " + b.Device
	return b, nil
}
