package dataset

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/internal/budget"
)

// maxColumns bounds the columns of text: as many as the pixels of a large
// picture, and not what a line of commas can claim.
const maxColumns = 1 << 20

// readCSV reads delimited text. size is the number of bytes to expect, or
// negative when unknown; delim 0 means to find it out.
func readCSV(file string, r io.Reader, size int64, delim byte, opts *Options) (*Table, error) {
	s := newCSVScanner(file, r, delim)
	first, err := s.next()
	if errors.Is(err, io.EOF) {
		return nil, fileError(file, "the file is empty")
	} else if err != nil {
		return nil, err
	}
	if len(first) > maxColumns {
		return nil, fileError(file, "its first line has %d columns, and %d are the most that is read", len(first), maxColumns)
	}
	c := &csvTable{file: file, scan: s, size: size}
	if in, ok := r.(*input); ok {
		c.packed = in.packed
	}
	if isHeader(first, opts) {
		c.names = make([]string, len(first))
		for j, f := range first {
			c.names[j] = string(bytes.TrimSpace(f))
		}
	}
	roles, bad := columnRoles(file, c.names, len(first), opts)
	if bad != nil {
		return nil, bad
	}
	c.roles = roles
	c.t.Columns = coordNames(c.names, roles)
	for _, role := range roles {
		if role == roleCoord {
			c.t.Points.Dim++
		}
	}
	if c.t.Points.Dim == 0 {
		return nil, fileError(file, "no column is left for the coordinates")
	}
	c.line = s.start
	if c.names == nil {
		c.t.firstLine = s.start
		c.counts = c.isCounting(first)
		if bad := c.addRow(first); bad != nil {
			return nil, bad
		}
	}
	return c.readRows()
}

// A csvTable is a Table under construction.
type csvTable struct {
	t      Table
	file   string
	scan   *csvScanner
	size   int64
	packed int64 // of the file on disk; 0 when that does not bound it
	names  []string
	roles  []role
	line   int               // of the first record
	seen   map[string]string // labels so far: equal labels share their memory
	rows   int

	counts bool // the first record is 0,1,2,…
}

func (c *csvTable) readRows() (*Table, error) {
	for {
		fields, err := c.scan.next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if c.rows == 0 {
			c.t.firstLine = c.scan.start
		}
		if c.rows == 1 && c.counts && slices.ContainsFunc(fields, func(f []byte) bool { return bytes.IndexByte(f, '.') >= 0 }) {
			e := fileError(c.file, "reads 0,1,2,… like numbers of columns (name the columns, delete the line, or write it with decimals if it is a row)")
			e.Line = c.line
			return nil, e
		}
		if bad := c.addRow(fields); bad != nil {
			return nil, bad
		}
		if c.rows == 256 {
			c.reserve()
		}
		if c.packed > 0 && c.rows%(1<<16) == 0 {
			// While they grow, the coordinates are there twice.
			if err := budget.Check(c.packed, 16*int64(len(c.t.Points.Coords))); err != nil {
				return nil, memoryError(c.file, err)
			}
		}
	}
	if c.rows == 0 {
		return nil, fileError(c.file, "no rows follow the header")
	}
	if c.scan.multi {
		c.t.firstLine = 0
	}
	return &c.t, nil
}

// isCounting reports whether the coordinates of a record read 0,1,2,… to at
// least 2. Above rows with decimals that is how pandas heads columns without
// names, and hardly ever a row.
func (c *csvTable) isCounting(fields [][]byte) bool {
	k := 0
	for j, f := range fields {
		if c.roles[j] == roleCoord {
			if string(bytes.TrimSpace(f)) != strconv.Itoa(k) {
				return false
			}
			k++
		}
	}
	return k > 2
}

// reserve makes room for all rows, judging by the length of those so far, so
// that growing does not copy the table again and again.
func (c *csvTable) reserve() {
	if c.size <= c.scan.read {
		return
	}
	// At least two bytes a field: a short beginning cannot ask for more than
	// four times the size of the file.
	width := max(float64(c.scan.read)/float64(c.rows), 2*float64(len(c.roles)))
	more := int(1.02*float64(c.size-c.scan.read)/width) + 1
	c.t.Points.Coords = slices.Grow(c.t.Points.Coords, more*c.t.Points.Dim)
}

