package table

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode"

	"rot.example/rot/internal/budget"
)

// An Error says what is wrong with a file and where:
//
//	rows.csv:17: column "height": a quote opens here and is never closed
type Error struct {
	File   string // as the caller gave it
	Line   int    // of a text file, counted from 1; 0 when there is none
	Column string // name; "" when there is none
	Msg    string // what is wrong and what to do about it
	Err    error  // what caused it, or nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Column != "" {
		fmt.Fprintf(&b, "column %s: ", quote(e.Column))
	}
	b.WriteString(e.Msg)
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// ErrMemory is what an Error wraps when a file needs more than its memory limit.
var ErrMemory = budget.ErrMemory

// failure is an Error about a file as a whole.
func failure(file, format string, args ...any) *Error {
	return &Error{File: file, Msg: fmt.Sprintf(format, args...)}
}

// readFailure is an Error for err, met while reading file.
func readFailure(file string, err error) *Error {
	var have *Error
	if errors.As(err, &have) {
		return have
	}
	e := &Error{File: file, Err: err}
	var path *fs.PathError
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Msg = "no such file"
	case errors.Is(err, gzip.ErrHeader):
		e.Msg = "is not a gzip file, though its name ends in .gz"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Msg = "the file is cut short"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zip.ErrChecksum), errors.As(err, &corrupt):
		e.Msg = "the compressed data is damaged"
	case errors.As(err, &path):
		e.Msg = path.Err.Error() // without the path, which File already says
	default:
		e.Msg = err.Error()
	}
	return e
}

// quote quotes text for a message, cut to a length that fits a line, with
// everything that could disturb a terminal escaped.
func quote(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.QuoteToGraphic(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s))
}

// listed joins names for a message and cuts a long list.
func listed(names []string) string {
	const most = 20
	var parts []string
	for _, name := range names[:min(len(names), most)] {
		parts = append(parts, printable(name))
	}
	s := strings.Join(parts, ", ")
	if len(names) > most {
		s += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return s
}

// printable is a name as it stands, or quoted when it is long or has anything
// in it but letters, digits and common marks.
func printable(name string) string {
	plain := name != "" && len(name) <= 60 && strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:/%()[]*? ", r)
	}) < 0
	if plain && strings.TrimSpace(name) == name {
		return name
	}
	return quote(name)
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
