package ot

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"rot.example/rot/chisq"
)

// TestMalformed asserts that whatever data can do wrong is an error of the
// right kind that names the place.
func TestMalformed(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := &Points{Dim: 2, Coords: []float64{0, 1, 2, 3, 4, 5}}
	// at is good with one coordinate replaced.
	at := func(k int, v float64) *Points {
		c := append([]float64(nil), good.Coords...)
		c[k] = v
		return &Points{Dim: 2, Coords: c}
	}
	weighted := func(w ...float64) *Points { return &Points{Dim: 2, Coords: good.Coords, Weights: w} }
	points := func(x, y *Points, m Metric) func() error {
		return func() error { p, err := NewProblem(x, y, m); return failed(p == nil, err) }
	}
	matrix := func(m, n int, c ...float64) func() error {
		return func() error { p, err := NewMatrixCost(m, n, c); return failed(p == nil, err) }
	}
	rows := func(r ...[]float64) func() error {
		return func() error { p, err := FromRows(r); return failed(p == nil, err) }
	}
	for _, tt := range []struct {
		name string
		run  func() error
		want error
		text string // what the message must name
	}{
		{"no source", points(nil, good, Euclidean), ErrShape, "source"},
		{"no target", points(good, nil, Euclidean), ErrShape, "target"},
		{"empty source", points(&Points{Dim: 2}, good, Euclidean), ErrShape, "source"},
		{"empty target", points(good, &Points{}, Euclidean), ErrShape, "target"},
		{"no dimension", points(&Points{Coords: []float64{1}}, good, Euclidean), ErrShape, "dimension 0"},
		{"negative dimension", points(&Points{Dim: -1, Coords: []float64{1}}, good, Euclidean), ErrShape, "dimension -1"},
		{"broken row", points(&Points{Dim: 2, Coords: []float64{1, 2, 3}}, good, Euclidean), ErrShape, "3 coordinates"},
		{"dimensions differ", points(good, &Points{Dim: 1, Coords: []float64{1}}, Euclidean), ErrShape, "2 columns, target has 1"},
		{"ids", points(&Points{Dim: 2, Coords: good.Coords, IDs: []string{"a"}}, good, Euclidean), ErrShape, "1 ids for 3 rows"},
		{"NaN in source", points(at(3, nan), good, Euclidean), ErrValue, "source row 1 column 1 is NaN"},
		{"NaN in target", points(good, at(4, nan), Cosine), ErrValue, "target row 2 column 0 is NaN"},
		{"Inf", points(at(0, inf), good, SqEuclidean), ErrValue, "source row 0 column 0 is +Inf"},
		{"-Inf", points(good, at(5, -inf), Cityblock), ErrValue, "target row 2 column 1 is -Inf"},
		{"overflow", points(at(2, 1e200), good, SqEuclidean), ErrValue, "source row 1 column 0"},
		{"overflow in target", points(good, at(1, -1e160), Euclidean), ErrValue, "target row 0 column 1"},
		{"zero row", points(&Points{Dim: 2, Coords: []float64{1, 2, 0, 0}}, &Points{Dim: 2, Coords: []float64{1, 2}}, Cosine), ErrValue, "source row 1"},
		{"zero target row", points(&Points{Dim: 2, Coords: []float64{1, 2}}, &Points{Dim: 2, Coords: []float64{0, 0}}, Cosine), ErrValue, "target row 0"},
		{"metric", points(good, good, Metric(99)), ErrOption, "Metric(99)"},
		{"metric of a matrix", points(good, good, Given), ErrOption, "given"},
		{"metric name", func() error { _, err := ParseMetric("manhattan"); return err }, ErrOption, `"manhattan"`},
		{"metric name of a matrix", func() error { _, err := ParseMetric("given"); return err }, ErrOption, `"given"`},

		{"too few weights", points(weighted(1, 2), good, Euclidean), ErrWeights, "2 source weights for 3"},
		{"too many weights", points(good, weighted(1, 2, 3, 4), Euclidean), ErrWeights, "4 target weights for 3"},
		{"no weights", points(good, &Points{Dim: 2, Coords: good.Coords, Weights: []float64{}}, Euclidean), ErrWeights, "0 target weights"},
		{"negative weight", points(weighted(1, -1e-9, 3), good, Euclidean), ErrWeights, "source weight 1 is -1e-09"},
		{"NaN weight", points(good, weighted(1, 1, nan), Euclidean), ErrWeights, "target weight 2 is NaN"},
		{"Inf weight", points(weighted(inf, 1, 1), good, Euclidean), ErrWeights, "source weight 0 is +Inf"},
		{"zero weights", points(good, weighted(0, 0, 0), Euclidean), ErrWeights, "all target weights are zero"},

		{"no rows", rows(), ErrShape, "no rows"},
		{"ragged", rows([]float64{1, 2}, []float64{3}), ErrShape, "row 1 has 1 columns"},

		{"empty matrix", matrix(0, 0), ErrShape, "0×0"},
		{"negative matrix", matrix(-1, -1, 1), ErrShape, "-1×-1"},
		{"short matrix", matrix(2, 2, 1, 2, 3), ErrShape, "3 entries for a 2×2"},
		{"NaN in matrix", matrix(2, 2, 1, 2, nan, 4), ErrValue, "row 1 column 0 is NaN"},
		{"-Inf in matrix", matrix(1, 3, 1, 2, -inf), ErrValue, "row 0 column 2 is -Inf"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantError(t, tt.run(), tt.want, tt.text) })
	}
}

