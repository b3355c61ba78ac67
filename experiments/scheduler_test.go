package experiments

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/train"
)

// TestStoppedRun: a run that goes wrong does not keep the others from being
// done, is an error that names it, and is tried again the next time.
func TestStoppedRun(t *testing.T) {
	dir := t.TempDir()
	o := partOptions(t, dir)
	o.PartOf = 0
	var warned []string
	o.Warn = func(err error) { warned = append(warned, err.Error()) }
	e := madeExperiment(filepath.Join(dir, "log"), 0)
	made, failing := e.study, true
	e.study = func(o *Options, part string) (*study, error) {
		st, err := made(o, part)
		for _, i := range []int{2, 5} {
			j := st.batches[i].jobs[0]
			run := j.run
			j.run = func(ctx context.Context, l *lab) (any, string, error) {
				if failing {
					return nil, "", &train.StoppedError{Step: 7, Cause: train.ErrDiverged, Saved: "failure"}
				}
				return run(ctx, l)
			}
		}
		return st, err
	}

	_, err := e.Run(t.Context(), o)
	if !errors.Is(err, train.ErrDiverged) || !strings.Contains(err.Error(), "cell 2: ") || !strings.Contains(err.Error(), "cell 5: ") {
		t.Errorf("error %v, want one that names cells 2 and 5", err)
	}
	if len(warned) != 2 {
		t.Errorf("warnings %q, want one for each of two", warned)
	}
	if _, ended := countLog(t, filepath.Join(dir, "log"), "0"); len(ended) != madeCells-2 {
		t.Errorf("%d runs were done, want all but two of %d", len(ended), madeCells)
	}

	failing = false
	res, err := e.Run(t.Context(), o)
	if err != nil || res.Done != 2 {
		t.Errorf("again: %+v, %v, want the two runs that were left", res, err)
	}
}
