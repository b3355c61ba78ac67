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
			out.values[b], errs[b] = c.carrier.distance(ctx, l.first[b], l.second[b])
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

// Every arrangement of the test needs distances between the same rows. Where
// rows have many columns they are made once for all, unless there are so many
// rows that they take up too much memory.
const (
	manyColumns = 128
	manyRows    = 4096
)

// A carrier finds transport distances between sets of rows.
type carrier struct {
	rows *scaled
	far  []float32 // the distances between all rows; nil where solvers make them
	same []int32   // the first row that equals a row; nil where few are repeated
}

func newCarrier(ctx context.Context, x *scaled) (*carrier, error) {
	c := &carrier{rows: x, same: repeatedRows(x)}
	if x.d < manyColumns || x.n > manyRows {
		return c, nil
	}
	c.far = make([]float32, x.n*x.n)
	return c, each(ctx, x.n, func(i int) {
		for j := range i { // one half, so that both are the same
			d := float32(distance(x.row(i), x.row(j)))
			c.far[i*x.n+j], c.far[j*x.n+i] = d, d
		}
	})
}

// distance is the transport distance between two sets of rows.
func (c *carrier) distance(ctx context.Context, a, b []int32) (float64, error) {
	a, shareA := c.merged(a)
	b, shareB := c.merged(b)
	p, err := c.problem(a, b)
	if err != nil {
		return 0, err
	}
	p.A, p.B = shareA, shareB
	r, err := ot.Exact(ctx, p, &ot.ExactOptions{Tol: 1e-4})
	var short *ot.ConvergenceError
	if err != nil && !(r != nil && errors.As(err, &short)) {
		return 0, err
	}
	return r.Value, nil
}

func (c *carrier) problem(a, b []int32) (*ot.Problem, error) {
	if c.far == nil {
		return ot.NewProblem(c.pick(a), c.pick(b), ot.Euclidean)
	}
	matrix := make([]float64, 0, len(a)*len(b))
	for _, i := range a {
		line := c.far[int(i)*c.rows.n : (int(i)+1)*c.rows.n]
		for _, j := range b {
			matrix = append(matrix, float64(line[j]))
		}
	}
	cost, err := ot.NewMatrixCost(len(a), len(b), matrix)
	if err != nil {
		return nil, err
	}
	return &ot.Problem{Cost: cost}, nil
}

func (c *carrier) pick(rows []int32) *ot.Points {
	x := &ot.Points{Dim: c.rows.d, Coords: make([]float64, 0, len(rows)*c.rows.d)}
	for _, i := range rows {
		x.Coords = append(x.Coords, c.rows.row(int(i))...)
	}
	return x
}
