package cpu

import "slices"

// A view reads an array in some order: its i-th element, with i written in the
// mixed base dims as i₀, i₁, …, is element off + Σ iₖ·strides[k] of the array.
// Since only the flat index counts, reshaping a view changes nothing, and the
// same view may be written with other dims.
type view struct {
	off           int
	dims, strides []int
}

// wholeView reads an array of n elements as it lies.
func wholeView(n int) view { return view{dims: []int{n}, strides: []int{1}} }

func (v view) size() int { return product(v.dims) }

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// whole reports whether v reads an array of n elements as it lies.
func (v view) whole(n int) bool {
	return v.off == 0 && v.size() == n && (n == 1 || len(v.dims) == 1 && v.strides[0] == 1)
}

// simple drops axes of length 1 and joins those that are one run, so that the
// same reading has the same form.
func (v view) simple() view {
	s := view{off: v.off}
	for k, d := range v.dims {
		last := len(s.dims) - 1
		switch {
		case d == 1:
		case last >= 0 && s.strides[last] == d*v.strides[k]:
			s.dims[last] *= d
			s.strides[last] = v.strides[k]
		default:
			s.dims, s.strides = append(s.dims, d), append(s.strides, v.strides[k])
		}
	}
	if len(s.dims) == 0 {
		s.dims, s.strides = []int{1}, []int{1}
	}
	if s.size() == 0 {
		return view{off: s.off, dims: []int{0}, strides: []int{1}}
	}
	return s
}

func (v view) equal(w view) bool {
	return v.off == w.off && slices.Equal(v.dims, w.dims) && slices.Equal(v.strides, w.strides)
}

// along writes v with axes of the given lengths, each with a stride; ok is
// false where an axis has none, as the columns of a transposed matrix that was
// then flattened.
func (v view) along(dims []int) (strides []int, ok bool) {
	v = v.simple()
	strides = make([]int, len(dims))
	if product(dims) == 0 {
		return strides, true
	}
	// Take the axes from the last one on. left is what remains of the
	// current axis of v, and step how far apart its elements are.
	k := len(v.dims) - 1
	left, step := v.dims[k], v.strides[k]
	for i := len(dims) - 1; i >= 0; i-- {
		d := dims[i]
		if d == 1 {
			continue
		}
		if left == 1 {
			k--
			left, step = v.dims[k], v.strides[k]
		}
		if left%d != 0 {
			return nil, false
		}
		strides[i] = step
		left, step = left/d, step*d
	}
	return strides, true
}

// on writes v as a view with one axis for each of dims.
func (v view) on(dims []int) (view, bool) {
	strides, ok := v.along(dims)
	return view{v.off, dims, strides}, ok
}

// periodic reports whether v repeats the n elements from off on, over and over.
func (v view) periodic() (n int, ok bool) {
	if len(v.dims) == 2 && v.strides[0] == 0 && v.strides[1] == 1 {
		return v.dims[1], true
	}
	return 0, false
}

// scalar reports whether v reads one element only.
func (v view) scalar() bool {
	for k, d := range v.dims {
		if d > 1 && v.strides[k] != 0 {
			return false
		}
	}
	return v.size() > 0
}

// A cursor walks over the runs of a view: stretches along its last axis.
type cursor struct {
	v     *view
	index [maxAxes]int
	at    int // position in the array
}

// maxAxes is how many axes a view may have after simple, and an array.
const maxAxes = 16

// seek goes to element i.
func (c *cursor) seek(v *view, i int) {
	c.v, c.at = v, v.off
	for k := len(v.dims) - 1; k >= 0; k-- {
		c.index[k] = i % v.dims[k]
		c.at += c.index[k] * v.strides[k]
		i /= v.dims[k]
	}
}

// run is the number of elements that are left along the last axis.
func (c *cursor) run() int {
	k := len(c.v.dims) - 1
	return c.v.dims[k] - c.index[k]
}

// rows is how many runs of which length, one after the other along the axis
// before the last one, are among the next n elements: several whole ones, or
// one that may be shorter.
func (c *cursor) rows(n int) (rows, run int) {
	k := len(c.v.dims) - 1
	run = c.run()
	if k == 0 || run > n || run < c.v.dims[k] {
		return 1, min(n, run)
	}
	return min(n/run, c.v.dims[k-1]-c.index[k-1]), run
}

// step is how far apart the runs of rows are.
func (c *cursor) step() int {
	if k := len(c.v.dims) - 2; k >= 0 {
		return c.v.strides[k]
	}
	return 0
}

// next goes on by what rows tells.
func (c *cursor) next(rows, run int) {
	k := len(c.v.dims) - 1
	if rows == 1 {
		c.skipAlong(k, run)
	} else {
		c.skipAlong(k-1, rows)
	}
}

// skip goes on by n elements, at most as many as run tells.
func (c *cursor) skip(n int) { c.skipAlong(len(c.v.dims)-1, n) }

func (c *cursor) skipAlong(k, n int) {
	c.index[k] += n
	c.at += n * c.v.strides[k]
	for c.index[k] == c.v.dims[k] && k > 0 {
		c.at += c.v.strides[k-1] - c.v.dims[k]*c.v.strides[k]
		c.index[k] = 0
		k--
		c.index[k]++
	}
}
