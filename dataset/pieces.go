package dataset

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"
)

// A piece is a run of images in one of several files that make up a set.
type piece struct {
	file   string
	lo, hi int // of the file
	at     int // of the set: where lo goes
}

// layOut puts all images of the files one after the other.
func layOut(files []string, counts []int) (pieces []piece, n int) {
	for k, file := range files {
		pieces = append(pieces, piece{file: file, hi: counts[k], at: n})
		n += counts[k]
	}
	return pieces, n
}

// within cuts pieces down to the images lo to hi of the set, which become its
// images 0 to hi-lo.
func within(pieces []piece, lo, hi int) []piece {
	var out []piece
	for _, p := range pieces {
		from, to := max(p.at, lo), min(p.at+p.hi, hi)
		if from < to {
			out = append(out, piece{p.file, from - p.at, to - p.at, from - lo})
		}
	}
	return out
}

// pieceIDs names images after the file that they come from, as in
// "batch_1.png#12"; with its folder only where base names occur twice.
func pieceIDs(pieces []piece) []string {
	seen := make(map[string]bool)
	twice := false
	for _, p := range pieces {
		base := filepath.Base(p.file)
		twice = twice || seen[base]
		seen[base] = true
	}
	var ids []string
	for _, p := range pieces {
		name := p.file
		if !twice {
			name = filepath.Base(name)
		}
		for i := p.lo; i < p.hi; i++ {
			ids = append(ids, name+"#"+strconv.Itoa(i))
		}
	}
	return ids
}

// compareNatural orders names as people count: batch_2 before batch_10.
func compareNatural(a, b string) int {
	whole := strings.Compare(a, b)
	for a != "" && b != "" {
		x, y := digitRun(a), digitRun(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), whole)
}

// digitRun is how many digits s begins with.
func digitRun(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
