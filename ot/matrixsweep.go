package ot

import (
	"math"
	"math/bits"
)

// A sweep over a given matrix takes as long as memory takes to hand it over, as
// long as it reads whole rows from front to back. So plain transport calls the
// rows of a matrix its targets, and each of them looks at its row by itself.

// rowPrices are the prices of an instance's sources in the order of the columns
// of its matrix, whose rows are the targets.
type rowPrices struct {
	u  []float64 // of every column; +Inf for one that is no source
	of []int32   // the source of every column, −1 for none; nil: they are the same
}

// sparseRow is how many columns there may be for a source before looking up the
// sources one by one is faster.
const sparseRow = 8

// rowPrices returns prices u by column; nil where targets are no rows, or the
// sources are few of the columns.
func (in *instance) rowPrices(u []float64) *rowPrices {
	if in.matrix == nil || !in.rowsAreY || in.m*sparseRow < in.ld {
		return nil
	}
	if in.m == in.ld && isUpTo(in.rows) {
		return &rowPrices{u: u}
	}
	p := &rowPrices{make([]float64, in.ld), make([]int32, in.ld)}
	for k := range p.u {
		p.u[k], p.of[k] = math.Inf(1), -1
	}
	for i, k := range in.rows {
		p.u[k], p.of[k] = u[i], int32(i)
	}
	return p
}

// isUpTo says that idx is 0, 1, 2 and so on.
func isUpTo(idx []int32) bool {
	for k, i := range idx {
		if int(i) != k {
			return false
		}
	}
	return true
}

// rowChunk is the number of words of a mask, of 64 columns each, for which the
// bound is looked up once. The first chunks of a row are shorter, since a list
// that is still empty lets everything pass.
const rowChunk = 8

// scanRow looks at columns lo to hi of the row of target j.
func (s *tileSweep) scanRow(t, j, lo, hi int) {
	row := s.in.matrix[int(s.in.cols[j])*s.in.ld:][:s.in.ld]
	p := s.byColumn
	var mask [rowChunk]uint64
	for lo+64 <= hi {
		words := 1
		if s.count[t] == s.l.k {
			words = min(rowChunk, (hi-lo)/64)
		}
		rowMask(row[lo:lo+64*words], p.u[lo:lo+64*words], mask[:words], s.bound[t])
		for q, w := range mask[:words] {
			for ; w != 0; w &= w - 1 {
				s.column(row, lo+64*q+bits.TrailingZeros64(w), j, t)
			}
		}
		lo += 64 * words
	}
	for ; lo < hi; lo++ {
		s.column(row, lo, j, t)
	}
}

// column offers the source of a column of target j's row if it is good enough.
func (s *tileSweep) column(row []float64, k, j, t int) {
	if c := row[k]; c+s.byColumn.u[k] <= s.bound[t] {
		if s.byColumn.of != nil {
			if k = int(s.byColumn.of[k]); k < 0 {
				return
			}
		}
		if !(s.recalls() && s.listed(int32(k), j, t)) {
			s.offer(k, j, t, c)
		}
	}
}

// wideTile is the number of columns of a matrix that are swept together. Few at
// a time would take a piece of every row, each in another page of memory.
const wideTile = 256

// tileSize is the number of targets that are swept together where there are n.
func (in *instance) tileSize(n int) int {
	if in.matrix == nil || in.rowsAreY {
		return tile
	}
	return min(max((n+3)/4, tile), wideTile)
}

// scanColumns goes over sources lo to hi, rows of a matrix whose columns are the
// targets.
func (s *tileSweep) scanColumns(lo, hi int) {
	cols := make([]int32, len(s.jj))
	for t, j := range s.jj {
		cols[t] = s.in.cols[j]
	}
	bound := s.bound[:len(cols)]
	for i := lo; i < hi; i++ {
		r, ui := int(s.in.rows[i]), s.u[i]
		row := s.in.matrix[r*s.in.ld : (r+1)*s.in.ld]
		for t, k := range cols {
			if c := row[k]; c+ui <= bound[t] {
				if j := s.jj[t]; !(s.recalls() && s.listed(int32(i), j, t)) {
					s.offer(i, j, t, c)
				}
			}
		}
	}
}

// rowMaskGo is the portable rowMask.
func rowMaskGo(cost, price []float64, mask []uint64, bound float64) {
	for k := range mask {
		c, u := cost[64*k:64*k+64], price[64*k:64*k+64]
		var w uint64
		for l, v := range c {
			if v+u[l] <= bound {
				w |= 1 << l
			}
		}
		mask[k] = w
	}
}
