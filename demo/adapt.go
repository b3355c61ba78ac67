package demo

import (
	"context"
	"fmt"
	"os"

	"rot.example/rot/da"
	"rot.example/rot/engine"
	"rot.example/rot/figure"
	"rot.example/rot/page"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// AdaptSteps is how long a classifier trains.
const AdaptSteps = 300

// AdaptConfig is what the classifiers of the demo learn from and how: clean
// digits with labels, noisy ones without, and among these images that are
// nothing but noise. Steps of 0 are AdaptSteps.
func AdaptConfig(method string, steps int) da.Config {
	if steps == 0 {
		steps = AdaptSteps
	}
	return da.Config{
		Source: "synth:digits,n=800", Target: "synth:digits,n=800,noise=0.6,seed=1", Outliers: "uniform@0.3",
		Batch: 32, Steps: steps, Method: method,
	}
}

// adaptMethods are the ways to adapt, with words for them.
var adaptMethods = []struct{ name, words string }{
	{da.SourceOnly, "source alone"}, {da.Adversarial, "adapted, all alike"}, {da.Robust, "adapted, weighted"},
}

// Adapted is a classifier that went to another domain in three ways.
type Adapted struct {
	config  da.Config       // of the last, the robust one
	data    *da.Domains     // the same for all
	results []da.Result     // in the order of adaptMethods
	weights *train.Weighted // of the target, by the robust one
	summary *train.WeightSummary
}

// AdaptHooks tell how far Adapt is. Each may be nil.
type AdaptHooks struct {
	Method func(k, n int, words string) // before each way to adapt, the k-th of n from 1 on
	Step   func(r da.Record, steps int) // after every step
	Done   func()                       // after each way
}

// Adapt trains a classifier in three ways, one after the other: these networks
// keep all cores busy. Steps of 0 are AdaptSteps. hooks may be nil.
func Adapt(ctx context.Context, steps int, hooks *AdaptHooks) (*Adapted, error) {
	if hooks == nil {
		hooks = &AdaptHooks{}
	}
	dir, err := os.MkdirTemp("", "rot-demo-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the training: %w", err)
	}
	defer os.RemoveAll(dir)
	d := &Adapted{}
	for k, m := range adaptMethods {
		if hooks.Method != nil {
			hooks.Method(k+1, len(adaptMethods), m.words)
		}
		err := d.train(ctx, dir, AdaptConfig(m.name, steps), hooks)
		if hooks.Done != nil {
			hooks.Done()
		}
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// train trains one in a run in the folder dir.
func (d *Adapted) train(ctx context.Context, dir string, c da.Config, hooks *AdaptHooks) error {
	err := c.Complete()
	if err != nil {
		return err
	}
	if d.data, _, err = da.Load(&c); err != nil {
		return err
	}
	d.config = c
	b, err := engine.Open("cpu", nil) // the same numbers on any number of cores
	if err != nil {
		return err
	}
	defer b.Close()
	t, err := da.New(d.config, d.data, b)
	if err != nil {
		return err
	}
	run, err := runs.Create(dir, c.Method, "da", d.config)
	if err != nil {
		return err
	}
	step := func(r da.Record) {
		if hooks.Step != nil {
			hooks.Step(r, c.Steps)
		}
	}
	if err := t.Run(ctx, run, &da.RunOptions{Hooks: da.Hooks{Step: step}}); err != nil {
		return err
	}
	d.results = append(d.results, t.Result())
	if d.weights, err = t.Weighted(); err != nil {
		return err
	}
	d.summary, err = d.weights.Summary()
	return err
}

// known is how many target images have a class.
func (d *Adapted) known() (n int) {
	for _, k := range d.data.Known {
		if k >= 0 {
			n++
		}
	}
	return n
}

// Figures are the pictures of both domains, by the names of their files.
func (d *Adapted) Figures() []Figure {
	return []Figure{{Name: "da-data.png", Figure: d.samples()}, {Name: "da.png", Figure: page.SortedImages(d.weights)}}
}

// samples shows some images of both domains.
func (d *Adapted) samples() figure.Figure {
	const columns, rows = 12, 2 // of each domain
	g := &figure.ImageGrid{H: d.config.Size, W: d.config.Size, C: d.config.Channels, Cols: columns, Title: "Clean digits with labels; noisy ones without, and noise among them"}
	for i := range columns * rows {
		g.Images = append(g.Images, d.data.Source.Image(i))
		g.Captions = append(g.Captions, d.config.Classes[d.data.Source.Labels[i]])
	}
	for i := range columns * rows {
		g.Images = append(g.Images, d.data.Target.Image(i))
		g.Captions = append(g.Captions, "?")
	}
	return g
}

// Result is the part of the page about domain adaptation.
func (d *Adapted) Result() page.DemoAdapt {
	r := page.DemoAdapt{
		Steps: d.config.Steps, Source: d.data.Source.N, Images: d.summary.N, Outliers: d.summary.Outliers, Known: d.known(),
		Rho: d.config.Rho, AUROC: *d.summary.AUROC,
	}
	for k, m := range adaptMethods {
		r.Ways = append(r.Ways, page.DemoWay{Name: m.words, Accuracy: d.results[k].Accuracy, Oracle: d.results[k].Oracle})
	}
	return r
}