// failed is err, or a complaint about a value that came with it.
func failed(isNil bool, err error) error {
	if err != nil && !isNil {
		return errors.New("a value came with the error")
	}
	return err
}

func wantError(t *testing.T, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "ot: ") || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want %v and %q", err, want, text)
	}
}

// TestMalformedProblem asserts the same of problems put together by hand and
// of options, for every solver.
func TestMalformedProblem(t *testing.T) {
	ctx := context.Background()
	nan, inf := math.NaN(), math.Inf(1)
	c, err := NewMatrixCost(2, 2, []float64{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	good := &Problem{Cost: c}
	solvers := map[string]func(*Problem) error{
		"Exact":      func(p *Problem) error { r, err := Exact(ctx, p, nil); return failed(r == nil, err) },
		"Robust":     func(p *Problem) error { r, err := Robust(ctx, p, nil); return failed(r == nil, err) },
		"one-sided":  func(p *Problem) error { return robustError(p, 0.1, 0) },
		"target":     func(p *Problem) error { return robustError(p, 0, 0.1) },
		"two-sided":  func(p *Problem) error { return robustError(p, 0.1, 0.1) },
		"Curve":      func(p *Problem) error { r, err := Curve(ctx, p, nil, nil); return failed(r == nil, err) },
		"Entropic":   func(p *Problem) error { r, err := Entropic(ctx, p, nil); return failed(r == nil, err) },
		"Unbalanced": func(p *Problem) error { r, err := Unbalanced(ctx, p, nil); return failed(r == nil, err) },
		"Partial":    func(p *Problem) error { r, err := Partial(ctx, p, nil); return failed(r == nil, err) },
		"OneD":       func(p *Problem) error { r, err := OneD(ctx, p, nil); return failed(r == nil, err) },
		"Theorem2":   func(p *Problem) error { r, err := Theorem2(ctx, p, nil); return failed(r == nil, err) },
	}
	for name, solve := range solvers {
		t.Run(name, func(t *testing.T) {
			wantError(t, solve(nil), ErrShape, "without a cost")
			wantError(t, solve(&Problem{}), ErrShape, "without a cost")
			wantError(t, solve(&Problem{Cost: c, A: []float64{1}}), ErrWeights, "1 source weights for 2")
			wantError(t, solve(&Problem{Cost: c, B: []float64{1, -1}}), ErrWeights, "target weight 1")
			wantError(t, solve(&Problem{Cost: c, B: []float64{0, 0}}), ErrWeights, "all target weights")
		})
	}
	for _, tt := range []struct {
		name string
		run  func() error
		text string
	}{
		{"negative radius", func() error { return robustError(good, -1e-9, 0) }, "-1e-09"},
		{"negative target radius", func() error { return robustError(good, 0.1, -1) }, "-1"},
		{"NaN radius", func() error { return robustError(good, nan, 0) }, "NaN"},
		{"NaN target radius", func() error { return robustError(good, 0, nan) }, "NaN"},
		{"negative tolerance", func() error { _, err := Robust(ctx, good, &RobustOptions{Tol: -1}); return err }, "-1"},
		{"NaN tolerance", func() error { _, err := Exact(ctx, good, &ExactOptions{Tol: nan}); return err }, "NaN"},
		{"negative limit", func() error { _, err := Robust(ctx, good, &RobustOptions{MaxIters: -1}); return err }, "-1"},
		{"negative limit of Exact", func() error { _, err := Exact(ctx, good, &ExactOptions{MaxIters: -7}); return err }, "-7"},
		{"curve without radii", func() error { _, err := Curve(ctx, good, []float64{}, nil); return err }, "radii"},
		{"negative radius of a curve", func() error { _, err := Curve(ctx, good, []float64{0.1, -0.1}, nil); return err }, "-0.1"},
		{"NaN radius of a curve", func() error { _, err := Curve(ctx, good, []float64{0.1, nan}, nil); return err }, "NaN"},
		{"infinite radius of a curve", func() error { _, err := Curve(ctx, good, []float64{inf}, nil); return err }, "Inf"},
		{"tolerance of a curve", func() error { _, err := Curve(ctx, good, nil, &CurveOptions{Tol: -1}); return err }, "-1"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantError(t, tt.run(), ErrOption, tt.text) })
	}
}

func robustError(p *Problem, rho1, rho2 float64) error {
	r, err := Robust(context.Background(), p, &RobustOptions{Source: chisq.Ball{Rho: rho1}, Target: chisq.Ball{Rho: rho2}})
	return failed(r == nil, err)
}

// TestInfiniteRadius asserts that a radius of +Inf is either an error or
// nearest neighbours, not nonsense.
func TestInfiniteRadius(t *testing.T) {
	p := cloud(t, 20, Euclidean)
	for _, rho := range [][2]float64{{math.Inf(1), 0}, {0, math.Inf(1)}, {math.Inf(1), 0.1}, {math.Inf(1), math.Inf(1)}} {
		r, err := Robust(context.Background(), p, &RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}})
		if err != nil {
			if !errors.Is(err, ErrOption) {
				t.Errorf("ρ = %v: %v", rho, err)
			}
			continue
		}
		verify(t, p, r, min(rho[0], 1e6), min(rho[1], 1e6), 1e-9)
	}
}

