package clean

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// MinRows is the least number of rows that can be compared with each other,
// and of rows that make a reference.
const MinRows = 4

// DefaultCore and DefaultUnscaledCore are what Options.Core means when it is 0.
// For most tables 25 to 100 does equally well; 75 keeps a clump of outliers with 5 % of the rows from passing for a
// cluster. Foreign images look alike in feature vectors more often than not, and
// 75 is too few for 5 % of them (docs/benchmarks.md).
const (
	DefaultCore         = 75
	DefaultUnscaledCore = 150 // with Options.Unscaled
)

// mostSuspects is the largest part of the rows that weights leave out: there
// are always some left.
const mostSuspects = 0.999

// Options tunes Find and Against. The zero value is ready to use.
type Options struct {
	// Gamma is the part of the rows to take for suspects, above 0 and below 1;
	// 0 means as many as FDR allows. Scores and ranks do not depend on it.
	Gamma float64

	// FDR is the part of the suspects that may be good rows, on average; 0 means
	// DefaultFDR. With a reference it is a guarantee, for which half of the
	// reference is held back; without one it is an estimate.
	FDR float64

	// Core is how many of 1000 rows Find takes the mean of for each point of
	// its reference; 0 means DefaultCore, or DefaultUnscaledCore, and it is never
	// more than a quarter of the rows. It should exceed the largest clump of
	// outliers among 1000 rows. Less shows outliers between clusters better. Against has no use for it.
	Core int

	// Unscaled takes the columns as they are, because they share a unit
	// already as those of feature vectors do. Otherwise each one is centred and
	// scaled, so that neither its unit nor its origin matters.
	Unscaled bool

	// Groups are columns that together say one thing, such as the components of
	// a category: they share a unit, so that a group counts like one column.
	Groups []Group

	Seed     uint64
	Progress func(done, total int) // called from one goroutine; may be nil
}

// A Result says how little each row belongs.
type Result struct {
	// Score is one number a row, high for a suspect. The middle row (of the
	// reference, if there is one) has 0, and 1 is the mean distance from that.
	Score   []float64
	Weight  []float64 // chi-square weights for these scores: mean 1, within Rho
	Rank    []int     // 1 is the most suspect; equal scores in the order of the rows
	Suspect []bool    // the worst rows; rows of weight 0 are among them

	// Crowd is 1 for the rows of a crowd, 2 for those of another, and 0 for all
	// others; nil where there is none. The rows of a crowd are like each other
	// and unlike the rest. Only rows whose columns share a unit, as images do,
	// are looked at for crowds, and only without a reference.
	Crowd []int

	// P is a p-value a row, how likely a good row would look as odd; nil where
	// Options.Gamma gave the number of suspects.
	P []float64

	Gamma   float64 // as given, or the part of the rows that are suspects
	FDR     float64 // of the suspects; 0 where Options.Gamma gave their number
	Rho     float64 // radius of the ball that Gamma needs
	Guessed bool    // Gamma was not given
	Proven  bool    // FDR is a guarantee and not an estimate
	Rounds  int     // solves or random cores that the scores are the mean of
	Core    int     // Options.Core or its default; 0 with a reference

	columns []column // what a usual row looks like
}

// Find ranks the rows of x without a reference. It returns an error that wraps
// ot.ErrShape for fewer than MinRows rows, ot.ErrValue for a number that is not
// finite, ot.ErrOption for options out of range, and ctx.Err() when cancelled.
func Find(ctx context.Context, x *ot.Points, opts *Options) (*Result, error) {
	o, err := opts.checked()
	if err != nil {
		return nil, err
	}
	if err := check("row", x); err != nil {
		return nil, err
	}
	if x.Len() < MinRows {
		return nil, fmt.Errorf("clean: %d rows are too few to compare with each other, want %d or more: %w", x.Len(), MinRows, ot.ErrShape)
	}
	order := lexical(x)
	s := newScaler(x, order, o.Unscaled, o.Groups)
	rows := s.apply(x, order)
	f := &finder{rows: rows, core: o.Core, seed: o.Seed, unscaled: o.Unscaled, progress: o.Progress}
	score, err := f.scores(ctx)
	if err != nil {
		return nil, err
	}
	crowd, worst, err := f.crowds(ctx, score, o.FDR)
	if err != nil {
		return nil, err
	}
	r := &Result{Score: unsort(score, order), Rounds: passes*coarseRounds + fineRounds, Core: o.Core, columns: usual(x, order)}
	if crowd != nil {
		r.Crowd = unsort(crowd, order)
	}
	if o.Gamma > 0 {
		return r, r.drop(o.Gamma)
	}
	r.P, r.FDR, r.Guessed = tail(r.Score), o.FDR, true
	if crowd == nil {
		if worst, err = f.vote(ctx, score, o.FDR); err != nil {
			return nil, err
		}
	}
	if err := r.drop(min(float64(worst)/float64(len(score)), mostSuspects)); err != nil {
		return nil, err
	}
	if k := count(r.Suspect); k < worst { // the last of them tie with rows that are kept
		return r, r.drop(float64(k) / float64(len(score)))
	}
	return r, nil
}

