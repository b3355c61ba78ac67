package clean

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/internal/parallel"
	"rot.example/rot/ot"
)

// Foreign images that keep together may look less odd than the oddest of the
// others, and no score of one image tells them. But they are a cluster, and who
// knows their share knows its size. The others have groups of this size too, but
// few that have nobody beside them: most are a part of something larger.
//
// The numbers were chosen over one half of the sets of docs/experiments.md
// (Foreign images near the others), without a look at the other. Powers of 3 and 4,
// floors of 0.01 to 0.05, ridges of 0.03 to 0.1, 150 to 300 starts and a clear
// distance of 6.5 to 7 do about as well; from 7.5 on digits among digits are missed.
const (
	clusterLeast  = 20   // rows of a cluster
	clusterMost   = 5000 // rows that clusters are looked for among
	clusterStarts = 200
	clusterSeed   = 6 // a start has the nearest sixth of a cluster
	clusterTurns  = 4
	clusterPower  = 4    // of the distance over the share of a neighbour's nearest
	clusterFloor  = 0.02 // that is added to this share
	clusterClear  = 7    // deviations between the means of a cluster and of the others
)

// clusterSizes are the sizes of clusters that are looked for, in units of the share
// that was given, which may be a guess.
var clusterSizes = []float64{0.5, 1, 2}

// Cluster looks for a cluster of about a share of the rows of x: rows that keep
// together, with few others beside them (docs/math.md §13.2). It returns how far
// each row belongs to it, from 0 to 1, and its merit, by which clusters of the same
// rows in other columns compare. It returns nil where there is none, which is
// what fewer than 500 rows have. The columns of x share a unit, as those of feature
// vectors do. It returns an error that wraps ot.ErrOption for a share that is not from
// 0 to 1, and ctx.Err() when cancelled.
func Cluster(ctx context.Context, x *ot.Points, share float64) (member []float64, merit float64, err error) {
	if err := check("row", x); err != nil {
		return nil, 0, err
	}
	if !(share >= 0 && share <= 1) {
		return nil, 0, fmt.Errorf("clean: the share of a cluster is %v, not from 0 to 1: %w", share, ot.ErrOption)
	}
	n := x.Len()
	part := min(n, clusterMost)
	sizes := sizesOf(part, share)
	if n < evenLeast || len(sizes) == 0 {
		return nil, 0, ctx.Err()
	}
	order := lexical(x)
	all := (&rows{n: n, d: x.Dim, v: x.Coords}).pick(order)
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	some := rng.Perm(n)[:part]
	slices.Sort(some)
	s := newClusters(all.pick(some))
	if s == nil {
		return nil, 0, ctx.Err()
	}
	if err := s.meet(ctx, sizes[len(sizes)-1]); err != nil {
		return nil, 0, err
	}
	var best *cluster
	for _, size := range sizes {
		found, err := s.best(ctx, size, rng.Perm(part)[:min(part, clusterStarts)])
		if err != nil {
			return nil, 0, err
		}
		found.merit -= math.Abs(math.Log2(float64(size) / (share * float64(part))))
		if best == nil || found.merit > best.merit {
			best = found
		}
	}
	if best.apart < clusterClear {
		return nil, 0, nil
	}
	at := s.places(all, best.seed)
	for k, i := range some {
		at[i] = best.at[k]
	}
	for i, v := range at {
		at[i] = min(max(0, 3*(v-best.low)/(best.high-best.low)-1), 1)
	}
	all.shareAmongEqual(at)
	return unsort(at, order), best.merit, nil
}

// sizesOf returns how many of n rows the clusters have that are looked for: a third
// of them at most, for the others are to be more than those beside a cluster.
func sizesOf(n int, share float64) (sizes []int) {
	for _, v := range clusterSizes {
		if k := int(math.Round(v * share * float64(n))); k >= clusterLeast && 3*k <= n {
			sizes = append(sizes, k)
		}
	}
	return sizes
}

// A cluster is the rows that lie farthest along a line.
type cluster struct {
	seed      []int     // the rows that the line leads to, from the mean of all
	at        []float64 // where each row lies on it
	low, high float64   // the medians of the others, and of the cluster
	apart     float64   // distance of their means in deviations
	merit     float64
	rows      []int // of the cluster
}

// best returns the cluster of a size that keeps together best, of those that are
// found from the given rows.
func (s *clusters) best(ctx context.Context, size int, starts []int) (*cluster, error) {
	found, err := s.from(ctx, starts, func(start int) *cluster {
		seed, at := s.grow(start, size)
		return s.judge(seed, at, slices.Sorted(slices.Values(at)), size)
	})
	if err != nil {
		return nil, err
	}
	best := slices.MaxFunc(found, byMerit)
	best.at = s.along(best.seed)
	return best, nil
}

// from returns the clusters that are found from the given rows, without the places of
// other rows.
func (s *clusters) from(ctx context.Context, starts []int, find func(start int) *cluster) ([]*cluster, error) {
	found := make([]*cluster, len(starts))
	parallel.For(len(starts), func(k int) {
		if ctx.Err() == nil {
			found[k] = find(starts[k])
			found[k].at = nil // of hundreds one is wanted
		}
	})
	return found, ctx.Err()
}

func byMerit(a, b *cluster) int { return cmp.Compare(a.merit, b.merit) }

// judge measures a cluster of a size along a line, by the places of rows on it, which
// are also given in rising order. It has merit if its rows' nearest
// are of it, the nearest of the rows beside it are not, and it lies far from the
// others.
func (s *clusters) judge(seed []int, at, sorted []float64, size int) *cluster {
	c := &cluster{seed: seed, at: at}
	n := len(at)
	c.high, c.low = sorted[n-1-size/2], sorted[(n-size)/2]
	inside := make([]bool, n)
	own := highest(at, sorted, size)
	c.rows = own
	for _, i := range own {
		inside[i] = true
	}
	beside := slices.DeleteFunc(highest(at, sorted, 2*size), func(i int) bool { return inside[i] })
	var mean, square [2]float64 // of the others, and of the cluster
	for k, v := range sorted {
		side := 0
		if k >= n-size {
			side = 1
		}
		mean[side] += v
		square[side] += v * v
	}
	spread := 0.0
	for side, count := range []float64{float64(n - size), float64(size)} {
		spread += (square[side] - mean[side]*mean[side]/count) / float64(n)
		mean[side] /= count
	}
	if c.merit = math.Inf(-1); !(spread > 0 && mean[1] > mean[0] && c.high > c.low) {
		return c
	}
	c.apart = (mean[1] - mean[0]) / math.Sqrt(spread)
	c.merit = math.Log(s.kin(own, inside, size)+1e-3) + clusterPower*math.Log(c.apart/(s.kin(beside, inside, size)+clusterFloor))
	return c
}

// kin returns the mean share that those inside have among the nearest of some
// rows, half as many as a cluster has rows.
func (s *clusters) kin(some []int, inside []bool, size int) float64 {
	sum, of := 0, 0
	for _, i := range some {
		for _, j := range s.near[i][1:kinOf(size)] {
			if inside[j] {
				sum++
			}
			of++
		}
	}
	return float64(sum) / float64(of)
}

// kinOf returns how many nearest, itself among them, a row has that is judged.
func kinOf(size int) int { return max(size/2, 10) }
