package main

import (
	"slices"
	"strings"
	"testing"

	"rot.example/rot/internal/notices"
)

// TestComplete: every module of the program, in the version that it is built
// from, and every piece that pages embed stands in the notices, and no other.
func TestComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the go command about four systems")
	}
	parts, err := modules("../../..")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, p := range parts {
		want = append(want, p.String())
	}
	want = append(want, "Go", "uPlot")
	var got []string
	head := false
	for line := range strings.Lines(notices.Text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, strings.Repeat("=", 78)):
			head = true
		case line == "" && head && len(got) > 0 && got[len(got)-1] != "":
			head, got = false, append(got, "")
		case head && line != "":
			got = append(got, line)
		}
	}
	got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
	slices.Sort(got)
	got = slices.Compact(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("NOTICES.txt is not up to date (go generate ./internal/notices): it has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
