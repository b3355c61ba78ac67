package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// A trainProgress tells how far a training is: in place on a terminal, as a
// line from time to time otherwise.
type trainProgress struct {
	std   IO
	steps int
	unit  string // of the data, as in images/s

	mu    sync.Mutex
	r     trainLine
	first int // step at which it started
	began time.Time
	next  time.Time // of the next line
	drawn bool
}

// A trainLine is what a step of any training reports to people.
type trainLine struct {
	step   int
	rate   float64 // samples a second; 0 for unknown
	values []trainValue
}

type trainValue struct {
	name, short string
	value       float64
}

func startTraining(std IO, steps int, unit string) *trainProgress {
	return &trainProgress{std: std, steps: steps, unit: unit}
}

// report is called after every step.
func (p *trainProgress) report(r trainLine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.r = r
	now := time.Now()
	if p.began.IsZero() {
		p.began, p.first = now, r.step
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
	width = max(width-1, 10) // writing in the last column makes some terminals wrap
	line := p.line(now)
	if len([]rune(line)) > width {
		line = p.shortLine(now)
	}
	p.drawn = true
	io.WriteString(p.std.Err, "\r"+fit(line, width)+"\x1b[K")
}

// line is step, losses, divergence of the weights, rate and time left.
func (p *trainProgress) line(now time.Time) string {
	parts := []string{fmt.Sprintf("step %s of %s", count(p.r.step), count(p.steps))}
	for _, v := range p.r.values {
		parts = append(parts, v.name+" "+digits(v.value, 3))
	}
	if p.r.rate > 0 {
		parts = append(parts, count(int(p.r.rate))+" "+p.unit+"/s")
	}
	if left := p.left(now); left != "" {
		parts = append(parts, left+" left")
	}
	return strings.Join(parts, ", ")
}

// shortLine is line for a narrow terminal. What matters least comes last.
func (p *trainProgress) shortLine(now time.Time) string {
	parts := []string{fmt.Sprintf("%s/%s", count(p.r.step), count(p.steps))}
	if left := p.left(now); left != "" {
		parts = append(parts, left)
	}
	for _, v := range p.r.values {
		parts = append(parts, v.short+" "+digits(v.value, 3))
	}
	if p.r.rate > 0 {
		parts = append(parts, count(int(p.r.rate))+"/s")
	}
	return strings.Join(parts, "  ")
}

// left is the time to wait, nothing where it is not known.
func (p *trainProgress) left(now time.Time) string {
	done := p.r.step - p.first
	if done == 0 {
		return ""
	}
	return span(now.Sub(p.began).Seconds() / float64(done) * float64(p.steps-p.r.step))
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

// stop wipes the line.
func (p *trainProgress) stop() {
	if p.drawn {
		io.WriteString(p.std.Err, "\r\x1b[K")
	}
}
