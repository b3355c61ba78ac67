package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rot.example/rot/page"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

type daEvalOptions struct {
	run, source, target string
	ignore              []string // columns of tables
	backend             backendFlags
	json                bool
}

func newDAEval(std IO) *cobra.Command {
	var o daEvalOptions
	cmd := &cobra.Command{
		Use:   "eval RUN --target DATA",
		Short: "Accuracy of a trained classifier, by class",
		Long: `eval runs the model that a run picked over labelled data and prints its
accuracy, the accuracy of each class and their mean, and which classes are taken
for which. Samples of classes that the source did not have are left out.

With --json: n (the samples scored), left_out (the others), accuracy,
mean_class_accuracy, classes, class_accuracy, confusion (rows are true classes)
and step.`,
		Example: "  rot da eval runs/da-20261115-061203 --target usps-test-images.gz",
		Args:    exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			if o.target == "" {
				return usagef("eval needs --target DATA")
			}
			return runDAEval(std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "target", "", "labelled `DATA` to score on")
	f.StringVar(&o.source, "source", "", "where the source `DATA` are now (default: where they were)")
	f.StringSliceVar(&o.ignore, "ignore", nil, "of tables: leave these `columns` out, too")
	o.backend.bind(f)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

type daEvalJSON struct {
	N             int       `json:"n"`        // samples that were scored
	LeftOut       int       `json:"left_out"` // those without a known class
	Accuracy      number    `json:"accuracy"`
	MeanClass     number    `json:"mean_class_accuracy"`
	Classes       []string  `json:"classes"`
	ClassAccuracy []*number `json:"class_accuracy"`
	Confusion     [][]int   `json:"confusion"`
	Step          int       `json:"step"`
}

func runDAEval(std IO, o daEvalOptions) error {
	m, err := openModel(o.run, o.source, o.target, o.ignore, o.backend)
	if err != nil {
		return err
	}
	e, err := m.Trainer.Evaluate(m.Data.Target, m.Data.Known, nil)
	if err != nil {
		return err
	}
	if e.Accuracy < 0 {
		return fmt.Errorf("%s: has no labels of the run's classes to score with; rot da predict classifies without", o.target)
	}
	r := daEvalJSON{N: e.Scored, LeftOut: m.Data.Target.N - e.Scored, Accuracy: number(e.Accuracy), MeanClass: number(e.Mean), Classes: m.Config.Classes, Confusion: e.Counts, Step: m.Trainer.Result().SelectedAt}
	for _, v := range e.Class {
		r.ClassAccuracy = append(r.ClassAccuracy, known(v))
	}
	if o.json {
		return std.printJSON(r)
	}
	return std.print([]byte(r.text()))
}

func (r *daEvalJSON) text() string {
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

type daWeightsOptions struct {
	run, source, target string
	backend             backendFlags
	json                bool
}

func newDAWeights(std IO) *cobra.Command {
	var o daWeightsOptions
	cmd := &cobra.Command{
		Use:   "weights RUN",
		Short: "The weights of the target: low means it does not belong",
		Long: `weights writes into the run's folder

  weights.csv   the weight of every target sample, by id, with mean 1
  weights.png   a histogram, samples that are known not to belong apart
  sorted.png    target samples from the lowest weight to the highest (images)

and prints the share of the weight of each predicted class: a class that loses
all of it was dropped. With --json: n, outliers, auroc (of low weights as a mark
of what does not belong; null when nothing is known), mean_in and mean_out.`,
		Example: "  rot da weights runs/da-20261115-061203",
		Args:    exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runDAWeights(std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.source, "source", "", "where the source `DATA` are now (default: where they were)")
	f.StringVar(&o.target, "target", "", "where the target `DATA` are now (default: where they were)")
	o.backend.bind(f)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

func runDAWeights(std IO, o daWeightsOptions) error {
	run, err := runs.Open(o.run)
	if err != nil {
		return err
	}
	g, err := openDA(run, o.source, o.target, o.backend)
	if err != nil {
		return err
	}
	if g.trainer.Step() == 0 {
		return noCheckpoint(o.run, "da")
	}
	weights, err := g.weighted()
	if err != nil {
		return err
	}
	r, err := writeWeights(run, weights)
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(newWeightsJSON(r))
	}
	shares, err := g.shares(weights)
	if err != nil {
		return err
	}
	return std.print([]byte(weightsText(r) + shares + fmt.Sprintf("weights    %s\n", filepath.Join(run.Path(), "weights.csv"))))
}

// weighted are the target samples with the weights of the newest checkpoint.
func (g *daRun) weighted() (*train.Weighted, error) {
	w, err := g.trainer.Weights()
	if err != nil {
		return nil, err
	}
	d := g.data.Target
	return &train.Weighted{W: w, Outlier: g.data.Foreign(), IDs: d.IDs, Size: g.config.Size, Channels: g.config.Channels, Image: d.Image}, nil
}

// shares is the weight of each predicted class against its number of samples:
// the audit for dropped classes.
func (g *daRun) shares(weights *train.Weighted) (string, error) {
	if err := g.trainer.UseBest(); err != nil {
		return "", err
	}
	e, err := g.trainer.Evaluate(g.data.Target, nil, nil)
	if err != nil {
		return "", err
	}
	var s strings.Builder
	fmt.Fprintf(&s, "  %-16s %9s %13s\n", "predicted class", "samples", "mean weight")
	for k, c := range page.PredictedClasses(len(g.config.Classes), e.Predict, weights) {
		mean := "–"
		if c.N > 0 {
			mean = digits(c.Mean(), 3)
		}
		fmt.Fprintf(&s, "  %-16s %9s %13s\n", g.config.Classes[k], count(c.N), mean)
	}
	return s.String(), nil
}
