package jobs

import (
	"context"
	"encoding/json"
	"errors"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
)

const boundsTask = "bounds"

func init() {
	engine.Register(boundsTask, func(spec []byte) (engine.Task, error) {
		t := new(boundsSpec)
		return t, json.Unmarshal(spec, t)
	})
}

// A boundsSpec is the second pass of Distance over the rows of one side: what
// both bounds need to know of them.
type boundsSpec struct {
	Rows    *rowReader
	Cells   *cellTree
	Values  *valuesSpec
	SkipBad int64
}

// A boundsSum is what came of blocks.
type boundsSum struct {
	cells  *cellSums
	values *valueSums
	bad    badRows
}

type boundsBytes struct {
	Cells, Values []byte
	Bad           badRows
}

func (b *boundsSum) bytes() ([]byte, error) {
	values, err := b.values.bytes()
	if err != nil {
		return nil, err
	}
	return json.Marshal(&boundsBytes{b.cells.bytes(), values, b.bad})
}

func parseBounds(data []byte) (*boundsSum, error) {
	var b boundsBytes
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, err
	}
	cells, err := parseCells(b.Cells)
	if err != nil {
		return nil, err
	}
	values, err := parseValues(b.Values)
	return &boundsSum{cells, values, b.Bad}, err
}

// Run implements engine.Task.
func (s *boundsSpec) Run(ctx context.Context, element []byte) ([]byte, error) {
	sum := &boundsSum{cells: &cellSums{dim: s.Cells.Dim, cells: map[int]*cellSum{}}, values: s.Values.sums()}
	bad, err := s.Rows.each(ctx, element, s.SkipBad, func(x []float64) {
		sum.cells.add(s.Cells, x)
		sum.values.add(s.Values, x)
	})
	if err != nil {
		return nil, err
	}
	sum.bad = *bad
	return sum.bytes()
}

// Merge implements engine.Task.
func (s *boundsSpec) Merge(a, b []byte) ([]byte, error) {
	x, err := parseBounds(a)
	if err != nil {
		return nil, err
	}
	y, err := parseBounds(b)
	if err != nil {
		return nil, err
	}
	x.cells.merge(y.cells)
	x.bad.merge(&y.bad, s.SkipBad)
	if err := x.values.merge(y.values); err != nil {
		return nil, errors.Join(errors.New("values of other functions"), err)
	}
	return x.bytes()
}

// runRows runs a task over all blocks of all inputs, by a specification each.
func runRows(ctx context.Context, job *engine.Job, inputs []*shards.Input, task string, specs []any) ([][]byte, error) {
	texts, els := make([][]byte, len(inputs)), make([][][]byte, len(inputs))
	for k, in := range inputs {
		var err error
		if texts[k], err = json.Marshal(specs[k]); err != nil {
			return nil, err
		}
		if els[k], err = elements(in.Blocks); err != nil {
			return nil, err
		}
	}
	return job.RunEach(ctx, task, texts, els)
}
