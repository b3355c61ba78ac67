package jobs

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// A cellSum is the rows of a cell, moved to the points of a grid around its
// centre: sums of their differences from it and of the squared lengths of these,
// in steps of the grid, so that they are whole numbers.
type cellSum struct {
	n         int64
	offsets   []int64
	high, low uint64 // of the sum of squares
}

// cellSums are the cells that rows have, by centre and band.
type cellSums struct {
	dim   int
	cells map[int]*cellSum
	far   int64 // rows too far out for numbers
}

// step is the grid's in a band: offsets of its rows are at most 2²⁴ steps.
func (t *cellTree) step(band int) float64 { return math.Ldexp(t.Radius, band-24) }

// add puts a row into its cell.
func (c *cellSums) add(t *cellTree, x []float64) {
	k, squared := t.centre(x)
	if k < 0 || math.IsInf(squared, 0) || squared != squared {
		c.far++
		return
	}
	band := t.band(squared)
	s := c.at(k*maxBands + band)
	s.n++
	centre := t.Centres[k*t.Dim:]
	perStep := 1 / t.step(band)
	var square uint64
	for j := range s.offsets {
		q := int64(math.RoundToEven((x[j] - centre[j]) * perStep))
		s.offsets[j] += q
		square += uint64(q * q)
	}
	var carry uint64
	s.low, carry = bits.Add64(s.low, square, 0)
	s.high += carry
}

// variance is the mean squared distance of the rows from their mean, in steps:
// (n Σ|q|² − |Σq|²) / n², the numerator a whole number.
func (s *cellSum) variance() float64 {
	number := new(big.Int).SetUint64(s.high)
	number.Lsh(number, 64).Add(number, new(big.Int).SetUint64(s.low))
	number.Mul(number, big.NewInt(s.n))
	var square big.Int
	for _, q := range s.offsets {
		square.SetInt64(q)
		number.Sub(number, square.Mul(&square, &square))
	}
	v, _ := new(big.Float).SetInt(number).Float64()
	return v / float64(s.n) / float64(s.n)
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
		s = &cellSum{offsets: make([]int64, c.dim)}
		c.cells[place] = s
	}
	return s
}

func (c *cellSums) places() []int {
	return slices.Sorted(maps.Keys(c.cells))
}

func (c *cellSums) merge(d *cellSums) {
	c.far += d.far
	for place, t := range d.cells {
		s := c.at(place)
		s.n += t.n
		for j := range s.offsets {
			s.offsets[j] += t.offsets[j]
		}
		var carry uint64
		s.low, carry = bits.Add64(s.low, t.low, 0)
		s.high += t.high + carry
	}
}

func (c *cellSums) bytes() []byte {
	out := binary.AppendUvarint(nil, uint64(c.dim))
	out = binary.AppendUvarint(out, uint64(c.far))
	for _, p := range c.places() {
		s := c.cells[p]
		for _, v := range []uint64{uint64(p), uint64(s.n), s.high, s.low} {
			out = binary.AppendUvarint(out, v)
		}
		for _, q := range s.offsets {
			out = binary.AppendVarint(out, q)
		}
	}
	return out
}

var errCells = errors.New("bytes of no cells")

func parseCells(data []byte) (*cellSums, error) {
	ok := true
	next := func() uint64 {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			ok, data = false, nil
			return 0
		}
		data = data[n:]
		return v
	}
	c := &cellSums{dim: int(next()), far: int64(next()), cells: map[int]*cellSum{}}
	if !ok || c.dim < 1 {
		return nil, errCells
	}
	for len(data) > 0 {
		s := c.at(int(next()))
		s.n, s.high, s.low = int64(next()), next(), next()
		for j := range s.offsets {
			q, n := binary.Varint(data)
			if n <= 0 {
				return nil, errCells
			}
			data, s.offsets[j] = data[n:], q
		}
	}
	if !ok {
		return nil, errCells
	}
	return c, nil
}
