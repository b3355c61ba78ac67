package drift

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// A Shift is how one column has moved.
type Shift struct {
	Column int // its place in Options.Columns
	Name   string
	P      float64 // of a column that has not moved: how likely it would look as different

	// Adjusted is P for all columns together: at most q for the columns of which
	// a part q has not moved, on average (Benjamini and Hochberg).
	Adjusted float64

	// Effect is how far the values moved on average: for numbers in deviations
	// of the column, for a category the part of the rows that are of another one.
	Effect float64

	Direction string // up, down, wider, narrower, same, or the category that gained most
	Text      string // the direction and its size in words
}

// columns are the statistics of single columns in every arrangement, and the
// transport distance of each column.
type columns struct {
	scores   []score
	distance [][]float64 // a column and an arrangement
}

// columnScores compares the columns one by one: the largest gap between the two
// distribution functions (Kolmogorov and Smirnov), and the area between them,
// which is the transport distance on a line.
func columnScores(ctx context.Context, x *scaled, l *labels, groups []Column) (*columns, error) {
	out := &columns{distance: make([][]float64, len(groups))}
	gaps := make([][]float64, len(groups))
	err := each(ctx, len(groups), func(g int) {
		area, gap := make([]float64, l.times), make([]float64, l.times)
		group := groups[g]
		if group.Kind == Category {
			for j := group.First; j < group.First+group.Width; j++ {
				sum := make([]float64, l.times)
				for i := range x.n {
					if v := x.row(i)[j]; v > 0 { // centred: above 0 for the rows of this category
						for b, w := range l.row(i) {
							sum[b] += w
						}
					}
				}
				for b, v := range sum {
					area[b] += math.Abs(v) / 2
					gap[b] = max(gap[b], math.Abs(v))
				}
			}
		} else {
			for j := group.First; j < group.First+group.Width; j++ {
				lineScores(x, j, l, area, gap)
			}
		}
		out.distance[g], gaps[g] = area, gap
	})
	if err != nil {
		return nil, err
	}
	most := score{"one column", make([]float64, l.times)}
	sure := score{"one column's distance", make([]float64, l.times)}
	sum := score{"columns' distances", make([]float64, l.times)}
	for g, area := range out.distance {
		mean, sd := moments(area)
		for b, v := range area {
			most.values[b] = max(most.values[b], gaps[g][b])
			sum.values[b] += v
			if sd > 0 {
				sure.values[b] = max(sure.values[b], (v-mean)/sd)
			}
		}
	}
	out.scores = []score{most, sure, sum}
	return out, nil
}

// lineScores adds what the values in place j of the rows say.
func lineScores(x *scaled, j int, l *labels, area, gap []float64) {
	order := make([]int, x.n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.row(a)[j], x.row(b)[j]) })
	sum := make([]float64, l.times)
	for k, i := range order {
		for b, w := range l.row(i) {
			sum[b] += w
		}
		if k+1 == x.n {
			break
		}
		step := x.row(order[k+1])[j] - x.row(i)[j]
		if step == 0 {
			continue
		}
		for b, v := range sum {
			v = math.Abs(v)
			area[b] += v * step
			gap[b] = max(gap[b], v)
		}
	}
}

// shifts are the columns with their p-values, the surest first.
func (c *comparison) shifts(cols *columns) []Shift {
	out := make([]Shift, len(c.options.Columns))
	for g, column := range c.options.Columns {
		s := Shift{Column: g, Name: column.Name, Effect: cols.distance[g][0], P: upperTail(cols.distance[g])}
		if column.Kind == Category {
			s.Direction, s.Text = c.categoryMove(column)
		} else {
			s.Direction, s.Text = c.numberMove(column)
		}
		out[g] = s
	}
	slices.SortStableFunc(out, func(a, b Shift) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(b.Effect, a.Effect))
	})
	adjusted := 1.
	for k := len(out) - 1; k >= 0; k-- {
		adjusted = min(adjusted, out[k].P*float64(len(out))/float64(k+1))
		out[k].Adjusted = adjusted
	}
	return out
}

// numberMove says where a column of numbers went.
func (c *comparison) numberMove(column Column) (direction, text string) {
	values := func(side int) []float64 {
		lo, hi := 0, c.n
		if side == 1 {
			lo, hi = c.n, c.n+c.m
		}
		var v []float64
		for i := lo; i < hi; i++ {
			v = append(v, c.scaled.row(i)[column.First])
		}
		return v
	}
	a, sa := moments(values(0))
	b, sb := moments(values(1))
	shift := b - a
	ratio := sb / sa
	wide := math.Abs(math.Log(ratio))
	switch {
	case sa == 0 && sb == 0 && shift == 0:
		return "same", "one and the same value in both"
	case sa == 0 && sb > 0:
		return "wider", "one value in the reference, several now"
	case sa > 0 && sb == 0:
		return "narrower", "several values in the reference, one now"
	case math.Abs(shift) < 0.5*wide && ratio > 1:
		return "wider", fmt.Sprintf("wider, %.2f times the spread", ratio)
	case math.Abs(shift) < 0.5*wide:
		return "narrower", fmt.Sprintf("narrower, %.2f times the spread", ratio)
	case shift >= 0:
		return "up", fmt.Sprintf("up by %.2f deviations", shift)
	}
	return "down", fmt.Sprintf("down by %.2f deviations", -shift)
}

// categoryMove says which category gained most, and which lost.
func (c *comparison) categoryMove(column Column) (direction, text string) {
	name := func(k int) string {
		if k < len(column.Categories) {
			return column.Categories[k]
		}
		return fmt.Sprint(k)
	}
	change := make([]float64, column.Width)
	for i := range c.n + c.m {
		w := -1 / float64(c.n)
		if i >= c.n {
			w = 1 / float64(c.m)
		}
		for k := range change {
			if c.scaled.row(i)[column.First+k] > 0 {
				change[k] += w
			}
		}
	}
	gain, loss := 0, 0
	for k, v := range change {
		if v > change[gain] {
			gain = k
		}
		if v < change[loss] {
			loss = k
		}
	}
	return name(gain), fmt.Sprintf("more %s (%+.1f points), less %s (%+.1f points)", name(gain), 100*change[gain], name(loss), 100*change[loss])
}
