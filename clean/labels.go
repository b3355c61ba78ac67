package clean

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"rot.example/rot/ot"
)

const (
	labelRounds = 40  // times that the rows are dealt out to two sides
	labelRows   = 400 // of a side
	// labelSure is the part of the votes for the own label and another one that
	// the other must have. It was chosen on noised labels of the three sets of
	// docs/benchmarks.md and of iris; 0.65 and 0.75 do about as well.
	labelSure = 0.7
	// labelForests is how many classes there may be for each to have a forest.
	labelForests = 30
	// labelMass is the part of the rows that is paired off: the two sides do not
	// have as many of each class, and nobody should have to cross over.
	labelMass = 0.9
	// labelTold is how much more often than by chance partners must have the
	// same label, as a part of the way to always (Cohen's kappa): below it the
	// rows do not tell their labels, and none of them can be called wrong.
	labelTold = 0.1
)

// A LabelResult says which labels do not fit their rows.
type LabelResult struct {
	Classes []string // the labels that there are, in order

	// Score is how much more another label fits than the own, from −1 to 1: the
	// difference of the parts of a row's votes that they have.
	Score     []float64
	Suggested []int // the place in Classes of the label that fits best
	Suspect   []bool
}

// Labels looks for rows with a wrong label. The rows are dealt out to two sides
// many times, and transport pairs the sides off without a look at the labels:
// the labels of its partners are votes for a row's own. For up to 30 classes a
// forest for each, which tells its rows from all others and judges those that it
// was grown without, has as many votes. A row is a suspect when another label has
// more than twice the votes of its own. Labels returns an error that wraps
// ot.ErrShape where the labels do not fit the rows or are all the same; its other
// errors are those of Find.
func Labels(ctx context.Context, x *ot.Points, labels []string, opts *Options) (*LabelResult, error) {
	o, err := opts.checked()
	if err != nil {
		return nil, err
	}
	if err := check("row", x); err != nil {
		return nil, err
	}
	n := x.Len()
	r := &LabelResult{Classes: slices.Compact(slices.Sorted(slices.Values(labels))), Score: make([]float64, n), Suggested: make([]int, n), Suspect: make([]bool, n)}
	switch {
	case len(labels) != n:
		return nil, fmt.Errorf("clean: %d labels for %d rows: %w", len(labels), n, ot.ErrShape)
	case n < MinRows:
		return nil, fmt.Errorf("clean: %d rows are too few, want %d or more: %w", n, MinRows, ot.ErrShape)
	case len(r.Classes) < 2:
		return nil, fmt.Errorf("clean: all rows have the label %q: %w", r.Classes[0], ot.ErrShape)
	}
	class := make([]int, n)
	for i, l := range labels {
		class[i], _ = slices.BinarySearch(r.Classes, l)
	}
	order := lexical(x)
	rows := newScaler(x, order, o.Unscaled, o.Groups).apply(x, order)
	votes, err := partners(ctx, rows, order, class, len(r.Classes), o)
	if err != nil {
		return nil, err
	}
	if len(r.Classes) <= labelForests {
		trees, err := forestVotes(ctx, rows, order, class, len(r.Classes), o)
		if err != nil {
			return nil, err
		}
		for k, v := range trees {
			votes[k] = (votes[k] + v) / 2
		}
	}
	r.judge(votes, class)
	return r, nil
}

// judge turns votes, a row of one number for each class, into suspects.
func (r *LabelResult) judge(votes []float64, class []int) {
	k := len(r.Classes)
	count := make([]float64, k)
	n := float64(len(class))
	var agree, chance float64
	for i, c := range class {
		agree += votes[i*k+c] / n
		count[c]++
	}
	for _, c := range count {
		chance += c / n * c / n
	}
	told := agree-chance >= labelTold*(1-chance)
	for i, own := range class {
		v := votes[i*k : (i+1)*k]
		best, other := own, -1
		for c := range v {
			if v[c] > v[best] {
				best = c
			}
			if c != own && (other < 0 || v[c] > v[other]) {
				other = c
			}
		}
		r.Suggested[i] = best
		r.Score[i] = min(max(v[other]-v[own], -1), 1)
		r.Suspect[i] = told && best != own && v[best] >= labelSure*(v[best]+v[own])
	}
}

