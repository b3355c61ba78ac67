package summary

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// DefaultCells is how many cells Quantiles keeps at most unless it is told
// otherwise.
const DefaultCells = 4096

// Quantiles counts numbers in cells of the real line. Cells are the numbers whose
// first bits agree, the sign, the exponent and some of the mantissa, and all
// have the same number of bits: as many as lead to no more than Cells of them.
// So the cells depend on the numbers alone, and not on how they came together:
// more numbers need at least as many cells for each number of bits, hence the
// bits of a whole are never more than those of a part, and a part of more bits
// can be coarsened.
//
// At the bounds of cells ranks are exact. Between them a rank is off by at most
// the number of rows of one cell, which Rank and Quantile report. With at most
// Cells different numbers everything is exact.
type Quantiles struct {
	Cells int // at most; 0 means DefaultCells. It must not change.

	drop    uint // low bits that cells leave open
	counts  map[uint64]int64
	rows    int64
	missing int64 // NaN
}

// key orders numbers as unsigned integers. Both zeros are one number.
func key(v float64) uint64 {
	if v == 0 {
		v = 0
	}
	b := math.Float64bits(v)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func unkey(k uint64) float64 {
	if k>>63 == 1 {
		return math.Float64frombits(k &^ (1 << 63))
	}
	return math.Float64frombits(^k)
}

func (q *Quantiles) limit() int {
	if q.Cells > 0 {
		return q.Cells
	}
	return DefaultCells
}

// Add counts a number; NaN counts as missing.
func (q *Quantiles) Add(v float64) {
	if v != v {
		q.missing++
		return
	}
	if q.counts == nil {
		q.counts = make(map[uint64]int64)
	}
	q.rows++
	q.counts[key(v)>>q.drop]++
	if len(q.counts) > q.limit() {
		q.coarsen(q.drop + 1)
	}
}

// coarsen leaves open at least drop bits, and as many as the limit needs.
func (q *Quantiles) coarsen(drop uint) {
	for q.drop < drop || len(q.counts) > q.limit() {
		by := max(1, int(drop)-int(q.drop))
		q.drop += uint(by)
		counts := make(map[uint64]int64, len(q.counts))
		for k, n := range q.counts {
			counts[k>>by] += n
		}
		q.counts = counts
	}
}

// Merge adds what t counted. Both must have the same Cells.
func (q *Quantiles) Merge(t *Quantiles) {
	if q.counts == nil {
		q.counts = make(map[uint64]int64)
	}
	q.coarsen(t.drop)
	by := q.drop - t.drop
	for k, n := range t.counts {
		q.counts[k>>by] += n
	}
	q.rows += t.rows
	q.missing += t.missing
	q.coarsen(q.drop)
}

// Rows is how many numbers were counted, and Missing how many were NaN.
func (q *Quantiles) Rows() int64    { return q.rows }
func (q *Quantiles) Missing() int64 { return q.missing }

// A Cell is the numbers from Low to High, both included.
type Cell struct {
	Low, High float64
	Count     int64
}

// Sorted returns the cells that are not empty, in order.
func (q *Quantiles) Sorted() []Cell {
	keys := slices.Sorted(maps.Keys(q.counts))
	out := make([]Cell, len(keys))
	for i, k := range keys {
		low := k << q.drop
		c := Cell{unkey(low), unkey(low | (1<<q.drop - 1)), q.counts[k]}
		// The patterns beyond the infinities are no numbers.
		if c.Low != c.Low {
			c.Low = math.Inf(-1)
		}
		if c.High != c.High {
			c.High = math.Inf(1)
		}
		out[i] = c
	}
	return out
}

// Quantile returns a number of the cell that holds the numbers of the ranks
// around level·(Rows−1), and the bounds between which the true quantile lies.
// rank is how far the rank of at may be off, as a part of the rows; it is 0 for
// a cell of one number. All are NaN where nothing was counted.
func (q *Quantiles) Quantile(level float64) (at, low, high, rank float64) {
	if q.rows == 0 {
		nan := math.NaN()
		return nan, nan, nan, nan
	}
	want := int64(min(max(level, 0), 1) * float64(q.rows-1))
	var before int64
	for _, c := range q.Sorted() {
		if before+c.Count <= want {
			before += c.Count
			continue
		}
		if c.Low == c.High {
			return c.Low, c.Low, c.High, 0
		}
		// As if the numbers of a cell were spread evenly.
		part := (float64(want-before) + 0.5) / float64(c.Count)
		at := c.Low + part*(c.High-c.Low)
		if math.IsInf(c.High, 0) || math.IsInf(c.Low, 0) {
			at = min(max(c.Low, -math.MaxFloat64), math.MaxFloat64)
		}
		return at, c.Low, c.High, float64(c.Count) / float64(q.rows)
	}
	panic("unreachable: ranks end with the last cell")
}

// Distance returns bounds of the largest difference of the distribution
// functions of two samples, the statistic of Kolmogorov and Smirnov. They meet
// where the cells of both hold one number each.
func Distance(a, b *Quantiles) (low, high float64) {
	if a.rows == 0 || b.rows == 0 {
		return math.NaN(), math.NaN()
	}
	x, y := Quantiles{Cells: math.MaxInt}, Quantiles{Cells: math.MaxInt}
	drop := max(a.drop, b.drop)
	for _, p := range []struct{ to, from *Quantiles }{{&x, a}, {&y, b}} {
		p.to.coarsen(drop)
		p.to.Merge(p.from)
	}
	keys := make([]uint64, 0, len(x.counts)+len(y.counts))
	for k := range x.counts {
		keys = append(keys, k)
	}
	for k := range y.counts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var f, g float64
	var nf, ng int64
	for _, k := range slices.Compact(keys) {
		f0, g0 := f, g
		nf += x.counts[k]
		ng += y.counts[k]
		f, g = float64(nf)/float64(a.rows), float64(ng)/float64(b.rows)
		low = max(low, math.Abs(f-g))
		inside := math.Abs(f - g)
		if drop > 0 {
			inside = max(inside, f-g0, g-f0)
		}
		high = max(high, inside)
	}
	return low, high
}

// MarshalBinary returns the same bytes for the same numbers.
func (q *Quantiles) MarshalBinary() ([]byte, error) {
	out := binary.AppendUvarint(nil, uint64(q.limit()))
	out = append(out, byte(q.drop))
	out = binary.AppendVarint(out, q.missing)
	keys := make([]uint64, 0, len(q.counts))
	for k := range q.counts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out = binary.AppendUvarint(out, uint64(len(keys)))
	var last uint64
	for _, k := range keys {
		out = binary.AppendUvarint(out, k-last)
		out = binary.AppendVarint(out, q.counts[k])
		last = k
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (q *Quantiles) UnmarshalBinary(data []byte) error {
	r := reader{data: data}
	*q = Quantiles{Cells: int(r.uvarint()), counts: make(map[uint64]int64)}
	q.drop = uint(r.byte())
	q.missing = r.count()
	n := r.uvarint()
	if q.drop > 64 || n > uint64(len(data)) {
		return ErrBytes
	}
	var last uint64
	for range n {
		last += r.uvarint()
		c := r.count()
		q.counts[last] = c
		q.rows += c
	}
	return r.end()
}
