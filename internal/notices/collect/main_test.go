package main

import (
	"strings"
	"testing"

	"rot.example/rot/internal/notices"
	"rot.example/rot/internal/notices/parts"
)

// TestComplete: every module of the program, in the version that it is built
// from, and every piece that pages embed stands in the notices, and no other;
// what wants to be credited is.
func TestComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the go command about six systems")
	}
	list, err := parts.List("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if notices.Text != text(list) {
		t.Errorf("NOTICES.txt is not up to date: go generate ./internal/notices")
	}
	for _, want := range []string{"uPlot: MIT\n", "SVGo by Anthony Starks", ": CC-BY-4.0\n", "liberation v0.5.0: BSD-3-Clause, OFL-1.1\n"} {
		if !strings.Contains(notices.Text, want) {
			t.Errorf("the notices do not say %q", want)
		}
	}
}
