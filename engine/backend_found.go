package engine

import "rot.example/rot/engine/cpu"

// A Finding says what there is of one backend.
type Finding struct {
	Backend string   `json:"backend"`           // "cpu", "go" or "xla"
	Ready   bool     `json:"ready"`             // Open should succeed
	Auto    bool     `json:"auto"`              // it is what auto should take
	Device  string   `json:"device,omitempty"`  // what it computes on, where that is known
	Plugins []string `json:"plugins,omitempty"` // files of the PJRT plugins that Open tries in turn
	Why     string   `json:"why,omitempty"`     // why it is not ready
}

// Found returns which backends this binary offers here: cpu, go, xla. It looks for
// plugins without loading them, which takes milliseconds, so that a plugin that
// turns out to be broken counts as ready.
func Found() []Finding { return thisHost().found() }

func (h *host) found() []Finding {
	device := processor()
	if simd {
		device += " with SIMD"
	}
	x := h.foundXLA()
	return []Finding{
		{Backend: "cpu", Ready: true, Auto: !x.Auto, Device: processor() + ", " + cpu.Instructions()},
		{Backend: "go", Ready: true, Device: device},
		x,
	}
}

func (h *host) foundXLA() Finding {
	x := Finding{Backend: "xla", Why: h.noXLA}
	if x.Why != "" {
		return x
	}
	gpu := h.hasGPU()
	found, _ := h.plugins(gpu) // Python is not worth its start when there is nothing to run on
	usable := choose(found, false)
	for _, p := range usable {
		x.Plugins = append(x.Plugins, p.file)
	}
	switch {
	case len(usable) == 0:
		x.Why = "no plugin for CUDA was found"
	case !usable[0].cuda:
		x.Ready, x.Device = true, processor()
	case !gpu:
		x.Why = noGPU
	default:
		x.Ready, x.Auto, x.Device = true, true, h.gpuModel()
	}
	return x
}
