package oracle

import (
	"math"

	"rot.example/rot/ot"
)

// radii has robust problems with radii from nothing to everything.
func radii(g *generator) {
	oneOf(g, plain, plain, decades, ties, copies, far, light, constant)(g)
	in := g.in
	in.Method, in.Divergence = Robust, ot.Chi2
	draw := func() float64 {
		if g.chance(0.3) {
			return g.decade(-35, -8)
		}
		return oneOf(g, g.decade(-8, 0), g.decade(-2, 3), 1e-16, 1e-150, 5e-324, 1e300, 0.5)
	}
	in.Rho, in.TargetRho = draw(), 0
	if g.chance(0.5) {
		in.TargetRho = draw()
	}
	if g.chance(0.2) {
		in.Rho, in.TargetRho = in.TargetRho, in.Rho
	}
}

// masses has partial problems with every share of the mass.
func masses(g *generator) {
	oneOf(g, plain, decades, ties, far, light, zeros, negative, line)(g)
	g.in.Method = Partial
	g.in.Mass = oneOf(g, 1, g.Float64(), g.Float64(), float64(g.between(1, g.in.M))/float64(g.in.M), g.decade(-17, 0), 1-g.decade(-16, -1), 1e-300, 0.5)
	if g.in.Mass == 0 {
		g.in.Mass = 1
	}
}

// truncated has points whose costs are cut off, some or most of them.
func truncated(g *generator) {
	for g.in.Metric = ot.Given; g.in.Metric == ot.Given; {
		*g.in = Instance{Family: g.in.Family, Seed: g.in.Seed}
		oneOf(g, plain, plain, decades, ties, copies, far, light, zeros, line)(g)
	}
	if g.in.Most = g.typicalCost() * oneOf(g, g.decade(-1, 1), g.decade(-6, 6), 1); g.in.Method == OneD {
		g.in.Method = Exact
	}
}

// trimmed has partial problems of so many points that no matrix is built.
func trimmed(g *generator) {
	g.in.M, g.in.N = g.between(317, 400), g.between(317, 400)
	g.points(g.anyMetric())
	if g.chance(0.3) {
		for k := range g.between(1, 30) * g.in.Dim {
			g.in.X[k] += g.decade(0, 6)
		}
	}
	g.someWeights()
	g.in.Method, g.in.Mass = Partial, oneOf(g, g.Float64(), 1-g.decade(-6, -1), g.decade(-4, 0), 0.95)
}

// penalties has unbalanced problems with cheap and dear marginals.
func penalties(g *generator) {
	oneOf(g, plain, plain, decades, ties, copies, light, zeros, far)(g)
	in := g.in
	in.Method, in.Divergence = Unbalanced, oneOf(g, ot.Chi2, ot.KL)
	typical := g.typicalCost()
	in.Penalty = typical * oneOf(g, g.decade(-3, 3), g.decade(-17, 17))
	in.TargetPenalty = in.Penalty
	if g.chance(0.3) {
		in.TargetPenalty = typical * g.decade(-17, 17)
	}
	if g.chance(0.03) {
		in.Penalty, in.TargetPenalty = 1e100, 1e100
		s := oneOf(g, 1, 1e-150)
		for _, c := range [][]float64{in.X, in.Y, in.Matrix} {
			for k := range c {
				c[k] *= s
			}
		}
		in.MayRefuse, in.MayStop = true, true
	}
	// Marginals in float64 are off by ulps, whose penalty is their square.
	in.MayStop = in.MayStop || math.Max(in.Penalty, in.TargetPenalty) > 1e15*typical
}

// blurred has entropic problems with strong and weak smoothing.
func blurred(g *generator) {
	oneOf(g, plain, plain, decades, ties, copies, light, zeros, negative)(g)
	g.in.Method = Entropic
	if g.chance(0.7) {
		g.in.Epsilon = g.typicalCost() * g.decade(-2.5, 2)
	}
}

// curves has V(ρ) at several radii.
func curves(g *generator) {
	oneOf(g, plain, plain, decades, ties, copies, far, light, zeros, line)(g)
	g.curve()
	if g.in.M*g.in.N > 3000 { // each radius is solved and checked by itself as well
		g.in.Rhos = g.in.Rhos[:1]
	}
}

// balls has robust problems with balls of KL and of total variation on costs of
// all kinds: radii from 1e-11 to 1e3, on either side or both.
func balls(g *generator, d ot.Divergence) {
	oneOf(g, plain, plain, decades, ties, copies, duplicates, far, light, zeros, constant, negative, matching, masks, line, thin)(g)
	in := g.in
	in.Method, in.Divergence, in.MayStop = Robust, d, false
	draw := func() float64 {
		return oneOf(g, g.decade(-11, 3), g.decade(-3, 0), g.decade(-35, -11), float64(g.between(1, in.M))/float64(in.M))
	}
	in.Rho, in.TargetRho = draw(), 0
	switch x := g.Float64(); {
	case x < 0.3:
		in.TargetRho = draw()
	case x < 0.5:
		in.Rho, in.TargetRho = 0, in.Rho
	}
}

func entropyBalls(g *generator)   { balls(g, ot.KL) }
func variationBalls(g *generator) { balls(g, ot.TV) }

// sourceTrims has partial problems in which the source alone leaves mass behind,
// some of so many points that no matrix is built.
func sourceTrims(g *generator) {
	if g.chance(0.05) {
		trimmed(g)
	} else {
		masses(g)
	}
	g.in.OneSided = true
}
