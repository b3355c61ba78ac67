package cli

import (
	"rot.example/rot/internal/plain"
	"rot.example/rot/internal/terminal"
	"rot.example/rot/ot"
)

// screen is where progress is shown.
func (std IO) screen() terminal.Screen {
	return terminal.Screen{W: std.drawing().Err, Terminal: std.Terminal, Color: std.Color, Width: std.Width}
}

// A progress shows what a verb is doing.
type progress struct{ shown *terminal.Progress }

// startProgress starts the clock. The caller must stop it.
func startProgress(std IO) *progress { return &progress{terminal.Start(std.screen())} }

func (p *progress) stage(doing string)   { p.shown.Stage(plain.Word(doing)) }
func (p *progress) report(s ot.Progress) { p.shown.Report(s) }
func (p *progress) stop()                { p.shown.Stop() }

// A lookProgress shows how a network looks at images, once it does.
type lookProgress struct {
	std IO
	p   *progress
}

func (l *lookProgress) report(done, total int) {
	if l.p == nil {
		l.p = startProgress(l.std)
		l.p.stage("looking at the images")
	}
	if l.p.report(ot.Progress{Done: float64(done) / float64(total)}); done == total {
		l.stop()
	}
}

func (l *lookProgress) stop() {
	if l.p != nil {
		l.p.stop()
		l.p = nil
	}
}

// A trainProgress shows how far a training is.
type trainProgress struct{ shown *terminal.Training }

func startTraining(std IO, steps int, unit string) *trainProgress {
	return &trainProgress{terminal.StartTraining(std.screen(), steps, unit)}
}

func (p *trainProgress) report(s terminal.Step) { p.shown.Report(s) }
func (p *trainProgress) stop()                  { p.shown.Stop() }
