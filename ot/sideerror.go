package ot

import "fmt"

// A SideError says what is wrong with the points or the weights of one side.
type SideError struct {
	Side        string // "source" or "target"
	Row, Column int    // of the coordinate at fault, counted from 0; -1: the error has none
	Problem     string // what is wrong with it
	Err         error  // ErrShape, ErrValue or ErrWeights
}

func (e *SideError) Error() string {
	text := "ot: " + e.Side
	if e.Row >= 0 {
		text += fmt.Sprintf(" row %d", e.Row)
	}
	if e.Column >= 0 {
		text += fmt.Sprintf(" column %d", e.Column)
	}
	return fmt.Sprintf("%s %s: %v", text, e.Problem, e.Err)
}

// Unwrap returns e.Err.
func (e *SideError) Unwrap() error { return e.Err }

// sideErrorf is a SideError about a side as a whole.
func sideErrorf(side string, err error, format string, args ...any) error {
	return &SideError{Side: side, Row: -1, Column: -1, Problem: fmt.Sprintf(format, args...), Err: err}
}
