package ot

import (
	"context"
	"math"
	"slices"
)

// A sweep need not look at all pairs again when prices have moved little since
// the last one. If no source has fallen by more than D, none outside a target's
// list can have come below top − D. Sources that fell by more are few where D
// is chosen well: targets look at these, and only targets whose list does not
// reach down to top − D look at all sources (docs/math.md §9).

// pricesAt are the prices of a sweep that the tops of some lists belong to.
type pricesAt struct {
	u       []float64
	targets int // how many lists
}

const (
	mostPricesAt = 12 // sweeps remembered
	leastLazy    = 64 // targets in a sweep for which it pays to think about it
	goodEntries  = 6  // entries of a list below its top that are enough to go on with
	lazySample   = 4096
	// deviceFactor is how much faster a device looks at a pair of points than
	// the processor beside it.
	deviceFactor = 16
)

// forget says that the lists' tops are of unknown prices.
func (l *lists) forget() {
	l.at = nil
	for j := range l.swept {
		l.swept[j] = -1
	}
}

// rename gives the sources other numbers.
func (l *lists) rename(names []int32) {
	for k, i := range l.src {
		l.src[k] = names[i]
	}
	l.forget()
	l.rare = nil
}

// remember notes that the lists of n targets are those under prices u.
func (l *lists) remember(u []float64, n int, target func(k int) int) {
	if l.k == 1 {
		return // which nobody sweeps again
	}
	free := -1
	for v, p := range l.at {
		if p.targets == 0 {
			free = v
		}
	}
	if free < 0 && len(l.at) < mostPricesAt {
		free = len(l.at)
		l.at = append(l.at, &pricesAt{})
	}
	if free < 0 { // the one that matters least
		free = 0
		for v, p := range l.at {
			if p.targets < l.at[free].targets {
				free = v
			}
		}
		for j, v := range l.swept {
			if int(v) == free {
				l.swept[j] = -1
			}
		}
	}
	p := l.at[free]
	p.u = append(p.u[:0], u...)
	p.targets = n
	for k := range n {
		j := target(k)
		if v := l.swept[j]; v >= 0 && int(v) != free {
			l.at[v].targets--
		}
		l.swept[j] = int8(free)
	}
}

// lowered is a top after prices fell by at most drop, rounding included.
func lowered(top, drop float64) float64 {
	return top - drop - 8*eps*(math.Abs(top)+math.Abs(drop))
}

// sweepLazily refreshes those lists of n targets that need not look at all
// sources, and returns the other targets.
func (in *instance) sweepLazily(ctx context.Context, l *lists, u []float64, n int, target func(k int) int, low []int32) (rest []int32, err error) {
	groups := make([][]int32, len(l.at))
	for k := range n {
		j := int32(target(k))
		if v := l.swept[j]; v >= 0 {
			groups[v] = append(groups[v], j)
		} else {
			rest = append(rest, j)
		}
	}
	for v, targets := range groups {
		if len(targets) < leastLazy {
			rest = append(rest, targets...)
			continue
		}
		left, err := in.sweepGroup(ctx, l, l.at[v].u, u, targets, low)
		if err != nil {
			return nil, err
		}
		rest = append(rest, left...)
	}
	slices.Sort(rest)
	return rest, nil
}

// sweepGroup is sweepLazily for targets last swept under the prices before.
func (in *instance) sweepGroup(ctx context.Context, l *lists, before, u []float64, targets, low []int32) (rest []int32, err error) {
	reach := make([]float64, len(targets)) // by how much sources may fall before a target has to look at all
	inParts(len(targets), 8*l.k, func(from, to int) {
		values := make([]float64, l.k)
		for k := from; k < to; k++ {
			j := int(targets[k])
			src, cost := l.arcs(j)
			for q, i := range src {
				values[q] = cost[q] + u[i]
			}
			slices.Sort(values)
			reach[k] = l.top[j] - values[min(goodEntries, l.k)-1]
		}
	})
	drop, ok := in.chooseDrop(before, u, reach)
	if !ok {
		return targets, nil
	}
	var fallen, near []int32
	for i, p := range before {
		if p-u[i] > drop {
			fallen = append(fallen, int32(i))
		}
	}
	for k, j := range targets {
		if top := l.top[j]; top-lowered(top, drop) <= reach[k] {
			near = append(near, j)
		} else {
			rest = append(rest, j)
		}
	}
	return rest, in.sweepFallen(ctx, l, u, near, fallen, drop, low)
}

