package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLazySweep asserts that sweeps after small moves of prices, and large ones
// of some sources, leave lists that hold all sources below their tops, the best
// first; and that they do not look at all pairs for it.
func TestLazySweep(t *testing.T) {
	ctx := context.Background()
	lazy, all := 0, 0
	for trial := range 120 {
		r := rand.New(rand.NewPCG(61, uint64(trial)))
		metric := []Metric{SqEuclidean, Euclidean, Cityblock}[trial%3]
		d := 1 + r.IntN(20)
		in := spread(t, r, 20+r.IntN(600), 100+r.IntN(300), d, metric, []float64{0, 1, 4, 20}[r.IntN(4)])
		kind := []string{"points", "points", "matrix", "truncated", "device"}[r.IntN(5)]
		switch kind {
		case "matrix":
			var err error
			if in, err = newInstance(tableOf(t, problem(t, normal(r, 150, d, 0), normal(r, 160, d, 0), metric)).problem(t), r.IntN(2) == 0); err != nil {
				t.Fatal(err)
			}
		case "truncated":
			in.most, _ = in.costScale()
		case "device":
			in.device = &device{sweeper: &fakeSweeper{batch: 1 + r.IntN(64), rounding: SweepRounding{Sum: 0x1p-23}}}
		}
		mean, _ := in.costScale()
		u := somePrices(r, in)
		l := newLists(in, listLength)
		for round := range 8 {
			lo, hi := 0, in.n
			if round > 2 && r.IntN(2) == 0 { // a block
				lo = r.IntN(in.n)
				hi = lo + r.IntN(in.n-lo) + 1
			}
			if err := in.sweep(ctx, l, u, lo, hi); err != nil {
				t.Fatal(err)
			}
			for j := lo; j < hi; j++ {
				checkTrusted(t, in, l, u, j, fmt.Sprintf("trial %d round %d: %s %v %d×%d in %d dimensions", trial, round, kind, metric, in.m, in.n, d))
				if last := (j+1)*l.k - 1; l.k < in.m && l.top[j] < l.cost[last]+u[l.src[last]] {
					lazy++
				}
				all++
			}
			step := mean * []float64{0, 1e-6, 1e-4, 1e-3}[r.IntN(4)]
			shift := step * 100 * r.NormFloat64()
			for i := range u {
				u[i] += shift + step*r.NormFloat64()
				if r.IntN(50) == 0 {
					u[i] += mean * r.NormFloat64() / 10
				}
			}
		}
	}
	if lazy*5 < all {
		t.Errorf("only %d of %d lists were refreshed without a look at all sources", lazy, all)
	}
}

// checkTrusted asserts that the list of target j is sorted and has the sources
// below its top, of which there is at least one.
func checkTrusted(t *testing.T, in *instance, l *lists, u []float64, j int, name string) {
	t.Helper()
	want := make([]float64, in.m)
	for i := range want {
		want[i] = in.cost(i, j) + u[i]
	}
	slices.Sort(want)
	src, cost := l.arcs(j)
	last := math.Inf(-1)
	for k, i := range src {
		v := cost[k] + u[i]
		if cost[k] != in.cost(int(i), j) || v < last || slices.Contains(src[:k], i) {
			t.Fatalf("%s: place %d of target %d: source %d at cost %g, value %.17g after %.17g", name, k, j, i, cost[k], v, last)
		}
		if last = v; (k == 0 || want[k] < l.top[j]) && v != want[k] {
			t.Fatalf("%s: place %d of target %d: source %d, value %.17g, want %.17g, top %.17g", name, k, j, i, v, want[k], l.top[j])
		}
	}
	if l.k < in.m && want[l.k] < l.top[j] {
		t.Fatalf("%s: target %d: the list does not hold all below its top", name, j)
	}
}
