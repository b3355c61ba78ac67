package da

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
)

// Self-training: once the weights have settled, the target has labels of its
// own, and the networks learn them beside the source's. They come from the
// networks' predictions:
//
//   - the predictions are balanced: every class gets most of the way to its share
//     of the mass (see classShares), counted by the weights, so that what does not
//     belong takes no class's place;
//   - they are spread over the graph of the target's neighbours;
//   - what comes out is balanced again, and each sample has its likeliest class.
//
// What does not belong has a label, too, which its weight keeps from being learned.
// Labels are made anew when the weights are. They are hard: soft ones would
// teach the networks to be less sure each time.

// ownArray is the array of a checkpoint that holds the target's own labels.
const ownArray = "own/labels"

// selfTrains reports whether there is self-training in the run.
func (c *Config) selfTrains() bool { return c.adapts() && c.SelfTrain > 0 }

// labelsDue reports whether the target gets labels before a step.
func (t *Trainer) labelsDue(step int) bool {
	return t.c.selfTrains() && step > t.c.SelfFrom && (step-t.c.SelfFrom-1)%t.c.BankEvery == 0
}

// relabel gives the target the labels that follow from the networks and weights
// in use.
func (t *Trainer) relabel(ctx context.Context) error {
	labels, err := t.ownLabels(ctx)
	if err != nil {
		return fmt.Errorf("da: step %d: labels of the target: %w", t.saved.Step, err)
	}
	k := len(t.c.Classes)
	rows := make([]float32, len(labels)*k)
	for i, y := range labels {
		rows[i*k+y] = 1
	}
	t.saved.State.Set(ownArray, tensors.FromFlatDataAndDimensions(rows, len(labels), k))
	return t.useLabels()
}

// useLabels hands the target's own labels to the graphs: rows of zeros, which
// teach nothing, before there are any.
func (t *Trainer) useLabels() (err error) {
	if !t.c.selfTrains() {
		return nil
	}
	if saved := t.saved.State.Get(ownArray); saved != nil {
		t.own, err = saved.LocalClone()
		return err
	}
	n, k := t.data.Target.N, len(t.c.Classes)
	t.own = tensors.FromFlatDataAndDimensions(make([]float32, n*k), n, k)
	return nil
}

// ownLabels returns the class of each target sample by the predictions of its
// neighbourhood.
func (t *Trainer) ownLabels(ctx context.Context) ([]int, error) {
	w, err := t.Weights()
	if err != nil {
		return nil, err
	}
	p, err := t.over(ctx, t.pass, t.data.Target, nil)
	if err != nil {
		return nil, err
	}
	for i, row := range p {
		p[i] = row[:len(t.c.Classes)]
		softmax(p[i], p[i])
	}
	g, err := t.neighbourhood(ctx)
	if err != nil {
		return nil, err
	}
	share := classShares(t.data.Source.Labels, len(t.c.Classes))
	p = balance(g.propagate(balance(p, w, share, balanced)), w, share, balanced)
	labels := make([]int, len(p))
	for i, row := range p {
		labels[i] = largest(row)
	}
	return labels, nil
}

// largest returns the place of the largest number, the first of several.
func largest(v []float64) (best int) {
	for j := range v {
		if v[j] > v[best] {
			best = j
		}
	}
	return best
}

// rareClass is the part of an even share below which a class of the source is
// rare by nature, such as fraud among payments.
const rareClass = 0.1

// classShares returns the shares that the classes are taken to have in the
// target. They are even, since the shares of one domain say little about those
// of another: with the source's the labels are much worse (docs/experiments.md).
// Only where a class of the source is rare they are the source's.
func classShares(labels []int32, classes int) []float64 {
	share := make([]float64, classes)
	for _, y := range labels {
		share[y] += 1 / float64(len(labels))
	}
	even := 1 / float64(classes)
	if slices.Min(share) < rareClass*even {
		return share
	}
	for j := range share {
		share[j] = even
	}
	return share
}

// balanced is how far the labels go to the shares of the classes, as a power of
// the factors. All the way, refresh after refresh would bring a target whose
// classes are uneven nearer to even ones, against what its neighbourhoods say.
const balanced = 0.7

// balance returns the rows of probabilities p with the columns multiplied by
// factors to the given power, and normalized again. With the factors themselves
// every class would have its share of the mass under the weights w: the plan of
// entropic transport between classes and samples. A class that nobody predicts
// keeps what it has.
func balance(p [][]float64, w, share []float64, power float64) [][]float64 {
	const iters = 30
	k := len(p[0])
	out := cloneRows(p)
	factor := make([]float64, k)
	total := 0.0
	for j := range factor {
		factor[j] = 1
	}
	for _, v := range w {
		total += v
	}
	for range iters {
		mass := make([]float64, k)
		for i, row := range out {
			for j, v := range row {
				mass[j] += w[i] * v
			}
		}
		for j, m := range mass {
			factor[j] *= share[j] * total / max(m, 1e-9*total)
		}
		scaleColumns(out, p, factor)
	}
	for j := range factor {
		factor[j] = math.Pow(factor[j], power)
	}
	scaleColumns(out, p, factor)
	return out
}

// scaleColumns sets the rows of out to those of p with the columns multiplied by
// factors, normalized.
func scaleColumns(out, p [][]float64, factor []float64) {
	for i, row := range out {
		for j, v := range p[i] {
			row[j] = v * factor[j]
		}
		normalize(row)
	}
}
