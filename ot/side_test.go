package ot

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"rot.example/rot/chisq"
)

// lineProblem is transport between points on a line.
func lineProblem(t *testing.T, x, y []float64) *Problem {
	t.Helper()
	p, err := NewProblem(&Points{Dim: 1, Coords: x}, &Points{Dim: 1, Coords: y}, Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSideRanksTies(t *testing.T) {
	p := lineProblem(t, []float64{0, 50, 90, 70, 1}, []float64{0, 1})
	r := &Result{
		A: []float64{0.9, 0, 1e-19, 0.1, 0}, BaseA: []float64{0.25, 0.25, 0.25, 0.25, 0},
		F: []float64{0, 7, 7, 7, 0}, // The potential is capped and cannot tell.
		G: []float64{0, 0}, B: []float64{0.5, 0.5}, BaseB: []float64{0.5, 0.5},
	}
	s := newSide("source", p, r, true)
	var order []int
	for _, row := range s.Suspects {
		order = append(order, row.Row)
	}
	if want := []int{2, 1, 3}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v: the farthest first, then the higher weight", order, want)
	}
	if s.Dropped != 2 || s.Low != 3 || s.Counted != 4 {
		t.Errorf("dropped %d, low %d of %d; want 2, 3 of 4, without the row of base weight 0", s.Dropped, s.Low, s.Counted)
	}
	if got := s.Suspects[0]; got.Nearest != 89 || got.Weight != 0 {
		t.Errorf("worst row %+v", got)
	}
	low, ignored := s.LowRows()
	if want := []bool{false, true, true, true, false}; !slices.Equal(low, want) || !ignored[4] || ignored[0] {
		t.Errorf("low %v, ignored %v", low, ignored)
	}
}

// TestSideMean checks the mean of weights when mass is left behind.
func TestSideMean(t *testing.T) {
	p := lineProblem(t, []float64{0, 1, 2}, []float64{0, 1})
	r := &Result{
		A: []float64{0.1, 0.3, 0}, BaseA: []float64{0.2, 0.3, 0.5},
		B: []float64{0.2, 0.2}, BaseB: []float64{0.5, 0.5},
	}
	var b bytes.Buffer
	s := newSide("source", p, r, true)
	if err := s.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "index,weight\n0,1.25\n1,2.5\n2,0\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var mean float64
	for i, w := range s.Weights {
		mean += w * r.BaseA[i]
	}
	if math.Abs(mean-1) > 1e-12 {
		t.Errorf("mean weight %v", mean)
	}
}

func TestSideOfEmptyPlan(t *testing.T) {
	r := &Result{A: []float64{0}, BaseA: []float64{1}, B: []float64{0}, BaseB: []float64{1}, Plan: &Plan{}}
	s := newSide("source", lineProblem(t, []float64{0}, []float64{9}), r, true)
	if err := s.WriteCSV(&bytes.Buffer{}); err == nil {
		t.Error("weights of nothing")
	}
}

// TestSolve: each method gives what its own function gives.
func TestSolve(t *testing.T) {
	p := lineProblem(t, []float64{0, 1, 2, 60}, []float64{0.5, 1.5, 2.5})
	for _, tt := range []struct {
		opts *SolveOptions
		kind string
		want func() (*Result, error)
	}{
		{nil, "optimal transport", func() (*Result, error) { return Exact(t.Context(), p, nil) }},
		{&SolveOptions{Rho: 0.2}, "robust transport", func() (*Result, error) {
			return Robust(t.Context(), p, &RobustOptions{Source: chisq.Ball{Rho: 0.2}})
		}},
		{&SolveOptions{Method: MethodPartial, Mass: 0.5}, "partial transport of 50 % of the mass", func() (*Result, error) {
			return Partial(t.Context(), p, &PartialOptions{Mass: 0.5})
		}},
		{&SolveOptions{Method: MethodUnbalanced, Penalty: 2}, "unbalanced transport (chi2, penalty 2)", func() (*Result, error) {
			return Unbalanced(t.Context(), p, &UnbalancedOptions{Penalty: 2})
		}},
		{&SolveOptions{Method: MethodEntropic}, "entropic transport", func() (*Result, error) { return Entropic(t.Context(), p, nil) }},
	} {
		got, err := Solve(t.Context(), p, tt.opts)
		if err != nil {
			t.Fatal(err)
		}
		want, err := tt.want()
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Value-want.Value) > 1e-9*want.Value || got.Kind() != tt.kind {
			t.Errorf("%s: %v, want %v", got.Kind(), got.Value, want.Value)
		}
	}
	auto, err := Solve(t.Context(), p, &SolveOptions{Auto: true})
	if err != nil {
		t.Fatal(err)
	}
	if auto.Curve == nil || auto.Options.Rho != auto.Curve.Elbow || auto.Options.Rho <= 0 || !auto.Source.Moves || auto.Source.Suspects[0].Row != 3 {
		t.Errorf("radius %v of the curve %+v, suspects %+v", auto.Options.Rho, auto.Curve, auto.Source.Suspects)
	}
	short, err := Solve(t.Context(), p, &SolveOptions{Method: MethodEntropic, MaxIters: 1})
	var conv *ConvergenceError
	if !errors.As(err, &conv) || short == nil || short.Short != conv {
		t.Errorf("%v: %+v", err, short)
	}
}
