package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rot.example/rot/clean"
	"rot.example/rot/dataset"
	tab "rot.example/rot/table"
)

type scoreOptions struct {
	data, model, out, suspects string
	idColumn                   string
	fdr                        float64
	json                       bool
}

func newCleanScore(std IO) *cobra.Command {
	o := scoreOptions{out: "scores.csv"}
	cmd := &cobra.Command{
		Use:   "score NEW --model FILE",
		Short: "Score rows by a model, one by one",
		Long: `score gives every row of NEW a score by a model of rot clean fit, and a p-value:
how likely a row of the kind that the model was made from would score as high. A
row's score depends on the row and the model alone. Tables and standard input
stream by, so that their size does not matter; columns are found by name, and
become numbers as they did for the model.

--out has the columns row,id,score,p. --suspects lists the ids of rows whose
p-values stand out at a false discovery rate of --fdr among all rows of NEW.

With --json: n, suspects, fdr, p (the largest of a suspect), out, seconds,
rows_per_second.`,
		Example: `  rot clean score today.csv --model good.model --out scores.csv --suspects suspects.txt
  zcat huge.csv.gz | rot clean score - --model good.model --json`,
		Args: exactArgs("NEW"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.data = args[0]
			switch {
			case o.model == "" || o.model == "-":
				return usagef("score needs --model FILE")
			case o.out == "" || o.out == "-":
				return usagef("--out needs a file, got %q", o.out)
			}
			return runCleanScore(cmd.Context(), std, o)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&o.model, "model", "", "`file` of rot clean fit")
	fs.StringVar(&o.out, "out", o.out, "CSV `file` for the scores")
	fs.StringVar(&o.suspects, "suspects", "", "`file` for the ids of the suspects")
	fs.Var(numberFlag{&o.fdr, ruleTol}, "fdr", fmt.Sprintf("false discovery rate: part of the suspects that may be good rows, on average (default %g)", clean.DefaultFDR))
	fs.StringVar(&o.idColumn, "id-column", "", "`column` that names the rows")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// A scoreJSON is what score --json prints; scripts rely on the names.
type scoreJSON struct {
	N        int     `json:"n"`
	Suspects int     `json:"suspects"`
	FDR      float64 `json:"fdr"`
	P        float64 `json:"p"`
	Out      string  `json:"out"`
	Seconds  float64 `json:"seconds"`
	Rate     float64 `json:"rows_per_second"`
}

func runCleanScore(ctx context.Context, std IO, o scoreOptions) error {
	if o.fdr == 0 {
		o.fdr = clean.DefaultFDR
	}
	m, encoding, err := readModel(o.model)
	if err != nil {
		return err
	}
	var out outputs
	defer out.discard()
	inputs := append(dataset.SpecFiles(o.data), o.model)
	if err := errors.Join(out.add("--out", o.out, inputs), out.add("--suspects", o.suspects, inputs)); err != nil {
		return err
	}
	rows, err := openRows(ctx, std, &o, encoding)
	if err != nil {
		return err
	}
	defer rows.close()
	start := time.Now()
	var tally clean.Tally
	n := 0
	if err := out.stage(o.out, func(w io.Writer) error {
		n, err = clean.ScoreRows(ctx, w, m, rows, &tally)
		return err
	}); err != nil {
		var meet *tab.MeetError
		if errors.As(err, &meet) { // the file to write is not to blame
			return errors.New(strings.ReplaceAll(meet.Error(), tab.EncodingName, "the model "+o.model))
		}
		return err
	}
	for _, note := range rows.notes() {
		fmt.Fprintf(std.Err, "rot: %s: %s\n", o.data, note)
	}
	p, suspects := tally.Cut(o.fdr)
	if o.suspects != "" {
		if err := out.stage(o.suspects, func(w io.Writer) error {
			if suspects == 0 {
				return nil
			}
			scores, err := os.Open(out.staged(o.out))
			if err != nil {
				return err
			}
			defer scores.Close()
			return clean.ListSuspects(ctx, w, scores, p)
		}); err != nil {
			return err
		}
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	taken := time.Since(start).Seconds()
	if o.json {
		return std.printJSON(&scoreJSON{n, suspects, o.fdr, p, o.out, taken, float64(n) / taken})
	}
	text := fmt.Sprintf("%s: %s scored in %s. Suspects: %d at a false discovery rate of %s.\nWrote %s.\n", o.data, plural(n, "row"), seconds(taken), suspects, percent(o.fdr), o.out)
	return std.print([]byte(text))
}

// An openSource is rows to score. Its notes are complete once all of them have
// been read.
type openSource struct {
	clean.RowSource
	notes func() []string
	close func() error
}

// openRows opens rows that become vectors by an encoding. Tables stream by;
// what is no file of a table is read at once.
func openRows(ctx context.Context, std IO, o *scoreOptions, e *tab.Encoding) (*openSource, error) {
	if o.data != "-" && tab.FormatOf(o.data) == "" {
		t, err := await(ctx, func() (*dataset.Table, error) {
			return dataset.Load(o.data, &dataset.Options{IDColumn: o.idColumn, Encoding: e, Stdin: std.In})
		})
		if err != nil {
			return nil, err
		}
		return &openSource{clean.PointRows(&t.Points), func() []string { return t.Notes }, func() error { return nil }}, nil
	}
	opts := &tab.Options{AsWritten: e.AsWritten(), BlockRows: clean.BlockRows, Stdin: std.In}
	if o.idColumn != "" {
		opts.AsWritten = append(opts.AsWritten, o.idColumn)
	}
	r, err := await(ctx, func() (*tab.Reader, error) { return tab.Open(o.data, opts) })
	if err != nil {
		return nil, err
	}
	rows := &clean.TableRows{Name: o.data, Reader: r, Encoding: e, ID: o.idColumn}
	return &openSource{rows, rows.Notes, r.Close}, nil
}
