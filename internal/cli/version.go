package cli

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"rot.example/rot/engine"
	"rot.example/rot/internal/notices"
	"rot.example/rot/internal/text"
)

// These are set by the linker in releases, whose sources may have no history.
var stampedVersion, stampedRevision, stampedDate string

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
			r := text.Version{Build: readBuild(), Backends: engine.Found()}
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

// readBuild says which program this is.
func readBuild() text.Build {
	b := text.Build{Version: "devel", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
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
