package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
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

// digits formats v for a reader, with the given number of digits.
func digits(v float64, n int) string { return strconv.FormatFloat(v, 'g', n, 64) }

// percent formats a fraction.
func percent(v float64) string { return digits(100*v, 3) + " %" }

// seconds formats a duration in seconds.
func seconds(s float64) string {
	if s < 9.95 {
		return strconv.FormatFloat(s, 'f', 2, 64) + " s"
	}
	return strconv.FormatFloat(s, 'f', 0, 64) + " s"
}

// count groups the digits of a large number by threes.
func count(n int) string {
	s := strconv.Itoa(n)
	if len(s) < 5 { // 1234 reads well as it is.
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// plural is a number of things, which take an s unless there is one.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

// shellWord quotes s so that a shell reads it as one word.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= utf8.RuneSelf || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,:=+@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// fit cuts s to a number of columns.
func fit(s string, columns int) string {
	if r := []rune(s); len(r) > columns && columns > 0 {
		return string(r[:columns-1]) + "…"
	}
	return s
}

// A table lines up columns of text. Columns of numbers stand on the right.
type table struct {
	head []string
	left []bool // which columns stand on the left; the others are numbers
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// writeTo appends the table, indented by two.
func (t *table) writeTo(b *strings.Builder) {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for k, s := range row {
			width[k] = max(width[k], utf8.RuneCountInString(s))
		}
	}
	for _, row := range append([][]string{t.head}, t.rows...) {
		var line strings.Builder
		for k, s := range row {
			pad := strings.Repeat(" ", width[k]-utf8.RuneCountInString(s))
			if line.WriteString("  "); t.left[k] {
				line.WriteString(s + pad)
			} else {
				line.WriteString(pad + s)
			}
		}
		fmt.Fprintln(b, strings.TrimRight(line.String(), " "))
	}
}
