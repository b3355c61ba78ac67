package experiments

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNothing is the error of an experiment that finds none of its data.
	ErrNothing = errors.New("nothing to do")

	// ErrNoImages is the error of a network to score images with, given to an
	// experiment that generates none.
	ErrNoImages = errors.New("it has no images to score")
)

// An UnknownError names an experiment, or a part of one, that there is not.
type UnknownError struct {
	Experiment string // "" where the experiment itself is unknown
	Name       string
	Choices    []string
}

func (e *UnknownError) Error() string {
	choices := strings.Join(e.Choices, ", ")
	if e.Experiment == "" {
		return fmt.Sprintf("experiments: there is no %q; choose %s", e.Name, choices)
	}
	return fmt.Sprintf("experiments: %s has no part %q; choose %s", e.Experiment, e.Name, choices)
}

// A NotGivenError names a data set that only its users have, and that was not
// given.
type NotGivenError struct {
	Part    string // that needs it
	DataSet string
}

func (e *NotGivenError) Error() string { return e.DataSet + " is not given" }

// A NoFileError names a file of a public data set that is not there.
type NoFileError struct{ Path string }

func (e *NoFileError) Error() string { return e.Path + " is not there" }

// A DamagedError is a line of a file of cells that cannot be read. Nothing but
// that line is lost: its cell is run again.
type DamagedError struct {
	Path string
	Line int // 0 for the whole file
	Err  error
}

func (e *DamagedError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("experiments: %s is left out: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("experiments: %s:%d is damaged and left out: %v", e.Path, e.Line, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// An OldCellsError says that cells are there and are run again, because other
// code, data or another judge made them.
type OldCellsError struct {
	Experiment string
	Reason     string
	Count      int
}

func (e *OldCellsError) Error() string {
	return fmt.Sprintf("experiments: %s: %d runs are old (%s) and are done again", e.Experiment, e.Count, e.Reason)
}

// A BusyError says that another process runs the same part of an experiment, or
// makes the same cell.
type BusyError struct {
	Path    string // of the lock
	Host    string
	Process int
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("experiments: %s: process %d on %s is running it", e.Path, e.Process, e.Host)
}
