package main

import (
	"context"
	"math/rand/v2"
	"slices"

	"rot.example/rot/ot"
)

// A sample is two sides, one of which is dirty: the source, unless the dirt is
// what the other lacks.
type sample struct {
	dirty, other *ot.Points
	dirt         []bool
}

// A kind is a way to spoil a sample.
type kind struct {
	name string
	draw func(o options, seed uint64) *sample
}

// mixture is three normal clouds of different spread, some units apart.
type mixture struct {
	r   *rand.Rand
	dim int
}

func (g *mixture) row(cloud int) []float64 {
	out := make([]float64, g.dim)
	spread := []float64{1, 0.7, 0.4}[cloud]
	for k := range out {
		out[k] = spread * g.r.NormFloat64()
	}
	out[cloud%g.dim] += 4
	return out
}

// cloud is one of the three, with shares of 5, 3 and 2 parts.
func (g *mixture) cloud() int {
	switch x := g.r.Float64(); {
	case x < 0.5:
		return 0
	case x < 0.8:
		return 1
	}
	return 2
}

func (g *mixture) clean(n int) *ot.Points {
	p := &ot.Points{Dim: g.dim}
	for range n {
		p.Coords = append(p.Coords, g.row(g.cloud())...)
	}
	return p
}

// spoiled replaces the first rows of a clean sample.
func spoiled(o options, seed uint64, row func(g *mixture, k int) []float64) *sample {
	g := &mixture{rand.New(rand.NewPCG(seed, 2024)), o.dim}
	s := &sample{dirty: g.clean(o.n), other: g.clean(o.n), dirt: make([]bool, o.n)}
	for i := range int(o.gamma * float64(o.n)) {
		copy(s.dirty.Coords[i*o.dim:], row(g, i))
		s.dirt[i] = true
	}
	return s
}

var kinds = []kind{
	{"far points", func(o options, seed uint64) *sample {
		return spoiled(o, seed, func(g *mixture, _ int) []float64 {
			x := g.row(0)
			for k := range x {
				x[k] += 20 * g.r.NormFloat64()
			}
			return x
		})
	}},
	{"near noise", func(o options, seed uint64) *sample {
		return spoiled(o, seed, func(g *mixture, _ int) []float64 {
			x := g.row(g.cloud())
			for k := range x {
				x[k] += 1.5 * g.r.NormFloat64()
			}
			return x
		})
	}},
	{"a foreign cluster", func(o options, seed uint64) *sample {
		return spoiled(o, seed, func(g *mixture, _ int) []float64 {
			x := make([]float64, g.dim)
			for k := range x {
				x[k] = 0.2 * g.r.NormFloat64()
			}
			x[g.dim-1] += 5
			return x
		})
	}},
	{"copies of one row", func(o options, seed uint64) *sample {
		var one []float64
		return spoiled(o, seed, func(g *mixture, k int) []float64 {
			if k == 0 {
				one = g.row(1)
			}
			return one
		})
	}},
	{"a part that is missing", func(o options, seed uint64) *sample {
		g := &mixture{rand.New(rand.NewPCG(seed, 2025)), o.dim}
		s := &sample{dirty: g.clean(o.n), other: g.clean(o.n), dirt: make([]bool, o.n)}
		// One side has a cloud that the other has nothing of: as large as the dirt.
		for i := range o.n {
			if i < int(o.gamma*float64(o.n)) {
				s.dirt[i] = true
				copy(s.dirty.Coords[i*o.dim:(i+1)*o.dim], g.row(2))
			} else {
				copy(s.dirty.Coords[i*o.dim:(i+1)*o.dim], g.row(g.r.IntN(2)))
			}
			copy(s.other.Coords[i*o.dim:(i+1)*o.dim], g.row(g.r.IntN(2)))
		}
		return s
	}},
}

// cleanDistance is that of the rows that are not dirt.
func (s *sample) cleanDistance(ctx context.Context) (float64, error) {
	kept := &ot.Points{Dim: s.dirty.Dim}
	for i, dirt := range s.dirt {
		if !dirt {
			kept.Coords = append(kept.Coords, s.dirty.Coords[i*s.dirty.Dim:(i+1)*s.dirty.Dim]...)
		}
	}
	p, err := ot.NewProblem(kept, s.other, ot.Euclidean)
	if err != nil {
		return 0, err
	}
	r, err := ot.Exact(ctx, p, nil)
	if err != nil {
		return 0, err
	}
	return r.Value, nil
}

// typical is what it costs to get from a row to its nearest on the other side, in
// the middle of all: a price that needs no knowledge of the dirt.
func typical(p *ot.Problem) float64 {
	m, n := p.Cost.Dims()
	var near []float64
	for i := range m {
		least := p.Cost.At(i, 0)
		for j := 1; j < n; j++ {
			least = min(least, p.Cost.At(i, j))
		}
		near = append(near, least)
	}
	slices.Sort(near)
	return near[m/2]
}
