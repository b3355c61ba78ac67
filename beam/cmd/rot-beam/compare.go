package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rot.example/rot/beam/jobs"
	"rot.example/rot/beam/shards"
	"rot.example/rot/beam/store"
	"rot.example/rot/chisq"
	"rot.example/rot/clean"
	"rot.example/rot/drift"
	"rot.example/rot/table"
)

// patterns splits an argument that names several.
func patterns(arg string) []string { return strings.Split(arg, ",") }

func newDist(c *common) *cobra.Command {
	var o jobs.DistOptions
	var gamma, rho float64
	cmd := &cobra.Command{
		Use:   "dist SOURCE TARGET",
		Short: "Bounds of the distance between all rows of two tables, outliers ignored",
		Long: `dist bounds the transport distance between all rows of SOURCE and TARGET, each a
pattern or several with commas between them, at Euclidean cost: what rot dist
would find for all of them lies between the two numbers. --gamma, a part of the
rows of SOURCE that may be garbage, or --rho make it the robust distance.

The rows are read twice: to draw some, and to sort all into --cores cells of each
side (an upper bound, by a plan between these cells) and to sum a function whose
values at two points differ by no more than their distance (a lower bound). Both
hold whatever was drawn; more cores bring them closer together and take longer.
Lines of text are counted before.`,
		Example: "  rot-beam dist 'today/*.parquet' 'reference/*.parquet' --gamma 0.01",
		Args:    arguments(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case gamma != 0 && rho != 0:
				return fmt.Errorf("--gamma and --rho say the same; give one: %w", errUsage)
			case rho < 0:
				return fmt.Errorf("--rho %g: want 0 or more: %w", rho, errUsage)
			case o.Cores < 2:
				return fmt.Errorf("--cores %d: want 2 or more: %w", o.Cores, errUsage)
			}
			if err := checkTable(&o.Table); err != nil {
				return err
			}
			if err := checkBad(&o.Bad, false); err != nil {
				return err
			}
			o.Ball = chisq.Ball{Rho: rho}
			if gamma != 0 {
				b, err := chisq.FromGamma(gamma)
				if err != nil {
					return fmt.Errorf("--gamma %g: want a number from 0 to 1: %w", gamma, errUsage)
				}
				o.Ball = b
			}
			job, done, err := c.job()
			if err != nil {
				return err
			}
			defer done()
			o.Shards = shards.Options{Block: c.block, Header: c.tableHeader()}
			start := time.Now()
			r, err := jobs.Distance(cmd.Context(), job, patterns(args[0]), patterns(args[1]), &o)
			if err != nil {
				return err
			}
			return c.print(r, fmt.Sprintf("The distance lies between %.6g and %.6g (rho %.4g; %d and %d rows, %d columns, %d cores, %.1f s).\n", r.Lower, r.Upper, r.Rho, r.N, r.M, r.Dim, r.Cores, time.Since(start).Seconds())+skipped(r.Bad, o.Bad.File))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.Float64Var(&gamma, "gamma", 0, "part of SOURCE that may be garbage")
	fs.Float64Var(&rho, "rho", 0, "radius of the ball of weights, instead of --gamma")
	fs.IntVar(&o.Cores, "cores", jobs.DefaultCores, "cells of each side, or about")
	fs.IntVar(&o.Sample, "sample", jobs.DefaultSample, "rows of each side to draw at most, which the cells are made from")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the random choices")
	bindBad(fs, &o.Bad)
	bindTable(fs, &o.Table, table.MissingError)
	return cmd
}

func newDrift(c *common) *cobra.Command {
	var o jobs.DriftOptions
	var alarm float64
	cmd := &cobra.Command{
		Use:   "drift REF NEW",
		Short: "Has my data moved, or is it only dirty?",
		Long: `drift compares NEW with REF, each a pattern or several with commas between them,
as rot drift does: the verdict, the effect and the rows that do not belong come
from --sample rows of each, drawn by a hash of the seed and the row's number.
Columns are compared over all rows; their p-values are upper bounds, because
ranks are known up to a cell.

--out is a folder for report.html (the samples), columns.html (all rows), bad.csv
(rows that --skip-bad has left out) and manifest.json. --alarm P makes the exit
code 4 when the bulk has moved with a p-value of at most P.`,
		Example: "  rot-beam drift 'january/*.csv' 'february/*.csv' --out drift",
		Args:    arguments(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkTable(&o.Table); err != nil {
				return err
			}
			if err := checkBad(&o.Bad, o.Out != ""); err != nil {
				return err
			}
			if o.Permutations != 0 && o.Permutations < 19 {
				return fmt.Errorf("--permutations %d: want 19 or more: %w", o.Permutations, errUsage)
			}
			job, done, err := c.job()
			if err != nil {
				return err
			}
			defer done()
			o.Shards = shards.Options{Block: c.block, Header: c.tableHeader()}
			start := time.Now()
			r, err := jobs.Drift(cmd.Context(), job, patterns(args[0]), patterns(args[1]), &o)
			if err != nil {
				return err
			}
			var b strings.Builder
			fmt.Fprintf(&b, "Verdict: %s (p_moved %.3g, p_dirty %.3g, effect %.3g), by %d and %d of %d and %d rows, in %.1f s.\n", r.Verdict, r.PMoved, r.PDirty, r.Effect, r.Drawn[0], r.Drawn[1], r.N, r.M, time.Since(start).Seconds())
			if len(r.Suspects) > 0 {
				fmt.Fprintf(&b, "Rows drawn that do not belong: %d, such as %s.\n", len(r.Suspects), strings.Join(r.Suspects[:min(3, len(r.Suspects))], ", "))
			}
			for _, col := range r.Columns[:min(10, len(r.Columns))] {
				fmt.Fprintf(&b, "  %-20s p ≤ %.2g  difference %.4f  shift %+.3f\n", col.Name, col.Adjusted, col.Low, col.Shift)
			}
			where := o.Bad.File
			if where == "" {
				where = store.Join(o.Out, "bad.csv")
			}
			b.WriteString(skipped(r.Bad, where))
			if err := c.print(r, b.String()); err != nil {
				return err
			}
			if alarm > 0 && r.PMoved <= alarm {
				return errAlarm
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.Float64Var(&alarm, "alarm", 0, "exit code 4 when the bulk has moved with a p-value of at most this")
	fs.Float64Var(&o.FDR, "fdr", clean.DefaultFDR, "part of the suspects that may be good rows")
	fs.IntVar(&o.Sample, "sample", jobs.DefaultDriftSample, "rows of each side to draw at most")
	fs.IntVar(&o.Rows, "rows", drift.DefaultRows, "rows of each sample in the test, at most")
	fs.IntVar(&o.Permutations, "permutations", drift.DefaultPermutations, "times that the rows are dealt out anew")
	fs.StringVar(&o.Out, "out", "", "`folder` for the pages")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the random choices")
	bindBad(fs, &o.Bad)
	bindTable(fs, &o.Table, table.MissingIndicator)
	return cmd
}
