package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/gan"
	"rot.example/rot/internal/text"
	"rot.example/rot/page"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

func newGANResume(std IO) *cobra.Command {
	var data string
	return newResume(std, resumer{
		kind: "gan",
		long: "--data says where they are now. They must be the\nsame data.", example: "  rot gan resume runs/gan-20261115-061203",
		bind: func(f *pflag.FlagSet) {
			f.StringVar(&data, "data", "", "where the `DATA` are now (default: where they were)")
		},
		open: func(run *runs.Run, backend backendFlags) (resumable, error) { return openGAN(run, data, backend) },
	})
}

// A ganRun is a run with everything that it needs to go on.
type ganRun struct{ gan.Session }

// at implements resumable.
func (g *ganRun) at() (step, steps int) { return g.Trainer.Step(), g.Config.Steps }

// openGAN brings a run to its newest checkpoint.
func openGAN(run *runs.Run, data string, flags backendFlags) (*ganRun, error) {
	s, err := gan.OpenRun(run, data, flags.open)
	var moved *train.MovedError
	if errors.As(err, &moved) {
		return nil, fmt.Errorf("%w (--data says where the data are now)", err)
	}
	if err != nil {
		return nil, err
	}
	return &ganRun{*s}, nil
}

// openGenerator opens the generator of a run at its newest checkpoint.
func openGenerator(run *runs.Run, path string, flags backendFlags) (*gan.Session, error) {
	s, err := gan.OpenModel(run, flags.open)
	if errors.Is(err, runs.ErrNoCheckpoint) {
		return nil, noCheckpoint(path, "gan")
	}
	return s, err
}

// noCheckpoint is the error about a run that nothing can be made of.
func noCheckpoint(run, verb string) error {
	return fmt.Errorf("%s: has no checkpoint yet (rot %s resume goes on with it)", run, verb)
}

// train trains the run to its end and writes what it leaves. The caller holds
// its lock.
func (g *ganRun) train(ctx context.Context, std IO, checkpoint time.Duration, asJSON bool) error {
	t := g.Trainer
	p := startTraining(std, g.Config.Steps, g.Unit())
	if t.Step() < g.Config.Steps {
		fmt.Fprintf(std.Err, "rot: training on %s (backend %s); the run is %s\n", g.Backend.Device, g.Backend.Kind, g.Run.Path())
	}
	var last gan.Record
	looking := lookProgress{std: std}
	err := t.Run(ctx, g.Run, &gan.RunOptions{
		Hooks: gan.Hooks{
			Look: looking.report,
			Step: func(r gan.Record) {
				last = r
				p.report(text.GANStep(r))
			},
			Samples: func(step int, s *gan.Samples) error { return page.SaveSamples(&g.Session, step, s) },
		},
		Checkpoint: checkpoint,
	})
	looking.stop()
	p.stop()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		fmt.Fprintf(std.Err, "rot: stopped at step %s; go on with: rot gan resume %s\n", count(t.Step()), shellWord(g.Run.Path()))
		return err
	}
	if err != nil {
		return stopFlags(err, g.Backend, "rot gan resume "+shellWord(g.Run.Path()), g.rateFlags()...)
	}
	run := shellWord(g.Run.Path())
	finished, weights, err := page.FinishGAN(ctx, &g.Session, []string{
		"rot gan sample " + run + " -n 100 --out grid.png", "rot gan eval " + run + " --reference CLEAN", "rot runs show " + run,
	})
	if err != nil {
		return err
	}
	for _, a := range page.GANAlarms(finished) {
		fmt.Fprintf(std.Err, "rot: %s\n", a)
	}
	r := &text.GANTrained{Session: &g.Session, Last: last, Weights: weights}
	if asJSON {
		return std.printJSON(r.JSON())
	}
	return std.print([]byte(r.Text()))
}

// rateFlags are the flags that a run which was stopped may need other values of.
func (g *ganRun) rateFlags() []string {
	flags := []string{"--lr", "--weight-lr"}
	if g.Config.DType == "bf16" {
		flags = append(flags, "--dtype")
	}
	return flags
}
