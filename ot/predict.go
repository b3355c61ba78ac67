package ot

import (
	"context"
	"math"
)

// predict guesses the λ that makes the ball tight when sources of weight zero
// are about to wake: source i sleeps until λ reaches min_j (C_ij − ψ_j), then
// its weight grows like a_i·(1 − wake_i/λ); the rest share what it leaves.
func (o *oneSided) predict(ctx context.Context, rho float64) (float64, error) {
	in, u := o.in, o.f.u
	var asleep []int32
	var zeroMass, mass, sum, sq float64
	for i, a := range in.a {
		if 1+u[i]/o.lambda <= 1e-12 {
			asleep = append(asleep, int32(i))
			zeroMass += a
			continue
		}
		mass += a
		sum += a * u[i]
		sq += a * u[i] * u[i]
	}
	if mass == 0 || len(asleep) == 0 {
		return math.Inf(1), nil
	}
	back, err := in.lookBack(ctx, asleep, u[in.m:], 1)
	if err != nil {
		return 0, err
	}
	wake := make([]float64, len(asleep))
	for s := range wake {
		wake[s] = back.cost[s] - u[in.m+int(back.src[s])]
	}
	spread := sq - sum*sum/mass
	model := func(lambda float64) float64 {
		v := spread / (lambda * lambda)
		var missing float64
		for s, i := range asleep {
			f := math.Min(1, math.Max(0, wake[s]/lambda))
			v += in.a[i] * f * f
			missing += in.a[i] * f
		}
		return (v + missing*missing/(1-zeroMass)) / 2
	}
	lo, hi := o.lambda, o.lambda*1e6
	if model(hi) > rho {
		return math.Inf(1), nil
	}
	for range 60 {
		if mid := math.Sqrt(lo * hi); model(mid) > rho {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, nil
}
