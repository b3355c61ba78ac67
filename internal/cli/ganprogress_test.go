package cli

import (
	"bytes"
	"testing"
	"time"

	"rot.example/rot/gan"
)

// TestGANProgressLine: step, losses, divergence, rate and time left, in a log and on
// terminals of any width.
func TestGANProgressLine(t *testing.T) {
	start := time.Now()
	p := &trainProgress{steps: 50_000, unit: "images", first: 1, began: start.Add(-100 * time.Second)}
	p.r = ganLine(gan.Record{Step: 10_001, CriticLoss: -0.0049444, GeneratorLoss: 12.3456, Divergence: 0.199999, ImagesPerSecond: 25_000.7})
	want := "step 10 001 of 50 000, critic loss -0.00494, generator loss 12.3, divergence 0.2, 25 000 images/s, 6 min 40 s left"
	if got := p.line(start); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := p.shortLine(start), "10 001/50 000  6 min 40 s  D -0.00494  G 12.3  div 0.2  25 000/s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// At the first step neither rate nor time are known.
	p = startTraining(IO{}, 10, "points")
	p.began, p.first, p.r = start, 1, ganLine(gan.Record{Step: 1})
	if got, want := p.line(start), "step 1 of 10, critic loss 0, generator loss 0, divergence 0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGANProgressReport(t *testing.T) {
	var log bytes.Buffer
	p := startTraining(IO{Err: &log}, 1000, "points")
	for step := 1; step <= 500; step++ {
		p.report(ganLine(gan.Record{Step: step}))
	}
	p.stop()
	if got, want := log.String(), "rot: step 1 of 1000, critic loss 0, generator loss 0, divergence 0\n"; got != want {
		t.Errorf("in a log: %q, want %q", got, want)
	}
	if p.r.step != 500 {
		t.Errorf("latest step %d", p.r.step)
	}

	for width, want := range map[int]string{
		200: "step 9999 of 10 000, critic loss -0.000123, generator loss -0.000123, divergence 0.199, 123 456 images/s, 0 s left",
		80:  "9999/10 000  0 s  D -0.000123  G -0.000123  div 0.199  123 456/s",
		20:  "9999/10 000  0 s  …",
	} {
		var terminal bytes.Buffer
		p := startTraining(IO{Err: &terminal, Terminal: true, Width: func() int { return width }}, 10_000, "images")
		p.began, p.first = time.Now(), 1
		p.report(ganLine(gan.Record{Step: 9999, CriticLoss: -0.000123, GeneratorLoss: -0.000123, Divergence: 0.199, ImagesPerSecond: 123_456}))
		p.stop()
		if got := terminal.String(); got != "\r"+want+"\x1b[K\r\x1b[K" {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for s, want := range map[float64]string{0: "0 s", 0.6: "1 s", 59.4: "59 s", 59.6: "1 min 00 s", 125: "2 min 05 s", 3599.7: "1 h 00 min", 7384: "2 h 03 min"} {
		if got := span(s); got != want {
			t.Errorf("%v s is %q, want %q", s, got, want)
		}
	}
}
