package ot

import (
	"context"
	"math"
)

// An auction finds good prices and most of a plan for plain OT (docs/math.md
// §4). Targets bid for the mass of sources, within their lists only: a list
// stays valid while prices rise and its top is not passed; then the bidder
// quits, and augmenting paths or the simplex place what it lacks.
type auction struct {
	in     *instance
	l      *lists
	u      []float64 // price of every source
	supply []int64
	demand []int64
	free   []int64 // unsold mass of every source
	rem    []int64 // missing mass of every target
	hold   [][]lot // what every source has sold
	queue  []int32
	slack  float64 // a gap that is good enough
}

// augmentPhases bounds the augmenting paths. In an assignment what they leave
// costs the simplex thousands of pivots each. With other weights there are many
// small pieces, and past a few phases the simplex is faster: a few more where
// there are many points, since pivots cost more there.
func (a *auction) augmentPhases(assignment bool) int {
	if assignment {
		return 300
	}
	return min(max(a.in.n/2000, 4), 60)
}

// A lot is mass that target j bought at a price.
type lot struct {
	j     int32
	mass  int64
	price float64
}

func newAuction(in *instance, l *lists, u []float64, supply, demand []int64) *auction {
	return &auction{in: in, l: l, u: u, supply: supply, demand: demand,
		free: make([]int64, in.m), rem: make([]int64, in.n), hold: make([][]lot, in.m), queue: make([]int32, 0, in.n)}
}

// run serves every target: phases of bidding, augmenting paths, and whatever
// is left at any price. top is a large cost.
func (a *auction) run(ctx context.Context, eps []float64, top float64) error {
	copy(a.free, a.supply)
	copy(a.rem, a.demand)
	assignment := level(a.supply) && level(a.demand)
	if !assignment { // the finest bids are wars over small pieces
		eps = eps[:len(eps)-1]
		if a.in.planar() || a.in.coords != nil { // where they spare no pivots
			eps = eps[:2]
		}
	}
	spread := resolution(a.l, a.u)
	near := math.Max(spread, 1e-9*top)
	if near > 0 { // else all costs are zero and any plan will do
		for k, e := range eps {
			if k > 0 {
				if e*near < a.slack/4 {
					break // finer bids are for a finer answer
				}
				if err := a.reprice(ctx); err != nil {
					return err
				}
				if err := a.in.sweep(ctx, a.l, a.u, 0, a.in.n); err != nil {
					return err
				}
			}
			if err := a.phase(ctx, e*near); err != nil {
				return err
			}
		}
		g, err := newAugmenter(ctx, a, 1e-12*top, 0.03*near)
		if err != nil {
			return err
		}
		g.flat = spread == 0
		if err := g.run(ctx, a.augmentPhases(assignment)); err != nil {
			return err
		}
	}
	return a.rest(ctx)
}

// level says that all have the same mass.
func level(mass []int64) bool {
	for _, f := range mass {
		if f != mass[0] {
			return false
		}
	}
	return true
}

// A target that misses less than its demand over idle does not bid: with
// unequal weights fragments would breed.
const idle = 5

// bids reports whether target j misses enough of its demand to bid.
func (a *auction) bids(j int32) bool {
	if a.depot(j) {
		return a.rem[j] > a.demand[j]/depotIdle
	}
	return a.rem[j] > a.demand[j]/idle
}

// depotIdle is idle for a depot, which buys from many.
const depotIdle = 500

func (a *auction) depot(j int32) bool { return a.in.depots.isTarget(int(j)) }

// phase auctions everything anew from the current prices, with bids that
// overshoot by eps.
func (a *auction) phase(ctx context.Context, eps float64) error {
	for i := range a.hold {
		a.hold[i] = a.hold[i][:0]
		a.free[i] = a.supply[i]
	}
	a.queue = a.queue[:0]
	for j := a.in.n - 1; j >= 0; j-- {
		a.rem[j] = a.demand[j]
		a.queue = append(a.queue, int32(j))
	}
	var quit []int32
	last := 0
	for round := 0; ; round++ {
		quit = quit[:0]
		for budget := 60 * a.in.n; len(a.queue) > 0 && budget > 0; {
			j := a.queue[len(a.queue)-1]
			a.queue = a.queue[:len(a.queue)-1]
			for a.bids(j) && budget > 0 {
				budget--
				i, price, ok := a.choose(j, eps)
				if !ok {
					quit = append(quit, j)
					break
				}
				a.sell(i, j, price)
			}
		}
		if len(quit)*500 < a.in.n || len(a.queue) > 0 || round > 2 && len(quit)*10 > last*9 {
			return nil
		}
		last = len(quit)
		if err := a.in.sweepSome(ctx, a.l, a.u, quit); err != nil {
			return err
		}
		a.queue = append(a.queue, quit...)
	}
}

