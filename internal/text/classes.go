package text

import (
	"fmt"
	"path/filepath"
	"strings"

	"rot.example/rot/da"
	"rot.example/rot/page"
	"rot.example/rot/train"
)

// ClassesJSON is an evaluation of a classifier as JSON has it; scripts rely on
// the names.
type ClassesJSON struct {
	N             int       `json:"n"`        // samples that were scored
	LeftOut       int       `json:"left_out"` // those without a known class
	Accuracy      Number    `json:"accuracy"`
	MeanClass     Number    `json:"mean_class_accuracy"`
	Classes       []string  `json:"classes"`
	ClassAccuracy []*Number `json:"class_accuracy"`
	Confusion     [][]int   `json:"confusion"`
	Step          int       `json:"step"`
}

// NewClassesJSON returns the evaluation of m as JSON has it.
func NewClassesJSON(m *da.Model, e *da.Evaluation) *ClassesJSON {
	r := &ClassesJSON{N: e.Scored, LeftOut: m.Data.Target.N - e.Scored, Accuracy: Number(e.Accuracy), MeanClass: Number(e.Mean), Classes: m.Config.Classes, Confusion: e.Counts, Step: m.Trainer.Result().SelectedAt}
	for _, v := range e.Class {
		r.ClassAccuracy = append(r.ClassAccuracy, known(v))
	}
	return r
}

// Text is the accuracy, of all classes and of each.
func (r *ClassesJSON) Text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "accuracy   %s of %s; mean over the classes %s\n", percent(float64(r.Accuracy)), plural(r.N, "sample"), percent(float64(r.MeanClass)))
	if r.LeftOut > 0 {
		fmt.Fprintf(&s, "left out   %s without a known class\n", plural(r.LeftOut, "sample"))
	}
	s.WriteByte('\n')
	fmt.Fprintf(&s, "  %-16s %9s   most often taken for\n", "class", "accuracy")
	for i, name := range r.Classes {
		share := "–"
		if r.ClassAccuracy[i] != nil {
			share = percent(float64(*r.ClassAccuracy[i]))
		}
		line := fmt.Sprintf("  %-16s %9s", name, share)
		if worst := page.Mistaken(r.Confusion[i], i); worst >= 0 {
			line += fmt.Sprintf("   %s (%d times)", r.Classes[worst], r.Confusion[i][worst])
		}
		s.WriteString(line + "\n")
	}
	return s.String()
}

// DAWeights sums up the weights of a target, and those of each predicted class
// against its number of samples: the audit for dropped classes.
func DAWeights(d *da.Session, weights *train.Weighted, r *train.WeightSummary, predicted []int32) string {
	var s strings.Builder
	s.WriteString(Weights(r))
	fmt.Fprintf(&s, "  %-16s %9s %13s\n", "predicted class", "samples", "mean weight")
	for k, c := range page.PredictedClasses(len(d.Config.Classes), predicted, weights) {
		mean := "–"
		if c.N > 0 {
			mean = digits(c.Mean(), 3)
		}
		fmt.Fprintf(&s, "  %-16s %9s %13s\n", d.Config.Classes[k], count(c.N), mean)
	}
	fmt.Fprintf(&s, "weights    %s\n", filepath.Join(d.Run.Path(), page.WeightsFile))
	return s.String()
}

// PredictionsJSON is what samples are taken for, in numbers; scripts rely on the
// names.
type PredictionsJSON struct {
	N       int      `json:"n"`
	Classes []string `json:"classes"`
	Counts  []int    `json:"counts"`
	Out     string   `json:"out"`
	Step    int      `json:"step"`
}

// NewPredictionsJSON counts the predictions of m, which are in the file out.
func NewPredictionsJSON(m *da.Model, e *da.Evaluation, out string) *PredictionsJSON {
	r := &PredictionsJSON{
		N: m.Data.Target.N, Classes: m.Config.Classes, Counts: make([]int, len(m.Config.Classes)),
		Out: out, Step: m.Trainer.Result().SelectedAt,
	}
	for _, k := range e.Predict {
		r.Counts[k]++
	}
	return r
}

// Text is a table of the classes.
func (r *PredictionsJSON) Text() string {
	var s strings.Builder
	t := Table{Head: []string{"class", "samples"}, Left: []bool{true, false}}
	for k, name := range r.Classes {
		t.Add(fit(name, 40), count(r.Counts[k]))
	}
	t.AppendTo(&s)
	fmt.Fprintf(&s, "\npredictions of %s by the model of step %s: %s\n", plural(r.N, "sample"), count(r.Step), r.Out)
	return s.String()
}
