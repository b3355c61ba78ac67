package experiments

import (
	"fmt"
	"math"
	"strings"
)

// moments returns the mean and the standard deviation of v.
func moments(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	if len(v) < 2 {
		return mean, math.NaN()
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, math.Sqrt(sd)
}

// percents returns a mean ± standard deviation in percent.
func percents(v []float64) string {
	if len(v) == 0 {
		return "–"
	}
	mean, sd := moments(v)
	if math.IsNaN(sd) {
		return fmt.Sprintf("%.1f", 100*mean)
	}
	return fmt.Sprintf("%.1f ± %.1f", 100*mean, 100*sd)
}

// adaptTables returns a table for each form that the cells have: a row a pair, a
// column a method, mean ± standard deviation over the seeds, and at the end
// means over all pairs, the oracle's and the weights' AUROC.
func adaptTables(cells []adapted, cols []column) string {
	var s strings.Builder
	for _, form := range distinct(cells, func(c adapted) string { return c.Form }) {
		some := only(cells, func(c adapted) bool { return c.Form == form })
		fmt.Fprintf(&s, "**%s%s**: accuracy on the target in %%, of the model picked without its labels; mean ± sd over seeds.\n\n", strings.ToUpper(form[:1]), form[1:])
		names := make([]string, len(cols))
		for i, c := range cols {
			names[i] = c.name
		}
		fmt.Fprintf(&s, "| | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(cols)))
		row := func(name string, value func(of []adapted) (text string, from []adapted)) {
			fmt.Fprintf(&s, "| %s |", name)
			for _, c := range cols {
				text, from := value(only(some, func(a adapted) bool { return a.Column == c.name }))
				if mixed(origins(from)) {
					text, from = "–", nil
				}
				fmt.Fprintf(&s, " %s%s |", text, markOld(origins(cells), origins(from)))
			}
			s.WriteString("\n")
		}
		for _, p := range distinct(some, adapted.pair) {
			row(p, func(of []adapted) (string, []adapted) {
				of = only(of, func(a adapted) bool { return a.pair() == p })
				return percents(values(of, adapted.accuracy)), of
			})
		}
		// A mean over some of the runs is not to be compared with one over all.
		all := len(distinct(some, func(a adapted) string { return fmt.Sprint(a.pair(), a.Seed) }))
		mean := func(value func(adapted) float64, format string) func(of []adapted) (string, []adapted) {
			return func(of []adapted) (string, []adapted) {
				if len(of) < all {
					return "–", nil
				}
				mean, _ := moments(values(of, value))
				return fmt.Sprintf(format, 100*mean), of
			}
		}
		row("**mean**", mean(adapted.accuracy, "**%.1f**"))
		row("best by labels (oracle)", mean(func(a adapted) float64 { return a.Oracle }, "%.1f"))
		if found := only(some, func(a adapted) bool { return a.AUROC >= 0 }); len(found) > 0 {
			row("AUROC of the weights", func(of []adapted) (string, []adapted) {
				of = only(of, func(a adapted) bool { return a.AUROC >= 0 })
				return spread(values(of, func(a adapted) float64 { return a.AUROC }), 3), of
			})
		}
		s.WriteString("\n")
		s.WriteString(differences(cells, some))
	}
	return s.String()
}

func (a adapted) pair() string { return a.From + " → " + a.To }

func (a adapted) accuracy() float64 { return a.Accuracy }

// A difference is that between two columns, over pairs and seeds.
type difference struct {
	mean, se float64
	n        int
}

// paired returns the mean difference b − a and its standard error, between runs of
// the same pair and seed.
func paired(cells []adapted, a, b string) difference {
	type of struct {
		pair string
		seed int
	}
	first := map[of]float64{}
	for _, c := range cells {
		if c.Column == a {
			first[of{c.pair(), c.Seed}] = c.Accuracy
		}
	}
	var d []float64
	for _, c := range cells {
		if v, ok := first[of{c.pair(), c.Seed}]; ok && c.Column == b {
			d = append(d, c.Accuracy-v)
		}
	}
	mean, sd := moments(d)
	return difference{mean, sd / math.Sqrt(float64(len(d))), len(d)}
}

// differences returns sentences that say what robust gains over adversarial in
// some of all cells.
func differences(all, cells []adapted) string {
	var s strings.Builder
	for _, e := range []string{"", " + entropy"} {
		if d := paired(cells, "adversarial"+e, "robust"+e); d.n > 1 {
			from := only(cells, func(a adapted) bool { return a.Column == "adversarial"+e || a.Column == "robust"+e })
			if mixed(origins(from)) {
				continue
			}
			fmt.Fprintf(&s, "Robust%s − adversarial%s: %+.2f ± %.2f points (mean and standard error over %d pairs of runs).%s\n\n", e, e, 100*d.mean, 100*d.se, d.n, markOld(origins(all), origins(from)))
		}
	}
	return s.String()
}

// distinct returns the different values of f, in the order of their first.
func distinct(cells []adapted, f func(adapted) string) (out []string) {
	seen := map[string]bool{}
	for _, c := range cells {
		if v := f(c); !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// only returns the cells that f is true of.
func only(cells []adapted, f func(adapted) bool) (out []adapted) {
	for _, c := range cells {
		if f(c) {
			out = append(out, c)
		}
	}
	return out
}

// values returns f of every cell.
func values(cells []adapted, f func(adapted) float64) (out []float64) {
	for _, c := range cells {
		out = append(out, f(c))
	}
	return out
}
