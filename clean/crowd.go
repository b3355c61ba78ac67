package clean

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rot.example/rot/internal/median"
	"rot.example/rot/internal/parallel"
	"rot.example/rot/internal/standout"
	"rot.example/rot/ot"
)

// A crowd of foreign images that look alike is nothing odd to itself, and its
// scores by transport are only somewhat high. But it lies apart: along the line
// that tells the images of the highest scores from the bulk, Fisher's
// discriminant, there is an empty space between a crowd and the others, where
// the tail of images that all belong goes on without a break. Where any group of
// like images lies apart from the others, as in drawings of a few fixed shapes,
// it says nothing that one does.
const (
	crowdBulk   = 0.8  // part of the images, those of the lowest scores, that is bulk
	crowdHead   = 0.97 // where those begin that the line is drawn to
	crowdRidge  = 0.01 // added to each variance, of their mean
	crowdLeast  = 500  // images that it takes
	crowdMost   = 2500 // that draw a line
	crowdGroups = 9    // that a crowd is compared with

	// The sharpness of a crowd's elbow, and in units of that of usual groups.
	// Sets of images without a crowd have up to 5, and up to 6 times as much as
	// their groups.
	crowdSharp = 7
	crowdTimes = 8
)

// Crowd returns how far each point lies from the others along the discriminant,
// by standout.Standard, and the part of the points that lie apart; nil where none do.
func Crowd(x *ot.Points, score []float64) (apart []float64, share float64) {
	n := x.Len()
	if n < crowdLeast {
		return nil, 0
	}
	apart, e := alongDiscriminant(x, score)
	if e == nil || !e.Clear(standout.LeastGap) || e.Sharpness < crowdSharp {
		return nil, 0
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	usual := make([]float64, crowdGroups)
	near := make([]float64, n)
	for k := range usual {
		middle := x.Row(rng.IntN(n))
		parallel.For(n, func(i int) {
			near[i] = 0
			for j, v := range x.Row(i) {
				near[i] -= (v - middle[j]) * (v - middle[j])
			}
		})
		if _, group := alongDiscriminant(x, near); group != nil {
			usual[k] = group.Sharpness
		}
	}
	if e.Sharpness < crowdTimes*median.Of(usual) {
		return nil, 0
	}
	return apart, standout.Beyond(apart, e.Rho)
}

// alongDiscriminant returns how far each point lies from the others along the
// line from the bulk, the points of low scores, to those of the highest, by
// standout.Standard, and the elbow of that. Half of the points draws the line for the
// other half, so that nobody draws his own.
func alongDiscriminant(x *ot.Points, score []float64) ([]float64, *standout.Elbow) {
	n := x.Len()
	sorted := slices.Sorted(slices.Values(score))
	bulk, head := sorted[int(crowdBulk*float64(n))], sorted[int(crowdHead*float64(n))]
	perm := rand.New(rand.NewPCG(0, uint64(n))).Perm(n)
	apart := make([]float64, n)
	for side := range 2 {
		drawing, others := perm[:n/2], perm[n/2:]
		if side == 1 {
			drawing, others = others, drawing
		}
		line := discriminant(x, drawing[:min(len(drawing), crowdMost)], score, bulk, head)
		if line == nil {
			return nil, nil
		}
		at := make([]float64, len(others))
		parallel.For(len(others), func(k int) {
			for j, v := range x.Row(others[k]) {
				at[k] += v * line[j]
			}
		})
		for k, v := range standout.Standard(at) {
			apart[others[k]] = v
		}
	}
	e, err := standout.FindElbow(apart)
	if err != nil {
		return nil, nil
	}
	return apart, &e
}

// discriminant returns the direction from the bulk, the rows whose score is
// below bulk, to those whose score is head or more, in units of the bulk's spread;
// nil where there is none.
func discriminant(x *ot.Points, rows []int, score []float64, bulk, head float64) []float64 {
	d := x.Dim
	low, high := make([]float64, d), make([]float64, d)
	var below, above []int
	for _, i := range rows {
		switch {
		case score[i] < bulk:
			below = append(below, i)
		case score[i] >= head:
			above = append(above, i)
		}
	}
	if len(below) == 0 || len(above) == 0 {
		return nil
	}
	mean := func(m []float64, of []int) {
		for _, i := range of {
			for j, v := range x.Row(i) {
				m[j] += v / float64(len(of))
			}
		}
	}
	mean(low, below)
	mean(high, above)
	centred := mat.NewDense(len(below), d, nil)
	for k, i := range below {
		row := centred.RawRowView(k)
		for j, v := range x.Row(i) {
			row[j] = v - low[j]
		}
	}
	var spread mat.SymDense
	spread.SymOuterK(1/float64(len(below)), centred.T())
	total := 0.0
	for j := range d {
		total += spread.At(j, j)
	}
	for j := range d {
		spread.SetSym(j, j, spread.At(j, j)+crowdRidge*total/float64(d))
	}
	way := mat.NewVecDense(d, high)
	way.SubVec(way, mat.NewVecDense(d, low))
	var chol mat.Cholesky
	if !chol.Factorize(&spread) {
		return nil
	}
	var line mat.VecDense
	if err := chol.SolveVecTo(&line, way); err != nil {
		return nil
	}
	return line.RawVector().Data
}
