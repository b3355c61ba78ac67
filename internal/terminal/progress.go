package terminal

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
)

// How long a command stays silent, and how often it speaks after that.
const (
	barAfter  = time.Second // shorter waits need no explanation
	barEvery  = 100 * time.Millisecond
	lineEvery = 5 * time.Second // in a log, where every line stays
)

// A Progress shows what a long command is doing: in place on a terminal, as a
// line from time to time in a log.
type Progress struct {
	screen Screen
	start  time.Time
	quit   chan struct{}
	done   sync.WaitGroup

	mu    sync.Mutex
	doing string      // what a user would call it
	state ot.Progress // what the solver says
	drawn bool        // the terminal shows a bar
	tick  int
}

// Start starts the clock. The caller must call Stop.
func Start(screen Screen) *Progress {
	p := &Progress{screen: screen, start: time.Now(), quit: make(chan struct{})}
	every := lineEvery
	if screen.Terminal {
		every = barEvery
	}
	p.done.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				p.draw(time.Since(p.start))
			case <-p.quit:
				return
			}
		}
	})
	return p
}

// Stage sets the line that says what is being done now.
func (p *Progress) Stage(doing string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing, p.state = doing, ot.Progress{Done: math.NaN()}
}

// Report takes the state of a solver; it is its callback.
func (p *Progress) Report(s ot.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = s
}

// Stop ends the drawing and wipes the bar.
func (p *Progress) Stop() {
	close(p.quit)
	p.done.Wait()
	if p.drawn {
		io.WriteString(p.screen.W, "\r\x1b[K")
	}
}

func (p *Progress) draw(elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.screen.Terminal:
		fmt.Fprintf(p.screen.W, "rot: %s, %s\n", p.text(), words.Seconds(elapsed.Seconds()))
	case elapsed >= barAfter:
		p.drawn = true
		p.tick++
		io.WriteString(p.screen.W, "\r"+p.bar(elapsed)+"\x1b[K")
	}
}

// text is what is going on, without the time.
func (p *Progress) text() string {
	unit := "pivots"
	if p.state.Solver == string(ot.MethodEntropic) {
		unit = "iterations"
	}
	parts := []string{p.doing}
	if p.state.Stage != "" && p.state.Stage != unit {
		parts = append(parts, p.state.Stage)
	}
	if !math.IsNaN(p.state.Done) && p.state.Done > 0 {
		parts = append(parts, fmt.Sprintf("%.0f %%", 100*min(p.state.Done, 1)))
	}
	if p.state.Iters > 0 {
		parts = append(parts, words.Count(p.state.Iters)+" "+unit)
	}
	return strings.Join(parts, ", ")
}

// bar is one line no wider than the terminal: a spinner, a bar where the
// solver can tell how far it is, and the text.
func (p *Progress) bar(elapsed time.Duration) string {
	const frames, cells = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", 20
	mark := string([]rune(frames)[p.tick%10])
	line := p.text() + ", " + words.Seconds(elapsed.Seconds())
	if d := p.state.Done; !math.IsNaN(d) && d > 0 {
		full := int(cells * min(d, 1))
		mark += " " + strings.Repeat("█", full) + strings.Repeat("░", cells-full)
	}
	width := p.screen.width()
	// The last column stays free: writing there makes some terminals wrap.
	line = words.Fit(line, max(width-2-len([]rune(mark)), 10))
	if p.screen.Color {
		mark = "\x1b[36m" + mark + "\x1b[0m"
	}
	return mark + " " + line
}
