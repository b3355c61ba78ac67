package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"rot.example/rot/figure"
	"rot.example/rot/metrics"
	"rot.example/rot/runs"
)

// weighted are the samples of a run with their weights.
type weighted struct {
	w        []float64
	outlier  []bool   // what is known not to belong; nil when nothing is
	ids      []string // nil: the index is the id
	size     int      // of the images; 0 where there are none
	channels int
	image    func(i int) []uint8
}

// sortedGrid shows the images by weight; outliers that were mixed in have a
// frame.
func (s *weighted) sortedGrid() *figure.ImageGrid {
	return figure.SortedImages(s.size, s.size, s.channels, s.w, s.outlier, s.image)
}

type weightsReport struct {
	N        int     `json:"n"`
	Outliers int     `json:"outliers"`
	AUROC    *number `json:"auroc"`
	MeanIn   number  `json:"mean_in"`
	MeanOut  *number `json:"mean_out"`
	Chi2     number  `json:"chi2"`
	Zero     int     `json:"zero"` // samples of weight below 0.01
}

func (r *weightsReport) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "weights of %s samples: χ² %s, %s below 0.01\n", count(r.N), digits(float64(r.Chi2), 3), count(r.Zero))
	if r.AUROC != nil {
		fmt.Fprintf(&s, "outliers   %s known; mean weight %s, others %s; AUROC %s\n",
			count(r.Outliers), digits(float64(*r.MeanOut), 3), digits(float64(r.MeanIn), 3), digits(float64(*r.AUROC), 4))
	}
	return s.String()
}

// writeWeights writes weights.csv and its pictures into the run.
func writeWeights(run *runs.Run, s *weighted) (*weightsReport, error) {
	r, err := s.report()
	if err != nil {
		return nil, err
	}
	if err := run.WriteWeights(s.ids, s.w, s.outlier); err != nil {
		return nil, err
	}
	hist := &figure.Histogram{Title: "Weights of " + run.Name(), Weights: s.w, Outlier: s.outlier}
	if err := figure.Save(filepath.Join(run.Path(), "weights.png"), hist, nil); err != nil {
		return nil, err
	}
	if s.size > 0 {
		err = figure.Save(filepath.Join(run.Path(), "sorted.png"), s.sortedGrid(), nil)
	}
	return r, err
}

// report sums up the weights.
func (s *weighted) report() (*weightsReport, error) {
	r := &weightsReport{N: len(s.w)}
	var in, out, chi2 float64
	low := make([]float64, len(s.w)) // low weights are the mark of an outlier
	for i, v := range s.w {
		low[i] = -v
		chi2 += (v - 1) * (v - 1)
		if v < 0.01 {
			r.Zero++
		}
		if s.outlier != nil && s.outlier[i] {
			out += v
			r.Outliers++
		} else {
			in += v
		}
	}
	r.MeanIn, r.Chi2 = number(in/float64(max(1, r.N-r.Outliers))), number(chi2/float64(r.N))
	if r.Outliers > 0 && r.Outliers < r.N {
		auroc, err := metrics.AUROC(low, s.outlier)
		if err != nil {
			return nil, err
		}
		a, m := number(auroc), number(out/float64(r.Outliers))
		r.AUROC, r.MeanOut = &a, &m
	}
	return r, nil
}
