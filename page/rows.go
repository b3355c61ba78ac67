package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
)

// mostCauses is how many columns explain a row.
const mostCauses = 3

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
	for _, j := range columns[:min(len(columns), mostCauses)] {
		if far[j] < far[columns[0]]/10 {
			break // hardly a difference beside the first
		}
		parts = append(parts, fmt.Sprintf("%s: %s vs %s", words.Fit(name(j), 24), words.TableValue(a[j]), words.TableValue(b[j])))
	}
	return strings.Join(parts, ", ")
}
