package engine

import (
	"context"
	"encoding/json"
	"errors"
)

const togetherTask = "together"

func init() {
	Register(togetherTask, func(spec []byte) (Task, error) {
		t := new(together)
		return t, json.Unmarshal(spec, t)
	})
}

// together does the same kind of task for several inputs in one pipeline, which
// costs an engine's start only once.
type together struct {
	Name  string
	Specs [][]byte
}

type sided struct {
	Side int
	Data []byte
}

// Run implements Task.
func (t *together) Run(ctx context.Context, element []byte) ([]byte, error) {
	var e sided
	if err := json.Unmarshal(element, &e); err != nil {
		return nil, err
	}
	task, err := taskOf(t.Name, t.Specs[e.Side])
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(t.Specs))
	if out[e.Side], err = task.Run(ctx, e.Data); err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// Merge implements Task.
func (t *together) Merge(a, b []byte) ([]byte, error) {
	var x, y [][]byte
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return nil, err
	}
	for k, spec := range t.Specs {
		var err error
		if x[k], err = (&mergeTask{Name: t.Name, Spec: spec}).MergeAccumulators(x[k], y[k]); err != nil {
			return nil, err
		}
	}
	return json.Marshal(x)
}

// RunEach runs a task, by one specification for each input, over the elements of
// all inputs in one pipeline and returns a summary for each input.
func (j *Job) RunEach(ctx context.Context, name string, specs [][]byte, elements [][][]byte) ([][]byte, error) {
	if len(specs) == 1 {
		out, err := j.Run(ctx, name, specs[0], elements[0])
		return [][]byte{out}, err
	}
	spec, err := json.Marshal(&together{Name: name, Specs: specs})
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for k, part := range elements {
		for _, e := range part {
			text, err := json.Marshal(&sided{k, e})
			if err != nil {
				return nil, err
			}
			all = append(all, text)
		}
	}
	out, err := j.Run(ctx, togetherTask, spec, all)
	if err != nil {
		return nil, err
	}
	sums := make([][]byte, len(specs))
	if len(out) == 0 {
		return sums, nil
	}
	return sums, json.Unmarshal(out, &sums)
}
