package clean

import (
	"context"
	"slices"

	"rot.example/rot/ot"
)

// Rows up to which repeated rows and labels are looked at.
const (
	repeatedRows = 200_000
	labelledRows = 20_000
)

// Further looks for rows that are there more than once and for labels that do
// not fit. Each result is nil where it would take too long, and the second where
// labels, one for each row, name no classes: none are given, or nearly every row
// has its own. Of opts, which may be nil, it takes Unscaled, Groups and Seed.
// stage, unless it is nil, is told what comes next.
func Further(ctx context.Context, x *ot.Points, labels []string, opts *Options, stage func(doing string)) (*Repeated, *LabelResult, error) {
	if opts == nil {
		opts = &Options{}
	}
	if stage == nil {
		stage = func(string) {}
	}
	var repeated *Repeated
	var err error
	if x.Len() <= repeatedRows {
		stage("looking for rows that repeat")
		if repeated, err = Duplicates(ctx, x, &DuplicateOptions{Unscaled: opts.Unscaled, Groups: opts.Groups, Seed: opts.Seed}); err != nil {
			return nil, nil, err
		}
	}
	classes := len(slices.Compact(slices.Sorted(slices.Values(labels))))
	if n := len(labels); n == 0 || n > labelledRows || classes < 2 || classes > n/4 {
		return repeated, nil, nil
	}
	stage("comparing labels")
	wrong, err := Labels(ctx, x, labels, &Options{Unscaled: opts.Unscaled, Groups: opts.Groups, Seed: opts.Seed})
	return repeated, wrong, err
}
