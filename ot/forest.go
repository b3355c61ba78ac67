package ot

import "math"

// A forest is the quadratic network simplex (docs/math.md §5, §6): for fixed
// multipliers it minimizes
//
//	⟨C,π⟩ + λ1/2 Σ (w−a)²/a + λ2/2 Σ (v−b)²/b − ν·(Σπ − 1),   w = π1, v = πᵀ1,
//
// over flows π ≥ 0 on a forest of basic arcs. κ = 1/λ = 0 makes a marginal
// hard. Node v < m is a source, m+j is target j. Along an arc the potential
// rises by the cost: u is the price of a source and the value of a target, and
// no arc has cost + price below its target's value at the optimum.
//
// Every tree keeps its nodes in an array, parents before children, so that
// settling one is two linear passes.
type forest struct {
	in        *instance
	k1, k2    float64 // κ of sources and targets
	nu        float64 // multiplier of the total mass; 0 when a side is hard
	nodes     []forestNode
	u         []float64
	comp      []int32 // tree of every node
	trees     [][]int32
	freeTrees []int32
	mark      []bool
	path      []int32
	stack     []int32
	l         *lists
	scan      scan
	tol       float64 // violations below this do not count
	least     float64 // what tol is at least
	coarser   float64 // by what factor stalling has raised it
	pricer    pricer
	visits    int // tree nodes visited, the cost of pivots
	average   float64
	pivots    int
}

// A forestNode supplies base + gain·(its potential), less when negative.
type forestNode struct {
	par  int32
	cost float64 // potential = potential of the parent + cost
	flow float64 // on the arc to the parent
	net  float64 // supply of the subtree, then the flow of a settled tree
	pot  float64 // potential relative to the root
	base float64
	gain float64
}

func newForest(in *instance, l *lists) *forest {
	f := &forest{in: in, l: l, scan: scan{blocks: 4}, pricer: pricer{block: 32}, coarser: 1}
	v := in.m + in.n
	f.nodes = make([]forestNode, v)
	f.u = make([]float64, v)
	f.comp = make([]int32, v)
	f.mark = make([]bool, v)
	f.trees = make([][]int32, v)
	for v := range f.nodes {
		f.nodes[v].par = -1
		f.comp[v] = int32(v)
		f.trees[v] = []int32{int32(v)}
	}
	return f
}

// set changes the multipliers; flows and potentials follow with settleAll.
func (f *forest) set(k1, k2, nu float64) {
	f.k1, f.k2, f.nu = k1, k2, nu
	for i, a := range f.in.a {
		f.nodes[i].base, f.nodes[i].gain = a, a*k1
	}
	for j, b := range f.in.b {
		x := &f.nodes[f.in.m+j]
		x.base, x.gain = -b*(1+k2*nu), b*k2
	}
}

func (f *forest) newTree() int32 {
	if k := len(f.freeTrees); k > 0 {
		t := f.freeTrees[k-1]
		f.freeTrees = f.freeTrees[:k-1]
		return t
	}
	f.trees = append(f.trees, nil)
	return int32(len(f.trees) - 1)
}

