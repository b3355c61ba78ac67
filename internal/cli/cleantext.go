package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"rot.example/rot/clean"
)

// cleanFiles are the files of clean, in the order in which they are written.
var cleanFiles = []struct {
	name  string
	write func(*cleaned) func(io.Writer) error
}{
	{"weights.csv", func(c *cleaned) func(io.Writer) error { return c.writeWeights }},
	{"dropped.txt", func(c *cleaned) func(io.Writer) error { return c.writeDropped }},
	{"kept.txt", func(c *cleaned) func(io.Writer) error { return c.writeKept }},
	{"report.html", func(c *cleaned) func(io.Writer) error { return c.writePage }},
}

// causes is how many columns explain a row.
const causes = 3

// writeWeights writes id,score,weight,rank,dropped.
func (c *cleaned) writeWeights(w io.Writer) error {
	lines := csv.NewWriter(w)
	if err := lines.Write([]string{"id", "score", "weight", "rank", "dropped"}); err != nil {
		return err
	}
	for i := range c.Score {
		dropped := "0"
		if c.Dropped[i] {
			dropped = "1"
		}
		if err := lines.Write([]string{
			c.data.points.ID(i),
			strconv.FormatFloat(c.Score[i], 'g', -1, 64),
			strconv.FormatFloat(c.Weight[i], 'g', -1, 64),
			strconv.Itoa(c.Rank[i]), dropped,
		}); err != nil {
			return err
		}
	}
	lines.Flush()
	return lines.Error()
}

// writeDropped lists the dropped ids, the worst first.
func (c *cleaned) writeDropped(w io.Writer) error {
	for _, i := range c.Order() {
		if !c.Dropped[i] {
			continue
		}
		if err := writeID(w, c.data.points.ID(i)); err != nil {
			return err
		}
	}
	return nil
}

// writeKept lists the other ids, in the order of the rows.
func (c *cleaned) writeKept(w io.Writer) error {
	for i, dropped := range c.Dropped {
		if dropped {
			continue
		}
		if err := writeID(w, c.data.points.ID(i)); err != nil {
			return err
		}
	}
	return nil
}

// writeID writes an id on a line of its own, quoted if it would take several.
func writeID(w io.Writer, id string) error {
	if strings.ContainsFunc(id, unicode.IsControl) {
		id = strconv.Quote(id)
	}
	_, err := io.WriteString(w, id+"\n")
	return err
}

// cleanJSON is what clean --json prints; scripts rely on the names.
type cleanJSON struct {
	N        int         `json:"n"`
	Dropped  int         `json:"dropped"`
	Gamma    float64     `json:"gamma"`
	Guessed  bool        `json:"gamma_guessed"`
	Rho      float64     `json:"rho"`
	AUROC    *float64    `json:"auroc"`
	Out      string      `json:"out"`
	Files    []string    `json:"files"`
	Method   string      `json:"method"`   // "cores" or "reference"
	Features *string     `json:"features"` // of images
	Dim      int         `json:"dim"`
	Core     *int        `json:"core"` // null with a reference
	Seed     uint64      `json:"seed"`
	Seconds  float64     `json:"seconds"`
	Warnings []string    `json:"warnings"`
	Worst    []worstJSON `json:"worst"`
}

type worstJSON struct {
	Row    int         `json:"row"`
	ID     string      `json:"id"`
	Score  float64     `json:"score"`
	Weight float64     `json:"weight"`
	Label  *string     `json:"label,omitempty"`
	Causes []causeJSON `json:"causes"`
}

type causeJSON struct {
	Column string `json:"column"`
	Value  number `json:"value"`
	Z      number `json:"z"` // null where all other rows have one value
}

func (c *cleaned) json() *cleanJSON {
	o := c.options
	j := &cleanJSON{
		N: len(c.Score), Dropped: c.dropped(), Gamma: c.Gamma, Guessed: c.Guessed, Rho: c.Rho, AUROC: c.auroc,
		Out: o.out, Files: c.files(), Method: "cores", Dim: c.data.points.Dim, Seed: o.seed, Seconds: c.seconds,
		Warnings: append([]string{}, c.warnings...), Worst: []worstJSON{},
	}
	if o.against != "" {
		j.Method = "reference"
	} else {
		j.Core = &c.Core
	}
	if c.data.features != "" {
		j.Features = &c.data.features
	}
	for _, i := range c.worst() {
		w := worstJSON{Row: i, ID: c.data.points.ID(i), Score: c.Score[i], Weight: c.Weight[i], Causes: []causeJSON{}}
		if c.data.labels != nil {
			w.Label = &c.data.labels[i]
		}
		for _, e := range c.causes(i) {
			w.Causes = append(w.Causes, causeJSON{c.data.column(e.Column), number(e.Value), number(e.Z)})
		}
		j.Worst = append(j.Worst, w)
	}
	return j
}

