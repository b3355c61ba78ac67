package ot

// start builds a strongly feasible spanning tree from an auction whose lots
// serve every target: first the lots, cycles cancelled; then each part that
// positive flow holds together is hung by an empty arc from one of its sources
// under a target of the tree so far, nearest first: prices then fall as little
// below the auction's as empty arcs allow.
func (t *simplex) start(a *auction) {
	m := int32(t.in.m)
	d := newDisjoint(t.in.m + t.in.n)
	for i, h := range a.hold {
		for _, l := range h {
			x, y := int32(i), m+l.j
			c := t.in.cost(i, int(l.j))
			switch rx, ry := d.find(x), d.find(y); {
			case rx == ry:
				t.enter(x, l.j, c, l.mass)
			case d.size[rx] < d.size[ry]:
				d.join(ry, rx)
				t.attach(x, y, -c, l.mass)
			default:
				d.join(rx, ry)
				t.attach(y, x, c, l.mass)
			}
		}
	}
	// Keep the arcs with flow, by node; build the tree anew around them.
	adj := newAdjacency(t.in.m + t.in.n)
	for v, x := range t.nodes {
		if x.par >= 0 && t.arcs[v].flow > 0 {
			adj.count(int32(v), x.par)
		}
	}
	adj.ready()
	for v, x := range t.nodes {
		if e := t.arcs[v]; x.par >= 0 && e.flow > 0 {
			adj.add(int32(v), x.par, e.cost, e.flow)
		}
	}
	t.clear()
	t.pivots = 0
	t.span(adj, a)
}

// span grows the tree from target 0.
func (t *simplex) span(adj *adjacency, a *auction) {
	m := int32(t.in.m)
	in := make([]bool, len(t.nodes))
	var heap minHeap
	// grow takes in everything that flow joins to v, which hangs already.
	queue := make([]int32, 0, len(t.nodes))
	grow := func(v int32) {
		in[v] = true
		queue = append(queue[:0], v)
		for k := 0; k < len(queue); k++ {
			v := queue[k]
			for _, e := range adj.of(v) {
				if in[e.to] {
					continue
				}
				in[e.to] = true
				t.hang(e.to, v, e.cost, e.flow)
				t.u[e.to] = t.u[v] + e.cost
				queue = append(queue, e.to)
			}
			if v >= m {
				src, cost := t.l.arcs(int(v - m))
				for k, i := range src {
					if !in[i] {
						heap.push(heapItem{cost[k] + a.u[i] - t.u[v], i, v})
					}
				}
				for _, e := range t.l.rare.of(int(v - m)) {
					if !in[e.i] {
						heap.push(heapItem{e.c + a.u[e.i] - t.u[v], e.i, v})
					}
				}
			}
		}
	}
	hang := func(i, target int32) {
		c := t.in.cost(int(i), int(target-m))
		t.hang(i, target, -c, 0)
		t.u[i] = t.u[target] - c
		grow(i)
	}
	t.root = m
	t.u[m] = 0
	grow(m)
	for i := int32(0); ; {
		for len(heap) > 0 {
			if x := heap.pop(); !in[x.node] {
				hang(x.node, x.other)
			}
		}
		for i < m && in[i] { // no list leads to the rest: any arc will do
			i++
		}
		if i == m {
			return
		}
		hang(i, m)
	}
}

// disjoint is a union-find forest.
type disjoint struct{ par, size []int32 }

func newDisjoint(n int) *disjoint {
	d := &disjoint{make([]int32, n), make([]int32, n)}
	for i := range d.par {
		d.par[i], d.size[i] = int32(i), 1
	}
	return d
}

func (d *disjoint) find(x int32) int32 {
	for d.par[x] != x {
		d.par[x] = d.par[d.par[x]]
		x = d.par[x]
	}
	return x
}

// join hangs root y under root x.
func (d *disjoint) join(x, y int32) {
	d.par[y] = x
	d.size[x] += d.size[y]
}

// adjacency lists the arcs at every node, counted first and added after.
type adjacency struct {
	first []int32
	edges []edge
}

type edge struct {
	to   int32
	cost float64 // potential of to = potential of this node + cost
	flow int64
}

func newAdjacency(n int) *adjacency { return &adjacency{first: make([]int32, n+2)} }

func (a *adjacency) count(v, w int32) {
	a.first[v+2]++
	a.first[w+2]++
}

func (a *adjacency) ready() {
	for k := 2; k < len(a.first); k++ {
		a.first[k] += a.first[k-1]
	}
	a.edges = make([]edge, a.first[len(a.first)-1])
}

// add records the arc between v and its parent w, whose cost leads from w to v.
func (a *adjacency) add(v, w int32, cost float64, flow int64) {
	a.edges[a.first[w+1]] = edge{v, cost, flow}
	a.first[w+1]++
	a.edges[a.first[v+1]] = edge{w, -cost, flow}
	a.first[v+1]++
}

func (a *adjacency) of(v int32) []edge { return a.edges[a.first[v]:a.first[v+1]] }
