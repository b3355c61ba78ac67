package cli

import (
	"errors"
	"strings"

	tab "rot.example/rot/table"
)

// tableHint ends the message of an error about the columns of tables with a
// command that works, or with the flags to use. It is "" for other errors.
func (std IO) tableHint(err error) string {
	var meet *tab.MeetError
	var bad *tab.EncodingError
	var unknown *tab.UnknownError
	switch {
	case errors.Is(err, tab.ErrMemory):
		return ""
	case errors.As(err, &unknown):
		return ""
	}
	var ignore []string
	missing, left := "", 0
	if errors.As(err, &meet) {
		if meet.A == tab.EncodingName && len(meet.OnlyA)+len(meet.Kinds) > 0 {
			return "" // what an encoding needs cannot be left out
		}
		ignore = append(ignore, meet.Columns()...)
		if meet.NA != meet.NB {
			return "; choose as many of either with --columns, by number from 1"
		}
		left = meet.Common
	}
	if errors.As(err, &bad) {
		unusable := bad.Columns("text", "other", "infinite")
		ignore = append(ignore, unusable...)
		left = bad.Total - len(unusable)
		if len(bad.Columns("missing", "bad")) > 0 {
			missing = "median"
		}
	}
	if len(ignore) == 0 && missing == "" || left == 0 || len(std.args) == 0 {
		return ""
	}
	line := std.command()
	if len(ignore) > 0 {
		line += " --ignore " + shellWord(joinColumns(ignore))
	}
	if missing != "" {
		line += " --missing " + missing
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
