package ot

import "context"

const (
	wakeChoices = 8 // targets that a source without arcs may choose from
	wakeRounds  = 4 // after which sweeps do the rest
)

// wake gives arcs to sources that have none and would lower the cost if they
// had. Lists name the best sources of every target; where many sources wait
// for the same few targets, most are in no list until others have had their
// turn, and every round of sweeps looks at all of them again. Here each of
// them chooses among its best targets instead.
func (f *forest) wake(ctx context.Context, w *watch) error {
	m := f.in.m
	for range wakeRounds {
		var asleep []int32
		for i := range m {
			if len(f.order[f.comp[i]]) == 1 {
				asleep = append(asleep, int32(i))
			}
		}
		if len(asleep) == 0 {
			return nil
		}
		back, err := f.in.lookBack(ctx, asleep, f.u[m:], min(wakeChoices, f.in.n))
		if err != nil {
			return err
		}
		before := f.pivots
		for last := -1; f.pivots > last; {
			last = f.pivots
			for s, i := range asleep {
				targets, cost := back.arcs(s)
				best, at := -f.tol, -1
				for k, j := range targets {
					if r := cost[k] + f.u[i] - f.u[m+int(j)]; r < best {
						best, at = r, k
					}
				}
				if at < 0 {
					continue
				}
				f.enter(i, targets[at], cost[at])
				if err := w.tick(ctx, 1); err != nil {
					return err
				}
			}
		}
		if f.pivots == before {
			return nil
		}
	}
	return nil
}
