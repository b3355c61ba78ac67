package ot

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// A refiner finishes a plain solution in twice the precision (docs/math.md
// §4), where float64 prices hide what matters: costs over many decades, near
// copies, weights of 1e-15. It starts from the simplex's tree, which is optimal
// but for rounding, so few pivots are left to do.
type refiner struct {
	t    *simplex
	a, b weights
	pot  []dd      // potential of every node
	size []float64 // |potential| rounded
}

// refineLimit is the number of pairs up to which a solution is refined: each
// pass looks at all of them, which takes about a second here.
const refineLimit = 400_000_000

func newRefiner(t *simplex, a, b weights) *refiner {
	r := &refiner{t: t, a: a, b: b, pot: make([]dd, len(t.nodes)), size: make([]float64, len(t.nodes))}
	t.list()
	t.level()
	t.tour = nil // few pivots are left
	r.hang(t.root)
	return r
}

// hang recomputes the potentials from v down.
func (r *refiner) hang(v int32) {
	t := r.t
	for _, x := range t.walk(v) {
		if par := t.nodes[x].par; par >= 0 {
			r.pot[x] = r.pot[par].add(t.arcs[x].cost)
		}
		t.u[x] = r.pot[x].float()
		r.size[x] = math.Abs(t.u[x])
	}
}

// reduced is the reduced cost of an arc, and how much of it may be rounding.
func (r *refiner) reduced(i, j int32, c float64) (value dd, noise float64) {
	b := int32(r.t.in.m) + j
	value = r.pot[i].minus(r.pot[b]).add(c)
	return value, 64 * tiny * float64(len(r.pot)) * (math.Abs(c) + r.size[i] + r.size[b])
}

// optimize pivots until no arc is violated: first for the flows in whole
// numbers, then, with the weights as they are, until no flow is negative.
func (r *refiner) optimize(ctx context.Context, w *watch) error {
	t, n := r.t, int32(r.t.in.n)
	for clean, j := int32(0), int32(0); clean < n; j = (j + 1) % n {
		i, c, ok := r.violated(j)
		if !ok {
			clean++
			if err := w.tick(ctx, 0); err != nil {
				return err
			}
			continue
		}
		clean = 0
		if v := t.pivot(i, j, c, 0, true); v >= 0 {
			r.hang(v)
		}
		if err := w.tick(ctx, 1); err != nil {
			return err
		}
	}
	if uniform(t.in.a) && uniform(t.in.b) {
		return nil
	}
	for range 10 * len(t.nodes) {
		short := r.shortArc()
		if short < 0 || !r.replace(short) {
			return nil
		}
		if err := w.tick(ctx, 1); err != nil {
			return err
		}
	}
	return nil
}

// violated is the most violated arc into target j.
func (r *refiner) violated(j int32) (best int32, cost float64, ok bool) {
	in, u := r.t.in, r.t.u
	b := int32(in.m) + j
	var least dd
	for i := range int32(in.m) {
		c := in.cost(int(i), int(j))
		// Prices rounded to float64 tell most arcs apart.
		if c+u[i]-u[b] > 8*eps*(math.Abs(c)+r.size[i]+r.size[b]) {
			continue
		}
		if v, noise := r.reduced(i, j, c); v.hi < -noise && v.less(least) {
			least, best, cost, ok = v, i, c, true
		}
	}
	return best, cost, ok
}

// shortArc is the node whose arc to the parent would carry the least mass, if
// that is negative; −1 if none is.
func (r *refiner) shortArc() int32 {
	worst, at := -noFlow, int32(-1)
	for v, f := range r.t.flows(r.a, r.b) {
		if f.hi < worst {
			worst, at = f.hi, int32(v)
		}
	}
	return at
}

