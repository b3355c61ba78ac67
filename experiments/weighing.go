package experiments

import (
	"math"
	"path/filepath"

	"rot.example/rot/figure"
	"rot.example/rot/metrics"
	"rot.example/rot/train"
)

// A weighing is what the weights of a run's samples are, and what they tell.
type weighing struct {
	AUROC   float64   `json:"auroc"` // of low weights as a mark of foreign samples; −1 where there is nothing to find
	MeanIn  float64   `json:"mean_in"`
	MeanOut float64   `json:"mean_out"`
	Weights []float64 `json:"weights,omitempty"` // a part of them, for the histogram
	Marks   []bool    `json:"marks,omitempty"`   // which of those are foreign
	Sorted  string    `json:"sorted,omitempty"`  // picture of the samples from the lowest weight to the highest
}

// shownWeights are those in the histogram.
const shownWeights = 2000

// weigh describes weights, of which mark tells the foreign samples; nil where
// there are none.
func weigh(w []float64, mark []bool) (s weighing, err error) {
	s.AUROC = -1
	low := make([]float64, len(w))
	var in, out []float64
	for i, v := range w {
		low[i] = -v
		foreign := mark != nil && mark[i]
		if foreign {
			out = append(out, v)
		} else {
			in = append(in, v)
		}
		if i%max(1, len(w)/shownWeights) == 0 {
			s.Weights, s.Marks = append(s.Weights, math.Round(1e4*v)/1e4), append(s.Marks, foreign)
		}
	}
	s.MeanIn, _ = moments(in)
	if len(out) > 0 {
		s.MeanOut, _ = moments(out)
		s.AUROC, err = metrics.AUROC(low, mark)
	}
	return s, err
}

// drawSorted draws images of d from the lowest weight to the highest into a file
// in dir, and names it in s; marked ones have a frame.
func drawSorted(dir string, w []float64, d *train.Data, mark []bool, name string, s *weighing) error {
	s.Sorted = name
	size := d.Shape[0] * d.Shape[1] * d.Shape[2]
	order := (&train.Weighted{W: w}).ByWeight()
	f := figure.SortedImages(d.Shape[0], d.Shape[1], d.Shape[2], w, order, mark, func(i int) []uint8 { return d.Pix[i*size : (i+1)*size] })
	return figure.Save(filepath.Join(dir, name), f, nil)
}
