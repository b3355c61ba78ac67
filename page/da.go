package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/da"
)

// A class has lost its weight where the mean over the samples that are taken
// for it is below this.
const lostWeight = 0.1

// mostConfused is how many classes a confusion matrix may have to be shown
// whole.
const mostConfused = 15

// A predictedClass is the target samples that are taken for one class.
type predictedClass struct {
	n, outliers int // all, and those known not to belong
	weight      float64
}

// predicted divides the target by its predicted classes.
func (g *daRun) predicted(e *da.Evaluation, s *weighted) []predictedClass {
	out := make([]predictedClass, len(g.config.Classes))
	for i, w := range s.w {
		k := e.Predict[i]
		out[k].n++
		out[k].weight += w
		if s.outlier != nil && s.outlier[i] {
			out[k].outliers++
		}
	}
	return out
}

func (c predictedClass) mean() float64 { return c.weight / float64(c.n) }

// lost says that nearly all of the class was set aside.
func (c predictedClass) lost() bool { return c.n > 0 && c.mean() < lostWeight }

// mostNamed is how many classes the alarms name.
const mostNamed = 10

// dropped are the alarms for classes that are lost: adaptation may have left
// out what it should have learned.
func (g *daRun) dropped(classes []predictedClass) (alarms []string) {
	var empty []string
	for k, c := range classes {
		name := strconv.Quote(g.config.Classes[k])
		switch {
		case c.n == 0:
			empty = append(empty, name)
		case c.lost():
			text := fmt.Sprintf("class %s has lost its weight: the %s that are taken for it have mean weight %s", name, plural(c.n, "target sample"), digits(c.mean(), 2))
			if c.outliers > 0 {
				text += fmt.Sprintf(", and %s of them are known outliers", count(c.outliers))
			} else {
				text += "; a smaller --rho keeps more of it"
			}
			alarms = append(alarms, text)
		}
	}
	if more := len(alarms) - mostNamed; more > 0 {
		alarms = append(alarms[:mostNamed], fmt.Sprintf("%s more classes have lost their weight", count(more)))
	}
	switch n := len(empty); {
	case n == 1:
		alarms = append(alarms, "no target sample is taken for class "+empty[0])
	case n > mostNamed:
		alarms = append(alarms, fmt.Sprintf("no target sample is taken for any of %s classes: %s, …", count(n), strings.Join(empty[:mostNamed], ", ")))
	case n > 1:
		alarms = append(alarms, fmt.Sprintf("no target sample is taken for any of %s classes: %s", count(n), strings.Join(empty, ", ")))
	}
	return alarms
}

// writeReport writes the page of a finished run, and returns its alarms.
func (g *daRun) writeReport(s *weighted, w *weightsReport) ([]string, error) {
	t := g.trainer
	c := t.Config() // with the radius that was chosen
	if err := t.UseBest(); err != nil {
		return nil, err
	}
	e, err := t.Evaluate(g.data.Target, g.data.Known, nil)
	if err != nil {
		return nil, err
	}
	if err := g.writePredictions(e); err != nil {
		return nil, err
	}
	classes := g.predicted(e, s)
	p := &runPage{
		run: g.run, verb: "da", unit: "source " + g.unit(), config: g.config, backend: g.backend, seconds: t.Seconds(),
		title: fmt.Sprintf("%s: %s → %s, %s", g.run.Name(), c.Source, c.Target, daMethods[c.Method]),
		asked: g.asked(&c), answer: g.answer(), warnings: g.dropped(classes), panels: daPanels(&c), certain: g.certain(e),
		next: []string{
			"rot da predict " + shellWord(g.run.Path()) + " --target OTHER",
			"rot da eval " + shellWord(g.run.Path()) + " --target OTHER",
			"rot da weights " + shellWord(g.run.Path()),
			"rot runs show " + shellWord(g.run.Path()),
		},
	}
	weighs := c.Method == da.Robust && c.Rho > 0 && t.Step() > c.WarmUp
	p.results = g.classSection(e, s, weighs)
	if weighs {
		p.answer += "\n\n" + weightsAnswer(s, w, "target samples")
		weights, err := p.weightsSection(s, []string{"taken for"}, func(i int) []string { return []string{escaped(fit(c.Classes[e.Predict[i]], 20))} })
		if err != nil {
			return nil, err
		}
		p.results += weights
		p.certain = append(p.certain, "A low weight says that a target sample looks like nothing in the source, not that it is wrong. A class that lost its weight as a whole may be one that adaptation failed on.")
	}
	p.results += g.predictedSection(classes, weighs)
	return p.warnings, p.write()
}

var daMethods = map[string]string{
	da.SourceOnly: "from the source alone", da.Adversarial: "adversarial", da.Robust: "robust",
}

// asked is the question of the run.
func (g *daRun) asked(c *da.Config) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Carry a classifier of %s from %s, with %s labelled %s, to %s, with %s unlabelled ones",
		count(len(c.Classes))+" classes", codeSpan(c.Source), count(g.data.Source.N), g.unit(), codeSpan(c.Target), count(g.data.Target.N))
	if c.Outliers != "" {
		fmt.Fprintf(&s, " and outliers from %s among them", codeSpan(c.Outliers))
	}
	fmt.Fprintf(&s, ". Method: %s, network %s.", daMethods[c.Method], escaped(c.Net))
	if c.Method == da.Robust {
		fmt.Fprintf(&s, " The weights of the target stay in the chi-square ball of radius ρ = %s, which has room to set %s of it aside.", digits(c.Rho, 4), percent(chisq.Ball{Rho: c.Rho}.Gamma()))
		if r := g.trainer.Radius(); r != nil {
			fmt.Fprintf(&s, " The run chose that itself: %s.", radiusText(r))
		}
	}
	return s.String()
}

