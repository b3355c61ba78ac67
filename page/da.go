package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/da"
	"rot.example/rot/engine"
	"rot.example/rot/internal/words"
	"rot.example/rot/report"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// A DARun is a run of domain adaptation with what its page is made of. All but
// Next is needed.
type DARun struct {
	Run        *runs.Run
	Config     da.Config // of the run
	Trainer    *da.Trainer
	Domains    *da.Domains
	Backend    *engine.Backend
	Weights    *train.Weighted // of the target
	Evaluation *da.Evaluation  // of the model that was picked, on the target
	Open       *da.OpenSet     // what the weights call unknown; nil without weights
	Next       []string        // commands that go on from here
}

// DA returns the page of a run of domain adaptation: how well the model that was
// picked classifies, which of the target lost weight, how training went, and
// its configuration.
func DA(r *DARun) *Page { return &Page{make: (&daPage{r}).make} }

// DAAlarms returns warnings about classes that have lost their weight, or that no
// target sample is taken for.
func DAAlarms(r *DARun) []string {
	g := &daPage{r}
	return g.alarms(g.predicted())
}

type daPage struct{ *DARun }

// mostNamed is how many classes the alarms name.
const mostNamed = 10

// alarms are about the classes that are lost: adaptation may have left
// out what it should have learned.
func (g *daPage) alarms(classes []PredictedClass) (alarms []string) {
	var empty []string
	for k, c := range classes {
		name := strconv.Quote(g.Config.Classes[k])
		switch {
		case c.N == 0:
			empty = append(empty, name)
		case c.Lost():
			text := fmt.Sprintf("class %s has lost its weight: the %s that are taken for it have mean weight %s", name, words.Plural(c.N, "target sample"), words.Digits(c.Mean(), 2))
			if c.Outliers > 0 {
				text += fmt.Sprintf(", and %s of them are known outliers", words.Count(c.Outliers))
			} else {
				text += "; a smaller radius ρ keeps more of it"
			}
			alarms = append(alarms, text)
		}
	}
	if more := len(alarms) - mostNamed; more > 0 {
		alarms = append(alarms[:mostNamed], fmt.Sprintf("%s more classes have lost their weight", words.Count(more)))
	}
	switch n := len(empty); {
	case n == 1:
		alarms = append(alarms, "no target sample is taken for class "+empty[0])
	case n > mostNamed:
		alarms = append(alarms, fmt.Sprintf("no target sample is taken for any of %s classes: %s, …", words.Count(n), strings.Join(empty[:mostNamed], ", ")))
	case n > 1:
		alarms = append(alarms, fmt.Sprintf("no target sample is taken for any of %s classes: %s", words.Count(n), strings.Join(empty, ", ")))
	}
	return alarms
}

// make draws the page.
func (g *daPage) make() (*report.Page, error) {
	w, err := g.Weights.Summary()
	if err != nil {
		return nil, err
	}
	t, e, classes := g.Trainer, g.Evaluation, g.predicted()
	c := t.Config() // with the radius that was chosen
	p := &runPage{
		run: g.Run, verb: "da", unit: "source " + g.unit(), config: g.Config, backend: g.Backend, seconds: t.Seconds(), weights: g.Weights,
		title:    fmt.Sprintf("%s: %s → %s, %s", g.Run.Name(), c.Source, c.Target, daMethods[c.Method]),
		question: g.question(&c), answer: g.answer(), warnings: g.alarms(classes), panels: daPanels(&c), certain: g.certain(),
		next: g.Next,
	}
	weighs := c.Method == da.Robust && c.Rho > 0 && t.Step() > c.WarmUp
	p.results = g.classSection(weighs)
	if weighs {
		p.answer += "\n\n" + weightsAnswer(w, "target samples")
		if g.Open != nil && g.Open.H >= 0 {
			p.answer += fmt.Sprintf(" Called unknown, with a weight below %g: %s. Of the samples that belong to no class of the source these are %s, and %s of the others are classified right and not called unknown: an H-score of %s.",
				da.UnknownWeight, words.Count(g.Open.Unknown), words.Percent(g.Open.Found), words.Percent(g.Open.Right), words.Percent(g.Open.H))
		}
		weights, err := p.weightsSection([]string{"taken for"}, func(i int) []string { return []string{escaped(words.Fit(c.Classes[e.Predict[i]], 20))} })
		if err != nil {
			return nil, err
		}
		p.results += weights
		p.certain = append(p.certain, "A low weight says that a target sample looks like nothing in the source, not that it is wrong. A class that lost its weight as a whole may be one that adaptation failed on.")
	}
	p.results += g.predictedSection(classes, weighs)
	return p.make()
}

// unit is what the data are.
func (g *daPage) unit() string {
	if g.Config.Size > 0 {
		return "images"
	}
	return "rows"
}

var daMethods = map[string]string{
	da.SourceOnly: "from the source alone", da.Adversarial: "adversarial", da.Robust: "robust",
}

