package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/engine"
	"rot.example/rot/figure"
	"rot.example/rot/internal/text"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

type curveOptions struct {
	input    inputOptions
	rhos     []float64 // nil: a grid that suits the problem
	outliers string    // a file of marks, or "labels"
	tol      float64
	plot     string
	page     string
	json     bool
}

func newCurve(std IO) *cobra.Command {
	var o curveOptions
	cmd := &cobra.Command{
		Use:   "curve SOURCE TARGET",
		Short: "Robust distance for many radii, to choose one",
		Long: `curve computes the robust distance V(ρ) from SOURCE to TARGET for a range of
radii ρ around the weights of SOURCE. V falls steeply while outliers lose their
weight, and slowly once good rows have to; the bend in between, the elbow, is a
rough guess of the right radius when the part of outliers is not known.

` + inputHelp + `

When the outliers of SOURCE are known, --outliers adds the upper bound of
Theorem 2 of Balaji, Chellappa and Feizi (2020) at each radius. It takes a file
with a mark for each row (1 or true for an outlier, 0 or false otherwise), a
file with the numbers of the outlier rows under the header index, or the word
labels: then the labels of SOURCE are the marks (--label-column, or the labels
that its format carries). The bound needs a metric that obeys the triangle
inequality: euclidean or cityblock.

With --json the result is one object on stdout: points (rho, value, lower,
gamma, lambda, and bound with --outliers), elbow, elbow_gamma, plain (the value
at 0), rho_max (from where on V stays the same), metric, m, n, dim, seconds.`,
		Example: `  rot curve today.csv reference.csv
  rot curve today.csv reference.csv --rhos 0,0.01,0.02,0.05,0.1 --plot curve.png
  rot curve today.csv reference.csv --report curve.html
  rot curve synth:outliers,n=500 synth:gauss,n=500,seed=1 --outliers labels --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.resolve(cmd.Flags().Changed, args); err != nil {
				return err
			}
			return runCurve(cmd.Context(), std, o)
		},
	}
	o.bind(cmd.Flags())
	completeChoices(cmd)
	return cmd
}

func (o *curveOptions) bind(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.Var(radiiFlag{&o.rhos}, "rhos", "radii to solve for, as in 0,0.01,0.05 (default: 20 from 0 to 0.5)")
	fs.StringVar(&o.outliers, "outliers", "", "`file` that marks the known outliers of SOURCE, or the word labels")
	o.input.bind(fs)
	fs.Var(numberFlag{&o.tol, ruleTol}, "tol", "how far apart the bounds of a radius may lie, relative to plain transport (default 1e-4; 1e-9 solves each by itself)")
	fs.StringVar(&o.plot, "plot", "", "draw the curve into a .png or .svg `file`")
	fs.StringVar(&o.page, "report", "", "write a page with the curve into an .html `file`")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
}

func (o *curveOptions) resolve(given func(string) bool, args []string) error {
	if err := o.input.resolve("curve", given, args); err != nil {
		return err
	}
	switch {
	case o.outliers == "-" || given("outliers") && o.outliers == "":
		return usagef("--outliers needs a file or the word labels, got %q", o.outliers)
	case o.outliers != "" && o.input.cost != "":
		return usagef("--outliers needs SOURCE and TARGET; it does not go with --cost")
	case o.outliers != "" && o.input.metric != ot.Euclidean.String() && o.input.metric != ot.Cityblock.String():
		return usagef("--outliers needs --metric euclidean or cityblock: %s does not obey the triangle inequality", o.input.metric)
	}
	if err := checkPage(o.page); err != nil {
		return err
	}
	return checkPlot(o.plot)
}

func runCurve(ctx context.Context, std IO, o curveOptions) error {
	var out outputs
	defer out.discard()
	for _, f := range []struct{ flag, path string }{{"--plot", o.plot}, {"--report", o.page}} {
		if err := out.add(f.flag, f.path, append(o.input.files(), o.outliers)); err != nil {
			return err
		}
	}
	if err := o.input.tables.addOutput(&out, o.input.files()); err != nil {
		return err
	}
	c, err := solveCurve(ctx, std, &o)
	var short *ot.ConvergenceError
	if err != nil && (c == nil || !errors.As(err, &short)) {
		return err
	}
	if c.Source != nil {
		if err := o.input.tables.stage(&out, c.Source.Encoding); err != nil {
			return err
		}
	}
	if o.plot != "" {
		if err := stageFigure(ctx, &out, o.plot, figure.NewCurve("Robust transport, "+c.Title(), c.CurveResult, c.Theorem)); err != nil {
			return err
		}
	}
	if o.page != "" {
		if err := stagePage(ctx, &out, o.page, c.htmlPage(std)); err != nil {
			return err
		}
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	if o.json {
		if err := std.printJSON(c.JSON()); err != nil {
			return err
		}
	} else if err := std.print([]byte(c.Text())); err != nil {
		return err
	}
	return err // nil, or how far the solver got
}

// htmlPage is the page of c.
func (c *curve) htmlPage(std IO) *page.Page {
	opts := &page.CurveOptions{
		Encoding: c.Encoding(), Title: "rot curve " + c.Title(), Command: std.command(), Source: c.SourceName, Target: c.TargetName, Theorem: c.Theorem, Seconds: c.Seconds,
	}
	if c.Costs != "" {
		m, n := c.Cost.Dims()
		opts.Source, opts.Target = plural(m, "row")+" of "+c.Costs, fmt.Sprintf("its %s", plural(n, "column"))
	}
	return page.Curve(c.CurveResult, opts)
}

// A curve is a solved curve.
type curve struct{ text.Curve }

// solveCurve loads and solves. With a *ot.ConvergenceError comes a curve.
func solveCurve(ctx context.Context, std IO, o *curveOptions) (*curve, error) {
	p := startProgress(std)
	defer p.stop()
	o.input.single = o.outliers == "" // whose bound wants rows in double precision
	in, _, err := o.input.load(ctx, std, p)
	if err != nil {
		return nil, err
	}
	var marks []bool
	if o.outliers != "" {
		if marks, err = in.Source.KnownOutliers(o.outliers); err != nil {
			return nil, err
		}
	}
	c := &curve{text.Curve{Input: *in}}
	start := time.Now()
	if marks != nil {
		p.stage("solving for the bound")
		if c.Theorem, err = ot.Theorem2(ctx, in.Problem.Problem, marks); err != nil {
			return nil, err
		}
	}
	p.stage("solving the curve")
	gpu, err := engine.OpenSweeper(o.input.backend.name, in.Problem.Problem, engineOptions())
	if err != nil {
		return nil, err
	}
	defer gpu.Close()
	c.CurveResult, err = ot.Curve(ctx, in.Problem.Problem, o.rhos, &ot.CurveOptions{Tol: o.tol, Progress: p.report, Sweeper: gpu.Option()})
	if c.CurveResult == nil {
		return nil, err
	}
	c.Seconds = time.Since(start).Seconds()
	for _, path := range []string{o.plot, o.page} {
		if path != "" {
			c.Wrote = append(c.Wrote, path)
		}
	}
	if c.Elbow > 0 && o.input.source != "-" && o.input.target != "-" {
		c.Next = fmt.Sprintf("see which rows lose their weight there:\n  rot dist %s --rho %s", o.input.arguments(), digits(c.Elbow, 5))
	}
	return c, err
}
