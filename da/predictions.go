package da

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"rot.example/rot/engine"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// WritePredictions writes what the samples of d are taken for as CSV: id, index,
// class and probability, which is how sure the model is. Where the samples have
// weights, which may be nil, there are also their weight and whether it calls
// them unknown (UnknownWeight).
func WritePredictions(w io.Writer, classes []string, d *train.Data, e *Evaluation, weights []float64) error {
	lines := csv.NewWriter(w)
	row := []string{"id", "index", "class", "probability"}
	if weights != nil {
		row = append(row, "weight", "unknown")
	}
	lines.Write(row) // An error stays until the end.
	for i, k := range e.Predict {
		row[1], row[2], row[3] = strconv.Itoa(i), classes[k], strconv.FormatFloat(e.Sure[i], 'g', 6, 64)
		if weights != nil {
			row[4], row[5] = strconv.FormatFloat(weights[i], 'g', 6, 64), strconv.FormatBool(weights[i] < UnknownWeight)
		}
		if row[0] = row[1]; d.IDs != nil {
			row[0] = d.IDs[i]
		}
		lines.Write(row)
	}
	lines.Flush()
	return lines.Error()
}

// A Model is the model that a run picked, with data to run it on.
type Model struct {
	Config  Config
	Data    *Domains // the target is that data
	Trainer *Trainer
}

// OpenModel opens the model that a run picked on another target. The source is
// where it was for the run, or at source where that is not "". ignore are
// columns of tables to leave out, besides those of the run. Open makes the
// backend that the configuration names.
func OpenModel(run *runs.Run, source, target string, ignore []string, open func(backend string) (*engine.Backend, error)) (*Model, error) {
	m := &Model{}
	c := &m.Config
	if err := run.Config(c); err != nil {
		return nil, err
	}
	// The model needs nothing of the old target, only data of its kind.
	c.FileOrder = c.Encoding == nil
	c.Target, c.Outliers, c.DataHash = target, "", ""
	c.Ignore = append(c.Ignore, ignore...)
	if source != "" {
		c.Source = source
	}
	classes, size := c.Classes, c.Size
	var err error
	if m.Data, _, err = Load(c); err != nil {
		return nil, err
	}
	if len(classes) != len(c.Classes) || size != c.Size {
		return nil, fmt.Errorf("da: %s: is not the source that the run learned from", c.Source)
	}
	b, err := open(c.Backend)
	if err != nil {
		return nil, err
	}
	m.Trainer, err = NewModel(*c, m.Data, b, run)
	return m, err
}
