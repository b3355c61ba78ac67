package terminal

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rot.example/rot/ot"
)

func TestProgressText(t *testing.T) {
	for _, tt := range []struct {
		name  string
		state ot.Progress
		want  string
	}{
		{"nothing known", ot.Progress{Done: math.NaN()}, "solving"},
		{"pivots", ot.Progress{Solver: "exact", Stage: "simplex", Iters: 12345, Done: math.NaN()}, "solving, simplex, 12 345 pivots"},
		{"part", ot.Progress{Solver: "entropic", Stage: "scaling", Iters: 7, Done: 0.426}, "solving, scaling, 43 %, 7 iterations"},
		{"overshoot", ot.Progress{Done: 1.7}, "solving, 100 %"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Progress{doing: "solving", state: tt.state}
			if got := p.text(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProgressOnTerminal(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{screen: Screen{W: &b, Terminal: true, Width: func() int { return 50 }}, quit: make(chan struct{})}
	p.Stage("solving robust transport")
	p.draw(900 * time.Millisecond)
	if b.Len() > 0 {
		t.Fatalf("a short wait drew %q", b.String())
	}
	p.Report(ot.Progress{Solver: "robust", Stage: "a stage with a name that does not fit", Done: 0.5})
	p.draw(3 * time.Second)
	line := strings.TrimSuffix(strings.TrimPrefix(b.String(), "\r"), "\x1b[K")
	if !strings.Contains(line, "██████████░░░░░░░░░░ solving") {
		t.Errorf("no bar in %q", line)
	}
	if n := utf8.RuneCountInString(line); n >= 50 {
		t.Errorf("%d columns on a terminal of 50: %q", n, line)
	}
	if strings.Contains(line, "\x1b") {
		t.Errorf("colour without leave: %q", line)
	}
	p.Stop()
	if !strings.HasSuffix(b.String(), "\r\x1b[K") {
		t.Errorf("the bar is left behind: %q", b.String())
	}
	p.screen.Color = true
	if !strings.Contains(p.bar(time.Second), "\x1b[36m") {
		t.Error("no colour")
	}
}

func TestProgressInLog(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{screen: Screen{W: &b}}
	p.Stage("reading big.csv")
	p.draw(5 * time.Second)
	if got, want := b.String(), "rot: reading big.csv, 5.00 s\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
