package ot

import "math"

// groups are the sources and the targets, equal ones together.
func (c *Cost) groups() (x, y groups) {
	if c.metric == Given {
		return c.matrixGroups()
	}
	if c.x32 != nil {
		return rowGroups(c.x32, c.m), rowGroups(c.y32, c.n)
	}
	return rowGroups(c.x, c.m), rowGroups(c.y, c.n)
}

// rowGroups groups n rows of numbers.
func rowGroups[T float32 | float64](v []T, n int) groups {
	d := len(v) / max(1, n)
	hash := make([]uint64, n)
	for i := range hash {
		for _, x := range v[i*d : i*d+d] {
			hash[i] = mix(hash[i], float64(x))
		}
	}
	return groupBy(hash, func(i, k int32) bool {
		a, b := v[int(i)*d:int(i)*d+d], v[int(k)*d:int(k)*d+d]
		for q := range a {
			if a[q] != b[q] {
				return false
			}
		}
		return true
	})
}

// firstFew are the entries of a row or column of a matrix that are compared first.
const firstFew = 8

// matrixGroups groups the rows and the columns of a given matrix. Where the first
// few entries tell that merging does not pay, it looks no further.
func (c *Cost) matrixGroups() (x, y groups) {
	same := func(i, k int32) bool { return true }
	rows, cols := c.hashes(firstFew, c.n), c.hashes(c.m, firstFew)
	if x, y = groupBy(cols.row, same), groupBy(rows.col, same); !pays(&x, &y) {
		return x, y
	}
	all := c.hashes(c.m, c.n)
	x = groupBy(all.row, func(i, k int32) bool {
		a, b := c.matrix[int(i)*c.n:], c.matrix[int(k)*c.n:]
		for j := range c.n {
			if a[j] != b[j] {
				return false
			}
		}
		return true
	})
	y = groupBy(all.col, func(i, k int32) bool {
		for q := 0; q < len(c.matrix); q += c.n {
			if c.matrix[q+int(i)] != c.matrix[q+int(k)] {
				return false
			}
		}
		return true
	})
	return x, y
}

// matrixHashes are those of rows and columns.
type matrixHashes struct{ row, col []uint64 }

// hashes are those of the first rows and columns of a given matrix.
func (c *Cost) hashes(rows, cols int) matrixHashes {
	rows, cols = min(rows, c.m), min(cols, c.n)
	h := matrixHashes{make([]uint64, rows), make([]uint64, cols)}
	for i := range h.row {
		r := uint64(0)
		for j, v := range c.matrix[i*c.n : i*c.n+cols] {
			r = mix(r, v)
			h.col[j] = mix(h.col[j], v)
		}
		h.row[i] = r
	}
	return h
}

// groupBy groups rows whose hashes and numbers are equal.
func groupBy(hash []uint64, equal func(i, k int32) bool) groups {
	g := groups{of: make([]int32, len(hash))}
	known := make(map[uint64]int32, len(hash))
	for i, h := range hash {
		k, ok := known[h]
		if ok && !equal(int32(i), g.first[k]) { // then it stays by itself
			ok = false
		}
		if !ok {
			k = int32(len(g.first))
			g.first = append(g.first, int32(i))
			known[h] = k
		}
		g.of[i] = k
	}
	return g
}

// mix adds a number to a hash; −0 is 0.
func mix(h uint64, v float64) uint64 {
	h = (h ^ math.Float64bits(v+0)) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// pick is the cost of some sources and targets.
func (c *Cost) pick(rows, cols []int32) *Cost {
	q := *c
	q.m, q.n = len(rows), len(cols)
	q.x, q.y = pickRows(c.x, rows, c.dim), pickRows(c.y, cols, c.dim)
	q.x32, q.y32 = pickRows(c.x32, rows, c.dim), pickRows(c.y32, cols, c.dim)
	if c.metric == Given {
		q.matrix = make([]float64, 0, q.m*q.n)
		for _, i := range rows {
			for _, j := range cols {
				q.matrix = append(q.matrix, c.matrix[int(i)*c.n+int(j)])
			}
		}
	}
	return &q
}

// pickRows copies some rows of d numbers; nil stays nil.
func pickRows[T any](v []T, rows []int32, d int) []T {
	if v == nil {
		return nil
	}
	out := make([]T, 0, len(rows)*d)
	for _, i := range rows {
		out = append(out, v[int(i)*d:int(i+1)*d]...)
	}
	return out
}