// chooseDrop finds the D that leaves least to look at. It is not ok where that
// is hardly less than everything.
func (in *instance) chooseDrop(before, u, reach []float64) (drop float64, ok bool) {
	factor := 1.0
	if in.device != nil && in.device.failed == nil && in.device.sweeper.Pays(in.m, len(reach), in.d) {
		factor = deviceFactor
	}
	most := math.Inf(-1)
	for i, p := range before {
		most = max(most, p-u[i])
	}
	drops := []float64{most}
	for k := range min(lazySample, len(u)) {
		i := int(int64(k) * int64(len(u)) / int64(min(lazySample, len(u))))
		drops = append(drops, before[i]-u[i])
	}
	reaches := make([]float64, 0, lazySample)
	for k := range min(lazySample, len(reach)) {
		reaches = append(reaches, reach[int(int64(k)*int64(len(reach))/int64(min(lazySample, len(reach))))])
	}
	slices.Sort(drops)
	slices.Sort(reaches)
	least, short := 0.75, 0
	for k, d := range drops { // as D grows, fewer sources fall and more targets fall short
		for short < len(reaches) && reaches[short] < d {
			short++
		}
		work := factor*float64(len(drops)-1-k)/float64(len(drops)) + float64(short)/float64(len(reaches))
		if work < least {
			drop, least, ok = d, work, true
		}
	}
	return drop, ok
}

// sweepFallen refreshes the lists of targets that need to look at some sources
// only: no other has fallen by more than drop.
func (in *instance) sweepFallen(ctx context.Context, l *lists, u []float64, targets, fallen []int32, drop float64, low []int32) error {
	some := in.screened()
	prices := &prices32{}
	if in.matrix == nil && !some.wide {
		some = some.picked(fallen, in.d)
		at := make([]float64, len(fallen))
		for k, i := range fallen {
			at[k] = u[i]
		}
		if len(fallen) > 0 {
			prices = some.prices(at, nil)
		}
	}
	return in.eachTile(ctx, len(targets), func(k int) int { return int(targets[k]) }, func(size int) *tileSweep {
		s := newTileSweep(in, l, u, prices, true, size)
		s.sc, s.low, s.lazy, s.fallen, s.drop = some, low, true, fallen, drop
		return s
	})
}

// picked is the screen of some of the sources.
func (s *screen) picked(sources []int32, d int) *screen {
	p := *s
	p.session, p.jobs, p.blocks = nil, nil, (len(sources)+8*lanes-1)/(8*lanes)*8
	if s.single != nil {
		p.rows = paddedRows(sources, p.blocks)
		for k := range sources {
			p.rows[k] = s.rows[sources[k]]
		}
		return &p
	}
	p.x = make([]float32, p.blocks*lanes*d)
	if s.dot {
		p.squares = make([]float32, p.blocks*lanes)
	}
	if s.maxima {
		p.totals = make([]float32, p.blocks*lanes)
	}
	inParts(len(sources), d, func(first, end int) {
		for k := first; k < end; k++ {
			i := int(sources[k])
			from, to := s.at(i, 0, d), p.at(k, 0, d)
			for c := range d {
				p.x[to+c*p.group] = s.x[from+c*s.group]
			}
			if s.dot {
				p.squares[k] = s.squares[i]
			}
			if s.maxima {
				p.totals[k] = s.totals[i]
			}
		}
	})
	p.boxes = nil
	p.boxed(len(sources), d)
	return &p
}

// scanFallen goes over the fallen sources in float64.
func (s *tileSweep) scanFallen() {
	if s.in.matrix != nil && s.in.rowsAreY { // a row after the other
		for t, j := range s.jj {
			row := s.in.matrix[int(s.in.cols[j])*s.in.ld:][:s.in.ld]
			for _, i := range s.fallen {
				if c := row[s.in.rows[i]]; c+s.u[i] <= s.bound[t] && !s.listed(i, j, t) {
					s.offer(int(i), j, t, c)
				}
			}
		}
		return
	}
	for _, i := range s.fallen {
		for t, j := range s.jj {
			if c := s.in.cost(int(i), j); c+s.u[i] <= s.bound[t] && !s.listed(i, j, t) {
				s.offer(int(i), j, t, c)
			}
		}
	}
}