// replace makes room for a negative flow as the dual simplex does: the arc
// above v leaves, and of those that carry mass the other way the one with the
// least reduced cost enters.
func (r *refiner) replace(v int32) bool {
	t, m := r.t, int32(r.t.in.m)
	below := make([]bool, len(t.nodes))
	for _, x := range t.walk(v) {
		below[x] = true
	}
	deficient := v < m // the part below lacks mass: its arc led up from a source
	bi, bj, bc := int32(-1), int32(-1), 0.0
	least := dd{hi: math.Inf(1)}
	for i := range m {
		if below[i] == deficient {
			continue
		}
		for j := range int32(t.in.n) {
			if below[m+j] != deficient {
				continue
			}
			c := t.in.cost(int(i), int(j))
			if x, _ := r.reduced(i, j, c); x.less(least) {
				least, bi, bj, bc = x, i, j, c
			}
		}
	}
	if bi < 0 {
		return false
	}
	t.pivots++
	t.unhang(v)
	t.nodes[v].par = -1
	if below[bi] {
		t.attach(bi, m+bj, -bc, 0)
		r.hang(bi)
	} else {
		t.attach(m+bj, bi, bc, 0)
		r.hang(m + bj)
	}
	return true
}

// parts numbers the parts of the tree that positive flow holds together.
func (r *refiner) parts() (part []int32, count int) {
	t := r.t
	flow := t.flows(r.a, r.b)
	part = make([]int32, len(t.nodes))
	for _, v := range t.walk(t.root) {
		if par := t.nodes[v].par; par >= 0 && flow[v].hi > noFlow {
			part[v] = part[par]
		} else {
			part[v] = int32(count)
			count++
		}
	}
	return part, count
}

// levels are shifts that bring the median of each part's potentials, by weight,
// to 0.
func (r *refiner) levels(part []int32, count int) []dd {
	m := r.t.in.m
	nodes := make([][]int32, count)
	mass := make([]float64, count)
	weight := func(v int32) float64 {
		if int(v) < m {
			return r.a.hi[v]
		}
		return r.b.hi[int(v)-m]
	}
	for v := range int32(len(part)) {
		nodes[part[v]] = append(nodes[part[v]], v)
		mass[part[v]] += weight(v)
	}
	shift := make([]dd, count)
	for p, vs := range nodes {
		slices.SortFunc(vs, func(v, w int32) int { return cmp.Compare(r.pot[v].hi, r.pot[w].hi) })
		below := 0.0
		for _, v := range vs {
			if below += weight(v); 2*below >= mass[p] {
				shift[p] = dd{}.minus(r.pot[v])
				break
			}
		}
	}
	return shift
}

// levelled shifts each part of the tree, whose level relative to the others is
// free within bounds, to potentials about as small as its own costs, so that
// they lose nothing when they are rounded; then down again as far as arcs
// between parts require. It returns the sources' prices.
func (r *refiner) levelled(ctx context.Context) ([]float64, error) {
	in := r.t.in
	m := int32(in.m)
	part, count := r.parts()
	shift := r.levels(part, count)
	// Lower parts until no arc is violated: the shortest paths of Bellman and
	// Ford, all at once at most places.
	const rounds = 60
	for round := 0; ; round++ {
		calm := true
		need := make([]dd, count)
		for j := range int32(in.n) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			pj := part[m+j]
			for i := range m {
				pi := part[i]
				if pi == pj {
					continue
				}
				c := in.cost(int(i), int(j))
				x := r.pot[i].plus(shift[pi]).minus(r.pot[m+j].plus(shift[pj])).add(c)
				if x.hi < -16*tiny*(math.Abs(c)+r.size[i]+r.size[m+j]) && x.less(need[pj]) {
					need[pj], calm = x, false
				}
			}
		}
		if calm {
			break
		}
		if round == rounds {
			return nil, nil
		}
		for p := range need {
			shift[p] = shift[p].plus(need[p])
		}
	}
	return r.prices(func(i int) dd { return shift[part[i]] }), nil
}

// prices are the sources' potentials, shifted and rounded up: a source whose
// price is too high by a rounding costs its own weight times that, one whose
// price is too low drags down all targets that find it tight.
func (r *refiner) prices(shift func(i int) dd) []float64 {
	u := make([]float64, r.t.in.m)
	for i := range u {
		x := r.pot[i].plus(shift(i))
		u[i] = x.float()
		if (dd{hi: u[i]}).less(x) {
			u[i] = math.Nextafter(u[i], math.Inf(1))
		}
	}
	return u
}
