package ot

import (
	"context"
	"slices"

	"rot.example/rot/chisq"
)

// Rows that are equal cost the same to every other row, so a problem is no harder
// than that of its distinct rows, each with the weight of all that equal it: a
// divergence Σ a·f(w/a) of such a group is least where its rows share its mass as
// they share its weight (docs/math.md §4). Tables of categories or of small whole
// numbers have few distinct rows, and ties among all the others are slow to solve.

// groups are the rows of one side, equal ones together.
type groups struct {
	of    []int32 // the group of every row
	first []int32 // the first row of every group
}

// mergeFrom is the part of the rows that has to repeat others for merging to pay,
// if no group has more rows than a list has room for: equal weights, which
// merging takes away, are worth more than a few rows less.
const mergeFrom = 0.25

// merged is a problem with its distinct rows, and how they stand for all of them.
type merged struct {
	*Problem
	all  *Problem
	x, y groups
}

// merge returns the problem of the distinct rows, nil where few rows repeat
// others.
func (p *Problem) merge() (*merged, error) {
	c := p.Cost
	g := &merged{all: p}
	g.x, g.y = c.groups()
	if !pays(&g.x, &g.y) {
		return nil, nil
	}
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	a, b = g.x.total(a), g.y.total(b)
	g.Problem = &Problem{Cost: c.pick(g.x.first, g.y.first), A: a.hi, B: b.hi, exact: &[2]weights{a, b}, device: p.device}
	return g, nil
}

// pays says that it pays to merge the rows of groups.
func pays(x, y *groups) bool {
	distinct, all := len(x.first)+len(y.first), len(x.of)+len(y.of)
	return max(x.largest(), y.largest()) > listLength || float64(distinct) <= (1-mergeFrom)*float64(all)
}

// onDistinct solves the problem of the distinct rows and certifies the answer
// for all of them, or solves p as it is where few rows repeat others.
func (p *Problem) onDistinct(ctx context.Context, source, target chisq.Ball, tol float64, w *watch, solve func(p *Problem) (*Result, error)) (*Result, error) {
	g, err := p.merge()
	if err != nil {
		return nil, err
	}
	if g == nil {
		return solve(p)
	}
	r, err := solve(g.Problem)
	if r == nil {
		return nil, err
	}
	all, allErr := g.conclude(ctx, r, source, target, tol, w)
	if fellShort(allErr) && !fellShort(err) && float64(p.Cost.m)*float64(p.Cost.n) <= refineLimit {
		return solve(p) // values next to 0, or radii, that hang on the last bits of the weights
	}
	return all, allErr
}

// conclude makes a result for all rows of one for the distinct ones.
func (g *merged) conclude(ctx context.Context, r *Result, source, target chisq.Ball, tol float64, w *watch) (*Result, error) {
	in, err := newInstance(g.all, false)
	if err != nil {
		return nil, err
	}
	plan := &Plan{I: r.Plan.I, J: r.Plan.J, Mass: r.Plan.Mass}
	plan.I, plan.J, plan.Mass = g.x.split(plan.I, plan.J, plan.Mass, in.rows, in.a)
	plan.J, plan.I, plan.Mass = g.y.split(plan.J, plan.I, plan.Mass, in.cols, in.b)
	phi, psi := g.x.spread(r.F, in.rows), g.y.spread(r.G, in.cols)
	c := candidate{iters: r.Iters, lambda: [2]float64{r.SourceLambda, r.TargetLambda}, plan: plan, u: scaled(phi, -1)}
	switch {
	case source.Rho > 0 && target.Rho > 0:
		c.s = scaled(psi, -1)
	case target.Rho > 0:
		in = in.flipped()
		plan.I, plan.J = plan.J, plan.I
		c.u = scaled(psi, -1)
		c.lambda[0], c.lambda[1] = c.lambda[1], c.lambda[0]
	}
	return concludeStopped(ctx, g.all, in, c, source, target, tol, w)
}

// largest is the number of rows in the largest group.
func (g *groups) largest() int {
	count := make([]int, len(g.first))
	for _, k := range g.of {
		count[k]++
	}
	return slices.Max(count)
}

// total is the weight of every group.
func (g *groups) total(w weights) weights {
	out := weights{make([]float64, len(g.first)), make([]float64, len(g.first))}
	for i, k := range g.of {
		x := dd{out.hi[k], out.lo[k]}.plus(w.at(i))
		out.hi[k], out.lo[k] = x.hi, x.lo
	}
	return out
}

// spread gives each of some rows what its group has.
func (g *groups) spread(v []float64, rows []int32) []float64 {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = v[g.of[row]]
	}
	return out
}

// split hands the mass that groups send to the rows in them, as those share the
// group's weight. from are the groups of a plan, which become indices of rows. It
// adds up in twice the precision: a group may have a million rows, and the last
// must not pay for the rounding of all others.
func (g *groups) split(from, to []int32, mass []float64, rows []int32, weight []float64) (i, j []int32, m []float64) {
	members := make([][]int32, len(g.first))
	total, sent := make([]dd, len(g.first)), make([]dd, len(g.first))
	for i, row := range rows {
		k := g.of[row]
		members[k] = append(members[k], int32(i))
		total[k] = total[k].add(weight[i])
	}
	for k, f := range from {
		sent[f] = sent[f].add(mass[k])
	}
	share := func(f, i int32) dd { return sent[f].over(total[f]).times(weight[i]) }
	need := make([]dd, len(g.first)) // of the first of members
	for f, list := range members {
		if len(list) > 0 {
			need[f] = share(int32(f), list[0])
		}
	}
	for k, f := range from {
		left := dd{hi: mass[k]}
		for left.hi > 1e-28*mass[k] && len(members[f]) > 0 {
			list := members[f]
			part := left
			if last := len(list) == 1; last || left.less(need[f]) {
				need[f], left = need[f].minus(left), dd{}
			} else {
				part = need[f]
				left, members[f], need[f] = left.minus(part), list[1:], share(f, list[1])
			}
			if v := part.float(); v > 0 {
				i, j, m = append(i, list[0]), append(j, to[k]), append(m, v)
			}
		}
	}
	return i, j, m
}
