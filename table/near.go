package table

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// near returns the names that somebody who wrote want may have meant, the
// likeliest first.
func near(want string, names []string) []string {
	type match struct {
		name string
		far  int
	}
	var found []match
	w := folded(want)
	limit := len([]rune(w)) / 3 // short names only in another case
	for _, name := range names {
		n := folded(name)
		far := editDistance(w, n, limit)
		if n != w && far > limit && len(w) >= 3 && len(n) >= 3 && (strings.Contains(n, w) || strings.Contains(w, n)) {
			far = limit
		}
		if far <= limit {
			found = append(found, match{name, far})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(a.far, b.far) })
	var out []string
	for _, m := range found[:min(len(found), 3)] {
		out = append(out, m.name)
	}
	return out
}

// folded is a name without case, blanks and joining marks.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// editDistance is how many letters have to be put in, left out, replaced or
// swapped with their neighbour to turn a into b; limit+1 when more than limit.
func editDistance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > limit || -d > limit {
		return limit + 1
	}
	before, last, next := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		next[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			next[j+1] = min(last[j]+cost, last[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, last, next = last, next, before
	}
	return min(last[len(y)], limit+1)
}
