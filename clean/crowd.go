package clean

import (
	"context"
	"math/rand/v2"
	"slices"

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
	crowdBulk    = 0.8  // part of the images, those of the lowest scores, that is bulk
	crowdHead    = 0.02 // part of the images that the line is drawn to, those of the highest scores
	crowdRows    = 24   // or so many
	crowdRidge   = 0.01 // added to each variance, of their mean
	crowdLeast   = 500  // images that it takes
	crowdMost    = 2500 // that draw a line
	crowdGroups  = 32   // that a crowd is compared with
	crowdTail    = 2    // deviations along the line that the bulk has, too
	crowdColumns = 384  // that lines are drawn in, those of the descriptor: random ones where there are more

	// The sharpness of a crowd's elbow, and in units of that of usual groups,
	// which begin with any row outside of the crowd and its nearest: of the sharper
	// ones, and of their median. It counts as 0 where it is not clear.
	// Nine sets of drawn digits, which are as sharp without a crowd, mostly had up
	// to 2.3 and 8 times as much as their groups, and one more than 3 times as much
	// as the sharper ones; crowds had 4 and 27 times or more.
	crowdSharp     = 7
	crowdTimes     = 3
	crowdOverUsual = 12

	// Or the gap before a crowd in units of the wider ones before usual groups: a
	// crowd of a tenth has a faint elbow, since its rows lie at many distances, and
	// so have two that lie in one direction. Digits and photographs without a
	// crowd, as a whole and class by class, have gaps of up to 23 in this unit where the
	// sharpness is below 5, and of up to 4.1 beyond; drawn digits have gaps below 1.3.
	crowdWider  = 4
	faintSharp  = 5 // enough where the gap is wide
	crowdWidest = 8
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
		along, share, err := now.rows.crowd(ctx, rest)
		if err != nil {
			return nil, 0, err
		}
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
func (r *rows) crowd(ctx context.Context, score []float64) (apart []float64, share float64, err error) {
	if r.n < crowdLeast || r.d == 0 {
		return nil, 0, nil
	}
	r = r.narrowed(crowdColumns)
	if apart, share = r.crowdByScores(score); apart == nil {
		apart, share = r.loneCrowd(score)
	}
	if apart == nil {
		if apart, share, err = r.loneCluster(ctx); err != nil {
			return nil, 0, err
		}
	}
	if apart == nil {
		return nil, 0, nil
	}
	apart, share = r.toEdge(apart, share, r.halved(rand.New(rand.NewPCG(4, uint64(r.n))), crowdMost))
	return apart, share, nil
}

// crowdByScores is crowd for one whose scores are somewhat high.
func (r *rows) crowdByScores(score []float64) (apart []float64, share float64) {
	halves := r.halved(rand.New(rand.NewPCG(0, uint64(r.n))), crowdMost)
	apart, e := r.alongDiscriminant(score, halves)
	if e == nil || !e.Clear(standout.LeastGap) || e.Sharpness < faintSharp {
		return nil, 0
	}
	share = standout.Beyond(apart, e.Rho)
	line := lineOf(apart, share)
	rng := rand.New(rand.NewPCG(1, uint64(r.n)))
	var middles []int
	for range crowdGroups {
		if i := rng.IntN(r.n); apart[i] < line {
			middles = append(middles, i)
		}
	}
	sharp, gap := make([]float64, len(middles)), make([]float64, len(middles)) // of usual groups
	parallel.For(len(middles), func(k int) {
		near := make([]float64, r.n)
		for i := range near {
			near[i] = -squared(r.row(i), r.row(middles[k]))
		}
		if _, group := r.alongDiscriminant(near, halves); group != nil {
			if gap[k] = group.Gap; group.Clear(standout.LeastGap) {
				sharp[k] = group.Sharpness
			}
		}
	})
	if !isCrowd(e, sharp, gap) {
		return nil, 0
	}
	return apart, share
}

// isCrowd reports whether the elbow of a group of rows is that of a crowd, beside
// the sharpness and the gaps of usual groups.
func isCrowd(e *standout.Elbow, sharp, gap []float64) bool {
	k := len(sharp)
	if k == 0 {
		return false
	}
	slices.Sort(sharp)
	slices.Sort(gap)
	most, usual, wide := sharp[k*9/10], sharp[k/2], gap[k*9/10]
	if e.Sharpness >= faintSharp && e.Gap >= crowdWidest*wide {
		return true
	}
	sharper := e.Sharpness >= crowdTimes*most && e.Sharpness >= crowdOverUsual*usual
	return e.Sharpness >= crowdSharp && (sharper || e.Gap >= crowdWider*wide)
}
