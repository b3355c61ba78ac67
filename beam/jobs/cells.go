package jobs

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/dataset"
	"rot.example/rot/summary"
)

const cellsTask = "cells"

func init() {
	engine.Register(cellsTask, func(spec []byte) (engine.Task, error) {
		t := new(cellsSpec)
		return t, json.Unmarshal(spec, t)
	})
}

// A cellsSpec sorts rows by the nearest of some centres, and by how far they are
// from it: rows that lie far out share no cell with those that lie near.
type cellsSpec struct {
	Rows    *rowReader
	Dim     int
	Centres []float64
	Radius  float64 // of the first band around a centre; each further one is twice as wide
}

const bands = 4

// with is the task for the rows of one side.
func (s *cellsSpec) with(r *rowReader) *cellsSpec {
	c := *s
	c.Rows = r
	return &c
}

// newCellsSpec takes centres from samples of both sides, half from each.
func newCellsSpec(tables []*dataset.Table, cores, dim int) *cellsSpec {
	s := &cellsSpec{Dim: dim}
	for _, t := range tables {
		n := t.Points.Len()
		k := min(n, max(1, cores/2))
		for i := range k { // evenly through the sample, whose order is that of the rows
			s.Centres = append(s.Centres, t.Points.Row(i*n/k)...)
		}
	}
	var near []float64
	for _, t := range tables {
		n := t.Points.Len()
		step := max(1, n/1000)
		for i := 0; i < n; i += step {
			_, d := s.nearest(t.Points.Row(i))
			near = append(near, math.Sqrt(d))
		}
	}
	slices.Sort(near)
	s.Radius = 2 * near[len(near)*3/4]
	return s
}

// nearest returns the nearest centre and its squared distance.
func (s *cellsSpec) nearest(x []float64) (k int, squared float64) {
	squared = math.Inf(1)
	d := s.Dim
	for i, at := 0, 0; at < len(s.Centres); i, at = i+1, at+d {
		if v := squaredWithin(x, s.Centres[at:at+d], squared); v < squared {
			k, squared = i, v
		}
	}
	return k, squared
}

// squaredWithin is the squared distance of two points; where that is more than
// most, it may be any number from most on.
func squaredWithin(x, y []float64, most float64) float64 {
	var sum float64
	y = y[:len(x)]
	j := 0
	for ; j+4 <= len(x); j += 4 {
		a, b, c, d := x[j]-y[j], x[j+1]-y[j+1], x[j+2]-y[j+2], x[j+3]-y[j+3]
		sum += a*a + b*b + c*c + d*d
		if sum > most {
			return sum
		}
	}
	for ; j < len(x); j++ {
		sum += (x[j] - y[j]) * (x[j] - y[j])
	}
	return sum
}

// cell is the place of a row, and its squared distance from the centre.
func (s *cellsSpec) cell(x []float64) (place int, squared float64) {
	k, squared := s.nearest(x)
	band := 0
	for r := s.Radius; band < bands-1 && squared > r*r; r *= 2 {
		band++
	}
	return k*bands + band, squared
}

// A cellSum is the rows of a cell: sums of their differences from the centre,
// of the squared lengths of these, and of their lengths.
type cellSum struct {
	n       int64
	offsets []summary.Sum
	squares summary.Sum
	lengths summary.Sum
}

type cellSums struct {
	dim   int
	cells map[int]*cellSum
}

func (c *cellSums) rows() (n int64) {
	for _, s := range c.cells {
		n += s.n
	}
	return n
}

func (c *cellSums) at(place int) *cellSum {
	s := c.cells[place]
	if s == nil {
		s = &cellSum{offsets: make([]summary.Sum, c.dim)}
		c.cells[place] = s
	}
	return s
}

func (c *cellSums) merge(d *cellSums) {
	for place, t := range d.cells {
		s := c.at(place)
		s.n += t.n
		for j := range s.offsets {
			s.offsets[j].Merge(&t.offsets[j])
		}
		s.squares.Merge(&t.squares)
		s.lengths.Merge(&t.lengths)
	}
}

