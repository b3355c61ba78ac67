package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"rot.example/rot/internal/words"
)

// A Training shows how far a training is: in place on a terminal, as a line from
// time to time in a log.
type Training struct {
	screen Screen
	steps  int
	unit   string // of the data, as in images/s

	mu    sync.Mutex
	r     Step // the last one
	first int  // step at which it started
	began time.Time
	next  time.Time // of the next line
	drawn bool
}

// A Step is what a step of any training came to.
type Step struct {
	Number int
	Rate   float64 // samples a second; 0 for unknown
	Values []Value
}

// A Value is a number with its name, and a shorter one for a narrow terminal.
type Value struct {
	Name, Short string
	Value       float64
}

// StartTraining starts with a training of so many steps on data of the given
// unit, such as images. The caller must call Stop.
func StartTraining(screen Screen, steps int, unit string) *Training {
	return &Training{screen: screen, steps: steps, unit: unit}
}

// Report shows a step, if the one before was not just now.
func (p *Training) Report(r Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.r = r
	now := time.Now()
	if p.began.IsZero() {
		p.began, p.first = now, r.Number
	}
	every := lineEvery
	if p.screen.Terminal {
		every = barEvery
	}
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(every)
	if !p.screen.Terminal {
		fmt.Fprintf(p.screen.W, "rot: %s\n", p.line(now))
		return
	}
	width := max(p.screen.width()-1, 10) // writing in the last column makes some terminals wrap
	line := p.line(now)
	if len([]rune(line)) > width {
		line = p.shortLine(now)
	}
	p.drawn = true
	io.WriteString(p.screen.W, "\r"+words.Fit(line, width)+"\x1b[K")
}

// line is step, losses, divergence of the weights, rate and time left.
func (p *Training) line(now time.Time) string {
	parts := []string{fmt.Sprintf("step %s of %s", words.Count(p.r.Number), words.Count(p.steps))}
	for _, v := range p.r.Values {
		parts = append(parts, v.Name+" "+words.Digits(v.Value, 3))
	}
	if p.r.Rate > 0 {
		parts = append(parts, words.Count(int(p.r.Rate))+" "+p.unit+"/s")
	}
	if left := p.left(now); left != "" {
		parts = append(parts, left+" left")
	}
	return strings.Join(parts, ", ")
}

// shortLine is line for a narrow terminal. What matters least comes last.
func (p *Training) shortLine(now time.Time) string {
	parts := []string{fmt.Sprintf("%s/%s", words.Count(p.r.Number), words.Count(p.steps))}
	if left := p.left(now); left != "" {
		parts = append(parts, left)
	}
	for _, v := range p.r.Values {
		parts = append(parts, v.Short+" "+words.Digits(v.Value, 3))
	}
	if p.r.Rate > 0 {
		parts = append(parts, words.Count(int(p.r.Rate))+"/s")
	}
	return strings.Join(parts, "  ")
}

// left is the time to wait, nothing where it is not known.
func (p *Training) left(now time.Time) string {
	done := p.r.Number - p.first
	if done == 0 {
		return ""
	}
	return span(now.Sub(p.began).Seconds() / float64(done) * float64(p.steps-p.r.Number))
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

// Stop wipes the line.
func (p *Training) Stop() {
	if p.drawn {
		io.WriteString(p.screen.W, "\r\x1b[K")
	}
}
