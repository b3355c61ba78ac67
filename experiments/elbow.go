package experiments

import (
	"context"
	"fmt"
	"math"

	"rot.example/rot/chisq"
	"rot.example/rot/figure"
	"rot.example/rot/ot"
)

var elbow = Experiment{
	Name:  "elbow",
	Title: "the robust distance against ρ, with Theorem 2's bound and the estimated ρ",
	Paper: "The paper's appendix on the choice of ρ",
	Parts: []string{"plane"},
	once:  true,
	study: func(*Options, string) (*study, error) {
		return &study{
			title: "The data of figure 1",
			show:  func(ctx context.Context, l *finder) (*section, error) { return showElbow(ctx, l.lab.device()) },
		}, nil
	},
}

// showElbow works out the curve, which takes a second, and shows it.
func showElbow(ctx context.Context, device string) (*section, error) {
	f := NewFigure1()
	if err := f.SolveCurve(ctx, nil); err != nil {
		return nil, err
	}
	s := &section{}
	s.Markdown = "| ρ | V(ρ) | lower bound | Theorem 2's upper bound on V |\n|---|---|---|---|\n"
	broken := 0
	for _, p := range f.Curve.Points {
		bound := f.Theorem.At(p.Rho)
		s.Markdown += fmt.Sprintf("| %g | %.5f | %.5f | %.5f |\n", p.Rho, p.Value, p.Lower, bound)
		if p.Lower > bound {
			broken++
		}
	}
	s.Numbers = map[string]any{"points": curvePoints(f.Curve), "elbow": f.Curve.Elbow, "sharpness": f.Curve.Sharpness, "plain": f.Curve.Plain}
	truth, err := chisq.FromGamma(f.Gamma())
	if err != nil {
		return nil, err
	}
	s.Markdown += fmt.Sprintf("\nThe elbow is at ρ = %g, room for %.1f %% of the source; the outliers are %.1f %%, for which ρ = %.4f would do. The bound is broken at %d of %d radii.\n\n![curve](curve.png)\n\n",
		f.Curve.Elbow, 100*chisq.Ball{Rho: f.Curve.Elbow}.Gamma(), 100*f.Gamma(), truth.Rho, broken, len(f.Curve.Points))
	s.figures = []picture{{"curve.png", figure.NewCurve("Choosing ρ: the elbow", f.Curve, f.Theorem)}}
	s.close(planeOrigin(device))
	return s, nil
}

// A curvePoint is a point of the curve as results.json has it.
type curvePoint struct {
	Rho, Value, Lower float64
	Lambda            *float64 // null where the curve is infinitely steep, at ρ = 0
	Solved            bool
}

func curvePoints(c *ot.CurveResult) (points []curvePoint) {
	for _, p := range c.Points {
		q := curvePoint{Rho: p.Rho, Value: p.Value, Lower: p.Lower, Solved: p.Solved}
		if !math.IsInf(p.Lambda, 0) {
			q.Lambda = &p.Lambda
		}
		points = append(points, q)
	}
	return points
}