func (c *cleaned) files() []string {
	var out []string
	for _, f := range cleanFiles {
		out = append(out, filepath.Join(c.options.out, f.name))
	}
	return out
}

func (c *cleaned) dropped() (n int) {
	for _, d := range c.Dropped {
		if d {
			n++
		}
	}
	return n
}

// worst is the first rows of the ranking.
func (c *cleaned) worst() []int { return c.Order()[:min(suspects, len(c.Score))] }

// causes are the columns that make row i a suspect; elements of a feature
// vector would tell nobody anything.
func (c *cleaned) causes(i int) []clean.Cause {
	if c.data.features != "" {
		return nil
	}
	return c.Causes(c.data.points.Row(i), causes)
}

// report is the worst rows, and what to make of them.
func (c *cleaned) report() string {
	var b strings.Builder
	o, n := c.options, len(c.Score)
	fmt.Fprintf(&b, "%s: %s", o.data, c.data.things(n))
	if c.data.features != "" {
		fmt.Fprintf(&b, " as vectors of %s", c.data.features)
	} else {
		fmt.Fprintf(&b, " of %s", plural(c.data.points.Dim, "column"))
	}
	if o.against != "" {
		fmt.Fprintf(&b, ", compared with %s", o.against)
	}
	fmt.Fprintf(&b, ", ranked in %s\n", seconds(c.seconds))
	fmt.Fprintf(&b, "Dropped: %s, the worst %s.", c.data.things(c.dropped()), percent(float64(c.dropped())/float64(n)))
	if c.Guessed {
		fmt.Fprintf(&b, " That many is a rough guess: γ = %s; --gamma sets it.", digits(c.Gamma, 3))
	}
	b.WriteByte('\n')
	if c.auroc != nil {
		fmt.Fprintf(&b, "AUROC of the scores for the known outliers: %.4f\n", *c.auroc)
	}
	b.WriteByte('\n')
	c.table().writeTo(&b)
	if c.data.features == "" {
		b.WriteString("\nIn brackets: deviations from the median.\n")
	}
	for _, w := range c.warnings {
		fmt.Fprintf(&b, "\nWarning: %s\n", w)
	}
	fmt.Fprintf(&b, "\nWrote %s. Nothing else was changed.\n", strings.Join(c.files(), ", "))
	return b.String()
}

// table is the worst rows.
func (c *cleaned) table() *table {
	t := &table{head: []string{"rank", "id", "score", "weight", ""}, left: []bool{false, true, false, false, true}}
	if c.data.labels != nil {
		t.head, t.left = append(t.head, "label"), append(t.left, true)
	}
	if c.data.features == "" {
		t.head, t.left = append(t.head, "because of"), append(t.left, true)
	}
	for _, i := range c.worst() {
		state := "kept"
		if c.Dropped[i] {
			state = "dropped"
		}
		cells := []string{strconv.Itoa(c.Rank[i]), fit(c.data.points.ID(i), 40), digits(c.Score[i], 3), digits(c.Weight[i], 2), state}
		if c.data.labels != nil {
			cells = append(cells, fit(c.data.labels[i], 20))
		}
		if c.data.features == "" {
			cells = append(cells, c.because(i))
		}
		t.add(cells...)
	}
	return t
}

// because is the causes of row i in words.
func (c *cleaned) because(i int) string {
	var parts []string
	for _, e := range c.causes(i) {
		far := "the only one"
		if !math.IsInf(e.Z, 0) {
			far = fmt.Sprintf("%+.3g", e.Z)
		}
		parts = append(parts, fmt.Sprintf("%s = %s (%s)", fit(c.data.column(e.Column), 24), plainDigits(e.Value), far))
	}
	if parts == nil {
		return "its columns together"
	}
	return strings.Join(parts, ", ")
}
