// Package chisq works with chi-square balls of sample weights.
//
// The ball of radius ρ around the uniform weights on n samples is
//
//	w ≥ 0,  Σᵢ wᵢ = n,  (1/2n) Σᵢ (wᵢ − 1)² ≤ ρ.
//
// # Basics
//
// Ball.Minimize gives low weight to samples with high scores, as far as the
// ball allows: it is the weight update of robust optimal transport, solved in
// closed form (docs/math.md §2). Ball.Solve does the same around any base
// weights and also returns the multiplier of the ball. Ball.Project maps an
// arbitrary vector to the nearest weights in the ball. A Bank holds one weight
// per training sample and refreshes them from scores.
//
//	ball, err := chisq.FromGamma(0.05) // room to drop 5 % of the samples
//	w, err := ball.Minimize(nil, scores)
//
// # Caveats
//
// The ½ is part of the definition of ρ, here and in every package that takes a
// Ball. Weights have mean 1, not sum 1, unless Solve is given base weights
// with another sum. The methods are deterministic, take O(n) time, and leave
// dst untouched when they return an error.
package chisq
