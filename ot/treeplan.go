package ot

// walk lists the nodes from the root down, parents before children.
func (t *simplex) walk(root int32) []int32 {
	t.list()
	order := append(make([]int32, 0, len(t.nodes)), root)
	for k := 0; k < len(order); k++ {
		for c := t.kids[order[k]].child; c >= 0; c = t.kids[c].next {
			order = append(order, c)
		}
	}
	return order
}

// flows computes the flow of every node's arc to its parent from the weights
// themselves, in twice the precision, whole numbers having been rounded ones.
// What the two sides' sums differ by ends up at the root.
func (t *simplex) flows(a, b weights) []dd {
	m := int32(t.in.m)
	order := t.walk(t.root)
	net := make([]dd, len(t.nodes))
	for _, v := range order {
		if v < m {
			net[v] = a.at(int(v))
		} else {
			net[v] = dd{}.minus(b.at(int(v - m)))
		}
	}
	for k := len(order) - 1; k > 0; k-- {
		v := order[k]
		par := t.nodes[v].par
		net[par] = net[par].plus(net[v])
		if v >= m {
			net[v] = dd{}.minus(net[v])
		}
	}
	net[t.root] = dd{}
	return net
}

// noFlow is the mass below which a flow in twice the precision is rounding.
const noFlow = 1e-29

// plan is the tree's plan for weights a and b. It is not ok where the basis,
// found for weights in whole numbers, does not carry these.
func (t *simplex) plan(a, b weights) (p *Plan, ok bool) {
	p, ok = &Plan{}, true
	m := int32(t.in.m)
	if uniform(t.in.a) && uniform(t.in.b) {
		var units float64
		for _, s := range t.supply {
			units += float64(s)
		}
		t.eachFlow(func(i, j int32, mass int64) { p.add(i, j, float64(mass)/units) })
		return p, true
	}
	for v, f := range t.flows(a, b) {
		switch {
		case f.hi < -noFlow:
			ok = false
		case f.hi > noFlow:
			if par := t.nodes[v].par; int32(v) < m {
				p.add(int32(v), par-m, f.hi)
			} else {
				p.add(par, int32(v)-m, f.hi)
			}
		}
	}
	return p, ok
}

// eachFlow visits the arcs that carry mass.
func (t *simplex) eachFlow(f func(i, j int32, mass int64)) {
	m := int32(t.in.m)
	for v, x := range t.nodes {
		if flow := t.arcs[v].flow; x.par >= 0 && flow > 0 {
			if v := int32(v); v < m {
				f(v, x.par-m, flow)
			} else {
				f(x.par, v-m, flow)
			}
		}
	}
}
