package cli

import (
	"math"
	"strconv"
	"strings"

	"rot.example/rot/internal/text"
	"rot.example/rot/internal/words"
)

// A number is a float64 that JSON can hold: null when it is not finite.
type number float64

// MarshalJSON implements json.Marshaler.
func (v number) MarshalJSON() ([]byte, error) {
	if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
	}
	return []byte("null"), nil
}

// The formats of package words, under short names: every text is full of them.
var (
	digits    = words.Digits
	percent   = words.Percent
	seconds   = words.Seconds
	count     = words.Count
	plural    = words.Plural
	shellWord = words.ShellWord
	fit       = words.Fit
)

// A table lines up columns of text. Columns of numbers stand on the right.
type table struct {
	head []string
	left []bool // which columns stand on the left; the others are numbers
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// writeTo appends the table, indented by two.
func (t *table) writeTo(b *strings.Builder) {
	out := text.Table{Head: t.head, Left: t.left}
	for _, row := range t.rows {
		out.Add(row...)
	}
	out.AppendTo(b)
}
