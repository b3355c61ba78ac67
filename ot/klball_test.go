package ot

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/chisq"
)

// robustKL solves with balls of KL, and checks all that a Result promises.
func robustKL(t *testing.T, p *Problem, source, target float64) *Result {
	t.Helper()
	r, err := Robust(context.Background(), p, &RobustOptions{Source: chisq.Ball{Rho: source}, Target: chisq.Ball{Rho: target}, Divergence: KL})
	if err != nil {
		t.Fatalf("radii %g and %g: %v", source, target, err)
	}
	for side, s := range []struct {
		w, base []float64
		rho     float64
	}{{r.A, r.BaseA, source}, {r.B, r.BaseB, target}} {
		var mass float64
		for i, v := range s.w {
			mass += v
			if s.rho == 0 && math.Abs(v-s.base[i]) > 1e-12*s.base[i] {
				t.Fatalf("side %d: weight %d is %v, should stay %v", side, i, v, s.base[i])
			}
			if s.base[i] == 0 && v != 0 {
				t.Fatalf("side %d: point %d without weight got %v", side, i, v)
			}
		}
		if math.Abs(mass-1) > 1e-12 {
			t.Fatalf("side %d: mass %v", side, mass)
		}
		if kl := KL.of(s.w, s.base); kl > s.rho*(1+2e-12)+1e-15 {
			t.Fatalf("side %d: divergence %v, radius %v", side, kl, s.rho)
		}
	}
	for i, f := range r.F {
		for j, g := range r.G {
			if c := p.Cost.At(i, j); f+g > c+1e-12*(math.Abs(f)+math.Abs(g)) {
				t.Fatalf("F[%d] + G[%d] = %v, cost %v", i, j, f+g, c)
			}
		}
	}
	a, b, err := p.exactWeights()
	if err != nil {
		t.Fatal(err)
	}
	x, _ := a.leastTilted(r.F, source)
	y, _ := b.leastTilted(r.G, target)
	if proved := x.plus(y).floor(); r.Lower > proved+1e-13*math.Abs(proved) && r.Lower != 0 {
		t.Fatalf("lower is %v, the potentials prove %v", r.Lower, proved)
	}
	if r.Lower > r.Value || r.RelGap() > 1e-9 {
		t.Fatalf("value %v, lower %v", r.Value, r.Lower)
	}
	return r
}

func gaussCloud(r *rand.Rand, n, d int, shift float64) *Points {
	p := &Points{Dim: d}
	for range n * d {
		p.Coords = append(p.Coords, r.NormFloat64()+shift)
	}
	return p
}

// TestKLBallRandom solves random problems with radii of six decades on either
// side or on both.
func TestKLBallRandom(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		x, y := gaussCloud(r, 1+r.IntN(40), 2, 0), gaussCloud(r, 1+r.IntN(40), 2, 0.3)
		x.Coords[0] += 30
		if seed%4 == 0 {
			x.Weights = make([]float64, x.Len())
			for i := range x.Weights {
				x.Weights[i] = r.Float64() * float64(min(1, i%5))
			}
			x.Weights[0] = 0.3
		}
		p, err := NewProblem(x, y, []Metric{SqEuclidean, Euclidean, Cityblock, Cosine}[seed%4])
		if err != nil {
			t.Fatal(err)
		}
		radius := func() float64 { return math.Pow(10, -5+6*r.Float64()) }
		rho := [2]float64{radius(), radius()}
		if seed%3 < 2 {
			rho[seed%3] = 0
		}
		robustKL(t, p, rho[0], rho[1])
	}
}

