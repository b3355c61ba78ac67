package demo

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"

	"rot.example/rot/chisq"
	"rot.example/rot/engine"
	"rot.example/rot/figure"
	"rot.example/rot/gan"
	"rot.example/rot/internal/words"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
	"rot.example/rot/page"
	"rot.example/rot/runs"
)

// What the GANs learn from: eight Gaussians on a circle of radius 2, and far
// away a cluster of outliers.
const (
	GANData     = "synth:eight,n=4000"
	GANOutliers = "synth:far@0.05"
	GANGamma    = 0.1 // room for twice the outliers: a batch has more of them than the data at times

	modes = 8
	ring  = 2.0
)

// How samples are judged.
const (
	ganSamples  = 10000
	nearMode    = 0.5      // a Gaussian has a standard deviation of 0.1
	fairShare   = 0.04     // of the samples, for a mode to count as found: a third of its due
	offRing     = 2 * ring // from the origin: no good point is there
	nearOutlier = 2.0      // from the middle of the outliers
)

// The training is shown after these of parts equal parts of it.
const parts = 20

var shots = []int{1, 3, 8, parts}

// GANs are a plain and a robust GAN that learned from the same data.
type GANs struct {
	steps         int
	plain, robust *trainedGAN
}

// A trainedGAN is one of them, at its end.
type trainedGAN struct {
	name    string
	config  gan.Config
	data    *ot.Points
	outlier []bool
	shots   []snapshot // early to late
	samples *ot.Points
	weights []float64 // of the data

	onOutliers, onTheWay float64 // shares of the samples
	modes                int     // found
	auroc                float64 // of low weights as a mark of the outliers
}

// A snapshot is some samples of a step.
type snapshot struct {
	step    int
	samples *ot.Points
}

// Generate trains the two GANs side by side, since networks as small as these
// keep one core busy each. It calls step after every step of the robust one with
// the number of all its steps, which is that of the preset where steps is 0.
func Generate(ctx context.Context, steps int, step func(r gan.Record, steps int)) (*GANs, error) {
	dir, err := os.MkdirTemp("", "rot-demo-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the training: %w", err)
	}
	defer os.RemoveAll(dir)
	ball, err := chisq.FromGamma(GANGamma)
	if err != nil {
		return nil, err
	}
	c := gan.Config{Data: GANData, Outliers: GANOutliers, Steps: steps, Rho: ball.Rho}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	c.SampleEvery = max(1, c.Steps/parts)
	d := &GANs{steps: c.Steps, plain: &trainedGAN{name: "plain", config: c}, robust: &trainedGAN{name: "robust", config: c}}
	d.plain.config.Rho = 0

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var both sync.WaitGroup
	train := func(g *trainedGAN, report func(gan.Record)) {
		both.Go(func() {
			if err := g.train(ctx, dir, report); err != nil {
				cancel(err)
			}
		})
	}
	train(d.plain, nil)
	train(d.robust, func(r gan.Record) { // It has more to do, and ends last.
		if step != nil {
			step(r, c.Steps)
		}
	})
	both.Wait()
	return d, context.Cause(ctx)
}

