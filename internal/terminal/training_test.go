package terminal

import (
	"bytes"
	"testing"
	"time"
)

// ganStep is a step as the training of a GAN reports it.
func ganStep(step int, critic, generator, divergence, rate float64) Step {
	return Step{Number: step, Rate: rate, Values: []Value{{"critic loss", "D", critic}, {"generator loss", "G", generator}, {"divergence", "div", divergence}}}
}

// TestTrainingLine: step, losses, divergence, rate and time left, in a log and on
// terminals of any width.
func TestTrainingLine(t *testing.T) {
	start := time.Now()
	p := &Training{steps: 50_000, unit: "images", first: 1, began: start.Add(-100 * time.Second)}
	p.r = ganStep(10_001, -0.0049444, 12.3456, 0.199999, 25_000.7)
	want := "step 10 001 of 50 000, critic loss -0.00494, generator loss 12.3, divergence 0.2, 25 000 images/s, 6 min 40 s left"
	if got := p.line(start); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := p.shortLine(start), "10 001/50 000  6 min 40 s  D -0.00494  G 12.3  div 0.2  25 000/s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// At the first step neither rate nor time are known.
	p = StartTraining(Screen{}, 10, "points")
	p.began, p.first, p.r = start, 1, ganStep(1, 0, 0, 0, 0)
	if got, want := p.line(start), "step 1 of 10, critic loss 0, generator loss 0, divergence 0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTrainingReport(t *testing.T) {
	var log bytes.Buffer
	p := StartTraining(Screen{W: &log}, 1000, "points")
	for step := 1; step <= 500; step++ {
		p.Report(ganStep(step, 0, 0, 0, 0))
	}
	p.Stop()
	if got, want := log.String(), "rot: step 1 of 1000, critic loss 0, generator loss 0, divergence 0\n"; got != want {
		t.Errorf("in a log: %q, want %q", got, want)
	}
	if p.r.Number != 500 {
		t.Errorf("latest step %d", p.r.Number)
	}

	for width, want := range map[int]string{
		200: "step 9999 of 10 000, critic loss -0.000123, generator loss -0.000123, divergence 0.199, 123 456 images/s, 0 s left",
		80:  "9999/10 000  0 s  D -0.000123  G -0.000123  div 0.199  123 456/s",
		20:  "9999/10 000  0 s  …",
	} {
		var terminal bytes.Buffer
		p := StartTraining(Screen{W: &terminal, Terminal: true, Width: func() int { return width }}, 10_000, "images")
		p.began, p.first = time.Now(), 1
		p.Report(ganStep(9999, -0.000123, -0.000123, 0.199, 123_456))
		p.Stop()
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
