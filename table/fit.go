package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Complaint is a column that keeps a table from being encoded.
type Complaint struct {
	File    string `json:"file"`
	Column  string `json:"column"`
	Problem string `json:"problem"` // "text", "other", "missing", "bad" or "infinite"
	Count   int    `json:"count"`   // cells
	Msg     string `json:"msg"`
}

// An EncodingError lists all columns that keep tables from being encoded.
type EncodingError struct{ Complaints []Complaint }

func (e *EncodingError) Error() string {
	const most = 20
	var b strings.Builder
	file := ""
	for k, c := range e.Complaints[:min(len(e.Complaints), most)] {
		switch {
		case c.File != file && k == 0:
			b.WriteString(c.File + ": ")
		case c.File != file:
			b.WriteString("; " + c.File + ": ")
		default:
			b.WriteString("; ")
		}
		file = c.File
		fmt.Fprintf(&b, "column %s %s", quote(c.Column), c.Msg)
	}
	if n := len(e.Complaints) - most; n > 0 {
		fmt.Fprintf(&b, "; and %s more", count(n, "complaint"))
	}
	return b.String()
}

// Columns returns the columns with one of the problems, each once.
func (e *EncodingError) Columns(problems ...string) []string {
	var names []string
	for _, c := range e.Complaints {
		if slices.Contains(problems, c.Problem) && !slices.Contains(names, c.Column) {
			names = append(names, c.Column)
		}
	}
	return names
}

