package clean

import (
	"math/rand/v2"
	"slices"

	"rot.example/rot/internal/parallel"
	"rot.example/rot/internal/standout"
)

// A crowd of a tenth of the rows may have no high scores at all: so many rows
// pass for a cluster. But where no row lies apart from the others with its likes,
// as with photographs, except for those of one and the same set, that set is a
// crowd, and so are up to three sets that have no rows in common. A few rows
// may lie apart faintly: photographs on white are near to digits. Digits or
// drawings come in kinds, of which several lie apart.
const (
	loneGroups = 16   // rows whose likes are looked at, a turn
	loneTurns  = 4    // of any rows
	loneLeast  = 2    // of these that find the crowd
	loneHigh   = 2    // more turns, of rows with high scores: a few hundredths of all are rarely hit otherwise
	lonePart   = 0.2  // of the rows have those
	loneMost   = 1000 // rows that draw a line
	loneSharp  = 10   // sharpness of an elbow; sets without a crowd have others below it
	loneFaint  = 6    // rows, at most, that find fainter ones
	loneTimes  = 10   // how much sharper a crowd is than these
	loneSame   = 0.8  // part of the rows that two views of a crowd share, at least
	loneOther  = 0.05 // and that two crowds share, at most
)

// A likeness is what a row and its likes have in common that others have not.
type likeness struct {
	apart []float64
	elbow standout.Elbow
	share float64 // of the rows that do
	in    []bool
	found int // how many rows have found it
}

// loneCrowd is crowd for one whose scores need not be high.
func (r *rows) loneCrowd(score []float64) (apart []float64, share float64) {
	rng := rand.New(rand.NewPCG(2, uint64(r.n)))
	halves := r.halved(rng, loneMost)
	var high []int
	line := lineOf(score, lonePart)
	for i, v := range score {
		if v >= line {
			high = append(high, i)
		}
	}
	var sets []*likeness
	faint, faintMost := 0, 0.0 // rows that find fainter sets, and the largest sharpness of these
	for turn := range loneTurns + loneHigh {
		// Rows with high scores are asked where others find nothing: they are often the
		// nearest to a crowd, and lie apart faintly with it.
		if turn == loneTurns {
			if best := r.sharpest(sets, faintMost, rng, halves); best != nil && best.found >= loneLeast {
				return best.apart, best.share
			}
		}
		middles, likes := make([]int, loneGroups), make([]*likeness, loneGroups)
		for k := range middles {
			if middles[k] = rng.IntN(r.n); turn >= loneTurns {
				middles[k] = high[rng.IntN(len(high))]
			}
		}
		parallel.For(len(middles), func(k int) { likes[k] = r.likeness(middles[k], halves) })
		for _, l := range likes {
			if l == nil {
				continue
			}
			if l.elbow.Sharpness < loneSharp {
				if faint, faintMost = faint+1, max(faintMost, l.elbow.Sharpness); faint > loneFaint {
					return nil, 0
				}
				continue
			}
			same := -1
			for k, s := range sets {
				switch part := overlap(l.in, s.in); {
				case part >= loneSame:
					same = k
				case part > loneOther:
					return nil, 0
				}
			}
			switch {
			case same < 0 && len(sets) == mostCrowds:
				return nil, 0
			case same < 0:
				sets = append(sets, l)
			default:
				found := sets[same].found + 1
				if l.elbow.Sharpness > sets[same].elbow.Sharpness {
					sets[same] = l
				}
				sets[same].found = found
			}
		}
	}
	if best := r.sharpest(sets, faintMost, rng, halves); best != nil {
		return best.apart, best.share
	}
	return nil, 0
}

// sharpest returns the sharpest of some sets, if it is much sharper than fainter
// ones, and its rows agree; else nil.
func (r *rows) sharpest(sets []*likeness, faint float64, rng *rand.Rand, halves [2]*sketcher) *likeness {
	var best *likeness
	for _, s := range sets {
		if best == nil || s.elbow.Sharpness > best.elbow.Sharpness {
			best = s
		}
	}
	if best == nil || best.elbow.Sharpness < loneTimes*faint || !r.agreed(best, rng, halves) {
		return nil
	}
	return best
}

// agreed reports whether two of three rows of a set, drawn at random, find the
// same set.
func (r *rows) agreed(l *likeness, rng *rand.Rand, halves [2]*sketcher) bool {
	var members []int
	for i, in := range l.in {
		if in {
			members = append(members, i)
		}
	}
	same := 0
	for range 3 {
		other := r.likeness(members[rng.IntN(len(members))], halves)
		if other != nil && other.elbow.Sharpness >= loneSharp && overlap(l.in, other.in) >= loneSame {
			same++
		}
	}
	return same >= 2
}

// likeness looks at a row and its nearest; nil where they do not lie apart.
func (r *rows) likeness(middle int, halves [2]*sketcher) *likeness {
	near := make([]float64, r.n)
	for i := range near {
		near[i] = -squared(r.row(i), r.row(middle))
	}
	apart, e := r.alongDiscriminant(near, halves)
	if e == nil || !e.Clear(standout.LeastGap) {
		return nil
	}
	l := &likeness{apart, *e, standout.Beyond(apart, e.Rho), make([]bool, r.n), 1}
	line := lineOf(apart, l.share)
	for i, v := range apart {
		l.in[i] = v >= line
	}
	return l
}

// lineOf returns the value from which on a share of the values lie.
func lineOf(values []float64, share float64) float64 {
	x := slices.Sorted(slices.Values(values))
	return x[len(x)-max(1, min(len(x), int(share*float64(len(x))+0.5)))]
}

// overlap returns how many rows two sets share, of those in either.
func overlap(a, b []bool) float64 {
	both, either := 0, 0
	for i, in := range a {
		if in && b[i] {
			both++
		}
		if in || b[i] {
			either++
		}
	}
	return float64(both) / float64(max(1, either))
}
