package dataset

import (
	"errors"
	"fmt"
	"strconv"

	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
)

// A Problem is a transport problem and the tables that it comes from.
type Problem struct {
	*ot.Problem
	Source, Target *Table  // nil for a cost matrix
	Limit          float64 // no pair costs more; 0: no limit

	Notes []string // of a cost matrix: what one should know about how it was read
}

// ProblemOptions say what goes with the rows of a Problem. The zero value is
// ready to use.
type ProblemOptions struct {
	Metric                       ot.Metric
	Truncate                     float64 // no pair costs more; 0: no limit
	SourceWeights, TargetWeights string  // files that LoadWeights reads; "" leaves the weights as they are
}

// NewProblem returns the problem of moving the rows of one table to those of
// another. opts may be nil. Its errors name the table, row and column at fault.
func NewProblem(source, target *Table, opts *ProblemOptions) (*Problem, error) {
	if opts == nil {
		opts = &ProblemOptions{}
	}
	for _, side := range []struct {
		t    *Table
		path string
	}{{source, opts.SourceWeights}, {target, opts.TargetWeights}} {
		w, err := loadWeightsOf(side.path, side.t.Points.Len(), "row", side.t.Name)
		if err != nil {
			return nil, err
		}
		if w != nil {
			side.t.Points.Weights = w
		}
	}
	if opts.Metric == ot.Cosine {
		for _, t := range []*Table{source, target} {
			if i := t.zeroRow(); i >= 0 {
				return nil, &InputError{File: t.Name, Row: i, Msg: "is all zeros and has no cosine (rows count from 0)"}
			}
		}
	}
	p, err := ot.NewProblem(&source.Points, &target.Points, opts.Metric)
	if err != nil {
		return nil, inTable(err, source, target)
	}
	return &Problem{Problem: p, Source: source, Target: target, Limit: opts.Truncate}, opts.truncate(p)
}

// LoadCosts returns the problem of a matrix of costs, one row for each source
// and one column for each target. opts may be nil; its metric is not used.
func LoadCosts(path string, opts *ProblemOptions) (*Problem, error) {
	if opts == nil {
		opts = &ProblemOptions{}
	}
	m, n, data, notes, err := loadMatrix(path)
	if err != nil {
		return nil, err
	}
	cost, err := ot.NewMatrixCost(m, n, data)
	if err != nil {
		return nil, err
	}
	p := &ot.Problem{Cost: cost}
	if p.A, err = loadWeightsOf(opts.SourceWeights, m, "row", path); err != nil {
		return nil, err
	}
	if p.B, err = loadWeightsOf(opts.TargetWeights, n, "column", path); err != nil {
		return nil, err
	}
	return &Problem{Problem: p, Limit: opts.Truncate, Notes: notes}, opts.truncate(p)
}

// truncate cuts the costs of p where that is asked for.
func (o *ProblemOptions) truncate(p *ot.Problem) (err error) {
	if o.Truncate > 0 {
		p.Cost, err = p.Cost.Truncated(o.Truncate)
	}
	return err
}

// loadWeightsOf reads weights for n things of a file; no path, no weights.
func loadWeightsOf(path string, n int, thing, of string) ([]float64, error) {
	if path == "" {
		return nil, nil
	}
	w, err := LoadWeights(path)
	if err == nil && len(w) != n {
		return nil, fmt.Errorf("%s has %s for the %s of %s", path, words.Plural(len(w), "weight"), words.Plural(n, thing), of)
	}
	return w, err
}

// inTable names the table and the column in an error of package ot about one
// side's rows.
func inTable(err error, source, target *Table) error {
	var bad *ot.SideError
	if !errors.As(err, &bad) {
		return err
	}
	t := source
	if bad.Side == "target" {
		t = target
	}
	place := ""
	if bad.Row >= 0 {
		place += fmt.Sprintf("row %d ", bad.Row)
	}
	if bad.Column >= 0 {
		name := strconv.Itoa(bad.Column + 1)
		if bad.Column < len(t.Columns) {
			name = t.Columns[bad.Column]
		}
		place += fmt.Sprintf("column %s ", name)
	}
	return fmt.Errorf("%s: %s%s: %w (rows count from 0, columns from 1)", t.Name, place, bad.Problem, bad.Err)
}

// zeroRow returns the first row without a direction; −1 for none.
func (t *Table) zeroRow() int {
rows:
	for i := range t.Points.Len() {
		for _, v := range t.Points.Row(i) {
			if v != 0 {
				continue rows
			}
		}
		return i
	}
	return -1
}
