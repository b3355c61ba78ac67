package ot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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

// exactly is cost + price of the rounded points and prices in float64, and
// how far float32 sums may be off.
func exactly(s *screen, y *target32, q *prices32, m int) (value, slack []float64) {
	d := len(y.y)
	for i := range m {
		var c, norms float64
		for k, yk := range y.y {
			x := float64(s.x[s.at(i, k, d)])
			if t := x - float64(yk); s.mode == modeCity {
				c += math.Abs(t)
			} else {
				c += t * t
			}
			norms += x*x + float64(yk)*float64(yk)
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
		value = append(value, c+u)
		slack = append(slack, off+4*eps32*(c+math.Abs(u)))
	}
	return value, slack
}
