package ot

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// checkResult asserts what every Result promises: a plan without negative or
// repeated entries, A and B its marginals, Transport its cost, potentials with
// F_i + G_j ≤ C_ij, bounds in order.
func checkResult(t *testing.T, p *Problem, r *Result) {
	t.Helper()
	m, n := p.Cost.Dims()
	scale := 1e-300
	for i := range m {
		for j := range n {
			scale = math.Max(scale, math.Abs(p.Cost.At(i, j)))
		}
	}
	if len(r.A) != m || len(r.B) != n || len(r.F) != m || len(r.G) != n || len(r.BaseA) != m || len(r.BaseB) != n {
		t.Fatalf("lengths A %d, B %d, F %d, G %d, BaseA %d, BaseB %d for %d×%d", len(r.A), len(r.B), len(r.F), len(r.G), len(r.BaseA), len(r.BaseB), m, n)
	}
	if r.Plan != nil {
		a, b := make([]float64, m), make([]float64, n)
		seen := make(map[[2]int32]bool)
		var transport, mass float64
		for k, v := range r.Plan.Mass {
			i, j := r.Plan.I[k], r.Plan.J[k]
			if !(v > 0) || seen[[2]int32{i, j}] {
				t.Fatalf("plan entry %d: (%d, %d) carries %v, repeated %v", k, i, j, v, seen[[2]int32{i, j}])
			}
			seen[[2]int32{i, j}] = true
			a[i] += v
			b[j] += v
			mass += v
			transport += v * p.Cost.At(int(i), int(j))
		}
		near(t, "A", r.A, a, 1e-12*math.Max(1, mass))
		near(t, "B", r.B, b, 1e-12*math.Max(1, mass))
		if math.Abs(transport-r.Transport) > 1e-11*scale*math.Max(1, mass) {
			t.Errorf("Transport = %v, plan costs %v", r.Transport, transport)
		}
	}
	for i := range m {
		for j := range n {
			size := math.Max(scale, math.Abs(r.F[i])+math.Abs(r.G[j]))
			if slack := p.Cost.At(i, j) - r.F[i] - r.G[j]; !(slack >= -1e-12*size) {
				t.Fatalf("F[%d] + G[%d] exceeds the cost %v by %v", i, j, p.Cost.At(i, j), -slack)
			}
		}
	}
	if !(r.Lower <= r.Value) {
		t.Errorf("Lower = %v > Value = %v", r.Lower, r.Value)
	}
}

// checkPlain asserts the marginals of plain transport, and that the potentials
// prove Lower.
func checkPlain(t *testing.T, p *Problem, r *Result) {
	t.Helper()
	checkResult(t, p, r)
	near(t, "A", r.A, r.BaseA, 1e-12)
	near(t, "B", r.B, r.BaseB, 1e-12)
	if d := mean(r.BaseA, r.F) + mean(r.BaseB, r.G); r.Lower > d+1e-12*math.Abs(d) {
		t.Errorf("Lower = %v, the potentials prove %v", r.Lower, d)
	}
}

func near(t *testing.T, name string, got, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Fatalf("%s[%d] = %v, want %v", name, i, got[i], want[i])
		}
	}
}

