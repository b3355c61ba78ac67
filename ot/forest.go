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
	in     *instance
	k1, k2 float64 // κ of sources and targets
	nu     float64 // multiplier of the total mass; 0 when a side is hard
	trees
	u       []float64
	l       *lists
	scan    scan
	tol     float64 // violations below this do not count
	least   float64 // what tol is at least
	coarser float64 // by what factor stalling has raised it
	pricer  pricer
	visits  int // tree nodes visited, the cost of pivots
	average float64
	pivots  int
}

func newForest(in *instance, l *lists) *forest {
	return &forest{in: in, l: l, scan: scan{blocks: 4}, pricer: pricer{block: 32, jump: jumps(in.n)}, coarser: 1,
		trees: newTrees(in.m, in.n), u: make([]float64, in.m+in.n)}
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
		order := f.order[t]
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
	for t := range len(f.order) {
		if len(f.order[t]) > 0 {
			f.settle(int32(t))
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
