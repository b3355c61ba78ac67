package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/clean"
	"rot.example/rot/dataset"
	"rot.example/rot/drift"
	"rot.example/rot/internal/openfile"
	"rot.example/rot/internal/text"
	"rot.example/rot/ot"
	"rot.example/rot/page"
	tab "rot.example/rot/table"
)

type driftOptions struct {
	reference, fresh     string
	tables               tableFlags
	alarm                float64 // 0: none
	fdr                  float64
	permutations, rows   int
	features             string
	backend              backendFlags
	history, openmetrics string
	report               string
	seed                 uint64
	json                 bool
}

func newDrift(std IO) *cobra.Command {
	var o driftOptions
	cmd := &cobra.Command{
		Use:   "drift REF NEW",
		Short: "Has my data moved, or is it only dirty?",
		Long: `drift compares NEW, rows or images, with REF, which is known to be good, and
ends in one of three verdicts:

  no drift seen (same)
  the bulk is the same, k rows do not belong (dirty)
  the bulk has moved (moved)

with a p-value each: how likely samples that are the same would look as
different. Rows that stand out from both samples together are set aside without
a look at which file they are in; the others are dealt out anew --permutations
times, and the p-value is how often that looks as different as the truth does,
by transport, distances, columns, pairs of columns and neighbours together. So
it means what it says for any data. Verdicts are at p = 0.05.

The effect is the transport distance in units of noise: 1 is what two random
halves of REF are apart. The columns that moved are listed with their direction;
the rows of NEW that do not belong are listed at a false discovery rate --fdr.

REF and NEW are what rot clean takes. The test looks at --rows rows of each,
drawn at random: more find smaller differences and take longer. Tables of more
than 100000 rows stream by, and a random 100000 of them are kept, so that memory
does not grow with the files; n and m are the rows of the files.

--alarm P makes the exit code 4 when the bulk has moved with a p-value of at
most P; nothing else changes. --history appends a line of JSON to a file, and
the page of --report shows the course over time. --openmetrics writes a file for
the textfile collector of Prometheus.

With --json: verdict (same, dirty or moved), p_moved, p_dirty, effect, distance,
noise, suspects (their number), rows (the worst: row, id, score, p, suspect,
nearest), columns (name, p, p_adjusted, effect, direction, text), statistics,
set_aside, tested, permutations, n (rows of REF), m (of NEW), dim, alarm, seed,
seconds.`,
		Example: `  rot drift reference.csv today.csv
  rot drift reference.csv today.csv --report drift.html
  rot drift reference.parquet today.parquet --alarm 0.01 --history drift.jsonl --openmetrics rot.prom`,
		Args: exactArgs("REF", "NEW"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.resolve(cmd.Flags().Changed, args); err != nil {
				return err
			}
			return runDrift(cmd.Context(), std, o)
		},
	}
	o.bind(cmd.Flags())
	completeChoices(cmd)
	return cmd
}

func (o *driftOptions) bind(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.Var(numberFlag{&o.alarm, ruleTol}, "alarm", "exit code 4 when the bulk has moved with a p-value of at most this")
	fs.Var(numberFlag{&o.fdr, ruleTol}, "fdr", fmt.Sprintf("false discovery rate of the rows of NEW that do not belong: part of them that may be good, on average (default %g)", clean.DefaultFDR))
	fs.Var(countFlag{&o.permutations}, "permutations", fmt.Sprintf("times that the rows are dealt out anew (default %d)", drift.DefaultPermutations))
	fs.Var(countFlag{&o.rows}, "rows", fmt.Sprintf("rows of each file in the test, at most (default %d)", drift.DefaultRows))
	fs.StringVar(&o.history, "history", "", "JSON lines `file` to add the result to")
	fs.StringVar(&o.openmetrics, "openmetrics", "", "`file` for Prometheus' textfile collector")
	fs.StringVar(&o.report, "report", "", "HTML `file` to look at")
	o.tables.bind(fs, tab.MissingIndicator)
	fs.StringVar(&o.features, "features", "", "safetensors `file` with a network for images (default: a descriptor)")
	o.backend.bind(fs)
	fs.Uint64Var(&o.seed, "seed", 0, "seed of the random choices")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
}

func (o *driftOptions) resolve(given func(string) bool, args []string) error {
	o.reference, o.fresh = args[0], args[1]
	for _, f := range []struct{ name, value string }{{"history", o.history}, {"openmetrics", o.openmetrics}, {"report", o.report}, {"features", o.features}} {
		if given(f.name) && (f.value == "" || f.value == "-") {
			return usagef("--%s needs a file, got %q", f.name, f.value)
		}
	}
	permutations := o.permutations
	if permutations == 0 {
		permutations = drift.DefaultPermutations
	}
	switch {
	case o.reference == "-" && o.fresh == "-":
		return usagef("REF and NEW cannot both be standard input")
	case dataset.IsImages(o.fresh) && len(givenTableFlags(given)) > 0:
		return usagef("--%s is for tables, and %s is images", givenTableFlags(given)[0], o.fresh)
	case given("permutations") && o.permutations < 19:
		return usagef("--permutations %d: want 19 or more, or no p-value is as low as 0.05", o.permutations)
	case given("rows") && o.rows < drift.MinRows:
		return usagef("--rows %d: want %d or more", o.rows, drift.MinRows)
	case o.alarm > 0 && o.alarm*float64(permutations+1) < 1:
		return usagef("--alarm %g: %d permutations have no p-value below %.2g; want --permutations %.0f or more", o.alarm, permutations, 1/float64(permutations+1), math.Ceil(1/o.alarm)-1)
	}
	return o.tables.read(given)
}

