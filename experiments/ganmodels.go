package experiments

import (
	"fmt"

	"rot.example/rot/chisq"
	"rot.example/rot/gan"
	"rot.example/rot/train"
)

// A setting is data for a GAN: what is learned from, and what is mixed in.
type setting struct {
	name     string
	config   gan.Config // what all columns share
	gamma    float64    // of outliers
	outliers string     // what they are, without the fraction
}

// load reads the data of the setting for a configuration, which gets to know
// what they are.
func (s *setting) load(c *gan.Config) (*train.Data, error) {
	c.Outliers = ""
	if s.gamma > 0 {
		c.Outliers = fmt.Sprintf("%s@%g", s.outliers, s.gamma)
	}
	data, _, err := gan.Load(c)
	return data, err
}

// A model is a column: a way to train on a setting.
type model struct {
	name    string
	change  func(c *gan.Config)
	matched bool // the radius is what the outliers of the setting need
}

// configOn returns the model's configuration on a setting; false where it has
// none, because there are no outliers to match.
func (m *model) configOn(s *setting) (gan.Config, bool) {
	c := s.config
	m.change(&c)
	if m.matched {
		ball, err := chisq.FromGamma(s.gamma)
		if err != nil || ball.Rho == 0 {
			return c, false
		}
		c.Rho = ball.Rho
	}
	return c, true
}

// plainAndRobust returns a WGAN and a robust one of radius rho.
func plainAndRobust(rho float64) []model {
	return []model{
		{name: "WGAN", change: func(c *gan.Config) { c.Rho = 0 }},
		{name: fmt.Sprintf("robust WGAN, ρ = %g", rho), change: func(c *gan.Config) { c.Rho = rho }},
	}
}

// penalized returns a robust model whose radius is held by the paper's penalty.
func penalized(name string, rho float64) model {
	return model{name: fmt.Sprintf("%s, ρ = %g by penalty", name, rho), change: func(c *gan.Config) { c.Rho, c.Constraint = rho, gan.Penalty }}
}

// matching returns a robust model whose radius has room for the outliers that there
// are, and no more.
func matching(name string) model {
	return model{name: name + ", ρ = γ/2(1−γ)", change: func(c *gan.Config) { c.Constraint = gan.Ball }, matched: true}
}

// automatic returns a robust model that chooses its radius itself, with the
// weights by transport, as rot gan train does where nothing is said.
func automatic(name string) model {
	return model{name: name + ", ρ auto", change: func(c *gan.Config) { c.Rho, c.RhoAuto, c.Weights = 0, true, gan.WeightTransport }}
}

// transported returns a robust model with the weights by transport.
func transported(name string, rho float64) model {
	return model{name: fmt.Sprintf("%s, ρ = %g by transport", name, rho), change: func(c *gan.Config) { c.Rho, c.Weights = rho, gan.WeightTransport }}
}
