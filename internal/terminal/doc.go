// Package terminal shows on a terminal, or in a log, what a long command is
// doing.
package terminal

import "io"

// A Screen is where progress is shown.
type Screen struct {
	W        io.Writer
	Terminal bool       // it is drawn in place; otherwise W is a log
	Color    bool       // it may use colour
	Width    func() int // columns of the terminal; nil means 80
}

func (s *Screen) width() int {
	if s.Width == nil {
		return 80
	}
	return s.Width()
}
