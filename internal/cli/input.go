package cli

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
	tab "rot.example/rot/table"
)

// inputOptions is what dist and curve read: two samples or a cost matrix, and
// the weights of their rows.
type inputOptions struct {
	source, target               string
	cost                         string // a matrix instead of source and target
	sourceWeights, targetWeights string
	metric                       string
	truncate                     float64 // no pair costs more; 0: no limit
	tables                       tableFlags
	features                     string // of images: "" for pixels
	backend                      backendFlags
}

const inputHelp = `SOURCE and TARGET are .csv, .tsv, .parquet, .arrow, .feather, .jsonl, .npy, .npz
or IDX files, - for CSV on standard input, or synth:NAME[,n=…,seed=…] (see rot
data info --help). SOURCE has m rows, TARGET has n; rows count from 0, columns
from 1. They may also be sets of images, which are compared by their pixels,
from 0 to 255, or by --features. The columns that --id-column and --label-column
name are set aside in both files, and one of the two may lack them.

` + tableHelp

func (o *inputOptions) bind(fs *pflag.FlagSet) {
	o.metric = ot.Euclidean.String()
	var names []string
	for m := ot.Euclidean; m < ot.Given; m++ {
		names = append(names, m.String())
	}
	fs.Var(choiceFlag{&o.metric, names}, "metric", "cost of moving a row: "+strings.Join(names, ", "))
	fs.Var(numberFlag{&o.truncate, rulePositive}, "truncate", "no pair of rows costs more than this: rows beyond it are in the wrong place, no matter how far")
	fs.StringVar(&o.cost, "cost", "", "`file` with an m×n cost matrix, instead of SOURCE and TARGET")
	fs.StringVar(&o.sourceWeights, "source-weights", "", "`file` with a weight for each row of SOURCE")
	fs.StringVar(&o.targetWeights, "target-weights", "", "`file` with a weight for each row of TARGET")
	o.tables.bind(fs, tab.MissingError)
	fs.StringVar(&o.features, "features", "", "of images: compare by a network in a safetensors `file`, or by descriptor (default: pixels)")
	o.backend.bind(fs)
}

// resolve takes the arguments of the verb and checks them against the flags.
func (o *inputOptions) resolve(verb string, given func(string) bool, args []string) error {
	for _, w := range []struct{ flag, path string }{
		{"cost", o.cost}, {"source-weights", o.sourceWeights}, {"target-weights", o.targetWeights},
	} {
		if given(w.flag) && (w.path == "" || w.path == "-") {
			return usagef("--%s needs a file, got %q", w.flag, w.path)
		}
	}
	if o.cost == "" {
		if err := checkArgs(verb, []string{"SOURCE", "TARGET"}, args); err != nil {
			return err
		}
		if o.source, o.target = args[0], args[1]; o.source == "-" && o.target == "-" {
			return usagef("SOURCE and TARGET cannot both be standard input")
		}
		return o.tables.read(given)
	}
	if len(args) > 0 {
		return usagef("--cost takes the place of SOURCE and TARGET; give either, not both")
	}
	for _, flag := range append([]string{"metric", "features"}, tableFlagNames...) {
		if given(flag) {
			return usagef("--%s needs SOURCE and TARGET; it does not go with --cost", flag)
		}
	}
	return nil
}

// files are the files that must not be overwritten.
func (o *inputOptions) files() []string {
	files := []string{o.cost, o.sourceWeights, o.targetWeights}
	if o.tables.known != nil {
		files = append(files, o.tables.encoding)
	}
	for _, spec := range []string{o.source, o.target} {
		files = append(files, dataset.SpecFiles(spec)...)
	}
	return files
}

// arguments repeats the input on a command line that does something with it.
func (o *inputOptions) arguments() string {
	var b strings.Builder
	word := func(s string) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(shellWord(s))
	}
	flag := func(name, value string) {
		if value != "" {
			word(name)
			word(value)
		}
	}
	if o.cost == "" {
		word(o.source)
		word(o.target)
	}
	flag("--cost", o.cost)
	if o.metric != ot.Euclidean.String() {
		flag("--metric", o.metric)
	}
	if o.truncate > 0 {
		flag("--truncate", digits(o.truncate, -1))
	}
	flag("--source-weights", o.sourceWeights)
	flag("--target-weights", o.targetWeights)
	o.tables.arguments(flag)
	return b.String()
}

// An input is a loaded problem and where it comes from.
type input struct {
	source, target *dataset.Table // nil for a cost matrix
	problem        *ot.Problem
	warnings       []string
}

