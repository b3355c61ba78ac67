package gan

import (
	"slices"

	"rot.example/rot/train"
)

// A flight is some steps that were started: critic steps, and the updates of weights
// and generator that are due after the last. A GPU may still be at work on them.
type flight struct {
	first, last               int // steps
	critic, weight, generator result
}

// start starts the next steps.
func (t *Trainer) start(first int) (f *flight, err error) {
	f = &flight{first: first, last: first + t.atOnce(first) - 1}
	var rows []train.Row
	for step := first; step <= f.last; step++ {
		rows = append(rows, t.row(t.order.Batch(nil, step-1), step, streamCritic))
	}
	batch := rows[len(rows)-1].Index
	critic := t.critic
	if len(rows) > 1 {
		critic = t.critics
	}
	if f.critic, err = t.begin(critic, rows...); err != nil {
		return nil, err
	}
	if t.weightDue(f.last) {
		if f.weight, err = t.begin(t.weight, t.row(batch, f.last, streamWeight)); err != nil {
			return nil, err
		}
	}
	if f.last%t.c.CriticSteps == 0 {
		if f.generator, err = t.begin(t.generator, t.row(batch, f.last, streamGenerator)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// updates are what some steps report: a row for each critic step, and those of the
// updates of weights and generator after the last one, nil where there were none.
type updates struct {
	critic            [][]float64
	weight, generator []float64
}

// land waits for the steps.
func (f *flight) land() (u updates, err error) {
	numbers, err := f.critic.numbers()
	if err != nil {
		return u, err
	}
	u.critic = slices.Collect(slices.Chunk(numbers, outMetrics))
	if u.weight, err = f.weight.numbers(); err != nil {
		return u, err
	}
	u.generator, err = f.generator.numbers()
	return u, err
}

// atOnce returns how many critic steps a call makes that begins with the step
// first: up to the next update of the generator, with none of the weights in
// between.
func (t *Trainer) atOnce(first int) int {
	k := t.together
	if (first-1)%t.c.CriticSteps != 0 || first-1+k > t.c.Steps {
		return 1
	}
	for i := 1; i < k; i++ {
		if t.weightDue(first-1+i) || t.refreshDue(first+i) {
			return 1
		}
	}
	return k
}
