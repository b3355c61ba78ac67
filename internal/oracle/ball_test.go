package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
)

// TestLeastMean compares with what a point of the ball reaches from above and a
// pair of multipliers proves from below (docs/math.md §2.1).
func TestLeastMean(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for k := range 400 {
		n := 1 + r.IntN(12)
		score, weight := make([]float64, n), make([]float64, n)
		v, w := make([]number, n), make([]number, n)
		var total float64
		for i := range score {
			score[i], weight[i] = math.Round(10*r.NormFloat64())/4, float64(1+r.IntN(8))
			v[i], w[i] = exactly(score[i]), exactly(weight[i])
			total += weight[i]
		}
		for i := range weight {
			weight[i] /= total
		}
		rho := math.Pow(10, 6*r.Float64()-5)
		got := approx(leastMean(v, w, rho))
		_, sol, err := chisq.Ball{Rho: rho}.Solve(nil, score, weight)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-sol.Value) > 1e-12*(1+math.Abs(got)) {
			t.Fatalf("case %d: least mean %v, package chisq says %v (radius %g, scores %v, weights %v)", k, got, sol.Value, rho, score, weight)
		}
	}
}

func TestLeastMeanClosedForms(t *testing.T) {
	two := []number{whole(0), whole(1)}
	even := []number{whole(3), whole(3)}
	for _, tt := range []struct {
		rho, want float64
	}{
		{0, 0.5}, {0.125, 0.25}, {0.5, 0}, {7, 0}, // (1 − √2ρ)/2
	} {
		if got := leastMean(two, even, tt.rho); got.Cmp(new(big.Rat).SetFloat64(tt.want)) != 0 {
			t.Errorf("radius %v: %v, want %v", tt.rho, got.FloatString(30), tt.want)
		}
	}
	if got := leastMean([]number{whole(5), whole(5)}, even, 1e-35); got.Cmp(big.NewRat(5, 1)) != 0 {
		t.Errorf("level scores: %v", got)
	}
}
