package ot

import (
	"context"
	"math"
)

// An augmenter sends what the bidders lack along shortest augmenting paths
// over the lists: one Dijkstra from all unserved targets, then a blocking flow
// on tight arcs, repeated.
type augmenter struct {
	*auction
	psi   []float64 // value of every target
	extra [][]arc   // arcs to sources that hardly any list has: outliers, mostly
	tol   float64
	slack float64 // how far a list's word is trusted past its top
	flat  bool    // most lists have one value throughout, and tell nothing of what lies beyond

	distS, distT []float64
	done         []bool
	heap         minHeap
	bound        float64 // no list can vouch for distances beyond this
	steps        int     // sources that pushes may still look at in this phase
}

// manySteps is how often a phase looks at a source or target at most. Half a time
// is usual; among ties of unequal weights it can be thousands, since a source
// that gave all it was asked for is looked at again.
const manySteps = 20

type arc struct {
	i int32
	c float64
}

// newAugmenter first drops the price of sources nobody bought from until some
// target finds them tight.
func newAugmenter(ctx context.Context, a *auction, tol, slack float64) (*augmenter, error) {
	g := &augmenter{auction: a, psi: a.values(), extra: make([][]arc, a.in.n), tol: tol, slack: slack,
		distS: make([]float64, a.in.m), distT: make([]float64, a.in.n), done: make([]bool, a.in.m)}
	for i, h := range a.hold {
		a.hold[i] = merge(h)
	}
	var unsold []int32
	for i, f := range a.free {
		if f > 0 {
			unsold = append(unsold, int32(i))
		}
	}
	if len(unsold) == 0 {
		return g, nil
	}
	near, err := a.in.lookBack(ctx, unsold, g.psi, 2*a.l.k)
	if err != nil {
		return nil, err
	}
	for s, i := range unsold {
		src, cost := near.arcs(s)
		if len(a.hold[i]) == 0 {
			a.u[i] = g.psi[src[0]] - cost[0]
		}
		for k, j := range src {
			g.extra[j] = append(g.extra[j], arc{i, cost[k]})
		}
	}
	return g, nil
}

// lookBack finds for each of some sources the k targets with least cost − psi.
func (in *instance) lookBack(ctx context.Context, sources []int32, psi []float64, k int) (*lists, error) {
	flip := in.flipped().sub(upTo(in.n), sources)
	defer flip.leave()
	l := newLists(flip, k)
	return l, flip.sweep(ctx, l, scaled(psi, -1), 0, flip.n)
}

// merge leaves one lot per target.
func merge(h []lot) []lot {
	out := h[:0]
next:
	for _, l := range h {
		for k := range out {
			if out[k].j == l.j {
				out[k].mass += l.mass
				continue next
			}
		}
		out = append(out, l)
	}
	return out
}

// run makes at most phases rounds; the simplex does the rest.
func (g *augmenter) run(ctx context.Context, phases int) error {
	for range phases {
		if err := ctx.Err(); err != nil {
			return err
		}
		reach, open := g.distances()
		if !open {
			return nil
		}
		stuck := reach < 0
		if stuck { // every reachable source is sold out at these prices
			if math.IsInf(g.bound, 1) || g.flat {
				return nil
			}
			reach = math.Max(g.bound, 0)
		}
		for i, d := range g.distS {
			if d < reach {
				g.u[i] += reach - d
			}
			g.done[i] = false
		}
		for j, d := range g.distT {
			if d < reach {
				g.psi[j] += reach - d
			}
		}
		if !stuck && !g.pushAll() {
			return nil
		}
		if err := g.lengthen(ctx, reach, stuck); err != nil {
			return err
		}
	}
	return nil
}

// pushAll sends what it can to every unserved target, and says whether that was
// anything.
func (g *augmenter) pushAll() bool {
	var moved int64
	g.steps = manySteps * (g.in.m + g.in.n)
	for j := range g.rem {
		if g.rem[j] > 0 {
			f := g.push(int32(j), g.rem[j])
			g.rem[j] -= f
			moved += f
		}
	}
	return moved > 0
}

