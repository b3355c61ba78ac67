package standout

import (
	"math"
	"math/rand/v2"
	"testing"
)

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

// TestStandard: the unit of scores is that of their bulk.
func TestStandard(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 20_000)
	for i := range x {
		if x[i] = 7 + 3*rng.NormFloat64(); i%20 == 0 {
			x[i] += 1000
		}
	}
	got := Standard(x)
	for i, v := range got {
		if want := (x[i] - 7) / 3; i%20 != 0 && math.Abs(v-want) > 0.2*math.Abs(want)+0.2 {
			t.Fatalf("%v became %v, want about %v", x[i], v, want)
		}
	}
	if got := Standard([]float64{1, 1, 1, 1, 1, 5}); got[0] != 0 || got[5] != most {
		t.Errorf("equal scores became %v", got)
	}
	if got := Standard(nil); len(got) != 0 {
		t.Errorf("nothing became %v", got)
	}
}
