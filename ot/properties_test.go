package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/chisq"
)

// certified is Robust, its result verified.
func certified(t testing.TB, p *Problem, rho1, rho2 float64) *Result {
	t.Helper()
	r, err := Robust(context.Background(), p, &RobustOptions{Source: chisq.Ball{Rho: rho1}, Target: chisq.Ball{Rho: rho2}})
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, r, rho1, rho2, 1e-9)
	return r
}

// A table is a problem spelled out: costs row by row and normalized weights.
type table struct{ c, a, b []float64 }

func tableOf(t testing.TB, p *Problem) table {
	t.Helper()
	a, b, err := p.weights()
	if err != nil {
		t.Fatal(err)
	}
	c := make([]float64, len(a)*len(b))
	for k := range c {
		c[k] = p.Cost.At(k/len(b), k%len(b))
	}
	return table{c, a, b}
}

func (x table) problem(t testing.TB) *Problem {
	t.Helper()
	c, err := NewMatrixCost(len(x.a), len(x.b), x.c)
	if err != nil {
		t.Fatal(err)
	}
	return &Problem{Cost: c, A: x.a, B: x.b}
}

// pick is the table with the rows and columns named, in that order.
func (x table) pick(rows, cols []int) table {
	var y table
	for _, i := range rows {
		y.a = append(y.a, x.a[i])
		for _, j := range cols {
			y.c = append(y.c, x.c[i*len(x.b)+j])
		}
	}
	for _, j := range cols {
		y.b = append(y.b, x.b[j])
	}
	return y
}

// each replaces every cost.
func (x table) each(f func(c float64) float64) table {
	y := table{make([]float64, len(x.c)), x.a, x.b}
	for k, c := range x.c {
		y.c[k] = f(c)
	}
	return y
}

func (x table) transposed() table {
	y := table{make([]float64, len(x.c)), x.b, x.a}
	for k, c := range x.c {
		y.c[k%len(x.b)*len(x.a)+k/len(x.b)] = c
	}
	return y
}

// scale is the mean size of the costs.
func (x table) scale() float64 {
	var s float64
	for k, c := range x.c {
		s += x.a[k/len(x.b)] * x.b[k%len(x.b)] * math.Abs(c)
	}
	return s
}

// agree asserts that two certified intervals for k·V overlap, but for
// rounding.
func agree(t testing.TB, what string, got, want *Result, k, scale float64) {
	t.Helper()
	eps := 1e-12 * scale
	if got.Lower > k*want.Value+eps || got.Value < k*want.Lower-eps {
		t.Errorf("%s: [%.17g, %.17g], want [%.17g, %.17g]", what, got.Lower, got.Value, k*want.Lower, k*want.Value)
	}
}

// indices are 0, 1, …, n−1.
func indices(n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	return idx
}

// eachRandom runs a property on random instances whose costs are not so wide
// that rounding is all there is.
func eachRandom(t *testing.T, count int, property func(t *testing.T, r *rand.Rand, p *Problem, rho1, rho2 float64)) {
	t.Helper()
	for seed := uint64(0); count > 0; seed++ {
		p, rho1, rho2, name := randomInstance(seed+7000, []int{1, 2, 3, 7, 15, 30})
		if strings.Contains(name, "wide") {
			continue
		}
		count--
		t.Run(name, func(t *testing.T) { property(t, rand.New(rand.NewPCG(seed, 1)), p, rho1, rho2) })
	}
}

