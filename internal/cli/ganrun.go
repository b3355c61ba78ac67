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
	"github.com/spf13/pflag"

	"rot.example/rot/engine"
	"rot.example/rot/gan"
	"rot.example/rot/internal/terminal"
	"rot.example/rot/page"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

func newGANResume(std IO) *cobra.Command {
	var data string
	return newResume(std, resumer{
		long: "--data says where they are now. They must be the\nsame data.", example: "  rot gan resume runs/gan-20261115-061203",
		bind: func(f *pflag.FlagSet) {
			f.StringVar(&data, "data", "", "where the `DATA` are now (default: where they were)")
		},
		open: func(run *runs.Run, backend backendFlags) (resumable, error) { return openGAN(run, data, backend) },
	})
}

// A ganRun is a run with everything that it needs to go on.
type ganRun struct {
	run     *runs.Run
	config  gan.Config
	data    *train.Data
	backend *engine.Backend
	trainer *gan.Trainer
}

// at implements resumable.
func (g *ganRun) at() (step, steps int) { return g.trainer.Step(), g.config.Steps }

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
	if g.data, _, err = gan.Load(&c); err != nil {
		if data == "" && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w (--data says where the data are now)", err)
		}
		return nil, err
	}
	if g.backend, err = flags.open(c.Backend); err != nil {
		return nil, err
	}
	g.trainer, err = gan.Resume(c, g.data, g.backend, run)
	return g, err
}

// noCheckpoint is the error about a run that nothing can be made of.
func noCheckpoint(run, verb string) error {
	return fmt.Errorf("%s: has no checkpoint yet (rot %s resume goes on with it)", run, verb)
}

// ganLine is what a step reports to people: the critic is D, the generator G.
func ganLine(r gan.Record) terminal.Step {
	return terminal.Step{
		Number: r.Step, Rate: r.ImagesPerSecond,
		Values: []terminal.Value{{Name: "critic loss", Short: "D", Value: r.CriticLoss}, {Name: "generator loss", Short: "G", Value: r.GeneratorLoss}, {Name: "divergence", Short: "div", Value: r.Divergence}},
	}
}

type ganTrainJSON struct {
	Run             string  `json:"run"`
	Steps           int     `json:"steps"`
	Seconds         number  `json:"seconds"`
	ImagesPerSecond number  `json:"images_per_second"`
	Backend         string  `json:"backend"`
	AUROC           *number `json:"auroc"`
	Rho             number  `json:"rho"`
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
		return stopFlags(err, g.rateFlags()...)
	}
	weights, err := g.weighted()
	if err != nil {
		return err
	}
	w, err := writeWeights(g.run, weights)
	if err != nil {
		return err
	}
	if err := g.htmlPage(weights).WriteFile(filepath.Join(g.run.Path(), reportFile)); err != nil {
		return err
	}
	r := ganTrainJSON{
		Run: g.run.Path(), Steps: t.Step(), Seconds: number(t.Seconds()),
		ImagesPerSecond: number(last.ImagesPerSecond), Backend: g.backend.Kind, AUROC: (*number)(w.AUROC), Rho: number(t.Rho()),
	}
	if asJSON {
		return std.printJSON(r)
	}
	return std.print([]byte(g.trainText(r, last, w)))
}

func (g *ganRun) trainText(r ganTrainJSON, last gan.Record, w *train.WeightSummary) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s in %s", plural(r.Steps, "critic step"), seconds(float64(r.Seconds)))
	if r.ImagesPerSecond > 0 {
		fmt.Fprintf(&s, ", %s %s a second", count(int(r.ImagesPerSecond)), g.unit())
	}
	if last.Step > 0 {
		fmt.Fprintf(&s, "; critic distance %s", digits(last.Distance, 3))
	}
	s.WriteByte('\n')
	if g.config.RhoAuto {
		fmt.Fprintf(&s, "%-10s %s\n", "radius", page.GANRadius(g.trainer.Radius()))
	}
	if g.trainer.Rho() > 0 {
		s.WriteString(weightsText(w))
	}
	file := func(label string, path ...string) {
		fmt.Fprintf(&s, "%-10s %s\n", label, filepath.Join(append([]string{g.run.Path()}, path...)...))
	}
	file("run")
	file("samples", "samples", g.sampleName(r.Steps))
	file("weights", "weights.csv")
	file("page", reportFile)
	return s.String()
}

// rateFlags are the flags that a run which was stopped may need other values of.
func (g *ganRun) rateFlags() []string {
	flags := []string{"--lr", "--weight-lr"}
	if g.config.DType == "bf16" {
		flags = append(flags, "--dtype")
	}
	return flags
}

// htmlPage is the page of a finished run.
func (g *ganRun) htmlPage(weights *train.Weighted) *page.Page {
	run := shellWord(g.run.Path())
	return page.GAN(&page.GANRun{
		Run: g.run, Config: g.config, Trainer: g.trainer, Data: g.data, Backend: g.backend, Weights: weights,
		Samples: g.sampleName(g.trainer.Step()),
		Next:    []string{"rot gan sample " + run + " -n 100 --out grid.png", "rot gan eval " + run + " --reference CLEAN", "rot runs show " + run},
	})
}
