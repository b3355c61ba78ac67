package ot

import (
	"context"
	"fmt"
	"math"
)

// A TheoremBound bounds the robust cost V(ρ) where the outliers are known. It is
// Theorem 2 of Balaji, Chellappa and Feizi (2020) in its correct form (docs/math.md
// §8): with a metric cost, a fraction Gamma of outliers and
// K = W(outliers, clean)/W(clean, target),
//
//	V(ρ) ≤ max(1, 1 + Kγ − K√(2ργ(1−γ))) · W(clean, target).
type TheoremBound struct {
	Gamma float64 // weight of the outliers
	Clean float64 // W(clean, target), plain OT without the outliers
	Far   float64 // W(outliers, clean)
	K     float64 // Far/Clean; infinite where clean rows and target coincide
}

// At returns the bound for one radius.
func (b *TheoremBound) At(rho float64) float64 {
	return b.Clean + b.Far*math.Max(0, b.Gamma-math.Sqrt(2*rho*b.Gamma*(1-b.Gamma)))
}

// Theorem2 computes the bound when the outliers among the sources are marked.
// The cost must be a metric (Euclidean or Cityblock) of points: the theorem
// rests on the triangle inequality.
func Theorem2(ctx context.Context, p *Problem, outlier []bool) (*TheoremBound, error) {
	a, b, err := p.weights()
	if err != nil {
		return nil, err
	}
	c := p.Cost
	if c.metric != Euclidean && c.metric != Cityblock {
		return nil, fmt.Errorf("ot: theorem 2 needs a metric cost, euclidean or cityblock, not %v: %w", c.metric, ErrOption)
	}
	if len(outlier) != c.m {
		return nil, fmt.Errorf("ot: %d marks for %d sources: %w", len(outlier), c.m, ErrShape)
	}
	c = c.doubled()
	var clean, bad Points
	clean.Dim, bad.Dim = c.dim, c.dim
	t := &TheoremBound{}
	for i, out := range outlier {
		side := &clean
		if out {
			side = &bad
			t.Gamma += a[i]
		}
		side.Coords = append(side.Coords, c.x[i*c.dim:(i+1)*c.dim]...)
		side.Weights = append(side.Weights, a[i])
	}
	if len(bad.Coords) == 0 || len(clean.Coords) == 0 || t.Gamma == 0 {
		return nil, fmt.Errorf("ot: outliers have weight %g of 1: %w", t.Gamma, ErrWeights)
	}
	target := &Points{Dim: c.dim, Coords: c.y, Weights: b}
	value := func(x, y *Points) float64 {
		var r *Result
		q, e := NewProblem(x, y, c.metric)
		if e == nil {
			q.Cost.most = c.most // with which it is still a metric
			r, e = Exact(ctx, q, nil)
		}
		if e != nil {
			err = e
			return 0
		}
		return r.Value
	}
	t.Clean = value(&clean, target)
	t.Far = value(&bad, &clean)
	if err != nil {
		return nil, err
	}
	t.K = t.Far / t.Clean
	return t, nil
}
