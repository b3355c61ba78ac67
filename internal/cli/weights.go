package cli

import (
	"fmt"
	"strings"

	"rot.example/rot/page"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// reportFile is the page of a run, of clean and of the demo.
const reportFile = "report.html"

// weightsJSON is what the verbs weights --json print; scripts rely on the names.
type weightsJSON struct {
	N        int     `json:"n"`
	Outliers int     `json:"outliers"`
	AUROC    *number `json:"auroc"`
	MeanIn   number  `json:"mean_in"`
	MeanOut  *number `json:"mean_out"`
	Chi2     number  `json:"chi2"` // Divergence under an older name
	Zero     int     `json:"zero"` // samples of weight below 0.01

	Divergence number `json:"divergence"` // (1/2n) Σ (w − 1)²
}

func newWeightsJSON(s *train.WeightSummary) *weightsJSON {
	return &weightsJSON{
		N: s.N, Outliers: s.Outliers, AUROC: (*number)(s.AUROC), MeanIn: number(s.MeanIn), MeanOut: (*number)(s.MeanOut),
		Chi2: number(s.Divergence), Divergence: number(s.Divergence), Zero: s.Zero,
	}
}

// weightsText sums up the weights of a run.
func weightsText(r *train.WeightSummary) string {
	var s strings.Builder
	fmt.Fprintf(&s, "weights of %s samples: divergence %s, %s below 0.01\n", count(r.N), digits(r.Divergence, 3), count(r.Zero))
	if r.AUROC != nil {
		fmt.Fprintf(&s, "outliers   %s known; mean weight %s, others %s; AUROC %s\n",
			count(r.Outliers), digits(*r.MeanOut, 3), digits(r.MeanIn, 3), digits(*r.AUROC, 4))
	}
	return s.String()
}

// writeWeights writes weights.csv and its pictures into the run.
func writeWeights(run *runs.Run, s *train.Weighted) (*train.WeightSummary, error) {
	r, err := s.Summary()
	if err != nil {
		return nil, err
	}
	if err := run.WriteWeights(s.IDs, s.W, s.Outlier); err != nil {
		return nil, err
	}
	return r, page.WriteWeightPictures(run, s)
}