// Fit makes an encoding of the columns of tables that have met, by all their
// rows together. The components stand in the natural order of the names of the
// columns, so that the order in the files does not matter; columns without
// names keep their order. The error for columns that cannot be encoded is an
// *EncodingError with all of them.
func Fit(opts EncodingOptions, tables ...*Table) (*Encoding, error) {
	if opts.Scale == "" {
		opts.Scale = ScaleNone
	}
	if opts.Missing == "" {
		opts.Missing = MissingError
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	if len(tables) == 0 || len(tables[0].Columns) == 0 {
		return nil, errors.New("table: no columns to encode")
	}
	e := &Encoding{Version: encodingVersion, Scale: opts.Scale, Missing: opts.Missing, Named: true}
	names := tables[0].Names()
	for _, t := range tables {
		e.Named = e.Named && t.Named
	}
	if e.Named {
		slices.SortFunc(names, compareNatural)
	}
	var bad EncodingError
	parts := make([]*Column, len(tables))
	for _, name := range names {
		for k, t := range tables {
			j := t.Find(name)
			if j < 0 {
				return nil, fmt.Errorf("table: %s has no column %s", t.Name, quote(name))
			}
			parts[k] = &t.Columns[j]
		}
		c := fitColumn(name, parts, tables, opts, &bad)
		e.Columns = append(e.Columns, c)
	}
	if len(bad.Complaints) > 0 {
		slices.SortStableFunc(bad.Complaints, func(a, b Complaint) int {
			return strings.Compare(order(tables, a.File), order(tables, b.File))
		})
		return nil, &bad
	}
	return e, nil
}

// order is a key that sorts files as they were given.
func order(tables []*Table, file string) string {
	for k, t := range tables {
		if t.Name == file {
			return strconv.Itoa(100 + k)
		}
	}
	return ""
}

// fitColumn fits one column, or adds what is wrong with it to bad.
func fitColumn(name string, parts []*Column, tables []*Table, opts EncodingOptions, bad *EncodingError) EncodedColumn {
	kind, levels, rows := poolWords(parts)
	out := EncodedColumn{Name: name, Kind: kind}
	missing := 0
	for k, p := range parts {
		n, first := p.Missing()
		missing += n
		bad.check(p, kind, tables[k], n, first, opts.Missing)
	}
	out.Indicator = opts.Missing == MissingIndicator && missing > 0
	switch {
	case kind == Category:
		counts := make(map[string]int, len(levels))
		for _, p := range parts {
			for _, code := range p.Codes {
				if code >= 0 {
					counts[p.Levels[code]]++
				}
			}
		}
		out.Levels = levels
		for k, level := range levels {
			if counts[level] > counts[levels[out.FillLevel]] {
				out.FillLevel = k
			}
		}
		if len(levels) == 0 {
			out.Levels = []string{""}
		}
	case kind.numeric():
		width := parts[0].Width
		if kind == Vector {
			out.Width = width
		}
		out.Clock = kind == Time && opts.Clock
		for k := range width {
			center, unit, fill := fitNumbers(parts, k, kind, opts.Scale)
			out.Center, out.Unit, out.Fill = append(out.Center, center), append(out.Unit, unit), append(out.Fill, fill)
		}
	}
	_ = rows
	return out
}

// poolWords returns the kind of a column in all tables, and its levels in order.
func poolWords(parts []*Column) (kind Kind, levels []string, rows int) {
	kind = parts[0].Kind
	typed := false
	for _, p := range parts {
		if p.isEmpty() {
			continue
		}
		kind = p.Kind
		break
	}
	if !kind.words() {
		return kind, nil, 0
	}
	seen := make(map[string]bool)
	for _, p := range parts {
		typed = typed || p.typed
		for _, code := range p.Codes {
			if code < 0 {
				continue
			}
			rows++
			if s := p.Levels[code]; !seen[s] {
				seen[s] = true
				levels = append(levels, s)
			}
		}
	}
	slices.Sort(levels)
	if kind = Text; isCategories(len(levels), rows, typed) && hint(levels) == "" {
		kind = Category
	}
	return kind, levels, rows
}

// check adds what keeps a column of t from being encoded.
func (e *EncodingError) check(c *Column, kind Kind, t *Table, missing, first int, how Missing) {
	complain := func(problem string, n int, format string, args ...any) {
		e.Complaints = append(e.Complaints, Complaint{File: t.Name, Column: c.Name, Problem: problem, Count: n, Msg: fmt.Sprintf(format, args...)})
	}
	switch {
	case c.Kind == Other:
		complain("other", t.Rows, "holds %s, which have no coordinates", c.Why)
		return
	case kind == Text:
		complain("text", t.Rows, "holds text: %s", whyText(c))
		return
	}
	if how == MissingError {
		if c.Bad.Count > 0 {
			complain("bad", c.Bad.Count, "holds %s, but %s", kind.plural(), badText(&c.Bad, t))
			missing -= c.Bad.Count
		}
		if missing > 0 {
			at := ""
			if c.Bad.Count == 0 {
				at = ", the first in " + t.Place(first)
			}
			complain("missing", missing, "has %s%s", count(missing, "missing value"), at)
		}
	}
	for i, v := range c.Numbers {
		if math.IsInf(v, 0) {
			complain("infinite", 1, "holds %v in %s, which is not a finite number", v, t.Place(i/c.Width))
			break
		}
	}
}

// badText tells of cells that are not of their column's kind.
func badText(b *BadCells, t *Table) string {
	at := fmt.Sprintf("row %d", b.Row)
	if b.Line > 0 {
		at = fmt.Sprintf("line %d", b.Line)
	}
	s := fmt.Sprintf("%s are not: %s in %s", count(b.Count, "cell"), quote(b.Text), at)
	if b.Count == 1 {
		s = fmt.Sprintf("one cell is not: %s in %s", quote(b.Text), at)
	}
	if h := hint([]string{b.Text}); h != "" {
		s += " " + h
	}
	return s
}

// whyText tells why words are neither numbers nor categories.
func whyText(c *Column) string {
	example := ""
	if len(c.Levels) > 0 {
		example = c.Levels[0]
		for _, s := range c.Levels {
			if _, ok := parseNumber([]byte(s), '.'); !ok {
				example = s
				break
			}
		}
	}
	if h := hint(c.Levels); h != "" {
		return fmt.Sprintf("%s %s", quote(example), h)
	}
	if n := countNumbers(c.Levels); n > 0 {
		return fmt.Sprintf("numbers are mixed with words such as %s", quote(example))
	}
	return fmt.Sprintf("%d different values such as %s", len(c.Levels), quote(example))
}

func countNumbers(levels []string) int {
	n := 0
	for _, s := range levels {
		if _, ok := parseNumber([]byte(s), '.'); ok {
			n++
		}
	}
	return n
}

// fitNumbers returns center, unit and median of component k of a column.
func fitNumbers(parts []*Column, k int, kind Kind, scale Scale) (center, unit, fill float64) {
	var all []float64
	for _, p := range parts {
		for i := k; i < len(p.Numbers); i += p.Width {
			if v := p.Numbers[i]; isFinite(v) {
				all = append(all, v)
			}
		}
	}
	unit = 1
	if kind == Time {
		unit = 86400
	}
	if len(all) == 0 {
		return 0, unit, 0
	}
	slices.Sort(all)
	fill = quantile(all, 0.5)
	if kind == Boolean {
		return 0, 1, math.Round(fill)
	}
	switch scale {
	case ScaleStd:
		center, spread := moments(all)
		return center, positive(spread, unit), fill
	case ScaleRobust:
		spread := (quantile(all, 0.75) - quantile(all, 0.25)) / 1.349
		if !(spread > 0) {
			_, spread = moments(all)
		}
		return fill, positive(spread, unit), fill
	}
	if kind == Time {
		// Days since the first, so that no digits are lost.
		return math.Floor(all[0]/86400) * 86400, unit, fill
	}
	return 0, unit, fill
}

// positive is the spread, or otherwise where that is nothing to divide by.
func positive(spread, otherwise float64) float64 {
	if spread > 0 && isFinite(1/spread) && isFinite(spread) {
		return spread
	}
	return otherwise
}

// quantile is the q-quantile of sorted values, between neighbours in proportion.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	k := int(at)
	if k+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	low, high := sorted[k], sorted[k+1]
	return low*(1-(at-float64(k))) + high*(at-float64(k))
}

// moments returns mean and standard deviation, without overflow.
func moments(v []float64) (mean, deviation float64) {
	big := 0.0
	for _, x := range v {
		big = max(big, math.Abs(x))
	}
	if big == 0 {
		return 0, 0
	}
	for _, x := range v {
		mean += x / big
	}
	mean /= float64(len(v))
	sum := 0.0
	for _, x := range v {
		sum += (x/big - mean) * (x/big - mean)
	}
	deviation = math.Sqrt(sum / float64(len(v)))
	if deviation < 1e-14*math.Abs(mean) { // rounding
		deviation = 0
	}
	return mean * big, deviation * big
}

// compareNatural orders names as people count: x2 before x10.
func compareNatural(a, b string) int {
	whole := strings.Compare(a, b)
	for a != "" && b != "" {
		x, y := digitRun(a), digitRun(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if len(m) != len(n) {
			return len(m) - len(n)
		}
		if c := strings.Compare(m, n); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return whole
}

// digitRun is how many digits s begins with.
func digitRun(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
