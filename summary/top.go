package summary

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// An Entry is a row of a Top with its score and what else is to be known of it.
type Entry struct {
	Score float64
	Row   uint64
	Data  []byte
}

// above orders entries: the highest score first, equal ones by their rows.
func (a Entry) above(b Entry) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Compare(a.Row, b.Row)
}

// A Top keeps the Limit rows with the highest scores; of equal ones those with
// the lowest numbers.
type Top struct {
	Limit int

	entries []Entry // in no order, at most twice Limit
	bar     Entry   // what a row has to be above once there is one
	barred  bool
}

// Wants reports whether a row would be kept if it were added now, so that its
// data need not be made in vain. NaN never is.
func (t *Top) Wants(score float64, row uint64) bool {
	return score == score && t.Limit > 0 && (!t.barred || Entry{Score: score, Row: row}.above(t.bar) < 0)
}

// Add offers a row. data is kept, not copied.
func (t *Top) Add(score float64, row uint64, data []byte) {
	if !t.Wants(score, row) {
		return
	}
	t.entries = append(t.entries, Entry{score, row, data})
	if len(t.entries) >= 2*t.Limit {
		t.settle()
	}
}

func (t *Top) settle() {
	slices.SortFunc(t.entries, Entry.above)
	if len(t.entries) >= t.Limit && t.Limit > 0 {
		clear(t.entries[t.Limit:])
		t.entries = t.entries[:t.Limit]
		t.bar, t.barred = t.entries[t.Limit-1], true
	}
}

// Merge adds what u kept. Both must have the same Limit.
func (t *Top) Merge(u *Top) {
	for _, e := range u.entries {
		t.Add(e.Score, e.Row, e.Data)
	}
	t.settle()
}

// Entries returns the rows kept, the highest score first.
func (t *Top) Entries() []Entry {
	t.settle()
	return slices.Clone(t.entries)
}

// MarshalBinary returns the same bytes for the same rows.
func (t *Top) MarshalBinary() ([]byte, error) {
	t.settle()
	out := binary.AppendUvarint(nil, uint64(t.Limit))
	out = binary.AppendUvarint(out, uint64(len(t.entries)))
	for _, e := range t.entries {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(e.Score))
		out = binary.AppendUvarint(out, e.Row)
		out = appendBytes(out, e.Data)
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (t *Top) UnmarshalBinary(data []byte) error {
	r := reader{data: data}
	*t = Top{Limit: int(r.uvarint())}
	n := r.uvarint()
	if t.Limit < 0 || n > uint64(len(data)) {
		return ErrBytes
	}
	for range n {
		t.Add(math.Float64frombits(r.uint64()), r.uvarint(), slices.Clone(r.bytes()))
	}
	t.settle()
	return r.end()
}
