package cli

import (
	"context"
	"errors"

	"rot.example/rot/drift"
	"rot.example/rot/ot"
)

// A noiseFloor is how far two halves of each side are apart.
type noiseFloor struct {
	Source number `json:"source"`
	Target number `json:"target"`
}

// findNoise estimates the noise of both sides; nil where there are no rows to
// halve.
func findNoise(ctx context.Context, in *input) (*noiseFloor, error) {
	if in.source == nil || in.problem.Cost.Most() > 0 { // halves are compared at full costs
		return nil, nil
	}
	var floor [2]number
	for k, x := range []*ot.Points{&in.source.Points, &in.target.Points} {
		v, err := drift.Noise(ctx, x, in.problem.Cost.Metric(), 0)
		if errors.Is(err, ot.ErrShape) { // too few rows
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		floor[k] = number(v)
	}
	return &noiseFloor{floor[0], floor[1]}, nil
}