// question returns what the run was to find out.
func (g *daPage) question(c *da.Config) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Carry a classifier of %s from %s, with %s labelled %s, to %s, with %s unlabelled ones",
		words.Count(len(c.Classes))+" classes", codeSpan(c.Source), words.Count(g.Domains.Source.N), g.unit(), codeSpan(c.Target), words.Count(g.Domains.Target.N))
	if c.Outliers != "" {
		fmt.Fprintf(&s, " and outliers from %s among them", codeSpan(c.Outliers))
	}
	fmt.Fprintf(&s, ". Method: %s, network %s.", daMethods[c.Method], escaped(c.Net))
	if c.Method == da.Robust {
		fmt.Fprintf(&s, " The weights of the target stay in the chi-square ball of radius ρ = %s, which has room to set %s of it aside.", words.Digits(c.Rho, 4), words.Percent(chisq.Ball{Rho: c.Rho}.Gamma()))
		if r := g.Trainer.Radius(); r != nil {
			fmt.Fprintf(&s, " The run chose that itself: %s.", DARadius(r))
		}
	}
	if c.Method != da.SourceOnly && c.SelfTrain > 0 {
		fmt.Fprintf(&s, " After step %s the target had labels of its own, from the predictions for each sample and its neighbours.", words.Count(c.SelfFrom))
	}
	return s.String()
}

// answer is the accuracy, or that nobody can say.
func (g *daPage) answer() string {
	r := g.Trainer.Result()
	picked := fmt.Sprintf("the model of step %s, picked by %s without target labels", words.Count(r.SelectedAt), daSelections[r.SelectedBy])
	if r.Accuracy < 0 {
		return fmt.Sprintf("**The answer is %s.** How many target samples it gets right is not known: they have no labels of the source's classes.", picked)
	}
	return fmt.Sprintf("**%s of the target samples of known class are classified right** by %s. Oracle, for comparison: %s is the best of all models looked at, which only someone who sees the labels could have picked.",
		words.Percent(r.Accuracy), picked, words.Percent(r.Oracle))
}

// certain says what the accuracy is worth.
func (g *daPage) certain() []string {
	e := g.Evaluation
	var out []string
	r := g.Trainer.Result()
	if e.Accuracy >= 0 {
		n := 0
		for _, row := range e.Counts {
			for _, c := range row {
				n += c
			}
		}
		out = append(out, fmt.Sprintf("The accuracy is of one run with seed %d, on %s: another sample of as many would give a number within ± %s points in 19 of 20 cases, and another seed may differ by more.",
			g.Config.Seed, words.Plural(n, "labelled target sample"), words.Digits(100*1.96*math.Sqrt(e.Accuracy*(1-e.Accuracy)/float64(n)), 2)))
		if r.Oracle-r.Accuracy > 0.05 {
			out = append(out, fmt.Sprintf("**The oracle is %s points better: picking a model without labels did not work well here.** Another rule of selection, or a smaller weight of the alignment, may.", words.Digits(100*(r.Oracle-r.Accuracy), 2)))
		}
	} else {
		out = append(out, "Without target labels nothing here measures how good the classifier is on the target. Label a few hundred samples by hand and score it on these.")
	}
	return append(out, "Adaptation can hurt: compare with the methods source and adversarial on the same data.")
}

func daPanels(c *da.Config) []runPanel {
	panels := []runPanel{
		{"loss", []runSeries{{name: "classes, on the source", key: "class_loss"}, {name: "discriminator", key: "critic_loss"}}},
		{"source accuracy", []runSeries{{name: "source accuracy", key: "source_accuracy"}}},
		{"entropy on the target", []runSeries{{name: "entropy on the target", key: "entropy"}}},
	}
	if c.Method == da.SourceOnly {
		panels = panels[:2]
		panels[0].series = panels[0].series[:1]
	}
	if c.Method == da.Robust {
		panels = append(panels, runPanel{"divergence", []runSeries{{name: "of the weights of a batch", key: "divergence"}, {name: "radius ρ", constant: c.Rho}}})
	}
	return panels
}

// DARadius says in words how an automatic radius was chosen.
func DARadius(r *da.Radius) string {
	held := words.Plural(r.Held, "held-back sample")
	switch {
	case !r.Found():
		return fmt.Sprintf("rho 0, for %s show no elbow: the weights stay 1", held)
	case r.Faint():
		return fmt.Sprintf("rho %s, where the curve on %s bends most, though hardly: a very rough guess", words.Digits(r.Rho, 3), held)
	}
	return fmt.Sprintf("rho %s, at the elbow on %s", words.Digits(r.Rho, 3), held)
}

// daSelections are the rules that pick a model, in words.
var daSelections = map[string]string{
	da.InformationMax: "information maximization", da.Neighbours: "the agreement of neighbours", da.LeastEntropy: "least entropy", da.Last: "being the last",
}

// DASelection returns the name of a rule that picks a model, in words.
func DASelection(rule string) string { return daSelections[rule] }
