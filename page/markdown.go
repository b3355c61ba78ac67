package page

import (
	"fmt"
	"strings"
)

// markdownTable appends rows of cells, which are Markdown already.
func markdownTable(s *strings.Builder, head []string, rows [][]string) {
	fmt.Fprintf(s, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, row := range rows {
		fmt.Fprintf(s, "| %s |\n", strings.Join(row, " | "))
	}
	s.WriteString("\n")
}

// codeSpan is text as Markdown code, whatever it holds.
func codeSpan(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// escaped makes text safe for a cell of a Markdown table: what means something
// there is escaped.
func escaped(text string) string {
	var s strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#+!|~&$", r):
			s.WriteByte('\\')
			s.WriteRune(r)
		case r < ' ':
			s.WriteByte(' ')
		default:
			s.WriteRune(r)
		}
	}
	return s.String()
}
