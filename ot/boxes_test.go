package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// crowded is an instance in few dimensions with enough points to be put in
// order: normal ones, some far away, some on a grid with many copies, or of
// very different sizes.
func crowded(t testing.TB, r *rand.Rand, m, n, d int, metric Metric) (in *instance, kind string) {
	t.Helper()
	kind = []string{"normal", "far", "grid", "spread"}[r.IntN(4)]
	if kind == "spread" {
		return spread(t, r, m, n, d, metric, []float64{0, 1, 4, 10}[r.IntN(4)]), kind
	}
	far := 0
	if kind == "far" {
		far = m / 10
	}
	x, y := normal(r, m, d, far), normal(r, n, d, 0)
	if kind == "grid" {
		for _, p := range []*Points{x, y} {
			for k := range p.Coords {
				p.Coords[k] = math.Round(3 * p.Coords[k])
			}
		}
	}
	in, err := newInstance(problem(t, x, y, metric), r.IntN(2) == 0)
	if err != nil {
		t.Fatal(err)
	}
	return in, kind
}

// TestSweepInFewDimensions compares lists with a sort of all sources where
// units out of reach are skipped: cold and warm, for tiles of neighbours and of
// any targets, on all kernels.
func TestSweepInFewDimensions(t *testing.T) {
	ctx := context.Background()
	for trial := range 90 {
		r := rand.New(rand.NewPCG(27, uint64(trial)))
		useKernel(t, trial%3)
		metric := []Metric{SqEuclidean, Euclidean, Cityblock}[r.IntN(3)]
		d := 1 + r.IntN(3)
		in, kind := crowded(t, r, 1+r.IntN(1500), 1+r.IntN(300), d, metric)
		name := fmt.Sprintf("trial %d: %s %v %d×%d in %d dimensions", trial, kind, metric, in.m, in.n, d)
		l := newLists(in, []int{1, listLength}[r.IntN(2)])
		for round := range 3 {
			u := somePrices(r, in)
			l.forget() // so that all pairs count
			if err := in.sweep(ctx, l, u, 0, in.n); err != nil {
				t.Fatal(err)
			}
			checkLists(t, in, l, u, upTo(in.n), fmt.Sprintf("%s, round %d", name, round))
		}
		some := upTo(in.n)
		r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		some = some[:1+r.IntN(in.n)]
		u := somePrices(r, in)
		if err := in.sweepSome(ctx, l, u, some); err != nil {
			t.Fatal(err)
		}
		checkLists(t, in, l, u, some, name+", some of them")
	}
}

// TestReach asserts that no source has a cost and price below what its unit is
// said to have, and that most units of normal points are out of reach.
func TestReach(t *testing.T) {
	skipped, all := 0, 0
	for trial := range 120 {
		r := rand.New(rand.NewPCG(28, uint64(trial)))
		useKernel(t, trial%3)
		metric := []Metric{SqEuclidean, Euclidean, Cityblock}[r.IntN(3)]
		in, kind := crowded(t, r, 300+r.IntN(3000), 64+r.IntN(500), 1+r.IntN(3), metric)
		s := in.screened()
		if s.wide {
			continue
		}
		u := somePrices(r, in)
		if kind == "normal" {
			u = make([]float64, in.m)
		}
		q := s.prices(u, nil)
		first := r.IntN(in.n - tile)
		y := make([]target32, tile)
		for k := range y {
			s.target(in, &y[k], first+k)
		}
		var w tileReach
		w.begin(s, q, y)
		top := math.Inf(-1) // the largest of the targets' least sums
		for k := range y {
			value, _ := exactly(s, &y[k], q, in.m)
			for i, v := range value {
				if near := float64(w.near[i/(unitBlocks*lanes)]); v < near {
					t.Fatalf("trial %d: %s %v: source %d has %g, its unit %g", trial, kind, metric, i, v, near)
				}
			}
			top = math.Max(top, slices.Min(value))
		}
		if kind == "normal" {
			for k := range w.near {
				all++
				if !w.reaches(k, float32(top)) {
					skipped++
				}
			}
		}
	}
	if 2*skipped < all {
		t.Errorf("%d of %d units are out of reach", skipped, all)
	}
}

// TestNearOrder asserts that the order has every point once, that selectNth
// does what a sort does, and that units are small.
func TestNearOrder(t *testing.T) {
	for trial := range 40 {
		r := rand.New(rand.NewPCG(29, uint64(trial)))
		d, n := 1+r.IntN(3), 1+r.IntN(3000)
		pts := make([]float64, n*d)
		for k := range pts {
			pts[k] = r.NormFloat64()
			if trial%2 == 0 {
				pts[k] = math.Round(pts[k]) // many are equal
			}
		}
		order := nearOrder(pts, d)
		if got := slices.Sorted(slices.Values(order)); !slices.Equal(got, upTo(n)) {
			t.Fatalf("trial %d: not an order of %d points", trial, n)
		}
		axis, k := r.IntN(d), r.IntN(n+1)
		idx := upTo(n)
		if trial%3 == 0 {
			r.Shuffle(n, func(i, j int) { idx[i], idx[j] = idx[j], idx[i] })
		}
		want := slices.Clone(idx)
		slices.SortFunc(want, func(i, j int32) int {
			switch x, y := pts[int(i)*d+axis], pts[int(j)*d+axis]; {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return int(i - j)
		})
		selectNth(idx, k, pts, d, axis)
		slices.Sort(idx[:k])
		slices.Sort(want[:k])
		if !slices.Equal(idx[:k], want[:k]) {
			t.Fatalf("trial %d: not the first %d of %d points", trial, k, n)
		}
	}
	r := rand.New(rand.NewPCG(30, 30))
	const n = 64 * orderLeaf
	pts := make([]float64, 2*n)
	for k := range pts {
		pts[k] = r.Float64()
	}
	order := nearOrder(pts, 2)
	var area float64
	for k := 0; k < n; k += orderLeaf {
		size := 1.0
		for c := range 2 {
			lo, hi := 1.0, 0.0
			for _, i := range order[k : k+orderLeaf] {
				lo, hi = min(lo, pts[2*i+int32(c)]), max(hi, pts[2*i+int32(c)])
			}
			size *= hi - lo
		}
		area += size
	}
	if area > 1 { // that of the square
		t.Errorf("the units of the unit square have an area of %g", area)
	}
}

// TestPlansByRows asserts that plans of points that were put in another order
// come in the order of rows and columns, whichever side moves.
func TestPlansByRows(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 31))
	p := problem(t, normal(r, 300, 2, 15), normal(r, 280, 2, 0), SqEuclidean)
	for _, rho := range [][2]float64{{0, 0}, {0.02, 0}, {0, 0.02}, {0.02, 0.01}} {
		plan := certified(t, p, rho[0], rho[1]).Plan
		for k := 1; k < plan.Len(); k++ {
			if i, j := plan.I[k-1], plan.J[k-1]; i > plan.I[k] || i == plan.I[k] && j >= plan.J[k] {
				t.Fatalf("ρ = %v: (%d, %d) comes before (%d, %d)", rho, i, j, plan.I[k], plan.J[k])
			}
		}
	}
}
