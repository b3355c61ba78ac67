package gan

import (
	"context"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/chisq"
	"rot.example/rot/clean"
	"rot.example/rot/features"
	"rot.example/rot/internal/standout"
	"rot.example/rot/ot"
)

// The weights by transport come from two views of the data (docs/math.md §11.2).
// Their own, robust transport between the data and themselves, sees what lies
// apart, from the first step on and however poor the generator is. The other sees
// what the generator does not make, also a crowd of foreign samples that keep
// together and look like nothing odd to each other: by robust transport to the
// generator's samples where that tells some of the data apart, and else by the
// critic's scores. Where neither tells anything apart the critic decides, as in a
// bank; but with images their own view does, and the other as far as the
// generator's samples are near to the data: those of one that has not learned yet
// are worse than a guess, and so is its critic. A radius that is automatic rests on
// the first view of images alone (Config.ownViewOnly).

const (
	// Samples of the generator, and of the data, that a view is made of. More
	// of them do not tell better.
	viewSamples = 512
	viewRows    = 1024
	viewTol     = 1e-4 // a rank needs no more digits

	// viewRho leaves room for a sixth of the data to be foreign.
	viewRho = 0.1

	// viewMemory is the share of earlier views in the one that counts: one is
	// made of few samples.
	viewMemory = 0.7

	// clusterRise is what a cluster adds to the scores of its images, or to the
	// median where they have less. From 2 to 6 it ranks as well; by 2 foreign ones
	// keep a little more weight.
	clusterRise = 3

	// orderSlope is the slope of scores that count for little, in which their
	// order shows.
	orderSlope = 0.05
)

// A gallery is the data as points whose distances mean something, with what
// transport between them says.
type gallery struct {
	points    *ot.Points
	described *ot.Points // the same by the descriptor, where points are by a network

	centre []float64       // of the points
	device *tensors.Tensor // the points from there on, for transform; nil before it

	own     []float64 // a score for each sample, by standout.Standard
	suspect []bool    // the samples that stand out
	line    float64   // of own, from which on samples are set aside
	tells   bool      // some do
	images  bool

	trusted float64 // how far the generator's latest samples are, from 0 to 1
}

// plain reports whether the data are images of which none stand out among
// themselves.
func (g *gallery) plain() bool { return g.images && !g.tells }

// makeGallery sees to it that there is a gallery.
func (t *Trainer) makeGallery(ctx context.Context) error {
	if t.gallery != nil {
		return nil
	}
	g, err := t.newGallery(ctx)
	if err != nil {
		return err
	}
	if t.c.Features != "" && t.data.N >= clean.MinRows {
		if err := t.keepView(ctx, g); err != nil {
			return err
		}
	}
	t.gallery, t.looks = g, nil
	return nil
}

