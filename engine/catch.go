package engine

import (
	"fmt"
	"strings"
)

// Catch runs f, which builds or runs a graph, and turns a panic of GoMLX into
// an error that names part, what was being built: "critic step: generator".
func Catch(part string, f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("engine: %s: %s", part, firstLine(p))
		}
	}()
	f()
	return nil
}

// firstLine drops the stack trace that GoMLX's errors print after their text.
func firstLine(p any) string {
	s := fmt.Sprint(p)
	if err, ok := p.(error); ok {
		s = err.Error()
	}
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimPrefix(s, "engine: ")
}
