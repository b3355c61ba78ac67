package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"rot.example/rot/clean"
)

// Rows up to which repeated rows and labels are looked at, and how many are
// listed.
const (
	repeatedRows = 200_000
	labelledRows = 20_000
	listedLabels = 10
)

// lookFurther finds rows that are there more than once and labels that do not
// fit, where there are any.
func (c *cleaned) lookFurther(ctx context.Context, p *progress) (err error) {
	unscaled := c.data.Features != ""
	if n := c.data.Points.Len(); n <= repeatedRows {
		p.stage("looking for rows that repeat")
		if c.repeated, err = clean.Duplicates(ctx, c.data.Points, &clean.DuplicateOptions{Unscaled: unscaled, Groups: categoryGroups(c.encoding), Seed: c.options.seed}); err != nil {
			return err
		}
	}
	classes := len(slices.Compact(slices.Sorted(slices.Values(c.data.Labels))))
	if n := len(c.data.Labels); n == 0 || n > labelledRows || classes < 2 || classes > n/4 || c.options.byLabel() {
		return nil
	}
	p.stage("comparing labels")
	c.labels, err = clean.Labels(ctx, c.data.Points, c.data.Labels, &clean.Options{Unscaled: unscaled, Groups: categoryGroups(c.encoding), Seed: c.options.seed})
	return err
}

// repeatedJSON is rows that are there more than once, by their numbers.
type repeatedJSON struct {
	Equal [][]int    `json:"equal"`
	Near  []nearJSON `json:"near"`
}

type nearJSON struct {
	Rows     [2]int  `json:"rows"`
	Distance float64 `json:"distance"` // in distances to the nearest row
}

type labelJSON struct {
	Row       int     `json:"row"`
	ID        string  `json:"id"`
	Label     string  `json:"label"`
	Suggested string  `json:"suggested"`
	Score     float64 `json:"score"`
}

func (c *cleaned) repeatedJSON() *repeatedJSON {
	if c.repeated == nil {
		return nil
	}
	j := &repeatedJSON{Equal: append([][]int{}, c.repeated.Equal...), Near: []nearJSON{}}
	for _, p := range c.repeated.Near {
		j.Near = append(j.Near, nearJSON{[2]int{p.A, p.B}, p.Distance})
	}
	return j
}

// wrongLabels are the rows whose labels do not fit, the worst first; nil where
// labels were not looked at.
func (c *cleaned) wrongLabels() []labelJSON {
	if c.labels == nil {
		return nil
	}
	out := []labelJSON{}
	for i, s := range c.labels.Suspect {
		if s {
			out = append(out, labelJSON{i, c.data.Points.ID(i), c.data.Labels[i], c.labels.Classes[c.labels.Suggested[i]], c.labels.Score[i]})
		}
	}
	slices.SortStableFunc(out, func(a, b labelJSON) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// moreText tells about repeated rows and labels.
func (c *cleaned) moreText(b *strings.Builder) {
	if r := c.repeated; r != nil && len(r.Equal)+len(r.Near) > 0 {
		rows := 0
		for _, g := range r.Equal {
			rows += len(g)
		}
		var parts []string
		if rows > 0 {
			parts = append(parts, fmt.Sprintf("%s in %s of equal ones", c.data.Things(rows), plural(len(r.Equal), "group")))
		}
		if len(r.Near) > 0 {
			parts = append(parts, plural(len(r.Near), "pair")+" that are nearly equal")
		}
		fmt.Fprintf(b, "\nRepeated: %s (--json lists them).\n", strings.Join(parts, ", "))
	}
	wrong := c.wrongLabels()
	if len(wrong) == 0 {
		return
	}
	fmt.Fprintf(b, "\nLabels that do not fit: %s, whose neighbours have another one.\n\n", c.data.Things(len(wrong)))
	t := &table{head: []string{"id", "label", "neighbours say", "by"}, left: []bool{true, true, true, false}}
	for _, w := range wrong[:min(len(wrong), listedLabels)] {
		t.add(fit(w.ID, 40), fit(w.Label, 20), fit(w.Suggested, 20), digits(w.Score, 2))
	}
	t.writeTo(b)
}
