package experiments

import (
	"context"
	"fmt"
)

var fig1 = Experiment{
	Name:  "fig1",
	Title: "couplings of a blob with two moons: clean, with outliers, robust",
	Paper: "The paper's figure 1",
	Parts: []string{"plane"},
	once:  true,
	study: func(*Options, string) (*study, error) {
		f := NewFigure1()
		return &study{
			title: fmt.Sprintf("%d points, %d of them outliers, to %d", f.Dirty.Len(), f.Outliers(), f.Target.Len()),
			show:  func(ctx context.Context, l *finder) (*section, error) { return showCouplings(ctx, f, l.lab.device()) },
		}, nil
	},
}

// showCouplings solves figure 1, which takes a second, and shows it.
func showCouplings(ctx context.Context, f *Figure1, device string) (*section, error) {
	if err := f.Solve(ctx, nil); err != nil {
		return nil, err
	}
	found, others := f.Found()
	s := &section{Numbers: map[string]any{
		"clean": f.Plain.Value, "plain": f.Spoiled.Value, "robust": f.Robust.Value, "gamma": f.Gamma(), "rho": f.Ball.Rho,
		"outliers": f.Outliers(), "found": found, "others": others,
	}}
	off := func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*(v/f.Plain.Value-1)) }
	s.Markdown = fmt.Sprintf(`| | distance | against (a) |
|---|---|---|
| (a) clean, plain OT | %.4f | |
| (b) outliers, plain OT | %.4f | %s |
| (c) outliers, robust OT, ρ = %.4f | %.4f | %s |

Robust transport took most of the weight from %d of the %d outliers and from %d other points.

![couplings](couplings.png)

`, f.Plain.Value, f.Spoiled.Value, off(f.Spoiled.Value), f.Ball.Rho, f.Robust.Value, off(f.Robust.Value), found, f.Outliers(), others)
	s.figures = []picture{{"couplings.png", f.Couplings()}}
	s.close(planeOrigin(device))
	return s, nil
}

// planeOrigin returns what makes the figures in the plane, which are solved anew
// each time.
func planeOrigin(device string) []origin {
	made := expectation{algorithm: planeAlgorithm}.provenance(device)
	made.Date = "" // the same program writes the same file
	return []origin{{made: made}}
}
