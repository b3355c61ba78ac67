package train

import (
	"math"
	"slices"
	"testing"
)

// TestSummaryOfScores: where all weights are 1, the scores still tell which samples
// are odd, and in which order to look at them.
func TestSummaryOfScores(t *testing.T) {
	s := &Weighted{W: []float64{1, 1, 1, 1}, Outlier: []bool{false, true, false, true}}
	r, err := s.Summary()
	if err != nil || *r.AUROC != 0.5 || r.Scores != nil {
		t.Errorf("%v: AUROC %v, of scores %v", err, *r.AUROC, r.Scores)
	}
	s.Score = []float64{0, 5, 2, 1}
	if r, err = s.Summary(); err != nil || *r.AUROC != 0.5 || *r.Scores != 0.75 {
		t.Errorf("%v: AUROC %v, of scores %v", err, *r.AUROC, *r.Scores)
	}
	if got := s.ByWeight(); !slices.Equal(got, []int{1, 2, 3, 0}) {
		t.Errorf("in order %v", got)
	}
	s.W = []float64{1.5, 1, 0.5, 1} // weights come first
	if got := s.ByWeight(); !slices.Equal(got, []int{2, 1, 3, 0}) {
		t.Errorf("in order %v", got)
	}
	s.Score[2] = math.NaN()
	if _, err := s.Summary(); err == nil {
		t.Error("a score that is no number passes")
	}
}
