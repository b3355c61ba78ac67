package drift

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/clean"
	"rot.example/rot/ot"
)

// What Options means where it says 0.
const (
	DefaultAlpha        = 0.05
	DefaultPermutations = 199
	DefaultRows         = 2000
)

// MinRows is the least number of rows of each sample.
const MinRows = 8

// A Kind says what the numbers of a column stand for.
type Kind string

// The kinds of columns.
const (
	Number   Kind = "number"
	Category Kind = "category"
)

// A Column is a column of a table and where its numbers are in a row: First is
// the place of the first one, and Width how many there are. A category has a
// number for each of its Categories, 1 for the one that a row is of and 0 for
// the others.
type Column struct {
	Name         string
	Kind         Kind
	First, Width int
	Categories   []string
}

// Options tunes Compare. The zero value is ready to use.
type Options struct {
	Columns      []Column // nil: every number is a column, named by its place from 1 on
	Alpha        float64  // a p-value at most this is evidence; 0 means DefaultAlpha
	FDR          float64  // of the suspects; 0 means clean.DefaultFDR
	Permutations int      // 0 means DefaultPermutations
	Rows         int      // of each sample in the test, at most; 0 means DefaultRows
	Unscaled     bool     // the columns share a unit, as those of feature vectors do
	Seed         uint64
	Progress     func(done, total int) // called from one goroutine; may be nil
}

// A Verdict is what Compare concludes.
type Verdict string

// The verdicts.
const (
	Same  Verdict = "same"  // no drift seen
	Dirty Verdict = "dirty" // the bulk is the same, some rows do not belong
	Moved Verdict = "moved" // the bulk has moved
)

// A Result says whether a sample has moved away from a reference.
type Result struct {
	Verdict Verdict
	PMoved  float64 // of bulks that are the same: how likely they would look as different
	PDirty  float64 // of samples without foreign rows: how likely as many would stand out

	// Distance is the transport distance of the two bulks in units of the
	// columns' spread, Noise that of two random halves of the reference with as
	// many rows, and Effect their ratio: about 1 where nothing has moved.
	Distance, Noise, Effect float64

	Columns  []Shift // what moved, the surest first
	Suspects []int   // rows of the new sample that do not belong, the worst first; of one that has moved, those that belong to neither
	Blame    []Blame // the rows that tell the new sample from the reference, the worst first

	SetAside     [2]int // rows of the reference and of the new sample that the test leaves out
	Tested       [2]int // rows of each in the test
	Permutations int
	Statistics   []Statistic // what the test looked at
}

// A Blame is a row of the new sample and its nearest in the reference.
type Blame struct {
	Row     int
	Score   float64
	P       float64 // how likely a row of the reference would look as odd
	Nearest int
}

// A Statistic is one way to look at two samples, and how often chance does as
// much.
type Statistic struct {
	Name string
	P    float64
}

// Compare tests whether the rows of fresh come from where those of reference
// do. Rows that stand out from both samples together are set aside without a
// look at which sample they belong to; the others are tested by permutation, so
// that the p-values hold for any data. It returns an error that wraps
// ot.ErrShape for fewer than MinRows rows or other columns, ot.ErrValue for a
// number that is not finite, ot.ErrOption for options out of range, and
// ctx.Err() when cancelled.
func Compare(ctx context.Context, reference, fresh *ot.Points, opts *Options) (*Result, error) {
	o, err := opts.checked(reference, fresh)
	if err != nil {
		return nil, err
	}
	c := &comparison{reference: reference, fresh: fresh, options: o, steps: o.Permutations + 1 + 7}
	if err := c.pool(ctx); err != nil {
		return nil, err
	}
	r := &Result{Permutations: o.Permutations}
	if err := c.test(ctx, r); err != nil {
		return nil, err
	}
	if err := c.effect(ctx, r); err != nil {
		return nil, err
	}
	if err := c.blame(ctx, r); err != nil {
		return nil, err
	}
	switch {
	case r.PMoved <= o.Alpha:
		r.Verdict = Moved
	case r.PDirty <= o.Alpha:
		r.Verdict = Dirty
	default:
		r.Verdict, r.Suspects = Same, nil
	}
	return r, nil
}

