package page

import (
	"fmt"
	"path/filepath"

	"rot.example/rot/chisq"
	"rot.example/rot/engine"
	"rot.example/rot/gan"
	"rot.example/rot/internal/words"
	"rot.example/rot/report"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// A GANRun is a run of a GAN with what its page is made of. All but Next is
// needed.
type GANRun struct {
	Run     *runs.Run
	Config  gan.Config // of the run
	Trainer *gan.Trainer
	Data    *train.Data
	Backend *engine.Backend
	Weights *train.Weighted // of the data
	Samples string          // file of the last samples, in the folder samples of the run
	Next    []string        // commands that go on from here
}

// GAN returns the page of a run of a GAN: what it makes, which of the data lost
// weight, how training went, and its configuration. The pictures
// of WriteWeightPictures and the samples are taken from the run's folder, as far
// as they are there.
func GAN(r *GANRun) *Page { return &Page{make: (&ganPage{r}).make} }

type ganPage struct{ *GANRun }

// GANAlarms returns warnings about labelled images whose class has lost most of
// its weight, those that are known outliers aside: the weights may have left out
// what the GAN should have learned. Labels have no part in the weights.
func GANAlarms(r *GANRun) (alarms []string) {
	names := r.Data.ClassNames
	if r.Config.Size == 0 || len(r.Data.Labels) == 0 {
		return nil // labels of rows often mark outliers
	}
	n, weight := make([]int, len(names)), make([]float64, len(names))
	for i, k := range r.Data.Labels {
		if r.Data.Outlier == nil || !r.Data.Outlier[i] {
			n[k]++
			weight[k] += r.Weights.W[i]
		}
	}
	for k, name := range names {
		if mean := weight[k] / float64(n[k]); n[k] > 1 && mean < train.LowWeight {
			alarms = append(alarms, fmt.Sprintf("class %q has lost most of its weight: its %s images have mean weight %s; if it is rare and no dirt, a smaller radius keeps more of it", name, words.Count(n[k]), words.Digits(mean, 2)))
		}
	}
	if more := len(alarms) - mostNamed; more > 0 {
		alarms = append(alarms[:mostNamed], fmt.Sprintf("%s more classes have lost most of their weight", words.Count(more)))
	}
	return alarms
}

// make draws the page.
func (g *ganPage) make() (*report.Page, error) {
	w, err := g.Weights.Summary()
	if err != nil {
		return nil, err
	}
	c, t := g.Config, g.Trainer
	p := &runPage{
		run: g.Run, verb: "gan", unit: g.unit(), config: c, backend: g.Backend, seconds: t.Seconds(), weights: g.Weights,
		title:    fmt.Sprintf("%s: a %s GAN of %s", g.Run.Name(), g.kind(), c.Data),
		question: g.question(), warnings: GANAlarms(g.GANRun),
		panels: ganPanels(t.Rho()),
		certain: []string{
			fmt.Sprintf("This is one run with seed %d; another seed makes other samples and moves the weights of borderline %s. The critic's loss and distance are not comparable between runs: they depend on how sharp the critic became.", c.Seed, g.unit()),
			fmt.Sprintf("How good the samples are, this page does not say; scores against %s that are known to be clean would.", g.unit()),
		},
		next: g.Next,
	}
	if p.results, err = g.samplesSection(p); err != nil {
		return nil, err
	}
	switch {
	case c.RhoAuto && t.Step() > c.Unweighted() && t.Rho() == 0:
		p.answer = fmt.Sprintf("**All %s %s counted the same:** none stood out clearly, so the radius stayed 0 and this is a plain GAN.", words.Count(w.N), g.unit())
		if g.Weights.Score != nil {
			odd, err := p.oddSection(w)
			if err != nil {
				return nil, err
			}
			p.results += odd
		}
	case c.Rho == 0 && !c.RhoAuto:
		p.answer = fmt.Sprintf("**All %s %s counted the same:** with ρ = 0 this is a plain GAN, which learns outliers like everything else.", words.Count(w.N), g.unit())
	case t.Step() <= c.Unweighted():
		p.answer = fmt.Sprintf("**All %s %s counted the same:** the run ended before its warm-up of %s did.", words.Count(w.N), g.unit(), words.Plural(c.WarmUp, "step"))
	default:
		p.answer = weightsAnswer(w, g.unit())
		weights, err := p.weightsSection(nil, func(int) []string { return nil })
		if err != nil {
			return nil, err
		}
		p.results += weights
		p.certain = append(p.certain, "A low weight says that a sample is unlike the others, or that the generator cannot or need not make one like it, not that it is wrong: rare but good ones may be among them. Look at the lowest before you delete anything.")
	}
	return p.make()
}

// unit is what the data are.
func (g *ganPage) unit() string {
	if g.Config.Size > 0 {
		return "images"
	}
	return "points"
}

// kind is what the configuration makes of a GAN.
func (g *ganPage) kind() string {
	switch {
	case g.Config.Loss == gan.UOT || g.Config.Loss == gan.UOTPrinted:
		return "unbalanced"
	case g.Config.Rho > 0 || g.Config.RhoAuto:
		return "robust"
	}
	return "plain"
}

// question returns what the run was to find out.
func (g *ganPage) question() string {
	c := g.Config
	text := fmt.Sprintf("Learn to make %s like those of %s, of which there are %s", g.unit(), codeSpan(c.Data), words.Count(g.Data.N))
	if c.Outliers != "" {
		text += fmt.Sprintf(", with outliers from %s mixed in", codeSpan(c.Outliers))
	}
	text += fmt.Sprintf(", by a %s GAN (preset %s, loss %s).", g.kind(), escaped(c.Preset), escaped(c.Loss))
	if c.Rho > 0 {
		text += fmt.Sprintf(" The weights of the data stay in the chi-square ball of radius ρ = %s, which has room to set %s of them aside.", words.Digits(c.Rho, 4), words.Percent(chisq.Ball{Rho: c.Rho}.Gamma()))
		if c.Constraint == gan.Penalty {
			text += fmt.Sprintf(" Leaving it is not forbidden, but costs (constraint penalty, λ = %s).", words.Digits(c.Lambda, 4))
		}
	}
	if c.RhoAuto {
		text += fmt.Sprintf(" The run chose the radius of the weights itself: %s.", GANRadius(g.Trainer.Radius()))
	}
	if c.Features != "" {
		text += fmt.Sprintf(" If nothing stood out by the built-in descriptor, the network %s looked.", codeSpan(filepath.Base(c.Features)))
	}
	if c.TargetRho > 0 {
		text += fmt.Sprintf(" The samples have weights too, of radius %s.", words.Digits(c.TargetRho, 4))
	}
	return text
}

// samplesSection shows the last samples.
func (g *ganPage) samplesSection(p *runPage) (string, error) {
	step := g.Trainer.Step()
	text := fmt.Sprintf("## What it makes\n\nSamples after step %s", words.Count(step))
	if g.Config.EMA > 0 {
		text += ", of the running mean of the generator"
	}
	if g.Config.Size == 0 && g.Config.Channels == 1 {
		return text + fmt.Sprintf(" are in %s.\n\n", codeSpan("samples/"+g.Samples)), nil
	}
	picture, err := p.picture("generated samples", "samples", g.Samples)
	return text + ":\n\n" + picture, err
}

func ganPanels(rho float64) []runPanel {
	panels := []runPanel{
		{"loss", []runSeries{{name: "critic", key: "critic_loss"}, {name: "generator", key: "generator_loss"}}},
		{"critic distance", []runSeries{{name: "critic distance", key: "distance"}}},
	}
	if rho > 0 {
		panels = append(panels, runPanel{"divergence", []runSeries{{name: "of the weights of a batch", key: "divergence"}, {name: "radius ρ", constant: rho}}})
	}
	return panels
}

// GANRadius says in words which radius a run chose; r is nil where it never
// did.
func GANRadius(r *gan.Radius) string {
	if r == nil || r.Rho == 0 {
		return "0: no samples stand out clearly, and all count the same"
	}
	return fmt.Sprintf("%s, with room for the %s of the samples that stand out", words.Digits(r.Rho, 3), words.Percent(chisq.Ball{Rho: r.Rho}.Gamma()))
}
