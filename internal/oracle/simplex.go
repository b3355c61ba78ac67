package oracle

import (
	"math"
	"math/big"

	"rot.example/rot/ot"
)

// An optimum is the least cost of a plan, and the size of the potentials that
// prove it.
type optimum struct {
	value *big.Rat
	size  float64
}

// optimum is the least cost of plain or partial transport of a small instance, or
// of robust transport in total variation; nil for other methods, large ones and
// those without a feasible plan.
func (in *Instance) optimum() *optimum {
	if in.M > smallOptimum || in.N > smallOptimum {
		return nil
	}
	a, b := raw(in.A, in.M), raw(in.B, in.N)
	sumA, sumB := sum(a), sum(b)
	t := &table{}
	for _, x := range a {
		t.supply = append(t.supply, x.times(sumB))
	}
	for _, x := range b {
		t.demand = append(t.demand, x.times(sumA))
	}
	for i := range a {
		var row []price
		for j := range b {
			p := price{times: 1}
			if c, ok := in.cost(i, j); ok {
				p = price{cost: c}
			}
			row = append(row, p)
		}
		t.cost = append(t.cost, row)
	}
	switch in.Method {
	case Exact, OneD, Entropic:
	case Partial:
		stay := whole(1).minus(exactly(in.Mass)).times(sumA).times(sumB)
		if !in.OneSided {
			t.extend(stay)
			break
		}
		for j := range t.demand {
			t.demand[j] = t.demand[j].times(exactly(in.Mass))
		}
		t.demand = append(t.demand, stay)
		for i := range t.cost {
			t.cost[i] = append(t.cost[i], price{})
		}
	case Robust:
		if in.Divergence != ot.TV {
			return nil
		}
		all := sumA.times(sumB)
		t.depots(exactly(math.Min(in.Rho, 1)).times(all), exactly(math.Min(in.TargetRho, 1)).times(all), a, b)
	default:
		return nil
	}
	value, u, v := t.solve()
	if value.times != 0 {
		return nil
	}
	pot := potentials{a: a, b: b}
	for i := range a {
		pot.f = append(pot.f, u[i].cost)
	}
	for j := range b {
		pot.g = append(pot.g, v[j].cost)
	}
	return &optimum{quotient(value.cost, sumA.times(sumB)), pot.size(in)}
}

// A price is a cost in which forbidden arcs count before all else.
type price struct {
	times int // that a forbidden arc is in it, with sign
	cost  number
}

func (p price) minus(q price) price {
	return price{times: p.times - q.times, cost: p.cost.minus(q.cost)}
}

func (p price) negative() bool { return p.times < 0 || p.times == 0 && p.cost.sign() < 0 }

// A table is a transport problem in exact numbers.
type table struct {
	supply, demand []number
	cost           [][]price
	flow           map[[2]int]number // the basis
}

// extend adds a source and a target that keep what is not moved.
func (t *table) extend(stay number) {
	if stay.sign() == 0 {
		return
	}
	for i := range t.cost {
		t.cost[i] = append(t.cost[i], price{})
	}
	last := make([]price, len(t.demand)+1)
	last[len(t.demand)] = price{times: 1}
	t.cost = append(t.cost, last)
	t.supply = append(t.supply, stay)
	t.demand = append(t.demand, stay)
}

// solve is the transport simplex with Bland's rule, which cannot cycle.
func (t *table) solve() (value price, u, v []price) {
	t.northWest()
	for {
		u, v = t.prices()
		enter, found := [2]int{}, false
		for i := range t.supply {
			for j := range t.demand {
				if _, basic := t.flow[[2]int{i, j}]; !found && !basic && t.cost[i][j].minus(u[i]).minus(v[j]).negative() {
					enter, found = [2]int{i, j}, true
				}
			}
		}
		if !found {
			break
		}
		t.pivot(enter)
	}
	for k, x := range t.flow {
		c := t.cost[k[0]][k[1]]
		if c.times > 0 && x.sign() > 0 {
			value.times++
		}
		value.cost = value.cost.plus(c.cost.times(x))
	}
	return value, u, v
}

// northWest starts with m+n−1 basic arcs, a tree.
func (t *table) northWest() {
	t.flow = map[[2]int]number{}
	i, j := 0, 0
	s, d := t.supply[0], t.demand[0]
	for {
		x := s
		if d.less(s) {
			x = d
		}
		t.flow[[2]int{i, j}] = x
		s, d = s.minus(x), d.minus(x)
		switch {
		case i == len(t.supply)-1 && j == len(t.demand)-1:
			return
		case j == len(t.demand)-1 || i < len(t.supply)-1 && s.sign() == 0:
			i++
			s = t.supply[i]
		default:
			j++
			d = t.demand[j]
		}
	}
}

// prices are u_i + v_j = c_ij on the basis, with u_0 = 0.
func (t *table) prices() (u, v []price) {
	u, v = make([]price, len(t.supply)), make([]price, len(t.demand))
	seenU, seenV := make([]bool, len(u)), make([]bool, len(v))
	seenU[0] = true
	for more := true; more; {
		more = false
		for k := range t.flow {
			i, j := k[0], k[1]
			switch {
			case seenU[i] && !seenV[j]:
				v[j], seenV[j], more = t.cost[i][j].minus(u[i]), true, true
			case seenV[j] && !seenU[i]:
				u[i], seenU[i], more = t.cost[i][j].minus(v[j]), true, true
			}
		}
	}
	return u, v
}

// pivot sends flow round the cycle that an arc closes.
func (t *table) pivot(enter [2]int) {
	path := t.path(enter[1], enter[0]) // arcs from the target back to the source
	leave := [2]int{-1, -1}
	var least number
	for k := 0; k < len(path); k += 2 { // these lose flow
		arc := path[k]
		if c := t.flow[arc].cmp(least); leave[0] < 0 || c < 0 || c == 0 && (arc[0] < leave[0] || arc[0] == leave[0] && arc[1] < leave[1]) {
			leave, least = arc, t.flow[arc]
		}
	}
	for k, arc := range path {
		if k%2 == 0 {
			t.flow[arc] = t.flow[arc].minus(least)
		} else {
			t.flow[arc] = t.flow[arc].plus(least)
		}
	}
	delete(t.flow, leave)
	t.flow[enter] = least
}

// path is the way through the tree from target j to source i.
func (t *table) path(j, i int) [][2]int {
	var walk func(node int, isTarget bool, from [2]int) [][2]int
	walk = func(node int, isTarget bool, from [2]int) [][2]int {
		if !isTarget && node == i {
			return [][2]int{}
		}
		for arc := range t.flow {
			if arc == from || isTarget && arc[1] != node || !isTarget && arc[0] != node {
				continue
			}
			next := arc[0]
			if !isTarget {
				next = arc[1]
			}
			if rest := walk(next, !isTarget, arc); rest != nil {
				return append([][2]int{arc}, rest...)
			}
		}
		return nil
	}
	return walk(j, true, [2]int{-1, -1})
}
