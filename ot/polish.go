package ot

import "math"

// polish settles every tree once more in twice the precision, heaviest source
// at the root. Where weights or costs span many decades the light rows' flows
// are small differences of large sums, and it is there that it matters; what
// rounding leaves over ends up at the root, where it matters least.
func (f *forest) polish() {
	pot, net := make([]dd, len(f.nodes)), make([]dd, len(f.nodes))
	for t := range len(f.order) {
		order := f.order[t]
		if len(order) < 2 {
			continue
		}
		root := int32(-1)
		for _, v := range order {
			if int(v) < f.in.m && (root < 0 || f.in.a[v] > f.in.a[root]) {
				root = v
			}
		}
		f.reroot(root)
		pot[root] = dd{}
		var supply, gain dd
		for k, v := range order {
			x := &f.nodes[v]
			if k > 0 {
				pot[v] = pot[x.par].add(x.cost)
			}
			// base and gain are products of weights and multipliers, rounded
			// once; form them anew.
			net[v] = f.supplyAt(v, pot[v])
			supply = supply.plus(net[v])
			gain = gain.plus(f.gainOf(v))
		}
		var shift dd
		if gain.hi > 0 {
			shift = supply.over(gain).times(-1)
		}
		for k := len(order) - 1; k > 0; k-- {
			v := order[k]
			x := &f.nodes[v]
			g := f.gainOf(v)
			flow := net[v].plus(g.mul(shift))
			net[x.par] = net[x.par].plus(flow)
			x.flow = math.Max(0, flow.float())
			if int(v) >= f.in.m {
				x.flow = math.Max(0, -flow.float())
			}
			f.u[v] = pot[v].plus(shift).float()
		}
		f.u[root] = shift.float()
	}
}

// gainOf is by how much a node's supply grows with its potential.
func (f *forest) gainOf(v int32) dd {
	if int(v) < f.in.m {
		return dd{hi: f.in.a[v]}.times(f.k1)
	}
	return dd{hi: f.in.b[int(v)-f.in.m]}.times(f.k2)
}

// supplyAt is a node's supply at a potential.
func (f *forest) supplyAt(v int32, pot dd) dd {
	if int(v) < f.in.m {
		a := f.in.a[v]
		return f.gainOf(v).mul(pot).add(a)
	}
	b := f.in.b[int(v)-f.in.m]
	return f.gainOf(v).mul(pot.add(-f.nu)).add(-b)
}
