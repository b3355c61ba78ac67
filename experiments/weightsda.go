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
	study: func(o *Options, part string) (*study, error) {
		pairs, st, err := pairsOf(o, part)
		if err != nil || st.missing != nil {
			return st, err
		}
		p := pairs[slices.IndexFunc(pairs, func(p pair) bool { return p.form == contaminated })]
		j, err := weighedJob(p)
		if err != nil {
			return nil, err
		}
		st.batches = []batch{{jobs: []*job{j}}}
		st.show = func(_ context.Context, f *finder) (*section, error) {
			cells, err := found[weighed](f, st.batches, func(w *weighed, o origin) string {
				w.origin = o
				return p.form
			})
			if err != nil {
				return nil, err
			}
			w := cells[0]
			s := &section{Numbers: w}
			s.Markdown = fmt.Sprintf("%s → %s: accuracy %.1f %%, AUROC of the weights %.3f, mean weight of digits %.2f and of photographs %.2f.\n\n![weights](weights.png)\n\nTarget samples from the lowest weight to the highest; photographs have a frame:\n\n![sorted](%s)\n\n",
				p.from, p.to, 100*w.Accuracy, w.AUROC, w.MeanIn, w.MeanOut, w.Sorted)
			s.figures = []picture{{"weights.png", &figure.Histogram{Title: "Weights of the target", Note: fmt.Sprintf("AUROC %.3f", w.AUROC), Weights: w.Weights, Outlier: w.Marks}}}
			s.close(origins(cells))
			return s, nil
		}
		return st, nil
	},
}

// A weighed cell is one robust run and the weights of its target.
type weighed struct {
	Accuracy float64 `json:"accuracy"`
	Oracle   float64 `json:"oracle"`
	weighing

	origin
}

// weighedJob returns the job of training a robust run and keeping its weights.
func weighedJob(p pair) (*job, error) {
	k, err := newKey(fmt.Sprintf("%s %s→%s, %s", p.set, p.from, p.to, p.form), p.named(p.config))
	if err != nil {
		return nil, err
	}
	return &job{key: k, now: expectation{algorithm: adaptAlgorithm}, files: p.files(), run: func(ctx context.Context, l *lab) (any, string, error) {
		w, err := weighTarget(ctx, l, k.id(), p.config)
		return w, fmt.Sprintf("%.1f %%, AUROC %.3f", 100*w.Accuracy, w.AUROC), err
	}}, nil
}

// weighTarget trains a robust run and describes the weights of its target.
func weighTarget(ctx context.Context, l *lab, id string, c da.Config) (w weighed, err error) {
	data, _, err := da.Load(&c)
	if err != nil {
		return w, err
	}
	t, _, err := trainDA(ctx, l, id, c, data)
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
	return w, drawSorted(l.dir, all, data.Target, foreign, "sorted.png", &w.weighing)
}
