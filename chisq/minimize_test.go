package chisq

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestBallMinimize(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	r6 := math.Sqrt(6)
	for _, tt := range []struct {
		name        string
		rho         float64
		score, want []float64
		err         error
	}{
		{name: "interior", rho: 0.125, score: []float64{0, 1}, want: []float64{1.5, 0.5}}, // 1 ± √(2ρ)
		{name: "order does not matter", rho: 0.125, score: []float64{1, 0}, want: []float64{0.5, 1.5}},
		{name: "three levels", rho: 1.0 / 12, score: []float64{-1, 0, 1}, want: []float64{1.5, 1, 0.5}}, // (1/6)(¼+¼) = 1/12
		{name: "zero radius", rho: 0, score: []float64{3, 1, 2}, want: []float64{1, 1, 1}},
		{name: "one sample", rho: 0.1, score: []float64{5}, want: []float64{1}},
		{name: "all equal", rho: 10, score: []float64{2, 2, 2}, want: []float64{1, 1, 1}},
		{name: "last weight just zero", rho: 1.0 / 3, score: []float64{0, 1, 2}, want: []float64{2, 1, 0}}, // (1/6)(1+0+1)
		{name: "clipped", rho: 7.0 / 12, score: []float64{0, 1, 9}, want: []float64{2.5, 0.5, 0}},          // (1/6)(9/4+1/4+1)
		{name: "ties share", rho: 1.0 / 3, score: []float64{4, 0, 4, 0}, // 1 ± √(2ρ)
			want: []float64{1 - r6/3, 1 + r6/3, 1 - r6/3, 1 + r6/3}},
		{name: "all on the argmin", rho: 1.5, score: []float64{7, 3, 8, 9}, want: []float64{0, 4, 0, 0}}, // ρmax = (n−1)/2
		{name: "beyond", rho: 1e300, score: []float64{7, 3, 8, 3}, want: []float64{0, 2, 0, 2}},
		{name: "no constraint", rho: inf, score: []float64{7, 3, 8, 3}, want: []float64{0, 2, 0, 2}},
		{name: "largest floats", rho: 0.125, score: []float64{-math.MaxFloat64, math.MaxFloat64}, want: []float64{1.5, 0.5}},
		{name: "smallest floats", rho: 0.125, score: []float64{5e-324, 0}, want: []float64{0.5, 1.5}},
		{name: "sentinel", rho: 7.0 / 12, score: []float64{0, 1e-9, math.MaxFloat64}, want: []float64{2.5, 0.5, 0}},
		{name: "negative radius", rho: -1e-9, score: []float64{1}, err: ErrRadius},
		{name: "NaN radius", rho: nan, score: []float64{1}, err: ErrRadius},
		{name: "NaN score", rho: 1, score: []float64{1, nan}, err: ErrScore},
		{name: "infinite score", rho: 1, score: []float64{1, inf}, err: ErrScore},
		{name: "minus infinity", rho: 1, score: []float64{-inf, 2}, err: ErrScore},
		{name: "no scores", rho: 1, err: ErrLength},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Ball{Rho: tt.rho}.Minimize(nil, tt.score)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if d := diff(got, tt.want, 1e-14*float64(len(got))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSolveBase(t *testing.T) {
	for _, tt := range []struct {
		name              string
		rho               float64
		score, base, want []float64
		sol               Solution
	}{
		// Two samples: w = a ± x with ½x²(1/a₀ + 1/a₁) = ρ, and
		// λ = −dValue/dρ = dx/dρ = a₀a₁/x.
		{"two samples", 0.5 * 0.01 * (4 + 4.0/3), []float64{0, 1}, []float64{0.25, 0.75}, []float64{0.35, 0.65},
			Solution{Value: 0.65, Lambda: 1.875, Threshold: 2.625}},
		{"sum is kept", 0.5 * 0.01 * (4 + 4.0/3), []float64{0, 1}, []float64{2.5, 7.5}, []float64{3.5, 6.5},
			Solution{Value: 0.65, Lambda: 1.875, Threshold: 2.625}},
		{"zero base", 0.125, []float64{-100, 0, 1, 1e300}, []float64{0, 0.5, 0.5, 0}, []float64{0, 0.75, 0.25, 0},
			Solution{Value: 0.25, Lambda: 1, Threshold: 1.5}},
		{"argmin in proportion", 50, []float64{2, 2, 3}, []float64{0.1, 0.3, 0.6}, []float64{0.25, 0.75, 0},
			Solution{Value: 2, Threshold: 2}},
		{"zero radius", 0, []float64{1, 2}, []float64{0.25, 0.75}, []float64{0.25, 0.75},
			Solution{Value: 1.75, Lambda: math.Inf(1), Threshold: math.Inf(1)}},
		{"zero radius, equal", 0, []float64{3, 3}, []float64{0.25, 0.75}, []float64{0.25, 0.75},
			Solution{Value: 3, Threshold: 3}},
		{"one positive base", 0.1, []float64{8, 5}, []float64{0, 2}, []float64{0, 2}, Solution{Value: 5, Threshold: 5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, sol, err := Ball{Rho: tt.rho}.Solve(nil, tt.score, tt.base)
			if err != nil {
				t.Fatal(err)
			}
			if d := diff(got, tt.want, 1e-13); d != "" {
				t.Error(d)
			}
			numbers := func(s Solution) []float64 {
				return []float64{s.Value, min(s.Lambda, 1e300), min(s.Threshold, 1e300)}
			}
			if d := diff(numbers(sol), numbers(tt.sol), 1e-12); d != "" {
				t.Errorf("value, lambda, threshold %s", d)
			}
		})
	}
}

func TestSolveErrors(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		name             string
		dst, score, base []float64
		err              error
		text             string
	}{
		{"score named", nil, []float64{1, 2, nan}, nil, ErrScore, "score 2 is NaN"},
		{"short dst", []float64{1}, []float64{1, 2}, nil, ErrLength, "length 1 for 2"},
		{"short base", nil, []float64{1, 2}, []float64{1}, ErrLength, "1 base weights for 2"},
		{"negative base", nil, []float64{1, 2}, []float64{1, -1}, ErrWeights, "base weight 1 is -1"},
		{"NaN base", nil, []float64{1, 2}, []float64{nan, 1}, ErrWeights, "base weight 0 is NaN"},
		{"infinite base", nil, []float64{1, 2}, []float64{1, math.Inf(1)}, ErrWeights, "base weight 1 is +Inf"},
		{"zero base", nil, []float64{1, 2}, []float64{0, 0}, ErrWeights, "sum to 0"},
		{"base sum overflows", nil, []float64{1, 2}, []float64{1e308, 1e308}, ErrWeights, "sum to +Inf"},
		{"dst untouched", []float64{8, 9}, []float64{1, nan}, nil, ErrScore, "score 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dst := slices.Clone(tt.dst)
			w, _, err := Ball{Rho: 1}.Solve(dst, tt.score, tt.base)
			if w != nil || !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "chisq: ") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("weights %v, error %v; want %v with %q", w, err, tt.err, tt.text)
			}
			if !slices.Equal(dst, tt.dst) {
				t.Errorf("dst became %v", dst)
			}
		})
	}
}

