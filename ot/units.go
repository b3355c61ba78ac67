package ot

import (
	"errors"
	"fmt"
	"math"
)

// ErrInfeasible says that no plan avoids the forbidden pairs of a cost matrix,
// those that cost +Inf.
var ErrInfeasible = errors.New("no plan avoids the forbidden pairs")

// Solvers work on costs of ordinary size: products of costs and weights must
// neither overflow nor underflow. A scaledProblem is a Problem in such units.
type scaledProblem struct {
	*Problem
	exp   int     // its costs times 2^exp are the given ones
	limit float64 // given costs from here on are masked: replaced by a price that is high enough
	price float64 // that price in the new units; 0: nothing is masked

	underflows bool // some costs are below the range of the new units
}

// firstBid is the first price of masks that is tried.
const firstBid = 1e3

// easyExp is the exponent of coordinates, and half that of costs, up to which
// they are of ordinary size as they are.
const easyExp = 60

// inUnits runs a solver on the problem in units of ordinary size and
// translates the result.
//
// Entries of a matrix that are some 1e13 times as large as the rest, or
// infinite, are masks: what they say is "not this pair". They become a price
// that no plan pays that can do without, which leaves the other costs their
// digits. If the plan pays it all the same, a higher price is tried, for weights
// that may move; then finite masks count as the costs that they are, and with
// infinite ones there is no plan.
func (p *Problem) inUnits(solve func(s *scaledProblem) (*Result, error)) (*Result, error) {
	if p == nil || p.Cost == nil {
		return nil, fmt.Errorf("ot: problem without a cost: %w", ErrShape)
	}
	var mask error
	for _, bid := range []float64{firstBid, 1e9, 0} {
		s := p.scaled(bid)
		r, err := solve(s)
		if r == nil {
			return nil, err
		}
		if mask = s.allowed(p.Cost, r); mask != nil {
			continue
		}
		if s.exp != 0 {
			if rerr := r.rescale(s.exp); rerr != nil {
				return nil, rerr
			}
		}
		if s.underflows && r.Plan != nil {
			cost := r.Plan.cost(p.Cost)
			r.Value, r.Transport = r.Value+(cost-r.Transport), cost
			r.Lower = math.Min(r.Lower, r.Value)
		}
		return r, err
	}
	return nil, mask
}

// errPaysMask says that a plan pays a finite mask; it never leaves the package.
var errPaysMask = errors.New("ot: the plan pays a mask")

// allowed returns an error for a plan that pays a mask: errPaysMask where
// counting masks as costs may help, else ErrInfeasible.
func (s *scaledProblem) allowed(c *Cost, r *Result) error {
	if s.price == 0 || r.Plan == nil {
		return nil
	}
	var err error
	for k := range r.Plan.Mass {
		switch v := c.At(int(r.Plan.I[k]), int(r.Plan.J[k])); {
		case v > math.MaxFloat64 && math.IsInf(s.limit, 1):
			return fmt.Errorf("ot: %w", ErrInfeasible)
		case v >= s.limit:
			err = errPaysMask
		}
	}
	return err
}

// scaled chooses units. Masks get a price that is bid times what it takes to
// keep a plan with fixed marginals away from them; bid 0 takes finite masks as
// costs.
func (p *Problem) scaled(bid float64) *scaledProblem {
	c := p.Cost
	s := &scaledProblem{Problem: p, limit: math.Inf(1)}
	if c.metric == Cosine {
		return s // rows of length one
	}
	if c.metric == Given {
		s.scaleMatrix(bid)
		return s
	}
	var top float64
	for _, side := range [][]float64{c.x, c.y} {
		for _, v := range side {
			top = math.Max(top, math.Abs(v))
		}
	}
	if _, e := math.Frexp(top); top > 0 && (e > easyExp || e < -easyExp) {
		q := *c
		q.x, q.y = ldexp(c.x, -e), ldexp(c.y, -e)
		s.Problem = &Problem{Cost: &q, A: p.A, B: p.B, device: p.device}
		if s.exp = e; c.metric == SqEuclidean {
			s.exp = 2 * e
		}
		q.most = math.Ldexp(c.most, -s.exp)
	}
	return s
}

func ldexp(v []float64, e int) []float64 {
	out := make([]float64, len(v))
	for k := range v {
		out[k] = math.Ldexp(v[k], e)
	}
	return out
}

func (s *scaledProblem) scaleMatrix(bid float64) {
	c := s.Cost
	sizes := sizesOf(c.matrix)
	top := sizes.top
	if bid > 0 && sizes.limit > 0 {
		s.limit, top = sizes.limit, sizes.below
	}
	_, e := math.Frexp(top)
	if e <= 2*easyExp && e >= -2*easyExp || top == 0 {
		e = 0
	}
	masked := sizes.infinite || !math.IsInf(s.limit, 1)
	if e == 0 && !masked {
		return
	}
	s.exp = e
	q := *c
	q.matrix = ldexp(c.matrix, -e)
	for k, v := range q.matrix { // what underflows is rounded down: a bound must not profit
		if math.Abs(v) < 0x1p-1022 && c.matrix[k] != 0 {
			s.underflows = true
			if q.matrix[k] = 0; c.matrix[k] < 0 {
				q.matrix[k] = -0x1p-1022
			}
		}
	}
	if masked {
		// Two plans differ by cycles of at most 2·min(m, n) arcs. One on which
		// a mask gives way saves more than all its other arcs can cost.
		s.price = 4*math.Max(1, bid)*(float64(min(c.m, c.n))+1)*math.Ldexp(top, -e) + math.SmallestNonzeroFloat64
		for k, v := range c.matrix {
			if v >= s.limit {
				q.matrix[k] = s.price
			}
		}
	}
	s.Problem = &Problem{Cost: &q, A: s.A, B: s.B}
}

// rescale translates a result to costs 2^exp times as large.
func (r *Result) rescale(exp int) error {
	for _, v := range [][]float64{r.F, r.G} {
		for k := range v {
			v[k] = math.Min(math.Max(math.Ldexp(v[k], exp), -math.MaxFloat64), math.MaxFloat64)
		}
	}
	r.Value, r.Transport = math.Ldexp(r.Value, exp), math.Ldexp(r.Transport, exp)
	r.SourceLambda, r.TargetLambda = rescaleSlope(r.SourceLambda, exp), rescaleSlope(r.TargetLambda, exp)
	lower := math.Ldexp(r.Lower, exp)
	if math.Abs(lower) < 0x1p-1000 { // rounded by more than usual
		lower = down(lower)
	}
	r.Lower = math.Min(lower, r.Value)
	if math.IsInf(r.Value, 0) || math.IsInf(r.Lower, 0) {
		return fmt.Errorf("ot: the value is beyond the range of float64: %w", ErrValue)
	}
	return nil
}

// rescaleSlope scales a multiplier, which stays finite if it was.
func rescaleSlope(lambda float64, exp int) float64 {
	if math.IsInf(lambda, 1) {
		return lambda
	}
	return math.Min(math.Ldexp(lambda, exp), math.MaxFloat64)
}