// train trains g in a run in the folder dir, and judges it.
func (g *trainedGAN) train(ctx context.Context, dir string, report func(gan.Record)) error {
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
		if !slices.Contains(shots, step*parts/g.config.Steps) {
			return nil
		}
		s, err := t.Sample(ganSamples/10, g.config.Seed)
		if err != nil {
			return err
		}
		g.shots = append(g.shots, snapshot{step, points(s)})
		return nil
	}
	if err := t.Run(ctx, run, &gan.RunOptions{Hooks: gan.Hooks{Step: report, Samples: shoot}}); err != nil {
		return err
	}
	s, err := t.Sample(ganSamples, g.config.Seed+1)
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
func (g *trainedGAN) judge() error {
	centre := make([]float64, 2)
	outliers := 0.0
	for i, o := range g.outlier {
		if o {
			outliers++
			centre[0] += g.data.Row(i)[0]
			centre[1] += g.data.Row(i)[1]
		}
	}
	var near [modes]float64
	for i := range g.samples.Len() {
		x, y := g.samples.Row(i)[0], g.samples.Row(i)[1]
		switch {
		case math.Hypot(x-centre[0]/outliers, y-centre[1]/outliers) < nearOutlier:
			g.onOutliers++
		case math.Hypot(x, y) > offRing:
			g.onTheWay++
		}
		for k := range near {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / modes)
			if math.Hypot(x-ring*cos, y-ring*sin) < nearMode {
				near[k]++
			}
		}
	}
	n := float64(g.samples.Len())
	g.onOutliers /= n
	g.onTheWay /= n
	for _, m := range near {
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

// Result is what the page shows of the GANs.
func (d *GANs) Result() page.DemoGenerate {
	r := page.DemoGenerate{Steps: d.steps, Samples: ganSamples, Points: len(d.robust.outlier), Outliers: countTrue(d.robust.outlier), AUROC: d.robust.auroc}
	for _, g := range []*trainedGAN{d.plain, d.robust} {
		r.GANs = append(r.GANs, page.DemoGAN{Name: g.name, OnOutliers: g.onOutliers, OnTheWay: g.onTheWay, Modes: g.modes, AllModes: modes})
	}
	return r
}

// Figures returns the pictures of the GANs, by the names of their files.
func (d *GANs) Figures() []Figure {
	return []Figure{{"gan.png", d.samples()}, {"gan-training.png", d.training()}, {"weights.png", d.histogram()}}
}

// share is a fraction of samples.
func share(v float64) string { return words.Digits(100*v, 2) + " %" }

func countTrue(marks []bool) (n int) {
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}

// samples shows what both make in the end.
func (d *GANs) samples() figure.Figure {
	s := &figure.Scatter{}
	for _, g := range []*trainedGAN{d.plain, d.robust} {
		some := &ot.Points{Dim: 2, Coords: g.samples.Coords[:2*ganSamples/4]} // All would be a blot.
		title := fmt.Sprintf("%s GAN: %s on the outliers", g.name, share(g.onOutliers))
		note := fmt.Sprintf("of %s samples, and %s on the way to them", words.Count(ganSamples), share(g.onTheWay))
		s.Panels = append(s.Panels, g.panel(title, note, some))
	}
	return s
}

// training shows how they got there, a row for each.
func (d *GANs) training() figure.Figure {
	s := &figure.Scatter{Columns: len(shots)}
	for _, g := range []*trainedGAN{d.plain, d.robust} {
		for _, shot := range g.shots {
			title := fmt.Sprintf("%s GAN, step %s", g.name, words.Count(shot.step))
			s.Panels = append(s.Panels, g.panel(title, words.Plural(shot.samples.Len(), "sample"), shot.samples))
		}
	}
	return s
}

func (d *GANs) histogram() figure.Figure {
	return &figure.Histogram{Title: "Weights that the robust GAN gives its data", Weights: d.robust.weights, Outlier: d.robust.outlier}
}

// panel shows samples over the data. A few that lie so far out that all else
// would be small are left to a note.
func (g *trainedGAN) panel(title, note string, samples *ot.Points) *figure.ScatterPanel {
	const lowest, highest = -4, 10
	in := &ot.Points{Dim: 2}
	for i := range samples.Len() {
		if p := samples.Row(i); slices.Min(p) >= lowest && slices.Max(p) <= highest {
			in.Coords = append(in.Coords, p...)
		}
	}
	if out := samples.Len() - in.Len(); out > 0 {
		note += fmt.Sprintf("; %s outside the picture", words.Count(out))
	}
	return &figure.ScatterPanel{Title: title, Note: note, Data: g.data, Outlier: g.outlier, Generated: in}
}
