package experiments

import (
	"context"
	"fmt"
	"slices"

	"rot/da"
	"rot/figure"
	"rot/metrics"
)

var weightsDA = Experiment{
	Name:  "weights-da",
	Title: "weights of the target in domain adaptation, and its samples sorted by weight: MNIST to USPS with 15 % photographs",
	Paper: "The paper's appendix, with digits in place of VisDA-17",
	Parts: []string{"digits"},
	run: func(ctx context.Context, g *grid, part string) (*section, error) {
		pairs, s, err := g.pairs(part)
		if err != nil || len(pairs) == 0 {
			return s, err
		}
		i := slices.IndexFunc(pairs, func(p pair) bool { return p.form == contaminated })
		return s, g.showWeights(ctx, pairs[i].config, s)
	},
}

// showWeights trains one robust run and draws its weights. It is not a cell: a
// second time it trains again.
func (g *grid) showWeights(ctx context.Context, c da.Config, s *section) error {
	data, _, err := da.Load(&c)
	if err != nil {
		return err
	}
	t, _, err := g.trainDA(ctx, c, data)
	if err != nil {
		return err
	}
	w, err := t.Weights()
	if err != nil {
		return err
	}
	foreign := data.Foreign()
	low := make([]float64, len(w))
	for i, v := range w {
		low[i] = -v
	}
	auroc, err := metrics.AUROC(low, foreign)
	if err != nil {
		return err
	}
	res := t.Result()
	s.Numbers = map[string]float64{"auroc": auroc, "accuracy": res.Accuracy, "oracle": res.Oracle}
	s.Markdown = fmt.Sprintf("Accuracy %.1f %%, AUROC of the weights %.3f.\n\n![weights](weights.png)\n\nTarget samples from the lowest weight to the highest; photographs have a frame:\n\n![sorted](sorted.png)\n\n", 100*res.Accuracy, auroc)
	s.figures = []picture{
		{"weights.png", &figure.Histogram{Title: "Weights of the target", Note: fmt.Sprintf("AUROC %.3f", auroc), Weights: w, Outlier: foreign}},
		{"sorted.png", sortedImages(data.Target, w, foreign)},
	}
	return nil
}
