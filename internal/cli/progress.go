package cli

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"rot.example/rot/ot"
)

// How long a command stays silent, and how often it speaks after that.
const (
	barAfter  = time.Second // shorter waits need no explanation
	barEvery  = 100 * time.Millisecond
	lineEvery = 5 * time.Second // in a log, where every line stays
)

// A progress tells a user on stderr what a long command is doing: in place on
// a terminal, as a line from time to time otherwise.
type progress struct {
	std   IO
	start time.Time
	quit  chan struct{}
	done  sync.WaitGroup

	mu    sync.Mutex
	doing string      // what a user would call it
	state ot.Progress // what the solver says
	drawn bool        // the terminal shows a bar
	tick  int
}

// startProgress starts the clock. The caller must stop it.
func startProgress(std IO) *progress {
	p := &progress{std: std, start: time.Now(), quit: make(chan struct{})}
	every := lineEvery
	if std.Terminal {
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

// stage says what is being done now.
func (p *progress) stage(doing string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing, p.state = doing, ot.Progress{Done: math.NaN()}
}

// report is the callback of solvers.
func (p *progress) report(s ot.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = s
}

// stop ends the reports and wipes the bar.
func (p *progress) stop() {
	close(p.quit)
	p.done.Wait()
	if p.drawn {
		io.WriteString(p.std.Err, "\r\x1b[K")
	}
}

func (p *progress) draw(elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.std.Terminal:
		fmt.Fprintf(p.std.Err, "rot: %s, %s\n", p.text(), seconds(elapsed.Seconds()))
	case elapsed >= barAfter:
		p.drawn = true
		p.tick++
		io.WriteString(p.std.Err, "\r"+p.bar(elapsed)+"\x1b[K")
	}
}

// text is what is going on, without the time.
func (p *progress) text() string {
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
		parts = append(parts, count(p.state.Iters)+" "+unit)
	}
	return strings.Join(parts, ", ")
}

// bar is one line no wider than the terminal: a spinner, a bar where the
// solver can tell how far it is, and the text.
func (p *progress) bar(elapsed time.Duration) string {
	const frames, cells = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", 20
	mark := string([]rune(frames)[p.tick%10])
	line := p.text() + ", " + seconds(elapsed.Seconds())
	if d := p.state.Done; !math.IsNaN(d) && d > 0 {
		full := int(cells * min(d, 1))
		mark += " " + strings.Repeat("█", full) + strings.Repeat("░", cells-full)
	}
	width := 80
	if p.std.Width != nil {
		width = p.std.Width()
	}
	// The last column stays free: writing there makes some terminals wrap.
	line = fit(line, max(width-2-len([]rune(mark)), 10))
	if p.std.Color {
		mark = "\x1b[36m" + mark + "\x1b[0m"
	}
	return mark + " " + line
}
