package train

import (
	"cmp"
	"slices"

	"rot.example/rot/chisq"
	"rot.example/rot/metrics"
)

// Weighted are the samples of a run with their weights.
type Weighted struct {
	W        []float64 // mean 1
	Outlier  []bool    // the samples that are known not to belong; nil when none are
	Score    []float64 // how little each sample seems to belong, higher is odder; nil where nothing says so
	IDs      []string  // nil: the index is the id
	Size     int       // of the images, in pixels; 0 where there are none
	Channels int
	Image    func(i int) []uint8 // the pixels of an image
}

// LowWeight is the weight below which a sample has lost most of it. All samples
// of a plain run have weight 1.
const LowWeight = 0.5

// noWeight is the weight below which a sample counts as set aside.
const noWeight = 0.01

// A WeightSummary sums up the weights of a run.
type WeightSummary struct {
	N        int      // samples
	Outliers int      // samples that are known not to belong
	AUROC    *float64 // of low weights as a mark of these; nil where none are known
	MeanIn   float64  // mean weight of the other samples
	MeanOut  *float64 // mean weight of the outliers; nil where none are known
	Zero     int      // samples of a weight below 0.01
	Scores   *float64 // AUROC of high scores as a mark of the outliers; nil where there are none of either
	Low      int      // samples of a weight below LowWeight
	LowKnown int      // outliers among these

	Divergence float64 // (1/2n) Σ (w − 1)², to be read beside the radius ρ
}

// Summary sums up the weights. It returns the error of metrics.AUROC, which
// wants numbers.
func (s *Weighted) Summary() (*WeightSummary, error) {
	r := &WeightSummary{N: len(s.W)}
	var in, out float64
	low := make([]float64, len(s.W)) // low weights are the mark of an outlier
	for i, v := range s.W {
		low[i] = -v
		outlier := s.Outlier != nil && s.Outlier[i]
		if v < noWeight {
			r.Zero++
		}
		if v < LowWeight {
			r.Low++
			if outlier {
				r.LowKnown++
			}
		}
		if outlier {
			out += v
			r.Outliers++
		} else {
			in += v
		}
	}
	r.MeanIn, r.Divergence = in/float64(max(1, r.N-r.Outliers)), chisq.Divergence(s.W)
	if r.Outliers > 0 && r.Outliers < r.N {
		auroc, err := metrics.AUROC(low, s.Outlier)
		if err != nil {
			return nil, err
		}
		mean := out / float64(r.Outliers)
		r.AUROC, r.MeanOut = &auroc, &mean
		if s.Score != nil {
			scores, err := metrics.AUROC(s.Score, s.Outlier)
			if err != nil {
				return nil, err
			}
			r.Scores = &scores
		}
	}
	return r, nil
}

// ByWeight lists the samples from the lowest weight to the highest, those of one
// weight from the highest score to the lowest.
func (s *Weighted) ByWeight() []int {
	order := make([]int, len(s.W))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if d := cmp.Compare(s.W[i], s.W[j]); d != 0 || s.Score == nil {
			return d
		}
		return cmp.Compare(s.Score[j], s.Score[i])
	})
	return order
}
