package ot

import (
	"fmt"
	"math"
)

// Points is a sample: rows of Dim coordinates, one after the other.
type Points struct {
	Dim     int
	Coords  []float64 // row-major, Dim numbers a row
	Single  []float32 // the same in single precision, instead of Coords, in half the memory; costs are as exact
	Weights []float64 // one per row, any positive total; nil means uniform
	IDs     []string  // one per row; nil means row numbers
}

// FromRows copies rows of equal length into Points.
func FromRows(rows [][]float64) (*Points, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("ot: no rows: %w", ErrShape)
	}
	p := &Points{Dim: len(rows[0])}
	p.Coords = make([]float64, 0, len(rows)*p.Dim)
	for i, r := range rows {
		if len(r) != p.Dim {
			return nil, fmt.Errorf("ot: row %d has %d columns, row 0 has %d: %w", i, len(r), p.Dim, ErrShape)
		}
		p.Coords = append(p.Coords, r...)
	}
	return p, nil
}

// Len returns the number of rows.
func (p *Points) Len() int {
	if p.Dim <= 0 {
		return 0
	}
	return (len(p.Coords) + len(p.Single)) / p.Dim
}

// Row returns the i-th row. It shares memory with p unless p is in single
// precision.
func (p *Points) Row(i int) []float64 {
	if p.Single != nil {
		return doubled(p.Single[i*p.Dim : (i+1)*p.Dim])
	}
	return p.Coords[i*p.Dim : (i+1)*p.Dim : (i+1)*p.Dim]
}

// Double returns the points in double precision: p itself if it is.
func (p *Points) Double() *Points {
	if p == nil || p.Single == nil {
		return p
	}
	return &Points{Dim: p.Dim, Coords: doubled(p.Single), Weights: p.Weights, IDs: p.IDs}
}

func doubled(v []float32) []float64 {
	out := make([]float64, len(v))
	for k, x := range v {
		out[k] = float64(x)
	}
	return out
}

// ID returns the name of row i: its entry in IDs, or its number.
func (p *Points) ID(i int) string {
	if p.IDs != nil {
		return p.IDs[i]
	}
	return fmt.Sprint(i)
}

// check reports the first thing that makes p unusable as the given side.
func (p *Points) check(side string) error {
	switch {
	case p == nil || len(p.Coords)+len(p.Single) == 0:
		return sideErrorf(side, ErrShape, "has no points")
	case len(p.Coords) > 0 && len(p.Single) > 0:
		return sideErrorf(side, ErrShape, "has coordinates in double and in single precision")
	case p.Dim <= 0 || (len(p.Coords)+len(p.Single))%p.Dim != 0:
		return sideErrorf(side, ErrShape, "has %d coordinates, not a multiple of dimension %d", len(p.Coords)+len(p.Single), p.Dim)
	case p.IDs != nil && len(p.IDs) != p.Len():
		return sideErrorf(side, ErrShape, "has %d ids for %d rows", len(p.IDs), p.Len())
	}
	for k, v := range p.Coords {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &SideError{Side: side, Row: k / p.Dim, Column: k % p.Dim, Problem: fmt.Sprintf("is %v", v), Err: ErrValue}
		}
	}
	for k, v := range p.Single {
		if v-v != 0 {
			return &SideError{Side: side, Row: k / p.Dim, Column: k % p.Dim, Problem: fmt.Sprintf("is %v", v), Err: ErrValue}
		}
	}
	return nil
}
