package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"rot.example/rot/internal/text"
	"rot.example/rot/page"
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
	r := text.NewClassesJSON(m, e)
	if o.json {
		return std.printJSON(r)
	}
	return std.print([]byte(r.Text()))
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
	run, err := openRun(o.run, "da")
	if err != nil {
		return err
	}
	g, err := openDA(run, o.source, o.target, o.backend)
	if err != nil {
		return err
	}
	if g.Trainer.Step() == 0 {
		return noCheckpoint(o.run, "da")
	}
	weights, err := g.Trainer.Weighted()
	if err != nil {
		return err
	}
	r, err := page.WriteWeights(run, weights)
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(text.NewWeightsJSON(r))
	}
	if err := g.Trainer.UseBest(); err != nil {
		return err
	}
	e, err := g.Trainer.Evaluate(g.Data.Target, nil, nil)
	if err != nil {
		return err
	}
	return std.print([]byte(text.DAWeights(&g.Session, weights, r, e.Predict)))
}
