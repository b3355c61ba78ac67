package chisq

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBallProject(t *testing.T) {
	inf, r75 := math.Inf(1), math.Sqrt(0.75)
	for _, tt := range []struct {
		name    string
		rho     float64
		w, want []float64
		err     error
	}{
		{name: "inside", rho: 0.5, w: []float64{1.2, 0.8}, want: []float64{1.2, 0.8}},
		{name: "on the ball", rho: 0.125, w: []float64{3, -1}, want: []float64{1.5, 0.5}},   // 1 ± √(2ρ)
		{name: "mean first", rho: 0.5, w: []float64{11.2, 10.8}, want: []float64{1.2, 0.8}}, // minus 10
		{name: "constant", rho: 0.5, w: []float64{-4, -4, -4}, want: []float64{1, 1, 1}},    //
		// Two weights 1.5 ± s and a zero: 2(¼ + s²) + 1 = 2ρn = 3.
		{name: "ball and simplex", rho: 0.5, w: []float64{2.5, 0.5, -9}, want: []float64{1.5 + r75, 1.5 - r75, 0}},
		{name: "simplex, ball slack", rho: 1, w: []float64{2.5, 0.5, -9}, want: []float64{2.5, 0.5, 0}},
		{name: "corner", rho: inf, w: []float64{100, 0, 0}, want: []float64{3, 0, 0}},
		{name: "zero radius", rho: 0, w: []float64{5, 0, -2}, want: []float64{1, 1, 1}},
		{name: "one sample", rho: 0.1, w: []float64{-8}, want: []float64{1}},
		{name: "far away", rho: 0.125, w: []float64{1e300, -1e300}, want: []float64{1.5, 0.5}},
		{name: "very near", rho: 0.125, w: []float64{1e-300, -1e-300}, want: []float64{1, 1}},
		{name: "NaN", rho: 1, w: []float64{1, math.NaN()}, err: ErrWeights},
		{name: "infinite", rho: 1, w: []float64{1, inf}, err: ErrWeights},
		{name: "empty", rho: 1, err: ErrLength},
		{name: "bad radius", rho: -1, w: []float64{1}, err: ErrRadius},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Ball{Rho: tt.rho}.Project(nil, tt.w)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if d := diff(got, tt.want, 1e-13); d != "" {
				t.Error(d)
			}
		})
	}
}

// simplexProject is the sorting algorithm (Held, Wolfe, Crowder 1974) for the
// simplex of mean 1.
func simplexProject(v []float64) []float64 {
	u := slices.Clone(v)
	slices.Sort(u)
	slices.Reverse(u)
	sum, shift := 0.0, 0.0
	for k, x := range u {
		sum += x
		if s := (sum - float64(len(v))) / float64(k+1); x > s {
			shift = s
		}
	}
	for i, x := range v {
		u[i] = max(0, x-shift)
	}
	return u
}

func randomVector(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	scale := math.Pow(10, 6*r.Float64()-3)
	for i := range v {
		v[i] = 1 + scale*r.NormFloat64()
	}
	return v
}

// TestProjectVariational: p is the projection of v on a convex set exactly if
// ⟨v − p, q − p⟩ ≤ 0 for all q in the set. Minimize finds the worst q.
func TestProjectVariational(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, n := range []int{1, 2, 3, 10, 200} {
		for _, rho := range append(radii, math.Inf(1)) {
			for range 20 {
				ball := Ball{Rho: rho}
				v := randomVector(r, n)
				p, err := ball.Project(nil, v)
				if err != nil {
					t.Fatal(err)
				}
				checkFeasible(t, p, ones(n), min(rho, float64(n)))
				score, norm := make([]float64, n), 0.0
				for i := range v {
					score[i] = p[i] - v[i]
					norm += score[i] * score[i]
				}
				worst := mustMinimize(t, ball, score)
				for _, q := range [][]float64{worst, randomPoint(r, n, rho), ones(n)} {
					var dot float64
					for i := range q {
						dot += -score[i] * (q[i] - p[i])
					}
					if dot > (1e-12*math.Sqrt(norm)+1e-14)*float64(n) {
						t.Fatalf("n %d, rho %v: ⟨v−p, q−p⟩ = %v with ‖v−p‖ = %v", n, rho, dot, math.Sqrt(norm))
					}
				}
				again, err := ball.Project(nil, p)
				if err != nil {
					t.Fatal(err)
				}
				if d := diff(again, p, 1e-12*float64(n)); d != "" {
					t.Fatalf("n %d, rho %v, projected again: %s", n, rho, d)
				}
			}
		}
	}
}

func TestProjectSimplex(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	for range 500 {
		v := randomVector(r, 1+r.IntN(100))
		got, err := Ball{Rho: math.Inf(1)}.Project(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if d := diff(got, simplexProject(v), 1e-11*float64(len(v))); d != "" {
			t.Fatalf("%s for %v", d, v)
		}
	}
}

func TestProjectInPlace(t *testing.T) {
	v := randomVector(rand.New(rand.NewPCG(9, 3)), 300)
	want, err := Ball{Rho: 0.1}.Project(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Ball{Rho: 0.1}.Project(v, v)
	if err != nil || &got[0] != &v[0] || !slices.Equal(v, want) {
		t.Errorf("in place: %v, %s", err, diff(v, want, 0))
	}
}
