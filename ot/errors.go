package ot

import (
	"errors"
	"fmt"
)

// Errors that a malformed input causes; test for them with errors.Is.
var (
	ErrShape   = errors.New("shapes do not fit")
	ErrValue   = errors.New("value is not usable")
	ErrWeights = errors.New("weights are not usable")
	ErrOption  = errors.New("option is out of range")
)

// A ConvergenceError reports a solver that stopped short of its tolerance.
// The Result returned with it is feasible and its bounds hold.
type ConvergenceError struct {
	Solver  string
	Measure string // what Gap and Tol measure; empty means the relative gap
	Iters   int
	Gap     float64 // reached
	Tol     float64 // asked for
}

func (e *ConvergenceError) Error() string {
	measure := e.Measure
	if measure == "" {
		measure = "relative gap"
	}
	return fmt.Sprintf("ot: %s stopped after %d iterations at %s %.3g, short of %.3g", e.Solver, e.Iters, measure, e.Gap, e.Tol)
}

// Progress is how far a solver has come, as it tells its caller from time to time.
type Progress struct {
	Solver string
	Stage  string  // what it is doing, in a word or two
	Iters  int     // pivots or iterations so far
	Done   float64 // estimate of the fraction done, in [0, 1]; NaN when unknown
}
