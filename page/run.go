package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/engine"
	"rot.example/rot/figure"
	"rot.example/rot/internal/openfile"
	"rot.example/rot/internal/words"
	"rot.example/rot/report"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// A runPage is the page of a run, whatever it trained. Texts are Markdown.
type runPage struct {
	run     *runs.Run
	verb    string // gan or da
	unit    string // of the data
	config  any
	backend *engine.Backend
	seconds float64 // of training
	weights *train.Weighted

	title    string // plain text
	answer   string
	warnings []string // plain text
	question string
	results  string // sections about what came out; may name pictures
	panels   []runPanel
	certain  []string // paragraphs
	next     []string // commands; nil: none

	pictures report.Pictures
}

// A runPanel is records of metrics.jsonl that share an axis.
type runPanel struct {
	label  string
	series []runSeries
}

type runSeries struct {
	name, key string
	constant  float64 // the value, where key is empty
}

// make draws the page.
func (p *runPage) make() (*report.Page, error) {
	if p.pictures == nil {
		p.pictures = report.Pictures{}
	}
	records, err := p.run.Metrics()
	if err != nil {
		return nil, err
	}
	var s strings.Builder
	fmt.Fprintf(&s, "# %s\n\n%s\n\n", escaped(p.title), p.answer)
	for _, w := range p.warnings {
		fmt.Fprintf(&s, "> **Warning:** %s\n\n", escaped(w))
	}
	fmt.Fprintf(&s, "## What was asked\n\n%s\n\n%s", p.question, p.results)
	if curves := p.curves(records); curves != nil {
		b := &builder{pictures: p.pictures}
		if err := b.add("curves.png", nil, curves); err != nil {
			return nil, err
		}
		s.WriteString("## How training went\n\n![losses over the steps](curves.png)\n\n")
	}
	if err := p.computed(&s, records); err != nil {
		return nil, err
	}
	fmt.Fprintf(&s, "## How certain it is\n\n%s\n\n", strings.Join(p.certain, "\n\n"))
	if p.next != nil {
		fmt.Fprintf(&s, "## What to do next\n\n```\n%s\n```\n", strings.Join(p.next, "\n"))
	}
	return &report.Page{
		Title: p.title, Body: s.String(), Files: p.pictures,
		Footer: fmt.Sprintf("rot %s, run %s. The numbers are in metrics.jsonl and weights.csv beside this page.", p.verb, p.run.Name()),
	}, nil
}

// picture takes a file of the run's folder into the page and returns the
// Markdown that shows it; nothing where there is none, which a user may have
// deleted to save room.
func (p *runPage) picture(alt string, path ...string) (string, error) {
	data, err := openfile.Read(filepath.Join(append([]string{p.run.Path()}, path...)...), 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if p.pictures == nil {
		p.pictures = report.Pictures{}
	}
	name := path[len(path)-1]
	p.pictures[name] = data
	return fmt.Sprintf("![%s](%s)\n\n", alt, name), nil
}

// curves draws the panels; nil where nothing was recorded.
func (p *runPage) curves(records []map[string]any) figure.Figure {
	if len(records) == 0 {
		return nil
	}
	c := &figure.LossCurves{}
	for _, panel := range p.panels {
		out := figure.LossPanel{Label: panel.label}
		for _, s := range panel.series {
			series := figure.Series{Name: s.name}
			for _, r := range records {
				step, _ := r["step"].(float64)
				value, ok := r[s.key].(float64)
				if s.key == "" {
					value, ok = s.constant, true
				}
				if ok {
					series.Step, series.Value = append(series.Step, int(step)), append(series.Value, value)
				}
			}
			if series.Step != nil {
				out.Series = append(out.Series, series)
			}
		}
		if out.Series != nil {
			c.Panels = append(c.Panels, out)
		}
	}
	if c.Panels == nil {
		return nil
	}
	return c
}

// computed says by what, how long, and with which configuration.
func (p *runPage) computed(s *strings.Builder, records []map[string]any) error {
	step := 0.0
	rate := 0.0
	if len(records) > 0 {
		last := records[len(records)-1]
		step, _ = last["step"].(float64)
		rate, _ = last["images_per_second"].(float64)
	}
	fmt.Fprintf(s, "## How it was computed\n\n%s in %s", words.Plural(int(step), "step"), words.Seconds(p.seconds))
	if rate > 0 {
		fmt.Fprintf(s, ", %s %s a second", words.Count(int(rate)), p.unit)
	}
	fmt.Fprintf(s, ", on %s (backend %s). The configuration, which with the data determines the run:\n\n", escaped(p.backend.Device), escaped(p.backend.Kind))
	lines, err := configLines(p.config)
	if err != nil {
		return err
	}
	fmt.Fprintf(s, "```\n%s\n```\n\n", strings.Join(lines, "\n"))
	return nil
}

// configLines are the fields of a configuration, in their order.
func configLines(config any) ([]string, error) {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	if err := out.Encode(config); err != nil {
		return nil, err
	}
	in := json.NewDecoder(&text)
	if _, err := in.Token(); err != nil { // the brace
		return nil, err
	}
	var lines []string
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, err
		}
		// Quotes and escapes stay: a value can hold anything.
		lines = append(lines, fmt.Sprintf("%-18s%s", key, words.Fit(string(value), 72)))
	}
	return lines, nil
}

