package drift

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"rot.example/rot/ot"
)

// noiseRows is the size of the halves that Noise solves; larger ones are
// extrapolated from these and from halves of half that size.
const noiseRows = 400

// Noise is about how far two random halves of x are apart by plain transport:
// what a distance between samples of that size is when there is nothing to
// find. Weights are ignored. It returns an error that wraps ot.ErrShape for
// fewer than four rows; its other errors are those of ot.Exact.
func Noise(ctx context.Context, x *ot.Points, metric ot.Metric, seed uint64) (float64, error) {
	n := x.Len()
	if n < 4 {
		return 0, fmt.Errorf("drift: %d rows have no halves to compare: %w", n, ot.ErrShape)
	}
	size := min(n/2, noiseRows)
	whole, err := halvesApart(ctx, x, metric, size, 2, seed)
	if err != nil || size == n/2 {
		return whole, err
	}
	less, err := halvesApart(ctx, x, metric, size/2, 3, seed+1)
	if err != nil || whole == 0 {
		return whole, err
	}
	// The distance falls with a power of the size, at most the square root.
	power := min(max(math.Log2(less/whole), 0), 0.5)
	return whole * math.Pow(float64(size)/float64(n/2), power), nil
}

// halvesApart is the mean distance of pairs of samples of a size.
func halvesApart(ctx context.Context, x *ot.Points, metric ot.Metric, size, times int, seed uint64) (float64, error) {
	rng := rand.New(rand.NewPCG(seed, 7))
	var sum float64
	for range times {
		perm := rng.Perm(x.Len())
		p, err := ot.NewProblem(pick(x, perm[:size]), pick(x, perm[size:2*size]), metric)
		if err != nil {
			return 0, err
		}
		r, err := ot.Exact(ctx, p, &ot.ExactOptions{Tol: 1e-3})
		var short *ot.ConvergenceError
		if err != nil && !(r != nil && errors.As(err, &short)) {
			return 0, err
		}
		sum += r.Value / float64(times)
	}
	return sum, nil
}

// A Floor is the noise of both sides of a comparison: how far two random halves
// of each are apart.
type Floor struct{ Source, Target float64 }

// NoiseFloor returns the noise of both sides by Noise; nil where one of them has
// too few rows to halve.
func NoiseFloor(ctx context.Context, source, target *ot.Points, metric ot.Metric) (*Floor, error) {
	var floor [2]float64
	for k, x := range []*ot.Points{source, target} {
		v, err := Noise(ctx, x, metric, 0)
		if errors.Is(err, ot.ErrShape) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		floor[k] = v
	}
	return &Floor{floor[0], floor[1]}, nil
}
