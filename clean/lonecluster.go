package clean

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/internal/standout"
)

// Rows of several kinds all have clusters that lie apart somewhat, each as much as
// the next: a kind of handbags, then one of trousers. A crowd of foreign rows among
// them is a cluster that is clearer than any other, by its merit, and has hardly a row
// beside it. That also tells one that no single row or line gives away. A rare class
// is mostly less clear: in 214 of 216 sets with one, of docs/experiments.md, it is no
// crowd.
const (
	loneClusterLeast = 1000 // rows that it takes: of fewer, one shape of handbags may pass for a crowd
	loneClusterGap   = 3.0  // by which the merit of a crowd exceeds that of the next cluster
	loneClusterMerit = 22.0 // of a crowd, at least
	loneClusterClear = 9.0  // deviations between the means of a crowd and of the others
	loneClusterSame  = 0.2  // part of the rows that two clusters share, at most, to be two
	loneClusterMost  = 2500 // rows that clusters are looked for among
	loneClusterLooks = 2
	loneClusterEase  = 0.9 // times the bounds above are what later looks ask
	loneClusterAgain = 16  // starts from rows that were found before
	loneClusterAgree = 0.5 // part of the rows that two looks share, at least, of those in either
)

// loneClusterShares are the shares of clusters that are looked for, and
// loneClusterSizes those that one is judged by, in units of the share that it was
// found with: all from a sixtieth to an eighth of the rows, to a thirtieth of their size.
// A cluster of another size than a crowd has others beside it, or takes some in.
var (
	loneClusterShares = []float64{0.02, 0.03, 0.045, 0.055, 0.068, 0.083, 0.1}
	loneClusterSizes  = []float64{0.82, 0.87, 0.93, 1, 1.07, 1.14, 1.22}
)

// loneCluster is crowd for one that keeps together as no other rows do. All looks
// have to find it, from other starts, and among other rows where there are many.
// Later ones also start from what the one before has found, which a few starts may
// miss: they ask whether others are as clear, by bounds that are a little lower, or a
// crowd that just passes them would have to be lucky twice.
func (r *rows) loneCluster(ctx context.Context) (apart []float64, share float64, err error) {
	if r.n < loneClusterLeast {
		return nil, 0, nil
	}
	var lone *likeness
	for look := range loneClusterLooks {
		l, err := r.loneLook(ctx, rand.New(rand.NewPCG(uint64(8+look), uint64(r.n))), lone)
		if l == nil || err != nil {
			return nil, 0, err
		}
		if lone == nil {
			lone = l
		} else if overlap(lone.in, l.in) < loneClusterAgree {
			return nil, 0, nil
		}
	}
	return lone.apart, lone.share, nil
}

// loneLook looks for a cluster that is clearer than any other, from rows drawn at
// random and from some of those that were found before, if any; nil where there is
// none.
func (r *rows) loneLook(ctx context.Context, rng *rand.Rand, before *likeness) (*likeness, error) {
	some := rng.Perm(r.n)[:min(r.n, loneClusterMost)]
	slices.Sort(some)
	s := newClusters(r.pick(some))
	if s == nil {
		return nil, nil
	}
	sizeOf := func(part float64) int { return int(math.Round(part * float64(len(some)))) }
	if err := s.meet(ctx, resized(sizeOf(slices.Max(loneClusterShares)), slices.Max(loneClusterSizes))); err != nil {
		return nil, err
	}
	var known []int
	if before != nil {
		for a, i := range some {
			if before.in[i] {
				known = append(known, a)
			}
		}
	}
	ease := 1.0
	if before != nil {
		ease = loneClusterEase
	}
	var lone *cluster
	most := ease * loneClusterGap
	for _, part := range loneClusterShares {
		size := sizeOf(part)
		if size < clusterLeast {
			continue
		}
		starts := rng.Perm(len(some))[:min(len(some), clusterStarts)]
		for range min(len(known), loneClusterAgain) {
			starts = append(starts, known[rng.IntN(len(known))])
		}
		found, err := s.from(ctx, starts, func(start int) *cluster { return s.fitted(start, size) })
		if err != nil {
			return nil, err
		}
		if c, gap := clearest(found); c != nil && c.apart >= ease*loneClusterClear && c.merit >= ease*loneClusterMerit && gap >= most {
			lone, most = c, gap
		}
	}
	if lone == nil {
		return nil, nil
	}
	l := &likeness{
		apart: standout.Standard(s.places(r, lone.seed)),
		share: float64(len(lone.rows)) / float64(len(some)),
		in:    make([]bool, r.n),
	}
	line := lineOf(l.apart, l.share)
	for i, v := range l.apart {
		l.in[i] = v >= line
	}
	return l, nil
}

// fitted returns the cluster that grows from a row, of the size near the given one that
// has the most merit.
func (s *clusters) fitted(start, size int) (best *cluster) {
	seed, at := s.grow(start, size)
	sorted := slices.Sorted(slices.Values(at))
	for _, f := range loneClusterSizes {
		c := s.judge(seed, at, sorted, resized(size, f))
		if best == nil || c.merit > best.merit {
			best = c
		}
	}
	return best
}

// resized returns a multiple of the size of a cluster.
func resized(size int, times float64) int {
	return max(clusterLeast, int(math.Round(times*float64(size))))
}

// clearest returns the cluster of the highest merit, and by how much that exceeds
// the merit of the next one which has other rows; nil where there is no other.
func clearest(found []*cluster) (best *cluster, gap float64) {
	slices.SortFunc(found, func(a, b *cluster) int { return byMerit(b, a) })
	best = found[0]
	in := map[int]bool{}
	for _, i := range best.rows {
		in[i] = true
	}
	for _, c := range found[1:] {
		both := 0
		for _, i := range c.rows {
			if in[i] {
				both++
			}
		}
		if float64(both) <= loneClusterSame*float64(len(best.rows)) {
			return best, best.merit - c.merit
		}
	}
	return nil, 0
}