// reroot makes v the root of its tree: the reversed path first, then everybody
// else in the old order, and parents still precede children.
func (f *forest) reroot(v int32) {
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
	order := f.trees[f.comp[v]]
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
func (f *forest) link(i, j int32, cost, flow float64) int32 {
	a, b := i, int32(f.in.m)+j
	if len(f.trees[f.comp[a]]) < len(f.trees[f.comp[b]]) {
		a, b = b, a
		cost = -cost
	}
	f.reroot(b)
	ta, tb := f.comp[a], f.comp[b]
	f.nodes[b].par, f.nodes[b].cost, f.nodes[b].flow = a, cost, flow
	for _, x := range f.trees[tb] {
		f.comp[x] = ta
	}
	f.trees[ta] = append(f.trees[ta], f.trees[tb]...)
	f.trees[tb] = f.trees[tb][:0]
	f.freeTrees = append(f.freeTrees, tb)
	return ta
}

// cut removes the arc between v and its parent; v's tree gets a new number.
func (f *forest) cut(v int32) (below, rest int32) {
	rest = f.comp[v]
	below = f.newTree()
	f.nodes[v].par, f.nodes[v].cost, f.nodes[v].flow = -1, 0, 0
	order := f.trees[rest]
	k := 0
	for order[k] != v {
		k++
	}
	sub := append(f.trees[below][:0], v)
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
	f.trees[rest] = order[:w]
	f.trees[below] = sub
	return below, rest
}

// settle moves a tree to its optimum for the current multipliers. An arc that
// would turn negative stops the move and leaves; both halves are settled. It
// says whether the tree could move at all before it was cut.
func (f *forest) settle(t int32) (moved bool) {
	stack := append(f.stack[:0], t)
	nd := f.nodes
	whole := true
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		order := f.trees[t]
		f.visits += len(order)
		nd[order[0]].pot = 0
		var supply, gain float64
		for k, v := range order {
			x := &nd[v]
			if k > 0 {
				x.pot = nd[x.par].pot + x.cost
			}
			x.net = x.base + x.gain*x.pot
			supply += x.net
			gain += x.gain
		}
		if gain == 0 && int(order[0]) >= f.in.m { // rounding cut a hard target off: back to its cheapest source
			stack = append(stack, f.readmit(order[0]))
			continue
		}
		shift := 0.0
		if gain > 0 {
			shift = -supply / gain
		}
		alpha := 1.0
		block := int32(-1)
		for k := len(order) - 1; k > 0; k-- {
			v := order[k]
			x := &nd[v]
			net := x.net + shift*x.gain
			nd[x.par].net += net
			if int(v) >= f.in.m {
				net = -net
			}
			x.net = net
			if net < 0 {
				al := 0.0
				if x.flow > 0 {
					al = x.flow / (x.flow - net)
				}
				if al < alpha || block < 0 {
					alpha = math.Min(alpha, al)
					block = v
				}
			}
		}
		if block < 0 {
			for _, v := range order {
				x := &nd[v]
				x.flow = x.net
				f.u[v] = x.pot + shift
			}
			nd[order[0]].flow = 0
			moved = moved || whole
			continue
		}
		if alpha > 0 {
			moved = true
			for _, v := range order[1:] {
				x := &nd[v]
				x.flow = math.Max(0, x.flow+alpha*(x.net-x.flow))
			}
		}
		whole = false
		below, rest := f.cut(block)
		stack = append(stack, below, rest)
	}
	f.stack = stack[:0]
	return moved
}

// readmit joins a hard target without arcs to the source that is cheapest in
// its list.
func (f *forest) readmit(v int32) int32 {
	j := v - int32(f.in.m)
	src, cost := f.l.arcs(int(j))
	best := 0
	for k, i := range src {
		if cost[k]+f.u[i] < cost[best]+f.u[src[best]] {
			best = k
		}
	}
	return f.link(src[best], j, cost[best], 0)
}

// settleAll settles every tree: the multipliers have changed.
func (f *forest) settleAll() {
	for t := range len(f.trees) {
		if len(f.trees[t]) > 0 {
			f.settle(int32(t))
		}
	}
}

// eachFlow visits the arcs that carry mass.
func (f *forest) eachFlow(do func(i, j int32, mass float64)) {
	m := int32(f.in.m)
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

// cost is that of the current flows.
func (f *forest) cost() float64 {
	var c sum
	for v, x := range f.nodes {
		if x.par >= 0 {
			if v < f.in.m { // costs lead from parent to child, so from target to source
				c.add(-x.flow * x.cost)
			} else {
				c.add(x.flow * x.cost)
			}
		}
	}
	return c.total()
}
