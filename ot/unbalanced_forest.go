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
	trees
	n      int
	div    Divergence
	p1, p2 float64
	level  float64 // of KL: what moving a unit of mass earns
	h      []float64
	noise  []float64 // sum of the numbers that h was added up from: rounding is a multiple of it

	covered bool // it has been given its first arcs
	pivots  int
	work    int  // nodes settled
	moved   bool // the last pivot changed a flow
}

// newRelaxedForest starts without arcs: nothing is transported.
func newRelaxedForest(a, b []float64, div Divergence, p1, p2 float64) *relaxedForest {
	q := &relaxedForest{trees: newTrees(len(a), len(b)), n: len(b), div: div, p1: p1, p2: p2}
	q.h = make([]float64, len(q.nodes))
	q.noise = make([]float64, len(q.nodes))
	for v := range q.nodes {
		if v < q.m {
			q.nodes[v].base = a[v]
		} else {
			q.nodes[v].base = b[v-q.m]
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

// enter brings arc (i, j) of cost c into the forest.
func (q *relaxedForest) enter(i, j int, c float64) {
	q.pivots++
	q.moved = false
	a, b := int32(i), int32(q.m+j)
	if q.comp[a] != q.comp[b] {
		q.dust(a, b)
		q.settle(q.link(int32(i), int32(j), c, 0))
		return
	}
	moved := q.push(a, b)
	q.moved = moved > 0
	q.settle(q.link(int32(i), int32(j), c, moved))
}
