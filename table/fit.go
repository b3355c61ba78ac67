package table

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
	if e.Named && !opts.FileOrder {
		slices.SortFunc(names, compareNatural)
	}
	bad := EncodingError{Total: len(names)}
	parts := make([]*Column, len(tables))
	kept := keptRows(tables, opts.Missing)
	for _, name := range names {
		for k, t := range tables {
			j := t.Find(name)
			if j < 0 {
				return nil, fmt.Errorf("table: %s has no column %s", t.Name, quote(name))
			}
			parts[k] = &t.Columns[j]
		}
		c := fitColumn(name, parts, tables, kept, opts, &bad)
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

// keptRows returns the rows of each table that are not left out for missing
// cells, so that those which are do not decide the units; nil for all rows.
func keptRows(tables []*Table, missing Missing) [][]int {
	if missing != MissingDrop {
		return nil
	}
	kept := make([][]int, len(tables))
	for k, t := range tables {
		kept[k] = wholeRows(t)
	}
	return kept
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
func fitColumn(name string, parts []*Column, tables []*Table, kept [][]int, opts EncodingOptions, bad *EncodingError) EncodedColumn {
	kind, levels := poolWords(parts)
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
			center, unit, fill := fitNumbers(parts, kept, k, kind, &opts)
			out.Center, out.Unit, out.Fill = append(out.Center, center), append(out.Unit, unit), append(out.Fill, fill)
		}
	}
	return out
}

// poolWords returns the kind of a column in all tables, and its levels in order.
func poolWords(parts []*Column) (kind Kind, levels []string) {
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
		return kind, nil
	}
	seen := make(map[string]bool)
	rows := 0
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
	if kind = Text; isCategories(len(levels), rows, typed) && hint(levels) == "" && !isMixed(parts) {
		kind = Category
	}
	return kind, levels
}

// isMixed reports whether words stand among measurements: at least half of the
// cells are numbers, and those have decimals or many values. Whole numbers of a
// few values are taken for codes, as in 1, 2, 3, K.
func isMixed(parts []*Column) bool {
	cells, numbers := 0, 0
	decimals := false
	values := make(map[string]bool)
	for _, p := range parts {
		isNumber := make([]bool, len(p.Levels))
		for k, s := range p.Levels {
			_, isNumber[k] = parseNumber([]byte(s), '.')
		}
		for _, code := range p.Codes {
			if code < 0 {
				continue
			}
			cells++
			if isNumber[code] {
				numbers++
				s := p.Levels[code]
				values[s] = true
				decimals = decimals || strings.ContainsAny(s, ".eE")
			}
		}
	}
	return numbers < cells && 2*numbers >= cells && (decimals || len(values) > fewLevels)
}
