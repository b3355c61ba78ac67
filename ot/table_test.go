package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
)

// manyColumns is a problem whose costs are tabled: d columns, some rows without
// weight, some twice.
func manyColumns(t testing.TB, metric Metric, d int, single bool) *Problem {
	t.Helper()
	r := rand.New(rand.NewPCG(71, uint64(d)))
	x, y := normal(r, 61, d, 3), normal(r, 45, d, 0)
	copy(y.Coords[:d], x.Coords[:d])
	copy(y.Coords[d:2*d], y.Coords[44*d:])
	x.Weights, y.Weights = randomWeights(r, 61), randomWeights(r, 45)
	x.Weights[4], y.Weights[7] = 0, 0
	if single {
		for _, p := range []*Points{x, y} {
			for _, v := range p.Coords {
				p.Single = append(p.Single, float32(v))
			}
			p.Coords = nil
		}
	}
	return problem(t, x, y, metric)
}

// TestTable asserts that costs in a table are as good as a bound takes them to
// be, and that copies cost nothing and ties are ties.
func TestTable(t *testing.T) {
	for _, metric := range []Metric{SqEuclidean, Euclidean, Cosine} {
		for _, d := range []int{32, 33, 39, 40, 100} {
			for _, single := range []bool{false, true} {
				p := manyColumns(t, metric, d, single)
				q, err := p.withTable(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if q.table == nil {
					if fastTable() {
						t.Fatalf("%v, %d columns: no table", metric, d)
					}
					t.Skip("no kernel for this processor")
				}
				n := p.Cost.n
				for i := range p.Cost.m {
					for j := range n {
						want, got := p.Cost.At(i, j), q.table.costs[i*n+j]
						relative, absolute := p.Cost.costError(want)
						if math.Abs(got-want) > 2*relative*want+absolute {
							t.Fatalf("%v, %d columns: cost of %d and %d is %.17g, want %.17g", metric, d, i, j, got, want)
						}
					}
					if a, b := q.table.costs[i*n+1], q.table.costs[i*n+44]; a != b {
						t.Errorf("%v, %d columns: %.17g and %.17g for rows that are the same", metric, d, a, b)
					}
				}
				if c := q.table.costs[0]; c != 0 {
					t.Errorf("%v, %d columns: a copy costs %g", metric, d, c)
				}
			}
		}
	}
	for m := 2; m < 10; m++ { // fewer rows than the kernel takes at a time
		r := rand.New(rand.NewPCG(72, uint64(m)))
		p := problem(t, normal(r, 3, 50, 0), normal(r, m, 50, 0), SqEuclidean)
		q, err := p.withTable(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			for j := range m {
				if want, got := p.Cost.At(i, j), q.table.costs[i*m+j]; math.Abs(got-want) > 1e-13*want {
					t.Errorf("%d targets: cost of %d and %d is %.17g, want %.17g", m, i, j, got, want)
				}
			}
		}
	}
	c, err := NewCost(&Points{Dim: 32, Coords: make([]float64, 32*3000)}, &Points{Dim: 32, Coords: make([]float64, 32*3000)}, Euclidean)
	if err != nil || c.tabled() {
		t.Errorf("a table of many rows, %v", err)
	}
}

// TestTableSolves asserts that what comes of a table is certified for the costs
// of the points, and agrees with the same problem as a matrix.
func TestTableSolves(t *testing.T) {
	ctx := context.Background()
	for _, metric := range []Metric{SqEuclidean, Euclidean, Cosine} {
		for _, single := range []bool{false, true} {
			p := manyColumns(t, metric, 40, single)
			if metric == Euclidean {
				cut, err := p.Cost.Truncated(9)
				if err != nil {
					t.Fatal(err)
				}
				p = &Problem{Cost: cut, A: p.A, B: p.B}
			}
			q := tableOf(t, p).problem(t)
			q.A, q.B = p.A, p.B
			for _, rho := range [][2]float64{{0, 0}, {0.02, 0}, {0, 0.05}, {0.05, 0.02}} {
				t.Run(fmt.Sprint(metric, single, rho), func(t *testing.T) {
					got := certified(t, p, rho[0], rho[1])
					want, err := Robust(ctx, q, &RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}})
					if err != nil {
						t.Fatal(err)
					}
					if math.Abs(got.Value-want.Value) > 1e-11*want.Value {
						t.Errorf("%.17g from points, %.17g from a matrix", got.Value, want.Value)
					}
				})
			}
			c, err := Curve(ctx, p, []float64{0, 0.01, 0.05}, &CurveOptions{Tol: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			checkCurve(t, p, c, 1e-9, nil)
		}
	}
}
