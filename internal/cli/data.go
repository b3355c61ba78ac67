package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rot/dataset"
)

func newData(std IO) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		Short:   "Look at data sets",
		Long:    "data works on data sets themselves; info says what one is.",
		Example: "  rot data info today.csv",
		Args:    subcommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newDataInfo(std))
	return cmd
}

type dataInfoOptions struct {
	spec                  string
	idColumn, labelColumn string
	json                  bool
}

func newDataInfo(std IO) *cobra.Command {
	var o dataInfoOptions
	cmd := &cobra.Command{
		Use:   "info DATA",
		Short: "What a data set is: rows, columns, labels",
		Long: `info reads a data set as the other commands do and says what it found: the
format, the number of rows, the range of each column, duplicates, constant
columns and labels. It is the quickest way to see whether a file is read as it
is meant.

DATA is one of

  rows.csv  rows.tsv  rows.csv.gz      text, one row a line
  x.npy  x.npy.gz                      a NumPy array, one row per first index
  x.npz  x.npz:NAME                    one array of a NumPy archive
  rows.parquet                         flat columns of numbers
  train-images-idx3-ubyte  x.idx.gz    IDX, one image a row
  IMAGES,LABELS                        IDX with its labels
  -                                    CSV on standard input

or a set that is made on the spot; these are all of them, with their defaults:

  ` + strings.Join(dataset.SynthSpecs(), "\n  "),
		Example: `  rot data info today.csv --label-column outlier
  rot data info features.npz:train --json
  rot data info synth:moons,n=500,noise=0.05`,
		Args: exactArgs("DATA"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.spec = args[0]
			return runDataInfo(cmd.Context(), std, o)
		},
	}
	cmd.Flags().SortFlags = false
	bindColumns(cmd.Flags(), &o.idColumn, &o.labelColumn)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

func runDataInfo(ctx context.Context, std IO, o dataInfoOptions) error {
	p := startProgress(std)
	p.stage(reading(o.spec))
	info, err := await(ctx, func() (*dataset.Info, error) {
		t, err := dataset.Load(o.spec, &dataset.Options{IDColumn: o.idColumn, LabelColumn: o.labelColumn, Stdin: std.In})
		if err != nil {
			return nil, err
		}
		return t.Info(), nil
	})
	p.stop()
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(info)
	}
	return std.print([]byte(infoReport(info)))
}

// infoReport is info in words.
func infoReport(info *dataset.Info) string {
	const most = 20 // lines of a list
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of %s (%s), %s in memory\n\n", info.Name, plural(info.Rows, "row"), plural(info.Dim, "number"), info.Format, bytesText(info.Bytes))
	t := table{head: []string{"column", "min", "mean", "max", "std", ""}, left: []bool{false, false, false, false, false, true}}
	for _, c := range info.Columns[:min(len(info.Columns), most)] {
		t.add(fmt.Sprint(c.Index), digits(c.Min, 4), digits(c.Mean, 4), digits(c.Max, 4), digits(c.Std, 4), c.Name)
	}
	t.writeTo(&b)
	if more := info.Dim - len(t.rows); more > 0 {
		fmt.Fprintf(&b, "  and %s\n", plural(more, "more column"))
	}
	b.WriteByte('\n')
	if info.HasIDs {
		b.WriteString("The rows have names.\n")
	}
	if info.Duplicates > 0 {
		fmt.Fprintf(&b, "Rows equal to an earlier row: %s.\n", count(info.Duplicates))
	}
	if n := len(info.Constant); n > 0 {
		fmt.Fprintf(&b, "Columns with one value only: %s.\n", list(info.Constant, most))
	}
	if info.Labels == nil {
		b.WriteString("There are no labels.\n")
		return b.String()
	}
	var labels []string
	for _, l := range info.Labels {
		labels = append(labels, fmt.Sprintf("%s (%s)", fit(l.Label, 40), count(l.Count)))
	}
	fmt.Fprintf(&b, "Labels: %s.\n", list(labels, most))
	return b.String()
}

// list joins things, the first few when there are many.
func list[T any](things []T, most int) string {
	var parts []string
	for _, v := range things[:min(len(things), most)] {
		parts = append(parts, fmt.Sprint(v))
	}
	s := strings.Join(parts, ", ")
	if more := len(things) - most; more > 0 {
		s += fmt.Sprintf(" and %s more", count(more))
	}
	return s
}

// bytesText formats a size in memory.
func bytesText(n int64) string {
	const unit = 1024
	v, k := float64(n), 0
	for ; v >= unit && k < 3; k++ {
		v /= unit
	}
	return digits(v, 3) + [...]string{" bytes", " KiB", " MiB", " GiB"}[k]
}
