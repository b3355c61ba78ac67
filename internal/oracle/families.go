package oracle

import (
	"math"

	"rot.example/rot/ot"
)

// plain is what a user would bring on a good day.
func plain(g *generator) {
	g.sizes()
	g.ordinary()
}

// ordinary draws costs, weights and a method without any malice.
func (g *generator) ordinary() {
	if g.chance(0.3) {
		g.matrix(func() float64 { return g.Float64() })
	} else {
		g.points(g.anyMetric())
	}
	g.someWeights()
	g.anyMethod()
}

// decades has costs over twelve decades.
func decades(g *generator) {
	g.sizes()
	if g.chance(0.6) {
		g.matrix(func() float64 { return g.decade(-6, 6) })
	} else {
		g.points(g.anyMetric())
		for _, c := range [][]float64{g.in.X, g.in.Y} {
			for k := range c {
				c[k] *= g.decade(-6, 6)
			}
		}
	}
	g.someWeights()
	g.anyMethod()
}

// light has weights over fifteen decades.
func light(g *generator) {
	g.sizes()
	if g.chance(0.4) {
		g.matrix(func() float64 { return float64(g.IntN(9)) + g.Float64() })
	} else {
		g.points(g.anyMetric())
	}
	low := oneOf(g, -5.0, -10.0, -15.0)
	g.weights(func() float64 { return g.decade(low, 0) })
	g.anyMethod()
}

// zeros has many weights of zero, and far points among those.
func zeros(g *generator) {
	g.sizes()
	if g.chance(0.4) {
		g.matrix(func() float64 { return g.Float64() })
	} else {
		g.points(g.anyMetric())
	}
	g.weights(func() float64 {
		if g.chance(0.4) {
			return 0
		}
		return oneOf(g, 1, 0.1+g.Float64())
	})
	if g.in.X != nil && g.in.A != nil && g.chance(0.5) {
		for i, w := range g.in.A {
			if w == 0 {
				g.in.X[i*g.in.Dim] = g.decade(0, 12)
			}
		}
	}
	g.anyMethod()
}

// totals has weights of very different sums.
func totals(g *generator) {
	plain(g)
	g.weights(func() float64 { return 0.5 + g.Float64() })
	for _, w := range [][]float64{g.in.A, g.in.B} {
		s := g.decade(-100, 100)
		for i := range w {
			w[i] *= s
		}
	}
}

// duplicates has the same few rows again and again, on both sides.
func duplicates(g *generator) {
	g.sizes()
	g.points(g.anyMetric())
	few := g.between(1, 4)
	for i := range g.in.M {
		k := g.IntN(min(few, g.in.M))
		copy(g.in.X[i*g.in.Dim:(i+1)*g.in.Dim], g.in.X[k*g.in.Dim:(k+1)*g.in.Dim])
	}
	for j := range g.in.N {
		if g.chance(0.7) {
			k := g.IntN(g.in.M)
			copy(g.in.Y[j*g.in.Dim:(j+1)*g.in.Dim], g.in.X[k*g.in.Dim:(k+1)*g.in.Dim])
		}
	}
	g.someWeights()
	g.anyMethod()
}

// copies has targets that are the sources, but for a little.
func copies(g *generator) {
	g.sizes()
	g.in.N = g.in.M
	g.points(g.anyMetric())
	noise := g.decade(-16, -3)
	single := g.chance(0.4)
	if single {
		for k := range g.in.X {
			g.in.X[k] *= 1 << 27
		}
	}
	for j, i := range g.Perm(g.in.M) {
		for k := range g.in.Dim {
			v := g.in.X[i*g.in.Dim+k]
			if single {
				v = float64(float32(v))
			} else {
				v += noise * g.NormFloat64()
			}
			g.in.Y[j*g.in.Dim+k] = v
		}
	}
	if g.chance(0.2) {
		g.someWeights()
	}
	g.anyMethod()
}

