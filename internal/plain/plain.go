// Package plain makes text safe to show on a terminal. Names of files, columns
// and rows come from anywhere: a control character in one can move the cursor
// or send commands to the terminal, and a character that turns the direction of
// writing can make a name look like another.
package plain

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with every character escaped that does not show as itself, as
// Go writes it: \x1b, \u202e. Line breaks and tabs stay.
func Text(s string) string { return escape(s, "\n\t", goEscape) }

// Word is Text for what stands on a line with other things: line breaks and
// tabs are escaped, too.
func Word(s string) string { return escape(s, "", goEscape) }

// JSON escapes the same characters in the text of a JSON value, in the way of
// JSON: it stays the same value.
func JSON(s string) string { return escape(s, "\n\t\r", jsonEscape) }

// NewWriter returns a writer that passes on what is written to it as Text.
// Characters must not be spread over several writes.
func NewWriter(w io.Writer) *Writer { return &Writer{w} }

// A Writer writes Text.
type Writer struct{ raw io.Writer }

// Raw is the writer below.
func (w *Writer) Raw() io.Writer { return w.raw }

func (w *Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.raw, Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func escape(s, keep string, write func(b *strings.Builder, r rune, raw byte)) string {
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || hides(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			write(&b, utf8.RuneError, s[i])
		case hides(r) && !strings.ContainsRune(keep, r):
			write(&b, r, 0)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

func goEscape(b *strings.Builder, r rune, raw byte) {
	switch {
	case r == utf8.RuneError:
		fmt.Fprintf(b, `\x%02x`, raw)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r < 0x80:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

func jsonEscape(b *strings.Builder, r rune, _ byte) {
	if r < 0x10000 { // a byte that is no character is U+FFFD, as package json has it
		fmt.Fprintf(b, `\u%04x`, r)
		return
	}
	r -= 0x10000
	fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
}

// hides reports whether a character is a control, or acts on its neighbours
// without being seen: marks of direction, separators of lines, tags. The joiner
// and the selectors of variants are left alone: scripts and pictures need them.
func hides(r rune) bool {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r == 0x200c || r == 0x200d:
		return false
	case r >= 0xe0000 && r < 0xe0080: // tags
		return true
	}
	return r >= 0x80 && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
