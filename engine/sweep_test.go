package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// gaussians are n normal points in d dimensions, the first of them far away.
func gaussians(r *rand.Rand, n, d, far int) *ot.Points {
	p := &ot.Points{Coords: make([]float64, n*d), Dim: d}
	for k := range p.Coords {
		p.Coords[k] = r.NormFloat64()
		if k < far*d {
			p.Coords[k] += 8
		}
	}
	return p
}

// single rounds points to single precision.
func single(p *ot.Points) {
	for _, v := range p.Coords {
		p.Single = append(p.Single, float32(v)+5)
	}
	p.Coords = nil
}

// TestSweeperMinima compares the minima of blocks with float64.
func TestSweeperMinima(t *testing.T) {
	for _, name := range []string{"go", "cpu"} {
		b, err := Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		s := NewSweeper(b, &SweeperOptions{Least: 1, Pairs: 50_000, piece: 2000}) // so that points go there in pieces
		defer s.Close()
		r := rand.New(rand.NewPCG(1, 2))
		for _, metric := range []ot.Metric{ot.SqEuclidean, ot.Euclidean, ot.Cityblock} {
			for _, products := range []bool{false, true} {
				if metric == ot.Cityblock && products {
					continue
				}
				const m, n, d, block = 1000, 300, 9, 128
				x, y, u := make([]float32, m*d), make([]float32, n*d), make([]float32, m)
				for _, v := range [][]float32{x, y, u} {
					for k := range v {
						v[k] = float32(r.NormFloat64())
					}
				}
				p := &ot.SweepPoints{Metric: metric, M: m, N: n, Dim: d, Block: block, Products: products,
					Sources: func(dst []float32, first int) { copy(dst, x[first*d:]) }, Targets: func(dst []float32, first int) { copy(dst, y[first*d:]) }}
				session, err := s.Load(p)
				if err != nil {
					t.Fatal(err)
				}
				for round := range 2 {
					u[round] = float32(math.Inf(1)) // takes one out
					if err := session.SetPrices(u); err != nil {
						t.Fatal(err)
					}
					for _, count := range []int{session.Batch(), 7} {
						targets := make([]int32, count)
						for k := range targets {
							targets[k] = int32(r.IntN(n))
						}
						got := make([]float32, count*p.Blocks())
						if err := session.Minima(got, targets); err != nil {
							t.Fatal(err)
						}
						for k, j := range targets {
							for q := range p.Blocks() {
								want := math.Inf(1)
								for i := q * block; i < min((q+1)*block, m); i++ {
									var c float64
									for e := range d {
										diff := float64(x[i*d+e]) - float64(y[int(j)*d+e])
										if metric == ot.Cityblock {
											c += math.Abs(diff)
										} else {
											c += diff * diff
										}
									}
									if metric == ot.Euclidean {
										c = math.Sqrt(c)
									}
									want = math.Min(want, c+float64(u[i]))
								}
								if off := math.Abs(float64(got[k*p.Blocks()+q]) - want); !(off < 2e-5) {
									t.Fatalf("%s, %v, products %v: block %d of target %d: %g, want %g", name, metric, products, q, j, got[k*p.Blocks()+q], want)
								}
							}
						}
					}
				}
				session.Close()
			}
		}
	}
}

// TestSweeperSolve solves on a backend what can be solved without.
func TestSweeperSolve(t *testing.T) {
	b, err := Open("cpu", &Options{FullFloat32: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s := NewSweeper(b, &SweeperOptions{Least: 1, Pairs: 1 << 18})
	defer s.Close()
	r := rand.New(rand.NewPCG(3, 4))
	for _, d := range []int{2, 16, 40} {
		for _, metric := range []ot.Metric{ot.SqEuclidean, ot.Euclidean, ot.Cosine, ot.Cityblock} {
			x, y := gaussians(r, 800, d, 40), gaussians(r, 700, d, 0)
			if d == 40 { // so many stay in single precision
				single(x)
				single(y)
			}
			p, err := ot.NewProblem(x, y, metric)
			if err != nil {
				t.Fatal(err)
			}
			for _, rho := range []float64{0, 0.05} {
				o := ot.RobustOptions{Source: chisq.Ball{Rho: rho}}
				want, err := ot.Robust(context.Background(), p, &o)
				if err != nil {
					t.Fatal(err)
				}
				o.Sweeper = s
				got, err := ot.Robust(context.Background(), p, &o)
				if err != nil {
					t.Fatal(err)
				}
				if got.SweeperFailed != nil || math.Abs(got.Value-want.Value) > 1e-10*want.Value || got.RelGap() > 1e-9 {
					t.Errorf("%v in %d dimensions, ρ = %g: %g with gap %g, want %g (%v)", metric, d, rho, got.Value, got.RelGap(), want.Value, got.SweeperFailed)
				}
			}
		}
	}
}

func TestPadded(t *testing.T) {
	for _, tt := range []struct{ n, unit, want int }{{1, 1, 1}, {17, 1, 18}, {1000, 1, 1024}, {1000, 128, 1024}, {1_000_000, 1024, 1 << 20}, {900, 2048, 2048}, {600_001, 128, 655_360}} {
		if got := padded(tt.n, tt.unit); got != tt.want || got%tt.unit != 0 {
			t.Errorf("padded(%d, %d) = %d, want %d", tt.n, tt.unit, got, tt.want)
		}
	}
	for n := 1; n < 5000; n++ {
		if got := padded(n, 1); got < n || got > n+n/8 {
			t.Fatalf("padded(%d) = %d", n, got)
		}
	}
}