// answer is the accuracy, or that nobody can say.
func (g *daRun) answer() string {
	r := g.trainer.Result()
	picked := fmt.Sprintf("the model of step %s, picked by %s without target labels", count(r.SelectedAt), selectionText[r.SelectedBy])
	if r.Accuracy < 0 {
		return fmt.Sprintf("**The answer is %s.** How many target samples it gets right is not known: they have no labels of the source's classes.", picked)
	}
	return fmt.Sprintf("**%s of the target samples of known class are classified right** by %s. Oracle, for comparison: %s is the best of all models looked at, which only someone who sees the labels could have picked.",
		percent(r.Accuracy), picked, percent(r.Oracle))
}

// certain says what the accuracy is worth.
func (g *daRun) certain(e *da.Evaluation) []string {
	var out []string
	r := g.trainer.Result()
	if e.Accuracy >= 0 {
		n := 0
		for _, row := range e.Counts {
			for _, c := range row {
				n += c
			}
		}
		out = append(out, fmt.Sprintf("The accuracy is of one run with seed %d, on %s: another sample of as many would give a number within ± %s points in 19 of 20 cases, and another seed may differ by more.",
			g.config.Seed, plural(n, "labelled target sample"), digits(100*1.96*math.Sqrt(e.Accuracy*(1-e.Accuracy)/float64(n)), 2)))
		if r.Oracle-r.Accuracy > 0.05 {
			out = append(out, fmt.Sprintf("**The oracle is %s points better: picking a model without labels did not work well here.** Try another --select, or a smaller --align.", digits(100*(r.Oracle-r.Accuracy), 2)))
		}
	} else {
		out = append(out, "Without target labels nothing here measures how good the classifier is on the target. Label a few hundred samples by hand and run `rot da eval`.")
	}
	return append(out, "Adaptation can hurt: compare with `--method source` and `--method adversarial` on the same data (`rot runs compare`).")
}

// classSection is the accuracy of each class and which are taken for which;
// nothing where no class is known.
func (g *daRun) classSection(e *da.Evaluation, s *weighted, weighs bool) string {
	if e.Accuracy < 0 {
		return ""
	}
	names := g.config.Classes
	sum, n := make([]float64, len(names)), make([]float64, len(names))
	for i, k := range g.data.Known {
		if k >= 0 {
			sum[k] += s.w[i]
			n[k]++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## By class\n\nThe mean over the classes is %s.\n\n", percent(e.Mean))
	head := []string{"class", "samples", "accuracy", "most often taken for"}
	if weighs {
		head = append(head, "mean weight")
	}
	var rows [][]string
	for k, name := range names {
		row := []string{escaped(fit(name, 30)), count(int(n[k])), "–", ""}
		if e.Class[k] >= 0 {
			row[2] = percent(e.Class[k])
		}
		if worst := mistaken(e.Counts[k], k); worst >= 0 {
			row[3] = fmt.Sprintf("%s (%s)", escaped(fit(names[worst], 30)), count(e.Counts[k][worst]))
		}
		if weighs {
			mean := "–"
			if n[k] > 0 {
				mean = digits(sum[k]/n[k], 3)
			}
			row = append(row, mean)
		}
		rows = append(rows, row)
	}
	markdownTable(&b, head, rows)
	if len(names) > mostConfused {
		return b.String()
	}
	b.WriteString("Rows are true classes, columns what samples are taken for:\n\n")
	head, rows = []string{"true class"}, nil
	for k, name := range names {
		head = append(head, escaped(fit(name, 12)))
		row := []string{escaped(fit(name, 30))}
		for j, c := range e.Counts[k] {
			cell := count(c)
			if j == k {
				cell = "**" + cell + "**"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	markdownTable(&b, head, rows)
	return b.String()
}

// mistaken is the class that samples of class k are taken for most often, when
// not for their own; −1 where that never happens.
func mistaken(counts []int, k int) int {
	worst := -1
	for j, n := range counts {
		if j != k && n > 0 && (worst < 0 || n > counts[worst]) {
			worst = j
		}
	}
	return worst
}

// predictedSection is the target by predicted class: the audit for classes
// that were dropped, which needs no labels.
func (g *daRun) predictedSection(classes []predictedClass, weighs bool) string {
	var b strings.Builder
	b.WriteString("## What the target is taken for\n\nSample by sample in predictions.csv.\n\n")
	head := []string{"predicted class", "samples", "share"}
	if weighs {
		b.WriteString("A class whose share of the weight is far below its share of the samples was set aside. That is right for outliers and wrong for a class of the source.\n\n")
		head = append(head, "share of the weight", "mean weight", "alarm")
	}
	total := float64(g.data.Target.N)
	var rows [][]string
	for k, c := range classes {
		row := []string{escaped(fit(g.config.Classes[k], 30)), count(c.n), percent(float64(c.n) / total)}
		if weighs {
			mean, mark := "–", ""
			if c.n > 0 {
				mean = digits(c.mean(), 3)
			}
			if c.lost() {
				mark = "⚠ lost its weight"
			}
			row = append(row, percent(c.weight/total), mean, mark)
		}
		rows = append(rows, row)
	}
	markdownTable(&b, head, rows)
	return b.String()
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
		panels = append(panels, runPanel{"χ² of the weights", []runSeries{{name: "of a batch", key: "chi2"}, {name: "2ρ", constant: 2 * c.Rho}}})
	}
	return panels
}
