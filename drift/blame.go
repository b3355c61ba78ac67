package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/clean"
	"rot.example/rot/ot"
)

const (
	blameRows = 20_000 // of each sample that are looked at for rows to blame
	blamed    = 50     // rows that are listed
)

// blame finds the rows of the new sample that do not belong, at a false
// discovery rate, and how likely it would be to see any such by chance.
func (c *comparison) blame(ctx context.Context, r *Result) error {
	rng := rand.New(rand.NewPCG(c.options.Seed, 5))
	old, fresh := draw(rng, c.reference.Len(), blameRows), draw(rng, c.fresh.Len(), blameRows)
	ref, x := pick(c.reference, old), pick(c.fresh, fresh)
	res, err := clean.Against(ctx, x, ref, c.options.cleaning())
	if err != nil {
		return err
	}
	c.tick()
	r.PDirty = min(1, 2*min(c.dirt(), simes(res.P)))
	seen := make(map[int]bool)
	// Where the bulk has moved most rows are unlike the reference, and which of
	// them do not belong to either is for the rows set aside to say.
	for _, i := range res.Order() {
		if !res.Suspect[i] || r.PMoved <= c.options.Alpha {
			break
		}
		r.Suspects = append(r.Suspects, fresh[i])
		seen[fresh[i]] = true
	}
	// Rows that were set aside are as sure as anything where few were so in the
	// reference; a small reference has no p-values that say so.
	if c.dirt() <= c.options.Alpha {
		rankOf := make(map[int]int, len(fresh))
		for k, i := range res.Order() {
			rankOf[fresh[i]] = k
		}
		for _, i := range c.odd {
			if !seen[i] {
				r.Suspects = append(r.Suspects, i)
			}
		}
		slices.SortStableFunc(r.Suspects, func(a, b int) int { return rankOf[a] - rankOf[b] })
	}
	unit := make([]float64, x.Dim)
	for j := range unit {
		if unit[j] = c.scaled.unit[j]; unit[j] == 0 {
			unit[j] = 1
		}
	}
	for _, i := range res.Order()[:min(blamed, len(fresh))] {
		r.Blame = append(r.Blame, Blame{Row: fresh[i], Score: res.Score[i], P: res.P[i], Nearest: old[nearestRow(x.Row(i), ref, unit)]})
	}
	return nil
}

// simes is the p-value of all rows together: the least rate at which any of
// them stands out.
func simes(p []float64) float64 {
	s := slices.Sorted(slices.Values(p))
	out := 1.
	for k, v := range s {
		out = min(out, v*float64(len(s))/float64(k+1))
	}
	return out
}

func pick(x *ot.Points, rows []int) *ot.Points {
	out := &ot.Points{Dim: x.Dim, Coords: make([]float64, 0, len(rows)*x.Dim)}
	for _, i := range rows {
		out.Coords = append(out.Coords, x.Row(i)...)
	}
	return out
}

// nearestRow is the place of the nearest row, where a column counts with hardly
// more than two units: one that is hopelessly wrong does not hide what the row
// should have been, and a row that is wrong in all of them still has a nearest.
func nearestRow(x []float64, like *ot.Points, unit []float64) int {
	best, at := math.Inf(1), 0
	for i := range like.Len() {
		var sum float64
		for j, v := range like.Row(i) {
			d := min(math.Abs(v-x[j])/unit[j], math.MaxFloat64)
			if d > 2 {
				d = 2 + 0.05*math.Log(d/2)
			}
			if sum += d * d; sum >= best {
				break
			}
		}
		if sum < best {
			best, at = sum, i
		}
	}
	return at
}
