package cli

import (
	"context"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/drift"
	"rot.example/rot/engine"
	"rot.example/rot/internal/text"
	"rot.example/rot/ot"
	"rot.example/rot/page"
	tab "rot.example/rot/table"
)

type distOptions struct {
	input   inputOptions
	solve   ot.SolveOptions // resolve sets Rho from gamma
	gamma   float64
	trim    float64 // partial: part of the mass to leave behind
	trims   string  // partial: "both" sides or the "source"
	rhoFrom string  // "rho", "gamma", "auto", or "default" for plain transport

	divergence string

	weights, targetWeightsOut, plan, potentials, plot, page string
	json, quiet                                             bool
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
The ending of such a name says the format: .csv, .npy, .npz, .parquet or .json.

--report writes a page to look at, one HTML file that needs no network: the
answer, the weights, a map of both samples that tells about the row pointed at,
the curve V(ρ) (of at most 600 rows a side), the rows of lowest weight beside
their nearest kept neighbours, the share that each class loses where there are
labels, and how certain it all is.

A radius bounds how far the weights w of a side, which sum to one, may be from
those of the input a: chi2 means 1/2 sum (w-a)^2/a, kl sum w log(w/a) with the
natural logarithm, tv 1/2 sum |w-a|, the mass that is elsewhere. --gamma sets
the radius that has room to set aside that part: G/(2(1-G)), -log(1-G) or G.
With kl no weight becomes 0. tv on both sides takes at most 5e7 pairs of rows.

The noise floor says what a distance means: about how far two random halves of
SOURCE, and of TARGET, are apart. --quiet leaves it out.

Looking at all pairs of rows is most of the work for many rows. --backend auto
leaves it to a GPU if it finds one, this program was built for it (rot version
says so), and it pays, from about 100 000 rows a side on. What comes near to the
best is looked at again here, so that the answer and its bounds are the same.

The methods entropic, unbalanced and partial are there to compare with: they
have no radius, and options of their own. The bounds of entropic are those of
plain transport, so that their gap is the price of the smoothing.

With --json the result is one object on stdout: value and lower (bounds of the
optimum), gap, rho, target_rho, gamma, metric, method, m (rows of SOURCE), n
(rows of TARGET), dim, seconds, converged, dropped (rows of weight 0), low (rows
of a weight below 0.5), effective_sample_size, suspicious (the ten rows of
lowest weight, among those below 0.5), noise (the noise floor: source, target;
null with --quiet, --cost or --truncate), device (the GPU that helped, "" for
none), and more.

Weights of --source-weights and --target-weights are scaled to sum to one on
each side; where their totals differ, a line of the text says so, and JSON has
them as source_total and target_total. In a matrix, inf forbids a pair.

Exit code 3 means that the result is not as exact as --tol asks; it is still
printed, and its bounds hold. Ctrl-C does the same with the bounds reached so
far; files are not written then.`,
		Example: `  rot dist today.csv reference.csv
  rot dist today.csv reference.csv --gamma 0.05 --weights weights.csv --plot plan.png
  rot dist today.csv reference.csv --rho auto --report report.html
  rot dist today.csv reference.csv --rho auto --json
  rot dist a.npy b.npy --rho 0.05 --target-rho 0.05 --metric sqeuclidean
  rot dist --cost costs.npy --source-weights a.csv --gamma 0.1
  rot dist synth:outliers,n=500 synth:gauss,n=500,seed=1 --gamma 0.05
  rot dist a.csv b.csv --trim 0.05 --trim-side source
  rot dist a.csv b.csv --gamma 0.05 --divergence kl
  rot dist a.csv b.csv --truncate 3`,
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
	o.solve.Method, o.divergence, o.solve.Penalty = ot.MethodExact, ot.Chi2.String(), 1
	var methods []string
	for _, m := range ot.Methods() {
		methods = append(methods, string(m))
	}
	fs.Var(radiusFlag{&o.solve.Rho, &o.solve.Auto}, "rho", "radius of the ball around the weights of SOURCE; auto: the elbow of rot curve")
	fs.Var(numberFlag{&o.gamma, ruleFraction}, "gamma", "instead of --rho: part of SOURCE that may be set aside")
	fs.Var(numberFlag{&o.solve.TargetRho, ruleRadius}, "target-rho", "radius of the ball around the weights of TARGET")
	o.input.bind(fs)
	fs.Var(choiceFlag{(*string)(&o.solve.Method), methods}, "method", "exact (plain or robust), entropic, unbalanced or partial")
	fs.Var(numberFlag{&o.solve.Epsilon, rulePositive}, "epsilon", "entropic: strength of the smoothing, in units of cost (default: a hundredth of the mean cost)")
	fs.Var(numberFlag{&o.solve.Mass, ruleMass}, "mass", "partial: part of the mass to move")
	fs.Var(numberFlag{&o.trim, ruleFraction}, "trim", "partial: part of the mass of each side to leave behind, 1 less --mass; implies --method partial")
	o.trims = "both"
	fs.Var(choiceFlag{&o.trims, []string{"both", "source"}}, "trim-side", "partial: which side leaves mass behind, both or source, when every row of TARGET gets its share")
	fs.Var(choiceFlag{&o.divergence, []string{ot.Chi2.String(), ot.KL.String(), ot.TV.String()}}, "divergence", "what radii bound: chi2, kl or tv; unbalanced: penalty on the weights, chi2 or kl")
	fs.Var(numberFlag{&o.solve.Penalty, rulePositive}, "penalty", "unbalanced: weight of the penalty, in units of cost")
	fs.Var(numberFlag{&o.solve.Tol, ruleTol}, "tol", "relative gap between the bounds that counts as solved (default 1e-9; entropic: error of the weights, default 1e-5)")
	fs.Var(countFlag{&o.solve.MaxIters}, "max-iters", "stop after so many pivots or iterations (default: no limit; entropic: what some seconds allow)")
	fs.StringVar(&o.weights, "weights", "", "write the weights of SOURCE to a `file`: index,weight")
	fs.StringVar(&o.targetWeightsOut, "target-weights-out", "", "write the weights of TARGET to a `file`: index,weight")
	fs.StringVar(&o.plan, "plan", "", "write the plan to a `file`: i,j,mass")
	fs.StringVar(&o.potentials, "potentials", "", "write the dual potentials to a `file`: side,index,potential (.npz, .json: f and g)")
	fs.StringVar(&o.plot, "plot", "", "draw the plan into a .png or .svg `file`")
	fs.StringVar(&o.page, "report", "", "write a page with charts into an .html `file`")
	fs.BoolVar(&o.quiet, "quiet", false, "do without the noise floor, which takes a moment")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
}

// distFlagOf says which method a flag belongs to.
var distFlagOf = []struct {
	flag   string
	method ot.Method
}{
	{"rho", ot.MethodExact}, {"gamma", ot.MethodExact}, {"target-rho", ot.MethodExact},
	{"epsilon", ot.MethodEntropic}, {"mass", ot.MethodPartial}, {"trim", ot.MethodPartial}, {"trim-side", ot.MethodPartial},
	{"penalty", ot.MethodUnbalanced},
}

// resolve checks the flags against each other.
func (o *distOptions) resolve(given func(string) bool, args []string) error {
	if err := o.input.resolve("dist", given, args); err != nil {
		return err
	}
	if given("trim") {
		if given("mass") {
			return usagef("--trim and --mass both say how much to move; give one of them")
		}
		if !given("method") {
			o.solve.Method = ot.MethodPartial
		}
		o.solve.Mass = 1 - o.trim
	}
	o.solve.OneSided = o.trims == "source"
	for _, f := range distFlagOf {
		if given(f.flag) && o.solve.Method != f.method {
			return usagef("--%s belongs to --method %s; it does not go with --method %s", f.flag, f.method, o.solve.Method)
		}
	}
	switch {
	case given("rho") && given("gamma"):
		return usagef("--rho and --gamma both set the radius; give one of them")
	case o.solve.Method == ot.MethodPartial && !given("mass") && !given("trim"):
		return usagef("--method partial needs --mass, the part of the mass to move, or --trim, the part to leave")
	case o.plot != "" && o.input.cost != "":
		return usagef("--plot needs SOURCE and TARGET; a cost matrix has no points to draw")
	}
	for _, f := range []struct{ flag, path string }{
		{"--weights", o.weights}, {"--target-weights-out", o.targetWeightsOut}, {"--plan", o.plan}, {"--potentials", o.potentials},
	} {
		if err := checkNumbers(f.flag, f.path); err != nil {
			return err
		}
	}
	if err := checkPage(o.page); err != nil {
		return err
	}
	if err := o.resolveDivergence(given); err != nil {
		return err
	}
	o.rhoFrom = "default"
	switch {
	case o.solve.Auto:
		o.rhoFrom = "auto"
	case given("rho"):
		o.rhoFrom = "rho"
	case given("gamma"):
		o.rhoFrom = "gamma"
		var err error
		if o.solve.Rho, err = o.solve.Divergence.Radius(o.gamma); err != nil {
			return usagef("--gamma: %s", plainText(err))
		}
	}
	return checkPlot(o.plot)
}

// checkNumbers refuses a file of numbers whose ending no format has.
func checkNumbers(flag, path string) error {
	if path != "" && !tab.CanWrite(path) {
		return usagef("%s %s: the name must end in %s", flag, path, tab.Writable)
	}
	return nil
}

// checkPage refuses a page that no browser would open.
func checkPage(path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); path != "" && ext != ".html" && ext != ".htm" {
		return usagef("--report %s: the name must end in .html", path)
	}
	return nil
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
		{"--weights", o.weights}, {"--target-weights-out", o.targetWeightsOut}, {"--plan", o.plan}, {"--potentials", o.potentials}, {"--plot", o.plot}, {"--report", o.page},
	} {
		if err := out.add(f.flag, f.path, o.input.files()); err != nil {
			return err
		}
	}
	if err := o.input.tables.addOutput(&out, o.input.files()); err != nil {
		return err
	}
	d, err := solveDist(ctx, std, &o)
	if d == nil {
		return err
	}
	if d.Stopped == nil {
		if err := d.stage(ctx, &out); err != nil {
			return err
		}
		if err := out.commit(ctx); err != nil {
			return err
		}
	}
	if o.json {
		if err := std.printJSON(d.JSON()); err != nil {
			return err
		}
	} else if err := std.print([]byte(d.Text())); err != nil {
		return err
	}
	if d.Stopped != nil {
		return &interruptedError{d.Stopped}
	}
	return err // nil, or how far the solver got
}

// A distance is a solved problem, and what its page shows besides.
type distance struct {
	text.Distance
	options    *distOptions
	comparison *page.Comparison // nil without --report
	command    string
}

// solveDist loads and solves. With a *ot.ConvergenceError comes a distance.
func solveDist(ctx context.Context, std IO, o *distOptions) (*distance, error) {
	p := startProgress(std)
	defer p.stop()
	o.input.single = o.plot == "" && o.page == "" // which want rows in double precision
	in, warnings, err := o.input.load(ctx, std, p)
	if err != nil {
		return nil, err
	}
	if m, n := in.Problem.Cost.Dims(); float64(m+n)*float64(in.Problem.Cost.Dim()) > 1<<27 {
		// Garbage beside so many numbers is gigabytes, and to collect it early
		// costs next to nothing: they have no pointers.
		defer debug.SetGCPercent(debug.SetGCPercent(25))
	}
	ask := o.solve
	ask.Progress, ask.Stage = p.report, p.stage
	ask.NoPlan = o.plan == "" && o.plot == "" // that of entropic transport is dense
	var gpu *engine.Sweeper
	if ask.Method == ot.MethodExact || ask.Method == ot.MethodPartial {
		if gpu, err = engine.OpenSweeper(o.input.backend.name, in.Problem.Problem, engineOptions()); err != nil {
			return nil, err
		}
		defer gpu.Close()
		ask.Sweeper = gpu.Option()
	}
	s, err := ot.Solve(ctx, in.Problem.Problem, &ask)
	if s == nil {
		return nil, err
	}
	s.Options.Sweeper = nil // which is closed when this returns
	if s.Stopped != nil {
		o.page = "" // which takes as long again
	}
	d := &distance{Distance: text.Distance{Input: *in, Solution: s, RhoFrom: o.rhoFrom, Device: gpu.Device(), Warnings: warnings}, options: o, command: std.command()}
	d.Next = d.hint()
	for _, f := range []string{o.weights, o.targetWeightsOut, o.plan, o.potentials, o.plot, o.page} {
		if f != "" {
			d.Wrote = append(d.Wrote, f)
		}
	}
	if !o.quiet && in.Source != nil && in.Cost.Most() == 0 { // halves are compared at full costs
		p.stage("looking at the noise")
		var problem error
		if d.Noise, problem = drift.NoiseFloor(ctx, &in.Source.Points, &in.Target.Points, in.Cost.Metric()); problem != nil {
			return nil, problem
		}
	}
	if o.page != "" {
		p.stage("preparing the page")
		comparison, err := page.Compare(ctx, s)
		if err != nil {
			return nil, err
		}
		d.comparison = comparison
	}
	return d, err
}

// htmlPage is the page of d.
func (d *distance) htmlPage() *page.Page {
	return page.Distance(d.Solution, &page.DistanceOptions{
		Encoding: d.Encoding(), Title: "rot dist " + d.Input.Title(), Command: d.command, Costs: d.Costs, Comparison: d.comparison,
		Source: text.PageSample(d.SourceName, d.Input.Source), Target: text.PageSample(d.TargetName, d.Input.Target),
	})
}
