package summary

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// DefaultLevels is how many words Levels keeps unless it is told otherwise.
const DefaultLevels = 4096

// Levels counts words: all of them exactly as long as there are at most Limit
// different ones. Beyond that it keeps those whose hash comes first and knows
// how many there are in all only about: see Distinct.
type Levels struct {
	Limit int // 0 means DefaultLevels. It must not change.

	counts  map[string]int64
	bound   uint64 // words whose hash is at least this are not kept
	bounded bool
	rows    int64
}

func (l *Levels) limit() int {
	if l.Limit > 0 {
		return l.Limit
	}
	return DefaultLevels
}

// hash is FNV-1a, mixed so that all of its bits count.
func hash(word string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 1099511628211
	}
	return mix(h)
}

// Add counts a word.
func (l *Levels) Add(word string) { l.AddTimes(word, 1) }

// AddTimes counts a word that occurs so many times.
func (l *Levels) AddTimes(word string, times int64) {
	if times <= 0 {
		return
	}
	l.rows += times
	if n, ok := l.counts[word]; ok {
		l.counts[word] = n + times
		return
	}
	if l.bounded && hash(word) >= l.bound {
		return
	}
	if l.counts == nil {
		l.counts = make(map[string]int64)
	}
	l.counts[strings.Clone(word)] = times
	if len(l.counts) > l.limit() {
		l.shrink()
	}
}

// shrink leaves the words with the lowest hashes, as many as the limit allows,
// and remembers the lowest hash that went: what is kept has been counted from
// the first row on, because a word below the bound was below all earlier ones.
func (l *Levels) shrink() {
	hashes := make([]uint64, 0, len(l.counts))
	for w := range l.counts {
		hashes = append(hashes, hash(w))
	}
	slices.Sort(hashes)
	l.lower(hashes[l.limit()])
}

func (l *Levels) lower(bound uint64) {
	if l.bounded && l.bound <= bound {
		return
	}
	l.bound, l.bounded = bound, true
	for w := range l.counts {
		if hash(w) >= bound {
			delete(l.counts, w)
		}
	}
}

// Merge adds what m counted. Both must have the same Limit.
func (l *Levels) Merge(m *Levels) {
	rows := l.rows + m.rows
	if m.bounded {
		l.lower(m.bound)
	}
	for w, n := range m.counts {
		l.AddTimes(w, n)
	}
	l.rows = rows
}

// Rows is how many words were counted, all of them.
func (l *Levels) Rows() int64 { return l.rows }

// Complete reports whether every word was kept.
func (l *Levels) Complete() bool { return !l.bounded }

// Words returns the words that are kept, in order, and how often each occurred.
func (l *Levels) Words() (words []string, counts []int64) {
	for w := range l.counts {
		words = append(words, w)
	}
	slices.Sort(words)
	for _, w := range words {
		counts = append(counts, l.counts[w])
	}
	return words, counts
}

// Distinct returns how many different words there are: exactly where Complete,
// and else an estimate by the part of the hashes that are kept (Bar-Yossef and
// others 2002), whose deviation is a part 1/√Limit of it.
func (l *Levels) Distinct() float64 {
	if !l.bounded {
		return float64(len(l.counts))
	}
	return float64(len(l.counts)) * math.Exp2(64) / float64(l.bound)
}

// MarshalBinary returns the same bytes for the same words.
func (l *Levels) MarshalBinary() ([]byte, error) {
	out := binary.AppendUvarint(nil, uint64(l.limit()))
	out = binary.AppendVarint(out, l.rows)
	flag := byte(0)
	if l.bounded {
		flag = 1
	}
	out = append(out, flag)
	out = binary.LittleEndian.AppendUint64(out, l.bound)
	words, counts := l.Words()
	out = binary.AppendUvarint(out, uint64(len(words)))
	for k, w := range words {
		out = appendBytes(out, []byte(w))
		out = binary.AppendVarint(out, counts[k])
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (l *Levels) UnmarshalBinary(data []byte) error {
	r := reader{data: data}
	*l = Levels{Limit: int(r.uvarint()), rows: r.count(), counts: make(map[string]int64)}
	l.bounded, l.bound = r.byte() == 1, r.uint64()
	n := r.uvarint()
	if n > uint64(len(data)) {
		return ErrBytes
	}
	for range n {
		w := string(r.bytes())
		l.counts[w] = r.count()
	}
	return r.end()
}
