package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/page"
)

// cleanFiles are the files of clean, in the order in which they are written.
var cleanFiles = []struct {
	name  string
	write func(c *cleaned, w io.Writer) error
}{
	{"weights.csv", func(c *cleaned, w io.Writer) error { return c.WriteCSV(w, c.data.Points.ID) }},
	{"suspects.txt", func(c *cleaned, w io.Writer) error { return c.WriteSuspects(w, c.data.Points.ID) }},
	{"dropped.txt", func(c *cleaned, w io.Writer) error { return c.WriteSuspects(w, c.data.Points.ID) }}, // its name of old
	{"kept.txt", func(c *cleaned, w io.Writer) error { return c.WriteKept(w, c.data.Points.ID) }},
	{reportFile, func(c *cleaned, w io.Writer) error { return c.htmlPage().Write(w) }},
}

// cleanJSON is what clean --json prints; scripts rely on the names.
type cleanJSON struct {
	N        int      `json:"n"`
	Dropped  int      `json:"dropped"` // as suspects, its name of old
	Suspects int      `json:"suspects"`
	FDR      *float64 `json:"fdr"`    // null where gamma was given
	Proven   bool     `json:"proven"` // fdr is a guarantee
	Gamma    float64  `json:"gamma"`
	Guessed  bool     `json:"gamma_guessed"`
	Rho      float64  `json:"rho"`
	AUROC    *float64 `json:"auroc"`
	Out      string   `json:"out"`
	Files    []string `json:"files"`
	Method   string   `json:"method"`   // "cores" or "reference"
	Features *string  `json:"features"` // of images
	Dim      int      `json:"dim"`
	Core     *int     `json:"core"` // null with a reference
	Seed     uint64   `json:"seed"`
	Seconds  float64  `json:"seconds"`
	Warnings []string `json:"warnings"`
	Encoding string   `json:"encoding,omitempty"` // how columns became numbers, in words

	// Of a folder of images; null for others.
	Unreadable []dataset.BadFile `json:"unreadable"`
	Skipped    []string          `json:"skipped"`
	Worst      []worstJSON       `json:"worst"`

	Duplicates *repeatedJSON `json:"duplicates"`
	Labels     []labelJSON   `json:"labels"`
}

type worstJSON struct {
	Row    int         `json:"row"`
	ID     string      `json:"id"`
	Score  float64     `json:"score"`
	Weight float64     `json:"weight"`
	P      *float64    `json:"p,omitempty"`
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
		N: len(c.Score), Dropped: c.dropped(), Suspects: c.dropped(), Proven: c.Proven, Gamma: c.Gamma, Guessed: c.Guessed, Rho: c.Rho, AUROC: c.auroc,
		Out: o.out, Files: c.files(), Method: "cores", Dim: c.data.Points.Dim, Seed: o.seed, Seconds: c.seconds,
		Warnings: append([]string{}, c.warnings...), Worst: []worstJSON{},
		Duplicates: c.repeatedJSON(), Labels: c.wrongLabels(),
	}
	j.Encoding = encodingText(c.encoding)
	if im := c.data.Images; im != nil {
		j.Unreadable, j.Skipped = append([]dataset.BadFile{}, im.Unreadable...), append([]string{}, im.Skipped...)
	}
	if c.Guessed {
		j.FDR = &c.FDR
	}
	if o.against != "" {
		j.Method = "reference"
	} else {
		j.Core = &c.Core
	}
	if c.data.Features != "" {
		j.Features = &c.data.Features
	}
	for _, i := range c.worst() {
		w := worstJSON{Row: i, ID: c.data.Points.ID(i), Score: c.Score[i], Weight: c.Weight[i], Causes: []causeJSON{}}
		if c.P != nil {
			w.P = &c.P[i]
		}
		if c.data.Labels != nil {
			w.Label = &c.data.Labels[i]
		}
		for _, e := range page.Causes(c.Result, c.data, i) {
			w.Causes = append(w.Causes, causeJSON{c.data.Column(e.Column), number(e.Value), number(e.Z)})
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

// dropped is the number of suspects.
func (c *cleaned) dropped() (n int) {
	for _, d := range c.Suspect {
		if d {
			n++
		}
	}
	return n
}

// worst is the first ten rows of the ranking.
func (c *cleaned) worst() []int { return c.Order()[:min(10, len(c.Score))] }

// text is the worst rows, and what to make of them.
func (c *cleaned) text() string {
	var b strings.Builder
	o, n := c.options, len(c.Score)
	fmt.Fprintf(&b, "%s: %s", o.data, c.data.Things(n))
	if c.data.Features != "" {
		fmt.Fprintf(&b, " as vectors of %s", c.data.Features)
	} else {
		fmt.Fprintf(&b, " of %s", columnsText(c.data.Points.Dim, c.encoding))
	}
	if o.against != "" {
		fmt.Fprintf(&b, ", compared with %s", o.against)
	}
	fmt.Fprintf(&b, ", ranked in %s\n", seconds(c.seconds))
	if e := encodingText(c.encoding); e != "" {
		fmt.Fprintf(&b, "Encoded: %s.\n", e)
	}
	if k := c.dropped(); k > 0 {
		fmt.Fprintf(&b, "Suspects: %s, the worst %s. %s\n", c.data.Things(k), percent(float64(k)/float64(n)), page.Rate(c.Result))
	} else {
		fmt.Fprintf(&b, "Nothing stands out. The list below is the order, not an accusation.\n")
	}
	if c.auroc != nil {
		fmt.Fprintf(&b, "AUROC of the scores for the known outliers: %.4f\n", *c.auroc)
	}
	b.WriteByte('\n')
	c.table().writeTo(&b)
	if c.data.Features == "" {
		b.WriteString("\nIn brackets: deviations from the median.\n")
	}
	c.moreText(&b)
	for _, w := range c.warnings {
		fmt.Fprintf(&b, "\nWarning: %s\n", w)
	}
	fmt.Fprintf(&b, "\nWrote %s. Nothing else was changed.\n", strings.Join(c.files(), ", "))
	return b.String()
}

// table is the worst rows.
func (c *cleaned) table() *table {
	t := &table{head: []string{"rank", "id", "score", "weight", ""}, left: []bool{false, true, false, false, true}}
	if c.data.Labels != nil {
		t.head, t.left = append(t.head, "label"), append(t.left, true)
	}
	if c.data.Features == "" {
		t.head, t.left = append(t.head, "because of"), append(t.left, true)
	}
	for _, i := range c.worst() {
		state := "kept"
		if c.Suspect[i] {
			state = "suspect"
		}
		cells := []string{strconv.Itoa(c.Rank[i]), fit(c.data.Points.ID(i), 40), digits(c.Score[i], 3), digits(c.Weight[i], 2), state}
		if c.data.Labels != nil {
			cells = append(cells, fit(c.data.Labels[i], 20))
		}
		if c.data.Features == "" {
			cells = append(cells, page.Because(c.Result, c.data, i))
		}
		t.add(cells...)
	}
	return t
}

// htmlPage is the page of c.
func (c *cleaned) htmlPage() *page.Page {
	o := c.options
	return page.Clean(c.Result, &page.CleanOptions{
		Encoding: encodingText(c.encoding),
		Title:    "rot clean " + o.data,
		Footer:   "rot clean " + o.data + ". Nothing was deleted: weights.csv, suspects.txt and kept.txt lie beside this page.",
		Command:  c.command, Data: c.data, Reference: c.reference, Curve: c.curve, Marks: o.labels, AUROC: c.auroc, Warnings: c.warnings, Seed: o.seed,
	})
}
