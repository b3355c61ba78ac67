package cli

import (
	"context"
	"slices"

	"rot.example/rot/clean"
)

// Rows up to which repeated rows and labels are looked at.
const (
	repeatedRows = 200_000
	labelledRows = 20_000
)

// lookFurther finds rows that are there more than once and labels that do not
// fit, where there are any.
func (c *cleaned) lookFurther(ctx context.Context, p *progress) (err error) {
	unscaled := c.Data.Features != ""
	if n := c.Data.Points.Len(); n <= repeatedRows {
		p.stage("looking for rows that repeat")
		if c.Repeated, err = clean.Duplicates(ctx, c.Data.Points, &clean.DuplicateOptions{Unscaled: unscaled, Groups: clean.Groups(c.Encoding), Seed: c.options.seed}); err != nil {
			return err
		}
	}
	classes := len(slices.Compact(slices.Sorted(slices.Values(c.Data.Labels))))
	if n := len(c.Data.Labels); n == 0 || n > labelledRows || classes < 2 || classes > n/4 || c.options.byLabel() {
		return nil
	}
	p.stage("comparing labels")
	c.Wrong, err = clean.Labels(ctx, c.Data.Points, c.Data.Labels, &clean.Options{Unscaled: unscaled, Groups: clean.Groups(c.Encoding), Seed: c.options.seed})
	return err
}