// TestInvariance asserts how V answers to a change of the problem that does
// not change its nature (docs/math.md §3.4).
func TestInvariance(t *testing.T) {
	eachRandom(t, 300, func(t *testing.T, r *rand.Rand, p *Problem, rho1, rho2 float64) {
		x := tableOf(t, p)
		m, n := len(x.a), len(x.b)
		want := certified(t, p, rho1, rho2)
		scale := x.scale()
		if low := slices.Min(x.c); want.Value < low-1e-12*scale {
			t.Errorf("value %g below the least cost %g", want.Value, low)
		}
		agree(t, "matrix", certified(t, x.problem(t), rho1, rho2), want, 1, scale)
		agree(t, "transposed", certified(t, x.transposed().problem(t), rho2, rho1), want, 1, scale)

		for _, k := range []float64{1.0 / 3, 1 << 20, 3e-7} {
			by := x.each(func(c float64) float64 { return k * c })
			agree(t, fmt.Sprint("times ", k), certified(t, by.problem(t), rho1, rho2), want, k, k*scale)
		}
		offset := scale * (10*r.Float64() - 5)
		up := certified(t, x.each(func(c float64) float64 { return c + offset }).problem(t), rho1, rho2)
		if got := up.Value - offset; math.Abs(got-want.Value) > 1e-9*(math.Abs(want.Value)+math.Abs(up.Value))+1e-12*scale {
			t.Errorf("costs raised by %g: V rises by %g", offset, up.Value-want.Value)
		}
		agree(t, "permuted", certified(t, x.pick(r.Perm(m), r.Perm(n)).problem(t), rho1, rho2), want, 1, scale)

		// A row in two copies that share its weight is the row itself.
		i, j, share := r.IntN(m), r.IntN(n), r.Float64()
		y := x.pick(append(indices(m), i), append(indices(n), j))
		y.a[i], y.a[m] = share*x.a[i], (1-share)*x.a[i]
		y.b[j], y.b[n] = x.b[j]/4, x.b[j]*3/4
		y = y.pick(r.Perm(m+1), r.Perm(n+1))
		agree(t, "split", certified(t, y.problem(t), rho1, rho2), want, 1, scale)

		// Rows and columns without weight take no part, whatever they cost.
		y = x.pick(append(r.Perm(m), 0, 0), append(r.Perm(n), 0))
		y.a[m], y.a[m+1], y.b[n] = 0, 0, 0
		for k := range y.c {
			if i, j := k/(n+1), k%(n+1); i >= m || j >= n {
				y.c[k] = scale * (r.Float64() - 2)
			}
		}
		got := certified(t, y.problem(t), rho1, rho2)
		agree(t, "padded", got, want, 1, scale)
		if w := got.SourceWeights(); w[m] != 0 || w[m+1] != 0 || got.TargetWeights()[n] != 0 {
			t.Errorf("padding has weights %g, %g", w[m:], got.TargetWeights()[n])
		}
		for k, c := range y.c { // its potentials fit in with the others
			if i, j := k/(n+1), k%(n+1); c-got.F[i]-got.G[j] < -1e-12*(scale+math.Abs(got.F[i])+math.Abs(got.G[j])) {
				t.Fatalf("F[%d] + G[%d] = %g, cost %g", i, j, got.F[i]+got.G[j], c)
			}
		}
	})
}

// TestPointScaling asserts V(βx) = β·V or β²·V.
func TestPointScaling(t *testing.T) {
	checkScaling(t, 3, 1e-20, 1e20, 1e-50, 1e70)
}

// TestExtremeScaling is the same where squares of costs leave the range of
// float64, although the costs themselves do not.
func TestExtremeScaling(t *testing.T) {
	checkScaling(t, 1e-60, 1e-80, 1e80, 1e-140, 1e140)
}

func checkScaling(t *testing.T, factors ...float64) {
	r := rand.New(rand.NewPCG(4, 4))
	x, y := normal(r, 60, 3, 3), normal(r, 50, 3, 0)
	for _, metric := range []Metric{Euclidean, SqEuclidean, Cityblock, Cosine} {
		for _, rho := range [][2]float64{{0, 0}, {0.02, 0}, {0.05, 0.05}} {
			want := certified(t, problem(t, x, y, metric), rho[0], rho[1])
			for _, by := range factors {
				t.Run(fmt.Sprint(metric, rho, by), func(t *testing.T) {
					k := map[Metric]float64{Euclidean: by, SqEuclidean: by * by, Cityblock: by, Cosine: 1}[metric]
					p := problem(t, &Points{Dim: 3, Coords: scaled(x.Coords, by)}, &Points{Dim: 3, Coords: scaled(y.Coords, by)}, metric)
					got := certified(t, p, rho[0], rho[1])
					agree(t, "scaled", got, want, k, k*want.Value)
				})
			}
		}
	}
}

