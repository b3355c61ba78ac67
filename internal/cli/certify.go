package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/text"
	"rot.example/rot/ot"
)

type certifyOptions struct {
	input            inputOptions
	certify          ot.CertifyOptions
	gamma            float64
	trim             float64 // part of the mass that stays behind
	trims            string  // "both" sides or the "source"
	divergence       string
	method           ot.Method
	plan, potentials string
	json             bool
}

func newCertify(std IO) *cobra.Command {
	var o certifyOptions
	cmd := &cobra.Command{
		Use:   "certify SOURCE TARGET --plan FILE",
		Short: "How good is somebody's transport plan?",
		Long: `certify takes a plan that any program made and answers three questions: does it
move the mass that it should, what does it cost, and how far from optimal can it
be at most? The answer rests on nothing but the plan and the costs.

` + inputHelp + `

--plan takes i,j,mass as rot dist --plan writes it, a dense matrix (.npy, .csv
and so on, as POT returns it), a sparse matrix that SciPy saved (.npz), or JSON
with the lists i, j and mass. Masses sum to one, or to the total of the weights.
The lower bound comes from --potentials where they are given: f and g (.npz or
.json), or side,index,potential as rot dist --potentials writes them. They need
not be right; they are made feasible, and improved. Without any, certify solves
the problem itself if it has at most 10^10 pairs of rows, and makes a few passes
over all pairs if it has more; --sweeps sets their number.

With --rho or --gamma, and --target-rho, the plan may have any weights within
those radii, and is compared with the best of all such plans. --divergence says
what the radii bound, as in rot dist. With --mass, or --trim, the plan should
move that part of the mass, from each row at most what it has, and is compared
with the best that do.

With --method unbalanced the plan may move any mass, and weights that are not
those of the rows cost --penalty times their divergence, chi2 or kl, on either
side, as in rot dist. Masses are then in units in which the weights sum to one.

A plan counts as feasible if at most 1e-6 of the mass, or --slack, is in the
wrong place. One that is not feasible is repaired for the upper bound: what is
too much is taken away in proportion, what is then missing is added.

With --json the result is one object on stdout: feasible, violation (part of the
mass that is in the wrong place), worst (the largest violation: kind, row, col,
have, want, text; null for none), value (cost of the plan as it is), upper (cost
of the plan made feasible), lower, gap (upper - lower), and more.`,
		Example: `  rot certify a.csv b.csv --plan plan.npz
  rot certify a.npy b.npy --plan pot.npy --metric sqeuclidean --json
  rot certify a.csv b.csv --plan plan.csv --potentials duals.npz --gamma 0.05
  rot certify a.csv b.csv --plan plan.csv --gamma 0.05 --divergence tv
  rot certify a.csv b.csv --plan partial.npy --mass 0.9
  rot certify a.csv b.csv --plan plan.npy --method unbalanced --penalty 2 --divergence kl
  rot certify --cost costs.npy --plan plan.npy`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.resolve(cmd.Flags().Changed, args); err != nil {
				return err
			}
			return runCertify(cmd.Context(), std, &o)
		},
	}
	o.bind(cmd.Flags())
	completeChoices(cmd)
	return cmd
}

func (o *certifyOptions) bind(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.StringVar(&o.plan, "plan", "", "`file` with the plan (needed)")
	fs.StringVar(&o.potentials, "potentials", "", "`file` with dual potentials that prove the plan good")
	fs.Var(numberFlag{&o.certify.Source.Rho, ruleRadius}, "rho", "radius of the ball around the weights of SOURCE")
	fs.Var(numberFlag{&o.gamma, ruleFraction}, "gamma", "instead of --rho: part of SOURCE that may be set aside")
	fs.Var(numberFlag{&o.certify.Target.Rho, ruleRadius}, "target-rho", "radius of the ball around the weights of TARGET")
	o.divergence, o.trims = ot.Chi2.String(), "both"
	o.method = ot.MethodExact
	fs.Var(choiceFlag{(*string)(&o.method), []string{string(ot.MethodExact), string(ot.MethodPartial), string(ot.MethodUnbalanced)}}, "method", "what the plan should solve: exact, partial (with --mass or --trim) or unbalanced")
	fs.Var(choiceFlag{&o.divergence, []string{ot.Chi2.String(), ot.KL.String(), ot.TV.String()}}, "divergence", "what radii bound: chi2, kl or tv; unbalanced: penalty on the weights, chi2 or kl")
	fs.Var(numberFlag{&o.certify.Penalty, rulePositive}, "penalty", "unbalanced: weight of the penalty, in units of cost (default 1)")
	fs.Var(numberFlag{&o.certify.Mass, ruleMass}, "mass", "part of the mass that the plan should move")
	fs.Var(numberFlag{&o.trim, ruleFraction}, "trim", "part of the mass of each side that stays behind, 1 less --mass")
	fs.Var(choiceFlag{&o.trims, []string{"both", "source"}}, "trim-side", "which side leaves mass behind: both, or source, when every row of TARGET gets its share")
	fs.Var(numberFlag{&o.certify.Slack, ruleTol}, "slack", "part of the mass that may be in the wrong place (default 1e-6)")
	fs.Var(numberFlag{&o.certify.Tol, ruleTol}, "tol", "relative gap at which the search for a better bound ends (default 1e-9)")
	fs.Var(countFlag{&o.certify.Sweeps}, "sweeps", "passes over all pairs in search of a better bound (default: as many as it takes)")
	o.input.bind(fs)
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
}

