package experiments

import (
	"fmt"
	"slices"
	"strings"

	"rot.example/rot/figure"
)

// models returns the names of the models, in their order, which is that of the
// setting with the most of them: not every model is on every setting.
func models(cells []generated) (names []string) {
	for _, setting := range settingsOf(cells) {
		var here []string
		for _, c := range cells {
			if c.Setting == setting && !slices.Contains(here, c.Model) {
				here = append(here, c.Model)
			}
		}
		if len(here) > len(names) {
			names, here = here, names
		}
		for _, m := range here {
			if !slices.Contains(names, m) {
				names = append(names, m)
			}
		}
	}
	return names
}

// settingsOf returns the names of the settings, in their order.
func settingsOf(cells []generated) (names []string) {
	for _, c := range cells {
		if !slices.Contains(names, c.Setting) {
			names = append(names, c.Setting)
		}
	}
	return names
}

// ganTable returns a table with a row for each setting and model, with means over the seeds.
func ganTable(cells []generated) string {
	var s strings.Builder
	s.WriteString("Fréchet distance and KID (×1000) of a classifier's features to those of clean images, Inception score with its classes, share of samples that it takes for outliers, and AUROC of low weights as a mark of outliers; mean ± sd over seeds.\n\n")
	s.WriteString(scoredBy(cells))
	other := ""
	for _, c := range cells {
		if c.FID != nil {
			other = fidName(c.FIDBy)
		}
	}
	head, rule := "| data | model | distance | KID | score | outliers | AUROC | mean weight in / out |", "|---|---|---|---|---|---|---|---|"
	if other != "" {
		head, rule = head+" "+other+" |", rule+"---|"
	}
	s.WriteString(head + "\n" + rule + "\n")
	for _, name := range settingsOf(cells) {
		for _, m := range models(cells) {
			r := summed(cells, name, m)
			if r.runs == 0 {
				continue // no such model on this setting
			}
			weights := "–"
			if len(r.in) > 0 {
				weights = spread(r.in, 2) + " / " + spread(r.out, 2)
			}
			share := spread(r.share, 2)
			if len(r.share) > 0 {
				share += " %"
			}
			if len(r.radius) > 0 {
				m += fmt.Sprintf(" (at the end %s)", spread(r.radius, 3))
			}
			if r.stopped > 0 {
				m += fmt.Sprintf(" (%d of %d runs stopped)", r.stopped, r.runs)
			}
			m += markOld(origins(cells), r.from)
			fmt.Fprintf(&s, "| %s | %s | %s | %s | %s | %s | %s | %s |", name, m, spread(r.distance, 2), spread(r.kid, 2), spread(r.score, 2), share, spread(r.auroc, 4), weights)
			if other != "" {
				fmt.Fprintf(&s, " %s |", spread(r.fid, 2))
			}
			s.WriteString("\n")
		}
	}
	s.WriteString("\n")
	return s.String()
}

// A ganRow is what the runs of a model on a setting gave.
type ganRow struct {
	runs, stopped                                    int
	distance, kid, score, share, auroc, in, out, fid []float64
	radius                                           []float64 // where the runs chose it
	from                                             []origin
}

// summed returns what the runs of a model on a setting gave.
func summed(cells []generated, setting, model string) (r ganRow) {
	for _, c := range cells {
		if c.Setting != setting || c.Model != model {
			continue
		}
		r.runs++
		r.from = append(r.from, c.origin)
		if c.Stopped != "" {
			r.stopped++
			continue
		}
		r.distance, r.kid, r.score = append(r.distance, c.Distance), append(r.kid, 1000*c.KID), append(r.score, c.Score)
		if c.Outliers >= 0 {
			r.share = append(r.share, 100*c.Outliers)
		}
		if c.AUROC >= 0 {
			r.auroc, r.in, r.out = append(r.auroc, c.AUROC), append(r.in, c.MeanIn), append(r.out, c.MeanOut)
		}
		if c.FID != nil {
			r.fid = append(r.fid, *c.FID)
		}
		if c.Radius != nil {
			r.radius = append(r.radius, *c.Radius)
		}
	}
	return r
}

// fidName returns what a Fréchet distance is called: the FID for Inception-v3 only.
func fidName(by string) string {
	if strings.HasPrefix(by, "inception-v3") {
		return "FID"
	}
	name, _, _ := strings.Cut(by, " ")
	return "Distance by " + name
}

// scoredBy returns a sentence that says by what the cells were scored.
func scoredBy(cells []generated) string {
	var by, fidBy []string
	for _, c := range cells {
		if c.Judge != "" && !slices.Contains(by, c.Judge) {
			by = append(by, c.Judge)
		}
		if c.FIDBy != "" && !slices.Contains(fidBy, c.FIDBy) {
			fidBy = append(fidBy, c.FIDBy)
		}
	}
	var s strings.Builder
	switch len(by) {
	case 0:
	case 1:
		fmt.Fprintf(&s, "Scored by %s.\n\n", by[0])
	default:
		fmt.Fprintf(&s, "**Scored by several classifiers, so that not all distances can be compared:** %s.\n\n", strings.Join(by, "; "))
	}
	if len(fidBy) > 0 {
		fmt.Fprintf(&s, "%s with the features of %s, against the same images.\n\n", fidName(fidBy[0]), strings.Join(fidBy, " and "))
	}
	return s.String()
}

// spread returns a mean ± standard deviation; just the mean of one number.
func spread(v []float64, digits int) string {
	switch len(v) {
	case 0:
		return "–"
	case 1:
		return fmt.Sprintf("%.*f", digits, v[0])
	}
	mean, sd := moments(v)
	return fmt.Sprintf("%.*f ± %.*f", digits, mean, digits, sd)
}

// ganPictures returns Markdown that shows the samples and the weights of the first seed of each model.
func ganPictures(cells []generated) string {
	var s strings.Builder
	for _, c := range cells {
		if c.Seed != 0 {
			continue
		}
		if c.Stopped != "" {
			fmt.Fprintf(&s, "%s, %s: %s\n\n", c.Setting, c.Model, c.Stopped)
			continue
		}
		if c.Picture == "" {
			continue // a cell of an experiment that shows numbers only
		}
		fmt.Fprintf(&s, "%s, %s:\n\n![samples](%s)\n\n", c.Setting, c.Model, c.Picture)
		if len(c.Weights) > 0 {
			fmt.Fprintf(&s, "![weights](%s)\n\n", histogramName(c))
		}
		if c.Sorted != "" {
			fmt.Fprintf(&s, "The data from the lowest weight to the highest; outliers have a frame:\n\n![sorted](%s)\n\n", c.Sorted)
		}
	}
	return s.String()
}

// histogramName returns the file of a cell's weights, which goes with that of its
// samples: parts of an experiment share a folder.
func histogramName(c generated) string {
	return strings.Replace(c.Picture, "samples", "weights", 1)
}

// histograms returns figures of the weights of the first seed of each model.
func histograms(cells []generated) (out []picture) {
	for _, c := range cells {
		if c.Seed == 0 && c.Picture != "" && len(c.Weights) > 0 {
			note := c.Setting
			if c.AUROC >= 0 {
				note += fmt.Sprintf(", AUROC %.4f", c.AUROC)
			}
			out = append(out, picture{histogramName(c), &figure.Histogram{Title: c.Model, Note: note, Weights: c.Weights, Outlier: c.Marks}})
		}
	}
	return out
}