// partners are the labels that transport pairs each row with, as parts of all
// that it is paired with.
func partners(ctx context.Context, x *rows, order, class []int, classes int, o Options) ([]float64, error) {
	n := x.n
	type vote struct {
		row, class int
		mass       float64
	}
	blocks := max(1, n/(2*labelRows))
	cast := make([][]vote, labelRounds*blocks) // summed in order, so that nothing depends on timing
	errs := make([]error, len(cast))
	for round := range labelRounds {
		perm := rand.New(rand.NewPCG(o.Seed, uint64(round)|1<<46)).Perm(n)
		err := eachPart(ctx, blocks, 1, func(b, _ int) {
			block := perm[b*n/blocks : (b+1)*n/blocks]
			left, right := block[:len(block)/2], block[len(block)/2:]
			plan, err := pairOff(ctx, x.pick(left), x.pick(right))
			if err != nil {
				errs[round*blocks+b] = err
				return
			}
			var own []vote
			for e, mass := range plan.Mass {
				i, j := order[left[plan.I[e]]], order[right[plan.J[e]]]
				own = append(own, vote{i, class[j], mass * float64(len(left))}, vote{j, class[i], mass * float64(len(right))})
			}
			cast[round*blocks+b] = own
		})
		if err = errors.Join(err, errors.Join(errs...)); err != nil {
			return nil, err
		}
		o.Progress(round+1, labelRounds)
	}
	votes := make([]float64, n*classes)
	for _, own := range cast {
		for _, v := range own {
			votes[v.row*classes+v.class] += v.mass
		}
	}
	shares(votes, classes)
	return votes, nil
}

// shares divides the votes of each row by their sum. A row without any says
// nothing.
func shares(votes []float64, classes int) {
	for lo := 0; lo < len(votes); lo += classes {
		own := votes[lo : lo+classes]
		var sum float64
		for _, v := range own {
			sum += v
		}
		for c := range own {
			own[c] /= max(sum, 1e-9)
		}
	}
}

// forestVotes are how surely forests, one for each class, take each row for one
// of theirs.
func forestVotes(ctx context.Context, x *rows, order, class []int, classes int, o Options) ([]float64, error) {
	votes := make([]float64, x.n*classes)
	for c := range classes {
		var in, out []int
		for a, i := range order {
			if class[i] == c {
				in = append(in, a)
			} else {
				out = append(out, a)
			}
		}
		theirs, others, err := forestScores(ctx, x.pick(in), x.pick(out), o.Seed+uint64(c))
		if err != nil {
			return nil, err
		}
		for k, a := range in {
			votes[order[a]*classes+c] = theirs[k]
		}
		for k, a := range out {
			votes[order[a]*classes+c] = others[k]
		}
	}
	shares(votes, classes)
	return votes, nil
}

// pairOff is the plan of transport between two sets of rows. Rows without
// columns are all the same.
func pairOff(ctx context.Context, a, b *rows) (*ot.Plan, error) {
	if a.d == 0 {
		return &ot.Plan{}, nil
	}
	p, err := ot.NewProblem(&ot.Points{Dim: a.d, Coords: a.v}, &ot.Points{Dim: b.d, Coords: b.v}, ot.Euclidean)
	if err != nil {
		return nil, err
	}
	r, err := ot.Partial(ctx, p, &ot.PartialOptions{Mass: labelMass})
	var short *ot.ConvergenceError
	if err != nil && !(r != nil && errors.As(err, &short)) {
		return nil, err
	}
	return r.Plan, nil
}