func (o *certifyOptions) resolve(given func(string) bool, args []string) error {
	if err := o.input.resolve("certify", given, args); err != nil {
		return err
	}
	switch {
	case o.plan == "" || o.plan == "-":
		return usagef("certify needs --plan FILE")
	case given("potentials") && (o.potentials == "" || o.potentials == "-"):
		return usagef("--potentials needs a file, got %q", o.potentials)
	case given("rho") && given("gamma"):
		return usagef("--rho and --gamma both set the radius; give one of them")
	}
	return o.resolveSides(given)
}

// resolveSides says which weights the plan may have.
func (o *certifyOptions) resolveSides(given func(string) bool) error {
	radii := given("rho") || given("gamma") || given("target-rho")
	part := given("mass") || given("trim")
	unbalanced := o.method == ot.MethodUnbalanced
	switch {
	case unbalanced && (radii || part):
		return usagef("--method unbalanced has a --penalty, no radii and no --mass or --trim")
	case given("penalty") && !unbalanced:
		return usagef("--penalty goes with --method unbalanced")
	case unbalanced && o.divergence == ot.TV.String():
		return usagef("--method unbalanced takes --divergence chi2 or kl")
	case given("method") && o.method == ot.MethodExact && part:
		return usagef("a part of the mass is --method partial")
	case o.method == ot.MethodPartial && !part:
		return usagef("--method partial needs --mass or --trim")
	case given("mass") && given("trim"):
		return usagef("--trim and --mass both say how much to move; give one of them")
	case part && radii:
		return usagef("a plan moves a part of the mass, or has weights within radii; give --mass or --trim, or radii, not both")
	case given("trim-side") && !part:
		return usagef("--trim-side goes with --trim or --mass")
	case given("divergence") && !radii && !unbalanced:
		return usagef("--divergence says what a radius bounds: give --rho, --gamma or --target-rho; or what a penalty is on: give --method unbalanced")
	case given("trim"):
		o.certify.Mass = 1 - o.trim
	}
	if unbalanced && !given("penalty") {
		o.certify.Penalty = 1
	}
	o.certify.OneSided = o.trims == "source"
	var err error
	if o.certify.Divergence, err = ot.ParseDivergence(o.divergence); err != nil {
		return err
	}
	if given("gamma") {
		if o.certify.Source.Rho, err = o.certify.Divergence.Radius(o.gamma); err != nil {
			return usagef("--gamma: %s", plainText(err))
		}
	}
	return nil
}

func runCertify(ctx context.Context, std IO, o *certifyOptions) error {
	a, err := solveCertify(ctx, std, o)
	if a == nil {
		return err
	}
	if o.json {
		if err := std.printJSON(a.JSON()); err != nil {
			return err
		}
	} else if err := std.print([]byte(a.Text())); err != nil {
		return err
	}
	if err != nil {
		return &interruptedError{err}
	}
	return nil
}

// solveCertify loads and certifies. With the error of an interrupt comes what
// was known until then.
func solveCertify(ctx context.Context, std IO, o *certifyOptions) (*text.Certified, error) {
	p := startProgress(std)
	defer p.stop()
	o.input.single = true
	in, _, err := o.input.load(ctx, std, p)
	if err != nil {
		return nil, err
	}
	m, n := in.Cost.Dims()
	p.stage(reading(o.plan))
	plan, err := await(ctx, func() (*ot.Plan, error) { return dataset.LoadPlan(o.plan, m, n) })
	if err != nil {
		return nil, err
	}
	if o.potentials != "" {
		if o.certify.F, o.certify.G, err = dataset.LoadPotentials(o.potentials, m, n); err != nil {
			return nil, err
		}
	}
	o.certify.Progress = p.report
	p.stage("looking at the plan")
	start := time.Now()
	c, err := ot.Certify(ctx, in.Problem.Problem, plan, &o.certify)
	if c == nil {
		return nil, err
	}
	return &text.Certified{
		Certificate: c, Input: *in, Plan: o.plan, Potentials: o.potentials, Asked: o.certify,
		Entries: plan.Len(), Seconds: time.Since(start).Seconds(),
	}, err
}
