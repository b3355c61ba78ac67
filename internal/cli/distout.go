package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// hint says what to do next.
func (d *distance) hint() string {
	o := d.options
	input := o.input.arguments()
	switch {
	case d.Short != nil || o.input.source == "-" || o.input.target == "-" || d.Options.Method != ot.MethodExact:
		return ""
	case !d.Robust() && o.rhoFrom == "auto":
		return ""
	case !d.Robust():
		return fmt.Sprintf("are there outliers? Set 5 %% of the source aside, or see what each radius would do:\n  rot dist %s --gamma 0.05\n  rot curve %s", input, input)
	case o.weights == "" && o.plot == "" && o.input.cost == "":
		return fmt.Sprintf("save the weight of every row, and look at the plan:\n  rot dist %s %s --weights weights.csv --plot plan.png", input, d.radiusFlags())
	case o.rhoFrom != "auto" && d.Options.TargetRho == 0 && d.Options.Divergence == ot.Chi2:
		return fmt.Sprintf("see whether another radius would do as well:\n  rot curve %s", input)
	}
	return ""
}

// radiusFlags repeats the radii.
func (d *distance) radiusFlags() string {
	o := d.options
	var parts []string
	switch {
	case o.rhoFrom == "gamma":
		parts = append(parts, "--gamma "+digits(o.gamma, -1))
	case o.rhoFrom == "auto" && d.Options.Rho > 0:
		parts = append(parts, "--rho "+digits(d.Options.Rho, 5))
	case d.Options.Rho > 0:
		parts = append(parts, "--rho "+digits(d.Options.Rho, -1))
	}
	if o.solve.TargetRho > 0 {
		parts = append(parts, "--target-rho "+digits(o.solve.TargetRho, -1))
	}
	if o.solve.Divergence != ot.Chi2 {
		parts = append(parts, "--divergence "+o.divergence)
	}
	return strings.Join(parts, " ")
}

// stage makes the files.
func (d *distance) stage(ctx context.Context, out *outputs) error {
	o := d.options
	if d.Input.Source != nil {
		if err := o.input.tables.stage(out, d.Input.Source.Encoding); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		path  string
		write func(w io.Writer, path string) error
	}{
		{o.weights, func(w io.Writer, path string) error { return dataset.WriteWeights(w, path, d.Solution.Source.Weights) }},
		{o.targetWeightsOut, func(w io.Writer, path string) error { return dataset.WriteWeights(w, path, d.Solution.Target.Weights) }},
		{o.plan, func(w io.Writer, path string) error { return dataset.WritePlan(w, path, d.Plan) }},
		{o.potentials, func(w io.Writer, path string) error { return dataset.WritePotentials(w, path, d.Result) }},
	} {
		if err := out.stage(f.path, func(w io.Writer) error { return f.write(w, f.path) }); err != nil {
			return err
		}
	}
	if o.page != "" {
		if err := stagePage(ctx, out, o.page, d.htmlPage()); err != nil {
			return err
		}
	}
	if o.plot == "" {
		return nil
	}
	return stageFigure(ctx, out, o.plot, page.Coupling(d.Solution, &d.Input.Source.Points, &d.Input.Target.Points))
}
