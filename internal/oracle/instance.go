package oracle

import (
	"context"
	"fmt"
	"math"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// A Method names a solver of package ot.
type Method string

// The methods that an Instance can ask for.
const (
	Exact      Method = "exact"
	OneD       Method = "oned"
	Robust     Method = "robust"
	Partial    Method = "partial"
	Unbalanced Method = "unbalanced"
	Entropic   Method = "entropic"
	Curve      Method = "curve"
)

// An Instance is a problem and a method, as plain numbers.
type Instance struct {
	Family string
	Seed   uint64

	M, N   int
	Metric ot.Metric // Given: costs are in Matrix
	Dim    int
	X, Y   []float64 // rows of Dim coordinates
	Matrix []float64 // M×N, row-major; +Inf forbids an arc
	A, B   []float64 // weights as given; nil means uniform
	Most   float64   // no pair of points costs more; 0: no limit

	Method                 Method
	Rho, TargetRho         float64       // Robust
	Mass                   float64       // Partial
	OneSided               bool          // Partial
	Divergence             ot.Divergence // Robust, Unbalanced
	Penalty, TargetPenalty float64       // Unbalanced
	Epsilon                float64       // Entropic; 0 means the default
	Rhos                   []float64     // Curve
	MayRefuse              bool          // an error about the input is an answer as well
	MayStop                bool          // float64 cannot hold a better answer: stopping short is excused
	NoPlanExists           bool          // every plan uses a forbidden arc: only an error is right
}

// Problem is the instance as package ot takes it.
func (in *Instance) Problem() (*ot.Problem, error) {
	if in.Metric == ot.Given {
		c, err := ot.NewMatrixCost(in.M, in.N, in.Matrix)
		if err != nil {
			return nil, err
		}
		return &ot.Problem{Cost: c, A: in.A, B: in.B}, nil
	}
	p, err := ot.NewProblem(&ot.Points{Dim: in.Dim, Coords: in.X, Weights: in.A}, &ot.Points{Dim: in.Dim, Coords: in.Y, Weights: in.B}, in.Metric)
	if err == nil && in.Most > 0 {
		p.Cost, err = p.Cost.Truncated(in.Most)
	}
	return p, err
}

// Solve runs the method, all but Curve.
func (in *Instance) Solve(ctx context.Context) (*ot.Result, error) {
	p, err := in.Problem()
	if err != nil {
		return nil, err
	}
	switch in.Method {
	case Exact:
		return ot.Exact(ctx, p, nil)
	case OneD:
		return ot.OneD(ctx, p, nil)
	case Robust:
		return ot.Robust(ctx, p, &ot.RobustOptions{Source: chisq.Ball{Rho: in.Rho}, Target: chisq.Ball{Rho: in.TargetRho}, Divergence: in.Divergence})
	case Partial:
		return ot.Partial(ctx, p, &ot.PartialOptions{Mass: in.Mass, OneSided: in.OneSided})
	case Unbalanced:
		return ot.Unbalanced(ctx, p, &ot.UnbalancedOptions{Divergence: in.Divergence, Penalty: in.Penalty, TargetPenalty: in.TargetPenalty})
	case Entropic:
		return ot.Entropic(ctx, p, &ot.EntropicOptions{Epsilon: in.Epsilon})
	}
	return nil, fmt.Errorf("oracle: no solver for %q", in.Method)
}

func (in *Instance) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d: %s, %d×%d, %v", in.Family, in.Seed, in.Method, in.M, in.N, in.Metric)
	if in.Dim > 0 {
		fmt.Fprintf(&b, " in %d dimensions", in.Dim)
	}
	switch in.Method {
	case Robust:
		fmt.Fprintf(&b, ", %v radii %g and %g", in.Divergence, in.Rho, in.TargetRho)
	case Partial:
		fmt.Fprintf(&b, ", mass %v", in.Mass)
		if in.OneSided {
			b.WriteString(" of the source")
		}
	case Unbalanced:
		fmt.Fprintf(&b, ", %v, penalties %g and %g", in.Divergence, in.Penalty, in.TargetPenalty)
	case Entropic:
		fmt.Fprintf(&b, ", epsilon %g", in.Epsilon)
	}
	for _, side := range []struct {
		name string
		w    []float64
	}{{"source", in.A}, {"target", in.B}} {
		if side.w != nil {
			low, high, zeros := spread(side.w)
			fmt.Fprintf(&b, ", %s weights from %.3g to %.3g", side.name, low, high)
			if zeros > 0 {
				fmt.Fprintf(&b, " and %d zeros", zeros)
			}
		}
	}
	if in.Most > 0 {
		fmt.Fprintf(&b, ", truncated at %v", in.Most)
	}
	low, high := in.Decades()
	fmt.Fprintf(&b, ", costs from %.3g to %.3g", low, high)
	return b.String()
}

// spread is the least and the largest positive size in v, and the number of zeros.
func spread(v []float64) (low, high float64, zeros int) {
	low = math.Inf(1)
	for _, x := range v {
		if x = math.Abs(x); x == 0 {
			zeros++
		} else if !math.IsInf(x, 0) {
			low, high = math.Min(low, x), math.Max(high, x)
		}
	}
	return low, high, zeros
}

// Decades is the least and the largest size of the numbers that share the unit
// of cost: costs other than zero, penalties, epsilon, and the unit rows of Cosine.
func (in *Instance) Decades() (low, high float64) {
	low = math.Inf(1)
	row := make([]float64, in.N)
	for i := range in.M {
		for j := range row {
			row[j] = in.roughCost(i, j)
		}
		l, h, _ := spread(row)
		low, high = math.Min(low, l), math.Max(high, h)
	}
	scale := 0.0
	if in.Metric == ot.Cosine { // rows of length one are what it computes with
		scale = 1
	}
	for _, v := range []float64{in.Penalty, in.TargetPenalty, in.Epsilon, scale} {
		if v > 0 {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	return low, high
}

// Tame says that nothing excuses a solver that stops short: at most 50 points
// a side, and costs within six decades.
func (in *Instance) Tame() bool {
	low, high := in.Decades()
	return in.M <= 50 && in.N <= 50 && high <= 1e6*low
}

// raw are the weights as given, exact.
func raw(w []float64, n int) []number {
	out := make([]number, n)
	for i := range out {
		if w == nil {
			out[i] = whole(1)
		} else {
			out[i] = exactly(w[i])
		}
	}
	return out
}
