package ot

import "math"

// settle moves a tree to its optimum. An arc that would turn negative stops the
// move and leaves, and both halves are settled.
func (q *relaxedForest) settle(t int32) {
	nodes := q.nodes
	q.stack = append(q.stack[:0], t)
	for len(q.stack) > 0 {
		t := q.stack[len(q.stack)-1]
		q.stack = q.stack[:len(q.stack)-1]
		order := q.order[t]
		q.work += len(order)
		if len(order) == 1 {
			v := order[0]
			q.h[v] = q.alone(int(v))
			q.noise[v] = math.Abs(q.h[v])
			continue
		}
		shift := q.balance(order)
		if q.div == KL {
			// Flows are sums from the leaves up. With the heaviest node at the
			// root, rounding cannot take away what a light one carries.
			heavy := order[0]
			for _, v := range order {
				if math.Abs(nodes[v].net) > math.Abs(nodes[heavy].net) {
					heavy = v
				}
			}
			if heavy != order[0] {
				q.reroot(heavy)
				shift = q.balance(order)
			}
		}
		step, block, top := 1.0, int32(-1), 0.0
		for k := len(order) - 1; k > 0; k-- {
			v := order[k]
			x := &nodes[v]
			nodes[x.par].net += x.net
			if int(v) >= q.m {
				x.net = -x.net
			}
			top = max(top, x.net)
			if x.net < 0 {
				s := 0.0
				if x.flow > 0 {
					s = x.flow / (x.flow - x.net)
				}
				if block < 0 || s < step {
					step, block = s, v
				}
			}
		}
		if block < 0 {
			root := order[0]
			// The shift comes from a balance of masses, as good as these are.
			q.h[root], q.noise[root] = shift, math.Abs(shift)+0.25/(1/q.p1+1/q.p2)
			for _, v := range order[1:] {
				x := &nodes[v]
				q.h[v] = x.pot + shift
				q.noise[v] = q.noise[x.par] + math.Abs(x.pot)
				q.moved = q.moved || math.Abs(x.flow-x.net) > 1e-14*top
				x.flow = x.net
			}
			continue
		}
		if step > 0 {
			q.moved = q.moved || step > 1e-14
			for _, v := range order[1:] {
				x := &nodes[v]
				x.flow = max(0, x.flow+step*(x.net-x.flow))
			}
		}
		sub, rest := q.cut(block)
		q.stack = append(q.stack, sub, rest)
	}
}

// alone is the potential of a node without arcs, which carries no mass: −P₁ or
// P₂. KL never leaves a node alone, unless it has no weight; such a node gets a
// potential that no arc can violate.
func (q *relaxedForest) alone(v int) float64 {
	source := v < q.m
	switch {
	case q.nodes[v].base == 0 && source:
		return math.Inf(1)
	case q.nodes[v].base == 0:
		return math.Inf(-1)
	case source:
		return -q.p1
	}
	return q.p2
}

// balance puts the potentials of a tree up to its shift into p and the mass of
// every node, targets negative, into net; it returns the shift.
func (q *relaxedForest) balance(order []int32) (shift float64) {
	nodes := q.nodes
	nodes[order[0]].pot = 0
	for _, v := range order[1:] {
		x := &nodes[v]
		x.pot = nodes[x.par].pot + x.cost
	}
	if q.div == KL {
		return q.balanceKL(order)
	}
	k1, k2 := 1/q.p1, 1/q.p2
	var a, b, pa, pb float64
	for _, v := range order {
		x := &nodes[v]
		if int(v) < q.m {
			a += x.base
			pa += x.base * x.pot
		} else {
			b += x.base
			pb += x.base * x.pot
		}
	}
	shift = (b - a - pa*k1 - pb*k2) / (a*k1 + b*k2)
	for _, v := range order {
		x := &nodes[v]
		if int(v) < q.m {
			x.net = x.base * (1 + (x.pot+shift)*k1)
		} else {
			x.net = -x.base * (1 - (x.pot+shift)*k2)
		}
	}
	return shift
}

// balanceKL is balance for exponential masses, by log-sum-exp. Exponents are
// capped: a mass of e^600 only serves to find the arc that has to leave.
func (q *relaxedForest) balanceKL(order []int32) (shift float64) {
	nodes := q.nodes
	k1, k2 := 1/q.p1, 1/q.p2
	topA, topB := math.Inf(-1), math.Inf(-1)
	for _, v := range order {
		if x := &nodes[v]; int(v) < q.m {
			topA = max(topA, x.pot*k1)
		} else {
			topB = max(topB, (q.level-x.pot)*k2)
		}
	}
	var a, b float64
	for _, v := range order {
		if x := &nodes[v]; int(v) < q.m {
			x.net = x.base * math.Exp(x.pot*k1-topA)
			a += x.net
		} else {
			x.net = -x.base * math.Exp((q.level-x.pot)*k2-topB)
			b -= x.net
		}
	}
	shift = (math.Log(b) + topB - math.Log(a) - topA) / (k1 + k2)
	sa, sb := math.Exp(min(topA+shift*k1, 600)), math.Exp(min(topB-shift*k2, 600))
	for _, v := range order {
		if x := &nodes[v]; int(v) < q.m {
			x.net *= sa
		} else {
			x.net *= sb
		}
	}
	return shift
}

// dust makes way for an arc between two trees. If one of its ends carries so
// little that the sign of its flow would be lost in rounding, that end leaves
// its old arc first instead of tying the trees together.
func (q *relaxedForest) dust(a, b int32) {
	if q.div != KL {
		return
	}
	light := 1e-15 * min(q.rootMass(a), q.rootMass(b))
	if light == 0 { // a tree whose masses all underflow has no rounding errors either
		return
	}
	for _, v := range [2]int32{a, b} {
		if x := &q.nodes[v]; x.par >= 0 && x.flow <= light {
			_, rest := q.cut(v)
			q.settle(rest)
			return
		}
	}
}

// rootMass is the mass at the root of the tree of v, its heaviest node.
func (q *relaxedForest) rootMass(v int32) float64 {
	r := q.order[q.comp[v]][0]
	if int(r) < q.m {
		return q.nodes[r].base * fastExp(min(q.h[r]/q.p1, 600))
	}
	return q.nodes[r].base * fastExp(min((q.level-q.h[r])/q.p2, 600))
}
