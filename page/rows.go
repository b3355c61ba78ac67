package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

// A columnUnit is the middle of a column and how far from it values usually
// lie.
type columnUnit struct{ middle, unit float64 }

// columnUnits measures the columns of p by quantiles: half of the distance that
// eight of ten rows span, or where those are all the same, the largest
// deviation.
func columnUnits(p *ot.Points) []columnUnit {
	n := p.Len()
	out := make([]columnUnit, p.Dim)
	column := make([]float64, n)
	for j := range out {
		for i := range n {
			column[i] = p.Coords[i*p.Dim+j]
		}
		slices.Sort(column)
		u := columnUnit{column[n/2], column[n*9/10]/2 - column[n/10]/2}
		if u.unit == 0 {
			u.unit = math.Max(column[n-1]/2-u.middle/2, u.middle/2-column[0]/2)
		}
		out[j] = u
	}
	return out
}

// inUnits are rows in these units, values beyond limit brought back to it, so
// that one far value does not outweigh all others. A constant column is 0.
func inUnits(p *ot.Points, units []columnUnit, limit float64) *ot.Points {
	out := &ot.Points{Dim: p.Dim, Coords: make([]float64, len(p.Coords)), IDs: p.IDs}
	for k, v := range p.Coords {
		u := units[k%p.Dim]
		switch z := (v/2 - u.middle/2) / u.unit; {
		case v == u.middle:
		case math.IsNaN(z) || math.Abs(z) > limit/2:
			out.Coords[k] = math.Copysign(limit, v/2-u.middle/2)
		default:
			out.Coords[k] = 2 * z
		}
	}
	return out
}

// nearestKept is the row that may stay and is closest to row i, and how far
// away it is; −1 when none may stay.
func nearestKept(i int, gone []bool, cost func(i, k int) float64) (at int, far float64) {
	at, far = -1, math.Inf(1)
	for k, g := range gone {
		if k == i || g {
			continue
		}
		if d := cost(i, k); d < far {
			at, far = k, d
		}
	}
	return at, far
}

// differences are the columns in which two rows differ most, by their units,
// with the values of both.
func differences(a, b []float64, units []columnUnit, name func(j int) string) string {
	var columns []int
	far := make([]float64, len(a))
	for j := range a {
		if a[j] == b[j] {
			continue
		}
		far[j] = math.Abs(a[j]/2-b[j]/2) / units[j].unit
		columns = append(columns, j)
	}
	if columns == nil {
		return "nothing"
	}
	slices.SortStableFunc(columns, func(j, k int) int { return cmp.Compare(far[k], far[j]) })
	var parts []string
	for _, j := range columns[:min(len(columns), causes)] {
		if far[j] < far[columns[0]]/10 {
			break // hardly a difference beside the first
		}
		parts = append(parts, fmt.Sprintf("%s: %s vs %s", fit(name(j), 24), plainDigits(a[j]), plainDigits(b[j])))
	}
	return strings.Join(parts, ", ")
}

// plainDigits formats a value of a table with four digits, and without an exponent
// where people write none.
func plainDigits(v float64) string {
	if a := math.Abs(v); a >= 1e4 && a < 1e9 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return digits(v, 4)
}

// columnName is the name of column j, or its number as a spreadsheet counts.
func columnName(columns []string, j int) string {
	if columns != nil && columns[j] != "" {
		return columns[j]
	}
	return "column " + strconv.Itoa(j+1)
}

// A classShare is how much of a class is gone.
type classShare struct {
	name      string
	all, gone int
}

// classShares counts rows by label.
func classShares(labels []string, gone []bool) []classShare {
	names, index := (&dataset.Table{Labels: labels}).Classes()
	out := make([]classShare, len(names))
	for k, name := range names {
		out[k].name = name
	}
	for i, k := range index {
		out[k].all++
		if gone[i] {
			out[k].gone++
		}
	}
	return out
}

// lost says that a class goes nearly as a whole, which is the mark of a rare
// class rather than of dirt.
func (c classShare) lost() bool { return c.gone > 1 && float64(c.gone) >= 0.9*float64(c.all) }

// classTable is the share of each class that is gone, as Markdown, with a mark
// where alarm is true and nearly all of a class is. More than a hundred labels
// are not classes.
func classTable(s *strings.Builder, shares []classShare, heading, gone string, alarm bool) {
	if len(shares) == 0 || len(shares) > 100 {
		return
	}
	fmt.Fprintf(s, "## %s\n\n| class | rows | %s | share | |\n|---|---|---|---|---|\n", heading, gone)
	for _, c := range shares {
		mark := ""
		if alarm && c.lost() && len(shares) > 1 {
			mark = "⚠ nearly all of it"
		}
		fmt.Fprintf(s, "| %s | %d | %d | %s | %s |\n", escaped(c.name), c.all, c.gone, percent(float64(c.gone)/float64(c.all)), mark)
	}
	s.WriteString("\n")
}

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
