package ot

import (
	"context"
	"math"
)

// A simplex is the network simplex for plain OT on a rooted spanning tree
// (docs/math.md §4). Node v < m is a source, m+j is target j. Flows are whole
// numbers and the tree is strongly feasible: an empty arc always points to the
// root, source below target. Together with the leaving rule in enter that
// makes cycling impossible.
type simplex struct {
	in     *instance
	l      *lists
	nodes  []treeNode
	kids   []treeKids
	arcs   []parentArc
	u      []float64 // price of a source, value of a target
	supply []int64
	demand []int64
	tol    float64
	pricer pricer
	root   int32
	pivots int
	stack  []int32
	climb  int32 // stamp of the last climb
	waysUp [2][]int32

	tour   *tour // of the tree; nil while its parts are small, and kids serve as well
	listed bool  // kids and prev are those of the tree

	visits  int     // nodes whose potential was shifted so far
	average float64 // of these per pivot, lately
}

// What is known of a node is in three arrays, by what is used together: a walk
// up reads nodes, a walk down reads kids, and both visit nodes all over memory.
type (
	treeNode struct {
		par, prev int32
		stamp     int32 // which climb passed here last
	}
	treeKids  struct{ child, next int32 }
	parentArc struct {
		cost float64 // potential = potential of the parent + cost
		flow int64   // on the arc to the parent
	}
)

func newSimplex(in *instance, l *lists, supply, demand []int64, tol float64) *simplex {
	t := &simplex{in: in, l: l, supply: supply, demand: demand, tol: tol, pricer: pricer{block: 32}}
	t.nodes, t.kids, t.arcs = make([]treeNode, in.m+in.n), make([]treeKids, in.m+in.n), make([]parentArc, in.m+in.n)
	t.u = make([]float64, in.m+in.n)
	t.clear()
	return t
}

func (t *simplex) clear() {
	for v := range t.nodes {
		t.nodes[v], t.kids[v], t.arcs[v] = treeNode{par: -1, prev: -1}, treeKids{-1, -1}, parentArc{}
	}
	t.tour, t.listed = nil, true
}

func (t *simplex) unhang(v int32) {
	x, next := &t.nodes[v], t.kids[v].next
	if x.prev >= 0 {
		t.kids[x.prev].next = next
	} else if x.par >= 0 {
		t.kids[x.par].child = next
	}
	if next >= 0 {
		t.nodes[next].prev = x.prev
	}
	t.kids[v].next, x.prev = -1, -1
}

func (t *simplex) hang(v, par int32, cost float64, flow int64) {
	next := t.kids[par].child
	t.nodes[v].par, t.nodes[v].prev = par, -1
	t.arcs[v] = parentArc{cost, flow}
	t.kids[v].next = next
	if next >= 0 {
		t.nodes[next].prev = v
	}
	t.kids[par].child = v
}

// attach makes v the root of its part of the tree and hangs it under par.
func (t *simplex) attach(v, par int32, cost float64, flow int64) {
	x, np, nc, nf := v, par, cost, flow
	by := t.price(par) + cost - t.price(v)
	if t.tour != nil {
		t.attachOnTour(v, par, cost, flow, by)
		return
	}
	for x >= 0 {
		op, oc, of := t.nodes[x].par, t.arcs[x].cost, t.arcs[x].flow
		t.unhang(x)
		t.hang(x, np, nc, nf)
		np, nc, nf = x, -oc, of
		x = op
	}
	t.shift(v, by)
}

// attachOnTour is attach for a part that was cut out of the tour.
func (t *simplex) attachOnTour(v, par int32, cost float64, flow int64, by float64) {
	x, np, nc, nf, ne := v, par, cost, flow, int32(-1)
	for x >= 0 {
		op, oc, of, oe := t.nodes[x].par, t.arcs[x].cost, t.arcs[x].flow, t.tour.down[x]
		t.nodes[x].par, t.arcs[x], t.tour.down[x] = np, parentArc{nc, nf}, ne
		np, nc, nf, ne = x, -oc, of, oe^1
		x = op
	}
	t.visits += t.tour.hang(v, par, ne^1, by) // by what was the arc of the part's top
	t.listed = false
}

// price is the price of a source or the value of a target.
func (t *simplex) price(v int32) float64 {
	if t.tour != nil {
		return t.tour.price(v)
	}
	return t.u[v]
}

// level makes u the prices and values, which the tour has a part of.
func (t *simplex) level() {
	if t.tour == nil {
		return
	}
	for v := range t.u {
		t.u[v] = t.tour.price(int32(v))
	}
	clear(t.tour.add)
}

// list makes the lists of children those of the tree.
func (t *simplex) list() {
	if t.listed {
		return
	}
	t.listed = true
	for v := range t.kids {
		t.kids[v], t.nodes[v].prev = treeKids{-1, -1}, -1
	}
	for v := range t.nodes {
		if x := t.nodes[v]; x.par >= 0 {
			t.hang(int32(v), x.par, t.arcs[v].cost, t.arcs[v].flow)
		}
	}
}

// shift raises the potentials from v down.
func (t *simplex) shift(v int32, by float64) {
	st := append(t.stack[:0], v)
	for len(st) > 0 {
		x := st[len(st)-1]
		st = st[:len(st)-1]
		t.u[x] += by
		t.visits++
		for c := t.kids[x].child; c >= 0; c = t.kids[c].next {
			st = append(st, c)
		}
	}
	t.stack = st[:0]
}

