package cli

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

// parseDist reads a command line of dist as cobra would.
func parseDist(args ...string) (distOptions, error) {
	var o distOptions
	fs := pflag.NewFlagSet("dist", pflag.ContinueOnError)
	o.bind(fs)
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	return o, o.resolve(fs.Changed, fs.Args())
}

func TestDistFlags(t *testing.T) {
	base := func(change func(*distOptions)) distOptions {
		o := distOptions{
			input: inputOptions{source: "a", target: "b", metric: "euclidean"},
			solve: ot.SolveOptions{Method: ot.MethodExact, Penalty: 1}, divergence: "chi2", trims: "both", rhoFrom: "default",
		}
		change(&o)
		o.input.tables.missing, o.input.tables.usual = "error", "error"
		o.input.backend.name = "auto"
		return o
	}
	for _, tt := range []struct {
		name string
		args string
		want distOptions
	}{
		{"plain", "a b", base(func(*distOptions) {})},
		{"radius", "a b --rho 0.1", base(func(o *distOptions) { o.solve.Rho, o.rhoFrom = 0.1, "rho" })},
		{"zero radius", "a b --rho 0", base(func(o *distOptions) { o.rhoFrom = "rho" })},
		{"gamma", "a b --gamma 0.5", base(func(o *distOptions) { o.gamma, o.solve.Rho, o.rhoFrom = 0.5, 0.5, "gamma" })}, // γ/(2(1−γ))
		{"total variation", "a b --gamma 0.5 --divergence tv", base(func(o *distOptions) {
			o.gamma, o.solve.Rho, o.rhoFrom, o.divergence, o.solve.Divergence = 0.5, 0.5, "gamma", "tv", ot.TV
		})},
		{"kl", "a b --gamma 0.5 --divergence kl", base(func(o *distOptions) {
			o.gamma, o.solve.Rho, o.rhoFrom, o.divergence, o.solve.Divergence = 0.5, math.Ln2, "gamma", "kl", ot.KL
		})},
		{"automatic", "--rho auto a b", base(func(o *distOptions) { o.solve.Auto, o.rhoFrom = true, "auto" })},
		{"both sides", "a b --rho .1 --target-rho .2", base(func(o *distOptions) { o.solve.Rho, o.solve.TargetRho, o.rhoFrom = 0.1, 0.2, "rho" })},
		{"entropic", "a b --method entropic --epsilon 2", base(func(o *distOptions) { o.solve.Method, o.solve.Epsilon = "entropic", 2 })},
		{"unbalanced", "a b --method unbalanced --penalty 3 --divergence kl", base(func(o *distOptions) {
			o.solve.Method, o.solve.Penalty, o.divergence, o.solve.Divergence = "unbalanced", 3, "kl", ot.KL
		})},
		{"partial", "a b --method partial --mass 1", base(func(o *distOptions) { o.solve.Method, o.solve.Mass = "partial", 1 })},
		{"matrix", "--cost c.npy --source-weights w", base(func(o *distOptions) {
			o.input = inputOptions{cost: "c.npy", sourceWeights: "w", metric: "euclidean"}
		})},
		{"outputs", "a b --weights w --target-weights-out tw --plan p --plot q.SVG --json --tol 1e-3 --max-iters 7", base(func(o *distOptions) {
			o.weights, o.targetWeightsOut, o.plan, o.plot, o.json, o.solve.Tol, o.solve.MaxIters = "w", "tw", "p", "q.SVG", true, 1e-3, 7
		})},
		{"columns", "a - --id-column i --label-column 3 --metric cosine", base(func(o *distOptions) {
			o.input = inputOptions{source: "a", target: "-", metric: "cosine", tables: tableFlags{idColumn: "i", labelColumn: "3"}}
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseDist(strings.Fields(tt.args)...)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestDistFlagConflicts(t *testing.T) {
	for _, args := range []string{
		"a b --rho 1 --gamma .1",
		"a b --rho auto --gamma .1",
		"a b --method partial --mass .5 --rho 1",
		"a b --method unbalanced --penalty 1 --epsilon 1",
		"a b --cost c",
		"--cost c --plot p.png",
		"--cost c --id-column x",
		"a b --plot p.pdf",
		"a b --source-weights -",
		"- -",
		"a",
	} {
		var usage *usageError
		if _, err := parseDist(strings.Fields(args)...); !errors.As(err, &usage) {
			t.Errorf("%s: got %v, want a usage error", args, err)
		}
	}
}

func TestCurveFlags(t *testing.T) {
	parse := func(args ...string) (curveOptions, error) {
		var o curveOptions
		fs := pflag.NewFlagSet("curve", pflag.ContinueOnError)
		o.bind(fs)
		if err := fs.Parse(args); err != nil {
			return o, err
		}
		return o, o.resolve(fs.Changed, fs.Args())
	}
	got, err := parse("a", "b", "--rhos", "0.2, 0,0.1,0.2", "--outliers", "label", "--metric", "cityblock", "--plot", "c.png")
	if err != nil {
		t.Fatal(err)
	}
	want := curveOptions{
		input: inputOptions{source: "a", target: "b", metric: "cityblock", tables: tableFlags{missing: "error", usual: "error"}, backend: backendFlags{name: "auto"}},
		rhos:  []float64{0, 0.1, 0.2}, outliers: "label", plot: "c.png",
	}
	if !reflect.DeepEqual(got, want) || !dataset.LabelsMark(got.outliers) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, args := range [][]string{
		{"a", "b", "--outliers", "m.csv", "--metric", "cosine"},
		{"a", "b", "--outliers", ""},
		{"--cost", "c", "--outliers", "m.csv"},
		{"a", "b", "--plot", "c.gif"},
		{"a"},
	} {
		var usage *usageError
		if _, err := parse(args...); !errors.As(err, &usage) {
			t.Errorf("%q: got %v, want a usage error", args, err)
		}
	}
}

func TestInputArguments(t *testing.T) {
	o := inputOptions{source: "my data.csv", target: "b.csv", metric: "cosine", sourceWeights: "it's", tables: tableFlags{labelColumn: "y"}}
	want := `'my data.csv' b.csv --metric cosine --source-weights 'it'\''s' --label-column y`
	if got := o.arguments(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
