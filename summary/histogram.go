package summary

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A Histogram counts numbers in bins of equal width from Low on; numbers below
// the first bin and beyond the last are counted there, too.
type Histogram struct {
	Low, Width float64
	Counts     []int64
	Missing    int64 // NaN
}

// NewHistogram returns an empty histogram of n bins from low to high.
func NewHistogram(low, high float64, n int) *Histogram {
	return &Histogram{Low: low, Width: (high - low) / float64(n), Counts: make([]int64, n)}
}

// Add counts a number.
func (h *Histogram) Add(v float64) {
	if v != v {
		h.Missing++
		return
	}
	h.Counts[h.Bin(v)]++
}

// Bin returns the bin of a number. But for the first bin, the number is at least
// Edge of it.
func (h *Histogram) Bin(v float64) int {
	k := int(min(max((v-h.Low)/h.Width, 0), float64(len(h.Counts)-1)))
	for k > 0 && v < h.Edge(k) { // division rounds
		k--
	}
	return k
}

// Edge returns the lower end of bin k.
func (h *Histogram) Edge(k int) float64 { return h.Low + float64(k)*h.Width }

// Rows is how many numbers were counted.
func (h *Histogram) Rows() (n int64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// Merge adds what g counted, which must have the same bins.
func (h *Histogram) Merge(g *Histogram) error {
	if h.Low != g.Low || h.Width != g.Width || len(h.Counts) != len(g.Counts) {
		return fmt.Errorf("summary: a histogram of %d bins of width %g from %g cannot be added to one of %d of width %g from %g", len(g.Counts), g.Width, g.Low, len(h.Counts), h.Width, h.Low)
	}
	for k, c := range g.Counts {
		h.Counts[k] += c
	}
	h.Missing += g.Missing
	return nil
}

// MarshalBinary returns the same bytes for the same numbers.
func (h *Histogram) MarshalBinary() ([]byte, error) {
	out := binary.LittleEndian.AppendUint64(nil, math.Float64bits(h.Low))
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(h.Width))
	out = binary.AppendVarint(out, h.Missing)
	out = binary.AppendUvarint(out, uint64(len(h.Counts)))
	for _, c := range h.Counts {
		out = binary.AppendVarint(out, c)
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (h *Histogram) UnmarshalBinary(data []byte) error {
	r := reader{data: data}
	*h = Histogram{Low: math.Float64frombits(r.uint64()), Width: math.Float64frombits(r.uint64()), Missing: r.count()}
	n := r.uvarint()
	if n > uint64(len(data)) {
		return ErrBytes
	}
	h.Counts = make([]int64, n)
	for k := range h.Counts {
		h.Counts[k] = r.count()
	}
	return r.end()
}
