package ot

import (
	"slices"
	"testing"
)

// TestRounds asserts that a round of a pricer that jumps, and one of a scan, has
// every target once.
func TestRounds(t *testing.T) {
	for n := 1; n < 700; n++ {
		q := pricer{jump: jumps(n)}
		seen := make([]bool, n)
		for k, j := 0, 0; k < n; k, j = k+1, q.after(j, n) {
			if seen[j] {
				t.Fatalf("the pricer comes to target %d of %d twice", j, n)
			}
			seen[j] = true
		}
		s := scan{blocks: 4}
		var all []int32
		for len(all) < n {
			all = append(all, s.targets(n)...)
		}
		slices.Sort(all)
		if !slices.Equal(all, upTo(n)) {
			t.Fatalf("a round of the scan of %d targets has %v", n, all)
		}
	}
}
