package ot

import (
	"errors"
	"fmt"
	"math"
	"slices"
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
}

// easyExp is the exponent of coordinates, and half that of costs, up to which
// they are of ordinary size as they are.
const easyExp = 60

// inUnits runs a solver on the problem in units of ordinary size and
// translates the result.
//
// Entries of a matrix that are 1e30 times as large as the rest, or infinite,
// are masks: what they say is "not this pair". They become a price that no plan
// pays that can do without, which leaves the other costs their digits. If the
// plan pays it all the same, finite masks count as the costs that they are, and
// with infinite ones there is no plan.
func (p *Problem) inUnits(solve func(s *scaledProblem) (*Result, error)) (*Result, error) {
	if p == nil || p.Cost == nil {
		return nil, fmt.Errorf("ot: problem without a cost: %w", ErrShape)
	}
	for _, masked := range []bool{true, false} {
		s := p.scaled(masked)
		r, err := solve(s)
		if r == nil {
			return nil, err
		}
		if mask := s.allowed(p.Cost, r); errors.Is(mask, errPaysMask) {
			continue
		} else if mask != nil {
			return nil, mask
		}
		if s.exp != 0 {
			if rerr := r.rescale(s.exp); rerr != nil {
				return nil, rerr
			}
		}
		return r, err
	}
	panic("ot: unreachable")
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

// scaled chooses units; masked: with masks taken as such.
func (p *Problem) scaled(masked bool) *scaledProblem {
	c := p.Cost
	s := &scaledProblem{Problem: p, limit: math.Inf(1)}
	if c.metric == Cosine {
		return s // rows of length one
	}
	if c.metric == Given {
		s.scaleMatrix(masked)
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
		s.Problem = &Problem{Cost: &q, A: p.A, B: p.B}
		if s.exp = e; c.metric == SqEuclidean {
			s.exp = 2 * e
		}
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

func (s *scaledProblem) scaleMatrix(masked bool) {
	c := s.Cost
	var top float64
	infinite := false
	for _, v := range c.matrix {
		if v > math.MaxFloat64 {
			infinite = true
		} else {
			top = math.Max(top, math.Abs(v))
		}
	}
	_, e := math.Frexp(top)
	easy := top == 0 || e <= 2*easyExp && e >= -2*easyExp
	if easy && !infinite {
		return
	}
	if masked && !easy {
		if t, limit, ok := maskLimit(c.matrix); ok {
			s.limit = limit
			top = t
			_, e = math.Frexp(top)
		}
	}
	if e <= 2*easyExp && e >= -2*easyExp || top == 0 {
		e = 0
	}
	s.exp = e
	q := *c
	q.matrix = ldexp(c.matrix, -e)
	if infinite || !math.IsInf(s.limit, 1) {
		// Two plans differ by cycles of at most 2·min(m, n) arcs. One on which
		// a mask gives way saves more than all its other arcs can cost; where
		// weights may move, the rest of the price outbids that.
		s.price = 1e6*(float64(min(c.m, c.n))+1)*math.Ldexp(top, -e) + math.SmallestNonzeroFloat64
		for k, v := range c.matrix {
			if v >= s.limit {
				q.matrix[k] = s.price
			}
		}
	}
	s.Problem = &Problem{Cost: &q, A: s.A, B: s.B}
}

// maskLimit looks for a jump by a factor of 1e30 among the sizes of costs, the
// last one if there are several: what lies above it are masks.
func maskLimit(matrix []float64) (top, limit float64, ok bool) {
	sizes := make([]float64, 0, len(matrix))
	for _, v := range matrix {
		if v != 0 && !math.IsInf(v, 0) {
			sizes = append(sizes, math.Abs(v))
		}
	}
	slices.Sort(sizes)
	for k := len(sizes) - 1; k > 0; k-- {
		if sizes[k]/sizes[k-1] >= 1e30 {
			top, limit = sizes[k-1], sizes[k]
			break
		}
	}
	if limit == 0 {
		return 0, 0, false
	}
	for _, v := range matrix { // a large gain is no mask
		if v <= -limit {
			return 0, 0, false
		}
	}
	return top, limit, true
}

// rescale translates a result to costs 2^exp times as large.
func (r *Result) rescale(exp int) error {
	for _, v := range [][]float64{r.F, r.G} {
		for k := range v {
			v[k] = math.Min(math.Max(math.Ldexp(v[k], exp), -math.MaxFloat64), math.MaxFloat64)
		}
	}
	for _, v := range []*float64{&r.Value, &r.Transport, &r.SourceLambda, &r.TargetLambda} {
		*v = math.Ldexp(*v, exp)
	}
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