// Against ranks the rows of x by one-sided robust transport to a reference of
// rows that belong, and by a forest that tells the two apart. Its errors are those of Find, and ot.ErrShape also where
// the reference has fewer than MinRows rows or other columns than x.
func Against(ctx context.Context, x, reference *ot.Points, opts *Options) (*Result, error) {
	o, err := opts.checked()
	if err != nil {
		return nil, err
	}
	if err := check("row", x); err != nil {
		return nil, err
	}
	if err := check("row of the reference", reference); err != nil {
		return nil, err
	}
	switch {
	case x.Dim != reference.Dim:
		return nil, fmt.Errorf("clean: rows have %d columns, those of the reference %d: %w", x.Dim, reference.Dim, ot.ErrShape)
	case x.Len() == 0:
		return nil, fmt.Errorf("clean: there are no rows: %w", ot.ErrShape)
	case reference.Len() < MinRows:
		return nil, fmt.Errorf("clean: a reference of %d rows is too small, want %d or more: %w", reference.Len(), MinRows, ot.ErrShape)
	}
	refOrder := lexical(reference)
	r := &Result{Rounds: compareRounds + 2, columns: usual(reference, refOrder)}
	if o.Gamma == 0 {
		return r, r.calibrate(ctx, x, reference, refOrder, o)
	}
	order := lexical(x)
	views, err := newComparer(x, reference, order, refOrder, o).views(ctx)
	if err != nil {
		return nil, err
	}
	r.Score = unsort(views[0].standard(), order)
	return r, r.drop(o.Gamma)
}

// Order is the rows by rank, the most suspect first.
func (r *Result) Order() []int {
	order := make([]int, len(r.Rank))
	for i, k := range r.Rank {
		order[k-1] = i
	}
	return order
}

// CrowdSizes returns how many rows each crowd has; nil where there is none.
func (r *Result) CrowdSizes() []int {
	var out []int
	for _, k := range r.Crowd {
		for len(out) < k {
			out = append(out, 0)
		}
		if k > 0 {
			out[k-1]++
		}
	}
	return out
}

// suspect sets all that follows from the scores and their p-values.
func (r *Result) suspect(p []float64, q, good float64) error {
	r.P, r.FDR, r.Guessed = p, q, true
	marks := discover(p, q, good)
	if err := r.drop(min(float64(count(marks))/float64(len(p)), mostSuspects)); err != nil {
		return err
	}
	r.Suspect = marks
	return nil
}

// drop sets all that follows from the scores.
func (r *Result) drop(gamma float64) error {
	ball, err := chisq.FromGamma(gamma)
	if err != nil {
		return err
	}
	r.Gamma, r.Rho = gamma, ball.Rho
	n := len(r.Score)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.Score[j], r.Score[i]) })
	sorted := make([]float64, n) // so that weights do not depend on the order of the rows
	for k, i := range order {
		sorted[k] = r.Score[i]
	}
	if sorted, err = ball.Minimize(sorted, sorted); err != nil {
		return err
	}
	r.Weight = unsort(sorted, order)
	r.Rank, r.Suspect = make([]int, n), make([]bool, n)
	for k, i := range order {
		r.Rank[i] = k + 1
	}
	room := int(math.Floor(gamma * float64(n) * (1 + 1e-12)))
	// Equal rows go or stay together, and stay where there is no room for all.
	for room > 0 && room < n && r.Score[order[room-1]] == r.Score[order[room]] {
		room--
	}
	for _, i := range order[:min(room, n)] {
		r.Suspect[i] = true
	}
	return nil
}

// checked is o with its defaults.
func (o *Options) checked() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	switch {
	case !(c.Gamma >= 0 && c.Gamma < 1):
		return c, fmt.Errorf("clean: gamma %v is not below 1, and above 0 or 0 for a guess: %w", c.Gamma, ot.ErrOption)
	case !(c.FDR >= 0 && c.FDR < 1):
		return c, fmt.Errorf("clean: false discovery rate %v is not below 1, and above 0 or 0 for %v: %w", c.FDR, DefaultFDR, ot.ErrOption)
	case c.Core < 0:
		return c, fmt.Errorf("clean: core of %d rows: %w", c.Core, ot.ErrOption)
	case c.Core == 0 && c.Unscaled:
		c.Core = DefaultUnscaledCore
	case c.Core == 0:
		c.Core = DefaultCore
	}
	if c.FDR == 0 {
		c.FDR = DefaultFDR
	}
	if c.Progress == nil {
		c.Progress = func(int, int) {}
	}
	return c, nil
}

// check refuses what is not a table of finite numbers.
func check(what string, x *ot.Points) error {
	if x == nil || x.Dim <= 0 || len(x.Coords)%x.Dim != 0 {
		return fmt.Errorf("clean: a %s does not have the coordinates that it should: %w", what, ot.ErrShape)
	}
	for k, v := range x.Coords {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("clean: %s %d, column %d: %v is not a finite number: %w", what, k/x.Dim, k%x.Dim, v, ot.ErrValue)
		}
	}
	return nil
}

// lexical orders rows by their first coordinate, then the second, and so on.
// Whatever is done in this order does not depend on the order of the rows.
func lexical(x *ot.Points) []int {
	order := make([]int, x.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(x.Row(i), x.Row(j)) })
	return order
}

// unsort puts values that are in the given order of rows back in their own.
func unsort[T any](sorted []T, order []int) []T {
	out := make([]T, len(sorted))
	for k, i := range order {
		out[i] = sorted[k]
	}
	return out
}
