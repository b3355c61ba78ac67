package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/da"
	"rot.example/rot/internal/text"
	"rot.example/rot/page"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

func newDAResume(std IO) *cobra.Command {
	var source, target string
	return newResume(std, resumer{
		kind: "da",
		long: "--source and --target say where they are now.\nThey must be the same data.", example: "  rot da resume runs/da-20261115-061203",
		bind: func(f *pflag.FlagSet) {
			f.StringVar(&source, "source", "", "where the source `DATA` are now (default: where they were)")
			f.StringVar(&target, "target", "", "where the target `DATA` are now (default: where they were)")
		},
		open: func(run *runs.Run, backend backendFlags) (resumable, error) {
			return openDA(run, source, target, backend)
		},
	})
}

// A daRun is a run with everything that it needs to go on.
type daRun struct{ da.Session }

// openDA brings a run to its newest checkpoint.
func openDA(run *runs.Run, source, target string, flags backendFlags) (*daRun, error) {
	s, err := da.OpenRun(run, source, target, flags.open)
	var moved *train.MovedError
	if errors.As(err, &moved) {
		return nil, fmt.Errorf("%w (--source and --target say where the data are now)", err)
	}
	if err != nil {
		return nil, err
	}
	return &daRun{*s}, nil
}

// at implements resumable.
func (g *daRun) at() (step, steps int) { return g.Trainer.Step(), g.Config.Steps }

// train trains the run to its end and writes what it leaves. The caller holds
// its lock.
func (g *daRun) train(ctx context.Context, std IO, checkpoint time.Duration, asJSON bool) error {
	t := g.Trainer
	p := startTraining(std, g.Config.Steps, g.Unit())
	if t.Step() < g.Config.Steps {
		fmt.Fprintf(std.Err, "rot: training on %s (backend %s); the run is %s\n", g.Backend.Device, g.Backend.Kind, g.Run.Path())
	}
	var last da.Record
	err := t.Run(ctx, g.Run, &da.RunOptions{
		Hooks: da.Hooks{Step: func(r da.Record) {
			last = r
			p.report(text.DAStep(r))
		}, Radius: func(r *da.Radius) {
			p.stop()
			fmt.Fprintf(std.Err, "rot: %s\n", page.DARadius(r))
			p = startTraining(std, g.Config.Steps, g.Unit())
		}},
		Checkpoint: checkpoint,
	})
	p.stop()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		fmt.Fprintf(std.Err, "rot: stopped at step %s; go on with: rot da resume %s\n", count(t.Step()), shellWord(g.Run.Path()))
		return err
	}
	if err != nil {
		return stopFlags(err, g.Backend, "rot da resume "+shellWord(g.Run.Path()), "--lr", "--critic-lr")
	}
	run := shellWord(g.Run.Path())
	finished, weights, err := page.FinishDA(&g.Session, []string{
		"rot da predict " + run + " --target OTHER", "rot da eval " + run + " --target OTHER", "rot da weights " + run, "rot runs show " + run,
	})
	if err != nil {
		return err
	}
	for _, a := range page.DAAlarms(finished) {
		fmt.Fprintf(std.Err, "rot: %s\n", a)
	}
	r := &text.DATrained{Session: &g.Session, Last: last, Weights: weights, Open: finished.Open}
	if asJSON {
		return std.printJSON(r.JSON())
	}
	return std.print([]byte(r.Text()))
}
