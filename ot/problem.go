package ot

import (
	"fmt"
	"math"
)

// A Problem is what every solver solves: a cost and two weight vectors.
type Problem struct {
	Cost *Cost
	A, B []float64 // weights of sources and targets; nil means uniform

	exact  *[2]weights // the weights in twice the precision, where a solver knows them
	device *device     // that helps with sweeps, or nil
	table  *costTable  // of Cost, or nil
}

// NewProblem takes points on both sides, with their weights.
func NewProblem(x, y *Points, metric Metric) (*Problem, error) {
	c, err := NewCost(x, y, metric)
	if err != nil {
		return nil, err
	}
	p := &Problem{Cost: c, A: x.Weights, B: y.Weights}
	if _, _, err := p.weights(); err != nil {
		return nil, err
	}
	return p, nil
}

// Totals returns the sums of the given weights of sources and targets, NaN for
// a side without. Solvers scale both to one, whatever they are.
func (p *Problem) Totals() (source, target float64) {
	total := func(w []float64) float64 {
		if w == nil {
			return math.NaN()
		}
		var s sum
		for _, v := range w {
			s.add(v)
		}
		return s.total()
	}
	return total(p.A), total(p.B)
}

// weights returns both weight vectors as fresh slices that sum to one.
func (p *Problem) weights() (a, b []float64, err error) {
	x, y, err := p.exactWeights()
	return x.hi, y.hi, err
}

// exactWeights is weights in twice the precision.
func (p *Problem) exactWeights() (a, b weights, err error) {
	if p == nil || p.Cost == nil {
		return a, b, fmt.Errorf("ot: problem without a cost: %w", ErrShape)
	}
	if p.exact != nil {
		return p.exact[0].clone(), p.exact[1].clone(), nil
	}
	if a, err = normalize(p.A, p.Cost.m, "source"); err != nil {
		return a, b, err
	}
	b, err = normalize(p.B, p.Cost.n, "target")
	return a, b, err
}

func normalize(w []float64, n int, side string) (weights, error) {
	out := weights{make([]float64, n), make([]float64, n)}
	if w == nil {
		x := dd{hi: 1}.over(dd{hi: float64(n)})
		for i := range out.hi {
			out.hi[i], out.lo[i] = x.hi, x.lo
		}
		return out, nil
	}
	if len(w) != n {
		return out, fmt.Errorf("ot: %d %s weights for %d points: %w", len(w), side, n, ErrWeights)
	}
	var top float64
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 1) {
			return out, sideErrorf(side, ErrWeights, "weight %d is %v", i, v)
		}
		top = math.Max(top, v)
	}
	if top == 0 {
		return out, fmt.Errorf("ot: all %s weights are zero: %w", side, ErrWeights)
	}
	_, e := math.Frexp(top)
	var total dd
	for _, v := range w {
		total = total.add(math.Ldexp(v, -e))
	}
	for i, v := range w {
		x := dd{hi: math.Ldexp(v, -e)}.over(total)
		out.hi[i], out.lo[i] = x.hi, x.lo
	}
	return out, nil
}
