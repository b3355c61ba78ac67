package figure

import (
	"math"
	"math/rand/v2"

	"rot.example/rot/ot"
)

// fourGaussians is n points around four centres on a circle, turned by angle:
// the data of the paper's first figure. The last outliers of them lie far off.
func fourGaussians(n, outliers int, angle float64, seed uint64) *ot.Points {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &ot.Points{Dim: 2}
	for i := range n {
		a := angle + math.Pi/2*float64(i%4)
		if i >= n-outliers {
			p.Coords = append(p.Coords, 4.5+0.4*rng.NormFloat64(), 4+0.4*rng.NormFloat64())
			continue
		}
		p.Coords = append(p.Coords, 2*math.Cos(a)+0.25*rng.NormFloat64(), 2*math.Sin(a)+0.25*rng.NormFloat64())
	}
	return p
}

// gaussian is n points in d dimensions whose spread falls with the column.
func gaussian(n, d int, shift float64, seed uint64) *ot.Points {
	rng := rand.New(rand.NewPCG(seed, 2))
	p := &ot.Points{Dim: d}
	for range n {
		for k := range d {
			p.Coords = append(p.Coords, shift+rng.NormFloat64()*3/float64(k+1))
		}
	}
	return p
}

// greedy sends every source with weight to its nearest target that is free,
// and all mass that finds none to the last target.
func greedy(x, y *ot.Points, a []float64) *ot.Result {
	used := make([]bool, y.Len())
	r := &ot.Result{Plan: &ot.Plan{}}
	for i := range x.Len() {
		mass := 1 / float64(x.Len())
		r.BaseA = append(r.BaseA, mass)
		if a != nil {
			mass *= a[i]
		}
		r.A = append(r.A, mass)
		if mass == 0 {
			continue
		}
		best, least := 0, math.Inf(1)
		for j := range y.Len() {
			var d float64
			for k, v := range x.Row(i) {
				d += (v - y.Row(j)[k]) * (v - y.Row(j)[k])
			}
			if !used[j] && d < least {
				best, least = j, d
			}
		}
		used[best] = true
		r.Plan.I, r.Plan.J, r.Plan.Mass = append(r.Plan.I, int32(i)), append(r.Plan.J, int32(best)), append(r.Plan.Mass, mass)
		r.Value += mass * math.Sqrt(least)
	}
	return r
}

// dropLast is the weights that leave out the last k of n samples.
func dropLast(n, k int) []float64 {
	w := make([]float64, n)
	for i := range n - k {
		w[i] = float64(n) / float64(n-k)
	}
	return w
}

// figureOne is the three panels of the paper's first figure.
func figureOne(n int) *Couplings {
	out := n / 20
	clean, dirty := fourGaussians(n, 0, 0, 1), fourGaussians(n, out, 0, 1)
	y := fourGaussians(n, 0, math.Pi/4, 2)
	return &Couplings{Panels: []*Coupling{
		NewCoupling("(a) clean", clean, y, greedy(clean, y, nil)),
		NewCoupling("(b) 5 % outliers, plain transport", dirty, y, greedy(dirty, y, nil)),
		NewCoupling("(c) 5 % outliers, robust transport", dirty, y, greedy(dirty, y, dropLast(n, out))),
	}}
}

// elbowCurve is a value that falls until ρ = 0.026 and then bends.
func elbowCurve() *Curve {
	v := func(rho float64) float64 {
		return 0.45*math.Exp(-2*rho) + 1.1*math.Pow(math.Max(0, 1-math.Sqrt(rho/0.03)), 1.6)
	}
	c := &Curve{Title: "Elbow curve, four Gaussians with 5 % outliers", Elbow: 0.03, RhoMax: 0.14}
	for _, rho := range []float64{0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15} {
		c.Rho, c.Value, c.Lower = append(c.Rho, rho), append(c.Value, v(rho)), append(c.Lower, v(rho)*0.999)
	}
	for k := range 151 {
		rho := float64(k) / 1000
		c.Grid = append(c.Grid, rho)
		i := 0
		for i+2 < len(c.Rho) && c.Rho[i+1] < rho {
			i++
		}
		t := (rho - c.Rho[i]) / (c.Rho[i+1] - c.Rho[i])
		upper := (1-t)*c.Value[i] + t*c.Value[i+1]
		c.UpperAt = append(c.UpperAt, upper)
		c.LowerAt = append(c.LowerAt, math.Max(c.Value[i+1], upper-1.2*t*(1-t)*(c.Value[i]-c.Value[i+1])))
		c.Bound = append(c.Bound, 0.5*math.Max(1, 1+50*0.05-50*math.Sqrt(2*rho*0.05*0.95)))
	}
	return c
}

// ganScatter is what a plain and a robust generator make of eight Gaussians on
// a circle, every twentieth point of which is an outlier.
func ganScatter(n int) *Scatter {
	ring := func(dirty bool, spread float64, seed uint64) (*ot.Points, []bool) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p, outlier := &ot.Points{Dim: 2}, make([]bool, n)
		for i := range n {
			a := math.Pi / 4 * float64(i%8)
			x, y := 2*math.Cos(a), 2*math.Sin(a)
			if outlier[i] = dirty && i%20 == 0; outlier[i] {
				x, y = 4.5, 4
			}
			p.Coords = append(p.Coords, x+spread*rng.NormFloat64(), y+spread*rng.NormFloat64())
		}
		return p, outlier
	}
	data, outlier := ring(true, 0.15, 1)
	plain, _ := ring(true, 0.2, 2)
	robust, _ := ring(false, 0.2, 2)
	return &Scatter{Panels: []*ScatterPanel{
		{Title: "(a) plain GAN", Note: "5 % of the samples are outliers", Data: data, Outlier: outlier, Generated: plain},
		{Title: "(b) robust GAN", Note: "no sample is an outlier", Data: data, Outlier: outlier, Generated: robust},
	}}
}

// ganCurves is the log of a run with n records.
func ganCurves(n int) *LossCurves {
	rng := rand.New(rand.NewPCG(4, 5))
	step := make([]int, n)
	critic, generator, chi, ess := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range n {
		t := float64(k) / float64(n)
		step[k] = 50 * k
		critic[k] = 12*math.Exp(-4*t) + 1 + 0.4*rng.NormFloat64()
		generator[k] = -3*t + 0.6*rng.NormFloat64()
		chi[k] = 0.026 * (1 - math.Exp(-20*t))
		ess[k] = 5e4 - 1e5*chi[k]
	}
	return &LossCurves{Title: "Robust GAN, 5 % outliers", Note: "ρ = 0.026, batch 64", Panels: []LossPanel{
		{Label: "loss", Series: []Series{{"critic", step, critic}, {"generator", step, generator}}},
		{Label: "χ²", Series: []Series{{"χ² of the weights", step, chi}}},
		{Series: []Series{{"ESS", step, ess}}},
	}}
}

// patterns is n images of h×w pixels with c channels, all different.
func patterns(n, h, w, c int) *ImageGrid {
	rng := rand.New(rand.NewPCG(6, 7))
	g := &ImageGrid{H: h, W: w, C: c}
	for range n {
		img := make([]uint8, h*w*c)
		for k := range img {
			img[k] = uint8(rng.UintN(256))
		}
		g.Images = append(g.Images, img)
	}
	return g
}