// weightsAnswer is who lost weight, as a sentence in bold and, where outliers
// are known, how well they were found.
func weightsAnswer(r *train.WeightSummary, unit string) string {
	text := fmt.Sprintf("**%s of %s %s (%s) have lost more than half of their weight", words.Count(r.Low), words.Count(r.N), unit, words.Percent(float64(r.Low)/float64(r.N)))
	if r.AUROC == nil {
		return text + ".** Which of them do not belong is not known here."
	}
	return text + fmt.Sprintf(", among them %s of the %s known outliers.** Low weights tell these from the others with an AUROC of %.4f; 1 is perfect, 0.5 is chance.",
		words.Count(r.LowKnown), words.Count(r.Outliers), *r.AUROC)
}

// weightsSection is the histogram, the images in the order of their weights,
// and a table of the lowest. more adds columns to that.
func (p *runPage) weightsSection(head []string, more func(i int) []string) (string, error) {
	s := p.weights
	var b strings.Builder
	b.WriteString("## The weights\n\nThey have mean 1; what does not belong should have a low one. All of them are in weights.csv.\n\n")
	for _, f := range []struct{ alt, name string }{{"histogram of the weights", "weights.png"}, {"images from the lowest weight to the highest", "sorted.png"}} {
		if f.name == "sorted.png" && s.Size == 0 {
			continue
		}
		picture, err := p.picture(f.alt, f.name)
		if err != nil {
			return "", err
		}
		if f.name == "sorted.png" && picture != "" {
			b.WriteString("From the lowest weight to the highest; the first and last rows are the extremes, those between a selection. A frame marks known outliers.\n\n")
		}
		b.WriteString(picture)
	}
	p.lowest(&b, "lowest weights", append([]string{"weight"}, head...), func(i int) []string {
		return append([]string{weightText(s.W[i])}, more(i)...)
	})
	return b.String(), nil
}

// oddSection is for samples that all weigh the same: which of them are the oddest.
func (p *runPage) oddSection(w *train.WeightSummary) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "## The oddest\n\nNone of the %s stands out, so these are the ends of what there is, and most or all of them may belong. ", p.unit)
	b.WriteString("Look at them, and if they do not belong, say how many do not: `--gamma`. The scores of all are in weights.csv.\n\n")
	if w.Scores != nil {
		fmt.Fprintf(&b, "Of the %s known outliers the scores are higher than those of the others with an AUROC of %.4f; 1 is perfect, 0.5 is chance.\n\n", words.Count(w.Outliers), *w.Scores)
	}
	if p.weights.Size > 0 {
		picture, err := p.picture("images from the oddest to the most usual", "sorted.png")
		if err != nil {
			return "", err
		}
		b.WriteString("From the oddest to the most usual; the first and last rows are the extremes, those between a selection.\n\n" + picture)
	}
	p.lowest(&b, "oddest", []string{"score, in deviations"}, func(i int) []string { return []string{words.Digits(p.weights.Score[i], 3)} })
	return b.String(), nil
}

// lowest is a table of the samples of the lowest weights.
func (p *runPage) lowest(b *strings.Builder, name string, head []string, columns func(i int) []string) {
	s := p.weights
	order := s.ByWeight()
	head = append([]string{name}, head...)
	if s.Outlier != nil {
		head = append(head, "known as")
	}
	var rows [][]string
	for _, i := range order[:min(10, len(order))] {
		id := fmt.Sprint(i)
		if s.IDs != nil {
			id = s.IDs[i]
		}
		row := append([]string{escaped(words.Fit(id, 40))}, columns(i)...)
		if s.Outlier != nil {
			row = append(row, map[bool]string{true: "outlier", false: ""}[s.Outlier[i]])
		}
		rows = append(rows, row)
	}
	markdownTable(b, head, rows)
}

// weightText returns a weight for a table, in which what rounding left of 0 is 0.
func weightText(w float64) string {
	if math.Abs(w) < 1e-9 {
		w = 0
	}
	return words.Digits(w, 3)
}

// WriteWeightPictures writes the pictures of a run's weights into its folder:
// weights.png, a histogram, and of images sorted.png, from the lowest weight to
// the highest.
func WriteWeightPictures(run *runs.Run, s *train.Weighted) error {
	hist := &figure.Histogram{Title: "Weights of " + run.Name(), Weights: s.W, Outlier: s.Outlier}
	if err := figure.Save(filepath.Join(run.Path(), "weights.png"), hist, nil); err != nil || s.Size == 0 {
		return err
	}
	return figure.Save(filepath.Join(run.Path(), "sorted.png"), SortedImages(s), nil)
}

// SortedImages returns the figure of images by weight, and where all weigh the same
// by score; a frame marks known outliers.
func SortedImages(s *train.Weighted) *figure.ImageGrid {
	weighed := slices.ContainsFunc(s.W, func(w float64) bool { return w != s.W[0] })
	if weighed || s.Score == nil {
		return figure.SortedImages(s.Size, s.Size, s.Channels, s.W, s.ByWeight(), s.Outlier, s.Image)
	}
	g := figure.SortedImages(s.Size, s.Size, s.Channels, s.Score, s.ByWeight(), s.Outlier, s.Image)
	g.Title = "From the oddest to the most usual, by their scores"
	return g
}