func (c *cellSums) bytes() ([]byte, error) {
	places := make([]int, 0, len(c.cells))
	for p := range c.cells {
		places = append(places, p)
	}
	slices.Sort(places)
	out := binary.AppendUvarint(nil, uint64(c.dim))
	for _, p := range places {
		s := c.cells[p]
		out = binary.AppendUvarint(out, uint64(p))
		out = binary.AppendUvarint(out, uint64(s.n))
		for _, v := range s.all() {
			b, err := v.MarshalBinary()
			if err != nil {
				return nil, err
			}
			out = binary.AppendUvarint(out, uint64(len(b)))
			out = append(out, b...)
		}
	}
	return out, nil
}

func (s *cellSum) all() []*summary.Sum {
	out := []*summary.Sum{&s.squares, &s.lengths}
	for j := range s.offsets {
		out = append(out, &s.offsets[j])
	}
	return out
}

var errCells = errors.New("bytes of no cells")

func parseCells(data []byte) (*cellSums, error) {
	next := func() int {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			data = nil
			return -1
		}
		data = data[n:]
		return int(v)
	}
	c := &cellSums{dim: next(), cells: map[int]*cellSum{}}
	if c.dim < 1 {
		return nil, errCells
	}
	for len(data) > 0 {
		s := c.at(next())
		s.n = int64(next())
		for _, v := range s.all() {
			n := next()
			if n < 0 || n > len(data) {
				return nil, errCells
			}
			if err := v.UnmarshalBinary(data[:n]); err != nil {
				return nil, err
			}
			data = data[n:]
		}
	}
	return c, nil
}

// Run implements engine.Task.
func (s *cellsSpec) Run(ctx context.Context, element []byte) ([]byte, error) {
	sums := &cellSums{dim: s.Dim, cells: map[int]*cellSum{}}
	err := s.Rows.each(ctx, element, func(x []float64) {
		place, squared := s.cell(x)
		c := sums.at(place)
		c.n++
		centre := s.Centres[place/bands*s.Dim:]
		for j := range c.offsets {
			c.offsets[j].Add(x[j] - centre[j])
		}
		c.squares.Add(squared)
		c.lengths.Add(math.Sqrt(squared))
	})
	if err != nil {
		return nil, err
	}
	return sums.bytes()
}

// each calls do for every row of a block.
func (r *rowReader) each(ctx context.Context, element []byte, do func(x []float64)) error {
	var b shards.Block
	if err := json.Unmarshal(element, &b); err != nil {
		return err
	}
	return r.Format.Each(ctx, &b, r.wanted(), func(p *shards.Piece) (int64, error) {
		v, err := r.read(p)
		if err != nil {
			return 0, &engine.DataError{Err: err}
		}
		for i := range v.len() {
			do(v.values[i*v.dim : (i+1)*v.dim])
		}
		return v.rows, nil
	})
}

// Merge implements engine.Task.
func (s *cellsSpec) Merge(a, b []byte) ([]byte, error) {
	x, err := parseCells(a)
	if err != nil {
		return nil, err
	}
	y, err := parseCells(b)
	if err != nil {
		return nil, err
	}
	x.merge(y)
	return x.bytes()
}

// runRows runs a task over all blocks of all inputs, by a specification each.
func runRows(ctx context.Context, job *engine.Job, inputs []*shards.Input, task string, specs []any) ([][]byte, error) {
	texts, els := make([][]byte, len(inputs)), make([][][]byte, len(inputs))
	for k, in := range inputs {
		var err error
		if texts[k], err = json.Marshal(specs[k]); err != nil {
			return nil, err
		}
		if els[k], err = elements(in.Blocks); err != nil {
			return nil, err
		}
	}
	return job.RunEach(ctx, task, texts, els)
}

// list is the cells that are not empty, in the order of their places.
func (c *cellSums) list(spec *cellsSpec) []massCell {
	places := make([]int, 0, len(c.cells))
	for p := range c.cells {
		places = append(places, p)
	}
	slices.Sort(places)
	total := float64(c.rows())
	var out []massCell
	for _, p := range places {
		s := c.cells[p]
		m := massCell{mass: float64(s.n) / total, centre: spec.Centres[p/bands*spec.Dim : (p/bands+1)*spec.Dim], spread: s.lengths.Mean(s.n)}
		var square float64
		for j := range s.offsets {
			off := s.offsets[j].Mean(s.n)
			square += off * off
			m.mean = append(m.mean, m.centre[j]+off)
		}
		// Rounded up: squares are those of rounded differences.
		second := s.squares.Mean(s.n)
		m.variance = max(0, second*(1+1e-12)-square*(1-1e-12))
		out = append(out, m)
	}
	return out
}