// lengthen sweeps the lists that ran short within reach. Where that is most of
// them a sweep of all pairs does it as well, later; unless needed, or a device
// makes it cheap.
func (g *augmenter) lengthen(ctx context.Context, reach float64, needed bool) error {
	var short []int32
	for j, d := range g.distT {
		if d <= reach && g.l.top[j] < g.psi[j]+g.slack {
			short = append(short, int32(j))
		}
	}
	if len(short) == 0 || len(short) > g.in.n/10 && !needed && g.in.screened().session == nil {
		return nil
	}
	return g.in.sweepSome(ctx, g.l, g.u, short)
}

// distances runs Dijkstra on reduced costs from all unserved targets, as far as
// lists can vouch for, and on to half as many unsold sources at least: prices
// past that would be too high for all, for the sake of the farthest few. reach
// is the distance of the farthest source it has found, −1 if there is none.
func (g *augmenter) distances() (reach float64, open bool) {
	for i := range g.distS {
		g.distS[i], g.done[i] = math.Inf(1), false
	}
	for j := range g.distT {
		g.distT[j] = math.Inf(1)
	}
	g.heap, g.bound = g.heap[:0], math.Inf(1)
	unserved, found := 0, 0
	for j := range g.rem {
		if g.rem[j] > 0 {
			g.relax(int32(j), 0)
			open = true
			unserved++
		}
	}
	reach = -1
	for len(g.heap) > 0 {
		x := g.heap.pop()
		if g.done[x.node] {
			continue
		}
		if x.key > g.bound && 2*found > unserved {
			break
		}
		g.done[x.node] = true
		if g.free[x.node] > 0 {
			reach = x.key
			found++
			continue
		}
		for _, l := range g.hold[x.node] {
			if math.IsInf(g.distT[l.j], 1) {
				g.relax(l.j, x.key)
			}
		}
	}
	return reach, open
}

func (g *augmenter) relax(j int32, d float64) {
	g.distT[j] = d
	base := g.psi[j] - d
	g.bound = math.Min(g.bound, g.l.top[j]-base+g.slack)
	src, cost := g.l.arcs(int(j))
	for k, i := range src {
		g.offer(i, math.Max(d, cost[k]+g.u[i]-base))
	}
	for _, e := range g.extra[j] {
		g.offer(e.i, math.Max(d, e.c+g.u[e.i]-base))
	}
}

func (g *augmenter) offer(i int32, d float64) {
	if d < g.distS[i] {
		g.distS[i] = d
		g.heap.push(heapItem{d, i, 0})
	}
}

// push sends up to want from target j along tight arcs, depth first. A source
// that led nowhere is not tried again in this phase.
func (g *augmenter) push(j int32, want int64) (sent int64) {
	src, cost := g.l.arcs(int(j))
	for k, i := range src {
		if cost[k]+g.u[i]-g.psi[j] <= g.tol {
			if sent += g.through(i, j, want-sent); sent == want {
				return sent
			}
		}
	}
	for _, e := range g.extra[j] {
		if e.c+g.u[e.i]-g.psi[j] <= g.tol {
			if sent += g.through(e.i, j, want-sent); sent == want {
				return sent
			}
		}
	}
	return sent
}

// through gives target j up to want from source i: its unsold mass, then what
// other buyers can find elsewhere.
func (g *augmenter) through(i, j int32, want int64) int64 {
	if g.done[i] || g.steps == 0 {
		return 0
	}
	g.steps--
	g.done[i] = true
	got := min(want, g.free[i])
	g.free[i] -= got
	for k := 0; k < len(g.hold[i]) && got < want; k++ {
		l := g.hold[i][k]
		if l.j == j {
			continue
		}
		if f := g.push(l.j, min(want-got, l.mass)); f > 0 { // l.j found f elsewhere and lets go of it here
			for q := range g.hold[i] {
				if g.hold[i][q].j == l.j {
					g.hold[i][q].mass -= f
					break
				}
			}
			got += f
		}
	}
	if got == 0 {
		return 0
	}
	kept := g.hold[i][:0]
	own := false
	for _, l := range g.hold[i] {
		if l.j == j {
			l.mass += got
			own = true
		}
		if l.mass > 0 {
			kept = append(kept, l)
		}
	}
	if !own {
		kept = append(kept, lot{j, got, g.u[i]})
	}
	g.hold[i] = kept
	g.done[i] = got < want // else there may be more
	return got
}