// TestIdentity asserts W(P,P) = 0 and W ≥ 0.
func TestIdentity(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, kind := range []string{"distinct", "duplicates", "weighted", "one point"} {
		x := normal(r, 50, 2, 2)
		switch kind {
		case "duplicates":
			for i := range 50 {
				copy(x.Row(i), x.Row(i%11))
			}
		case "weighted":
			x.Weights = randomWeights(r, 50)
		case "one point":
			x.Coords = x.Coords[:2]
		}
		for _, metric := range []Metric{Euclidean, SqEuclidean, Cityblock, Cosine} {
			for _, rho := range [][2]float64{{0, 0}, {1e-6, 0}, {0, 0.03}, {0.1, 0}, {0.02, 0.02}, {1e-3, 2}, {50, 50}} {
				t.Run(fmt.Sprint(kind, metric, rho), func(t *testing.T) {
					p := problem(t, x, x, metric)
					got := certified(t, p, rho[0], rho[1])
					if !(got.Value >= 0) || got.Value > 1e-14*tableOf(t, p).scale() {
						t.Errorf("W(P,P) = %g", got.Value)
					}
				})
			}
		}
	}
	// The converse fails: W = 0 for different distributions (docs/math.md §3.4).
	q, one := &Points{Dim: 1, Coords: []float64{0, 1}}, &Points{Dim: 1, Coords: []float64{0}}
	if got := certified(t, problem(t, q, one, Euclidean), 0.5, 0); got.Value != 0 {
		t.Errorf("W(Q,P) = %g", got.Value)
	}
}

// TestSymmetry asserts W_ρ,ρ(P,Q) = W_ρ,ρ(Q,P), and that one-sided W is not
// symmetric.
func TestSymmetry(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	x, y := normal(r, 70, 2, 4), normal(r, 90, 2, 0)
	x.Weights = randomWeights(r, 70)
	for _, metric := range []Metric{Euclidean, SqEuclidean, Cityblock, Cosine} {
		p, q := problem(t, x, y, metric), problem(t, y, x, metric)
		for _, rho := range []float64{0, 1e-3, 0.03, 0.2} {
			want := certified(t, p, rho, rho)
			agree(t, fmt.Sprint(metric, rho), certified(t, q, rho, rho), want, 1, want.Value)
		}
	}
	there := certified(t, problem(t, x, y, Euclidean), 0.05, 0)
	back := certified(t, problem(t, y, x, Euclidean), 0.05, 0)
	if math.Abs(there.Value-back.Value) < 0.1*there.Value {
		t.Errorf("one-sided values %g and %g: outliers on one side should tell", there.Value, back.Value)
	}
}

// TestNoTriangle is the counterexample of docs/math.md §3.4.
func TestNoTriangle(t *testing.T) {
	p := &Points{Dim: 1, Coords: []float64{0}}
	q := &Points{Dim: 1, Coords: []float64{0, 1}}
	r := &Points{Dim: 1, Coords: []float64{1}}
	for _, tt := range []struct{ rho1, rho2, pq, qr float64 }{
		{0.02, 0.02, 0.4, 0.4},
		{0.5, 0.5, 0, 0},
		{0.02, 0, 0.5, 0.4},
		{0.5, 0, 0.5, 0},
	} {
		pq := certified(t, problem(t, p, q, Euclidean), tt.rho1, tt.rho2).Value
		qr := certified(t, problem(t, q, r, Euclidean), tt.rho1, tt.rho2).Value
		pr := certified(t, problem(t, p, r, Euclidean), tt.rho1, tt.rho2).Value
		if math.Abs(pq-tt.pq) > 1e-12 || math.Abs(qr-tt.qr) > 1e-12 || pr != 1 {
			t.Errorf("ρ = %g, %g: W(P,Q) = %g, W(Q,R) = %g, W(P,R) = %g, want %g, %g, 1", tt.rho1, tt.rho2, pq, qr, pr, tt.pq, tt.qr)
		}
	}
}

// TestNilOptions asserts that nil is the zero value: plain transport.
func TestNilOptions(t *testing.T) {
	p := cloud(t, 40, Euclidean)
	exact, err := Exact(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, exact, 0, 0, 1e-9)
	robust, err := Robust(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if robust.Value != exact.Value || robust.Lower != exact.Lower {
		t.Errorf("Robust [%v, %v], Exact [%v, %v]", robust.Lower, robust.Value, exact.Lower, exact.Value)
	}
}
