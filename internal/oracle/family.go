package oracle

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/ot"
)

// A maker draws instances of one family.
type maker struct {
	name string
	draw func(g *generator)
}

var makers = []maker{
	{"plain", plain},
	{"decades", decades},
	{"light", light},
	{"zeros", zeros},
	{"totals", totals},
	{"duplicates", duplicates},
	{"copies", copies},
	{"ties", ties},
	{"masks", masks},
	{"forbidden", forbidden},
	{"negative", negative},
	{"matching", matching},
	{"constant", constant},
	{"thin", thin},
	{"line", line},
	{"far", far},
	{"extremes", extremes},
	{"mixed", mixed},
	{"radii", radii},
	{"masses", masses},
	{"penalties", penalties},
	{"blur", blurred},
	{"curve", curves},
	{"truncated", truncated},
	{"trimmed", trimmed},
	{"kl", entropyBalls},
	{"variation", variationBalls},
	{"trims", sourceTrims},
}

// Families are the names of all families.
func Families() []string {
	var names []string
	for _, m := range makers {
		names = append(names, m.name)
	}
	return names
}

// Generate is the instance of a family with a seed, always the same.
func Generate(family string, seed uint64) (*Instance, error) {
	k := slices.IndexFunc(makers, func(m maker) bool { return m.name == family })
	if k < 0 {
		return nil, fmt.Errorf("oracle: no family %q (want one of %v)", family, Families())
	}
	h := fnv.New64a()
	h.Write([]byte(family))
	g := &generator{Rand: rand.New(rand.NewPCG(seed, h.Sum64())), in: &Instance{Family: family, Seed: seed}}
	makers[k].draw(g)
	return g.in, nil
}

// A generator draws the parts of an instance.
type generator struct {
	*rand.Rand
	in *Instance
}

func (g *generator) chance(p float64) bool { return g.Float64() < p }

func (g *generator) between(low, high int) int { return low + g.IntN(high-low+1) }

// decade is 10 to a uniform power.
func (g *generator) decade(low, high float64) float64 {
	return math.Pow(10, low+(high-low)*g.Float64())
}

func oneOf[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

// sizes are mostly small, sometimes hundreds, seldom a thousand.
func (g *generator) sizes() {
	side := func() int {
		switch x := g.Float64(); {
		case x < 0.5:
			return g.between(1, 8)
		case x < 0.96:
			return g.between(2, 50)
		case x < 0.995:
			return g.between(51, 300)
		}
		return g.between(301, 1000)
	}
	g.in.M = side()
	if g.in.N = g.in.M; g.chance(0.7) {
		g.in.N = side()
	}
	if g.in.M*g.in.N > 300_000 { // the exact check of these takes seconds
		g.in.N = 300
	}
}

// points are normal clouds, a little apart.
func (g *generator) points(metric ot.Metric) {
	g.in.Metric, g.in.Dim = metric, oneOf(g, 1, 2, 2, 3, 8)
	if metric == ot.Cosine {
		g.in.Dim = max(2, g.in.Dim)
	}
	cloud := func(n int, shift float64) []float64 {
		out := make([]float64, n*g.in.Dim)
		for k := range out {
			out[k] = g.NormFloat64() + shift
		}
		return out
	}
	g.in.X, g.in.Y = cloud(g.in.M, 0), cloud(g.in.N, g.Float64())
}

func (g *generator) anyMetric() ot.Metric {
	return oneOf(g, ot.Euclidean, ot.Euclidean, ot.SqEuclidean, ot.SqEuclidean, ot.Cityblock, ot.Cosine)
}

// matrix fills a cost matrix.
func (g *generator) matrix(entry func() float64) {
	g.in.Metric = ot.Given
	g.in.Matrix = make([]float64, g.in.M*g.in.N)
	for k := range g.in.Matrix {
		g.in.Matrix[k] = entry()
	}
}

// weights draws weights for both sides, or leaves a side uniform.
func (g *generator) weights(entry func() float64) {
	draw := func(n int) []float64 {
		if g.chance(0.25) {
			return nil
		}
		w := make([]float64, n)
		var top float64
		for i := range w {
			w[i] = entry()
			top = math.Max(top, w[i])
		}
		if top == 0 {
			w[g.IntN(n)] = 1
		}
		return w
	}
	g.in.A, g.in.B = draw(g.in.M), draw(g.in.N)
}

// someWeights are ordinary weights, half of the time.
func (g *generator) someWeights() {
	if g.chance(0.5) {
		g.weights(func() float64 { return 0.1 + g.Float64() })
	}
}

// anyMethod draws a method and ordinary options for it.
func (g *generator) anyMethod() {
	in := g.in
	switch x := g.Float64(); {
	case x < 0.34 && in.Dim == 1 && in.Metric != ot.Cosine && g.chance(0.7):
		in.Method = OneD
	case x < 0.34:
		in.Method = Exact
	case x < 0.5:
		in.Method = Robust
		in.Rho = g.decade(-4, 0)
		if g.chance(0.3) {
			in.Rho, in.TargetRho = 0, in.Rho
		}
	case x < 0.66:
		in.Method, in.Rho, in.TargetRho = Robust, g.decade(-4, 0), g.decade(-4, 0)
	case x < 0.78:
		in.Method, in.Mass = Partial, 0.01+0.99*g.Float64()
	case x < 0.92:
		in.Method, in.Divergence = Unbalanced, oneOf(g, ot.Chi2, ot.KL)
		in.Penalty = g.typicalCost() * g.decade(-2, 3)
		in.TargetPenalty = in.Penalty
		if g.chance(0.3) {
			in.TargetPenalty *= g.decade(-2, 2)
		}
	case x < 0.97:
		in.Method = Entropic
	default:
		g.curve()
	}
}

// typicalCost is a cost in the middle of a few, 1 where all are zero.
func (g *generator) typicalCost() float64 {
	var some []float64
	for k := range 31 {
		c := math.Abs(g.in.roughCost((k*7)%g.in.M, (k*13)%g.in.N))
		if c > 0 && c <= math.MaxFloat64 {
			some = append(some, c)
		}
	}
	if len(some) == 0 {
		return 1
	}
	slices.Sort(some)
	return some[len(some)/2]
}

func (g *generator) curve() {
	g.in.Method, g.in.Divergence = Curve, ot.Chi2
	g.in.Rhos = nil
	for range g.between(1, 6) {
		g.in.Rhos = append(g.in.Rhos, g.decade(-4, 1))
	}
	if g.chance(0.3) {
		g.in.Rhos = append(g.in.Rhos, 0)
	}
	slices.Sort(g.in.Rhos)
}
