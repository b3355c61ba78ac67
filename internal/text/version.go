package text

import (
	"fmt"
	"strings"

	"rot.example/rot/engine"
)

// A Build says which program this is.
type Build struct {
	Version  string `json:"version"`            // "devel" for one built from a checkout
	Revision string `json:"revision,omitempty"` // of the checkout, where it is known
	Date     string `json:"date,omitempty"`     // of the revision, YYYY-MM-DD
	Modified bool   `json:"modified,omitempty"` // the checkout differed from the revision
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// A Version is a build and what it can train on here.
type Version struct {
	Build
	Backends []engine.Finding `json:"backends"`
}

func (b Build) String() string {
	s := fmt.Sprintf("rot %s, %s, %s/%s", b.Version, b.Go, b.OS, b.Arch)
	if len(b.Revision) > 12 {
		s += ", revision " + b.Revision[:12]
		if b.Date != "" {
			s += " of " + b.Date
		}
		if b.Modified {
			s += ", modified"
		}
	}
	return s
}

func (v Version) String() string {
	var s strings.Builder
	fmt.Fprintln(&s, v.Build)
	for _, f := range v.Backends {
		fmt.Fprintf(&s, "backend %s: %s\n", f.Backend, backend(f))
	}
	return s.String()
}

// backend says in a few words what there is of a backend.
func backend(f engine.Finding) string {
	var parts []string
	switch {
	case !f.Ready:
		parts = append(parts, f.Why)
	case f.Device == "":
		parts = append(parts, "ready")
	default:
		parts = append(parts, f.Device)
	}
	if len(f.Plugins) > 0 {
		parts = append(parts, "plugin "+f.Plugins[0])
	}
	if f.Auto {
		parts = append(parts, "--backend auto takes it")
	}
	return strings.Join(parts, "; ")
}
