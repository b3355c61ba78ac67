package worker

import (
	"context"

	"rot.example/rot/clean"
)

// find takes gamma, core, unscaled, seed and the array X, and returns the scores
// and the weights of its rows.
func find(ctx context.Context, q *request) (answer, error) {
	x, err := q.points("X")
	if err != nil {
		return answer{}, err
	}
	o := &clean.Options{Gamma: float64(q.Gamma), Core: q.Core, Unscaled: q.Unscaled, Seed: q.Seed}
	if q.report != nil {
		o.Progress = func(done, total int) {
			q.report(progress{Stage: "comparing rows", Iters: done, Done: number(float64(done) / float64(total))})
		}
	}
	r, err := clean.Find(ctx, x, o)
	if err != nil {
		return answer{}, err
	}
	return answer{map[string]number{"gamma": number(r.Gamma), "rho": number(r.Rho)}, []Array{Floats("score", r.Score), Floats("weight", r.Weight)}}, nil
}
