package chisq

import "errors"

// Errors that a malformed input causes; test for them with errors.Is.
var (
	// ErrRadius reports a radius that is negative or NaN, or an outlier
	// fraction that no radius belongs to.
	ErrRadius = errors.New("radius is not usable")
	// ErrScore reports a score that is NaN or infinite.
	ErrScore = errors.New("score is not usable")
	// ErrWeights reports a weight that is NaN, infinite or, where it has to be
	// a weight and not just a vector to project, negative.
	ErrWeights = errors.New("weight is not usable")
	// ErrLength reports empty input, slices whose lengths differ, or an index
	// out of range.
	ErrLength = errors.New("lengths do not fit")
	// ErrState reports bytes that are not a saved Bank.
	ErrState = errors.New("not a saved weight bank")
)