// TestPoints covers the small methods.
func TestPoints(t *testing.T) {
	p, err := FromRows([][]float64{{1, 2}, {3, 4}, {5, 6}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Len() != 3 || p.Row(1)[0] != 3 || p.ID(2) != "2" || (&Points{}).Len() != 0 {
		t.Errorf("%+v", p)
	}
	p.IDs = []string{"a", "b", "c"}
	if p.ID(2) != "c" {
		t.Errorf("ID(2) = %q", p.ID(2))
	}
	for _, m := range []Metric{Euclidean, SqEuclidean, Cityblock, Cosine} {
		if got, err := ParseMetric(m.String()); err != nil || got != m {
			t.Errorf("ParseMetric(%q) = %v, %v", m, got, err)
		}
		c, err := NewCost(p, &Points{Dim: 2, Coords: []float64{4, 6}}, m)
		if err != nil {
			t.Fatal(err)
		}
		want := map[Metric]float64{Euclidean: 5, SqEuclidean: 25, Cityblock: 7, Cosine: 1 - 16/math.Sqrt(5*52)}[m]
		if rows, cols := c.Dims(); rows != 3 || cols != 1 || c.Dim() != 2 || c.Metric() != m || math.Abs(c.At(0, 0)-want) > 1e-15 {
			t.Errorf("%v: %d×%d, dimension %d, cost %v, want %v", c.Metric(), rows, cols, c.Dim(), c.At(0, 0), want)
		}
	}
}
