package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/beam/jobs"
	"rot.example/rot/beam/shards"
	"rot.example/rot/beam/store"
	"rot.example/rot/clean"
	"rot.example/rot/table"
)

// bindTable adds the flags that say how columns become numbers.
func bindTable(fs *pflag.FlagSet, o *jobs.TableOptions, missing table.Missing) {
	fs.StringSliceVar(&o.Columns, "columns", nil, "use these `columns` only, as in a,b,c*")
	fs.StringSliceVar(&o.Ignore, "ignore", nil, "leave these `columns` out")
	fs.StringVar(&o.ID, "id-column", "", "`column` that names the rows")
	fs.StringVar(&o.Label, "label-column", "", "`column` of labels, which are never coordinates")
	fs.StringVar((*string)(&o.Missing), "missing", string(missing), "missing cells: error, drop, median or indicator")
	fs.StringVar((*string)(&o.Scale), "scale", "", "unit of the numbers: none (as they are), std (deviation), robust (quartiles)")
	fs.BoolVar(&o.Clock, "clock", false, "times give their weekday and hour, too")
}

// checkTable checks words that have few values.
func checkTable(o *jobs.TableOptions) error {
	switch o.Missing {
	case table.MissingError, table.MissingDrop, table.MissingMedian, table.MissingIndicator:
	default:
		return fmt.Errorf("--missing %s: want error, drop, median or indicator: %w", o.Missing, errUsage)
	}
	switch o.Scale {
	case "", table.ScaleNone, table.ScaleStd, table.ScaleRobust:
	default:
		return fmt.Errorf("--scale %s: want none, std or robust: %w", o.Scale, errUsage)
	}
	return nil
}

// bindBad adds the flags that say what becomes of rows that cannot be read.
func bindBad(fs *pflag.FlagSet, o *jobs.BadOptions) {
	fs.Int64Var(&o.Skip, "skip-bad", 0, "bad rows to leave out at most, instead of giving up")
	fs.StringVar(&o.File, "bad", "", "`file` for the rows that --skip-bad leaves out, a table")
}

// checkBad checks that rows left out go somewhere: to a file, or to a folder.
func checkBad(o *jobs.BadOptions, folder bool) error {
	switch {
	case o.Skip < 0:
		return fmt.Errorf("--skip-bad %d: want 0 or more: %w", o.Skip, errUsage)
	case o.Skip > 0 && o.File == "" && !folder:
		return fmt.Errorf("--skip-bad needs --bad FILE for the rows that are left out: %w", errUsage)
	case o.Skip == 0 && o.File != "":
		return fmt.Errorf("--bad needs --skip-bad N: %w", errUsage)
	}
	return nil
}

// skipped tells how many rows were left out; nothing where none was.
func skipped(n int64, where string) string {
	if n == 0 {
		return ""
	}
	if n == 1 {
		return fmt.Sprintf("One bad row skipped: see %s.\n", where)
	}
	return fmt.Sprintf("%d bad rows skipped: see %s.\n", n, where)
}

func newFit(c *common) *cobra.Command {
	var o jobs.FitOptions
	cmd := &cobra.Command{
		Use:   "fit SHARDS... --model FILE",
		Short: "Make a model of good rows, to score others by",
		Long: `fit makes a model of the rows of SHARDS as rot clean fit does of a table, and
writes the same file. Of more than --sample rows it draws some, by a hash of the
seed and the row's number; units, medians and categories are those of all rows.`,
		Example: "  rot-beam clean fit 'good/*.parquet' --model good.model",
		Args:    arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Model == "" {
				return fmt.Errorf("fit needs --model FILE: %w", errUsage)
			}
			if err := checkTable(&o.Table); err != nil {
				return err
			}
			if err := checkBad(&o.Bad, false); err != nil {
				return err
			}
			job, done, err := c.job()
			if err != nil {
				return err
			}
			defer done()
			o.Shards = shards.Options{Block: c.block, Header: c.tableHeader()}
			start := time.Now()
			r, err := jobs.Fit(cmd.Context(), job, args, &o)
			if err != nil {
				return err
			}
			return c.print(r, fmt.Sprintf("A model of %d rows in %d files, %d of them drawn, %d columns, fitted in %.1f s. Wrote %s.\n", r.Rows, r.Shards, r.Drawn, r.Dim, time.Since(start).Seconds(), r.Model)+skipped(r.Bad, o.Bad.File))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&o.Model, "model", "", "`file` for the model")
	fs.IntVar(&o.Core, "core", 0, fmt.Sprintf("rows of 1000 that a point of comparison is the mean of (default %d)", clean.DefaultCore))
	fs.IntVar(&o.Sample, "sample", jobs.DefaultSample, "rows to draw at most")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the random choices")
	bindBad(fs, &o.Bad)
	bindTable(fs, &o.Table, table.MissingIndicator)
	return cmd
}

func newScore(c *common) *cobra.Command {
	var o jobs.ScoreOptions
	cmd := &cobra.Command{
		Use:   "score SHARDS... --model FILE --out FOLDER",
		Short: "Score rows by a model",
		Long: `score gives every row of SHARDS a score and a p-value by a model of clean fit, of
rot or of rot-beam, and fills a folder:

  scores/part-….csv     row,id,score,p, a file for each block, in their order
  suspects/part-….txt   ids of the rows that stand out at a false discovery rate
                        of --fdr among all rows
  bad/part-….csv        rows that --skip-bad has left out
  report.html           the rows that stand out most and why
  manifest.json         all files with their sizes, rows and checksums; it is
                        written last, and a folder without it is unfinished

The same command goes on in the folder of a run that was killed.`,
		Example: "  rot-beam clean score 'today/*.csv' --model good.model --out scored",
		Args:    arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.Model == "":
				return fmt.Errorf("score needs --model FILE: %w", errUsage)
			case o.Out == "":
				return fmt.Errorf("score needs --out FOLDER: %w", errUsage)
			case o.FDR < 0 || o.FDR >= 1:
				return fmt.Errorf("--fdr %g: want a number from 0 to 1: %w", o.FDR, errUsage)
			case o.SkipBad < 0:
				return fmt.Errorf("--skip-bad %d: want 0 or more: %w", o.SkipBad, errUsage)
			}
			job, done, err := c.job()
			if err != nil {
				return err
			}
			defer done()
			o.Shards = shards.Options{Block: c.block, Header: c.tableHeader()}
			start := time.Now()
			r, err := jobs.Score(cmd.Context(), job, args, &o)
			if err != nil {
				return err
			}
			seconds := time.Since(start).Seconds()
			text := fmt.Sprintf("%d rows of %d files scored in %.1f s. Suspects: %d at a false discovery rate of %g.\n", r.Rows, len(r.Shards), seconds, r.Suspects, r.FDR)
			text += skipped(r.Bad, store.Join(o.Out, "bad"))
			return c.print(map[string]any{"n": r.Rows, "suspects": r.Suspects, "fdr": r.FDR, "p": r.P, "bad": r.Bad, "out": o.Out, "seconds": seconds, "rows_per_second": float64(r.Rows) / seconds}, text+"Wrote "+o.Out+".\n")
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&o.Model, "model", "", "`file` of clean fit")
	fs.StringVar(&o.Out, "out", "", "`folder` for the results")
	fs.StringVar(&o.ID, "id-column", "", "`column` that names the rows")
	fs.Float64Var(&o.FDR, "fdr", clean.DefaultFDR, "part of the suspects that may be good rows")
	fs.Int64Var(&o.SkipBad, "skip-bad", 0, "bad rows to leave out at most, instead of giving up")
	return cmd
}
