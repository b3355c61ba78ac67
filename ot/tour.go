package ot

import "math/bits"

// A tour is the way round a tree that passes every arc down and up again, with
// an entry for either and one for every node, in a circle of small arrays. A
// part of the tree lies between the two entries of its arc, whichever node is
// its root, so that a pivot cuts the circle at four places and joins the pieces
// anew, and the prices of the part are changed in the order of memory. Walking
// lists of children takes ten times as long once trees are deep.
type tour struct {
	chunks []tourChunk
	free   []int32 // chunks that are not in use
	at     []int32 // of every entry: its chunk times tourChunkSize, plus its place there
	down   []int32 // of every node: the entry of the arc from its parent; that of the way up is ^1
}

// tourChunkSize is the number of bits of a word, which says which entries are
// nodes.
const tourChunkSize = 64

type tourChunk struct {
	entries    [tourChunkSize]int32
	nodes      uint64 // which entries are nodes
	size       int32
	next, prev int32
}

// newTour makes the tour of the tree below root, which has all nodes.
func newTour(root int32, kids []treeKids) *tour {
	nodes := len(kids)
	even := nodes + nodes&1
	w := &tour{at: make([]int32, even+2*nodes), down: make([]int32, nodes), chunks: make([]tourChunk, 0, 4*nodes/tourChunkSize+8)}
	const fill = 3 * tourChunkSize / 4 // leaves room for what is joined later
	last := int32(-1)
	add := func(e int32, node bool) {
		if last < 0 || w.chunks[last].size == fill {
			last = w.newChunk()
			if last > 0 {
				w.link(last-1, last)
			}
		}
		w.append(last, e, node)
	}
	add(root, true)
	type visit struct{ node, child int32 }
	stack := []visit{{root, kids[root].child}}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		c := v.child
		if c < 0 {
			if len(stack) > 1 {
				add(w.down[v.node]^1, false)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		v.child = kids[c].next
		w.down[c] = int32(even) + 2*c
		add(w.down[c], false)
		add(c, true)
		stack = append(stack, visit{c, kids[c].child})
	}
	w.link(last, 0)
	return w
}

func (w *tour) newChunk() int32 {
	if k := len(w.free); k > 0 {
		c := w.free[k-1]
		w.free = w.free[:k-1]
		w.chunks[c].nodes, w.chunks[c].size = 0, 0
		return c
	}
	w.chunks = append(w.chunks, tourChunk{})
	return int32(len(w.chunks) - 1)
}

func (w *tour) link(c, d int32) { w.chunks[c].next, w.chunks[d].prev = d, c }

// append adds an entry at the end of a chunk that has room.
func (w *tour) append(c, e int32, node bool) {
	x := &w.chunks[c]
	x.entries[x.size] = e
	if node {
		x.nodes |= 1 << x.size
	}
	w.at[e] = c*tourChunkSize + x.size
	x.size++
}

// splitAt cuts the circle before place k of chunk c and returns the chunks
// around the cut, which are the same where c was all of the circle and k is 0.
func (w *tour) splitAt(c, k int32) (before, after int32) {
	if k == 0 {
		return w.chunks[c].prev, c
	}
	if k == w.chunks[c].size {
		return c, w.chunks[c].next
	}
	d := w.newChunk()
	x, y := &w.chunks[c], &w.chunks[d]
	y.size = int32(copy(y.entries[:], x.entries[k:x.size]))
	y.nodes = x.nodes >> k
	x.nodes &= 1<<k - 1
	x.size = k
	for q, e := range y.entries[:y.size] {
		w.at[e] = d*tourChunkSize + int32(q)
	}
	w.link(d, x.next)
	w.link(c, d)
	return c, d
}

// splitAfter cuts the circle after an entry.
func (w *tour) splitAfter(e int32) (before, after int32) {
	return w.splitAt(w.at[e]/tourChunkSize, w.at[e]%tourChunkSize+1)
}

// drop takes out the last entry of chunk c, and returns the chunk that it
// leaves at the end: the one before where there is nothing left.
func (w *tour) drop(c int32) int32 {
	x := &w.chunks[c]
	x.size--
	x.nodes &^= 1 << x.size
	if x.size > 0 {
		return c
	}
	before := x.prev
	w.link(before, x.next)
	w.free = append(w.free, c)
	return before
}

// merge joins chunk c and the next one if they have room for that. It returns
// the chunk that is no longer in use, −1 for none.
func (w *tour) merge(c int32) int32 {
	d := w.chunks[c].next
	x, y := &w.chunks[c], &w.chunks[d]
	if c == d || x.size+y.size > tourChunkSize {
		return -1
	}
	for q, e := range y.entries[:y.size] {
		x.entries[x.size+int32(q)] = e
		w.at[e] = c*tourChunkSize + x.size + int32(q)
	}
	x.nodes |= y.nodes << x.size
	x.size += y.size
	w.link(c, y.next)
	w.free = append(w.free, d)
	return d
}

// cut takes the part below v out of the tree, a circle of its own from now on.
func (w *tour) cut(v int32) {
	e := w.down[v]
	w.splitAfter(e)
	w.splitAfter(e ^ 1)
	before, last := w.at[e]/tourChunkSize, w.at[e^1]/tourChunkSize
	first, after := w.chunks[before].next, w.chunks[last].next
	w.link(before, after)
	w.link(last, first)
	w.merge(w.drop(before))
	w.merge(w.drop(last))
}

// hang puts the circle that has v below par, by the arc whose entry down is e,
// changes the prices of its nodes, and returns how many they are.
func (w *tour) hang(v, par, e int32, u []float64, by float64) int {
	end, start := w.splitAt(w.at[v]/tourChunkSize, w.at[v]%tourChunkSize)
	visits := 0
	for c := start; ; c = w.chunks[c].next {
		x := &w.chunks[c]
		visits += bits.OnesCount64(x.nodes)
		for left := x.nodes; left != 0; left &= left - 1 {
			u[x.entries[bits.TrailingZeros64(left)&(tourChunkSize-1)]] += by
		}
		if c == end {
			break
		}
	}
	before, after := w.splitAfter(par)
	w.down[v] = e
	before = w.push(before, e)
	w.link(before, start)
	end = w.push(end, e^1)
	w.link(end, after)
	if w.merge(before) == end {
		end = before
	}
	w.merge(end)
	return visits
}

// push adds the entry of an arc after chunk c and returns the chunk it is in,
// whose link to the next one is for the caller to set.
func (w *tour) push(c, e int32) int32 {
	if w.chunks[c].size == tourChunkSize {
		d := w.newChunk()
		w.link(c, d)
		c = d
	}
	w.append(c, e, false)
	return c
}
