package cli

import (
	"strings"

	tab "rot.example/rot/table"
)

// tableHint ends the message of an error about the columns of tables with a
// command that works, or with the flags to use. It is "" for other errors.
func (std IO) tableHint(err error) string {
	repair := tab.RepairOf(err)
	switch {
	case repair == nil:
		return ""
	case repair.Choose:
		return "; choose as many of either with --columns, by number from 1"
	case len(std.args) == 0:
		return ""
	}
	line := std.command()
	if len(repair.Ignore) > 0 {
		line += " --ignore " + shellWord(joinColumns(repair.Ignore))
	}
	if repair.Fill {
		line += " --missing median"
	}
	return "; to go on: " + line
}

// joinColumns writes names as --columns and --ignore read them.
func joinColumns(names []string) string {
	var parts []string
	for _, name := range names {
		if strings.ContainsAny(name, ",\"\n") {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ",")
}
