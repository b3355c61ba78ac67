package ot

import "math"

// relaxedForest solves the unbalanced problem exactly by an active set: a
// forest of arcs that may carry mass. Node v < m is source v, node m+j is
// target j. Write h for the potential of a node, so that −h_i is the dual F_i of
// a source and h_{m+j} the dual G_j of a target; the optimality conditions are
//
//	w_i = a_i·s₁(h_i),  v_j = b_j·s₂(−h_j),     s(h) = 1 + h/P or exp(h/P),
//	C_ij + h_i − h_j ≥ 0, with equality where mass flows.
//
// Along a tree the potentials are fixed up to one shift, which the balance of
// mass fixes in closed form for both divergences; flows follow from the leaves
// up (docs/math.md §7.3).
type relaxedForest struct {
	m, n   int
	div    Divergence
	p1, p2 float64
	nodes  []relaxedNode
	h      []float64
	noise  []float64 // sum of the numbers that h was added up from: rounding is a multiple of it
	tree   []int32   // number of the tree of each node
	order  [][]int32 // nodes of each tree, parents before children
	spare  []int32   // numbers of empty trees
	onPath []bool
	stack  []int32
	path   []int32

	pivots int
	work   int  // nodes settled
	moved  bool // the last pivot changed a flow
}

type relaxedNode struct {
	parent int32
	rise   float64 // potential = parent's + rise: ±cost of the arc to the parent
	flow   float64 // on that arc
	net    float64 // subtree balance, then the flow once the tree is settled
	p      float64 // potential up to the shift
	mass   float64 // the base weight
}

// newRelaxedForest starts without arcs: nothing is transported.
func newRelaxedForest(a, b []float64, div Divergence, p1, p2 float64) *relaxedForest {
	q := &relaxedForest{m: len(a), n: len(b), div: div, p1: p1, p2: p2}
	all := q.m + q.n
	q.nodes = make([]relaxedNode, all)
	q.h = make([]float64, all)
	q.noise = make([]float64, all)
	q.tree = make([]int32, all)
	q.order = make([][]int32, all)
	q.onPath = make([]bool, all)
	for v := range q.nodes {
		q.nodes[v].parent = -1
		q.tree[v] = int32(v)
		q.order[v] = []int32{int32(v)}
		if v < q.m {
			q.nodes[v].mass = a[v]
		} else {
			q.nodes[v].mass = b[v-q.m]
		}
	}
	return q
}

// retune changes the penalties and settles all trees under the new ones.
func (q *relaxedForest) retune(p1, p2 float64) {
	q.p1, q.p2 = p1, p2
	for t := range q.order {
		if len(q.order[t]) > 0 {
			q.settle(int32(t))
		}
	}
}

// reduced is the reduced cost of an arc of cost c from i to j.
func (q *relaxedForest) reduced(i, j int, c float64) float64 { return c + q.h[i] - q.h[q.m+j] }

// doubt is the sum of the numbers that went into reduced.
func (q *relaxedForest) doubt(i, j int, c float64) float64 {
	return math.Abs(c) + q.noise[i] + q.noise[q.m+j]
}

// link joins the trees of source i and target j by an arc of cost c.
func (q *relaxedForest) link(i, j int, c, flow float64) (tree int32) {
	a, b, rise := int32(i), int32(q.m+j), c
	if len(q.order[q.tree[a]]) < len(q.order[q.tree[b]]) {
		a, b, rise = b, a, -c
	}
	q.reroot(b)
	ta, tb := q.tree[a], q.tree[b]
	x := &q.nodes[b]
	x.parent, x.rise, x.flow = a, rise, flow
	for _, v := range q.order[tb] {
		q.tree[v] = ta
	}
	q.order[ta] = append(q.order[ta], q.order[tb]...)
	q.order[tb] = q.order[tb][:0]
	q.spare = append(q.spare, tb)
	return ta
}

// reroot makes v the root of its tree: the reversed path from v comes first,
// the others keep their order, so that parents still precede children.
func (q *relaxedForest) reroot(v int32) {
	if q.nodes[v].parent < 0 {
		return
	}
	path := q.path[:0]
	up, rise, flow := int32(-1), 0.0, 0.0
	for x := v; x >= 0; {
		n := &q.nodes[x]
		next := n.parent
		n.parent, up = up, x
		n.rise, rise = -rise, n.rise
		n.flow, flow = flow, n.flow
		q.onPath[x] = true
		path = append(path, x)
		x = next
	}
	order := q.order[q.tree[v]]
	w := len(order)
	for k := len(order) - 1; k >= 0; k-- {
		if x := order[k]; !q.onPath[x] {
			w--
			order[w] = x
		}
	}
	copy(order, path)
	for _, x := range path {
		q.onPath[x] = false
	}
	q.path = path
}

// cut removes the arc above v and returns the tree of v and the rest.
func (q *relaxedForest) cut(v int32) (sub, rest int32) {
	rest = q.tree[v]
	k := len(q.spare) - 1
	sub, q.spare = q.spare[k], q.spare[:k]
	x := &q.nodes[v]
	x.parent, x.rise, x.flow = -1, 0, 0
	order := q.order[rest]
	at := 0
	for order[at] != v {
		at++
	}
	below := append(q.order[sub][:0], v)
	q.tree[v] = sub
	w := at
	for _, x := range order[at+1:] {
		if q.tree[q.nodes[x].parent] == sub {
			q.tree[x] = sub
			below = append(below, x)
		} else {
			order[w] = x
			w++
		}
	}
	q.order[rest], q.order[sub] = order[:w], below
	return sub, rest
}

// enter brings arc (i, j) of cost c into the forest.
func (q *relaxedForest) enter(i, j int, c float64) {
	q.pivots++
	q.moved = false
	a, b := int32(i), int32(q.m+j)
	if q.tree[a] != q.tree[b] {
		q.dust(a, b)
		q.settle(q.link(i, j, c, 0))
		return
	}
	nodes := q.nodes
	for x := a; x >= 0; x = nodes[x].parent {
		q.onPath[x] = true
	}
	top := b
	for !q.onPath[top] {
		top = nodes[top].parent
	}
	for x := a; x >= 0; x = nodes[x].parent {
		q.onPath[x] = false
	}
	// Going up from either end of the new arc, arcs lose and win flow in turn.
	least, out := math.Inf(1), int32(-1)
	for _, end := range [2]int32{a, b} {
		lose := true
		for x := end; x != top; x = nodes[x].parent {
			if lose && nodes[x].flow < least {
				least, out = nodes[x].flow, x
			}
			lose = !lose
		}
	}
	if least > 0 {
		q.moved = true
		for _, end := range [2]int32{a, b} {
			sign := -least
			for x := end; x != top; x = nodes[x].parent {
				nodes[x].flow = max(0, nodes[x].flow+sign)
				sign = -sign
			}
		}
	}
	q.cut(out)
	q.settle(q.link(i, j, c, least))
}
