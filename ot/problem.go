package ot

import (
	"fmt"
	"math"
)

// A Problem is what every solver solves: a cost and two weight vectors.
type Problem struct {
	Cost *Cost
	A, B []float64 // weights of sources and targets; nil means uniform
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

// weights returns both weight vectors as fresh slices that sum to one.
func (p *Problem) weights() (a, b []float64, err error) {
	if p == nil || p.Cost == nil {
		return nil, nil, fmt.Errorf("ot: problem without a cost: %w", ErrShape)
	}
	if a, err = normalize(p.A, p.Cost.m, "source"); err != nil {
		return nil, nil, err
	}
	if b, err = normalize(p.B, p.Cost.n, "target"); err != nil {
		return nil, nil, err
	}
	return a, b, nil
}

func normalize(w []float64, n int, side string) ([]float64, error) {
	out := make([]float64, n)
	if w == nil {
		for i := range out {
			out[i] = 1 / float64(n)
		}
		return out, nil
	}
	if len(w) != n {
		return nil, fmt.Errorf("ot: %d %s weights for %d points: %w", len(w), side, n, ErrWeights)
	}
	var top, sum float64
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("ot: %s weight %d is %v: %w", side, i, v, ErrWeights)
		}
		top = math.Max(top, v)
	}
	if top == 0 {
		return nil, fmt.Errorf("ot: all %s weights are zero: %w", side, ErrWeights)
	}
	for i, v := range w {
		out[i] = v / top
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out, nil
}
