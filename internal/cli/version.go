package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// A build says which program this is.
type build struct {
	Version  string `json:"version"`            // "devel" for one built from a checkout
	Revision string `json:"revision,omitempty"` // of the checkout, where it is known
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func newVersion(std IO) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Version of rot and what it was built with",
		Long:    "version prints the version of rot, the version of Go it was built with, and the\nsystem it was built for. With --json: version, revision, go, os, arch.",
		Example: "  rot version\n  rot version --json",
		Args:    exactArgs(),
		RunE: func(*cobra.Command, []string) error {
			b := readBuild()
			if asJSON {
				return std.printJSON(b)
			}
			return std.print([]byte(b.String() + "\n"))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
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
		if s.Key == "vcs.revision" {
			b.Revision = s.Value
		}
	}
	return b
}

func (b build) String() string {
	s := fmt.Sprintf("rot %s, %s, %s/%s", b.Version, b.Go, b.OS, b.Arch)
	if len(b.Revision) > 12 {
		s += ", revision " + b.Revision[:12]
	}
	return s
}
