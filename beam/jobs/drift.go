package jobs

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/beam/store"
	"rot.example/rot/drift"
	"rot.example/rot/page"
	"rot.example/rot/report"
	"rot.example/rot/summary"
	"rot.example/rot/table"
)

// DriftOptions tunes Drift. The zero value is ready to use.
type DriftOptions struct {
	Sample             int // rows to draw of each side; 0 means DefaultDriftSample
	Rows, Permutations int // see drift.Options
	FDR                float64
	Seed               uint64
	Out                string     // folder for the pages; "" means none
	Bad                BadOptions // without a file they go to the folder for the pages
	Table              TableOptions
	Shards             shards.Options
}

// DefaultDriftSample is how many rows of each side are drawn.
const DefaultDriftSample = 5_000

// A DriftColumn is a column over all rows of both sides.
type DriftColumn struct {
	Name     string  `json:"name"`
	P        float64 `json:"p"` // of a column that has not moved; at most this
	Adjusted float64 `json:"p_adjusted"`
	Test     string  `json:"test"`
	// Low and High bound the largest difference of the distribution functions,
	// or both are the part of the rows that are of another category.
	Low     float64    `json:"difference_low"`
	High    float64    `json:"difference_high"`
	Shift   float64    `json:"shift"` // of the mean, in deviations of the reference
	Medians [2]float64 `json:"medians"`
	Missing [2]float64 `json:"missing"` // parts of the rows
}

// A DriftResult is a verdict by samples, and what all rows say about columns.
type DriftResult struct {
	Verdict   drift.Verdict   `json:"verdict"`
	PMoved    float64         `json:"p_moved"`
	PDirty    float64         `json:"p_dirty"`
	Effect    float64         `json:"effect"`
	Distance  float64         `json:"distance"`
	Noise     float64         `json:"noise"`
	Suspects  []string        `json:"suspects"` // ids of rows drawn from the new side, the worst first
	N         int64           `json:"n"`
	M         int64           `json:"m"`
	Bad       int64           `json:"bad"` // rows left out
	Drawn     [2]int          `json:"drawn"`
	Tested    [2]int          `json:"tested"`
	Columns   []DriftColumn   `json:"columns"`
	Sample    []drift.Shift   `json:"sample_columns"`
	Seed      uint64          `json:"seed"`
	Statistic []StatisticInfo `json:"statistics"`
}

// A StatisticInfo is one way to look at two samples.
type StatisticInfo struct {
	Name string  `json:"name"`
	P    float64 `json:"p"`
}

// Drift says whether the rows of fresh come from where those of reference do:
// columns by summaries of all rows, everything else by samples.
func Drift(ctx context.Context, job *engine.Job, reference, fresh []string, o *DriftOptions) (*DriftResult, error) {
	limit := o.Sample
	if limit <= 0 {
		limit = DefaultDriftSample
	}
	inputs, err := openPair(ctx, job, reference, fresh, &o.Table, &o.Shards, o.Bad.Skip)
	if err != nil {
		return nil, err
	}
	var out *Output
	if o.Out != "" {
		mark, err := fingerprint("drift", inputs[0].Blocks, inputs[1].Blocks, o)
		if err != nil {
			return nil, err
		}
		if out, err = openOutput(ctx, o.Out, mark); err != nil {
			return nil, err
		}
	}
	r, err := driftResult(ctx, job, inputs, limit, o, out)
	if err != nil && out != nil {
		return nil, out.failed(ctx, err)
	}
	return r, err
}