func (o *driftOptions) inputs() []string {
	return append(append(dataset.SpecFiles(o.reference), dataset.SpecFiles(o.fresh)...), o.features)
}

// A driftAnswer is NEW beside REF.
type driftAnswer struct {
	text.Drift
	columns []drift.Column
	record  drift.Record
	history []drift.Record // record is the last
	command string
}

func runDrift(ctx context.Context, std IO, o driftOptions) error {
	var out outputs
	defer out.discard()
	for _, f := range []struct{ flag, path string }{{"--history", o.history}, {"--openmetrics", o.openmetrics}, {"--report", o.report}} {
		if err := out.add(f.flag, f.path, o.inputs()); err != nil {
			return err
		}
	}
	if err := o.tables.addOutput(&out, o.inputs()); err != nil {
		return err
	}
	past, err := readHistory(o.history)
	if err != nil {
		return err
	}
	d, err := solveDrift(ctx, std, &o)
	if err != nil {
		return err
	}
	if err := o.tables.stage(&out, d.Encoding); err != nil {
		return err
	}
	d.history = append(past.Records, d.record)
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{o.history, func(w io.Writer) error { return past.WriteWith(w, d.record) }},
		{o.openmetrics, func(w io.Writer) error { return d.record.WriteOpenMetrics(w, d.Alarmed()) }},
		{o.report, func(w io.Writer) error { return d.htmlPage().Write(w) }},
	} {
		if err := out.stage(f.path, f.write); err != nil {
			return err
		}
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	if o.json {
		err = std.printJSON(d.JSON())
	} else {
		err = std.print([]byte(d.Text()))
	}
	if err == nil && d.Alarmed() {
		return errAlarm
	}
	return err
}

// sampledRows is how many rows of a longer file are kept: a file of any length
// then needs the memory of so many rows.
const sampledRows = 100_000

// errAlarm ends a command whose answer has been printed with exit code 4.
var errAlarm = errors.New("drift alarm")

func solveDrift(ctx context.Context, std IO, o *driftOptions) (*driftAnswer, error) {
	p := startProgress(std)
	defer p.stop()
	l := &sampleLoader{options: &cleanOptions{
		data: o.fresh, against: o.reference, tables: o.tables, features: o.features, backend: o.backend,
	}, std: std, progress: p, sample: max(sampledRows, o.rows), seed: o.seed}
	fresh, reference, err := l.load(ctx)
	if err != nil {
		return nil, err
	}
	d := &driftAnswer{Drift: text.Drift{Reference: reference, New: fresh, Encoding: l.encoding, Alarm: o.alarm, Seed: o.seed}, command: std.command()}
	if l.encoding != nil {
		d.columns = drift.ColumnsOf(l.encoding)
	} else {
		for j := range fresh.Points.Dim {
			d.columns = append(d.columns, drift.Column{Name: fresh.Column(j), Kind: drift.Number, First: j, Width: 1})
		}
	}
	when := time.Now()
	start := time.Now()
	p.stage("comparing")
	d.Result, err = drift.Compare(ctx, reference.Points, fresh.Points, &drift.Options{
		Columns: d.columns, FDR: o.fdr, Permutations: o.permutations, Rows: o.rows, Unscaled: fresh.Features != "", Seed: o.seed,
		Progress: func(done, total int) { p.report(ot.Progress{Done: float64(done) / float64(total)}) },
	})
	if err != nil {
		if errors.Is(err, ot.ErrShape) {
			return nil, fmt.Errorf("%s, %s: %s", o.reference, o.fresh, plainText(err))
		}
		return nil, err
	}
	d.Seconds = time.Since(start).Seconds()
	d.record = drift.NewRecord(d.Result, o.reference, o.fresh, reference.Points.Len(), fresh.Points.Len(), when)
	return d, nil
}

func (d *driftAnswer) htmlPage() *page.Page {
	title := "rot drift " + d.Reference.Name + " " + d.New.Name
	return page.Drift(d.Result, &page.DriftOptions{
		Encoding: d.Encoding.Summary(), Title: title, Footer: title, Command: d.command,
		Reference: d.Reference, New: d.New, Columns: d.columns, History: d.history, Seed: d.Seed,
	})
}

// readHistory reads a history; an empty one where there is no file yet.
func readHistory(path string) (*drift.History, error) {
	var text []byte
	if path != "" {
		var err error
		if text, err = openfile.Read(path, 1<<30); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--history %s: %w", path, err)
		}
	}
	past, err := drift.ParseHistory(text)
	var bad *drift.HistoryError
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("--history %s:%d: %w", path, bad.Line, drift.ErrHistory)
	}
	return past, err
}
