package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"rot.example/rot/chisq"
	"rot.example/rot/figure"
	"rot.example/rot/ot"
)

// A Figure1 is the paper's figure 1: a blob, the blob with a far cluster of
// outliers, and two moons to move them to; and the elbow curve of the same
// data.
type Figure1 struct {
	Clean, Dirty, Target *ot.Points
	Outlier              []bool // of the rows of Dirty
	Ball                 chisq.Ball

	Plain, Spoiled, Robust *ot.Result // clean, with outliers, and robust with outliers
	Curve                  *ot.CurveResult
	Theorem                *ot.TheoremBound
}

// The sizes of figure 1. The fraction of outliers is the paper's.
const (
	blobPoints    = 285
	blobOutliers  = 15
	moonPoints    = 300
	figure1Seed   = 2020 // the year of the paper; any other looks the same
	figure1Digits = 1e4  // as many as the files hold
)

// figure1Rhos are those of ot.DefaultRhos up to where a sixth of the source may
// go: nobody expects more outliers than that here.
var figure1Rhos = []float64{0, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1}

// NewFigure1 makes the data.
func NewFigure1() *Figure1 {
	rng := rand.New(rand.NewPCG(figure1Seed, 0))
	point := func(x, y float64) []float64 {
		return []float64{math.Round(x*figure1Digits) / figure1Digits, math.Round(y*figure1Digits) / figure1Digits}
	}
	f := &Figure1{Clean: &ot.Points{Dim: 2}, Dirty: &ot.Points{Dim: 2}, Target: &ot.Points{Dim: 2}}
	for range blobPoints {
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		r := math.Sqrt(rng.Float64()) // even over a disk
		f.Clean.Coords = append(f.Clean.Coords, point(0.5+1.7*r*cos, 0.25+0.95*r*sin)...)
	}
	f.Dirty.Coords = append(f.Dirty.Coords, f.Clean.Coords...)
	for range blobOutliers {
		f.Dirty.Coords = append(f.Dirty.Coords, point(4.2+0.25*rng.NormFloat64(), 3+0.25*rng.NormFloat64())...)
	}
	for i := range moonPoints {
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		if i%2 == 1 {
			sin, cos = 0.5-sin, 1-cos
		}
		f.Target.Coords = append(f.Target.Coords, point(cos+0.06*rng.NormFloat64(), sin+0.06*rng.NormFloat64())...)
	}
	f.Outlier = make([]bool, f.Dirty.Len())
	for i := blobPoints; i < len(f.Outlier); i++ {
		f.Outlier[i] = true
	}
	return f
}

// Outliers returns the number of outliers.
func (f *Figure1) Outliers() int { return blobOutliers }

// Gamma returns the fraction of the rows of Dirty that are outliers.
func (f *Figure1) Gamma() float64 { return float64(blobOutliers) / float64(len(f.Outlier)) }

// Solve solves the three problems of the figure. Progress may be nil.
func (f *Figure1) Solve(ctx context.Context, progress func(ot.Progress)) error {
	var err error
	if f.Ball, err = chisq.FromGamma(f.Gamma()); err != nil {
		return err
	}
	clean, err := ot.NewProblem(f.Clean, f.Target, ot.Euclidean)
	if err != nil {
		return err
	}
	dirty, err := ot.NewProblem(f.Dirty, f.Target, ot.Euclidean)
	if err != nil {
		return err
	}
	if f.Plain, err = ot.Exact(ctx, clean, &ot.ExactOptions{Progress: progress}); err != nil {
		return err
	}
	if f.Spoiled, err = ot.Exact(ctx, dirty, &ot.ExactOptions{Progress: progress}); err != nil {
		return err
	}
	f.Robust, err = ot.Robust(ctx, dirty, &ot.RobustOptions{Source: f.Ball, Progress: progress})
	return err
}

// SolveCurve solves the distance for many radii, and the bound on it that
// follows from the known outliers (ot.Theorem2).
func (f *Figure1) SolveCurve(ctx context.Context, progress func(ot.Progress)) error {
	dirty, err := ot.NewProblem(f.Dirty, f.Target, ot.Euclidean)
	if err != nil {
		return err
	}
	if f.Theorem, err = ot.Theorem2(ctx, dirty, f.Outlier); err != nil {
		return err
	}
	f.Curve, err = ot.Curve(ctx, dirty, figure1Rhos, &ot.CurveOptions{Progress: progress})
	return err
}

// Found returns the number of outliers that robust transport took most of the weight
// from, and that of other rows.
func (f *Figure1) Found() (outliers, others int) {
	for i, w := range f.Robust.SourceWeights() {
		switch {
		case w >= figure.DefaultLow:
		case f.Outlier[i]:
			outliers++
		default:
			others++
		}
	}
	return outliers, others
}

// Couplings draws the three plans.
func (f *Figure1) Couplings() *figure.Couplings {
	spoiled := fmt.Sprintf("%g %% outliers, ", 100*f.Gamma())
	return &figure.Couplings{Panels: []*figure.Coupling{
		figure.NewCoupling("(a) clean, plain OT", f.Clean, f.Target, f.Plain),
		figure.NewCoupling("(b) "+spoiled+"plain OT", f.Dirty, f.Target, f.Spoiled),
		figure.NewCoupling("(c) "+spoiled+"robust OT", f.Dirty, f.Target, f.Robust),
	}}
}
