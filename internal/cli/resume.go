package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/runs"
)

// A resumable is a run at its newest checkpoint, with all that it needs to go
// on.
type resumable interface {
	at() (step, steps int)
	train(ctx context.Context, std IO, checkpoint time.Duration, asJSON bool) error
}

// A resumer is what differs between the verbs that train.
type resumer struct {
	kind    string // gan or da
	long    string // how the data are found again
	example string
	bind    func(f *pflag.FlagSet) // flags that say where the data are now
	open    func(run *runs.Run, backend backendFlags) (resumable, error)
}

type resumeOptions struct {
	run        string
	checkpoint time.Duration
	backend    backendFlags
	startOver  bool
	json       bool
}

func newResume(std IO, r resumer) *cobra.Command {
	o := resumeOptions{checkpoint: 30 * time.Second}
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was stopped or killed",
		Long: `resume goes on at the newest checkpoint of a run as if it had never stopped: on
a processor the result is the same to the last bit, unless the checkpoint was
made by other kernels than go on (another backend, or a processor without AVX2),
which it then says. The data are read again from where the run found them;
` + r.long,
		Example: r.example,
		Args:    exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runResume(cmd.Context(), std, o, r)
		},
	}
	f := cmd.Flags()
	r.bind(f)
	o.backend.bind(f)
	f.DurationVar(&o.checkpoint, "checkpoint", o.checkpoint, "longest time between checkpoints")
	f.BoolVar(&o.startOver, "start-over", false, "begin at step 0 where all checkpoints are damaged")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

func runResume(ctx context.Context, std IO, o resumeOptions, r resumer) error {
	if o.checkpoint <= 0 {
		return usagef("--checkpoint %s: want a time above 0", o.checkpoint)
	}
	run, err := openRun(o.run, r.kind)
	if err != nil {
		return err
	}
	unlock, err := run.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if o.startOver {
		run.StartOver()
	}
	g, err := r.open(run, o.backend)
	if errors.Is(err, runs.ErrAllDamaged) {
		return fmt.Errorf("%w; --start-over begins again at step 0, and the records of the run so far are then lost", err)
	}
	if err != nil {
		return err
	}
	if _, err := run.Metrics(); err != nil { // for its warnings
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, w := range run.Warnings() {
		fmt.Fprintf(std.Err, "rot: %s\n", plainText(w))
	}
	if step, steps := g.at(); step == steps {
		fmt.Fprintf(std.Err, "rot: %s has all of its %s steps; only what it leaves at its end is written anew\n", o.run, count(steps))
	} else {
		fmt.Fprintf(std.Err, "rot: going on after step %s of %s\n", count(step), count(steps))
	}
	return g.train(ctx, std, o.checkpoint, o.json)
}