// checked is o with its defaults.
func (o *Options) checked(reference, fresh *ot.Points) (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	for _, side := range []struct {
		name string
		x    *ot.Points
	}{{"reference", reference}, {"new sample", fresh}} {
		x := side.x
		if x == nil || x.Dim <= 0 || len(x.Coords)%x.Dim != 0 {
			return c, fmt.Errorf("drift: the %s does not have the coordinates that it should: %w", side.name, ot.ErrShape)
		}
		if x.Len() < MinRows {
			return c, fmt.Errorf("drift: %d rows of the %s are too few, want %d or more: %w", x.Len(), side.name, MinRows, ot.ErrShape)
		}
		for k, v := range x.Coords {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return c, fmt.Errorf("drift: row %d of the %s, column %d: %v is not a finite number: %w", k/x.Dim, side.name, k%x.Dim, v, ot.ErrValue)
			}
		}
	}
	if reference.Dim != fresh.Dim {
		return c, fmt.Errorf("drift: rows of the reference have %d columns, those of the new sample %d: %w", reference.Dim, fresh.Dim, ot.ErrShape)
	}
	switch {
	case !(c.Alpha >= 0 && c.Alpha < 1):
		return c, fmt.Errorf("drift: alpha %v is not between 0 and 1: %w", c.Alpha, ot.ErrOption)
	case !(c.FDR >= 0 && c.FDR < 1):
		return c, fmt.Errorf("drift: false discovery rate %v is not between 0 and 1: %w", c.FDR, ot.ErrOption)
	case c.Permutations < 0, c.Rows < 0, c.Rows > 0 && c.Rows < MinRows:
		return c, fmt.Errorf("drift: %d permutations of %d rows: %w", c.Permutations, c.Rows, ot.ErrOption)
	}
	if c.Alpha == 0 {
		c.Alpha = DefaultAlpha
	}
	if c.FDR == 0 {
		c.FDR = clean.DefaultFDR
	}
	if c.Permutations == 0 {
		c.Permutations = DefaultPermutations
	}
	if c.Rows == 0 {
		c.Rows = DefaultRows
	}
	if c.Progress == nil {
		c.Progress = func(int, int) {}
	}
	return c, c.checkColumns(reference.Dim)
}

// checkColumns sees to it that every number belongs to one column.
func (o *Options) checkColumns(dim int) error {
	if o.Columns == nil {
		for j := range dim {
			o.Columns = append(o.Columns, Column{Name: fmt.Sprint(j + 1), Kind: Number, First: j, Width: 1})
		}
		return nil
	}
	seen := make([]bool, dim)
	for _, c := range o.Columns {
		if c.Width < 1 || c.First < 0 || c.First+c.Width > dim || c.Kind == Category && len(c.Categories) != 0 && len(c.Categories) != c.Width {
			return fmt.Errorf("drift: column %q does not fit rows of %d numbers: %w", c.Name, dim, ot.ErrShape)
		}
		for j := c.First; j < c.First+c.Width; j++ {
			if seen[j] {
				return fmt.Errorf("drift: column %q has numbers of another column: %w", c.Name, ot.ErrShape)
			}
			seen[j] = true
		}
	}
	if j := slices.Index(seen, false); j >= 0 {
		return fmt.Errorf("drift: number %d of a row belongs to no column: %w", j, ot.ErrShape)
	}
	return nil
}

// A comparison is the state of Compare.
type comparison struct {
	reference, fresh *ot.Points
	options          Options
	done, steps      int

	scaled *scaled // the rows in the test, those of the reference first
	n, m   int     // how many of each
	places [2][]int
	aside  [2]int
	sample [2]int // rows drawn, with those set aside
	odd    []int  // rows of fresh that were set aside

	carrier *carrier // of scaled
}

func (c *comparison) tick() {
	c.done++
	c.options.Progress(min(c.done, c.steps), c.steps)
}

// draw is the numbers of at most k of n rows, in order.
func draw(rng *rand.Rand, n, k int) []int {
	out := rng.Perm(n)[:min(n, k)]
	slices.Sort(out)
	return out
}
