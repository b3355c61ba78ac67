package table

import "bytes"

// A Cutter finds the records of a table of text whose parts are read by
// themselves. A part begins behind a newline and ends with one, or with the
// text. Whether that newline ended a record or stands within quotes only what
// comes before can tell: Scan counts the records for either case, and the counts
// of all parts from the first on settle which case holds.
type Cutter struct {
	Delimiter byte
	Plain     bool // quotes mean nothing, as in JSON lines
}

// Cutter returns the cutter for tables of this layout.
func (l *Layout) Cutter() Cutter {
	return Cutter{Delimiter: l.Delimiter, Plain: l.Format == "jsonl"}
}

// A CutCount is what a part of a text holds.
type CutCount struct {
	Open    bool  // the part ends within quotes
	First   int64 // bytes before the first record that begins in it; negative where none does
	Records int64 // that begin in it; blank lines are none
	Lines   int64 // newlines in it
	Before  int64 // newlines before First
}

// Scan counts the records that begin in a part, which lies within quotes at its
// beginning or not.
func (c Cutter) Scan(text []byte, open bool) CutCount {
	out := CutCount{First: -1}
	for i := 0; i < len(text); {
		if !open {
			if n := c.blankLine(text[i:]); n > 0 {
				out.Lines += int64(bytes.Count(text[i:i+n], newline))
				i += n
				continue
			}
			if out.First < 0 {
				out.First, out.Before = int64(i), out.Lines
			}
			out.Records++
		}
		var n int
		n, open = c.record(text[i:], open)
		out.Lines += int64(bytes.Count(text[i:i+n], newline))
		i += n
	}
	out.Open = open
	return out
}

var newline = []byte{'\n'}

// blankLine returns the length of the line at the beginning of text with its
// newline if it is one that is no record, and 0 otherwise.
func (c Cutter) blankLine(text []byte) int {
	for i, b := range text {
		switch {
		case b == '\n':
			return i + 1
		case b > ' ' || b == c.Delimiter && !c.Plain:
			return 0
		}
	}
	return len(text)
}

// record returns the length of the rest of a record, and whether it ends within
// quotes because the text does. open says that it begins within quotes.
func (c Cutter) record(text []byte, open bool) (n int, stillOpen bool) {
	if !open {
		// Most lines have no quotes.
		end := len(text)
		if k := bytes.IndexByte(text, '\n'); k >= 0 {
			end = k + 1
		}
		if c.Plain || bytes.IndexByte(text[:end], '"') < 0 {
			return end, false
		}
	}
	cellStart := !open
	for i := 0; i < len(text); i++ {
		if open {
			after := closeQuote(text[i:])
			if after < 0 {
				return len(text), true
			}
			i += after - 1
			open = false
			continue
		}
		switch b := text[i]; {
		case b == '\n':
			return i + 1, false
		case b == '"' && cellStart:
			open, cellStart = true, false
		case b == c.Delimiter:
			cellStart = true
		case b != ' ':
			cellStart = false
		}
	}
	return len(text), open
}

// First returns the length of the first record of text, which begins with one,
// or of a blank line before it, which blank tells.
func (c Cutter) First(text []byte) (size int, blank bool) {
	if n := c.blankLine(text); n > 0 {
		return n, true
	}
	n, _ := c.record(text, false)
	return n, false
}

// Pieces cuts whole records into pieces of about size bytes, each of whole
// records.
func (c Cutter) Pieces(text []byte, size int) [][]byte {
	var pieces [][]byte
	for len(text) > size {
		end := 0
		if k := bytes.LastIndexByte(text[:size], '\n'); k >= 0 && (c.Plain || bytes.IndexByte(text[:k+1], '"') < 0) {
			end = k + 1
		}
		for end < size && end < len(text) {
			n, _ := c.First(text[end:])
			if end > 0 && end+n > size {
				break
			}
			end += n
		}
		pieces = append(pieces, text[:end])
		text = text[end:]
	}
	if len(text) > 0 {
		pieces = append(pieces, text)
	}
	return pieces
}
