package experiments

import (
	"fmt"

	"rot.example/rot/dataset"
	"rot.example/rot/figure"
)

// fig2Gammas are the fractions of outliers.
var fig2Gammas = []float64{0, 0.025, 0.05, 0.1, 0.15}

var fig2 = Experiment{
	Name:   "fig2",
	Title:  "distance and outlier share of the samples against the fraction of outliers, WGAN and robust WGAN, CIFAR-10",
	Paper:  "The paper's figure 2, with a classifier's features in place of Inception's",
	Parts:  []string{"mnist", "noise"},
	scored: true,
	study: func(o *Options, part string) (*study, error) {
		st := &study{title: "Outliers: " + map[string]string{"mnist": "MNIST digits", "noise": "uniform noise"}[part]}
		if err := cifarMissing(o); err != nil {
			return notRun(st.title, err)
		}
		outliers := o.at(mnistImages)
		if part == "noise" {
			outliers = dataset.Uniform
		}
		gammas := fig2Gammas
		if o.Quick {
			gammas = []float64{0, 0.1}
		}
		var settings []setting
		for _, gamma := range gammas {
			s, err := cifar(o, "dcgan", outliers, gamma)
			if err != nil {
				return nil, err
			}
			settings = append(settings, s)
		}
		models := append(plainAndRobust(0.1), matching("robust WGAN"), penalized("robust WGAN", 0.1), automatic("robust WGAN"))
		return st, st.train(o, settings, models, cifarJudge(o), func(s *section, cells []generated) {
			s.Markdown = ganTable(cells) + fmt.Sprintf("![%s](fig2-%[1]s.png)\n\n", part)
			s.figures = []picture{{"fig2-" + part + ".png", againstGamma(cells)}}
		})
	},
}

// againstGamma returns the figure of distance and outlier share over the fraction of outliers,
// means over the seeds.
func againstGamma(cells []generated) *figure.LossCurves {
	distance, share := figure.LossPanel{Label: "Fréchet distance"}, figure.LossPanel{Label: "outliers, %"}
	for _, m := range models(cells) {
		d, o := figure.Series{Name: m}, figure.Series{Name: m}
		for _, name := range settingsOf(cells) {
			var distances, shares []float64
			var gamma float64
			for _, c := range cells {
				if c.Model != m || c.Setting != name || c.Stopped != "" {
					continue
				}
				gamma, distances = c.Gamma, append(distances, c.Distance)
				if c.Outliers >= 0 {
					shares = append(shares, 100*c.Outliers)
				}
			}
			add := func(s *figure.Series, v []float64) {
				if len(v) > 0 {
					mean, _ := moments(v)
					s.Step, s.Value = append(s.Step, int(1000*gamma+0.5)), append(s.Value, mean)
				}
			}
			add(&d, distances)
			add(&o, shares)
		}
		if len(d.Step) > 0 {
			distance.Series = append(distance.Series, d)
		}
		if len(o.Step) > 0 {
			share.Series = append(share.Series, o)
		}
	}
	f := &figure.LossCurves{
		Title: "WGAN and robust WGAN", Note: "distance of the samples to clean images, and share of outliers among them",
		XLabel: "outliers in the data, %", XUnit: 0.1,
	}
	if mixed(origins(cells)) {
		f.Note += "; some are old: see the table"
	}
	for _, p := range []figure.LossPanel{distance, share} {
		if len(p.Series) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}
