package page

import (
	"fmt"
	"strings"

	"rot.example/rot/internal/words"
	"rot.example/rot/train"
)

// A class has lost its weight where the mean over the samples that are taken
// for it is below this.
const lostWeight = 0.1

// mostConfused is how many classes a confusion matrix may have to be shown
// whole.
const mostConfused = 15

// A PredictedClass is the target samples that are taken for one class.
type PredictedClass struct {
	N, Outliers int     // all, and those known not to belong
	Weight      float64 // of all of them together
}

// PredictedClasses divides weighted samples by what they are taken for, one of
// the numbers below classes.
func PredictedClasses(classes int, predict []int32, s *train.Weighted) []PredictedClass {
	out := make([]PredictedClass, classes)
	for i, w := range s.W {
		k := predict[i]
		out[k].N++
		out[k].Weight += w
		if s.Outlier != nil && s.Outlier[i] {
			out[k].Outliers++
		}
	}
	return out
}

// Mean returns the mean weight of the samples.
func (c PredictedClass) Mean() float64 { return c.Weight / float64(c.N) }

// Lost reports whether nearly all of the class was set aside.
func (c PredictedClass) Lost() bool { return c.N > 0 && c.Mean() < lostWeight }

// predicted divides the target by its predicted classes.
func (g *daPage) predicted() []PredictedClass {
	return PredictedClasses(len(g.Config.Classes), g.Evaluation.Predict, g.Weights)
}

// classSection is the accuracy of each class and which are taken for which;
// nothing where no class is known.
func (g *daPage) classSection(weighs bool) string {
	e, s := g.Evaluation, g.Weights
	if e.Accuracy < 0 {
		return ""
	}
	names := g.Config.Classes
	sum, n := make([]float64, len(names)), make([]float64, len(names))
	for i, k := range g.Domains.Known {
		if k >= 0 {
			sum[k] += s.W[i]
			n[k]++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## By class\n\nThe mean over the classes is %s.\n\n", words.Percent(e.Mean))
	head := []string{"class", "samples", "accuracy", "most often taken for"}
	if weighs {
		head = append(head, "mean weight")
	}
	var rows [][]string
	for k, name := range names {
		row := []string{escaped(words.Fit(name, 30)), words.Count(int(n[k])), "–", ""}
		if e.Class[k] >= 0 {
			row[2] = words.Percent(e.Class[k])
		}
		if worst := Mistaken(e.Counts[k], k); worst >= 0 {
			row[3] = fmt.Sprintf("%s (%s)", escaped(words.Fit(names[worst], 30)), words.Count(e.Counts[k][worst]))
		}
		if weighs {
			mean := "–"
			if n[k] > 0 {
				mean = words.Digits(sum[k]/n[k], 3)
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
		head = append(head, escaped(words.Fit(name, 12)))
		row := []string{escaped(words.Fit(name, 30))}
		for j, c := range e.Counts[k] {
			cell := words.Count(c)
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

// Mistaken returns the class that samples of class k are taken for most often, when
// not for their own; −1 where that never happens.
func Mistaken(counts []int, k int) int {
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
func (g *daPage) predictedSection(classes []PredictedClass, weighs bool) string {
	var b strings.Builder
	b.WriteString("## What the target is taken for\n\nSample by sample in predictions.csv.\n\n")
	head := []string{"predicted class", "samples", "share"}
	if weighs {
		b.WriteString("A class whose share of the weight is far below its share of the samples was set aside. That is right for outliers and wrong for a class of the source.\n\n")
		head = append(head, "share of the weight", "mean weight", "alarm")
	}
	total := float64(g.Domains.Target.N)
	var rows [][]string
	for k, c := range classes {
		row := []string{escaped(words.Fit(g.Config.Classes[k], 30)), words.Count(c.N), words.Percent(float64(c.N) / total)}
		if weighs {
			mean, mark := "–", ""
			if c.N > 0 {
				mean = words.Digits(c.Mean(), 3)
			}
			if c.Lost() {
				mark = "⚠ lost its weight"
			}
			row = append(row, words.Percent(c.Weight/total), mean, mark)
		}
		rows = append(rows, row)
	}
	markdownTable(&b, head, rows)
	return b.String()
}
