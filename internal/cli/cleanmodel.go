package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"rot.example/rot/clean"
	"rot.example/rot/dataset"
	"rot.example/rot/internal/openfile"
	"rot.example/rot/internal/text"
	"rot.example/rot/ot"
	tab "rot.example/rot/table"
)

func newCleanFit(std IO) *cobra.Command {
	var model string
	var tables tableFlags
	var core int
	var seed uint64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "fit DATA --model FILE",
		Short: "Make a model of good rows, to score others by",
		Long: `fit learns from DATA, a table that may hold some outliers, what rows are
compared with, and writes it to a file: a safetensors file that holds points of
comparison, the scores of rows that were held back, and the names of the columns
(its layout is in the documentation of package clean). rot clean score reads it.`,
		Example: `  rot clean fit good.csv --model good.model
  rot clean score today.csv --model good.model --out scores.csv`,
		Args: exactArgs("DATA"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if model == "" || model == "-" {
				return usagef("fit needs --model FILE")
			}
			if err := tables.read(cmd.Flags().Changed); err != nil {
				return err
			}
			return runCleanFit(cmd.Context(), std, args[0], model, &tables, core, seed, asJSON)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&model, "model", "", "`file` for the model")
	fs.Var(countFlag{&core}, "core", fmt.Sprintf("rows of 1000 that a point of comparison is the mean of (default %d)", clean.DefaultCore))
	tables.bind(fs, tab.MissingIndicator)
	fs.Uint64Var(&seed, "seed", 0, "seed of the random choices")
	fs.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func runCleanFit(ctx context.Context, std IO, data, model string, tables *tableFlags, core int, seed uint64, asJSON bool) error {
	var out outputs
	defer out.discard()
	if err := out.add("--model", model, dataset.SpecFiles(data)); err != nil {
		return err
	}
	if err := tables.addOutput(&out, dataset.SpecFiles(data)); err != nil {
		return err
	}
	if dataset.IsImages(data) {
		return fmt.Errorf("%s is images, and fit takes a table", data)
	}
	start := time.Now()
	t, m, err := fitModel(ctx, std, data, tables.options(std), &clean.Options{Core: core, Seed: seed})
	if err != nil {
		return err
	}
	sayNotes(std, t)
	if err := tables.stage(&out, t.Encoding); err != nil {
		return err
	}
	if err := out.stage(model, func(w io.Writer) error { return m.WriteTable(w, t.Encoding) }); err != nil {
		return err
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	if asJSON {
		return std.printJSON(map[string]any{"n": t.Points.Len(), "dim": t.Points.Dim, "model": model, "seconds": time.Since(start).Seconds(), "seed": seed})
	}
	return std.print([]byte(fmt.Sprintf("%s: a model of %s of %s, fitted in %s. Wrote %s.\n", data, plural(t.Points.Len(), "row"), text.Columns(t.Points.Dim, t.Encoding), seconds(time.Since(start).Seconds()), model)))
}

// fitModel reads a table and makes a model of it.
func fitModel(ctx context.Context, std IO, data string, read *dataset.Options, opts *clean.Options) (*dataset.Table, *clean.Model, error) {
	p := startProgress(std)
	defer p.stop()
	p.stage(reading(data))
	t, err := await(ctx, func() (*dataset.Table, error) { return dataset.Load(data, read) })
	if err != nil {
		return nil, nil, err
	}
	p.stage("fitting")
	opts.Groups = clean.Groups(t.Encoding)
	opts.Progress = func(done, total int) { p.report(ot.Progress{Done: float64(done) / float64(total)}) }
	m, err := clean.Fit(ctx, &t.Points, opts)
	if errors.Is(err, ot.ErrShape) {
		return nil, nil, fmt.Errorf("%s: %s", data, plainText(err))
	}
	return t, m, err
}

// readModel reads a model file, and how its columns become numbers.
func readModel(path string) (*clean.Model, *tab.Encoding, error) {
	f, _, err := openfile.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("--model %s: %w", path, errors.Unwrap(err))
	}
	defer f.Close()
	m, e, err := clean.ReadTableModel(f)
	if err != nil {
		return nil, nil, fmt.Errorf("--model %s: %s", path, plainText(err))
	}
	return m, e, nil
}
