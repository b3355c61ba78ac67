package experiments

import (
	"context"
	"fmt"

	"rot.example/rot/da"
	"rot.example/rot/gan"
)

// sensitivity varies the radius. A radius of 0 is the adversarial method.
var sensitivity = Experiment{
	Name:   "sensitivity",
	Title:  "the radius ρ: of a robust WGAN on CIFAR-10 with 5 % MNIST digits, and in domain adaptation",
	Paper:  "The paper's two sensitivity tables, also with digits, Office-Caltech10 and PACS in place of VisDA-17",
	Parts:  []string{"gan", "digits", "efficientnet", "pacs", "visda"},
	scored: true,
	run: func(ctx context.Context, g *grid, part string) (*section, error) {
		if part == "gan" {
			return g.ganSensitivity(ctx)
		}
		var cols []column
		rhos := []float64{0, 0.05, 0.1, 0.2, 0.4}
		if g.Quick {
			rhos = []float64{0, 0.2}
		}
		for _, rho := range rhos {
			cols = append(cols, column{name: fmt.Sprintf("ρ = %g", rho), change: func(c *da.Config) { c.Rho = rho }})
		}
		cols = append(cols, column{name: "auto", change: func(c *da.Config) { c.Rho, c.RhoAuto = 0, true }})
		dirty := openSet
		if part == "digits" {
			dirty = contaminated
		}
		return g.adaptSection(ctx, part, cols, clean, dirty)
	},
}

// ganSensitivity varies the radius of a GAN.
func (g *grid) ganSensitivity(ctx context.Context) (*section, error) {
	var ms []model
	for _, rho := range []float64{0, 0.01, 0.05, 0.1, 0.15} {
		ms = append(ms, model{name: fmt.Sprintf("ρ = %g", rho), change: func(c *gan.Config) { c.Rho = rho }})
	}
	for _, rho := range []float64{0.01, 0.05, 0.1, 0.15} {
		ms = append(ms, model{name: fmt.Sprintf("ρ = %g by penalty", rho), change: func(c *gan.Config) { c.Rho, c.Constraint = rho, gan.Penalty }})
	}
	return g.ganSection(ctx, "dcgan", 0.05, ms, false)
}
