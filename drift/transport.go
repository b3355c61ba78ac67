package drift

import (
	"context"
	"errors"

	"rot.example/rot/ot"
)

// transport is the transport distance of the two samples in every arrangement.
func (c *comparison) transport(ctx context.Context, l *labels) (score, error) {
	out := score{"transport", make([]float64, l.times)}
	errs := make([]error, l.times)
	finished := make(chan struct{}, l.times)
	go func() {
		_ = each(ctx, l.times, func(b int) { // the end of ctx shows below
			out.values[b], errs[b] = c.carry(ctx, l.first[b], l.second[b])
			finished <- struct{}{}
		})
		close(finished)
	}()
	for range finished {
		c.tick()
	}
	if err := ctx.Err(); err != nil {
		return out, err
	}
	return out, errors.Join(errs...)
}

// carry is the transport distance between two sets of the pooled rows.
func (c *comparison) carry(ctx context.Context, a, b []int32) (float64, error) {
	pick := func(rows []int32) *ot.Points {
		x := &ot.Points{Dim: c.scaled.d, Coords: make([]float64, 0, len(rows)*c.scaled.d)}
		for _, i := range rows {
			x.Coords = append(x.Coords, c.scaled.row(int(i))...)
		}
		return x
	}
	p, err := ot.NewProblem(pick(a), pick(b), ot.Euclidean)
	if err != nil {
		return 0, err
	}
	r, err := ot.Exact(ctx, p, &ot.ExactOptions{Tol: 1e-4})
	var short *ot.ConvergenceError
	if err != nil && !(r != nil && errors.As(err, &short)) {
		return 0, err
	}
	return r.Value, nil
}

