package gan

import (
	"math"
	"slices"

	"rot.example/rot/chisq"
	"rot.example/rot/internal/standout"
	"rot.example/rot/train"
)

// The automatic radius. What is foreign to the generator has high scores, and
// the value of the weight program as a function of the radius bends where these
// samples are used up (docs/math.md §11.2). The critic learns to tell them as it
// goes, so the radius is chosen anew with every refresh of the bank.

// A critic's scores of data that all belong have elbows too: where the tail of
// the bulk begins, which is late, faint, or close to the bulk.
const (
	leastGap   = standout.LeastGap
	clearFor   = 5  // refreshes in a row after which the radius is not given up
	unclearFor = 10 // refreshes in a row after which it is, if it never was so clear

	// leastTrust is the share that the score of a sample which was set aside
	// has of the weight of others' scores, once the radius is not given up.
	leastTrust = 0.1
)

// A Radius is a radius that the run chose for itself, with what it was chosen by.
// Its Rho is 0 until there is a clear elbow.
type Radius = train.Radius

// Radius returns the radius that the run chose last; nil before it chose one.
func (t *Trainer) Radius() *Radius { return t.progress.Radius }

// Rho returns the radius in use.
func (t *Trainer) Rho() float64 {
	if t.progress.Radius != nil {
		return t.progress.Radius.Rho
	}
	return t.c.Rho
}

// chooseRadius gives the bank the radius that the samples need which stand out: to
// the critic, and with weights by transport also to the data's own view.
func (t *Trainer) chooseRadius() error {
	r := &Radius{Held: t.data.N}
	if scores := t.left(t.saved.Bank.Scores()); scores != nil {
		var err error
		if r, err = t.elbowRadius(scores); err != nil {
			return err
		}
	}
	if t.gallery != nil {
		t.progress.ViewRho, r.Held = r.Rho, t.data.N // those that the other view was not asked about, too
		rho := r.Rho
		if t.gallery.tells {
			// How many points stand out is known. Which they are both views
			// say; but what the second would add is the tail of the good ones,
			// or a mode that the generator is late to find.
			rho = 0
		}
		ball, err := chisq.FromGamma(t.asideOf(rho))
		if err != nil {
			return err
		}
		r.Rho = ball.Rho
	}
	t.progress.Radius = r
	return t.saved.Bank.SetBall(chisq.Ball{Rho: r.Rho})
}

// asideOf returns the share of the data that stand out to their own view, or are
// among the highest of the bank's scores of the others, as many as a ball of
// radius rho can set aside.
func (t *Trainer) asideOf(rho float64) float64 {
	aside := slices.Clone(t.gallery.suspect)
	left := t.left(t.saved.Bank.Scores())
	if k := int(math.Round(chisq.Ball{Rho: rho}.Gamma() * float64(len(left)))); k > 0 {
		line := slices.Sorted(slices.Values(left))[len(left)-k]
		for i, v := range t.saved.Bank.Scores() {
			aside[i] = aside[i] || v >= line
		}
	}
	return shareOf(aside)
}

// left returns the scores of the samples that do not stand out to the data's own
// view. What the other view says of those that do is not news, and asked about
// them it would add the tail of the good samples.
func (t *Trainer) left(scores []float64) []float64 {
	if t.gallery == nil || !t.gallery.tells || len(scores) == 0 {
		return scores
	}
	var out []float64
	for i, v := range scores {
		if !t.gallery.suspect[i] {
			out = append(out, v)
		}
	}
	return out
}

// elbowRadius looks for the elbow of the bank's scores. Where there is a clear
// one the radius is what the samples need that stand out: the elbow comes later,
// because their scores differ. Where there is none the radius stays what it was.
// It is given up after a while if it was never clear for long, as that of a mode
// which the generator is late to find. One that was is not: a critic that no
// longer sees the samples set aside forgets by and by that they are foreign.
func (t *Trainer) elbowRadius(scores []float64) (*Radius, error) {
	r, err := findElbow(scores)
	if err != nil {
		return nil, err
	}
	if r.Rho = t.saved.Bank.Ball().Rho; t.gallery != nil {
		r.Rho = t.progress.ViewRho
	}
	if isClear(r, t.clearGap()) {
		ball, err := chisq.FromGamma(standout.Beyond(scores, r.Elbow))
		if err != nil {
			return nil, err
		}
		r.Rho, t.progress.Clear = min(ball.Rho, r.Elbow), max(t.progress.Clear, 0)+1
	} else {
		t.progress.Clear = min(t.progress.Clear, 0) - 1
	}
	if t.progress.Clear >= clearFor {
		t.progress.Settled = true
	}
	if !t.progress.Settled && t.progress.Clear <= -unclearFor {
		r.Rho = 0
	}
	return r, nil
}

// findElbow returns the elbow of scores, as a Radius without its Rho.
func findElbow(scores []float64) (*Radius, error) {
	e, err := standout.FindElbow(scores)
	if err != nil {
		return nil, err
	}
	return &Radius{Elbow: e.Rho, Sharpness: e.Sharpness, Gap: e.Gap, Held: len(scores)}, nil
}

// isClear reports whether the elbow of a radius tells samples from the others.
func isClear(r *Radius, gap float64) bool {
	return standout.Elbow{Rho: r.Elbow, Sharpness: r.Sharpness, Gap: r.Gap}.Clear(gap)
}
