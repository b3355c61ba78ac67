// Package words writes numbers and names the way that texts and pages show
// them to a reader.
package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Digits formats v with the given number of significant digits; −1 means as
// many as it takes to read v back.
func Digits(v float64, n int) string { return strconv.FormatFloat(v, 'g', n, 64) }

// TableValue formats a value of a table with four digits, and without an
// exponent where people write none.
func TableValue(v float64) string {
	if a := math.Abs(v); a >= 1e4 && a < 1e9 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return Digits(v, 4)
}

// Percent formats a fraction as a percentage.
func Percent(v float64) string { return Digits(100*v, 3) + " %" }

// Seconds formats a duration that is given in seconds.
func Seconds(s float64) string {
	if s < 9.95 {
		return strconv.FormatFloat(s, 'f', 2, 64) + " s"
	}
	return strconv.FormatFloat(s, 'f', 0, 64) + " s"
}

// Count formats a whole number, the digits of a large one in groups of three.
func Count(n int) string {
	s := strconv.Itoa(n)
	if len(s) < 5 { // 1234 reads well as it is.
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// CountOrNone is Count for the middle of a sentence: "none" instead of 0.
func CountOrNone(n int) string {
	if n == 0 {
		return "none"
	}
	return Count(n)
}

// Plural is a number of things, which take an s unless there is one.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// Capital returns s with a capital first letter.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// Fit cuts s to a number of characters, the last of which is then an ellipsis.
func Fit(s string, characters int) string {
	if r := []rune(s); len(r) > characters && characters > 0 {
		return string(r[:characters-1]) + "…"
	}
	return s
}

// ShellWord quotes s so that a shell reads it as one word.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return r >= utf8.RuneSelf || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,:=+@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Column is the name of column j, or its number as a spreadsheet counts where
// it has none.
func Column(names []string, j int) string {
	if names != nil && names[j] != "" {
		return names[j]
	}
	return fmt.Sprintf("column %d", j+1)
}