// ties has small whole costs.
func ties(g *generator) {
	g.sizes()
	top := g.between(1, 5)
	if g.chance(0.5) {
		g.matrix(func() float64 { return float64(g.IntN(top + 1)) })
	} else {
		g.points(oneOf(g, ot.Euclidean, ot.SqEuclidean, ot.Cityblock))
		for _, c := range [][]float64{g.in.X, g.in.Y} {
			for k := range c {
				c[k] = float64(g.IntN(top + 1))
			}
		}
	}
	if g.chance(0.4) {
		g.weights(func() float64 { return float64(g.between(1, 3)) })
	}
	g.anyMethod()
}

// thin has one row, or few, against many.
func thin(g *generator) {
	g.in.M, g.in.N = oneOf(g, 1, 1, 2, 3), g.between(1, 300)
	if g.chance(0.02) {
		g.in.N = 4000
	}
	if g.chance(0.4) {
		g.in.M, g.in.N = g.in.N, g.in.M
	}
	g.ordinary()
}

// line has points in one dimension, with ties and far ones.
func line(g *generator) {
	g.sizes()
	g.points(oneOf(g, ot.Euclidean, ot.SqEuclidean, ot.Cityblock))
	g.in.Dim = 1
	whole := g.chance(0.4)
	draw := func(n int) []float64 {
		out := make([]float64, n)
		for k := range out {
			switch out[k] = g.NormFloat64(); {
			case whole:
				out[k] = float64(g.IntN(10))
			case g.chance(0.03):
				out[k] *= g.decade(3, 12)
			}
		}
		return out
	}
	g.in.X, g.in.Y = draw(g.in.M), draw(g.in.N)
	switch g.IntN(3) {
	case 0:
		g.weights(func() float64 { return oneOf(g, 0, 0.1, g.Float64()) })
	case 1:
		g.weights(func() float64 { return g.decade(-12, 0) })
	}
	g.anyMethod()
	if g.chance(0.5) {
		g.in.Method = OneD
	}
}

// far has one row far away, on one side or both.
func far(g *generator) {
	g.sizes()
	g.points(oneOf(g, ot.Euclidean, ot.SqEuclidean, ot.SqEuclidean, ot.Cityblock))
	d := g.decade(3, 8)
	g.in.X[g.IntN(len(g.in.X))] = d
	if g.chance(0.3) {
		g.in.Y[g.IntN(len(g.in.Y))] = oneOf(g, d, -d, d*g.Float64())
	}
	if g.chance(0.2) {
		g.someWeights()
	}
	g.anyMethod()
	if g.chance(0.3) {
		g.in.Method, g.in.Mass = Partial, 1-1/float64(g.in.M)*g.Float64()
	}
}

// extremes has coordinates at the ends of the float64 range. Where costs would
// overflow or underflow an error is an answer.
func extremes(g *generator) {
	g.sizes()
	g.points(g.anyMetric())
	scale := oneOf(g, 1e-320, 1e-200, 1e-100, 1e-70, 1e-20, 1e20, 1e70, 1e100, 1e200, 1e307)
	for _, c := range [][]float64{g.in.X, g.in.Y} {
		for k := range c {
			c[k] = math.Max(-1, math.Min(1, c[k]/8)) * scale
			if g.chance(0.05) {
				c[k] = oneOf(g, 0, math.SmallestNonzeroFloat64, c[k]*g.decade(-20, 0))
			}
		}
	}
	g.in.MayRefuse = scale < 1e-70 || scale > 1e70 || g.in.Metric == ot.Cosine
	g.someWeights()
	g.anyMethod()
}

// mixed combines what the others have one at a time.
func mixed(g *generator) {
	oneOf(g, plain, decades, duplicates, copies, ties, negative, matching, line, far)(g)
	g.in.MayRefuse = false
	zero, low := oneOf(g, 0, 0.3), oneOf(g, 0.0, -8.0, -15.0)
	g.weights(func() float64 {
		if g.chance(zero) {
			return 0
		}
		return g.decade(low, 0)
	})
}
