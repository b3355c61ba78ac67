package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rot/engine"
	"rot/gan"
	"rot/runs"
	"rot/train"
)

type ganResumeOptions struct {
	run        string
	data       string
	checkpoint time.Duration
	backend    backendFlags
	json       bool
}

func newGANResume(std IO) *cobra.Command {
	o := ganResumeOptions{checkpoint: 30 * time.Second}
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was stopped or killed",
		Long: `resume goes on at the newest checkpoint of a run as if it had never stopped: on
the go backend the result is the same to the last bit. The data are read again
from where the run found them; --data says where they are now. They must be the
same data.`,
		Example: "  rot gan resume runs/gan-20261115-061203",
		Args:    exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runGANResume(cmd.Context(), std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "where the `DATA` are now (default: where they were)")
	o.backend.bind(f)
	f.DurationVar(&o.checkpoint, "checkpoint", o.checkpoint, "longest time between checkpoints")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

func runGANResume(ctx context.Context, std IO, o ganResumeOptions) error {
	if o.checkpoint <= 0 {
		return usagef("--checkpoint %s: want a time above 0", o.checkpoint)
	}
	run, err := runs.Open(o.run)
	if err != nil {
		return err
	}
	unlock, err := run.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	g, err := openGAN(run, o.data, o.backend)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, w := range run.Warnings() {
		fmt.Fprintf(std.Err, "rot: %s\n", plainText(w))
	}
	if step, steps := count(g.trainer.Step()), count(g.config.Steps); step == steps {
		fmt.Fprintf(std.Err, "rot: %s has all of its %s steps; only its weights and its report are written anew\n", o.run, steps)
	} else {
		fmt.Fprintf(std.Err, "rot: going on after step %s of %s\n", step, steps)
	}
	return g.train(ctx, std, o.checkpoint, o.json)
}

// A ganRun is a run with everything that it needs to go on.
type ganRun struct {
	run     *runs.Run
	config  gan.Config
	data    *train.Data
	backend *engine.Backend
	trainer *gan.Trainer
}

// unit is what the data are.
func (g *ganRun) unit() string {
	if g.config.Size > 0 {
		return "images"
	}
	return "points"
}

// openGAN brings a run to its newest checkpoint.
func openGAN(run *runs.Run, data string, flags backendFlags) (*ganRun, error) {
	g := &ganRun{run: run}
	var err error
	if err := run.Config(&g.config); err != nil {
		return nil, err
	}
	c := g.config
	if data != "" {
		c.Data = data
	}
	if g.data, _, err = gan.Load(&c, c.Classes > 0); err != nil {
		if data == "" && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w (--data says where the data are now)", err)
		}
		return nil, err
	}
	if g.backend, err = flags.open(c.Backend); err != nil {
		return nil, err
	}
	if g.trainer, err = gan.New(c, g.data, g.backend); err != nil {
		return nil, err
	}
	return g, g.trainer.Restore(g.run)
}

// noCheckpoint is the error about a run that nothing can be made of.
func noCheckpoint(run, verb string) error {
	return fmt.Errorf("%s: has no checkpoint yet (rot %s resume goes on with it)", run, verb)
}

// ganLine is what a step reports to people: the critic is D, the generator G.
func ganLine(r gan.Record) trainLine {
	return trainLine{
		step: r.Step, rate: r.ImagesPerSecond,
		values: []trainValue{{"critic loss", "D", r.CriticLoss}, {"generator loss", "G", r.GeneratorLoss}, {"χ²", "χ²", r.Chi2}},
	}
}

type ganTrainReport struct {
	Run             string  `json:"run"`
	Steps           int     `json:"steps"`
	Seconds         number  `json:"seconds"`
	ImagesPerSecond number  `json:"images_per_second"`
	Backend         string  `json:"backend"`
	AUROC           *number `json:"auroc"`
}

// train trains the run to its end and writes what it leaves. The caller holds
// its lock.
func (g *ganRun) train(ctx context.Context, std IO, checkpoint time.Duration, asJSON bool) error {
	t := g.trainer
	p := startTraining(std, g.config.Steps, g.unit())
	if t.Step() < g.config.Steps {
		fmt.Fprintf(std.Err, "rot: training on %s (backend %s); the run is %s\n", g.backend.Device, g.backend.Kind, g.run.Path())
	}
	var last gan.Record
	err := t.Run(ctx, g.run, &gan.RunOptions{
		Hooks: gan.Hooks{
			Step: func(r gan.Record) {
				last = r
				p.report(ganLine(r))
			},
			Samples: g.saveSamples,
		},
		Checkpoint: checkpoint,
	})
	p.stop()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		fmt.Fprintf(std.Err, "rot: stopped at step %s; go on with: rot gan resume %s\n", count(t.Step()), shellWord(g.run.Path()))
		return err
	}
	if err != nil {
		return err
	}
	weights, err := g.weighted()
	if err != nil {
		return err
	}
	w, err := writeWeights(g.run, weights)
	if err != nil {
		return err
	}
	if err := g.writeReport(weights, w); err != nil {
		return err
	}
	r := ganTrainReport{
		Run: g.run.Path(), Steps: t.Step(), Seconds: number(t.Seconds()),
		ImagesPerSecond: number(last.ImagesPerSecond), Backend: g.backend.Kind, AUROC: w.AUROC,
	}
	if asJSON {
		return std.printJSON(r)
	}
	return std.print([]byte(g.trainText(r, last, w)))
}

func (g *ganRun) trainText(r ganTrainReport, last gan.Record, w *weightsReport) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s in %s", plural(r.Steps, "critic step"), seconds(float64(r.Seconds)))
	if r.ImagesPerSecond > 0 {
		fmt.Fprintf(&s, ", %s %s a second", count(int(r.ImagesPerSecond)), g.unit())
	}
	if last.Step > 0 {
		fmt.Fprintf(&s, "; critic distance %s", digits(last.Distance, 3))
	}
	s.WriteByte('\n')
	if g.config.Rho > 0 {
		s.WriteString(w.text())
	}
	file := func(what string, path ...string) {
		fmt.Fprintf(&s, "%-10s %s\n", what, filepath.Join(append([]string{g.run.Path()}, path...)...))
	}
	file("run")
	file("samples", "samples", g.sampleName(r.Steps))
	file("weights", "weights.csv")
	file("report", reportFile)
	return s.String()
}
