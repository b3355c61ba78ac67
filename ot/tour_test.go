package ot

import (
	"math/rand/v2"
	"testing"
)

// TestTour compares the prices of a tree whose parts are moved at random, by a
// tour, with those that follow from its arcs.
func TestTour(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 1))
	for _, nodes := range []int{2, 3, 20, 31, 64, 500} {
		for range 3 {
			s := randomTree(r, nodes)
			s.tour = newTour(s.root, s.kids, s.u)
			for range 100 {
				for range 1 + r.IntN(5) {
					moveRandomPart(r, s)
				}
				checkTour(t, s)
			}
			if t.Failed() {
				t.Fatalf("with %d nodes", nodes)
			}
		}
	}
}

// randomTree is a tree on some nodes, with costs that are whole numbers, so
// that sums are exact.
func randomTree(r *rand.Rand, nodes int) *simplex {
	s := &simplex{nodes: make([]treeNode, nodes), kids: make([]treeKids, nodes), arcs: make([]parentArc, nodes), u: make([]float64, nodes)}
	s.clear()
	for v := int32(1); int(v) < nodes; v++ {
		s.hang(v, max(0, v-1-r.Int32N(min(v, 3))), float64(r.IntN(1000)), int64(v))
	}
	s.potentials()
	return s
}

// moveRandomPart takes some arc out and puts another in its place.
func moveRandomPart(r *rand.Rand, s *simplex) {
	top := 1 + r.Int32N(int32(len(s.nodes)-1))
	below := make([]bool, len(s.nodes))
	for _, v := range s.walk(top) {
		below[v] = true
	}
	pick := func(want bool) int32 {
		for {
			if v := r.Int32N(int32(len(s.nodes))); below[v] == want {
				return v
			}
		}
	}
	v, par := pick(true), pick(false)
	s.tour.cut(top)
	s.nodes[top].par = -1
	s.attach(v, par, float64(r.IntN(1000)), 1)
}

// checkTour compares prices with those from the root down, and the tour with
// what it promises: all nodes, and each arc around its part.
func checkTour(t *testing.T, s *simplex) {
	t.Helper()
	got := make([]float64, len(s.u))
	for v := range got {
		got[v] = s.price(int32(v))
	}
	s.potentials()
	for v, want := range s.u {
		if got[v] != want {
			t.Fatalf("node %d has price %v, want %v", v, got[v], want)
		}
	}
	w := s.tour
	seen := 0
	var open []int32
	_, start := w.splitAt(w.at[s.root])
	for c := start; ; {
		for k, e := range w.of(c) {
			if w.at[e] != c*pieceSize+int32(k) {
				t.Fatalf("entry %d is not where it should be", e)
			}
			node := w.pieces[c].nodes>>k&1 == 1
			if node != (int(e) < len(s.nodes)) {
				t.Fatalf("entry %d is marked as a node: %v", e, node)
			}
			switch {
			case node:
				seen++
			case len(open) > 0 && open[len(open)-1] == e^1:
				open = open[:len(open)-1]
			default:
				open = append(open, e)
			}
		}
		if w.pieces[w.pieces[c].next].prev != c {
			t.Fatalf("piece after %d does not lead back", c)
		}
		if c = w.pieces[c].next; c == start {
			break
		}
	}
	if seen != len(s.nodes) || len(open) > 0 {
		t.Fatalf("%d of %d nodes in the tour, %d arcs that only lead down", seen, len(s.nodes), len(open))
	}
}
