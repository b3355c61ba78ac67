package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rot/figure"
	"rot/gan"
	"rot/metrics"
	"rot/runs"
)

type ganWeightsOptions struct {
	run, data string
	backend   backendFlags
	json      bool
}

func newGANWeights(std IO) *cobra.Command {
	var o ganWeightsOptions
	cmd := &cobra.Command{
		Use:   "weights RUN",
		Short: "The weights that a run gives its data: low means outlier",
		Long: `weights passes the data once through the weights of the newest checkpoint and
writes into the run's folder

  weights.csv   the weight of every sample, by id, with mean 1
  weights.png   a histogram, outliers that were mixed in apart
  sorted.png    samples from the lowest weight to the highest (images only)

With --json: n, outliers, auroc (of low weights as a mark of the outliers; null
when none were mixed in), mean_in and mean_out.`,
		Example: "  rot gan weights runs/gan-20261115-061203",
		Args:    exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runGANWeights(std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "where the `DATA` are now (default: where they were)")
	o.backend.bind(f)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

func runGANWeights(std IO, o ganWeightsOptions) error {
	run, err := runs.Open(o.run)
	if err != nil {
		return err
	}
	g, err := openGAN(run, o.data, o.backend)
	if err != nil {
		return err
	}
	if g.trainer.Step() == 0 {
		return noCheckpoint(o.run)
	}
	r, err := writeGANWeights(g.run, g.trainer, g.data)
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(r)
	}
	s := r.text()
	for _, f := range []struct{ what, name string }{{"weights", "weights.csv"}, {"histogram", "weights.png"}, {"sorted", "sorted.png"}} {
		if f.name != "sorted.png" || g.config.Size > 0 {
			s += fmt.Sprintf("%-10s %s\n", f.what, filepath.Join(run.Path(), f.name))
		}
	}
	return std.print([]byte(s))
}

type ganWeightsReport struct {
	N        int     `json:"n"`
	Outliers int     `json:"outliers"`
	AUROC    *number `json:"auroc"`
	MeanIn   number  `json:"mean_in"`
	MeanOut  *number `json:"mean_out"`
	Chi2     number  `json:"chi2"`
	Zero     int     `json:"zero"` // samples of weight below 0.01
}

func (r *ganWeightsReport) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "weights of %s samples: χ² %s, %s below 0.01\n", count(r.N), digits(float64(r.Chi2), 3), count(r.Zero))
	if r.AUROC != nil {
		fmt.Fprintf(&s, "outliers   %s mixed in; mean weight %s, others %s; AUROC %s\n",
			count(r.Outliers), digits(float64(*r.MeanOut), 3), digits(float64(r.MeanIn), 3), digits(float64(*r.AUROC), 4))
	}
	return s.String()
}

// writeGANWeights writes weights.csv and its pictures into the run.
func writeGANWeights(run *runs.Run, t *gan.Trainer, data *gan.Data) (*ganWeightsReport, error) {
	w, err := t.Weights()
	if err != nil {
		return nil, err
	}
	r := &ganWeightsReport{N: len(w)}
	outlier := data.Outlier()
	var in, out, chi2 float64
	low := make([]float64, len(w)) // low weights are the mark of an outlier
	for i, v := range w {
		low[i] = -v
		chi2 += (v - 1) * (v - 1)
		if v < 0.01 {
			r.Zero++
		}
		if outlier != nil && outlier[i] {
			out += v
			r.Outliers++
		} else {
			in += v
		}
	}
	r.MeanIn, r.Chi2 = number(in/float64(max(1, r.N-r.Outliers))), number(chi2/float64(r.N))
	if r.Outliers > 0 && r.Outliers < r.N {
		auroc, err := metrics.AUROC(low, outlier)
		if err != nil {
			return nil, err
		}
		a, m := number(auroc), number(out/float64(r.Outliers))
		r.AUROC, r.MeanOut = &a, &m
	}
	if err := run.WriteWeights(data.IDs(), w, outlier); err != nil {
		return nil, err
	}
	hist := &figure.Histogram{Title: "Weights of " + run.Name(), Weights: w, Outlier: outlier}
	if err := figure.Save(filepath.Join(run.Path(), "weights.png"), hist, nil); err != nil {
		return nil, err
	}
	if data.Image(0) != nil {
		err = figure.Save(filepath.Join(run.Path(), "sorted.png"), sortedGrid(t.Config(), data, w), nil)
	}
	return r, err
}
