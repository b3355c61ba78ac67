package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/chisq"
	"rot.example/rot/figure"
	"rot.example/rot/ot"
)

// The methods of dist.
const (
	methodExact      = "exact"
	methodEntropic   = "entropic"
	methodUnbalanced = "unbalanced"
	methodPartial    = "partial"
)

type distOptions struct {
	input  inputOptions
	method string

	rho, gamma, targetRho float64 // resolve sets rho from gamma
	auto                  bool    // rho is the elbow of the curve
	sharpness             float64 // of that elbow
	rhoFrom               string  // "rho", "gamma", "auto", or "default" for plain transport

	epsilon, mass, penalty float64
	divergence             string
	tol                    float64
	maxIters               int

	weights, targetWeightsOut, plan, plot, page string
	json                                        bool

	curve *ot.CurveResult // of an automatic radius
}

func newDist(std IO) *cobra.Command {
	var o distOptions
	cmd := &cobra.Command{
		Use:   "dist SOURCE TARGET",
		Short: "Distance between two samples, outliers ignored",
		Long: `dist computes the optimal transport distance from SOURCE to TARGET, with a lower
bound that proves how exact it is. With --rho, --gamma or --target-rho it is
robust: rows that are expensive to move lose weight, within the ball of that
radius, and dist lists the rows that lost the most.

` + inputHelp + `

Weights are relative to those of the input, with mean 1: a row of weight 0 is
set aside. --weights writes those of SOURCE, --target-weights-out those of
TARGET; both files fit --source-weights and --target-weights. --plan lists the
moves as i,j,mass, with a total mass of 1 unless the method leaves some behind.

--report writes a page to look at, one HTML file that needs no network: the
answer, the weights, a map of both samples that tells about the row pointed at,
the curve V(ρ) (of at most 600 rows a side), the rows of lowest weight beside
their nearest kept neighbours, the share that each class loses where there are
labels, and how certain it all is.

The methods entropic, unbalanced and partial are there to compare with: they
have no radius, and options of their own. The bounds of entropic are those of
plain transport, so that their gap is the price of the smoothing.

With --json the result is one object on stdout: value and lower (bounds of the
optimum), gap, rho, target_rho, gamma, metric, method, m (rows of SOURCE), n
(rows of TARGET), dim, seconds, converged, dropped (rows of weight 0), low (rows
of a weight below 0.5), effective_sample_size, suspicious (the ten rows of
lowest weight, among those below 0.5), and more.

Exit code 3 means that the result is not as exact as --tol asks; it is still
printed, and its bounds hold.`,
		Example: `  rot dist today.csv reference.csv
  rot dist today.csv reference.csv --gamma 0.05 --weights weights.csv --plot plan.png
  rot dist today.csv reference.csv --rho auto --report report.html
  rot dist today.csv reference.csv --rho auto --json
  rot dist a.npy b.npy --rho 0.05 --target-rho 0.05 --metric sqeuclidean
  rot dist --cost costs.npy --source-weights a.csv --gamma 0.1
  rot dist synth:outliers,n=500 synth:gauss,n=500,seed=1 --gamma 0.05
  rot dist a.csv b.csv --method partial --mass 0.95`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.resolve(cmd.Flags().Changed, args); err != nil {
				return err
			}
			return runDist(cmd.Context(), std, o)
		},
	}
	o.bind(cmd.Flags())
	completeChoices(cmd)
	return cmd
}

func (o *distOptions) bind(fs *pflag.FlagSet) {
	fs.SortFlags = false
	o.method, o.divergence, o.penalty = methodExact, ot.Chi2.String(), 1
	fs.Var(radiusFlag{&o.rho, &o.auto}, "rho", "radius of the ball around the weights of SOURCE; auto: the elbow of rot curve")
	fs.Var(numberFlag{&o.gamma, ruleFraction}, "gamma", "instead of --rho: part of SOURCE that may be set aside")
	fs.Var(numberFlag{&o.targetRho, ruleRadius}, "target-rho", "radius of the ball around the weights of TARGET")
	o.input.bind(fs)
	fs.Var(choiceFlag{&o.method, []string{methodExact, methodEntropic, methodUnbalanced, methodPartial}}, "method", "exact (plain or robust), entropic, unbalanced or partial")
	fs.Var(numberFlag{&o.epsilon, rulePositive}, "epsilon", "entropic: strength of the smoothing, in units of cost (default: a hundredth of the mean cost)")
	fs.Var(numberFlag{&o.mass, ruleMass}, "mass", "partial: part of the mass to move")
	fs.Var(choiceFlag{&o.divergence, []string{ot.Chi2.String(), ot.KL.String()}}, "divergence", "unbalanced: penalty on the weights, chi2 or kl")
	fs.Var(numberFlag{&o.penalty, rulePositive}, "penalty", "unbalanced: weight of the penalty, in units of cost")
	fs.Var(numberFlag{&o.tol, ruleTol}, "tol", "relative gap between the bounds that counts as solved (default 1e-9; entropic: error of the weights, default 1e-5)")
	fs.Var(countFlag{&o.maxIters}, "max-iters", "stop after so many pivots or iterations (default: no limit; entropic: 10000)")
	fs.StringVar(&o.weights, "weights", "", "write the weights of SOURCE to a CSV `file`: index,weight")
	fs.StringVar(&o.targetWeightsOut, "target-weights-out", "", "write the weights of TARGET to a CSV `file`: index,weight")
	fs.StringVar(&o.plan, "plan", "", "write the plan to a CSV `file`: i,j,mass")
	fs.StringVar(&o.plot, "plot", "", "draw the plan into a .png or .svg `file`")
	fs.StringVar(&o.page, "report", "", "write a page with charts into an .html `file`")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
}

