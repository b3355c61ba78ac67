package da

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/internal/standout"
	"rot.example/rot/ot"
	"rot.example/rot/train"
)

// The automatic radius. A part of the target takes no part in the warm-up;
// after it, the value of the weight program on that part as a function of the
// radius bends where the samples that do not belong are used up, and the radius
// of the run is that of the bend. The networks have not seen these samples: of
// those that they were trained on, D knows some by heart.

const (
	heldShare = 5  // one in so many is held back
	leastHeld = 10 // with fewer there is no telling a bend from noise

	// The samples that a curve of transport costs is made of, at most: it is
	// twenty solves.
	curveRows = 1000
)

// A Radius is a radius that the run chose for itself, with what it was chosen by.
// Its Rho is 0 where no elbow was found.
type Radius = train.Radius

// Radius returns the radius that the run chose; nil before it chose one.
func (t *Trainer) Radius() *Radius { return t.progress.Radius }

// Rho returns the radius in use: 0 for methods without weights, and before an
// automatic one is chosen.
func (t *Trainer) Rho() float64 {
	if t.c.Method != Robust {
		return 0
	}
	return t.c.Rho
}

// holdBack sets a part of the target aside, and makes an order of the others.
func (t *Trainer) holdBack() error {
	n := t.data.Target.N
	if n/heldShare < leastHeld {
		return fmt.Errorf("da: rho auto needs at least %d target samples, and there are %d", leastHeld*heldShare, n)
	}
	order := train.Random(t.c.Seed, 0, useHeld).Perm(n)
	t.held, t.others = order[:n/heldShare], order[n/heldShare:]
	var err error
	t.early, err = dataset.NewOrder(len(t.others), t.c.Batch, t.c.Seed+2<<32)
	return err
}

// targets returns the batch of the target at a step.
func (t *Trainer) targets(step int) []int32 {
	if t.early == nil || step > t.c.WarmUp {
		return t.orders[1].Batch(nil, step-1)
	}
	batch := t.early.Batch(nil, step-1)
	for k, i := range batch {
		batch[k] = int32(t.others[i])
	}
	return batch
}

// chooseRadius sets the radius of the run.
func (t *Trainer) chooseRadius(ctx context.Context) error {
	r := &Radius{Held: len(t.held)}
	var scores []float64
	var err error
	if t.c.follows() == Transport {
		err = t.transportElbow(ctx, r)
	} else if scores, err = t.scores(ctx, t.held); err == nil {
		r.Elbow, r.Sharpness, err = standout.ScoreElbow(scores)
	}
	if err != nil {
		return fmt.Errorf("da: step %d: choosing the radius: %w", t.saved.Step, err)
	}
	if r.Found() {
		r.Rho = r.Elbow
	}
	t.progress.Radius = r
	return t.useRadius()
}

// useRadius makes the chosen radius that of the run, with a bank of weights 1
// in its ball.
func (t *Trainer) useRadius() error {
	if t.c.Rho = 0; t.progress.Radius != nil {
		t.c.Rho = t.progress.Radius.Rho
	}
	if t.saved.Bank != nil && t.saved.Bank.Ball().Rho != t.c.Rho {
		var err error
		if t.saved.Bank, err = chisq.NewBank(t.data.Target.N, chisq.Ball{Rho: t.c.Rho}); err != nil {
			return fmt.Errorf("da: %w", err)
		}
	}
	t.useWeights()
	return nil
}

// transportElbow sets r.Elbow to that of the robust transport between source and target in
// the radius of the target. Two samples of a few hundred always differ in the
// shares of their classes, and what it takes to make up for that would be the
// sharpest bend of all: as far as chance explains the difference, the classes of
// the source weigh what they do among the predictions for the target.
func (t *Trainer) transportElbow(ctx context.Context, r *Radius) error {
	held := t.held[:min(len(t.held), curveRows)]
	r.Held = len(held)
	source, target, err := t.clouds(ctx, useCurve, held)
	if err != nil {
		return err
	}
	source.rows = source.rows[:min(len(source.rows), curveRows)]
	points := gather(source.rows, nil)
	points.Weights = classWeights(source.class[:len(source.rows)], target.class, len(t.c.Classes))
	// What the curve calls the source is the side that has the ball.
	problem, err := ot.NewProblem(gather(target.rows, nil), points, ot.SqEuclidean)
	if err != nil {
		return err
	}
	c, err := ot.Curve(ctx, problem, nil, nil)
	var short *ot.ConvergenceError
	if err != nil && (c == nil || !errors.As(err, &short)) {
		return err // a curve that is a little off still has an elbow
	}
	r.Elbow, r.Sharpness = c.Elbow, c.Sharpness
	return nil
}

// classWeights returns the weights of samples with which their classes have the
// shares that they have among others; nil, for all alike, where these differ by
// more than chance explains.
func classWeights(class, others []int, classes int) []float64 {
	n, m := make([]float64, classes), make([]float64, classes)
	for _, y := range class {
		n[y]++
	}
	for _, y := range others {
		m[y]++
	}
	a, b := float64(len(class)), float64(len(others))
	// Pearson's statistic of two samples, which is one of chi-square if they
	// come from the same place: mean k−1, variance 2(k−1).
	k, chi2 := 0.0, 0.0
	for y := range n {
		if both := n[y] + m[y]; both > 0 {
			d := n[y]/a - m[y]/b
			chi2 += d * d * a * b / both
			k++
		}
	}
	if chi2 > k-1+2*math.Sqrt(2*(k-1)) {
		return nil
	}
	w := make([]float64, len(class))
	for i, y := range class {
		w[i] = m[y] / n[y]
	}
	return w
}
