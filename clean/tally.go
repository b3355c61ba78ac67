package clean

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// Merge counts what u counted.
func (t *Tally) Merge(u *Tally) {
	if t.counts == nil {
		t.counts = make(map[float64]int)
	}
	for p, n := range u.counts {
		t.counts[p] += n
	}
	t.rows += u.rows
}

// MarshalBinary returns the same bytes for the same p-values in any order.
func (t *Tally) MarshalBinary() ([]byte, error) {
	values := make([]float64, 0, len(t.counts))
	for p := range t.counts {
		values = append(values, p)
	}
	slices.Sort(values)
	var out []byte
	for _, p := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(p))
		out = binary.AppendUvarint(out, uint64(t.counts[p]))
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (t *Tally) UnmarshalBinary(data []byte) error {
	*t = Tally{counts: make(map[float64]int)}
	for len(data) > 0 {
		if len(data) < 9 {
			return errTally
		}
		p := math.Float64frombits(binary.LittleEndian.Uint64(data))
		n, size := binary.Uvarint(data[8:])
		if size <= 0 || n > math.MaxInt64 || !(p >= 0 && p <= 1) {
			return errTally
		}
		t.counts[p] += int(n)
		t.rows += int(n)
		data = data[8+size:]
	}
	return nil
}

var errTally = errors.New("clean: bytes of no tally")
