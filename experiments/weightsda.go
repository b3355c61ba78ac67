package experiments

import (
	"context"
	"fmt"
	"slices"

	"rot.example/rot/da"
	"rot.example/rot/figure"
)

var weightsDA = Experiment{
	Name:  "weights-da",
	Title: "weights of the target in domain adaptation, and its samples sorted by weight: MNIST to USPS with 15 % photographs",
	Paper: "The paper's appendix, with digits in place of VisDA-17",
	Parts: []string{"digits"},
	once:  true,
	run: func(ctx context.Context, g *grid, part string) (*section, error) {
		pairs, s, err := g.pairs(part)
		if err != nil || len(pairs) == 0 {
			return s, err
		}
		i := slices.IndexFunc(pairs, func(p pair) bool { return p.form == contaminated })
		w, err := g.weighed(ctx, pairs[i])
		if err != nil {
			return nil, err
		}
		s.Numbers = w
		s.Markdown = fmt.Sprintf("%s → %s: accuracy %.1f %%, AUROC of the weights %.3f, mean weight of digits %.2f and of photographs %.2f.\n\n![weights](weights.png)\n\nTarget samples from the lowest weight to the highest; photographs have a frame:\n\n![sorted](%s)\n\n",
			pairs[i].from, pairs[i].to, 100*w.Accuracy, w.AUROC, w.MeanIn, w.MeanOut, w.Sorted)
		s.figures = []picture{{"weights.png", &figure.Histogram{Title: "Weights of the target", Note: fmt.Sprintf("AUROC %.3f", w.AUROC), Weights: w.Weights, Outlier: w.Marks}}}
		return s, nil
	},
}

// A weighed cell is one robust run and the weights of its target.
type weighed struct {
	Accuracy float64 `json:"accuracy"`
	Oracle   float64 `json:"oracle"`
	weighing
}

// weighed trains a robust run and keeps its weights, unless an earlier one did.
func (g *grid) weighed(ctx context.Context, p pair) (w weighed, err error) {
	c := p.config
	named := c
	named.Source, named.Target, named.Outliers = p.from, p.to, p.form
	name := fmt.Sprintf("%s %s→%s, %s", p.set, p.from, p.to, p.form)
	k, err := key(name, named)
	if err != nil || g.find(k, &w) {
		return w, err
	}
	if g.Show {
		return w, errLacking
	}
	g.expect(1)
	data, _, err := da.Load(&c)
	if err != nil {
		return w, err
	}
	t, _, err := g.trainDA(ctx, c, data)
	if err != nil {
		return w, err
	}
	all, err := t.Weights()
	if err != nil {
		return w, err
	}
	foreign := data.Foreign()
	if w.weighing, err = weigh(all, foreign); err != nil {
		return w, err
	}
	res := t.Result()
	w.Accuracy, w.Oracle = res.Accuracy, res.Oracle
	if err := g.sortedBy(all, data.Target, foreign, "sorted.png", &w.weighing); err != nil {
		return w, err
	}
	return w, g.keep(k, g.device(), fmt.Sprintf("%s: %.1f %%, AUROC %.3f", name, 100*w.Accuracy, w.AUROC), w)
}