// enter brings arc (i, j), which carries flow f, into a tree that joins i and
// j already. Of the arcs that run empty first the last one on the way round
// the cycle leaves, starting at the cycle's top in the direction of the new
// arc: on the target's side the one nearest the top, else on the source's side
// the one nearest i. That keeps a strongly feasible tree so.
func (t *simplex) enter(i, j int32, c float64, f int64) {
	t.pivot(i, j, c, f, c+t.price(i)-t.price(int32(t.in.m)+j) < 0)
}

// pivot is enter where the caller knows whether the new arc gains flow. It
// returns the end of the arc that hangs elsewhere now, −1 if none does.
func (t *simplex) pivot(i, j int32, c float64, f int64, gains bool) int32 {
	t.pivots++
	arcs := t.arcs
	a, b := i, int32(t.in.m)+j
	theta := int64(math.MaxInt64)
	out := int32(-1)
	below := a // the end of the new arc that is cut off
	if !gains {
		theta = f
	}
	t.meet(a, b)
	// Arcs alternate; the first on either side loses flow when the new arc gains.
	first := 1
	if gains {
		first = 0
	}
	for k := first; k < len(t.waysUp[0]); k += 2 {
		if x := t.waysUp[0][k]; arcs[x].flow < theta {
			theta, out = arcs[x].flow, x
		}
	}
	for k := first; k < len(t.waysUp[1]); k += 2 {
		if x := t.waysUp[1][k]; arcs[x].flow <= theta {
			theta, out, below = arcs[x].flow, x, b
		}
	}
	if theta > 0 {
		s := theta
		if !gains {
			s = -s
		}
		f += s
		for _, way := range t.waysUp {
			for k, x := range way {
				if k&1 == 0 {
					arcs[x].flow -= s
				} else {
					arcs[x].flow += s
				}
			}
		}
	}
	if out < 0 {
		return -1 // the new arc itself ran empty
	}
	if t.tour != nil {
		t.tour.cut(out)
	} else {
		t.unhang(out)
	}
	t.nodes[out].par = -1
	if below == a {
		t.attach(a, b, -c, f)
		return a
	}
	t.attach(b, a, c, f)
	return b
}

// meet finds the ways up from a and b to where they come together, which is on
// neither. It climbs both in step and stamps where it has been. What is done
// along the ways then need not wait for one node to learn the next.
func (t *simplex) meet(a, b int32) {
	nd := t.nodes
	t.climb += 2
	sa, sb := t.climb, t.climb+1
	up, other := t.waysUp[0][:0], t.waysUp[1][:0]
	for a != b {
		if a >= 0 {
			if nd[a].stamp == sb {
				other = other[:lastIndex(other, a)]
				break
			}
			nd[a].stamp = sa
			up = append(up, a)
			a = nd[a].par
		}
		if b >= 0 {
			if nd[b].stamp == sa {
				up = up[:lastIndex(up, b)]
				break
			}
			nd[b].stamp = sb
			other = append(other, b)
			b = nd[b].par
		}
	}
	t.waysUp = [2][]int32{up, other}
}

// lastIndex is the last place of v, which is there.
func lastIndex(s []int32, v int32) int {
	k := len(s) - 1
	for s[k] != v {
		k--
	}
	return k
}

// solve pivots until a full round over all arcs finds none violated; without
// exact, until one round has refreshed all lists and they hold none.
func (t *simplex) solve(ctx context.Context, exact bool, w *watch) error {
	defer t.level()
	sc := scan{blocks: 4}
	steps := 0
	fresh := t.pivots // when the potentials were last recomputed
	for {
		for {
			i, j, c, ok := t.pricer.find(t.l, t.u, t.tour, t.tol)
			if !ok && t.in.depots != nil {
				t.level()
				i, j, c, ok = t.in.depots.violated(t.u, t.in.m, t.tol)
			}
			if !ok {
				break
			}
			before := t.visits
			t.enter(i, j, c, 0)
			t.average += 0.02 * (float64(t.visits-before) - t.average)
			if t.tour == nil && t.average > longWalk {
				t.tour = newTour(t.root, t.kids, t.u)
			}
			if !t.in.planar() { // where pivots are cheap, and violated arcs many
				per := 16
				if t.tour != nil { // which visits as many in less time
					per = 128
				}
				t.pricer.block = min(max(int(t.average)/per, 32), 256)
			}
			if t.pivots-fresh >= t.in.m+t.in.n { // rounding must stay below tol
				fresh = t.pivots
				t.potentials()
			}
			if err := w.tick(ctx, 1); err != nil {
				return err
			}
		}
		if t.pivots != fresh {
			fresh = t.pivots
			t.potentials()
		}
		for {
			if steps == sc.blocks && !exact {
				return nil
			}
			clean, done, err := sc.step(ctx, t.in, t.l, t.u, t.tol)
			if err != nil || done {
				return err
			}
			if steps++; !clean {
				break
			}
		}
	}
}

// longWalk is how many nodes a pivot visits where a tour pays.
const longWalk = 150

// potentials recomputes all potentials from the root down.
func (t *simplex) potentials() {
	t.list()
	t.level()
	st := append(t.stack[:0], t.root)
	for len(st) > 0 {
		x := st[len(st)-1]
		st = st[:len(st)-1]
		for c := t.kids[x].child; c >= 0; c = t.kids[c].next {
			t.u[c] = t.u[x] + t.arcs[c].cost
			st = append(st, c)
		}
	}
	t.stack = st[:0]
}
