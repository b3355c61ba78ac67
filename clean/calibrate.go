package clean

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/ot"
)

// calibrate finds suspects at a false discovery rate that is guaranteed, by
// AdaDetect (Marandon, Lei, Mary and Roquain 2024): half of the reference joins
// the rows, all of them are scored against the other half, and the scores of
// those that joined say what good rows look like. Whatever the scores are made
// of, they treat the two alike. Where no row is a suspect because too few rows
// could be held back to show it, the rate is an estimate instead.
func (r *Result) calibrate(ctx context.Context, x, reference *ot.Points, refOrder []int, o Options) error {
	n, m := x.Len(), reference.Len()
	perm := rand.New(rand.NewPCG(o.Seed, 1<<43)).Perm(m)
	half := m / 2
	if m < 2*MinRows {
		half = 0 // Nothing can be held back: there are scores, and no suspects.
	}
	both, rest := &ot.Points{Dim: x.Dim}, &ot.Points{Dim: x.Dim}
	both.Coords = append(both.Coords, x.Coords...)
	for _, k := range perm[:half] {
		both.Coords = append(both.Coords, reference.Row(refOrder[k])...)
	}
	for _, k := range perm[half:] {
		rest.Coords = append(rest.Coords, reference.Row(refOrder[k])...)
	}
	// In this order it does not show where a row comes from.
	order := lexical(both)
	views, err := newComparer(both, rest, order, lexical(rest), o).views(ctx)
	if err != nil {
		return err
	}
	score := unsort(choose(views, o.FDR).standard(), order)
	r.Score, r.Proven = score[:n:n], half > 0
	p := conformal(r.Score, score[n:])
	good := goodShare(p)
	if err := r.suspect(p, o.FDR, good); err != nil || r.Gamma > 0 || half == 0 {
		return err
	}
	// No row is beyond doubt. Where so many rows held back cannot show that any
	// is, what they say about the tail of the scores is better than silence.
	first := 0
	for _, v := range p {
		if v <= slices.Min(p) {
			first++
		}
	}
	if slices.Min(p) > 1/float64(1+half) || float64(first)*o.FDR*float64(1+half) >= good*float64(n) {
		return nil
	}
	r.Proven = false
	return r.suspect(beyond(r.Score, score[n:]), o.FDR, good)
}

// standard is the scores of the rows with the middle of the reference at 0 and
// its mean distance from there as the unit.
func (v view) standard() []float64 {
	var like []float64
	for _, t := range v.reference {
		if !math.IsNaN(t) {
			like = append(like, t)
		}
	}
	if len(like) == 0 {
		like = slices.Clone(v.rows)
	}
	out := make([]float64, len(v.rows))
	addStandard(out, v.rows, like, 1)
	return out
}
