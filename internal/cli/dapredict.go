package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"rot.example/rot/da"
	"rot.example/rot/internal/text"
	"rot.example/rot/page"
)

type daPredictOptions struct {
	run, source, target string
	out                 string
	ignore              []string // columns of tables
	backend             backendFlags
	json                bool
}

func newDAPredict(std IO) *cobra.Command {
	o := daPredictOptions{out: page.PredictionsFile}
	cmd := &cobra.Command{
		Use:   "predict RUN --target DATA",
		Short: "Classify new data with a trained classifier",
		Long: `predict runs the model that a run picked over data, with or without labels, and
writes a CSV file with the columns id, index (from 0), class (what the sample is
taken for) and probability (how sure the model is of that). A finished run has
such a file for its own target already, with the weights of the samples; those
that look like nothing in the source are called unknown there.

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
	f.StringSliceVar(&o.ignore, "ignore", nil, "of tables: leave these `columns` out, too")
	f.StringVar(&o.out, "out", o.out, "`FILE` to write")
	o.backend.bind(f)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

func runDAPredict(ctx context.Context, std IO, o daPredictOptions) error {
	var out outputs
	defer out.discard()
	if err := out.add("--out", o.out, []string{o.target}); err != nil {
		return err
	}
	m, err := openModel(o.run, o.source, o.target, o.ignore, o.backend)
	if err != nil {
		return err
	}
	e, err := m.Trainer.Evaluate(m.Data.Target, nil, nil)
	if err != nil {
		return err
	}
	if err := out.stage(o.out, func(w io.Writer) error { return da.WritePredictions(w, m.Config.Classes, m.Data.Target, e, nil) }); err != nil {
		return err
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	r := text.NewPredictionsJSON(m, e, o.out)
	if o.json {
		return std.printJSON(r)
	}
	return std.print([]byte(r.Text()))
}

// openModel opens the model of the run in the folder path on another target.
func openModel(path, source, target string, ignore []string, flags backendFlags) (*da.Model, error) {
	run, err := openRun(path, "da")
	if err != nil {
		return nil, err
	}
	return da.OpenModel(run, source, target, ignore, flags.open)
}
