package ot

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"rot.example/rot/chisq"
)

// benchProblem is n standard normal points a side, a fraction gamma of the
// sources 20 away, squared Euclidean cost.
func benchProblem(b *testing.B, n, d int, gamma float64) *Problem {
	b.Helper()
	r := rand.New(rand.NewPCG(51, uint64(n*d)))
	x := normal(r, n, d, int(gamma*float64(n)))
	return problem(b, x, normal(r, n, d, 0), SqEuclidean)
}

// eachSize runs a benchmark over sizes, dimensions and outliers; -short leaves
// out the largest.
func eachSize(b *testing.B, run func(b *testing.B, p *Problem)) {
	for _, n := range []int{1000, 2000, 5000} {
		if n > 2000 && testing.Short() {
			continue
		}
		for _, d := range []int{2, 16, 64} {
			for _, gamma := range []float64{0, 0.05} {
				b.Run(fmt.Sprintf("n=%d/d=%d/gamma=%g", n, d, gamma), func(b *testing.B) { run(b, benchProblem(b, n, d, gamma)) })
			}
		}
	}
}

func BenchmarkExact(b *testing.B) {
	eachSize(b, func(b *testing.B, p *Problem) { benchRobust(b, p, 0, 0) })
}

func BenchmarkRobust(b *testing.B) {
	eachSize(b, func(b *testing.B, p *Problem) {
		for _, rho := range []float64{0.005, 0.02, 0.05} {
			b.Run(fmt.Sprintf("rho=%g", rho), func(b *testing.B) { benchRobust(b, p, rho, 0) })
			b.Run(fmt.Sprintf("rho=%g,%g", rho, rho), func(b *testing.B) { benchRobust(b, p, rho, rho) })
		}
	})
}

func benchRobust(b *testing.B, p *Problem, rho1, rho2 float64) {
	o := &RobustOptions{Source: chisq.Ball{Rho: rho1}, Target: chisq.Ball{Rho: rho2}}
	var r *Result
	for b.Loop() {
		var err error
		if r, err = Robust(context.Background(), p, o); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1e15*max(0, r.RelGap()), "gap/1e-15")
	b.ReportMetric(float64(r.Iters), "pivots")
}

// BenchmarkSweep is the O(mn) part: the best sources of every target under
// given prices, lists filled before.
func BenchmarkSweep(b *testing.B) {
	for _, metric := range []Metric{SqEuclidean, Euclidean, Cityblock} {
		for _, d := range []int{2, 7, 16, 64} {
			b.Run(fmt.Sprintf("%v/d=%d", metric, d), func(b *testing.B) {
				const n = 5000
				in, l, u := benchSweep(b, n, d, metric)
				for b.Loop() {
					l.forget() // so that all pairs are looked at
					if err := in.sweep(context.Background(), l, u, 0, n); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*n), "ns/pair")
			})
		}
	}
}

// benchSweep is an instance of n normal points a side, empty lists, and prices.
func benchSweep(b *testing.B, n, d int, metric Metric) (*instance, *lists, []float64) {
	b.Helper()
	r := rand.New(rand.NewPCG(52, 52))
	in, err := newInstance(problem(b, normal(r, n, d, 0), normal(r, n, d, 0), metric), false)
	if err != nil {
		b.Fatal(err)
	}
	mean, _ := in.costScale()
	u := make([]float64, n)
	for i := range u {
		u[i] = 0.05 * mean * r.NormFloat64()
	}
	return in, newLists(in, listLength), u
}

func BenchmarkCurve(b *testing.B) {
	for _, d := range []int{2, 16} {
		for _, tol := range []float64{1e-4, 1e-9} {
			b.Run(fmt.Sprintf("d=%d/tol=%g", d, tol), func(b *testing.B) {
				p := benchProblem(b, 1000, d, 0.05)
				solved := 0
				for b.Loop() {
					c, err := Curve(context.Background(), p, nil, &CurveOptions{Tol: tol})
					if err != nil {
						b.Fatal(err)
					}
					solved = 0
					for _, q := range c.Points {
						if q.Solved {
							solved++
						}
					}
				}
				b.ReportMetric(float64(solved), "solves")
			})
		}
	}
}

// BenchmarkCurveOverSingle reports what a curve of the default radii costs in
// units of the slowest of its radii solved alone.
func BenchmarkCurveOverSingle(b *testing.B) {
	ctx := context.Background()
	for _, d := range []int{2, 16, 64} {
		for _, gamma := range []float64{0, 0.05} {
			b.Run(fmt.Sprintf("d=%d/γ=%g", d, gamma), func(b *testing.B) {
				p := benchProblem(b, 2000, d, gamma)
				var slowest time.Duration
				for _, rho := range DefaultRhos() {
					start := time.Now()
					if _, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: rho}}); err != nil {
						b.Fatal(err)
					}
					slowest = max(slowest, time.Since(start))
				}
				for b.Loop() {
					if _, err := Curve(ctx, p, nil, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(slowest), "singles")
			})
		}
	}
}
