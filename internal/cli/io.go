package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"rot.example/rot/internal/plain"
)

// IO is what commands read from and write to. The zero value of Terminal,
// Color and Width suits pipes and tests.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool       // Err is a terminal, on which progress is drawn in place
	Color    bool       // progress may use colour
	Width    func() int // columns of the terminal; nil means 80

	args []string // the command line, without the name of the program
}

// Standard is the IO of the process. Colour is off when NO_COLOR is set
// (no-color.org), and a terminal that cannot move its cursor counts as none.
func Standard() IO {
	std := IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	fd := int(os.Stderr.Fd())
	std.Terminal = term.IsTerminal(fd) && os.Getenv("TERM") != "dumb"
	std.Color = std.Terminal && os.Getenv("NO_COLOR") == ""
	std.Width = func() int {
		if w, _, err := term.GetSize(fd); err == nil && w > 0 {
			return w
		}
		return 80
	}
	return std
}

// print writes a finished text. A full disk must not look like success.
func (std IO) print(text []byte) error {
	return std.write(plain.Text(string(text)))
}

func (std IO) write(text string) error {
	if _, err := io.WriteString(std.Out, text); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return nil
}

// drawing is std with an Err that draws: messages go through a writer that lets
// no control characters pass.
func (std IO) drawing() IO {
	if w, ok := std.Err.(*plain.Writer); ok {
		std.Err = w.Raw()
	}
	return std
}

// printJSON writes v as one object.
func (std IO) printJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write the result as JSON: %w", err)
	}
	return std.write(plain.JSON(string(text)) + "\n")
}

// await runs f, which cannot be cancelled, and leaves it behind when ctx is.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	if err := ctx.Err(); err != nil {
		var none T
		return none, err
	}
	done := make(chan answer, 1)
	go func() {
		v, err := f()
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// command is the command line as it was typed, for a shell; "" where there was
// none.
func (std IO) command() string {
	if std.args == nil {
		return ""
	}
	line := []string{"rot"}
	for _, a := range std.args {
		line = append(line, shellWord(a))
	}
	return strings.Join(line, " ")
}
