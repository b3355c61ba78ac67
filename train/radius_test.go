package train

import (
	"math/rand/v2"
	"testing"
)

// TestScoreElbow: a tenth of far scores is found; of scores that all belong,
// and of scores that are all the same, none is.
func TestScoreElbow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, far := range []float64{0, 10, 100} {
		for range 20 {
			scores := make([]float64, 400)
			for i := range scores {
				if scores[i] = rng.NormFloat64(); i < 40 {
					scores[i] += far
				}
			}
			var r Radius
			var err error
			if r.Elbow, r.Sharpness, err = ScoreElbow(scores); err != nil {
				t.Fatal(err)
			}
			if far == 0 && r.Found() || far > 0 && !(r.Found() && !r.Faint() && r.Elbow >= 0.05 && r.Elbow <= 0.08) { // 0.056
				t.Errorf("tenth of the scores %g off: %+v", far, r)
			}
		}
	}
	same := Radius{}
	if same.Elbow, same.Sharpness, _ = ScoreElbow(make([]float64, 50)); same.Found() {
		t.Errorf("equal scores: %+v", same)
	}
}

// TestGap: scores that lie apart are told from a tail.
func TestGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	scores := make([]float64, 4000)
	for i := range scores {
		if scores[i] = rng.NormFloat64(); i < 200 {
			scores[i] += 30
		}
	}
	const rho = 0.05 / 2 / 0.95
	if gap := Gap(scores, rho); gap < 29 || gap > 32 {
		t.Errorf("a twentieth, 30 off: %v", gap)
	}
	for i := range 200 {
		scores[i] -= 30
	}
	for _, rho := range []float64{0.01, rho, 0.1} {
		if gap := Gap(scores, rho); gap < 1.8 || gap > 3 {
			t.Errorf("ρ = %v, a tail: %v", rho, gap)
		}
	}
	if gap := Gap([]float64{1, 1, 1, 1, 2}, 0.1); gap != maxGap {
		t.Errorf("one of five: %v", gap)
	}
	if gap := Gap(make([]float64, 50), 0.1); gap != 0 {
		t.Errorf("equal scores: %v", gap)
	}
}

// TestBeyond: a radius that is off still tells how many samples stand out,
// whether their scores are alike or differ a lot.
func TestBeyond(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, tt := range []struct {
		name  string
		share float64
		rhos  []float64
		score func() float64
	}{
		{"a tenth", 0.1, []float64{0.03, 0.056, 0.1}, func() float64 { return 8 + rng.NormFloat64() }},
		{"a hundredth", 0.01, []float64{0.003, 0.005, 0.009}, func() float64 { return 12 + 2*rng.NormFloat64() }},
		{"near and far", 0.05, []float64{0.02, 0.026, 0.04}, func() float64 { return 20 + 20*rng.Float64() }},
	} {
		scores := make([]float64, 5000)
		for i := range scores {
			if scores[i] = rng.NormFloat64(); float64(i) < tt.share*5000 {
				scores[i] = tt.score()
			}
		}
		for _, rho := range tt.rhos {
			if got := Beyond(scores, rho); got < 0.97*tt.share || got > 1.03*tt.share {
				t.Errorf("%s, ρ = %v: %v stand out", tt.name, rho, got)
			}
		}
	}
	if got := Beyond([]float64{1}, 0.1); got != 0 {
		t.Errorf("a single score: %v", got)
	}
	if got := Beyond([]float64{1, 1, 1, 1, 2}, 0.1); got != 0.2 {
		t.Errorf("one of five: %v", got)
	}
}