func driftResult(ctx context.Context, job *engine.Job, inputs []*shards.Input, limit int, o *DriftOptions, out *Output) (*DriftResult, error) {
	d, err := draw(ctx, job, inputs, limit, o.Seed, &o.Table, o.Shards.Header, true, o.Bad.Skip)
	if err != nil {
		return nil, err
	}
	tables := d.tables
	x, y := &tables[0].Points, &tables[1].Points
	e := tables[0].Encoding
	var columns []drift.Column
	if e != nil {
		columns = drift.ColumnsOf(e)
	}
	res, err := drift.Compare(ctx, x, y, &drift.Options{Columns: columns, FDR: o.FDR, Permutations: o.Permutations, Rows: o.Rows, Seed: o.Seed})
	if err != nil {
		return nil, &engine.DataError{Err: err}
	}
	r := &DriftResult{Verdict: res.Verdict, PMoved: res.PMoved, PDirty: res.PDirty, Effect: res.Effect, Distance: res.Distance, Noise: res.Noise,
		N: d.sides[0].rows, M: d.sides[1].rows, Bad: d.bad.Count, Drawn: [2]int{x.Len(), y.Len()}, Tested: res.Tested, Sample: res.Columns, Seed: o.Seed}
	for _, s := range res.Statistics {
		r.Statistic = append(r.Statistic, StatisticInfo(s))
	}
	for _, i := range res.Suspects {
		r.Suspects = append(r.Suspects, y.ID(i))
	}
	r.Columns = compareColumns(e, d.sides)
	bad := o.Bad
	if bad.File == "" && out != nil {
		bad.File = out.path("bad.csv")
	}
	if err := bad.write(ctx, &d.bad); err != nil {
		return nil, err
	}
	if out == nil {
		return r, nil
	}
	html := page.Drift(res, &page.DriftOptions{
		Reference: &page.Sample{Name: fmt.Sprintf("a sample of %s", inputs[0].Names[0]), Points: x, Columns: tables[0].Columns},
		New:       &page.Sample{Name: fmt.Sprintf("a sample of %s", inputs[1].Names[0]), Points: y, Columns: tables[1].Columns},
		Columns:   columns, Seed: o.Seed, Footer: "rot-beam",
	})
	if err := store.Write(ctx, out.path("report.html"), html.Write); err != nil {
		return nil, err
	}
	if err := store.Write(ctx, out.path("columns.html"), func(w io.Writer) error { return writeColumnsPage(w, r) }); err != nil {
		return nil, err
	}
	return r, out.finish(ctx, r)
}

