package ot

import "math"

// trees is a forest on the sources and targets, below the simplex methods with
// movable marginals: quadratic (forest) and unbalanced (relaxedForest). Node
// v < m is source v, node m+j is target j.
//
// Every tree keeps its nodes in an array, parents before children, so that a
// pass from the root down or from the leaves up is a linear one. The simplex of
// plain transport moves parts of one tree that spans everything, and keeps
// lists of children instead: there, arrays would cost a pass over all nodes per
// pivot (docs/decisions/012-trees.md).
type trees struct {
	m     int
	nodes []forestNode
	comp  []int32   // tree of every node
	order [][]int32 // nodes of every tree, parents before children
	free  []int32   // numbers of empty trees
	mark  []bool
	path  []int32
	stack []int32
}

// A forestNode supplies base + gain·(its potential) mass, or what its marginal
// makes of base and potential; less when negative.
type forestNode struct {
	par  int32
	cost float64 // potential = potential of the parent + cost
	flow float64 // on the arc to the parent
	net  float64 // supply of the subtree, then the flow of a settled tree
	pot  float64 // potential relative to the root
	base float64
	gain float64
}

// newTrees starts without arcs.
func newTrees(m, n int) trees {
	f := trees{m: m, nodes: make([]forestNode, m+n), comp: make([]int32, m+n), order: make([][]int32, m+n), mark: make([]bool, m+n)}
	for v := range f.nodes {
		f.nodes[v].par = -1
		f.comp[v] = int32(v)
		f.order[v] = []int32{int32(v)}
	}
	return f
}

func (f *trees) newTree() int32 {
	if k := len(f.free); k > 0 {
		t := f.free[k-1]
		f.free = f.free[:k-1]
		return t
	}
	f.order = append(f.order, nil)
	return int32(len(f.order) - 1)
}

// reroot makes v the root of its tree: the reversed path first, then everybody
// else in the old order, and parents still precede children.
func (f *trees) reroot(v int32) {
	nd := f.nodes
	if nd[v].par < 0 {
		return
	}
	path := f.path[:0]
	prev := int32(-1)
	var pc, pf float64
	for x := v; x >= 0; {
		up, c, fl := nd[x].par, nd[x].cost, nd[x].flow
		nd[x].par, nd[x].cost, nd[x].flow = prev, -pc, pf
		f.mark[x] = true
		path = append(path, x)
		prev, pc, pf = x, c, fl
		x = up
	}
	order := f.order[f.comp[v]]
	w := len(order)
	for k := len(order) - 1; k >= 0; k-- {
		if x := order[k]; !f.mark[x] {
			w--
			order[w] = x
		}
	}
	copy(order, path)
	for _, x := range path {
		f.mark[x] = false
	}
	f.path = path
}

// link joins the trees of source i and target j by an arc.
func (f *trees) link(i, j int32, cost, flow float64) int32 {
	a, b := i, int32(f.m)+j
	if len(f.order[f.comp[a]]) < len(f.order[f.comp[b]]) {
		a, b = b, a
		cost = -cost
	}
	f.reroot(b)
	ta, tb := f.comp[a], f.comp[b]
	f.nodes[b].par, f.nodes[b].cost, f.nodes[b].flow = a, cost, flow
	for _, x := range f.order[tb] {
		f.comp[x] = ta
	}
	f.order[ta] = append(f.order[ta], f.order[tb]...)
	f.order[tb] = f.order[tb][:0]
	f.free = append(f.free, tb)
	return ta
}

// cut removes the arc between v and its parent; v's tree gets a new number.
func (f *trees) cut(v int32) (below, rest int32) {
	rest = f.comp[v]
	below = f.newTree()
	f.nodes[v].par, f.nodes[v].cost, f.nodes[v].flow = -1, 0, 0
	order := f.order[rest]
	k := 0
	for order[k] != v {
		k++
	}
	sub := append(f.order[below][:0], v)
	f.comp[v] = below
	w := k
	for _, x := range order[k+1:] {
		if f.comp[f.nodes[x].par] == below {
			f.comp[x] = below
			sub = append(sub, x)
		} else {
			order[w] = x
			w++
		}
	}
	f.order[rest] = order[:w]
	f.order[below] = sub
	return below, rest
}

// push sends as much flow as it can round the cycle that a new arc from source
// a to target b of the same tree closes, until an arc runs empty, and removes
// that one. It returns how much.
func (f *trees) push(a, b int32) float64 {
	nd := f.nodes
	for x := a; x >= 0; x = nd[x].par {
		f.mark[x] = true
	}
	top := b
	for !f.mark[top] {
		top = nd[top].par
	}
	for x := a; x >= 0; x = nd[x].par {
		f.mark[x] = false
	}
	// Going up from either end the first arc loses flow; then they alternate.
	theta := math.Inf(1)
	out := a // one of the two ends has a way up
	if a == top {
		out = b
	}
	for x, loses := a, true; x != top; x, loses = nd[x].par, !loses {
		if loses && nd[x].flow < theta {
			theta, out = nd[x].flow, x
		}
	}
	for x, loses := b, true; x != top; x, loses = nd[x].par, !loses {
		if loses && nd[x].flow <= theta {
			theta, out = nd[x].flow, x
		}
	}
	if theta > 0 {
		for _, end := range [2]int32{a, b} {
			s := -theta
			for x := end; x != top; x = nd[x].par {
				nd[x].flow += s
				s = -s
			}
		}
	}
	f.cut(out)
	return theta
}

// eachFlow visits the arcs that carry mass.
func (f *trees) eachFlow(do func(i, j int32, mass float64)) {
	m := int32(f.m)
	for v, x := range f.nodes {
		if x.par >= 0 && x.flow > 0 {
			if v := int32(v); v < m {
				do(v, x.par-m, x.flow)
			} else {
				do(x.par, v-m, x.flow)
			}
		}
	}
}