// load reads the files and checks that they fit each other.
func (o *inputOptions) load(ctx context.Context, std IO, p *progress) (*input, error) {
	if o.cost != "" {
		in, err := o.loadMatrix(ctx, p)
		if err != nil {
			return nil, err
		}
		return in, o.cut(in.problem)
	}
	p.stage(reading(o.source, o.target))
	both, err := await(ctx, func() ([]*dataset.Table, error) {
		if o.images() {
			return o.loadImages(ctx, std, p)
		}
		if o.features != "" {
			return nil, fmt.Errorf("--features is for images, and of %s and %s one is a table", o.source, o.target)
		}
		return dataset.LoadTogether([]string{o.source, o.target}, o.tables.options(std))
	})
	if err != nil {
		return nil, err
	}
	sayNotes(std, both...)
	source, target := both[0], both[1]
	x, y := &source.Points, &target.Points
	if x.Weights, err = loadWeights(o.sourceWeights, x.Len(), "row", o.source); err != nil {
		return nil, err
	}
	if y.Weights, err = loadWeights(o.targetWeights, y.Len(), "row", o.target); err != nil {
		return nil, err
	}
	metric, err := ot.ParseMetric(o.metric)
	if err != nil {
		return nil, err
	}
	if metric == ot.Cosine {
		for _, t := range both {
			if err := zeroRow(t); err != nil {
				return nil, err
			}
		}
	}
	problem, err := ot.NewProblem(x, y, metric)
	if err != nil {
		return nil, inFile(err, source, target)
	}
	if err := o.cut(problem); err != nil {
		return nil, err
	}
	in := &input{source: source, target: target, problem: problem}
	if w := heavyColumn(source, target, metric); w != "" && o.tables.scale == "" {
		in.warnings = append(in.warnings, w)
	}
	for _, w := range in.warnings {
		fmt.Fprintf(std.Err, "rot: %s\n", w)
	}
	return in, nil
}

// cut truncates the costs, where that is asked for.
func (o *inputOptions) cut(p *ot.Problem) (err error) {
	if o.truncate > 0 {
		p.Cost, err = p.Cost.Truncated(o.truncate)
	}
	return err
}

func (o *inputOptions) loadMatrix(ctx context.Context, p *progress) (*input, error) {
	p.stage(reading(o.cost))
	cost, err := await(ctx, func() (*ot.Cost, error) {
		m, n, data, err := dataset.LoadMatrix(o.cost)
		if err != nil {
			return nil, err
		}
		return ot.NewMatrixCost(m, n, data)
	})
	if err != nil {
		return nil, err
	}
	m, n := cost.Dims()
	problem := &ot.Problem{Cost: cost}
	if problem.A, err = loadWeights(o.sourceWeights, m, "row", o.cost); err != nil {
		return nil, err
	}
	if problem.B, err = loadWeights(o.targetWeights, n, "column", o.cost); err != nil {
		return nil, err
	}
	return &input{problem: problem}, nil
}

func reading(specs ...string) string {
	specs = slices.Clone(specs)
	for k, spec := range specs {
		if spec == "-" {
			specs[k] = "standard input"
		}
	}
	return "reading " + strings.Join(specs, " and ")
}

// loadWeights reads weights for n things of a file; no path, no weights.
func loadWeights(path string, n int, thing, of string) ([]float64, error) {
	if path == "" {
		return nil, nil
	}
	w, err := dataset.LoadWeights(path)
	if err == nil && len(w) != n {
		return nil, fmt.Errorf("%s has %s for the %s of %s", path, plural(len(w), "weight"), plural(n, thing), of)
	}
	return w, err
}

// columnNumber is how package ot names a column: counted from 0.
var columnNumber = regexp.MustCompile(`column (\d+)`)

// inFile names the file and the column in an error of package ot about one
// side's rows.
func inFile(err error, source, target *dataset.Table) error {
	msg := strings.TrimPrefix(err.Error(), "ot: ")
	for side, t := range map[string]*dataset.Table{"source ": source, "target ": target} {
		rest, ok := strings.CutPrefix(msg, side)
		if !ok {
			continue
		}
		rest = columnNumber.ReplaceAllStringFunc(rest, func(s string) string {
			j, err := strconv.Atoi(strings.TrimPrefix(s, "column "))
			if err != nil {
				return s
			}
			if j < len(t.Columns) {
				return "column " + t.Columns[j]
			}
			return "column " + strconv.Itoa(j+1)
		})
		return fmt.Errorf("%s: %s (rows count from 0, columns from 1)", t.Name, rest)
	}
	return err
}

// zeroRow reports the first row without a direction.
func zeroRow(t *dataset.Table) error {
rows:
	for i := range t.Points.Len() {
		for _, v := range t.Points.Row(i) {
			if v != 0 {
				continue rows
			}
		}
		return &dataset.InputError{File: t.Name, Row: i, Msg: "is all zeros and has no cosine (rows count from 0)"}
	}
	return nil
}
