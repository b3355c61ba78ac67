package table

import "strings"

// compareNatural orders names as people count: x2 before x10.
func compareNatural(a, b string) int {
	whole := strings.Compare(a, b)
	for a != "" && b != "" {
		x, y := digitRun(a), digitRun(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if len(m) != len(n) {
			return len(m) - len(n)
		}
		if c := strings.Compare(m, n); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return whole
}

// digitRun is how many digits s begins with.
func digitRun(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