// choose finds target j's best source and the price it can bid there: as much
// as leaves the second best no better, plus eps.
func (a *auction) choose(j int32, eps float64) (best int32, price float64, ok bool) {
	v1, v2 := math.Inf(1), math.Inf(1)
	if d := a.in.depots.target(int(j)); d != nil { // it wants more than a list has
		for i, c := range d.cost {
			if v := c + a.u[i]; v < v2 && !a.in.depots.isSource(i) {
				if v < v1 {
					v1, v2, best = v, v1, int32(i)
				} else {
					v2 = v
				}
			}
		}
		return best, a.u[best] + v2 - v1 + eps, !math.IsInf(v2, 1)
	}
	src, cost := a.l.arcs(int(j))
	for k, i := range src {
		if v := cost[k] + a.u[i]; v < v2 {
			if v < v1 {
				v1, v2, best = v, v1, i
			} else {
				v2 = v
			}
		}
	}
	top := a.l.top[j]
	if v1 > top {
		return 0, 0, false // the list is used up
	}
	v2 = math.Min(v2, top)
	if math.IsInf(v2, 1) {
		v2 = v1
	}
	return best, a.u[best] + v2 - v1 + eps, true
}

// sell gives target j as much of source i as it misses: unsold mass first,
// then the cheapest lots below its price.
func (a *auction) sell(i, j int32, price float64) {
	h := a.hold[i]
	want := a.rem[j]
	got := min(want, a.free[i])
	a.free[i] -= got
	for got < want {
		lo := -1
		for k := range h {
			if lo < 0 || h[k].price < h[lo].price {
				lo = k
			}
		}
		if lo < 0 || h[lo].price >= price {
			break
		}
		loser := h[lo].j
		take := min(want-got, h[lo].mass)
		if loser == j { // an own lot moves to the new price as a whole
			take = h[lo].mass
			want += take
		}
		idled := !a.bids(loser)
		a.rem[loser] += take
		if loser != j && idled && a.bids(loser) {
			a.queue = append(a.queue, loser)
		}
		got += take
		if h[lo].mass -= take; h[lo].mass == 0 {
			h[lo] = h[len(h)-1]
			h = h[:len(h)-1]
		}
	}
	if got > 0 {
		a.rem[j] -= got
		h = append(h, lot{j, got, price})
	}
	a.hold[i] = h
	if a.free[i] == 0 {
		lo := math.Inf(1)
		for k := range h {
			lo = math.Min(lo, h[k].price)
		}
		a.u[i] = math.Max(a.u[i], lo)
	}
}

// values is the least cost + price of every target within its list.
func (a *auction) values() []float64 {
	psi := make([]float64, a.in.n)
	for j := range psi {
		psi[j] = math.Inf(1)
		src, cost := a.l.arcs(j)
		for k, i := range src {
			psi[j] = math.Min(psi[j], cost[k]+a.u[i])
		}
	}
	return psi
}

// rest hands what is left of the targets to what is left of the sources, at
// least cost among themselves.
func (a *auction) rest(ctx context.Context) error {
	sources, targets := leftOver(a.free), leftOver(a.rem)
	if len(sources) == 0 {
		return nil
	}
	if len(sources) == a.in.m && len(targets) == a.in.n || len(sources) < 2 || len(targets) < 2 {
		a.northWest(sources, targets)
		return nil
	}
	supply, demand := make([]int64, len(sources)), make([]int64, len(targets))
	for k, i := range sources {
		supply[k] = a.free[i]
		a.free[i] = 0
	}
	for k, j := range targets {
		demand[k] = a.rem[j]
		a.rem[j] = 0
	}
	t, err := solveFrom(ctx, a.in.sub(sources, targets), supply, demand, make([]float64, len(sources)), false, a.slack, newWatch("", 0, nil))
	if err != nil {
		return err
	}
	t.eachFlow(func(i, j int32, mass int64) {
		a.hold[sources[i]] = append(a.hold[sources[i]], lot{targets[j], mass, a.u[sources[i]]})
	})
	return nil
}

func leftOver(mass []int64) []int32 {
	var idx []int32
	for k, f := range mass {
		if f > 0 {
			idx = append(idx, int32(k))
		}
	}
	return idx
}

func (a *auction) northWest(sources, targets []int32) {
	for _, j := range targets {
		for a.rem[j] > 0 {
			i := sources[0]
			if a.free[i] == 0 {
				sources = sources[1:]
				continue
			}
			f := min(a.rem[j], a.free[i])
			a.rem[j] -= f
			a.free[i] -= f
			a.hold[i] = append(a.hold[i], lot{j, f, a.u[i]})
		}
	}
}

// reprice drops the price of sources nobody bought from until some target
// finds them as good as what it has.
func (a *auction) reprice(ctx context.Context) error {
	var unsold []int32
	for i, h := range a.hold {
		if len(h) == 0 {
			unsold = append(unsold, int32(i))
		}
	}
	if len(unsold) == 0 {
		return nil
	}
	psi := a.values()
	near, err := a.in.lookBack(ctx, unsold, psi, 1)
	if err != nil {
		return err
	}
	for s, i := range unsold {
		a.u[i] = math.Min(a.u[i], psi[near.src[s]]-near.cost[s])
	}
	return nil
}
