package ot

import "math/bits"

// A tour is the way round a tree that passes every arc down and up again, with
// an entry for either and one for every node, in a circle of short pieces. A
// part of the tree lies between the two entries of its arc, whichever node is
// its root, so that a pivot cuts the circle at four places and joins the pieces
// anew; and prices that change together do so piece by piece. Walking lists of
// children takes ten times as long and more once trees are deep.
type tour struct {
	u       []float64 // of every node: its price, less what its piece adds
	add     []float64 // of every piece
	pieces  []tourPiece
	entries []int32 // pieceSize for every piece
	at      []int32 // of every entry: where it is among these
	down    []int32 // of every node: the entry of the arc from its parent; that of the way up is ^1
	free    []int32 // pieces that are not in use
}

// pieceSize is the number of bits of a word, which says which entries are
// nodes.
const pieceSize = 64

type tourPiece struct {
	nodes      uint64 // which entries are nodes
	size       int32
	next, prev int32
}

// newTour makes the tour of the tree below root, which has all nodes, with
// prices u.
func newTour(root int32, kids []treeKids, u []float64) *tour {
	nodes := len(kids)
	even := nodes + nodes&1
	w := &tour{u: u, at: make([]int32, even+2*nodes), down: make([]int32, nodes)}
	const fill = 3 * pieceSize / 4 // leaves room for what is joined later
	last := int32(-1)
	add := func(e int32, node bool) {
		if last < 0 || w.pieces[last].size == fill {
			last = w.newPiece()
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

// price is the price of a source or the value of a target.
func (w *tour) price(v int32) float64 { return w.u[v] + w.add[w.at[v]/pieceSize] }

func (w *tour) newPiece() int32 {
	if k := len(w.free); k > 0 {
		c := w.free[k-1]
		w.free = w.free[:k-1]
		w.pieces[c].nodes, w.pieces[c].size, w.add[c] = 0, 0, 0
		return c
	}
	w.pieces = append(w.pieces, tourPiece{})
	w.add = append(w.add, 0)
	w.entries = append(w.entries, make([]int32, pieceSize)...)
	return int32(len(w.pieces) - 1)
}

func (w *tour) link(c, d int32) { w.pieces[c].next, w.pieces[d].prev = d, c }

// of returns the entries of a piece.
func (w *tour) of(c int32) []int32 { return w.entries[c*pieceSize : c*pieceSize+w.pieces[c].size] }

// append adds an entry at the end of a piece that has room.
func (w *tour) append(c, e int32, node bool) {
	x := &w.pieces[c]
	if node {
		x.nodes |= 1 << x.size
	}
	w.at[e] = c*pieceSize + x.size
	w.entries[w.at[e]] = e
	x.size++
}

// splitAt cuts the circle before an entry's place, or the one after it, and
// returns the pieces around the cut, which are the same where the circle is one
// piece and the cut is at its end.
func (w *tour) splitAt(place int32) (before, after int32) {
	c, k := place/pieceSize, place%pieceSize
	switch k {
	case 0:
		return w.pieces[c].prev, c
	case w.pieces[c].size:
		return c, w.pieces[c].next
	}
	d := w.newPiece()
	x, y := &w.pieces[c], &w.pieces[d]
	w.add[d] = w.add[c]
	y.size, y.nodes = x.size-k, x.nodes>>k
	copy(w.of(d), w.of(c)[k:])
	x.size, x.nodes = k, x.nodes&(1<<k-1)
	for q, e := range w.of(d) {
		w.at[e] = d*pieceSize + int32(q)
	}
	w.link(d, x.next)
	w.link(c, d)
	return c, d
}

// splitAfter cuts the circle after an entry.
func (w *tour) splitAfter(e int32) (before, after int32) {
	if w.at[e]%pieceSize == pieceSize-1 {
		c := w.at[e] / pieceSize
		return c, w.pieces[c].next
	}
	return w.splitAt(w.at[e] + 1)
}

// drop takes out the last entry of piece c, and returns the piece that is the
// last one then: that before where there is nothing left.
func (w *tour) drop(c int32) int32 {
	x := &w.pieces[c]
	x.size--
	x.nodes &^= 1 << x.size
	if x.size > 0 {
		return c
	}
	w.link(x.prev, x.next)
	w.free = append(w.free, c)
	return x.prev
}

// merge joins piece c and the next one if there is room. It returns the piece
// that is no longer in use, −1 for none.
func (w *tour) merge(c int32) int32 {
	d := w.pieces[c].next
	x, y := &w.pieces[c], &w.pieces[d]
	if c == d || x.size+y.size > pieceSize {
		return -1
	}
	by := w.add[d] - w.add[c]
	entries := w.of(d)
	for left := y.nodes; left != 0; left &= left - 1 {
		w.u[entries[bits.TrailingZeros64(left)]] += by
	}
	x.nodes |= y.nodes << x.size
	for _, e := range entries {
		w.at[e] = c*pieceSize + x.size
		w.entries[w.at[e]] = e
		x.size++
	}
	w.link(c, y.next)
	w.free = append(w.free, d)
	return d
}

// cut takes the part below v out of the tree, a circle of its own from now on.
func (w *tour) cut(v int32) {
	e := w.down[v]
	w.splitAfter(e)
	w.splitAfter(e ^ 1)
	before, last := w.at[e]/pieceSize, w.at[e^1]/pieceSize
	first, after := w.pieces[before].next, w.pieces[last].next
	w.link(before, after)
	w.link(last, first)
	w.merge(w.drop(before))
	w.merge(w.drop(last))
}

// hang puts the circle that has v below par, by the arc whose entry down is e,
// raises the prices of its nodes, and returns how many they are.
func (w *tour) hang(v, par, e int32, by float64) (nodes int) {
	end, start := w.splitAt(w.at[v])
	for c := start; ; c = w.pieces[c].next {
		w.add[c] += by
		nodes += bits.OnesCount64(w.pieces[c].nodes)
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
	return nodes
}

// push adds the entry of an arc after piece c and returns the piece it is in,
// whose link to the next one is for the caller to set.
func (w *tour) push(c, e int32) int32 {
	if w.pieces[c].size == pieceSize {
		d := w.newPiece()
		w.link(c, d)
		c = d
	}
	w.append(c, e, false)
	return c
}
