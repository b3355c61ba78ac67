package cli

import (
	"context"
	"fmt"
	"os"

	"rot.example/rot/da"
	"rot.example/rot/demo"
	"rot.example/rot/engine"
	"rot.example/rot/figure"
	"rot.example/rot/page"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// demoDAConfig is what the classifiers of the demo learn from and how: clean
// digits with labels, noisy ones without, and among these images that are
// nothing but noise.
func demoDAConfig(method string) da.Config {
	return da.Config{
		Source: "synth:digits,n=800", Target: "synth:digits,n=800,noise=0.6,seed=1", Outliers: "uniform@0.3",
		Batch: 32, Steps: demoDASteps, Method: method,
	}
}

// demoDACommand is the command line that does the same.
func demoDACommand(method string) string {
	c := demoDAConfig(method)
	return fmt.Sprintf("rot da train --source %s --target %s --outliers %s --batch %d --steps %d --method %s", c.Source, c.Target, c.Outliers, c.Batch, c.Steps, c.Method)
}

// demoDASteps is how long they train. Tests are short.
var demoDASteps = 300

// demoMethods are the ways to adapt, with words for them.
var demoMethods = []struct{ name, words string }{
	{da.SourceOnly, "source alone"}, {da.Adversarial, "adapted, all alike"}, {da.Robust, "adapted, weighted"},
}

// A demoDA is a classifier that went to another domain in three ways.
type demoDA struct {
	config  da.Config       // of the last, the robust one
	data    *da.Domains     // the same for all
	results []da.Result     // in the order of demoMethods
	weights *train.Weighted // of the target, by the robust one
	summary *train.WeightSummary
}

// adaptDemo trains the three, one after the other: these networks keep all
// cores busy.
func adaptDemo(ctx context.Context, std IO) (*demoDA, error) {
	dir, err := os.MkdirTemp("", "rot-demo-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the training: %w", err)
	}
	defer os.RemoveAll(dir)
	d := &demoDA{}
	for k, m := range demoMethods {
		fmt.Fprintf(std.Err, "rot: carrying a classifier of clean digits to noisy ones, %d of %d: %s\n", k+1, len(demoMethods), m.words)
		if err := d.train(ctx, std, dir, m.name); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// train trains one in a run in the folder dir.
func (d *demoDA) train(ctx context.Context, std IO, dir, method string) error {
	d.config = demoDAConfig(method)
	err := d.config.Complete()
	if err != nil {
		return err
	}
	if d.data, _, err = da.Load(&d.config); err != nil {
		return err
	}
	b, err := engine.Open("cpu", nil) // the same numbers on any number of cores
	if err != nil {
		return err
	}
	defer b.Close()
	t, err := da.New(d.config, d.data, b)
	if err != nil {
		return err
	}
	run, err := runs.Create(dir, method, "da", d.config)
	if err != nil {
		return err
	}
	g := &daRun{run: run, config: d.config, data: d.data, backend: b, trainer: t}
	p := startTraining(std, d.config.Steps, g.unit())
	defer p.stop()
	if err := t.Run(ctx, run, &da.RunOptions{Hooks: da.Hooks{Step: func(r da.Record) { p.report(daLine(r)) }}}); err != nil {
		return err
	}
	d.results = append(d.results, t.Result())
	if d.weights, err = g.weighted(); err != nil {
		return err
	}
	d.summary, err = d.weights.Summary()
	return err
}

// known is how many target images have a class.
func (d *demoDA) known() (n int) {
	for _, k := range d.data.Known {
		if k >= 0 {
			n++
		}
	}
	return n
}

// figures are the pictures of both domains, by the names of their files.
func (d *demoDA) figures() []demo.Figure {
	return []demo.Figure{{Name: "da-data.png", Figure: d.samples()}, {Name: "da.png", Figure: page.SortedImages(d.weights)}}
}

// samples shows some images of both domains.
func (d *demoDA) samples() figure.Figure {
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

// demoDAJSON is the part of demo --json about domain adaptation.
type demoDAJSON struct {
	Steps       int          `json:"steps"`
	Images      int          `json:"images"`
	Outliers    int          `json:"outliers"`
	Rho         float64      `json:"rho"`
	Source      demoAccuracy `json:"source"`
	Adversarial demoAccuracy `json:"adversarial"`
	Robust      demoAccuracy `json:"robust"`
}

type demoAccuracy struct {
	Accuracy number  `json:"accuracy"`
	Oracle   number  `json:"oracle_accuracy"`
	AUROC    *number `json:"auroc"`
}

func (d *demoDA) json() *demoDAJSON {
	at := func(k int) demoAccuracy {
		return demoAccuracy{Accuracy: number(d.results[k].Accuracy), Oracle: number(d.results[k].Oracle)}
	}
	j := &demoDAJSON{
		Steps: d.config.Steps, Images: d.summary.N, Outliers: d.summary.Outliers, Rho: d.config.Rho,
		Source: at(0), Adversarial: at(1), Robust: at(2),
	}
	j.Robust.AUROC = (*number)(d.summary.AUROC)
	return j
}

// result is the part of the page about domain adaptation.
func (d *demoDA) result() page.DemoAdapt {
	r := page.DemoAdapt{
		Steps: d.config.Steps, Source: d.data.Source.N, Images: d.summary.N, Outliers: d.summary.Outliers, Known: d.known(),
		Rho: d.config.Rho, AUROC: *d.summary.AUROC,
	}
	for k, m := range demoMethods {
		r.Ways = append(r.Ways, page.DemoWay{Name: m.words, Accuracy: d.results[k].Accuracy, Oracle: d.results[k].Oracle})
	}
	return r
}
