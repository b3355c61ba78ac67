package train

import (
	"math/rand/v2"
	"testing"

	"rot.example/rot/internal/standout"
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
			if r.Elbow, r.Sharpness, err = standout.ScoreElbow(scores); err != nil {
				t.Fatal(err)
			}
			if far == 0 && r.Found() || far > 0 && !(r.Found() && !r.Faint() && r.Elbow >= 0.05 && r.Elbow <= 0.08) { // 0.056
				t.Errorf("tenth of the scores %g off: %+v", far, r)
			}
		}
	}
	same := Radius{}
	if same.Elbow, same.Sharpness, _ = standout.ScoreElbow(make([]float64, 50)); same.Found() {
		t.Errorf("equal scores: %+v", same)
	}
}