// distFlagOf says which method a flag belongs to.
var distFlagOf = []struct{ flag, method string }{
	{"rho", methodExact}, {"gamma", methodExact}, {"target-rho", methodExact},
	{"epsilon", methodEntropic}, {"mass", methodPartial},
	{"divergence", methodUnbalanced}, {"penalty", methodUnbalanced},
}

// resolve checks the flags against each other.
func (o *distOptions) resolve(given func(string) bool, args []string) error {
	if err := o.input.resolve("dist", given, args); err != nil {
		return err
	}
	for _, f := range distFlagOf {
		if given(f.flag) && o.method != f.method {
			return usagef("--%s belongs to --method %s; it does not go with --method %s", f.flag, f.method, o.method)
		}
	}
	switch {
	case given("rho") && given("gamma"):
		return usagef("--rho and --gamma both set the radius; give one of them")
	case o.method == methodPartial && !given("mass"):
		return usagef("--method partial needs --mass, the part of the mass to move")
	case o.plot != "" && o.input.cost != "":
		return usagef("--plot needs SOURCE and TARGET; a cost matrix has no points to draw")
	}
	if ext := strings.ToLower(filepath.Ext(o.page)); o.page != "" && ext != ".html" && ext != ".htm" {
		return usagef("--report %s: the name must end in .html", o.page)
	}
	o.rhoFrom = "default"
	switch {
	case o.auto:
		o.rhoFrom = "auto"
	case given("rho"):
		o.rhoFrom = "rho"
	case given("gamma"):
		o.rhoFrom = "gamma"
		ball, err := chisq.FromGamma(o.gamma)
		if err != nil {
			return usagef("--gamma: %s", plainText(err))
		}
		o.rho = ball.Rho
	}
	return checkPlot(o.plot)
}

// checkPlot refuses a picture format that cannot be drawn.
func checkPlot(path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); path != "" && ext != ".png" && ext != ".svg" {
		return usagef("--plot %s: the name must end in .png or .svg", path)
	}
	return nil
}

func runDist(ctx context.Context, std IO, o distOptions) error {
	var out outputs
	defer out.discard()
	for _, f := range []struct{ flag, path string }{
		{"--weights", o.weights}, {"--target-weights-out", o.targetWeightsOut}, {"--plan", o.plan}, {"--plot", o.plot}, {"--report", o.page},
	} {
		if err := out.add(f.flag, f.path, o.input.files()); err != nil {
			return err
		}
	}
	d, err := solveDist(ctx, std, &o)
	var short *ot.ConvergenceError
	if err != nil && (d == nil || !errors.As(err, &short)) {
		return err
	}
	if err := d.stage(ctx, &out); err != nil {
		return err
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	if o.json {
		if err := std.printJSON(d.json()); err != nil {
			return err
		}
	} else if err := std.print([]byte(d.report())); err != nil {
		return err
	}
	return err // nil, or how far the solver got
}

// A distance is a solved problem.
type distance struct {
	*input
	options        *distOptions
	result         *ot.Result
	source, target side
	seconds        float64
	short          *ot.ConvergenceError // nil when converged
	page           *distPage            // nil without --report
}

// solveDist loads and solves. With a *ot.ConvergenceError comes a distance.
func solveDist(ctx context.Context, std IO, o *distOptions) (*distance, error) {
	p := startProgress(std)
	defer p.stop()
	in, err := o.input.load(ctx, std, p)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	r, err := o.solve(ctx, in.problem, p)
	var short *ot.ConvergenceError
	if err != nil && (r == nil || !errors.As(err, &short)) {
		return nil, err
	}
	d := &distance{input: in, options: o, result: r, seconds: time.Since(start).Seconds(), short: short}
	p.stage("looking at the weights")
	moves := o.method == methodPartial || o.method == methodUnbalanced
	d.source = newSide("source", in, r, moves || o.rho > 0)
	d.target = newSide("target", in, r, moves || o.targetRho > 0)
	if o.page != "" {
		p.stage("preparing the page")
		if again := d.preparePage(ctx); again != nil {
			return nil, again
		}
	}
	return d, err
}

// stage makes the files.
func (d *distance) stage(ctx context.Context, out *outputs) error {
	o := d.options
	if err := out.stage(o.weights, d.source.writeWeights); err != nil {
		return err
	}
	if err := out.stage(o.targetWeightsOut, d.target.writeWeights); err != nil {
		return err
	}
	if err := out.stage(o.plan, func(w io.Writer) error { return writePlan(w, d.result.Plan) }); err != nil {
		return err
	}
	if o.page != "" {
		page, err := await(ctx, d.renderPage)
		if err != nil {
			return err
		}
		if err := out.stage(o.page, func(w io.Writer) error { _, err := w.Write(page); return err }); err != nil {
			return err
		}
	}
	if o.plot == "" {
		return nil
	}
	return stageFigure(ctx, out, o.plot, d.figure())
}

func (d *distance) figure() figure.Figure {
	c := figure.NewCoupling(d.title(), &d.input.source.Points, &d.input.target.Points, d.result)
	if len(c.Plan.Mass) == 0 {
		c.Plan = nil // Nothing is worth moving.
	}
	return c
}