// addRow appends a record to the table.
func (c *csvTable) addRow(fields [][]byte) *InputError {
	if len(fields) != len(c.roles) {
		e := fileError(c.file, "the line has %d fields, line %d has %d", len(fields), c.line, len(c.roles))
		e.Line, e.Row = c.scan.start, c.rows
		return e
	}
	for j, f := range fields {
		switch c.roles[j] {
		case roleID:
			id := string(bytes.TrimSpace(f))
			if id == "" {
				return &InputError{File: c.file, Line: c.scan.start, Row: c.rows, Column: columnName(c.names, j), Msg: "the id is empty"}
			}
			c.t.Points.IDs = append(c.t.Points.IDs, id)
		case roleLabel:
			c.t.Labels = append(c.t.Labels, c.label(bytes.TrimSpace(f)))
		default:
			v, ok := parseNumber(f)
			if !ok {
				msg, remedy := whyNotNumber(string(bytes.TrimSpace(f)))
				return &InputError{
					File: c.file, Line: c.scan.start, Row: c.rows,
					Column: columnName(c.names, j), Msg: msg, Remedy: remedy,
				}
			}
			c.t.Points.Coords = append(c.t.Points.Coords, v)
		}
	}
	c.rows++
	return nil
}

func (c *csvTable) label(f []byte) string {
	if s, ok := c.seen[string(f)]; ok {
		return s
	}
	if c.seen == nil {
		c.seen = make(map[string]string)
	}
	s := string(f)
	c.seen[s] = s
	return s
}

// parseNumber reads a finite number, with blanks around it allowed.
func parseNumber(f []byte) (float64, bool) {
	if n := len(f); n > 0 && (f[0] <= ' ' || f[n-1] <= ' ') {
		f = bytes.TrimSpace(f)
	}
	v, err := strconv.ParseFloat(string(f), 64)
	return v, err == nil && v*0 == 0
}

// whyNotNumber explains what parseNumber refused, and what to do.
func whyNotNumber(s string) (msg string, remedy Remedy) {
	_, err := strconv.ParseFloat(s, 64)
	point := strings.Replace(s, ",", ".", 1)
	_, pointErr := strconv.ParseFloat(point, 64)
	switch {
	case s == "":
		return "the field is empty (fill it in or delete the line)", ""
	case err == nil:
		return quote(s) + " is not a finite number (fill it in or delete the line)", ""
	case errors.Is(err, strconv.ErrRange):
		return quote(s) + " is too large for a float64", ""
	case isMissing(s):
		return quote(s) + " is not a number (fill it in or delete the line)", ""
	case point != s && pointErr == nil:
		return quote(s) + " is not a number (write the decimal mark as a point: " + point + ")", ""
	}
	return quote(s) + " is not a number", DeclareNames
}

// isMissing reports whether s is a usual mark for a missing value.
func isMissing(s string) bool {
	switch strings.ToLower(s) {
	case "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "nil", "missing", "-", "--", "?", ".":
		return true
	}
	return false
}

// isHeader reports whether the first record reads like column names; doc.go
// states the rule. It errs on the side of data, because a header taken for
// data is an error the user sees, and a row taken for a header is lost.
func isHeader(first [][]byte, opts *Options) bool {
	declared := func(want string, j int) bool {
		k, ok := columnNumber(want)
		return ok && k == j+1
	}
	if isName(opts.IDColumn) || isName(opts.LabelColumn) {
		return true
	}
	names := 0
	for j, f := range first {
		s := string(bytes.TrimSpace(f))
		if strings.EqualFold(s, "id") {
			return true
		}
		if declared(opts.IDColumn, j) || declared(opts.LabelColumn, j) || s == "" {
			continue
		}
		_, err := strconv.ParseFloat(s, 64)
		switch {
		case isMissing(s), err == nil && strings.Trim(s, "0123456789") != "":
			return false // a value, or the place of one
		case err == nil:
			continue // a year, say
		case strings.ContainsRune("0123456789+-.", rune(s[0])):
			return false // a number with a slip in it
		}
		names++
	}
	return names > 0
}

// isName reports whether a column option can only be a name.
func isName(want string) bool {
	_, number := columnNumber(want)
	return want != "" && !number
}
