package ot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Which kernels tests may switch on.
var screenHasAVX2, screenHasAVX512 = useAVX2, useAVX512

// TestMasks compares the assembly with Go, bit by bit. They may differ where
// cost + price is next to the threshold, since they round in different order.
func TestMasks(t *testing.T) {
	if !useAVX2 {
		t.Skip("no AVX2 here")
	}
	for trial := range 40 {
		d := 1 + trial/2
		useKernel(t, 1+trial%2)
		for mode, metric := range []Metric{SqEuclidean, Euclidean, Cityblock} {
			r := rand.New(rand.NewPCG(24, uint64(d)))
			in := spread(t, r, 200, 20, d, metric, 1)
			s := in.screened()
			if s.mode != mode {
				t.Fatalf("%v has mode %d", metric, s.mode)
			}
			q := s.prices(somePrices(r, in), nil)
			var y target32
			fast, slow := make([]byte, s.blocks), make([]byte, s.blocks)
			for j := range in.n {
				s.target(in, &y, j)
				value, slack := exactly(s, &y, q, in.m)
				for range 10 {
					thr := float32(value[r.IntN(in.m)])
					if r.IntN(5) == 0 {
						thr = float32(slices.Max(value)) * 2
					}
					for b0, step := 0, 4<<r.IntN(4); b0 < s.blocks; b0 += step { // in pieces, as a sweep does
						s.masks(b0, &y, q, fast[b0:min(b0+step, s.blocks)], thr)
					}
					s.masksGo(0, &y, q, slow, thr)
					for i := range s.blocks * lanes {
						a, b := fast[i/lanes]>>(i%lanes)&1, slow[i/lanes]>>(i%lanes)&1
						switch {
						case i >= in.m:
							if a|b != 0 {
								t.Fatalf("%v in %d dimensions: padding %d passes", metric, d, i)
							}
						case math.Abs(value[i]-float64(thr)) > slack[i]:
							if want := value[i] <= float64(thr); (a == 1) != want || (b == 1) != want {
								t.Fatalf("%v in %d dimensions: source %d at %g, threshold %g: assembly says %d, Go %d", metric, d, i, value[i], thr, a, b)
							}
						}
					}
				}
			}
		}
	}
}

// TestTileMasks compares the kernel for tiles with sums in float64, for any
// number of targets, chunks of any size, and thresholds next to the sums.
func TestTileMasks(t *testing.T) {
	if !useAVX512 {
		t.Skip("no AVX-512 here")
	}
	for trial := range 60 {
		r := rand.New(rand.NewPCG(25, uint64(trial)))
		d := 1 + trial/3
		if trial%20 == 19 {
			d = 60 + r.IntN(80)
		}
		metric := []Metric{SqEuclidean, Euclidean, Cityblock}[trial%3]
		in := spread(t, r, 1+r.IntN(1500), 1+r.IntN(tile), d, metric, 1)
		s := in.screened()
		q := s.prices(somePrices(r, in), nil)
		var w tileScreen
		y := make([]target32, in.n)
		var thr [tile]float32
		var value, slack [tile][]float64
		for j := range y {
			s.target(in, &y[j], j)
			value[j], slack[j] = exactly(s, &y[j], q, in.m)
		}
		w.begin(s, y)
		for j := range y {
			thr[j] = float32(value[j][r.IntN(in.m)])
			switch r.IntN(8) {
			case 0:
				thr[j] = float32(slices.Max(value[j])) * 2
			case 1:
				thr[j] = float32(math.Inf(1 - 2*r.IntN(2)))
			}
			w.limit(s, &y[j], j, thr[j])
		}
		passed, dropped := 0, 0
		for b0 := 0; b0 < s.blocks; {
			n := min(8*(1+r.IntN(mostChunk/8)), s.blocks-b0)
			w.scan(s, q, b0, n, in.n)
			for j := range y {
				for i := b0 * lanes; i < min(in.m, (b0+n)*lanes); i++ {
					k, bit := i/64-b0/8, i%64
					got := w.masks[k][j]>>bit&1 == 1
					if got && w.some[k]>>j&1 == 0 {
						t.Fatalf("trial %d: unit %d of target %d is not empty", trial, k, j)
					}
					want := value[j][i] <= float64(thr[j])
					off := slack[j][i]
					if metric == Euclidean { // squares are compared
						off += 4 * eps32 * (math.Abs(float64(thr[j])) + math.Abs(float64(q.u[i])))
					}
					if got {
						passed++
					} else {
						dropped++
					}
					if got != want && !(math.Abs(value[j][i]-float64(thr[j])) <= off) {
						t.Fatalf("trial %d: %v in %d dimensions: source %d, target %d: %g, threshold %g: passes %v", trial, metric, d, i, j, value[j][i], thr[j], got)
					}
				}
			}
			b0 += n
		}
		if in.m*in.n > 1000 && (passed == 0 || dropped == 0) {
			t.Errorf("trial %d: %d passed, %d did not", trial, passed, dropped)
		}
	}
}

// TestTilesOrTargets: sweeps find the same lists whether they screen the targets
// of a tile together or one after the other.
func TestTilesOrTargets(t *testing.T) {
	if !useTiles {
		t.Skip("no AVX-512 here")
	}
	defer func() { useTiles = true }()
	ctx := context.Background()
	for trial := range 60 {
		r := rand.New(rand.NewPCG(26, uint64(trial)))
		d := []int{1, 2, 3, 7, 8, 16, 33}[trial%7]
		in := spread(t, r, 50+r.IntN(700), 1+r.IntN(200), d, []Metric{SqEuclidean, Euclidean, Cityblock}[trial%3], 1)
		var lists [2]*lists
		u := [][]float64{somePrices(r, in), somePrices(r, in)}
		for k := range lists {
			useTiles = k == 1
			lists[k] = newLists(in, listLength)
			for _, u := range u { // cold, and again
				lists[k].forget()
				if err := in.sweep(ctx, lists[k], u, 0, in.n); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !slices.Equal(lists[0].src, lists[1].src) || !slices.Equal(lists[0].cost, lists[1].cost) || !slices.Equal(lists[0].top, lists[1].top) {
			t.Errorf("trial %d: the lists differ", trial)
		}
	}
}

// BenchmarkTiles is BenchmarkSweep with the targets of a tile one after the other
// and together, in turn; the best sweep of each counts.
func BenchmarkTiles(b *testing.B) {
	if !useTiles {
		b.Skip("no AVX-512 here")
	}
	defer func() { useTiles = true }()
	for _, metric := range []Metric{SqEuclidean, Euclidean, Cityblock} {
		for _, d := range []int{2, 7, 16, 64} {
			b.Run(fmt.Sprintf("%v/d=%d", metric, d), func(b *testing.B) {
				const n = 5000
				in, l, u := benchSweep(b, n, d, metric)
				best := [2]time.Duration{time.Hour, time.Hour}
				for b.Loop() {
					for k := range best {
						useTiles = k == 1
						l.forget()
						start := time.Now()
						if err := in.sweep(context.Background(), l, u, 0, n); err != nil {
							b.Fatal(err)
						}
						best[k] = min(best[k], time.Since(start))
					}
				}
				b.ReportMetric(float64(best[0])/(n*n), "ns/pair-apart")
				b.ReportMetric(float64(best[1])/(n*n), "ns/pair-together")
				b.ReportMetric(float64(best[0])/float64(best[1]), "ratio")
			})
		}
	}
}
