package ot

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rot.example/rot/chisq"
)

// CertifyOptions says what a plan should be, and how much work Certify may do.
// The zero value asks for plain transport.
type CertifyOptions struct {
	Source, Target chisq.Ball // the weights that the plan may have; zero: those of the problem
	Divergence     Divergence // what their radii bound

	// Mass is the share of the mass that the plan should move, as that of Partial
	// does, from and to weights of at most those of the problem; 0 means 1. With
	// OneSided every target gets that share of its own.
	Mass     float64
	OneSided bool

	// Penalty makes it a plan of Unbalanced: any mass may move, and weights that
	// are not those of the problem cost Penalty times their divergence, Chi2 or
	// KL; those of the targets TargetPenalty, 0 meaning Penalty. 0 means none.
	Penalty, TargetPenalty float64

	// F and G are potentials that somebody found, on either side or on both;
	// they need not be feasible. With both nil Certify finds its own.
	F, G []float64

	// Slack is the part of the mass that may be in the wrong place in a plan
	// that still counts as feasible; 0 means 1e-6, which plans in float32 and
	// those of Sinkhorn's iteration keep.
	Slack float64

	// Tol is the relative gap at which the search for better potentials ends;
	// 0 means 1e-9.
	Tol float64

	// Sweeps is how often the search may go over all pairs of a source and a
	// target. With 0, given potentials are improved twice, and without any the
	// problem is solved if it has at most 10¹⁰ pairs; larger ones get 8 sweeps.
	Sweeps int

	Progress func(Progress) // called at most ten times a second; may be nil
}

// A Certificate is what is known about somebody's plan.
type Certificate struct {
	Feasible  bool
	Violation float64 // part of the mass that is in the wrong place
	Worst     *Fault  // the largest violation; nil where there is none at all

	Value  float64   // cost of the plan as it is, scaled to the mass that it should have in all, and penalties
	Upper  float64   // cost of the plan made feasible; +Inf where that takes forbidden pairs
	Lower  float64   // no feasible plan costs less
	F, G   []float64 // potentials that prove Lower; nil if there are none
	Sweeps int       // how often the search went over all pairs
	Solved bool      // Lower comes from a solve of the problem
	Total  float64   // mass that the plan moves, of the one that it should

	worst float64 // size of Worst
}

// Gap is how far the plan, made feasible, can be from optimal at most.
func (c *Certificate) Gap() float64 { return c.Upper - c.Lower }

// RelGap is Gap relative to the size of the bounds; 0 when both are 0.
func (c *Certificate) RelGap() float64 {
	if g := c.Gap(); g != 0 {
		return g / math.Max(math.Abs(c.Upper), math.Abs(c.Lower))
	}
	return 0
}

// A Fault is a place where a plan is not what it should be.
type Fault struct {
	Kind FaultKind
	Row  int     // of the source, or the only one
	Col  int     // of the target
	Have float64 // in units of the whole mass; of FaultBall, the divergence
	Want float64
}

// A FaultKind says what is wrong.
type FaultKind string

// The kinds of faults.
const (
	FaultSource    FaultKind = "source"      // a source sends the wrong mass
	FaultTarget    FaultKind = "target"      // a target gets the wrong mass
	FaultBall      FaultKind = "source ball" // the weights of the sources leave their ball
	FaultBallT     FaultKind = "target ball" // those of the targets
	FaultTotal     FaultKind = "total"       // the plan moves too much or too little
	FaultNegative  FaultKind = "negative"    // an entry below zero
	FaultForbidden FaultKind = "forbidden"   // an entry where the cost is infinite
)

// manyPairs is where solving to the end becomes a matter of minutes.
const manyPairs = 1e10

// Certify checks somebody's plan: whether it has the marginals that it should,
// what it costs, and how far from optimal it can be at most (docs/math.md
// §3.3). Masses may sum to one or to the total of the given weights; with a
// Penalty, where they may sum to anything, they are in units in which the weights
// sum to one. It returns
// ErrShape, ErrValue, ErrWeights or ErrOption for malformed input, and ctx.Err()
// with what was known until then when cancelled; the bounds of that hold.
func Certify(ctx context.Context, p *Problem, plan *Plan, opts *CertifyOptions) (*Certificate, error) {
	var o CertifyOptions
	if opts != nil {
		o = *opts
	}
	a, b, err := p.exactWeights()
	if err != nil {
		return nil, err
	}
	if err := o.check(p, plan); err != nil {
		return nil, err
	}
	c := &Certificate{Lower: math.Inf(-1)}
	x := newExamination(p, plan, a, b, o.sides())
	x.examine(c)
	c.Feasible = c.Violation <= o.Slack
	c.Upper = x.price(x.repaired())
	if p.Cost.metric != Given {
		c.Lower = 0
		c.F, c.G = make([]float64, p.Cost.m), make([]float64, p.Cost.n)
	}
	err = o.bound(ctx, p, x.plan, c)
	c.Lower = math.Min(c.Lower, c.Upper) // which a rounding of the costs may have crossed
	return c, err
}

