// Package oracle judges results of package ot in exact arithmetic.
//
// It shares no code with the solvers: it reads a problem as the numbers that it
// was made of, and a Result as the numbers that were returned. Check then says
// whether the plan is feasible, whether Value is what the plan costs, whether
// the potentials prove Lower, and whether the two are as close as promised.
//
// A float64 is a whole number times a power of two, and so are sums and products
// of such numbers: everything that is rational is computed without rounding.
// Square roots (Euclidean and cosine costs, the chi-square ball) and exponentials
// (the KL divergence) are rounded at several hundred bits, and always towards the
// side that makes a proof harder.
//
// Generate makes nasty instances from a family and a seed, for tests and for
// the campaign in bench/peers/oracles.
package oracle
