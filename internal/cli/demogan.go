package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"

	"rot.example/rot/chisq"
	"rot.example/rot/engine"
	"rot.example/rot/gan"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
	"rot.example/rot/runs"
)

// What the GANs of the demo learn from, as "rot gan train" takes it: eight
// Gaussians on a circle of radius 2, and far away a cluster of outliers.
const (
	demoGANData     = "synth:eight,n=4000"
	demoGANOutliers = "synth:far@0.05"
	demoGANGamma    = 0.1 // room for twice the outliers: a batch has more of them than the data at times
	demoModes       = 8
	demoRing        = 2.0
)

// How samples are judged.
const (
	demoSamples = 10000
	nearMode    = 0.5          // a Gaussian has a standard deviation of 0.1
	fairShare   = 0.04         // of the samples, for a mode to count as found: a third of its due
	offRing     = 2 * demoRing // from the origin: no good point is there
	nearOutlier = 2.0          // from the middle of the outliers
)

// The training is shown after these of demoParts equal parts of it.
const demoParts = 20

var demoShots = []int{1, 3, 8, demoParts}

// demoSteps is how long the GANs train; 0 means the preset's. Tests are short.
var demoSteps = 0

// demoGANs are a plain and a robust GAN that learned from the same data.
type demoGANs struct {
	steps         int
	plain, robust *demoGAN
}

// A demoGAN is one of them, at its end.
type demoGAN struct {
	name    string
	config  gan.Config
	data    *ot.Points
	outlier []bool
	shots   []demoShot // early to late
	samples *ot.Points
	weights []float64 // of the data

	onOutliers, onTheWay float64 // shares of the samples
	modes                int     // found
	auroc                float64 // of low weights as a mark of the outliers
}

// A demoShot is some samples of a step.
type demoShot struct {
	step    int
	samples *ot.Points
}

// trainDemo trains the two GANs side by side: networks as small as these keep
// one core busy each.
func trainDemo(ctx context.Context, std IO, steps int) (*demoGANs, error) {
	dir, err := os.MkdirTemp("", "rot-demo-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the training: %w", err)
	}
	defer os.RemoveAll(dir)
	ball, err := chisq.FromGamma(demoGANGamma)
	if err != nil {
		return nil, err
	}
	c := gan.Config{Data: demoGANData, Outliers: demoGANOutliers, Steps: steps, Rho: ball.Rho}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	c.SampleEvery = max(1, c.Steps/demoParts)
	d := &demoGANs{steps: c.Steps, plain: &demoGAN{name: "plain", config: c}, robust: &demoGAN{name: "robust", config: c}}
	d.plain.config.Rho = 0

	fmt.Fprintln(std.Err, "rot: training a plain and a robust GAN side by side")
	p := startTraining(std, c.Steps, "points")
	defer p.stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var both sync.WaitGroup
	train := func(g *demoGAN, report func(gan.Record)) {
		both.Go(func() {
			if err := g.train(ctx, dir, report); err != nil {
				cancel(err)
			}
		})
	}
	train(d.plain, nil)
	train(d.robust, func(r gan.Record) { p.report(ganLine(r)) }) // It has more to do, and ends last.
	both.Wait()
	return d, context.Cause(ctx)
}

// train trains g in a run in the folder dir, and judges it.
func (g *demoGAN) train(ctx context.Context, dir string, report func(gan.Record)) error {
	data, _, err := gan.Load(&g.config)
	if err != nil {
		return err
	}
	b, err := engine.Open("cpu", nil) // the same numbers on any number of cores
	if err != nil {
		return err
	}
	defer b.Close()
	t, err := gan.New(g.config, data, b)
	if err != nil {
		return err
	}
	run, err := runs.Create(dir, g.name, "gan", g.config)
	if err != nil {
		return err
	}
	shoot := func(step int, _ *gan.Samples) error {
		if !slices.Contains(demoShots, step*demoParts/g.config.Steps) {
			return nil
		}
		s, err := t.Sample(demoSamples/10, g.config.Seed)
		if err != nil {
			return err
		}
		g.shots = append(g.shots, demoShot{step, points(s)})
		return nil
	}
	if err := t.Run(ctx, run, &gan.RunOptions{Hooks: gan.Hooks{Step: report, Samples: shoot}}); err != nil {
		return err
	}
	s, err := t.Sample(demoSamples, g.config.Seed+1)
	if err != nil {
		return err
	}
	if g.weights, err = t.Weights(); err != nil {
		return err
	}
	g.data, g.outlier = &ot.Points{Dim: 2, Coords: data.Points()}, data.Outlier
	g.samples = points(s)
	return g.judge()
}

func points(s *gan.Samples) *ot.Points { return &ot.Points{Dim: s.Dim, Coords: s.Points} }

// judge counts where the samples lie.
func (g *demoGAN) judge() error {
	centre := make([]float64, 2)
	outliers := 0.0
	for i, o := range g.outlier {
		if o {
			outliers++
			centre[0] += g.data.Row(i)[0]
			centre[1] += g.data.Row(i)[1]
		}
	}
	var modes [demoModes]float64
	for i := range g.samples.Len() {
		x, y := g.samples.Row(i)[0], g.samples.Row(i)[1]
		switch {
		case math.Hypot(x-centre[0]/outliers, y-centre[1]/outliers) < nearOutlier:
			g.onOutliers++
		case math.Hypot(x, y) > offRing:
			g.onTheWay++
		}
		for k := range modes {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / demoModes)
			if math.Hypot(x-demoRing*cos, y-demoRing*sin) < nearMode {
				modes[k]++
			}
		}
	}
	n := float64(g.samples.Len())
	g.onOutliers /= n
	g.onTheWay /= n
	for _, m := range modes {
		if m >= fairShare*n {
			g.modes++
		}
	}
	low := make([]float64, len(g.weights))
	for i, w := range g.weights {
		low[i] = -w
	}
	var err error
	g.auroc, err = metrics.AUROC(low, g.outlier)
	return err
}
