package ot

import "math"

// polished is the plan of the forest, scaled to mass one, with flows added up in
// twice the precision: those of light rows are small differences of large sums.
// What rounding leaves over ends up at a root whose weight may move, the heaviest.
func (s *klSearch) polished() *Plan {
	q := s.q
	x := s.model(s.lambda)
	scale := math.Exp(-x.log)
	net := make([]dd, len(q.nodes))
	weight := func(v int32) float64 { return math.Abs(net[v].hi) }
	plan := &Plan{}
	for t := range q.order {
		order := q.order[t]
		if len(order) < 2 {
			continue
		}
		// Masses, and by how much those that may move have to be scaled to balance.
		var kept, moving [2]dd // of sources and of targets
		root := int32(-1)
		for _, v := range order {
			side, mass := 0, q.nodes[v].base*math.Exp(math.Min(q.h[v]/s.lambda[0], 600))*scale
			if int(v) >= q.m {
				side, mass = 1, q.nodes[v].base*math.Exp(math.Min((q.level-q.h[v])/s.lambda[1], 600))*scale
			}
			net[v] = dd{hi: mass}
			if s.radii[side] == 0 {
				i := int(v)
				if side == 1 {
					i -= q.m
				}
				net[v] = s.base[side].at(i)
				kept[side] = kept[side].plus(net[v])
				continue
			}
			moving[side] = moving[side].plus(net[v])
			if root < 0 || weight(v) > weight(root) {
				root = v
			}
		}
		by := [2]dd{{hi: 1}, {hi: 1}}
		switch {
		case s.radii[0] == 0 && moving[1].hi > 0:
			by[1] = kept[0].over(moving[1])
		case s.radii[1] == 0 && moving[0].hi > 0:
			by[0] = kept[1].over(moving[0])
		case s.radii[0] > 0 && s.radii[1] > 0 && moving[1].hi > 0:
			by[1] = moving[0].over(moving[1])
		}
		for _, v := range order {
			side := 0
			if int(v) >= q.m {
				side = 1
			}
			if s.radii[side] > 0 {
				net[v] = net[v].mul(by[side])
			}
		}
		q.reroot(root)
		order = q.order[t]
		for k := len(order) - 1; k > 0; k-- {
			v := order[k]
			up := q.nodes[v].par
			net[up] = net[up].minus(net[v]) // a child's rest is the parent's to serve
			if flow := net[v].float(); flow > 0 {
				if int(v) < q.m {
					plan.add(v, up-int32(q.m), flow)
				} else {
					plan.add(up, v-int32(q.m), flow)
				}
			}
		}
	}
	if s.radii[0] > 0 && s.radii[1] > 0 { // no marginal fixes the mass
		plan.scale(1 / total(plan.Mass))
	}
	return plan
}
