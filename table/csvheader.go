package table

import (
	"slices"
	"strconv"
	"strings"
)

// guessHeader reports whether the first record holds names, and what one should
// know about that.
func guessHeader(first []string, sample [][]string, opts *Options) (header bool, notes []string) {
	switch {
	case isHeader(first, sample, opts):
		return true, nil
	case len(first) > 2 && isCounting(first) && allDecimals(sample),
		len(first) > 1 && first[0] == "" && isCounting(first[1:]) && isIndex(sample, len(first) > 3):
		return true, []string{"the first line counts 0, 1, 2, … and is read as names"}
	case len(first) > 1 && isCounting(first) && len(sample) > 0:
		return false, []string{"the first line counts 0, 1, … and is read as a row"}
	}
	return false, nil
}

// isCounting reports whether a record reads 0,1,2,…, which is how pandas heads
// columns without names.
func isCounting(record []string) bool {
	for k, s := range record {
		if s != strconv.Itoa(k) {
			return false
		}
	}
	return len(record) > 0
}

// allDecimals reports whether the first record below is written with decimals
// throughout, as pandas writes an array of floats. Costs that begin with
// 0, 1, 2 are seldom so.
func allDecimals(sample [][]string) bool {
	if len(sample) == 0 {
		return false
	}
	return !slices.ContainsFunc(sample[0], func(s string) bool {
		return !isGap([]byte(s)) && !strings.ContainsAny(s, ".eEn")
	})
}

// isIndex reports whether the first column is a row index: without gaps, and,
// unless any will do, counting from 0.
func isIndex(sample [][]string, anyWillDo bool) bool {
	for i, record := range sample {
		if record[0] == "" || !anyWillDo && record[0] != strconv.Itoa(i) {
			return false
		}
	}
	return len(sample) > 0
}

// withOneMore returns the names of columns of which there is one more than the
// header says: the last, where each line ends in a separator, or else the
// first, since R writes row names without a name for their column.
func withOneMore(head []string, sample [][]string) []string {
	if lastIsEmpty(sample, len(head)) {
		return append(slices.Clone(head), "")
	}
	return append([]string{""}, head...)
}

// isHeader reports whether the first record reads like names of columns. It
// errs on the side of data, because a header taken for data is an error that
// one sees, and a row taken for a header is lost. Words that all stand in their
// columns of words again are categories; the one column of a list may be called
// what some of it is.
func isHeader(first []string, sample [][]string, opts *Options) bool {
	declared := func(j int) bool {
		for _, want := range opts.AsWritten {
			if want == strconv.Itoa(j+1) {
				return true
			}
		}
		return false
	}
	for _, want := range opts.AsWritten {
		if _, err := strconv.Atoi(want); err != nil {
			return true // a name
		}
	}
	names, values := 0, 0
	for j, s := range first {
		if strings.EqualFold(s, "id") {
			return true
		}
		if declared(j) || s == "" {
			continue
		}
		_, point := parseNumber([]byte(s), '.')
		_, comma := parseNumber([]byte(s), ',')
		_, clock := parseTime([]byte(s))
		_, truth := parseBoolean([]byte(s))
		number := point || comma
		switch {
		case isGap([]byte(s)), clock, truth, number && strings.Trim(s, "0123456789") != "":
			return false // a value, or the place of one
		case number:
			continue // a year, say
		case strings.ContainsRune("0123456789+-.", rune(s[0])) && !strings.ContainsAny(s, "_ "):
			return false // a number with a slip in it
		}
		names++
		if recurs(sample, j, s) && guessKind(sample, j, '.') == Text {
			values++
		}
	}
	return names > 0 && (values < names || len(first) == 1)
}

// recurs reports whether column j has the cell s.
func recurs(sample [][]string, j int, s string) bool {
	return slices.ContainsFunc(sample, func(record []string) bool { return j < len(record) && record[j] == s })
}
