package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"rot.example/rot/engine"
	"rot.example/rot/internal/notices"
)

// A build says which program this is.
type build struct {
	Version  string `json:"version"`            // "devel" for one built from a checkout
	Revision string `json:"revision,omitempty"` // of the checkout, where it is known
	Date     string `json:"date,omitempty"`     // of the revision, YYYY-MM-DD
	Modified bool   `json:"modified,omitempty"` // the checkout differed from the revision
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// These are set by the linker in releases, whose sources may have no history.
var stampedVersion, stampedRevision, stampedDate string

// A versionJSON is a build and what it can train on here.
type versionJSON struct {
	build
	Backends []engine.Finding `json:"backends"`
}

func newVersion(std IO) *cobra.Command {
	var asJSON, licences bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Version of rot, what it was built with, and what it can train on",
		Long: `version prints the version of rot, the version of Go it was built with, the
system it was built for, and the revision of its sources with its date; then,
for each backend that trains networks, whether it is there and on which device.
With --json: version, revision, date, modified (the sources differed from the
revision), go, os, arch, and backends, each with backend, ready, auto (--backend
auto takes it), device, plugins and why it is not ready.`,
		Example: "  rot version\n  rot version --json\n  rot version --notices",
		Args:    exactArgs(),
		RunE: func(*cobra.Command, []string) error {
			if licences {
				return std.print([]byte(notices.Text))
			}
			r := versionJSON{readBuild(), engine.Found()}
			if asJSON {
				return std.printJSON(r)
			}
			return std.print([]byte(r.String()))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&licences, "notices", false, "print the licences of all that rot is made of")
	cmd.MarkFlagsMutuallyExclusive("json", "notices")
	return cmd
}

func readBuild() build {
	b := build{Version: "devel", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Date, _, _ = strings.Cut(s.Value, "T")
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	if stampedVersion != "" {
		b.Version, b.Revision, b.Date = stampedVersion, stampedRevision, stampedDate
	}
	return b
}

func (b build) String() string {
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

func (r versionJSON) String() string {
	var s strings.Builder
	fmt.Fprintln(&s, r.build)
	for _, f := range r.Backends {
		fmt.Fprintf(&s, "backend %s: %s\n", f.Backend, describe(f))
	}
	return s.String()
}

// describe says in a few words what there is of a backend.
func describe(f engine.Finding) string {
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
