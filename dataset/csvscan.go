package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

// maxLine bounds a line, so that a stream without line ends cannot eat all
// memory: a million numbers still fit.
const maxLine = 32 << 20

// A csvScanner splits text into records. It exists beside encoding/csv for
// speed (a record costs no allocation and a line without quotes is split in
// place), for its choice of separator, and for messages that name the line.
type csvScanner struct {
	file  string
	r     *bufio.Reader
	delim byte // 0 until the first line settles it
	lines int  // lines read so far
	start int  // line on which the current record begins
	multi bool // some record spans several lines
	read  int64

	long   []byte   // a line that outgrew the reader's buffer
	text   []byte   // fields of a record with quotes, unquoted, back to back
	ends   []int    // where each of them ends in text
	fields [][]byte // the current record; valid until the next
}

func newCSVScanner(file string, r io.Reader, delim byte) *csvScanner {
	return &csvScanner{file: file, r: bufio.NewReaderSize(r, 256<<10), delim: delim}
}

// next reads a record. It returns io.EOF after the last one and an
// *InputError for text that is not CSV. Blank lines at the end are ignored.
func (s *csvScanner) next() ([][]byte, error) {
	line, err := s.line()
	if err != nil {
		return nil, err
	}
	s.start = s.lines
	if s.lines == 1 {
		if line, err = s.begin(line); err != nil {
			return nil, err
		}
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, s.blank()
	}
	if bytes.IndexByte(line, '"') >= 0 {
		return s.quoted(line)
	}
	s.fields = s.fields[:0]
	for {
		k := bytes.IndexByte(line, s.delim)
		if k < 0 || len(s.fields) > maxColumns { // the rest as one: it is refused by its number
			s.fields = append(s.fields, line)
			return s.fields, nil
		}
		s.fields = append(s.fields, line[:k])
		line = line[k+1:]
	}
}

// line reads one line and cuts its end. The line is valid until the next.
func (s *csvScanner) line() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		s.long = s.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if s.long = append(s.long, line...); len(s.long) > maxLine {
				return nil, &InputError{File: s.file, Line: s.lines + 1, Row: -1, Msg: "the line is longer than 32 MiB; is this a text file?"}
			}
			line, err = s.r.ReadSlice('\n')
		}
		s.long = append(s.long, line...)
		line = s.long
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, readError(s.file, err)
	}
	s.lines++
	s.read += int64(len(line))
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// begin looks at the first line: it takes off a byte order mark, refuses what
// is not UTF-8 text, and settles the separator.
func (s *csvScanner) begin(line []byte) ([]byte, error) {
	if bytes.HasPrefix(line, []byte{0xFF, 0xFE}) || bytes.HasPrefix(line, []byte{0xFE, 0xFF}) {
		return nil, fileError(s.file, "is UTF-16 text; save it as UTF-8")
	}
	if bytes.HasPrefix(line, []byte{0x1F, 0x8B}) {
		return nil, fileError(s.file, "is gzip data; end its name in .gz")
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return nil, fileError(s.file, "is not text: its first line holds a zero byte")
	}
	if bytes.IndexByte(line, '\r') >= 0 && bytes.IndexByte(line, '"') < 0 {
		return nil, fileError(s.file, "its lines end in bare carriage returns; end them in newlines")
	}
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if s.delim == 0 {
		s.delim = findDelimiter(line)
	}
	return line, nil
}

// findDelimiter is the first of tab, semicolon and comma that line holds
// outside quotes. The comma comes last because it may be a decimal mark.
func findDelimiter(line []byte) byte {
	var tab, semicolon, quoted bool
	for _, c := range line {
		switch c {
		case '"':
			quoted = !quoted
		case '\t':
			tab = tab || !quoted
		case ';':
			semicolon = semicolon || !quoted
		}
	}
	switch {
	case tab:
		return '\t'
	case semicolon:
		return ';'
	}
	return ','
}

// blank is what a blank line means: the end, or an error when text follows.
// Skipping it would shift the rows against a file of labels or weights.
func (s *csvScanner) blank() error {
	at := s.lines
	for {
		line, err := s.line()
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return &InputError{File: s.file, Line: at, Row: -1, Msg: "the line is blank (delete it; blank lines may stand at the end only)"}
		}
	}
}

// quoted splits a record that has quotes; it may run over several lines.
func (s *csvScanner) quoted(line []byte) ([][]byte, error) {
	s.text, s.ends = s.text[:0], s.ends[:0]
	for {
		rest := bytes.TrimLeft(line, " ")
		if len(rest) == 0 || rest[0] != '"' {
			k := bytes.IndexByte(line, s.delim)
			if k < 0 {
				s.text = append(s.text, line...)
				s.ends = append(s.ends, len(s.text))
				break
			}
			s.text = append(s.text, line[:k]...)
			s.ends = append(s.ends, len(s.text))
			line = line[k+1:]
			continue
		}
		rest, err := s.quotedField(rest[1:])
		if err != nil {
			return nil, err
		}
		s.ends = append(s.ends, len(s.text))
		rest = bytes.TrimLeft(rest, " ")
		if len(rest) == 0 {
			break
		}
		if rest[0] != s.delim {
			return nil, &InputError{File: s.file, Line: s.lines, Row: -1, Msg: "text follows a closing quote (write a quote inside quotes twice)"}
		}
		line = rest[1:]
	}
	s.fields = s.fields[:0]
	from := 0
	for _, end := range s.ends {
		s.fields = append(s.fields, s.text[from:end])
		from = end
	}
	return s.fields, nil
}

// quotedField appends to s.text up to the closing quote and returns what
// follows it.
func (s *csvScanner) quotedField(line []byte) ([]byte, error) {
	for {
		k := bytes.IndexByte(line, '"')
		switch {
		case k < 0:
			s.text = append(append(s.text, line...), '\n')
			next, err := s.line()
			if errors.Is(err, io.EOF) {
				return nil, &InputError{File: s.file, Line: s.start, Row: -1, Msg: "a quote opens here and is never closed"}
			}
			if err != nil {
				return nil, err
			}
			if len(s.text) > maxLine {
				return nil, &InputError{File: s.file, Line: s.start, Row: -1, Msg: "a quote opens here and is not closed within 32 MiB"}
			}
			s.multi = true
			// A copy: the caller may look at the line after reading another.
			line = slices.Clone(next)
		case k+1 < len(line) && line[k+1] == '"':
			s.text = append(s.text, line[:k+1]...)
			line = line[k+2:]
		default:
			s.text = append(s.text, line[:k]...)
			return line[k+1:], nil
		}
	}
}
