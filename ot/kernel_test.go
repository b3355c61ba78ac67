package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// spread is an instance on points of very different sizes: clusters,
// near-duplicates of targets, coordinates over many decades.
func spread(t testing.TB, r *rand.Rand, m, n, d int, metric Metric, decades float64) *instance {
	t.Helper()
	x, y := normal(r, m, d, 0), normal(r, n, d, 0)
	offset := 0.0
	if r.IntN(3) == 0 {
		offset = math.Pow(10, decades*r.Float64())
	}
	for _, p := range []*Points{x, y} {
		for i := range p.Len() {
			size := math.Pow(10, decades*(r.Float64()-0.5))
			for k := range p.Row(i) {
				p.Row(i)[k] = p.Row(i)[k]*size + offset
			}
		}
	}
	for i := range m {
		if r.IntN(2) == 0 { // next to a target, at any distance
			near := math.Pow(10, -16*r.Float64())
			for k, v := range y.Row(r.IntN(n)) {
				x.Row(i)[k] = v * (1 + near*r.NormFloat64())
			}
		}
	}
	in, err := newInstance(problem(t, x, y, metric), false)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// somePrices are prices of a size from nothing to far above the costs.
func somePrices(r *rand.Rand, in *instance) []float64 {
	mean, _ := in.costScale()
	size := mean * []float64{0, 1e-9, 1e-3, 1, 1e3, 1e9}[r.IntN(6)]
	level := mean * []float64{0, 0, 1, 1e6}[r.IntN(4)]
	u := make([]float64, in.m)
	for i := range u {
		u[i] = level + size*r.NormFloat64()
	}
	return u
}

// useKernel chooses the kernel of the test's screens: 0 is the one in Go, 1 that
// of AVX2, others that of AVX-512, or the best below that the processor has. Sweeps
// then look at points, not at a table of costs.
func useKernel(t *testing.T, which int) {
	avx2, avx512, tables := useAVX2, useAVX512, useTables
	t.Cleanup(func() { useAVX2, useAVX512, useTables = avx2, avx512, tables })
	useAVX2, useAVX512, useTables = which > 0 && screenHasAVX2, which > 1 && screenHasAVX512, false
}

// TestScreenKeeps asserts that the float32 screen never loses a source: each
// passes the threshold made from its own cost + price.
func TestScreenKeeps(t *testing.T) {
	tight, all := 0, 0
	for trial := range 600 {
		r := rand.New(rand.NewPCG(21, uint64(trial)))
		metric := []Metric{SqEuclidean, Euclidean, Cityblock}[trial%3]
		d := 1 + r.IntN(20)
		if trial%10 == 0 {
			d = 64 + r.IntN(200)
		}
		useKernel(t, trial%4)
		in := spread(t, r, 1+r.IntN(100), 5, d, metric, []float64{0, 1, 4, 10, 14}[r.IntN(5)])
		s := in.screened()
		if s.wide {
			continue
		}
		u := somePrices(r, in)
		q := s.prices(u, nil)
		var y target32
		mask := make([]byte, s.blocks)
		for j := range in.n {
			s.target(in, &y, j)
			for i := range in.m {
				v := in.cost(i, j) + u[i]
				// But for the rounding of v itself, which a high level of prices
				// makes visible, and for squares below the range of float32.
				v += 0x1p-52*math.Abs(v) + 1e-20/s.costs
				s.masks(0, &y, q, mask, s.limit(v, &y, q))
				if mask[i/lanes]>>(i%lanes)&1 == 0 {
					t.Fatalf("trial %d: %v in %d dimensions: source %d of %d lost to target %d at cost %g, price %g",
						trial, metric, d, i, in.m, j, in.cost(i, j), u[i])
				}
				if s.screensTiles() && tileOf(s, q, &y, s.limit(v, &y, q))[i/64]>>(i%64)&1 == 0 {
					t.Fatalf("trial %d: %v in %d dimensions: source %d of %d lost to target %d of a tile at cost %g, price %g",
						trial, metric, d, i, in.m, j, in.cost(i, j), u[i])
				}
				for k := in.m; k < s.blocks*lanes; k++ {
					if mask[k/lanes]>>(k%lanes)&1 != 0 {
						t.Fatalf("trial %d: padding %d passes", trial, k)
					}
				}
				for k := range in.m {
					if in.cost(k, j)+u[k] > v {
						all++
						if mask[k/lanes]>>(k%lanes)&1 == 0 {
							tight++
						}
					}
				}
			}
		}
	}
	if tight < all/2 { // keeping everything would be no screen
		t.Errorf("the screen dropped %d of %d sources that it might", tight, all)
	}
}

// tileOf are the masks that the kernel for tiles has for one target.
func tileOf(s *screen, q *prices32, y *target32, thr float32) []uint64 {
	var w tileScreen
	w.begin(s, []target32{*y})
	w.limit(s, y, 0, thr)
	var masks []uint64
	for b0 := 0; b0 < s.blocks; b0 += 8 {
		w.scan(s, q, b0, 8, 1)
		masks = append(masks, w.masks[0][0])
	}
	return masks
}

// TestSweep compares the lists of a sweep with a sort of all sources, cold and
// warm, on all kernels.
func TestSweep(t *testing.T) {
	ctx := context.Background()
	for trial := range 120 {
		r := rand.New(rand.NewPCG(22, uint64(trial)))
		useKernel(t, trial%3)
		d := 1 + r.IntN(20)
		m, n := 1+r.IntN(300), 1+r.IntN(80)
		metric := []Metric{SqEuclidean, Euclidean, Cityblock, Cosine}[r.IntN(4)]
		var in *instance
		kind := []string{"normal", "grid", "spread", "wide", "matrix", "flipped"}[trial%6]
		switch kind {
		case "spread":
			in = spread(t, r, m, n, d, metric, 8)
		case "wide":
			in = spread(t, r, m, n, d, metric, 36)
		default:
			x, y := normal(r, m, d, m/10), normal(r, n, d, 0)
			if kind == "grid" {
				for _, p := range []*Points{x, y} {
					for k := range p.Coords {
						p.Coords[k] = math.Round(p.Coords[k]) + 0.25
					}
				}
			}
			p := problem(t, x, y, metric)
			if kind == "matrix" || kind == "flipped" {
				p = tableOf(t, p).problem(t)
			}
			var err error
			if in, err = newInstance(p, kind == "flipped"); err != nil {
				t.Fatal(err)
			}
		}
		l := newLists(in, listLength)
		for round := range 3 {
			u := somePrices(r, in)
			l.forget() // so that all pairs are looked at
			if err := in.sweep(ctx, l, u, 0, in.n); err != nil {
				t.Fatal(err)
			}
			checkLists(t, in, l, u, upTo(in.n), fmt.Sprintf("trial %d round %d: %s %v %d×%d in %d dimensions", trial, round, kind, metric, in.m, in.n, d))
		}
		some := positive(make([]float64, in.n))
		for j := range in.n {
			if r.IntN(3) == 0 {
				some = append(some, int32(j))
			}
		}
		u := somePrices(r, in)
		if err := in.sweepSome(ctx, l, u, some); err != nil {
			t.Fatal(err)
		}
		checkLists(t, in, l, u, some, fmt.Sprintf("trial %d: some of them", trial))
	}
}

func checkLists(t *testing.T, in *instance, l *lists, u []float64, targets []int32, name string) {
	t.Helper()
	for _, j := range targets {
		want := make([]float64, in.m)
		for i := range want {
			want[i] = in.cost(i, int(j)) + u[i]
		}
		slices.Sort(want)
		src, cost := l.arcs(int(j))
		seen := make(map[int32]bool)
		for k, i := range src {
			if seen[i] || cost[k] != in.cost(int(i), int(j)) || cost[k]+u[i] != want[k] {
				t.Fatalf("%s: place %d of target %d: source %d at cost %g, value %.17g, want %.17g (repeated: %v)",
					name, k, j, i, cost[k], cost[k]+u[i], want[k], seen[i])
			}
			seen[i] = true
		}
		if top := l.top[j]; l.k == in.m && !math.IsInf(top, 1) || l.k < in.m && top > want[l.k] {
			t.Fatalf("%s: target %d: top is %g", name, j, top)
		}
	}
}

// TestPortable asserts that the kernel in Go leads to the same answers as the
// one in assembly.
func TestPortable(t *testing.T) {
	if !useAVX2 {
		t.Skip("no assembly here")
	}
	r := rand.New(rand.NewPCG(23, 23))
	for _, metric := range []Metric{SqEuclidean, Euclidean, Cityblock, Cosine} {
		for _, d := range []int{1, 3, 9, 33} {
			p := problem(t, normal(r, 150, d, 8), normal(r, 170, d, 0), metric)
			for _, rho := range [][2]float64{{0, 0}, {0.02, 0}, {0.02, 0.01}} {
				useKernel(t, 1+d%2)
				want := certified(t, p, rho[0], rho[1])
				useKernel(t, 0)
				got := certified(t, p, rho[0], rho[1])
				if math.Abs(got.Value-want.Value) > 1e-11*want.Value {
					t.Errorf("%v in %d dimensions, ρ = %v: %.17g, with assembly %.17g", metric, d, rho, got.Value, want.Value)
				}
			}
		}
	}
}

// exactly is cost + price of the rounded points and prices in float64, and
// how far float32 sums may be off.
func exactly(s *screen, y *target32, q *prices32, m int) (value, slack []float64) {
	d := len(y.y)
	for i := range m {
		var c, norms, sizes float64
		for k, yk := range y.y {
			x := float64(s.x[s.at(i, k, d)])
			if t := x - float64(yk); s.mode == modeCity {
				c += math.Abs(t)
			} else {
				c += t * t
			}
			norms += x*x + float64(yk)*float64(yk)
			sizes += math.Abs(x) + math.Abs(float64(yk))
		}
		off := eps32 * float64(d+4) * c
		if s.dot {
			off += eps32 * float64(d+8) * 2 * norms
		}
		if s.mode == modeEuclid { // √(c±off) is within off/√c of √c, and within √off
			root := math.Sqrt(c)
			off = min(math.Sqrt(off), off/root)
			c = root
		}
		u := float64(q.u[i])
		if s.dot && s.mode == modeSquare { // the price is added to ‖x‖² first
			off += eps32 * float64(d+8) * math.Abs(u)
		}
		if s.maxima { // Σ max(x, y) starts from the price and Σx
			off += eps32 * float64(d+8) * 2 * (sizes + math.Abs(u))
		}
		value = append(value, c+u)
		slack = append(slack, off+4*eps32*(c+math.Abs(u)))
	}
	return value, slack
}
