package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rot.example/rot/da"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// predictionsFile is what a finished run takes its target samples for.
const predictionsFile = "predictions.csv"

type daPredictOptions struct {
	run, source, target string
	out                 string
	backend             backendFlags
	json                bool
}

func newDAPredict(std IO) *cobra.Command {
	o := daPredictOptions{out: predictionsFile}
	cmd := &cobra.Command{
		Use:   "predict RUN --target DATA",
		Short: "Classify new data with a trained classifier",
		Long: `predict runs the model that a run picked over data, with or without labels, and
writes a CSV file with the columns id, index (from 0), class (what the sample is
taken for) and probability (how sure the model is of that). A finished run has
such a file for its own target already.

Rows of numbers are brought to the units of the run's target, so they are
classified one by one, whatever else is in DATA.

With --json: n, classes, counts (predictions of each class), out and step.`,
		Example: `  rot da predict runs/da-20261115-061203 --target new.csv
  rot da predict runs/da-20261115-061203 --target photos/ --out photos.csv`,
		Args: exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			if o.target == "" {
				return usagef("predict needs --target DATA")
			}
			return runDAPredict(cmd.Context(), std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "target", "", "`DATA` to classify")
	f.StringVar(&o.source, "source", "", "where the source `DATA` are now (default: where they were)")
	f.StringVar(&o.out, "out", o.out, "`FILE` to write")
	o.backend.bind(f)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

type daPredictJSON struct {
	N       int      `json:"n"`
	Classes []string `json:"classes"`
	Counts  []int    `json:"counts"`
	Out     string   `json:"out"`
	Step    int      `json:"step"`
}

func runDAPredict(ctx context.Context, std IO, o daPredictOptions) error {
	var out outputs
	defer out.discard()
	if err := out.add("--out", o.out, []string{o.target}); err != nil {
		return err
	}
	m, err := openModel(o.run, o.source, o.target, o.backend)
	if err != nil {
		return err
	}
	e, err := m.trainer.Evaluate(m.data.Target, nil, nil)
	if err != nil {
		return err
	}
	if err := out.stage(o.out, func(w io.Writer) error { return writePredictions(w, m.config.Classes, m.data.Target, e) }); err != nil {
		return err
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	r := &daPredictJSON{
		N: m.data.Target.N, Classes: m.config.Classes, Counts: make([]int, len(m.config.Classes)),
		Out: o.out, Step: m.trainer.Result().SelectedAt,
	}
	for _, k := range e.Predict {
		r.Counts[k]++
	}
	if o.json {
		return std.printJSON(r)
	}
	return std.print([]byte(r.text()))
}

func (r *daPredictJSON) text() string {
	var s strings.Builder
	t := table{head: []string{"class", "samples"}, left: []bool{true, false}}
	for k, name := range r.Classes {
		t.add(fit(name, 40), count(r.Counts[k]))
	}
	t.writeTo(&s)
	fmt.Fprintf(&s, "\npredictions of %s by the model of step %s: %s\n", plural(r.N, "sample"), count(r.Step), r.Out)
	return s.String()
}

// A daModel is the model that a run picked, and data to run it on.
type daModel struct {
	config  da.Config
	data    *da.Domains // the target is that data
	trainer *da.Trainer
}

// openModel opens the model of a run on another target.
func openModel(path, source, target string, flags backendFlags) (*daModel, error) {
	run, err := runs.Open(path)
	if err != nil {
		return nil, err
	}
	m := &daModel{}
	c := &m.config
	if err := run.Config(c); err != nil {
		return nil, err
	}
	// The model needs nothing of the old target, only data of its kind.
	c.Target, c.Outliers, c.DataHash = target, "", ""
	if source != "" {
		c.Source = source
	}
	classes, size := c.Classes, c.Size
	if m.data, _, err = da.Load(c); err != nil {
		return nil, err
	}
	if len(classes) != len(c.Classes) || size != c.Size {
		return nil, fmt.Errorf("%s: is not the source that the run learned from", c.Source)
	}
	b, err := flags.open(c.Backend)
	if err != nil {
		return nil, err
	}
	m.trainer, err = da.NewModel(*c, m.data, b, run)
	return m, err
}

// writePredictions writes what samples are taken for, and how surely.
func writePredictions(w io.Writer, classes []string, d *train.Data, e *da.Evaluation) error {
	lines := csv.NewWriter(w)
	row := []string{"id", "index", "class", "probability"}
	lines.Write(row) // An error stays until the end.
	for i, k := range e.Predict {
		row[1], row[2], row[3] = strconv.Itoa(i), classes[k], strconv.FormatFloat(e.Sure[i], 'g', 6, 64)
		if row[0] = row[1]; d.IDs != nil {
			row[0] = d.IDs[i]
		}
		lines.Write(row)
	}
	lines.Flush()
	return lines.Error()
}

// writePredictions writes those of the run's own target.
func (g *daRun) writePredictions(e *da.Evaluation) error {
	return runs.WriteFile(filepath.Join(g.run.Path(), predictionsFile), func(w io.Writer) error {
		return writePredictions(w, g.config.Classes, g.data.Target, e)
	})
}
