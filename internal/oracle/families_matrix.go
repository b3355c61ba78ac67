package oracle

import "math"

// masks has huge costs that mean "not here", and mostly a plan without them.
func masks(g *generator) {
	g.sizes()
	g.someWeights()
	big := oneOf(g, 1e9, 1e30, 1e100, 1e139, 1e200, 1e300, math.MaxFloat64)
	g.matrix(func() float64 { return g.Float64() })
	g.close(big, g.chance(0.8))
	g.anyMethod()
	if g.in.Method == Unbalanced && g.in.Penalty > 1e6 {
		g.in.Penalty, g.in.TargetPenalty = 1, 1
	}
}

// forbidden has arcs of infinite cost; sometimes no plan is left.
func forbidden(g *generator) {
	g.sizes()
	g.someWeights()
	g.matrix(func() float64 { return oneOf(g, g.Float64(), g.NormFloat64(), float64(g.IntN(4))) })
	g.close(math.Inf(1), true)
	g.anyMethod()
	if hard := g.in.Method == Exact || g.in.Method == Entropic || g.in.Method == Robust && g.in.TargetRho == 0; hard && g.chance(0.15) {
		j := g.IntN(g.in.N) // out of reach, and it must be served
		for i := range g.in.M {
			g.in.Matrix[i*g.in.N+j] = math.Inf(1)
		}
		g.in.NoPlanExists = true
	}
}

// close sets a share of the matrix to a cost. With a way out, the arcs of one
// plan stay as they are.
func (g *generator) close(cost float64, wayOut bool) {
	in := g.in
	share := oneOf(g, 0.1, 0.5, 0.8)
	open := map[[2]int]bool{}
	if wayOut {
		a, b := raw(in.A, in.M), raw(in.B, in.N)
		sumA, sumB := sum(a), sum(b)
		rows, cols := g.Perm(in.M), g.Perm(in.N)
		t := &table{}
		for _, i := range rows {
			t.supply = append(t.supply, a[i].times(sumB))
		}
		for _, j := range cols {
			t.demand = append(t.demand, b[j].times(sumA))
		}
		t.northWest()
		for arc := range t.flow {
			open[[2]int{rows[arc[0]], cols[arc[1]]}] = true
		}
	}
	for k := range in.Matrix {
		if g.chance(share) && !open[[2]int{k / in.N, k % in.N}] {
			in.Matrix[k] = cost
		}
	}
}

// negative has costs of both signs.
func negative(g *generator) {
	g.sizes()
	shift := oneOf(g, 0, 1, -1, -100, -1e9)
	g.matrix(func() float64 { return g.NormFloat64() + shift })
	g.someWeights()
	g.anyMethod()
}

// matching has a plan of cost zero beside large costs.
func matching(g *generator) {
	g.sizes()
	g.in.N = g.in.M
	large := oneOf(g, 459, g.decade(0, 8))
	g.matrix(func() float64 { return large * g.Float64() })
	for i, j := range g.Perm(g.in.M) {
		g.in.Matrix[i*g.in.N+j] = oneOf(g, 0, 0, 0, 1e-12*g.Float64())
	}
	if g.chance(0.3) {
		g.someWeights()
	}
	g.anyMethod()
}

// constant has one cost everywhere.
func constant(g *generator) {
	g.sizes()
	c := oneOf(g, 0, 1, 0.1, -3, g.decade(-30, 30), -g.decade(-30, 30))
	g.matrix(func() float64 { return c })
	g.someWeights()
	g.anyMethod()
	if g.in.Method == Robust {
		g.in.Rho = g.decade(-35, 3)
	}
	if g.in.Method == Unbalanced && c < 0 { // the mass of KL grows like exp(−c/p)
		g.in.Penalty, g.in.TargetPenalty = -2*c, -c
	}
}