// check refuses what is not a plan, and fills in the defaults.
func (o *CertifyOptions) check(p *Problem, plan *Plan) error {
	m, n := p.Cost.m, p.Cost.n
	switch {
	case plan == nil || len(plan.I) != len(plan.Mass) || len(plan.J) != len(plan.Mass):
		return fmt.Errorf("ot: a plan needs as many sources and targets as masses: %w", ErrShape)
	case o.F != nil && len(o.F) != m:
		return fmt.Errorf("ot: %d potentials for %d sources: %w", len(o.F), m, ErrShape)
	case o.G != nil && len(o.G) != n:
		return fmt.Errorf("ot: %d potentials for %d targets: %w", len(o.G), n, ErrShape)
	case math.IsNaN(o.Slack) || o.Slack < 0:
		return fmt.Errorf("ot: slack %v: %w", o.Slack, ErrOption)
	case o.Slack == 0:
		o.Slack = 1e-6
	}
	for k, v := range plan.Mass {
		i, j := int(plan.I[k]), int(plan.J[k])
		if i < 0 || i >= m || j < 0 || j >= n {
			return fmt.Errorf("ot: entry %d of the plan goes from source %d to target %d of %d and %d: %w", k, i, j, m, n, ErrShape)
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("ot: entry %d of the plan, from source %d to target %d, is %v: %w", k, i, j, v, ErrValue)
		}
	}
	for side, phi := range [2][]float64{o.F, o.G} {
		for i, v := range phi {
			if math.IsNaN(v) || math.IsInf(v, 1) {
				return fmt.Errorf("ot: potential %d of the %s is %v: %w", i, [2]string{"source", "target"}[side], v, ErrValue)
			}
		}
	}
	if err := o.checkSides(); err != nil {
		return err
	}
	var err error
	o.Tol, err = tolerance(o.Tol, o.Sweeps)
	return err
}

// bound finds a lower bound for c.
func (o *CertifyOptions) bound(ctx context.Context, p *Problem, plan *Plan, c *Certificate) error {
	given := o.F != nil || o.G != nil
	most, solve := o.Sweeps, false
	switch {
	case most > 0:
	case given:
		most = 2
	case float64(p.Cost.m)*float64(p.Cost.n) <= manyPairs:
		solve = true
		if o.Penalty > 0 { // a good plan tells its own potentials
			most = 2
		}
	default:
		most = fewSweeps
	}
	if most > 0 {
		if err := o.search(ctx, p, plan, c, most); err != nil {
			return err
		}
	}
	if !solve || c.close(o.Tol) {
		return nil
	}
	r, err := o.solve(ctx, p)
	if r != nil && r.Lower > c.Lower {
		c.Lower, c.F, c.G, c.Solved = r.Lower, r.F, r.G, true
	}
	switch {
	case err == nil || errors.As(err, new(*ConvergenceError)) || errors.Is(err, ErrInfeasible):
		return nil // the bounds say how far the solver came
	case errors.Is(err, ErrOption): // costs that Unbalanced does not take
		return nil
	case errors.Is(err, ErrShape): // too large a matrix would be built
		return o.search(ctx, p, plan, c, fewSweeps)
	}
	return err
}

// fewSweeps is how often the search goes over all pairs where a solve is out of
// the question.
const fewSweeps = 8

// search looks for potentials in so many passes over all pairs.
func (o *CertifyOptions) search(ctx context.Context, p *Problem, plan *Plan, c *Certificate, most int) error {
	s, err := newDualSearch(p, o, c, plan)
	switch {
	case errors.Is(err, ErrOption): // no units suit both costs and penalties
		return nil
	case err != nil:
		return err
	}
	return s.run(ctx, most)
}

// close says that nobody needs a better bound.
func (c *Certificate) close(tol float64) bool {
	return !math.IsInf(c.Gap(), 0) && c.Gap() <= tol*math.Max(math.Abs(c.Upper), math.Abs(c.Lower))
}

// String says in words what is wrong; rows count from 0.
func (f *Fault) String() string {
	have, want := shortFloat(f.Have, 6), shortFloat(f.Want, 6)
	instead := have + " of the mass instead of " + want
	if have == want {
		instead = fmt.Sprintf("%s of the mass too much", shortFloat(f.Have-f.Want, 2))
		if f.Have < f.Want {
			instead = fmt.Sprintf("%s of the mass too little", shortFloat(f.Want-f.Have, 2))
		}
	}
	switch f.Kind {
	case FaultSource:
		return fmt.Sprintf("source row %d sends %s", f.Row, instead)
	case FaultTarget:
		return fmt.Sprintf("target row %d gets %s", f.Col, instead)
	case FaultBall:
		return fmt.Sprintf("the weights of the source have a divergence of %s, above the radius %s", have, want)
	case FaultBallT:
		return fmt.Sprintf("the weights of the target have a divergence of %s, above the radius %s", have, want)
	case FaultTotal:
		return fmt.Sprintf("the plan moves %s", instead)
	case FaultNegative:
		return fmt.Sprintf("the entry from source row %d to target row %d is %s, below zero", f.Row, f.Col, have)
	}
	return fmt.Sprintf("the entry from source row %d to target row %d moves %s of the mass over a forbidden pair", f.Row, f.Col, have)
}
