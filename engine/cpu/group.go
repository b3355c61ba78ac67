package cpu

import (
	"slices"

	"github.com/gomlx/compute"
)

// A group is the nodes that one step computes: one operation that is not
// element-wise, or element-wise ones over equally many elements, maybe with a
// reduction of their result at the end.
type group struct {
	root    *node // the last one; the group runs in its place
	kind    groupKind
	size    int            // elements that its loop goes over
	members map[*node]bool // element-wise ones
	stores  []*node        // members that others read
}

type groupKind int

const (
	elementGroup groupKind = iota
	reduceGroup
	otherGroup
)

// maxMembers bounds a group, so that what it reads stays in the first cache.
const maxMembers = 48

// A use is a group that reads a node.
type use struct {
	g     *group
	whole bool // element i for its own element i
}

// A grouper puts the nodes of a graph into groups.
type grouper struct {
	*resolver
	active  []*node // what has to be computed, in order
	inputs  map[*node][]source
	outputs map[*node]bool
	uses    map[*node][]use
	groups  []*group
	costs   map[*node]cost
	homes   map[*node]home
}

// group returns the groups in the order in which they can run.
func (p *grouper) group() []*group {
	p.uses, p.homes = map[*node][]use{}, map[*node]home{}
	p.findCosts()
	for _, n := range slices.Backward(p.active) {
		switch {
		case n.op == compute.OpTypeParameter || n.op == compute.OpTypeConstant:
		case isElement(n.op) || p.copied[n]:
			p.findHome(n)
			p.settle(n)
		case isReduce(n.op):
			p.found(n, reduceGroup, n.in[0].size())
		default:
			if n.op == compute.OpTypeConcatenate {
				p.findHome(n)
			}
			p.found(n, otherGroup, 0)
		}
	}
	slices.SortFunc(p.groups, func(a, b *group) int { return a.root.id - b.root.id })
	return p.groups
}

// found makes a new group with n as its root.
func (p *grouper) found(n *node, kind groupKind, size int) *group {
	g := &group{root: n, kind: kind, size: size, members: map[*node]bool{}}
	p.groups = append(p.groups, g)
	if kind == elementGroup {
		g.stores = append(g.stores, n)
		p.join(n, g)
	} else {
		p.read(n, g)
	}
	return g
}

func (p *grouper) join(n *node, g *group) {
	g.members[n] = true
	p.read(n, g)
}

// read notes what n, as part of g, reads.
func (p *grouper) read(n *node, g *group) {
	for _, s := range p.inputs[n] {
		whole := g.kind != otherGroup && s.whole() && s.base.size() == g.size
		p.uses[s.base] = append(p.uses[s.base], use{g, whole})
	}
}

// settle puts an element-wise node into the groups that read it, if it can be
// computed there, or else into one of its own. All who read it come after it,
// and have been placed.
func (p *grouper) settle(n *node) {
	var readers []*group
	open := map[*group]bool{} // n could be computed there
	for _, u := range p.usesOf(n) {
		if !slices.Contains(readers, u.g) {
			readers = append(readers, u.g)
			open[u.g] = len(u.g.members) < maxMembers && u.g.size == n.size()
		}
		open[u.g] = open[u.g] && u.whole
	}
	slices.SortFunc(readers, func(a, b *group) int { return a.root.id - b.root.id })
	everywhere := !p.outputs[n]
	for _, g := range readers {
		everywhere = everywhere && open[g]
	}
	switch {
	case everywhere && (len(readers) == 1 || p.costs[n].cheap):
		// Nobody else needs it, or it costs less than memory does.
		for _, g := range readers {
			p.join(n, g)
		}
	case len(readers) > 0 && open[readers[0]]:
		// The first reader computes it and stores it for those that follow.
		readers[0].stores = append(readers[0].stores, n)
		p.join(n, readers[0])
	default:
		if g := p.sibling(n, readers); g != nil {
			g.stores = append(g.stores, n)
			p.join(n, g)
			return
		}
		p.found(n, elementGroup, n.size())
	}
}

// usesOf are the uses of n. One that is written where several Concatenates in turn
// would put it is read by the last of them.
func (p *grouper) usesOf(n *node) []use {
	uses := p.uses[n]
	if _, ok := p.homes[n]; !ok {
		return uses
	}
	for {
		c := uses[0].g.root
		if _, ok := p.homes[c]; !ok {
			return uses
		}
		uses = p.uses[c]
	}
}

// sibling is a group that reads an array that n reads too, or writes to the one
// that n is written to, and runs before all who read n, such as that of the other
// side of a Max's gradient. It does not depend on n: what does runs after it.
func (p *grouper) sibling(n *node, readers []*group) *group {
	if len(readers) == 0 {
		return nil
	}
	fits := func(g *group) bool {
		return g.kind == elementGroup && g.size == n.size() && len(g.members) < maxMembers && g.root.id < readers[0].root.id
	}
	if h, ok := p.homes[n]; ok {
		for _, g := range p.groups {
			if fits(g) && slices.ContainsFunc(g.stores, func(m *node) bool { return p.homes[m].whole == h.whole }) {
				return g
			}
		}
	}
	for _, s := range p.inputs[n] {
		if s.base.size() < n.size() {
			continue
		}
		for _, u := range p.uses[s.base] {
			if fits(u.g) {
				return u.g
			}
		}
	}
	return nil
}

// A cost tells what it takes to compute a node again from arrays.
type cost struct {
	cheap bool
	ops   int
	leaf  *node  // the one array as large as the node that it takes, if any
	views []view // of that array
}

// findCosts finds for every node whether it is cheap: a few simple operations
// on no more than one large array, or on two parts of it. To read these takes
// little longer than to read the node would.
func (p *grouper) findCosts() {
	p.costs = map[*node]cost{}
	for _, n := range p.active {
		if !isElement(n.op) {
			continue
		}
		c := cost{cheap: !slow(n.op), ops: 1}
		for _, s := range p.inputs[n] {
			if s.base.size()*8 <= n.size() {
				continue
			}
			leaf, views := s.base, []view{s.view}
			if in := p.costs[s.base]; in.cheap && s.whole() {
				c.ops += in.ops
				leaf, views = in.leaf, in.views
			}
			if leaf == nil {
				continue
			}
			c.cheap = c.cheap && (c.leaf == nil || leaf == c.leaf)
			c.leaf = leaf
			for _, v := range views {
				if !slices.ContainsFunc(c.views, v.equal) {
					c.views = append(c.views, v)
				}
			}
		}
		c.cheap = c.cheap && c.ops <= 6 && len(c.views) <= 2
		p.costs[n] = c
	}
}

// slow reports whether an operation takes longer than reading its result.
func slow(op compute.OpType) bool {
	switch op {
	case compute.OpTypeAdd, compute.OpTypeSub, compute.OpTypeMul, compute.OpTypeMax, compute.OpTypeMin, compute.OpTypeNeg,
		compute.OpTypeAbs, compute.OpTypeSign, compute.OpTypeWhere, compute.OpTypeConvertDType, compute.OpTypeEqual, compute.OpTypeNotEqual,
		compute.OpTypeGreaterThan, compute.OpTypeGreaterOrEqual, compute.OpTypeLessThan, compute.OpTypeLessOrEqual:
		return false
	}
	return true
}