// TestSolveOptimal certifies random instances of every shape by their duality
// gap.
func TestSolveOptimal(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, kind := range scoreKinds {
		for _, n := range []int{1, 2, 3, 5, 17, 100, 800} {
			for _, rho := range radii {
				t.Run(fmt.Sprintf("%s/n=%d/rho=%g", kind, n, rho), func(t *testing.T) {
					for range 6 {
						score, base := randomScores(r, kind, n), randomBase(r, n)
						w, s, err := Ball{Rho: rho}.Solve(nil, score, base)
						if err != nil {
							t.Fatal(err)
						}
						checkOptimal(t, score, base, rho, w, s)
					}
				})
			}
		}
	}
}

func TestSolveLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for _, kind := range scoreKinds {
		for _, rho := range []float64{1e-4, 0.1, 5} {
			score := randomScores(r, kind, 60_000)
			w, s, err := Ball{Rho: rho}.Solve(nil, score, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkOptimal(t, score, nil, rho, w, s)
		}
	}
}

// bruteForce minimizes by trying all supports: on each, the weights that make
// the ball tight and, if they fit, the base weights in proportion.
func bruteForce(score, base []float64, rho float64) (best []float64, value float64) {
	n := len(score)
	value = math.Inf(1)
	for set := 1; set < 1<<n; set++ {
		var mass, mean, m2 float64
		for i := range n {
			if set>>i&1 == 1 {
				mass += base[i]
				mean += base[i] * score[i]
			}
		}
		mean /= mass
		for i := range n {
			if set>>i&1 == 1 {
				m2 += base[i] * (score[i] - mean) * (score[i] - mean)
			}
		}
		left := 2*rho - (1/mass - 1)
		if left < -1e-12 {
			continue
		}
		slopes := []float64{0}
		if m2 > 1e-20 { // not rounding noise around one score
			slopes = append(slopes, math.Sqrt(max(0, left)/m2))
		}
		for _, slope := range slopes {
			w, v, ok := make([]float64, n), 0.0, true
			for i := range n {
				if set>>i&1 == 1 {
					w[i] = base[i] * (1/mass + slope*(mean-score[i]))
					v += w[i] * score[i]
					ok = ok && w[i] > -1e-12
				}
			}
			if ok && v < value {
				best, value = w, v
			}
		}
	}
	return best, value
}

func TestSolveBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	for range 3000 {
		n := 1 + r.IntN(5)
		score, base, total := make([]float64, n), make([]float64, n), 0.0
		for i := range score {
			score[i] = r.NormFloat64()
			base[i] = 0.05 + r.Float64()
			total += base[i]
		}
		for i := range base {
			base[i] /= total
		}
		rho := 2 * r.Float64() * r.Float64()
		got, s, err := Ball{Rho: rho}.Solve(nil, score, base)
		if err != nil {
			t.Fatal(err)
		}
		want, value := bruteForce(score, base, rho)
		if d := diff(got, want, 1e-9); d != "" || math.Abs(s.Value-value) > 1e-12 {
			t.Fatalf("%s; value %v, want %v (score %v, base %v, rho %v)", d, s.Value, value, score, base, rho)
		}
	}
}
