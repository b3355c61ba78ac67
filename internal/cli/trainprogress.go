package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"rot/gan"
)

// A trainProgress tells how far a training is: in place on a terminal, as a
// line from time to time otherwise.
type trainProgress struct {
	std   IO
	steps int
	start time.Time

	mu    sync.Mutex
	r     gan.Record
	first int // step at which it started
	began time.Time
	next  time.Time // of the next line
	drawn bool
}

func startTraining(std IO, steps int) *trainProgress {
	return &trainProgress{std: std, steps: steps, start: time.Now()}
}

// report is called after every step.
func (p *trainProgress) report(r gan.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.r = r
	now := time.Now()
	if p.began.IsZero() {
		p.began, p.first = now, r.Step
	}
	every := lineEvery
	if p.std.Terminal {
		every = barEvery
	}
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(every)
	if !p.std.Terminal {
		fmt.Fprintf(p.std.Err, "rot: %s\n", p.line(now))
		return
	}
	width := 80
	if p.std.Width != nil {
		width = p.std.Width()
	}
	p.drawn = true
	io.WriteString(p.std.Err, "\r"+fit(p.line(now), max(width-1, 10))+"\x1b[K")
}

// line is step, losses, χ², rate and time left.
func (p *trainProgress) line(now time.Time) string {
	parts := []string{fmt.Sprintf("step %s of %s", count(p.r.Step), count(p.steps))}
	add := func(name string, v float64) { parts = append(parts, name+" "+digits(v, 3)) }
	add("critic", p.r.CriticLoss)
	add("generator", p.r.GeneratorLoss)
	add("χ²", p.r.Chi2)
	if p.r.ImagesPerSecond > 0 {
		parts = append(parts, count(int(p.r.ImagesPerSecond))+" samples/s")
	}
	if done := p.r.Step - p.first; done > 0 {
		left := now.Sub(p.began).Seconds() / float64(done) * float64(p.steps-p.r.Step)
		parts = append(parts, span(left)+" left")
	}
	return strings.Join(parts, "  ")
}

// span formats a time to wait.
func span(s float64) string {
	d := time.Duration(s * float64(time.Second)).Round(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	if d < time.Hour {
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// latest is the last record.
func (p *trainProgress) latest() gan.Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.r
}

// stop wipes the line.
func (p *trainProgress) stop() {
	if p.drawn {
		io.WriteString(p.std.Err, "\r\x1b[K")
	}
}
