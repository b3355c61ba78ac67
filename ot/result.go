package ot

import "math"

// A Plan is a sparse coupling: Mass[k] goes from source I[k] to target J[k].
type Plan struct {
	I, J []int32
	Mass []float64
}

// Len returns the number of entries.
func (p *Plan) Len() int { return len(p.Mass) }

func (p *Plan) add(i, j int32, mass float64) {
	p.I = append(p.I, i)
	p.J = append(p.J, j)
	p.Mass = append(p.Mass, mass)
}

// A Result is a feasible plan with a proof of how good it is.
type Result struct {
	Value     float64 // objective of Plan: an upper bound of the optimum
	Lower     float64 // certified lower bound of the optimum
	Transport float64 // ⟨Plan, Cost⟩; differs from Value where the objective has other terms
	Plan      *Plan
	A, B      []float64 // marginals of Plan
	F, G      []float64 // dual potentials that prove Lower

	SourceLambda float64   // −∂Value/∂ρ on the source side (0: ball inactive)
	TargetLambda float64   // the same on the target side
	Iters        int       // pivots or iterations
	BaseA, BaseB []float64 // the normalized weights of the problem

	SweeperFailed error // why sweeps had to do without the Sweeper from some point on; nil where they had not

	noise float64 // of the gap, that rounding of Lower's proof explains
}

// Gap is Value − Lower.
func (r *Result) Gap() float64 { return r.Value - r.Lower }

// RelGap is Gap relative to the size of Value; 0 when both bounds are 0.
func (r *Result) RelGap() float64 {
	if g := r.Gap(); g != 0 {
		return g / math.Max(math.Abs(r.Value), math.Abs(r.Lower))
	}
	return 0
}

// SourceWeights returns the weight of every source relative to its base weight:
// mean 1, 0 for a point that the plan leaves out, and 0 where the base is 0.
func (r *Result) SourceWeights() []float64 { return ratio(r.A, r.BaseA) }

// TargetWeights is SourceWeights for the other side.
func (r *Result) TargetWeights() []float64 { return ratio(r.B, r.BaseB) }

func ratio(w, base []float64) []float64 {
	out := make([]float64, len(w))
	for i := range w {
		if base[i] > 0 {
			out[i] = w[i] / base[i]
		}
	}
	return out
}
