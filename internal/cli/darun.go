package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/da"
	"rot.example/rot/engine"
	"rot.example/rot/internal/terminal"
	"rot.example/rot/page"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

func newDAResume(std IO) *cobra.Command {
	var source, target string
	return newResume(std, resumer{
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
type daRun struct {
	run     *runs.Run
	config  da.Config
	data    *da.Domains
	backend *engine.Backend
	trainer *da.Trainer
}

// openDA brings a run to its newest checkpoint.
func openDA(run *runs.Run, source, target string, flags backendFlags) (*daRun, error) {
	g := &daRun{run: run}
	var err error
	if err := run.Config(&g.config); err != nil {
		return nil, err
	}
	c := g.config
	if source != "" {
		c.Source = source
	}
	if target != "" {
		c.Target = target
	}
	if g.data, _, err = da.Load(&c); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w (--source and --target say where the data are now)", err)
		}
		return nil, err
	}
	if g.backend, err = flags.open(c.Backend); err != nil {
		return nil, err
	}
	g.trainer, err = da.Resume(c, g.data, g.backend, run)
	return g, err
}

// at implements resumable.
func (g *daRun) at() (step, steps int) { return g.trainer.Step(), g.config.Steps }

// unit is what the data are.
func (g *daRun) unit() string {
	if g.config.Size > 0 {
		return "images"
	}
	return "rows"
}

// daLine is what a step reports to people: the classifier is C, the
// discriminator D.
func daLine(r da.Record) terminal.Step {
	return terminal.Step{
		Number: r.Step, Rate: r.ImagesPerSecond,
		Values: []terminal.Value{{Name: "class loss", Short: "C", Value: r.ClassLoss}, {Name: "discriminator loss", Short: "D", Value: r.CriticLoss}, {Name: "divergence", Short: "div", Value: r.Divergence}},
	}
}

type daTrainJSON struct {
	Run             string  `json:"run"`
	Steps           int     `json:"steps"`
	Seconds         number  `json:"seconds"`
	ImagesPerSecond number  `json:"images_per_second"`
	Backend         string  `json:"backend"`
	Accuracy        *number `json:"accuracy"`
	SelectedBy      string  `json:"selected_by"`
	SelectedAt      int     `json:"selected_at"`
	OracleAccuracy  *number `json:"oracle_accuracy"`
	AUROC           *number `json:"auroc"`
	Rho             number  `json:"rho"`
}

// known is a share, or null where it is −1, which stands for unknown.
func known(v float64) *number {
	if v < 0 {
		return nil
	}
	n := number(v)
	return &n
}

// train trains the run to its end and writes what it leaves. The caller holds
// its lock.
func (g *daRun) train(ctx context.Context, std IO, checkpoint time.Duration, asJSON bool) error {
	t := g.trainer
	p := startTraining(std, g.config.Steps, g.unit())
	if t.Step() < g.config.Steps {
		fmt.Fprintf(std.Err, "rot: training on %s (backend %s); the run is %s\n", g.backend.Device, g.backend.Kind, g.run.Path())
	}
	var last da.Record
	err := t.Run(ctx, g.run, &da.RunOptions{
		Hooks: da.Hooks{Step: func(r da.Record) {
			last = r
			p.report(daLine(r))
		}, Radius: func(r *da.Radius) {
			p.stop()
			fmt.Fprintf(std.Err, "rot: %s\n", page.DARadius(r))
			p = startTraining(std, g.config.Steps, g.unit())
		}},
		Checkpoint: checkpoint,
	})
	p.stop()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		fmt.Fprintf(std.Err, "rot: stopped at step %s; go on with: rot da resume %s\n", count(t.Step()), shellWord(g.run.Path()))
		return err
	}
	if err != nil {
		return stopFlags(err, "--lr", "--critic-lr")
	}
	weights, err := g.weighted()
	if err != nil {
		return err
	}
	w, err := writeWeights(g.run, weights)
	if err != nil {
		return err
	}
	finished, err := g.finish(weights)
	if err != nil {
		return err
	}
	for _, a := range page.DAAlarms(finished) {
		fmt.Fprintf(std.Err, "rot: %s\n", a)
	}
	res := t.Result()
	r := daTrainJSON{
		Run: g.run.Path(), Steps: t.Step(), Seconds: number(t.Seconds()), ImagesPerSecond: number(last.ImagesPerSecond), Backend: g.backend.Kind,
		Accuracy: known(res.Accuracy), SelectedBy: res.SelectedBy, SelectedAt: res.SelectedAt, OracleAccuracy: known(res.Oracle), AUROC: (*number)(w.AUROC), Rho: number(t.Rho()),
	}
	if asJSON {
		return std.printJSON(r)
	}
	return std.print([]byte(g.trainText(r, w)))
}

func (g *daRun) trainText(r daTrainJSON, w *train.WeightSummary) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s in %s", plural(r.Steps, "step"), seconds(float64(r.Seconds)))
	if r.ImagesPerSecond > 0 {
		fmt.Fprintf(&s, ", %s source %s a second", count(int(r.ImagesPerSecond)), g.unit())
	}
	fmt.Fprintf(&s, "\nmodel      of step %s, picked by %s without target labels\n", count(r.SelectedAt), page.DASelection(r.SelectedBy))
	if r.Accuracy != nil {
		fmt.Fprintf(&s, "accuracy   %s on the target (an oracle that sees its labels would have picked %s)\n",
			percent(float64(*r.Accuracy)), percent(float64(*r.OracleAccuracy)))
	}
	if g.config.Method == da.Robust {
		if r := g.trainer.Radius(); r != nil {
			fmt.Fprintf(&s, "radius     %s\n", page.DARadius(r))
		}
		s.WriteString(weightsText(w))
	}
	fmt.Fprintf(&s, "run        %s\n", g.run.Path())
	for _, f := range []struct{ label, name string }{{"predicted", predictionsFile}, {"weights", "weights.csv"}, {"page", reportFile}} {
		fmt.Fprintf(&s, "%-10s %s\n", f.label, filepath.Join(g.run.Path(), f.name))
	}
	return s.String()
}

// finish classifies the target with the model that was picked, and writes
// predictions.csv and the page.
func (g *daRun) finish(weights *train.Weighted) (*page.DARun, error) {
	if err := g.trainer.UseBest(); err != nil {
		return nil, err
	}
	e, err := g.trainer.Evaluate(g.data.Target, g.data.Known, nil)
	if err != nil {
		return nil, err
	}
	err = runs.WriteFile(filepath.Join(g.run.Path(), predictionsFile), func(w io.Writer) error {
		return da.WritePredictions(w, g.config.Classes, g.data.Target, e)
	})
	if err != nil {
		return nil, err
	}
	run := shellWord(g.run.Path())
	r := &page.DARun{
		Run: g.run, Config: g.config, Trainer: g.trainer, Domains: g.data, Backend: g.backend, Weights: weights, Evaluation: e,
		Next: []string{"rot da predict " + run + " --target OTHER", "rot da eval " + run + " --target OTHER", "rot da weights " + run, "rot runs show " + run},
	}
	return r, page.DA(r).WriteFile(filepath.Join(g.run.Path(), reportFile))
}
