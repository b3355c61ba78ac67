package dataset

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"rot.example/rot/internal/budget"
)

// An InputError says what is wrong with an input and where. Its text starts
// with the place, as a compiler's does, where other errors of this module
// start with their package:
//
//	rows.csv:17: column "height": "n/a" is not a number (fill it in or delete the line)
//	x.npy: row 17, column 3: NaN is not a finite number (rows count from 0, columns from 1)
type InputError struct {
	File   string // the file or spec as the user gave it
	Line   int    // line of a text file, counted from 1; 0 when there is none
	Row    int    // row of the data, counted from 0; -1 when the error has none
	Column string // as printed: a quoted name, or a number; "" when the error has none
	Msg    string // what is wrong, and what to do about it in the file
	Remedy Remedy // what an option of the reader could do about it; "" for nothing
	Err    error  // what caused it, or nil
}

// A Remedy is what an option could do about an InputError. The error's text
// ends with it, in parentheses.
type Remedy string

// The remedies, which Options and ImageOptions apply.
const (
	DeclareLabels Remedy = "declare a column of them as the label column"
	DeclareOther  Remedy = "declare a column that is no coordinate as the id or the label column"
	SetAside      Remedy = "set it aside as the label column"
	SetSize       Remedy = "bring them to one size"
	SetSquare     Remedy = "make them square"
)

// A ColumnError reports a column that Options asked for and that a file does not
// have, or has more than once. An InputError wraps it.
type ColumnError struct {
	Role    string // what the column is for: "id" or "label"
	Column  string // the name or number that Options gave
	Problem string // such as "no such column; the columns are x, y"
	Missing bool   // the file does not have it
}

func (e *ColumnError) Error() string { return e.Role + " column " + e.Column + ": " + e.Problem }

// columnError is an InputError about a column that a file does not have.
func columnError(file, role, column, format string, args ...any) *InputError {
	err := &ColumnError{Role: role, Column: column, Problem: fmt.Sprintf(format, args...), Missing: true}
	return &InputError{File: file, Row: -1, Msg: err.Error(), Err: err}
}

func (e *InputError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Line <= 0 && e.Row >= 0 {
		fmt.Fprintf(&b, "row %d", e.Row)
		if e.Column != "" {
			b.WriteString(", ")
		} else {
			b.WriteString(": ")
		}
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "column %s: ", e.Column)
	}
	b.WriteString(e.Msg)
	if e.Remedy != "" {
		b.WriteString(" (" + string(e.Remedy) + ")")
	}
	return b.String()
}

func (e *InputError) Unwrap() error { return e.Err }

// with returns e with a remedy.
func (e *InputError) with(r Remedy) *InputError {
	e.Remedy = r
	return e
}

// fileError is an InputError about a file as a whole.
func fileError(file, format string, args ...any) *InputError {
	return &InputError{File: file, Row: -1, Msg: fmt.Sprintf(format, args...)}
}

// readError is an InputError for err, met while reading file.
func readError(file string, err error) *InputError {
	var have *InputError
	if errors.As(err, &have) {
		return have
	}
	e := &InputError{File: file, Row: -1, Err: err}
	var path *fs.PathError
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Msg = "no such file"
	case errors.Is(err, budget.ErrMemory):
		e.Msg = err.Error()
	case errors.Is(err, gzip.ErrHeader):
		e.Msg = "is not a gzip file, though its name ends in .gz"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Msg = "the file is cut short"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zip.ErrChecksum), errors.As(err, &corrupt):
		e.Msg = "the compressed data is damaged"
	case errors.As(err, &path):
		e.Msg = path.Err.Error() // without the path, which e.File already says
	default:
		e.Msg = err.Error()
	}
	return e
}

// notFinite is the error for a value of a binary file at index i of rows of
// dim values.
func notFinite(file string, i, dim int, names []string, v float64) *InputError {
	e := &InputError{File: file, Row: i / dim, Column: strconv.Itoa(i%dim + 1)}
	e.Msg = fmt.Sprintf("%v is not a finite number (rows count from 0, columns from 1)", v)
	if names != nil {
		e.Column = strconv.Quote(names[i%dim])
		e.Msg = fmt.Sprintf("%v is not a finite number (rows count from 0)", v)
	}
	return e
}

// firstNotFinite is the index of the first NaN or infinity, or -1.
func firstNotFinite(x []float64) int {
	for i, v := range x {
		// v·0 is 0 for finite v and NaN otherwise: one test a value.
		if v*0 != 0 {
			return i
		}
	}
	return -1
}

// quote quotes text for an error message, cut to a length that fits a line.
func quote(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

// mulFits multiplies counts taken from a file and reports whether the product
// fits an int.
func mulFits(a, b int) (int, bool) {
	if a < 0 || b < 0 || (b > 0 && a > math.MaxInt/b) {
		return 0, false
	}
	return a * b, true
}
