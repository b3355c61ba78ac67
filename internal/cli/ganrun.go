package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rot/engine"
	"rot/figure"
	"rot/gan"
	"rot/metrics"
	"rot/ot"
	"rot/runs"
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
	g, err := openGAN(std, o.run, o.data, o.backend)
	if err != nil {
		return err
	}
	for _, w := range g.run.Warnings() {
		fmt.Fprintf(std.Err, "rot: %s\n", plainText(w))
	}
	fmt.Fprintf(std.Err, "rot: going on at step %s of %s\n", count(g.trainer.Step()), count(g.config.Steps))
	return trainGAN(ctx, std, g.trainer, g.data, g.run, g.backend, o.checkpoint, o.json)
}

type ganSampleOptions struct {
	run     string
	n       int
	out     string
	seed    uint64
	backend backendFlags
}

func newGANSample(std IO) *cobra.Command {
	o := ganSampleOptions{n: 64}
	cmd := &cobra.Command{
		Use:   "sample RUN",
		Short: "Make samples with a trained generator",
		Long: `sample makes samples from the newest checkpoint of a run: a picture of a grid
of images, or of points; a CSV file for points when FILE ends in .csv. With
--ema the run kept a running mean of its generator, and that one is used.`,
		Example: `  rot gan sample runs/gan-20261115-061203 -n 100 --out grid.png
  rot gan sample runs/points -n 10000 --out samples.csv`,
		Args: exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runGANSample(std, o)
		},
	}
	f := cmd.Flags()
	f.VarP(countFlag{&o.n}, "count", "n", "how many")
	f.StringVar(&o.out, "out", "grid.png", "`FILE` to write: .png, .svg or .csv")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the noise")
	o.backend.bind(f)
	completeChoices(cmd)
	return cmd
}

func runGANSample(std IO, o ganSampleOptions) error {
	if o.n < 1 || o.n > 1_000_000 {
		return usagef("-n %d: want a number from 1 to a million", o.n)
	}
	var out outputs
	if err := out.add("--out", o.out, nil); err != nil {
		return err
	}
	run, err := runs.Open(o.run)
	if err != nil {
		return err
	}
	var c gan.Config
	if err := run.Config(&c); err != nil {
		return err
	}
	b, err := o.backend.open(std, c.Backend)
	if err != nil {
		return err
	}
	t, err := gan.New(c, gan.Blank(&c), b)
	if err != nil {
		return err
	}
	if err := t.Restore(run); err != nil {
		return err
	}
	if t.Step() == 0 {
		return fmt.Errorf("%s: has no checkpoint yet", o.run)
	}
	s, err := t.Sample(o.n, o.seed)
	if err != nil {
		return err
	}
	if strings.EqualFold(filepath.Ext(o.out), ".csv") {
		if s.Images != nil {
			return usagef("--out %s: images are written to .png or .svg", o.out)
		}
		return runs.WriteFile(o.out, s.WriteCSV)
	}
	return figure.Save(o.out, samplesFigure(nil, s, fmt.Sprintf("%s, step %s", run.Name(), count(t.Step()))), nil)
}

// A ganRun is a run with everything that it needs to go on.
type ganRun struct {
	run     *runs.Run
	config  gan.Config
	data    *gan.Data
	backend *engine.Backend
	trainer *gan.Trainer
}

// openGAN opens the run at path and brings it to its newest checkpoint.
func openGAN(std IO, path, data string, flags backendFlags) (*ganRun, error) {
	g := &ganRun{}
	var err error
	if g.run, err = runs.Open(path); err != nil {
		return nil, err
	}
	if err := g.run.Config(&g.config); err != nil {
		return nil, err
	}
	c := g.config
	if data != "" {
		c.Data = data
	}
	if g.data, _, err = gan.Load(&c, c.Classes > 0); err != nil {
		if data == "" && os.IsNotExist(err) {
			return nil, fmt.Errorf("%w (--data says where the data are now)", err)
		}
		return nil, err
	}
	if g.backend, err = flags.open(std, c.Backend); err != nil {
		return nil, err
	}
	if g.trainer, err = gan.New(c, g.data, g.backend); err != nil {
		return nil, err
	}
	return g, g.trainer.Restore(g.run)
}

func sampleName(step int) string { return fmt.Sprintf("step-%08d.png", step) }

// saveSamples puts the picture of samples of the schedule into the run.
func saveSamples(run *runs.Run, data *gan.Data, step int, s *gan.Samples) error {
	dir := filepath.Join(run.Path(), "samples")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return figure.Save(filepath.Join(dir, sampleName(step)), samplesFigure(data, s, "step "+count(step)), nil)
}