// smallProblem draws an instance of the kinds that break solvers: ties,
// duplicates, outliers, points without weight, negative costs, single points.
func smallProblem(t *testing.T, rng *rand.Rand, most int) *Problem {
	t.Helper()
	m, n, d := 1+rng.IntN(most), 1+rng.IntN(most), 1+rng.IntN(3)
	draw := func(rows int) *Points {
		p := &Points{Dim: d, Coords: make([]float64, rows*d)}
		kind := rng.IntN(4)
		for k := range p.Coords {
			switch v := rng.NormFloat64(); {
			case kind == 0:
				p.Coords[k] = math.Round(v) + 0.25 // never all zero, for Cosine
			case kind == 1 && k/d > 0 && rng.IntN(2) == 0:
				p.Coords[k] = p.Coords[k-d]
			case kind == 2 && k/d == 0:
				p.Coords[k] = v + 20
			default:
				p.Coords[k] = v
			}
		}
		if rng.IntN(2) == 0 {
			p.Weights = make([]float64, rows)
			for i := range p.Weights {
				p.Weights[i] = rng.Float64() * float64(rng.IntN(4))
			}
			p.Weights[rng.IntN(rows)] = 1
		}
		return p
	}
	x, y := draw(m), draw(n)
	p, err := NewProblem(x, y, Metric(rng.IntN(4)))
	if err != nil {
		t.Fatal(err)
	}
	if rng.IntN(4) == 0 {
		matrix := make([]float64, m*n)
		for k := range matrix {
			matrix[k] = math.Round(4*rng.NormFloat64()) / 4
		}
		if p.Cost, err = NewMatrixCost(m, n, matrix); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// cloud is two samples of n points in the plane, the second moved a little.
func cloud(t testing.TB, n int, metric Metric) *Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	x, y := &Points{Dim: 2}, &Points{Dim: 2}
	for range 2 * n {
		x.Coords = append(x.Coords, rng.NormFloat64())
		y.Coords = append(y.Coords, rng.NormFloat64()+0.5)
	}
	p, err := NewProblem(x, y, metric)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPeersCancel asserts that a deadline ends a long solve promptly.
func TestPeersCancel(t *testing.T) {
	p := cloud(t, 1500, SqEuclidean)
	line := &Points{Dim: 1, Coords: p.Cost.x}
	q, err := NewProblem(line, line, Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func(context.Context) (*Result, error){
		"Entropic": func(ctx context.Context) (*Result, error) {
			return Entropic(ctx, p, &EntropicOptions{Epsilon: 1e-4, Tol: 1e-12})
		},
		"Unbalanced": func(ctx context.Context) (*Result, error) {
			return Unbalanced(ctx, p, &UnbalancedOptions{Penalty: 1e5})
		},
		"Partial": func(ctx context.Context) (*Result, error) { return Partial(ctx, p, &PartialOptions{Mass: 0.9}) },
		"OneD":    func(ctx context.Context) (*Result, error) { return OneD(ctx, q, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if r, err := run(ctx); r != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled before the start: %v, %v", r, err)
			}
			if name == "OneD" || name == "Partial" {
				return // over before a deadline could catch them
			}
			ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			start := time.Now()
			if _, err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want the deadline", err)
			}
			if d := time.Since(start); d > 2*time.Second { // 150 ms on an idle machine
				t.Errorf("took %v to notice", d)
			}
		})
	}
}

// TestPeersReject asserts the errors of bad problems and options.
func TestPeersReject(t *testing.T) {
	ctx := context.Background()
	p := cloud(t, 5, Euclidean)
	bad := &Problem{Cost: p.Cost, A: []float64{1, 2}}
	nan := math.NaN()
	for _, tt := range []struct {
		name string
		run  func() (*Result, error)
		want error
	}{
		{"oned plane", func() (*Result, error) { return OneD(ctx, p, nil) }, ErrShape},
		{"oned weights", func() (*Result, error) { return OneD(ctx, bad, nil) }, ErrWeights},
		{"entropic weights", func() (*Result, error) { return Entropic(ctx, bad, nil) }, ErrWeights},
		{"entropic no cost", func() (*Result, error) { return Entropic(ctx, &Problem{}, nil) }, ErrShape},
		{"entropic epsilon", func() (*Result, error) { return Entropic(ctx, p, &EntropicOptions{Epsilon: -1}) }, ErrOption},
		{"entropic tol", func() (*Result, error) { return Entropic(ctx, p, &EntropicOptions{Tol: nan}) }, ErrOption},
		{"unbalanced weights", func() (*Result, error) { return Unbalanced(ctx, bad, nil) }, ErrWeights},
		{"unbalanced penalty", func() (*Result, error) { return Unbalanced(ctx, p, &UnbalancedOptions{Penalty: -1}) }, ErrOption},
		{"unbalanced infinite", func() (*Result, error) { return Unbalanced(ctx, p, &UnbalancedOptions{TargetPenalty: math.Inf(1)}) }, ErrOption},
		{"unbalanced divergence", func() (*Result, error) { return Unbalanced(ctx, p, &UnbalancedOptions{Divergence: 9}) }, ErrOption},
		{"partial mass", func() (*Result, error) { return Partial(ctx, p, &PartialOptions{Mass: 1.5}) }, ErrOption},
		{"partial nan", func() (*Result, error) { return Partial(ctx, p, &PartialOptions{Mass: nan}) }, ErrOption},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if r, err := tt.run(); r != nil || !errors.Is(err, tt.want) {
				t.Errorf("got a result: %v, %v; want %v", r != nil, err, tt.want)
			}
		})
	}
}
