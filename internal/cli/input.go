package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/text"
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
	single                       bool // rows may stay in single precision
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

// load reads the files and checks that they fit each other. The warnings have
// been printed.
func (o *inputOptions) load(ctx context.Context, std IO, p *progress) (in *text.Input, warnings []string, err error) {
	metric, err := ot.ParseMetric(o.metric)
	if err != nil {
		return nil, nil, err
	}
	opts := &dataset.ProblemOptions{Metric: metric, Truncate: o.truncate, SourceWeights: o.sourceWeights, TargetWeights: o.targetWeights}
	in = &text.Input{SourceName: o.source, TargetName: o.target, Costs: o.cost}
	if o.cost != "" {
		p.stage(reading(o.cost))
		in.Problem, err = await(ctx, func() (*dataset.Problem, error) { return dataset.LoadCosts(o.cost, opts) })
		if err == nil {
			sayAbout(std, o.cost, in.Problem.Notes)
		}
		return in, nil, err
	}
	p.stage(reading(o.source, o.target))
	both, err := await(ctx, func() ([]*dataset.Table, error) {
		if o.images() {
			return o.loadImages(ctx, std, p)
		}
		if o.features != "" {
			return nil, fmt.Errorf("--features is for images, and of %s and %s one is a table", o.source, o.target)
		}
		read := o.tables.options(std)
		read.Single = o.single && o.tables.encoding == ""
		return dataset.LoadTogether([]string{o.source, o.target}, read)
	})
	if err != nil {
		return nil, nil, err
	}
	sayNotes(std, both...)
	for _, t := range both {
		if t.Places != nil {
			sayAbout(std, t.Name, []string{"rows are numbered without those left out, also in weights and plans"})
		}
	}
	if in.Problem, err = dataset.NewProblem(both[0], both[1], opts); err != nil {
		return nil, nil, err
	}
	if column, share := in.HeavyColumn(); column != "" && o.tables.scale == "" {
		shown := fmt.Sprintf("%.1f %%", 100*share)
		if share > 0.999 {
			shown = "nearly all"
		}
		warnings = append(warnings, fmt.Sprintf("column %s makes %s of the cost: --scale std or robust gives the columns a common unit, --scale none says that this is meant", column, shown))
		fmt.Fprintf(std.Err, "rot: %s\n", warnings[0])
	}
	return in, warnings, nil
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
