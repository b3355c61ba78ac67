package drift

import (
	"math/rand/v2"

	"rot.example/rot/ot"
)

// A Reservoir keeps a random sample of rows that stream by, all equally likely,
// in memory that does not grow with their number.
type Reservoir struct {
	Points ot.Points // the rows kept so far
	Places []int     // which of all rows they are, from 0 on
	Seen   int       // rows added so far

	limit int
	rng   *rand.Rand
}

// NewReservoir returns a reservoir for rows of dim numbers that keeps at most
// limit of them.
func NewReservoir(dim, limit int, seed uint64) *Reservoir {
	return &Reservoir{Points: ot.Points{Dim: dim}, limit: limit, rng: rand.New(rand.NewPCG(seed, 6))}
}

// Add offers a row, which is copied if it is kept.
func (r *Reservoir) Add(row []float64) {
	at := r.Seen
	r.Seen++
	if at < r.limit {
		r.Points.Coords = append(r.Points.Coords, row...)
		r.Places = append(r.Places, at)
		return
	}
	if k := r.rng.IntN(r.Seen); k < r.limit { // algorithm R of Waterman
		copy(r.Points.Row(k), row)
		r.Places[k] = at
	}
}
