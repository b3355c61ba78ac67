package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

type certifyOptions struct {
	input            inputOptions
	certify          ot.CertifyOptions
	gamma            float64
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
those radii, and is compared with the best of all such plans.

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
	case given("gamma"):
		ball, err := chisq.FromGamma(o.gamma)
		if err != nil {
			return usagef("--gamma: %s", plainText(err))
		}
		o.certify.Source = ball
	}
	return nil
}

func runCertify(ctx context.Context, std IO, o *certifyOptions) error {
	a, err := solveCertify(ctx, std, o)
	if a == nil {
		return err
	}
	if o.json {
		if err := std.printJSON(a.json()); err != nil {
			return err
		}
	} else if err := std.print([]byte(a.text())); err != nil {
		return err
	}
	if err != nil {
		return &interruptedError{err}
	}
	return nil
}

// solveCertify loads and certifies. With the error of an interrupt comes what
// was known until then.
func solveCertify(ctx context.Context, std IO, o *certifyOptions) (*certified, error) {
	p := startProgress(std)
	defer p.stop()
	in, err := o.input.load(ctx, std, p)
	if err != nil {
		return nil, err
	}
	m, n := in.problem.Cost.Dims()
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
	c, err := ot.Certify(ctx, in.problem, plan, &o.certify)
	if c == nil {
		return nil, err
	}
	return &certified{Certificate: c, input: in, options: o, entries: plan.Len(), seconds: time.Since(start).Seconds()}, err
}

// certified is a plan that was looked at.
type certified struct {
	*ot.Certificate
	*input
	options *certifyOptions
	entries int
	seconds float64
}

// certifyJSON is what certify --json prints; scripts rely on the names.
type certifyJSON struct {
	Feasible  bool       `json:"feasible"`
	Violation number     `json:"violation"`
	Worst     *faultJSON `json:"worst"`
	Value     number     `json:"value"`
	Upper     number     `json:"upper"`
	Lower     number     `json:"lower"`
	Gap       number     `json:"gap"`
	RelGap    number     `json:"rel_gap"`

	Rho       float64 `json:"rho"`
	TargetRho float64 `json:"target_rho"`
	Metric    string  `json:"metric"`
	M         int     `json:"m"`
	N         int     `json:"n"`
	Dim       int     `json:"dim"`
	Entries   int     `json:"entries"` // of the plan
	Mass      number  `json:"mass"`    // that it moves, of 1
	Sweeps    int     `json:"sweeps"`
	Solved    bool    `json:"solved"`
	Seconds   float64 `json:"seconds"`
}

type faultJSON struct {
	Kind string `json:"kind"`
	Row  int    `json:"row"` // -1 where a whole side is meant
	Col  int    `json:"col"`
	Have number `json:"have"`
	Want number `json:"want"`
	Text string `json:"text"`
}

func (a *certified) json() *certifyJSON {
	c := a.problem.Cost
	m, n := c.Dims()
	j := &certifyJSON{
		Feasible: a.Feasible, Violation: number(a.Violation), Value: number(a.Value), Upper: number(a.Upper), Lower: number(a.Lower),
		Gap: number(a.Gap()), RelGap: number(a.RelGap()), Rho: a.options.certify.Source.Rho, TargetRho: a.options.certify.Target.Rho,
		Metric: c.Metric().String(), M: m, N: n, Dim: c.Dim(), Entries: a.entries, Mass: number(a.Total),
		Sweeps: a.Sweeps, Solved: a.Solved, Seconds: a.seconds,
	}
	if f := a.Worst; f != nil {
		j.Worst = &faultJSON{string(f.Kind), f.Row, f.Col, number(f.Have), number(f.Want), f.String()}
	}
	return j
}

// text is the answer in words.
func (a *certified) text() string {
	var b strings.Builder
	a.describe(&b, &a.options.input)
	fmt.Fprintf(&b, "Plan %s: %s\n\n", a.options.plan, plural(a.entries, "move"))
	if a.Feasible {
		fmt.Fprintf(&b, "Feasible, and %s\n", a.verdict())
	} else {
		fmt.Fprintf(&b, "Not feasible: %s of the mass is in the wrong place.\n", share(a.Violation))
	}
	if f := a.Worst; f != nil && !a.Feasible {
		fmt.Fprintf(&b, "  worst       %s\n", f)
	}
	fmt.Fprintf(&b, "  cost        %s\n", digits(a.Value, 6))
	if !a.Feasible {
		fmt.Fprintf(&b, "  repaired    %s, the cost once every row has the mass that it should\n", digits(a.Upper, 6))
	}
	fmt.Fprintf(&b, "  at least    %s, by %s\n", digits(a.Lower, 6), a.source())
	fmt.Fprintf(&b, "  gap         %s at most", digits(a.Gap(), 3))
	if !a.Feasible {
		b.WriteString(", of the repaired plan")
	}
	b.WriteString("\n")
	return b.String()
}

// verdict says how good a feasible plan is.
func (a *certified) verdict() string {
	switch gap := a.RelGap(); {
	case gap < 1e-12:
		return "optimal up to rounding."
	case gap < 1e-4:
		return fmt.Sprintf("at most %s of its cost above the optimum.", digits(gap, 2))
	default:
		return fmt.Sprintf("at most %s of its cost above the optimum.", share(gap))
	}
}

// share is a part of a whole as a percentage.
func share(v float64) string {
	if v < 1e-4 {
		return digits(v, 2)
	}
	return digits(100*v, 3) + " %"
}

// source says where the lower bound comes from.
func (a *certified) source() string {
	switch {
	case a.Solved:
		return "a solve of the problem"
	case a.options.potentials != "":
		return "the given potentials"
	case a.Sweeps > 0:
		return fmt.Sprintf("%s over all pairs", plural(a.Sweeps, "sweep"))
	}
	return "costs that are never negative"
}
