// Package ot computes optimal transport between two weighted samples, plain
// and robust, with a certificate of how exact each answer is.
//
// # Basics
//
// A Problem is a Cost and two weight vectors. Every solver takes a context, a
// Problem and an options struct whose zero value (or nil) works, and returns a
// Result: the Value of a feasible plan, a Lower bound no plan can beat, the
// sparse Plan itself, its marginals A and B, and the dual potentials F and G.
//
//	x := &ot.Points{Dim: 2, Coords: source}
//	y := &ot.Points{Dim: 2, Coords: target}
//	p, err := ot.NewProblem(x, y, ot.Euclidean)
//	ball, err := chisq.FromGamma(0.05) // at most 5 % of the source is garbage
//	r, err := ot.Robust(ctx, p, &ot.RobustOptions{Source: ball})
//	fmt.Println(r.Value, r.Gap(), r.SourceWeights())
//
// Exact is plain optimal transport. Robust lets either marginal move inside a
// chi-square ball (docs/math.md §3) and is exact too. OneD, Entropic,
// Unbalanced and Partial are the methods people compare with.
//
// # Caveats
//
// Weights are normalized to sum to one on each side. A source or target of
// weight zero takes no part and gets weight zero back. Costs of points are
// evaluated as they are needed; no m×n matrix is ever built unless the caller
// gives one.
package ot