// samplesFigure is a grid of images or a cloud of points over the data.
func samplesFigure(data *gan.Data, s *gan.Samples, title string) figure.Figure {
	if s.Images != nil {
		grid := &figure.ImageGrid{H: s.Images.H, W: s.Images.W, C: s.Images.C}
		for i := range s.Images.Len() {
			grid.Images = append(grid.Images, s.Images.At(i))
		}
		return grid
	}
	panel := &figure.ScatterPanel{Title: title, Generated: &ot.Points{Dim: s.Dim, Coords: s.Points}}
	if data != nil {
		panel.Data, panel.Outlier = &ot.Points{Dim: s.Dim, Coords: data.Points()}, data.Outlier()
	}
	return &figure.Scatter{Panels: []*figure.ScatterPanel{panel}}
}

type ganWeightsOptions struct {
	run, data string
	backend   backendFlags
	json      bool
}

func newGANWeights(std IO) *cobra.Command {
	var o ganWeightsOptions
	cmd := &cobra.Command{
		Use:   "weights RUN",
		Short: "The weights that a run gives its data: low means outlier",
		Long: `weights passes the data once through the weights of the newest checkpoint and
writes into the run's folder

  weights.csv   the weight of every sample, by id, with mean 1
  weights.png   a histogram, outliers that were mixed in apart
  sorted.png    samples from the lowest weight to the highest (images only)

With --json: n, outliers, auroc (of low weights as a mark of the outliers; null
when none were mixed in), mean_in and mean_out.`,
		Example: "  rot gan weights runs/gan-20261115-061203",
		Args:    exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runGANWeights(std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "where the `DATA` are now (default: where they were)")
	o.backend.bind(f)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

func runGANWeights(std IO, o ganWeightsOptions) error {
	g, err := openGAN(std, o.run, o.data, o.backend)
	if err != nil {
		return err
	}
	if g.trainer.Step() == 0 {
		return fmt.Errorf("%s: has no checkpoint yet", o.run)
	}
	r, err := writeGANWeights(g.run, g.trainer, g.data)
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(r)
	}
	return std.print([]byte(r.text() + fmt.Sprintf("weights    %s\n", filepath.Join(g.run.Path(), "weights.csv"))))
}

type ganWeightsReport struct {
	N        int     `json:"n"`
	Outliers int     `json:"outliers"`
	AUROC    *number `json:"auroc"`
	MeanIn   number  `json:"mean_in"`
	MeanOut  *number `json:"mean_out"`
	Chi2     number  `json:"chi2"`
	Zero     int     `json:"zero"` // samples of weight below 0.01
}

func (r *ganWeightsReport) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "weights of %s samples: χ² %s, %s below 0.01\n", count(r.N), digits(float64(r.Chi2), 3), count(r.Zero))
	if r.AUROC != nil {
		fmt.Fprintf(&s, "outliers   %s mixed in; mean weight %s, others %s; AUROC %s\n",
			count(r.Outliers), digits(float64(*r.MeanOut), 3), digits(float64(r.MeanIn), 3), digits(float64(*r.AUROC), 4))
	}
	return s.String()
}

// writeGANWeights writes weights.csv and its pictures into the run.
func writeGANWeights(run *runs.Run, t *gan.Trainer, data *gan.Data) (*ganWeightsReport, error) {
	w, err := t.Weights()
	if err != nil {
		return nil, err
	}
	r := &ganWeightsReport{N: len(w)}
	outlier := data.Outlier()
	var in, out, chi2 float64
	low := make([]float64, len(w)) // low weights are the mark of an outlier
	for i, v := range w {
		low[i] = -v
		chi2 += (v - 1) * (v - 1)
		if v < 0.01 {
			r.Zero++
		}
		if outlier != nil && outlier[i] {
			out += v
			r.Outliers++
		} else {
			in += v
		}
	}
	r.MeanIn, r.Chi2 = number(in/float64(max(1, r.N-r.Outliers))), number(chi2/float64(r.N))
	if r.Outliers > 0 && r.Outliers < r.N {
		auroc, err := metrics.AUROC(low, outlier)
		if err != nil {
			return nil, err
		}
		a, m := number(auroc), number(out/float64(r.Outliers))
		r.AUROC, r.MeanOut = &a, &m
	}
	if err := run.WriteWeights(data.IDs(), w, outlier); err != nil {
		return nil, err
	}
	hist := &figure.Histogram{Title: "Weights of " + run.Name(), Weights: w, Outlier: outlier}
	if err := figure.Save(filepath.Join(run.Path(), "weights.png"), hist, nil); err != nil {
		return nil, err
	}
	if data.Image(0) != nil {
		err = figure.Save(filepath.Join(run.Path(), "sorted.png"), sortedGrid(t.Config(), data, w), nil)
	}
	return r, err
}
