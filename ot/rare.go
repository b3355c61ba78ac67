package ot

import "context"

// Few lists have the sources that are nobody's first choice, outliers above
// all. In the tree of the simplex such a source hangs under the target that
// finds it least bad; where no list has that arc its price drops too low, much
// of the tree with it, and a sweep that finds the arc sets off thousands of
// pivots. So these sources get lists of their own before the simplex starts.

// rareArcs are arcs beside the lists, by target.
type rareArcs struct {
	first []int32
	arcs  []arc
}

// of returns the arcs of target j; none for nil.
func (r *rareArcs) of(j int) []arc {
	if r == nil {
		return nil
	}
	return r.arcs[r.first[j]:r.first[j+1]]
}

const (
	rareIn   = 4 // lists: sources in fewer are rare
	rareArcK = 4 // targets that each of them gets
)

// addRare finds arcs for the sources that few lists have, or, where a device
// sweeps, for all of them. psi are the targets' values.
func (l *lists) addRare(ctx context.Context, in *instance, psi []float64) error {
	count := make([]uint8, in.m)
	for _, i := range l.src {
		if count[i] < rareIn {
			count[i]++
		}
	}
	all := in.screened().session != nil
	var rare []int32
	for i, c := range count {
		if (c < rareIn || all) && !in.depots.isSource(i) {
			rare = append(rare, int32(i))
		}
	}
	if len(rare) == 0 {
		return nil
	}
	back, err := in.lookBack(ctx, rare, psi, rareArcK)
	if err != nil {
		return err
	}
	r := &rareArcs{first: make([]int32, in.n+2)}
	each := func(do func(j int32, a arc)) {
		for s, i := range rare {
			targets, cost := back.arcs(s)
			for k, j := range targets {
				if !l.has(i, int(j)) {
					do(j, arc{i, cost[k]})
				}
			}
		}
	}
	each(func(j int32, _ arc) { r.first[j+2]++ })
	for j := 2; j < len(r.first); j++ {
		r.first[j] += r.first[j-1]
	}
	r.arcs = make([]arc, r.first[len(r.first)-1])
	each(func(j int32, a arc) {
		r.arcs[r.first[j+1]] = a
		r.first[j+1]++
	})
	l.rare = r
	return nil
}

// has says that target j's list has source i.
func (l *lists) has(i int32, j int) bool {
	src, _ := l.arcs(j)
	for _, q := range src {
		if q == i {
			return true
		}
	}
	return false
}
