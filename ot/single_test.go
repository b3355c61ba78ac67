package ot

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
)

// singles are normal points in single precision, some of them far away.
func singles(r *rand.Rand, n, d, far int, centre float32) *Points {
	p := &Points{Dim: d, Single: make([]float32, n*d)}
	for k := range p.Single {
		p.Single[k] = float32(r.NormFloat64()) + centre
		if k < far*d {
			p.Single[k] += 3
		}
	}
	return p
}

// TestSingle solves points in single precision, which stay so, and the same
// points in double precision: values, weights and bounds agree.
func TestSingle(t *testing.T) {
	ctx := context.Background()
	for level := range 3 {
		useKernel(t, level)
		for _, metric := range []Metric{SqEuclidean, Euclidean, Cityblock, Cosine} {
			for _, d := range []int{33, 300} {
				r := rand.New(rand.NewPCG(82, uint64(d)))
				x, y := singles(r, 220, d, 11, 20), singles(r, 200, d, 0, 20)
				for _, rho := range [][2]float64{{0, 0}, {0.01, 0}, {0.05, 0}, {0.03, 0.02}} {
					if rho[1] > 0 && (metric != SqEuclidean || level < 2) {
						continue // which takes longer and sweeps alike
					}
					var got [2]*Result
					for k, p := range [][2]*Points{{x, y}, {x.Double(), y.Double()}} {
						q, err := NewProblem(p[0], p[1], metric)
						if err != nil {
							t.Fatal(err)
						}
						if kept := q.Cost.x32 != nil; kept != (k == 0 && metric != Cosine) {
							t.Fatalf("%v: points stay in single precision: %v", metric, kept)
						}
						if got[k], err = Robust(ctx, q, &RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}}); err != nil {
							t.Fatalf("%v, d=%d, radii %v: %v", metric, d, rho, err)
						}
						checkDual(t, q, got[k])
					}
					if off := math.Abs(got[0].Value - got[1].Value); !(off <= 1e-12*got[1].Value) {
						t.Errorf("%v, d=%d, radii %v: value %v in single, %v in double precision", metric, d, rho, got[0].Value, got[1].Value)
					}
				}
			}
		}
	}
}

// TestSingleCurve asserts that a curve and a certificate of points in single
// precision are those of the same points in double precision.
func TestSingleCurve(t *testing.T) {
	ctx := context.Background()
	useKernel(t, 2)
	r := rand.New(rand.NewPCG(84, 84))
	x, y := singles(r, 150, 40, 8, 20), singles(r, 130, 40, 0, 20)
	var curves [2]*CurveResult
	var certificates [2]*Certificate
	for k, p := range [][2]*Points{{x, y}, {x.Double(), y.Double()}} {
		q, err := NewProblem(p[0], p[1], SqEuclidean)
		if err != nil {
			t.Fatal(err)
		}
		if curves[k], err = Curve(ctx, q, nil, nil); err != nil {
			t.Fatal(err)
		}
		plan := &Plan{}
		northWest(plan, evenly(q.Cost.m), evenly(q.Cost.n), 1)
		if certificates[k], err = Certify(ctx, q, plan, &CertifyOptions{Sweeps: 4}); err != nil {
			t.Fatal(err)
		}
	}
	for k, a := range curves[0].Points {
		if b := curves[1].Points[k]; math.Abs(a.Value-b.Value) > 1e-4*curves[1].Plain || math.Abs(a.Lower-b.Lower) > 1e-4*curves[1].Plain {
			t.Errorf("ρ = %g: [%g, %g] in single, [%g, %g] in double precision", a.Rho, a.Lower, a.Value, b.Lower, b.Value)
		}
	}
	if a, b := certificates[0], certificates[1]; math.Abs(a.Value-b.Value) > 1e-12*b.Value || math.Abs(a.Lower-b.Lower) > 1e-9*b.Value {
		t.Errorf("certified [%g, %g] in single, [%g, %g] in double precision", a.Lower, a.Value, b.Lower, b.Value)
	}
}

// evenly is equal weights that sum to one.
func evenly(n int) []float64 {
	w := make([]float64, n)
	fillWith(w, 1/float64(n))
	return w
}

// checkDual fails where some pair costs less than its potentials say.
func checkDual(t *testing.T, p *Problem, r *Result) {
	t.Helper()
	for i, f := range r.F {
		for j, g := range r.G {
			if c := p.Cost.At(i, j); f+g > c+1e-9*(1+math.Abs(c)) {
				t.Fatalf("pair %d, %d costs %v, less than %v", i, j, c, f+g)
			}
		}
	}
}

// TestSingleCost compares the costs of both precisions bit by bit.
func TestSingleCost(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 1))
	for _, metric := range []Metric{SqEuclidean, Euclidean, Cityblock, Cosine} {
		x, y := singles(r, 20, 37, 2, 5), singles(r, 30, 37, 0, 5)
		a, err := NewCost(x, y, metric)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewCost(x.Double(), y.Double(), metric)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			for j := range 30 {
				if a.At(i, j) != b.At(i, j) {
					t.Fatalf("%v: %v and %v", metric, a.At(i, j), b.At(i, j))
				}
			}
		}
	}
}

// TestRowDistances compares the kernels with Go.
func TestRowDistances(t *testing.T) {
	for level := range 3 {
		useKernel(t, level)
		r := rand.New(rand.NewPCG(84, uint64(level)))
		for _, d := range []int{32, 33, 47, 64, 100, 784} {
			x, y := singles(r, 50, d, 0, 0).Single, singles(r, 1, d, 0, 0).Single
			rows := make([]int32, 12)
			for k := range rows {
				rows[k] = r.Int32N(50)
			}
			for _, city := range []bool{false, true} {
				out := make([]float32, len(rows))
				from := r.IntN(d / 2)
				rowDistances(x, rows, y, out, from, d, city)
				for k, i := range rows {
					var want float64
					for c := from; c < d; c++ {
						diff := math.Abs(float64(x[int(i)*d+c]) - float64(y[c]))
						if !city {
							diff *= diff
						}
						want += diff
					}
					if off := math.Abs(float64(out[k]) - want); off > eps32*float64(d+4)*want {
						t.Fatalf("d=%d, city %v: %v, want %v", d, city, out[k], want)
					}
				}
			}
		}
	}
}
