package ot

import (
	"context"
	"math"
)

// enter brings arc (i, j) into the basis and says whether any mass moved.
func (f *forest) enter(i, j int32, cost float64) (moved bool) {
	f.pivots++
	a, b := i, int32(f.in.m)+j
	if f.comp[a] != f.comp[b] {
		return f.settle(f.link(i, j, cost, 0))
	}
	theta := f.push(a, b)
	return f.settle(f.link(i, j, cost, theta)) || theta > 0
}

// precision sets the tolerance of pricing from the size of the potentials: a
// violation below it is rounding.
func (f *forest) precision() {
	f.tol = f.coarser * math.Max(f.least, 2e-14*f.top())
}

// top is the largest potential.
func (f *forest) top() float64 {
	var top float64
	for _, v := range f.u {
		top = math.Max(top, math.Abs(v))
	}
	return top
}

// pivotAll pivots until no list holds a violated arc. The pricing block
// adapts: as much time for pricing as for trees. Degenerate pivots might go
// round in a circle; a run of them, or of pivots altogether, beyond any that a
// solve needs makes the tolerance coarser, so that it ends.
func (f *forest) pivotAll(ctx context.Context, w *watch) error {
	patience := 20*len(f.nodes) + 1000
	for still, all := 0, 0; ; all++ {
		i, j, c, ok := f.pricer.find(f.l, f.u, nil, f.tol)
		if !ok {
			return nil
		}
		before := f.visits
		if f.enter(i, j, c) {
			still = 0
		} else {
			still++
		}
		if still > patience || all > 20*patience {
			f.coarser *= 10
			f.tol *= 10
			still, all = 0, 0
		}
		f.average += 0.02 * (float64(f.visits-before) - f.average)
		f.pricer.block = min(max(int(f.average/2), 16), 1024)
		if err := w.tick(ctx, 1); err != nil {
			return err
		}
	}
}

// optimize pivots until no arc is violated. exact: to the end of a clean round
// over all arcs; otherwise one round that refreshes every list.
func (f *forest) optimize(ctx context.Context, w *watch, exact bool) error {
	f.precision()
	if err := f.pivotAll(ctx, w); err != nil {
		return err
	}
	f.scan.clean = 0
	for k := 0; exact || k < f.scan.blocks; k++ {
		clean, done, err := f.scan.step(ctx, f.in, f.l, f.u, f.tol)
		if err != nil {
			return err
		}
		if done {
			return nil
		}
		if !clean {
			if err := f.pivotAll(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}
