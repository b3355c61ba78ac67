package text

import (
	"fmt"
	"strings"

	"rot.example/rot/fetch"
)

// PublicSets lists data sets that can be downloaded.
func PublicSets(sets []*fetch.Set) string {
	t := Table{Head: []string{"name", "download", "", ""}, Left: []bool{true, false, true, true}}
	for _, s := range sets {
		size := "small"
		if n := s.Bytes(); n > 0 {
			size = Megabytes(n)
		}
		t.Add(s.Name, size, s.Title, s.Terms)
	}
	var b strings.Builder
	t.AppendTo(&b)
	return b.String()
}

// PublicSet describes a data set that was downloaded, and how to go on with what
// it reads.
func PublicSet(s *fetch.Set, reads []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nuse: %s\n\nTry\n", s.Title, s.Terms)
	for _, path := range reads {
		fmt.Fprintf(&b, "  rot data info %s\n", shellWord(path))
	}
	return b.String()
}

// Megabytes formats the size of a download.
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
