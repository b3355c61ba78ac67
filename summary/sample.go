package summary

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// Priority is a random number that a seed and the number of a row decide; the
// numbers of different rows are as good as independent (SplitMix64: Steele, Lea
// and Flood 2014).
func Priority(seed, row uint64) uint64 {
	z := row*0x9e3779b97f4a7c15 + mix(seed+0x9e3779b97f4a7c15)
	return mix(z)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// A Sample keeps the Limit rows with the lowest priorities: a choice without
// replacement of which every one is equally likely. Which rows those are
// depends on the seed and the rows' numbers alone.
type Sample struct {
	Limit int
	Seed  uint64

	rows []sampled // a heap, the highest priority first, once it is full
	seen int64
}

type sampled struct {
	priority, row uint64
}

func (a sampled) compare(b sampled) int {
	if c := cmp.Compare(a.priority, b.priority); c != 0 {
		return c
	}
	return cmp.Compare(a.row, b.row)
}

// Add offers a row by its number, which no other row may have.
func (s *Sample) Add(row uint64) {
	s.seen++
	s.offer(sampled{Priority(s.Seed, row), row})
}

func (s *Sample) offer(x sampled) {
	if len(s.rows) < s.Limit {
		s.rows = append(s.rows, x)
		for i := len(s.rows) - 1; i > 0; {
			up := (i - 1) / 2
			if s.rows[up].compare(s.rows[i]) >= 0 {
				break
			}
			s.rows[up], s.rows[i] = s.rows[i], s.rows[up]
			i = up
		}
		return
	}
	if s.Limit <= 0 || x.compare(s.rows[0]) >= 0 {
		return
	}
	s.rows[0] = x
	for i := 0; ; {
		k := 2*i + 1
		if k >= len(s.rows) {
			return
		}
		if k+1 < len(s.rows) && s.rows[k+1].compare(s.rows[k]) > 0 {
			k++
		}
		if s.rows[i].compare(s.rows[k]) >= 0 {
			return
		}
		s.rows[i], s.rows[k] = s.rows[k], s.rows[i]
		i = k
	}
}

// Merge adds what t saw. Both must have the same Limit and Seed.
func (s *Sample) Merge(t *Sample) {
	s.seen += t.seen
	for _, x := range t.rows {
		s.offer(x)
	}
}

// Seen is how many rows were offered.
func (s *Sample) Seen() int64 { return s.seen }

// Rows returns the numbers of the rows that are kept, in ascending order.
func (s *Sample) Rows() []uint64 {
	out := make([]uint64, len(s.rows))
	for k, x := range s.rows {
		out[k] = x.row
	}
	slices.Sort(out)
	return out
}

// RankError returns how far a part of the kept rows may be from that part of
// all rows, but for a chance of at most doubt: Hoeffding's bound, which holds for
// samples without replacement (Hoeffding 1963, theorem 4). It is 0 where all
// rows are kept.
func (s *Sample) RankError(doubt float64) float64 {
	if s.seen <= int64(len(s.rows)) {
		return 0
	}
	return math.Sqrt(math.Log(2/doubt) / (2 * float64(len(s.rows))))
}

// MarshalBinary returns the same bytes for the same rows.
func (s *Sample) MarshalBinary() ([]byte, error) {
	out := binary.AppendUvarint(nil, uint64(s.Limit))
	out = binary.LittleEndian.AppendUint64(out, s.Seed)
	out = binary.AppendVarint(out, s.seen)
	rows := s.Rows()
	out = binary.AppendUvarint(out, uint64(len(rows)))
	var last uint64
	for _, r := range rows {
		out = binary.AppendUvarint(out, r-last)
		last = r
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (s *Sample) UnmarshalBinary(data []byte) error {
	r := reader{data: data}
	*s = Sample{Limit: int(r.uvarint()), Seed: r.uint64()}
	seen, n := r.count(), r.uvarint()
	if s.Limit < 0 || n > uint64(len(data)) || n > uint64(s.Limit) {
		return ErrBytes
	}
	var row uint64
	for range n {
		row += r.uvarint()
		s.offer(sampled{Priority(s.Seed, row), row})
	}
	s.seen = seen
	return r.end()
}
