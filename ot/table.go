package ot

import (
	"context"
	"math"

	"rot.example/rot/internal/parallel"
)

// A costTable is all costs of a problem with points, for few rows in many
// dimensions: there a solve looks at a pair several times, and each time takes
// longer than to look it up. Costs in it are sums in another order than those of
// Cost.At, and as good: potentials that are feasible for them are lowered by
// what rounding may have raised them before they prove anything.
type costTable struct {
	of    *Cost
	costs []float64 // of.m × of.n, row-major
}

const (
	tableFrom  = 32      // dimensions
	tablePays  = 8       // rows a side for a dimension: with more, sweeps over points are faster
	mostTabled = 4 << 20 // pairs: 32 MiB
	tableRows  = 32      // targets at a time, which stay in the cache
)

// useTables is a variable so that tests of sweeps can do without.
var useTables = true

// tabled says that a table pays.
func (c *Cost) tabled() bool {
	if !useTables || !fastTable() || c.metric == Cityblock || c.dim < tableFrom || min(c.m, c.n) < 2 {
		return false
	}
	pairs, side := float64(c.m)*float64(c.n), tablePays*float64(c.dim)
	return pairs <= side*side && pairs <= mostTabled
}

// withTable is the problem with a table of its costs where that pays.
func (p *Problem) withTable(ctx context.Context) (*Problem, error) {
	if p == nil || p.Cost == nil || p.device != nil || !p.Cost.tabled() {
		return p, nil
	}
	c := p.Cost.doubled()
	t := &costTable{of: p.Cost, costs: make([]float64, c.m*c.n)}
	tiles := max(1, c.n/tableRows)
	err := parallel.Try(tiles, func(k int) error {
		lo, hi := k*tableRows, (k+1)*tableRows
		if k == tiles-1 {
			hi = c.n
		}
		y := c.y[lo*c.dim : hi*c.dim]
		for i := range c.m {
			if i%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			out := t.costs[i*c.n+lo : i*c.n+hi]
			squares(c.x[i*c.dim:(i+1)*c.dim], y, out)
			for j, v := range out {
				switch c.metric {
				case Euclidean:
					v = math.Sqrt(v)
				case Cosine: // of rows of length one
					v /= 2
				}
				if c.most > 0 {
					v = math.Min(v, c.most)
				}
				out[j] = v
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	q := *p
	q.table = t
	return &q, nil
}
