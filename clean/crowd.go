package clean

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rot.example/rot/internal/median"
	"rot.example/rot/internal/parallel"
	"rot.example/rot/internal/standout"
)

// A crowd of foreign rows that are alike is nothing odd to itself, and its
// scores by transport are only somewhat high. But it lies apart: along the line
// that tells the images of the highest scores from the bulk, Fisher's
// discriminant, there is an empty space between a crowd and the others, where
// the tail of images that all belong goes on without a break. Where any group of
// like images lies apart from the others, as in drawings of a few fixed shapes,
// it says nothing that one does.
const (
	crowdBulk   = 0.8  // part of the images, those of the lowest scores, that is bulk
	crowdHead   = 0.02 // part of the images that the line is drawn to, those of the highest scores
	crowdRows   = 24   // or so many
	crowdRidge  = 0.01 // added to each variance, of their mean
	crowdLeast  = 500  // images that it takes
	crowdMost   = 2500 // that draw a line
	crowdGroups = 9    // that a crowd is compared with
	crowdTail   = 2    // deviations along the line that the bulk has, too

	// The sharpness of a crowd's elbow, and in units of that of usual groups.
	// Sets of images without a crowd have up to 5, and up to 6 times as much as
	// their groups.
	crowdSharp = 7
	crowdTimes = 8
)

// mostCrowds is how many crowds are looked for.
const mostCrowds = 3

// crowds looks for rows that keep together and lie apart, with the scores of all
// rows. It numbers those of each crowd from 1 on, changes the scores to what
// they are once the crowds are set aside, with the crowds above all that is kept,
// and returns how many rows stand out then, those of the crowds among them. The
// numbers are nil where there is no crowd.
func (f *finder) crowds(ctx context.Context, score []float64, q float64) (crowd []int, worst int, err error) {
	if !f.unscaled {
		return nil, 0, nil
	}
	left := make([]int, len(score)) // rows that are in no crowd
	for i := range left {
		left[i] = i
	}
	now, rest := f, score
	apart := make([]float64, len(score)) // what lies before the empty space is not as foreign, and next
	for k := 1; k <= mostCrowds; k++ {
		along, share := now.rows.crowd(rest)
		if along == nil {
			break
		}
		if crowd == nil {
			crowd = make([]int, len(score))
		}
		line := lineOf(along, share)
		var keep []int
		for a, i := range left {
			if along[a] < line {
				keep = append(keep, i)
				apart[i] += max(0, along[a]-crowdTail)
				continue
			}
			crowd[i], apart[i] = k, along[a]
			worst++
		}
		left = keep
		now = &finder{rows: f.rows.pick(left), core: f.core, seed: f.seed, unscaled: f.unscaled, progress: func(int, int) {}}
		if rest, err = now.scores(ctx); err != nil {
			return nil, 0, err
		}
	}
	if crowd == nil {
		return nil, 0, nil
	}
	others, err := now.vote(ctx, rest, q)
	if err != nil {
		return nil, 0, err
	}
	for a, i := range left {
		rest[a] += apart[i]
		score[i] = rest[a]
	}
	highest := slices.Max(rest)
	if others < len(rest) {
		highest = slices.Sorted(slices.Values(rest))[len(rest)-1-others]
	}
	for i, v := range apart {
		if crowd[i] > 0 {
			score[i] = highest + v
		}
	}
	return crowd, worst + others, nil
}

// crowd returns how far each row lies from the others along the discriminant, by
// standout.Standard, and the part of the rows that lie apart; nil where none do.
func (r *rows) crowd(score []float64) (apart []float64, share float64) {
	if r.n < crowdLeast || r.d == 0 {
		return nil, 0
	}
	if apart, share = r.crowdByScores(score); apart == nil {
		apart, share = r.loneCrowd()
	}
	return apart, share
}

// crowdByScores is crowd for one whose scores are somewhat high.
func (r *rows) crowdByScores(score []float64) (apart []float64, share float64) {
	perm := rand.New(rand.NewPCG(0, uint64(r.n))).Perm(r.n)
	apart, e := r.alongDiscriminant(score, perm, crowdMost)
	if e == nil || !e.Clear(standout.LeastGap) || e.Sharpness < crowdSharp {
		return nil, 0
	}
	rng := rand.New(rand.NewPCG(1, uint64(r.n)))
	middles, usual := make([]int, crowdGroups), make([]float64, crowdGroups)
	for k := range middles {
		middles[k] = rng.IntN(r.n)
	}
	parallel.For(crowdGroups, func(k int) {
		near := make([]float64, r.n)
		for i := range near {
			near[i] = -squared(r.row(i), r.row(middles[k]))
		}
		if _, group := r.alongDiscriminant(near, perm, crowdMost); group != nil {
			usual[k] = group.Sharpness
		}
	})
	if e.Sharpness < crowdTimes*median.Of(usual) {
		return nil, 0
	}
	return apart, standout.Beyond(apart, e.Rho)
}

// alongDiscriminant returns how far each point lies from the others along the
// line from the bulk, the points of low scores, to those of the highest, by
// standout.Standard, and the elbow of that. Half of the points draws the line for the
// other half, so that nobody draws his own; perm says which, and at most most of
// them draw.
func (r *rows) alongDiscriminant(score []float64, perm []int, most int) ([]float64, *standout.Elbow) {
	n := r.n
	sorted := slices.Sorted(slices.Values(score))
	bulk, head := sorted[int(crowdBulk*float64(n))], sorted[n-r.headRows()]
	apart := make([]float64, n)
	for side := range 2 {
		drawing, others := perm[:n/2], perm[n/2:]
		if side == 1 {
			drawing, others = others, drawing
		}
		line := r.discriminant(drawing[:min(len(drawing), most)], score, bulk, head)
		if line == nil {
			return nil, nil
		}
		at := make([]float64, len(others))
		parallel.For(len(others), func(k int) {
			for j, v := range r.row(others[k]) {
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

// headRows returns how many rows a line is drawn to.
func (r *rows) headRows() int { return max(crowdRows, int(crowdHead*float64(r.n))) }

// discriminant returns the direction from the bulk, the rows whose score is
// below bulk, to those whose score is head or more, in units of the bulk's spread;
// nil where there is none.
func (r *rows) discriminant(rows []int, score []float64, bulk, head float64) []float64 {
	d := r.d
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
			for j, v := range r.row(i) {
				m[j] += v / float64(len(of))
			}
		}
	}
	mean(low, below)
	mean(high, above)
	way := mat.NewVecDense(d, high)
	way.SubVec(way, mat.NewVecDense(d, low))
	var chol mat.Cholesky
	if !chol.Factorize(r.covariance(below, low)) {
		return nil
	}
	var line mat.VecDense
	if err := chol.SolveVecTo(&line, way); err != nil {
		return nil
	}
	return line.RawVector().Data
}

// covariance returns that of some rows around their mean, with a ridge.
func (r *rows) covariance(some []int, mean []float64) *mat.SymDense {
	centred := mat.NewDense(len(some), r.d, nil)
	for k, i := range some {
		row := centred.RawRowView(k)
		for j, v := range r.row(i) {
			row[j] = v - mean[j]
		}
	}
	var spread mat.SymDense
	spread.SymOuterK(1/float64(len(some)), centred.T())
	total := 0.0
	for j := range r.d {
		total += spread.At(j, j)
	}
	for j := range r.d {
		spread.SetSym(j, j, spread.At(j, j)+crowdRidge*total/float64(r.d))
	}
	return &spread
}