// newGallery compares the data with themselves, as rot clean does.
func (t *Trainer) newGallery(ctx context.Context) (*gallery, error) {
	g := &gallery{images: t.data.Pix != nil} // whose coordinates share a unit
	var err error
	if d := t.data; g.images {
		if g.points, err = t.imagePoints(ctx, features.Descriptor{}, nil); err != nil {
			return nil, err
		}
	} else {
		g.points = rowPoints(d.Rows, d.Shape[0])
	}
	n := g.points.Len()
	if g.own, g.suspect = make([]float64, n), make([]bool, n); n < clean.MinRows {
		return g, nil
	}
	r, err := clean.Find(ctx, g.points, &clean.Options{Unscaled: g.images})
	if err != nil {
		return nil, err
	}
	g.own, g.suspect = standout.Standard(r.Score), r.Suspect
	g.line = halfway(g.own, shareOf(g.suspect))
	if r.Crowd != nil { // and an empty space before it
		g.line = quantile(g.own, 1-shareOf(g.suspect))
	}
	g.tells = slices.Contains(g.suspect, true)
	score := r.Score
	if g.plain() && t.c.Features != "" {
		if score, err = t.look(ctx, g); err != nil {
			return nil, err
		}
	}
	if g.plain() && !t.c.RhoAuto { // with an automatic radius, which is 0 then, nothing follows from the scores
		if err := g.weighTogether(ctx, score, chisq.Ball{Rho: t.c.Rho}.Gamma()); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// weighTogether makes the own scores of images what they are in company: those of
// images that are near to each other are made even, and a cluster of about a share of
// all comes above the others.
func (g *gallery) weighTogether(ctx context.Context, score []float64, share float64) (err error) {
	if g.own, err = clean.Evened(ctx, g.points, score); err != nil {
		return err
	}
	members, err := g.clusterOf(ctx, share)
	for i, v := range members {
		g.own[i] += v * (clusterRise + max(0, -g.own[i]))
	}
	return err
}

// Scores returns how odd each sample is among the others: how far it stands above the
// median by the data's own view, in deviations. It is what weights by transport begin
// with, and says in which order to look at samples where none stood out and all
// weigh the same. It is nil where other weights are asked for, or samples are few.
func (t *Trainer) Scores(ctx context.Context) ([]float64, error) {
	if !t.c.robust() || t.c.Weights != WeightTransport || t.data.N < clean.MinRows {
		return nil, nil
	}
	if kept, err := t.keptView(); kept != nil || err != nil {
		return kept, err
	}
	if err := t.makeGallery(ctx); err != nil { // the run is at its end, or has not begun
		return nil, err
	}
	if kept, err := t.keptView(); kept != nil || err != nil {
		return kept, err
	}
	return t.gallery.scores(ctx, t.c.RhoAuto)
}

// scores returns the data's own view, of images with each among those near to it.
func (g *gallery) scores(ctx context.Context, auto bool) ([]float64, error) {
	if g.plain() && auto {
		return clean.Evened(ctx, g.points, g.own)
	}
	return g.own, nil
}

// quantile returns the value that a part of the values lie below.
func quantile(values []float64, part float64) float64 {
	x := slices.Sorted(slices.Values(values))
	return x[min(max(0, int(math.Round(part*float64(len(x))))), len(x)-1)]
}

// tells reports whether scores tell some samples from the others clearly, besides
// those that stand out to the data's own view.
func (t *Trainer) tells(scores []float64) bool {
	r, err := findElbow(t.left(scores))
	return err == nil && isClear(r, t.clearGap())
}

// clearGap returns the gap from which on scores tell foreign samples apart. Where
// the data's own view tells some already, another has to be clearer to be
// believed. Where it tells none of a set of images, crowds included, nothing is
// set aside by a generator that is not trusted: that is more likely a kind of
// images which it is late to learn, as guitars among sketches of animals.
func (t *Trainer) clearGap() float64 {
	switch g := t.gallery; {
	case g == nil:
		return leastGap
	case g.tells:
		return leastGap + 1
	case g.images && g.trusted == 0:
		return math.Inf(1)
	}
	return leastGap
}

// viewScores returns what the bank answers to with weights by transport, the sum
// of the views that tell the foreign apart; and the share of the data that these
// views set aside, 1 if neither does. Then it is the second view, or for images
// their own, and the second as far as its samples are trusted.
func (t *Trainer) viewScores() (sum []float64, share float64) {
	g := t.gallery
	made := t.saved.Bank.Scores() // nil before the generator was asked
	sum = make([]float64, len(g.own))
	aside := make([]bool, len(g.own))
	// What one view likes is not the less foreign to the other.
	add := func(scores []float64, line, times float64) {
		for i, v := range scores {
			sum[i] += times * max(0, v)
			aside[i] = aside[i] || v >= line
		}
	}
	tells := made != nil && t.tells(made) && (!t.c.RhoAuto || t.progress.ViewRho > 0)
	if g.tells {
		add(g.own, g.line, 1)
	}
	switch {
	case tells:
		e, _ := findElbow(t.left(made)) // it has one, or it would not tell
		scores := standout.Standard(made)
		add(scores, halfway(t.left(scores), chisq.Ball{Rho: e.Elbow}.Gamma()), 1)
	case g.plain():
		for i, v := range g.own {
			sum[i] = max(v, orderSlope*v)
		}
		if made != nil {
			add(standout.Standard(made), math.Inf(1), g.trusted)
		}
		sharpen(sum)
	case made != nil && !g.tells:
		add(standout.Standard(made), math.Inf(1), 1)
	}
	if !g.tells && !tells {
		return sum, 1
	}
	return sum, shareOf(aside)
}

// updateByViews gives the bank the weights for the scores of the views. Where they
// tell how many samples are foreign, a radius with room for more is not used up.
func (t *Trainer) updateByViews() error {
	bank := t.saved.Bank
	if !t.c.RhoAuto {
		if err := bank.SetBall(chisq.Ball{Rho: t.c.Rho}); err != nil {
			return err
		}
	}
	scores, share := t.viewScores()
	if share < 1 {
		ball, err := chisq.FromGamma(share)
		if err != nil {
			return err
		}
		if ball.Rho < bank.Ball().Rho {
			if err := bank.SetBall(ball); err != nil {
				return err
			}
		}
		cut(scores, bank.Ball().Gamma())
	}
	return bank.Update(scores)
}

// sharpen raises scores above 0 to the third power, where nothing says how many of
// them are foreign and cut would draw its line at a guess. Weights follow scores
// linearly, and half of a foreign sample's would go to make room for all that is
// somewhat odd. Foreign images that nothing found have a mean weight of 0.10 by the
// third power, 0.14 by the second and 0.25 by the first, in the mean over pairs of
// kinds; so has a rare class that scores tell well, and one that they tell poorly
// keeps 0.91 by all three.
func sharpen(scores []float64) {
	for i, v := range scores {
		if v > 0 {
			scores[i] = v * v * v
		}
	}
}

// shareOf returns the share of marks that are set.
func shareOf(marks []bool) float64 {
	n := 0
	for _, m := range marks {
		if m {
			n++
		}
	}
	return float64(n) / float64(max(1, len(marks)))
}

// halfway returns the score halfway between the median of the highest scores, a
// share of all, and that of the others.
func halfway(scores []float64, share float64) float64 {
	x := slices.Sorted(slices.Values(scores))
	k := min(max(len(x)-int(math.Round(share*float64(len(x)))), 1), len(x)-1)
	return (x[k/2] + x[k+(len(x)-k)/2]) / 2
}

// cut makes scores that tell foreign samples from others tell them sharply: the
// highest, a share gamma of all, become 1 or little more, and the others fall to
// 0.05 or less. Their order stays. The weights follow scores linearly, and would
// otherwise leave the foreign samples near the line more than half of their weight.
func cut(scores []float64, gamma float64) {
	k := int(math.Round(gamma * float64(len(scores))))
	if k == 0 {
		return
	}
	line := slices.Sorted(slices.Values(scores))[len(scores)-k]
	for i, v := range scores {
		if scores[i] = orderSlope * v / (1 + v); v >= line {
			scores[i]++
		}
	}
}
