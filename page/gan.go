package cli

import (
	"fmt"

	"rot.example/rot/chisq"
	"rot.example/rot/gan"
)

// writeReport writes the page of a finished run.
func (g *ganRun) writeReport(s *weighted, w *weightsReport) error {
	c, t := g.config, g.trainer
	p := &runPage{
		run: g.run, verb: "gan", unit: g.unit(), config: c, backend: g.backend, seconds: t.Seconds(),
		title:  fmt.Sprintf("%s: a %s GAN of %s", g.run.Name(), g.kind(), c.Data),
		asked:  g.asked(),
		panels: ganPanels(t.Rho()),
		certain: []string{
			fmt.Sprintf("This is one run with seed %d; another seed makes other samples and moves the weights of borderline %s. The critic's loss and distance are not comparable between runs: they depend on how sharp the critic became.", c.Seed, g.unit()),
			fmt.Sprintf("How good the samples are, this page does not say: `rot gan eval` compares them with %s that are known to be clean.", g.unit()),
		},
		next: []string{
			"rot gan sample " + shellWord(g.run.Path()) + " -n 100 --out grid.png",
			"rot gan eval " + shellWord(g.run.Path()) + " --reference CLEAN",
			"rot runs show " + shellWord(g.run.Path()),
		},
	}
	var err error
	if p.results, err = g.samplesSection(p); err != nil {
		return err
	}
	switch {
	case c.RhoAuto && t.Step() > c.WarmUp && t.Rho() == 0:
		p.answer = fmt.Sprintf("**All %s %s counted the same:** none stood out clearly, so the radius stayed 0 and this is a plain GAN.", count(w.N), g.unit())
	case c.Rho == 0 && !c.RhoAuto:
		p.answer = fmt.Sprintf("**All %s %s counted the same:** with ρ = 0 this is a plain GAN, which learns outliers like everything else.", count(w.N), g.unit())
	case t.Step() <= c.WarmUp:
		p.answer = fmt.Sprintf("**All %s %s counted the same:** the run ended before its warm-up of %s did.", count(w.N), g.unit(), plural(c.WarmUp, "step"))
	default:
		p.answer = weightsAnswer(s, w, g.unit())
		weights, err := p.weightsSection(s, nil, func(int) []string { return nil })
		if err != nil {
			return err
		}
		p.results += weights
		p.certain = append(p.certain, "A low weight says that the generator cannot or need not make a sample like this one, not that it is wrong: rare but good ones may be among them. Look at the lowest before you delete anything.")
	}
	return p.write()
}

// kind is what the configuration makes of a GAN.
func (g *ganRun) kind() string {
	switch {
	case g.config.Loss == gan.UOT || g.config.Loss == gan.UOTPrinted:
		return "unbalanced"
	case g.config.Rho > 0 || g.config.RhoAuto:
		return "robust"
	}
	return "plain"
}

// asked is the question of the run.
func (g *ganRun) asked() string {
	c := g.config
	text := fmt.Sprintf("Learn to make %s like those of %s, of which there are %s", g.unit(), codeSpan(c.Data), count(g.data.N))
	if c.Outliers != "" {
		text += fmt.Sprintf(", with outliers from %s mixed in", codeSpan(c.Outliers))
	}
	text += fmt.Sprintf(", by a %s GAN (preset %s, loss %s).", g.kind(), escaped(c.Preset), escaped(c.Loss))
	if c.Rho > 0 {
		text += fmt.Sprintf(" The weights of the data stay in the chi-square ball of radius ρ = %s, which has room to set %s of them aside.", digits(c.Rho, 4), percent(chisq.Ball{Rho: c.Rho}.Gamma()))
		if c.Constraint == gan.Penalty {
			text += fmt.Sprintf(" Leaving it is not forbidden, but costs (constraint penalty, λ = %s).", digits(c.Lambda, 4))
		}
	}
	if c.RhoAuto {
		text += fmt.Sprintf(" The radius of the weights is chosen by the critic's scores: %s.", scoresRadiusText(g.trainer.Radius()))
	}
	if c.TargetRho > 0 {
		text += fmt.Sprintf(" The samples have weights too, of radius %s.", digits(c.TargetRho, 4))
	}
	return text
}

// samplesSection shows the last samples.
func (g *ganRun) samplesSection(p *runPage) (string, error) {
	step := g.trainer.Step()
	name := g.sampleName(step)
	text := fmt.Sprintf("## What it makes\n\nSamples after step %s", count(step))
	if g.config.EMA > 0 {
		text += ", of the running mean of the generator"
	}
	if g.config.Size == 0 && g.config.Channels == 1 {
		return text + fmt.Sprintf(" are in %s.\n\n", codeSpan("samples/"+name)), nil
	}
	picture, err := p.picture("generated samples", "samples", name)
	return text + ":\n\n" + picture, err
}

func ganPanels(rho float64) []runPanel {
	panels := []runPanel{
		{"loss", []runSeries{{name: "critic", key: "critic_loss"}, {name: "generator", key: "generator_loss"}}},
		{"critic distance", []runSeries{{name: "critic distance", key: "distance"}}},
	}
	if rho > 0 {
		panels = append(panels, runPanel{"χ² of the weights", []runSeries{{name: "of a batch", key: "chi2"}, {name: "2ρ", constant: 2 * rho}}})
	}
	return panels
}
