package experiments

import (
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
	study: func(o *Options, part string) (*study, error) {
		if part == "gan" {
			return ganSensitivity(o)
		}
		var cols []column
		rhos := []float64{0, 0.05, 0.1, 0.2, 0.4}
		if o.Quick {
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
		return adaptStudy(o, part, cols, clean, dirty)
	},
}

// ganSensitivity returns the study that varies the radius of a GAN.
func ganSensitivity(o *Options) (*study, error) {
	var models []model
	for _, rho := range []float64{0, 0.01, 0.05, 0.1, 0.15} {
		models = append(models, model{name: fmt.Sprintf("ρ = %g", rho), change: func(c *gan.Config) { c.Rho = rho }})
	}
	for _, rho := range []float64{0.01, 0.05, 0.1, 0.15} {
		models = append(models, model{name: fmt.Sprintf("ρ = %g by penalty", rho), change: func(c *gan.Config) { c.Rho, c.Constraint = rho, gan.Penalty }})
	}
	return cifarStudy(o, "dcgan", 0.05, models, showTable)
}
