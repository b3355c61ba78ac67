package text

import (
	"math"
	"strconv"

	"rot.example/rot/internal/words"
	"rot.example/rot/table"
)

// A Number is a float64 that JSON can hold: null when it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (v Number) MarshalJSON() ([]byte, error) {
	if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
	}
	return []byte("null"), nil
}

// known returns a share, or null where it is −1, which stands for unknown.
func known(v float64) *Number {
	if v < 0 {
		return nil
	}
	n := Number(v)
	return &n
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

// Columns says how many columns there are: those of the file, or components
// where nothing is known of them.
func Columns(dim int, e *table.Encoding) string {
	if e != nil {
		dim = len(e.Columns)
	}
	return plural(dim, "column")
}