// compareColumns tests every column on all rows of both sides.
func compareColumns(e *table.Encoding, sides []*gathering) []DriftColumn {
	var names []string
	if e != nil {
		for j := range e.Columns {
			names = append(names, e.Columns[j].Name)
		}
	} else {
		names = slices.Sorted(maps.Keys(sides[0].columns))
	}
	out := make([]DriftColumn, len(names))
	for k, name := range names {
		sums := [2]*ColumnSum{{Name: name}, {Name: name}}
		for i, g := range sides {
			if c := g.columns[name]; c != nil {
				sums[i] = c
			}
		}
		out[k] = compareColumn(sums[0], sums[1])
	}
	slices.SortStableFunc(out, func(a, b DriftColumn) int {
		if a.P != b.P {
			if a.P < b.P {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	least := 1.0
	for k := len(out) - 1; k >= 0; k-- { // Benjamini and Hochberg
		least = min(least, out[k].P*float64(len(out))/float64(k+1))
		out[k].Adjusted = least
	}
	return out
}

func compareColumn(a, b *ColumnSum) DriftColumn {
	c := DriftColumn{Name: a.Name, P: 1, Missing: [2]float64{part(a.Missing, a.Rows), part(b.Missing, b.Rows)}}
	switch {
	case a.Quantiles.Rows() > 0 && b.Quantiles.Rows() > 0:
		c.Test = "Kolmogorov-Smirnov"
		c.Low, c.High = summary.Distance(&a.Quantiles, &b.Quantiles)
		// The smaller difference has the larger p-value, which is the safe one.
		c.P = kolmogorov(c.Low, float64(a.Quantiles.Rows()), float64(b.Quantiles.Rows()))
		if sd := a.Deviation(); sd > 0 {
			c.Shift = (b.Mean() - a.Mean()) / sd
		}
		c.Medians[0], _, _, _ = a.Quantiles.Quantile(0.5)
		c.Medians[1], _, _, _ = b.Quantiles.Quantile(0.5)
	case a.Levels.Rows() > 0 && b.Levels.Rows() > 0:
		c.Test = "chi-square"
		c.Low, c.P = compareWords(&a.Levels, &b.Levels)
		c.High = c.Low
	}
	if p := proportions(a.Missing, a.Rows, b.Missing, b.Rows); p < 1 {
		c.P = min(1, 2*min(c.P, p)) // two looks at a column
		c.Test = strings.TrimPrefix(c.Test+", missing cells", ", ")
	}
	return c
}

func part(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// kolmogorov is the limiting p-value of the difference of two samples.
func kolmogorov(d, n, m float64) float64 {
	t := d * math.Sqrt(n*m/(n+m))
	if t < 0.2 {
		return 1
	}
	var sum float64
	for k := 1; k <= 100; k++ {
		term := math.Exp(-2 * float64(k*k) * t * t)
		if k%2 == 0 {
			term = -term
		}
		sum += term
	}
	return min(max(2*sum, 0), 1)
}

// compareWords is the part of the rows that are of another word, and the p-value
// of the chi-square test. Where not all words are known the test is on those
// that are, a choice that their hashes make.
func compareWords(a, b *summary.Levels) (distance, p float64) {
	wa, na := a.Words()
	wb, nb := b.Words()
	counts := map[string][2]float64{}
	for k, w := range wa {
		counts[w] = [2]float64{float64(na[k]), 0}
	}
	for k, w := range wb {
		c := counts[w]
		c[1] = float64(nb[k])
		counts[w] = c
	}
	words := make([]string, 0, len(counts))
	for w := range counts {
		words = append(words, w)
	}
	slices.Sort(words)
	var total [2]float64
	for _, w := range words {
		total[0] += counts[w][0]
		total[1] += counts[w][1]
	}
	if total[0] == 0 || total[1] == 0 {
		return 0, 1
	}
	var chi float64
	for _, w := range words {
		c := counts[w]
		distance += math.Abs(c[0]/total[0]-c[1]/total[1]) / 2
		share := (c[0] + c[1]) / (total[0] + total[1])
		for k := range c {
			want := share * total[k]
			chi += (c[k] - want) * (c[k] - want) / want
		}
	}
	if len(words) < 2 {
		return distance, 1
	}
	return distance, distuv.ChiSquared{K: float64(len(words) - 1)}.Survival(chi)
}

// proportions is the p-value of two parts of rows that are the same.
func proportions(a, n, b, m int64) float64 {
	if a+b == 0 || a+b == n+m || n == 0 || m == 0 {
		return 1
	}
	p := float64(a+b) / float64(n+m)
	z := (float64(a)/float64(n) - float64(b)/float64(m)) / math.Sqrt(p*(1-p)*(1/float64(n)+1/float64(m)))
	return math.Erfc(math.Abs(z) / math.Sqrt2)
}

// writeColumnsPage writes what all rows say about columns.
func writeColumnsPage(w io.Writer, r *DriftResult) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Columns of %s and %s rows\n\nThe verdict by samples is **%s**, with p = %.3g for a bulk that has moved; [its page](report.html) has the rest. "+
		"Here are the columns over all rows, the surest first. With so many rows small differences are certain: look at their size, too.\n\n",
		grouped(r.N), grouped(r.M), r.Verdict, r.PMoved)
	b.WriteString("| column | p at most | adjusted | difference | shift of the mean | medians | missing |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, c := range r.Columns {
		diff := fmt.Sprintf("%.4f to %.4f", c.Low, c.High)
		if c.Low == c.High {
			diff = fmt.Sprintf("%.4f", c.Low)
		}
		fmt.Fprintf(&b, "| %s | %.2g | %.2g | %s | %.3g | %.4g → %.4g | %.3g → %.3g |\n", cell(c.Name), c.P, c.Adjusted, diff, c.Shift, c.Medians[0], c.Medians[1], c.Missing[0], c.Missing[1])
	}
	b.WriteString("\nThe difference is the largest of the distribution functions (bounds, from counts in cells), or the part of the rows that are of another category. The shift is in deviations of the reference. Adjusted p-values are those of Benjamini and Hochberg.\n")
	return report.Write(w, &report.Page{Title: "Columns", Body: b.String(), Footer: "rot-beam"})
}