// TestKLBallOfTwo has an answer on paper: half of the weight at cost 0 and half
// at cost 1, all of it bound for one point. Weights w and 1−w diverge from halves
// by log 2 − H(w), and the value is the part at cost 1.
func TestKLBallOfTwo(t *testing.T) {
	c, err := NewMatrixCost(2, 1, []float64{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, far := range []float64{0.4, 0.25, 0.01, 1e-6} {
		rho := math.Ln2 + far*math.Log(far) + (1-far)*math.Log1p(-far)
		r := robustKL(t, &Problem{Cost: c}, rho, 0)
		if math.Abs(r.Value-far) > 1e-9*far {
			t.Errorf("radius %v: value %v, want %v", rho, r.Value, far)
		}
		// dV/dρ = −1/log((1−far)/far)
		if want := 1 / math.Log((1-far)/far); math.Abs(r.SourceLambda-want) > 1e-6*want {
			t.Errorf("radius %v: multiplier %v, want %v", rho, r.SourceLambda, want)
		}
	}
	if r := robustKL(t, &Problem{Cost: c}, math.Ln2, 0); r.Value != 0 || r.SourceLambda != 0 {
		t.Errorf("radius log 2: value %v, multiplier %v, want 0 and 0", r.Value, r.SourceLambda)
	}
}

// TestKLBallLimits: no radius is plain transport, a large one nearest neighbours,
// and a larger one never costs more.
func TestKLBallLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x, y := gaussCloud(r, 30, 3, 0), gaussCloud(r, 25, 3, 0.5)
	p, err := NewProblem(x, y, Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Exact(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	var nearest float64
	for j := range 25 {
		least := math.Inf(1)
		for i := range 30 {
			least = math.Min(least, p.Cost.At(i, j))
		}
		nearest += least / 25
	}
	last := plain.Value
	for _, rho := range []float64{0, 1e-26, 1e-21, 1e-11, 1e-6, 1e-3, 0.03, 0.3, 1, 3, 10, 1e3, 1e300} {
		for _, v := range []float64{robustKL(t, p, rho, 0).Value, robustKL(t, p, rho, 1e-9).Value} {
			if v > last*(1+1e-9) || v < math.Min(nearest, last)*(1-1e-3) && rho < 1 {
				t.Errorf("radius %g: value %v after %v", rho, v, last)
			}
		}
		last = robustKL(t, p, rho, 0).Value
		switch {
		case rho < 1e-20 && math.Abs(last-plain.Value) > 1e-9*plain.Value:
			t.Errorf("radius %g: value %v, plain transport costs %v", rho, last, plain.Value)
		case rho >= 10 && math.Abs(last-nearest) > 1e-12*nearest:
			t.Errorf("radius %g: value %v, nearest neighbours cost %v", rho, last, nearest)
		}
	}
}

// TestKLBallSides: exchanging the sides exchanges the answer.
func TestKLBallSides(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	x, y := gaussCloud(r, 30, 2, 0), gaussCloud(r, 20, 2, 0.5)
	there, _ := NewProblem(x, y, SqEuclidean)
	back, _ := NewProblem(y, x, SqEuclidean)
	for _, rho := range [][2]float64{{0.1, 0}, {0, 0.02}, {0.05, 0.2}} {
		v, w := robustKL(t, there, rho[0], rho[1]).Value, robustKL(t, back, rho[1], rho[0]).Value
		if math.Abs(v-w) > 2e-9*v {
			t.Errorf("radii %v: %v one way and %v the other", rho, v, w)
		}
	}
}

// TestKLBallInterrupted: what comes back when a limit ends the search holds.
func TestKLBallInterrupted(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	p, _ := NewProblem(gaussCloud(r, 60, 2, 0), gaussCloud(r, 50, 2, 0.5), SqEuclidean)
	best := robustKL(t, p, 0.01, 0.02)
	for _, most := range []int{1, 5, 20, 80} {
		got, err := Robust(context.Background(), p, &RobustOptions{Source: chisq.Ball{Rho: 0.01}, Target: chisq.Ball{Rho: 0.02}, Divergence: KL, MaxIters: most})
		if err != nil && !errors.As(err, new(*ConvergenceError)) {
			t.Fatalf("%d pivots: %v", most, err)
		}
		if got.Lower > best.Value*(1+1e-12) || got.Value < best.Lower*(1-1e-12) {
			t.Errorf("%d pivots: bounds %v and %v, the optimum is %v", most, got.Lower, got.Value, best.Value)
		}
		if kl := KL.of(got.A, got.BaseA); kl > 0.01*(1+2e-12) {
			t.Errorf("%d pivots: divergence %v", most, kl)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: 0.01}, Divergence: KL}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestLeastTilted compares the proved bound with points of the ball.
func TestLeastTilted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 300 {
		n := 1 + r.IntN(12)
		phi, raw := make([]float64, n), make([]float64, n)
		for i := range phi {
			phi[i], raw[i] = math.Pow(10, 6*r.Float64()-3)*r.NormFloat64(), r.Float64()
		}
		w, err := normalize(raw, n, "test")
		if err != nil {
			t.Fatal(err)
		}
		rho := math.Pow(10, -12+14*r.Float64())
		bound, _ := w.leastTilted(phi, rho)
		low := bound.floor()
		sol := leastTilt(phi, w.hi, rho)
		if sol.lambda == 0 {
			continue
		}
		asked := make([]float64, n)
		var mean, size float64
		for i := range phi {
			asked[i] = w.hi[i] * math.Exp(sol.exponent(phi[i]))
			mean += asked[i] * phi[i]
			size += asked[i] * math.Abs(phi[i])
		}
		if kl := KL.of(asked, w.hi); math.Abs(kl-rho) > 1e-6*rho {
			t.Fatalf("radius %g: weights at %g", rho, kl)
		}
		if low > mean+1e-14*size || low < mean-1e-7*size*math.Sqrt(rho)-1e-12*size {
			t.Fatalf("radius %g: bound %v, a point of the ball has %v (size %g)", rho, low, mean, size)
		}
	}
}

// TestKLBallLarge: sweeps over points and passes over a matrix agree.
func TestKLBallLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	x, y := gaussCloud(r, 400, 3, 0), gaussCloud(r, 350, 3, 0.5)
	x.Weights = make([]float64, 400)
	for i := range x.Weights {
		x.Weights[i] = float64(i % 3)
	}
	x.Coords[3] += 50
	p, err := NewProblem(x, y, Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	matrix := tableOf(t, p).problem(t)
	for _, rho := range [][2]float64{{0.05, 0}, {0, 0.01}, {0.02, 0.1}} {
		v, w := robustKL(t, p, rho[0], rho[1]).Value, robustKL(t, matrix, rho[0], rho[1]).Value
		if math.Abs(v-w) > 2e-9*v {
			t.Errorf("radii %v: points %v, matrix %v", rho, v, w)
		}
	}
}
