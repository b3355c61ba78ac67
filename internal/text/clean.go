package text

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/clean"
	"rot.example/rot/dataset"
	"rot.example/rot/page"
	"rot.example/rot/table"
)

// A Clean is DATA with its scores, and what else was found.
type Clean struct {
	*clean.Result
	Data      *page.Sample
	Reference *page.Sample       // nil without one
	Encoding  *table.Encoding    // nil for images and rows without names
	AUROC     *float64           // nil unless the outliers are known
	Repeated  *clean.Repeated    // nil where nobody looked
	Wrong     *clean.LabelResult // labels that do not fit; nil where nobody looked
	Warnings  []string
	Out       string   // folder of Files
	Files     []string // that were written
	Seed      uint64
	Seconds   float64
}

// listedLabels is how many labels that do not fit are listed.
const listedLabels = 10

// CleanJSON is a Clean as JSON has it; scripts rely on the names.
type CleanJSON struct {
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
	Groups   []int    `json:"groups"`   // sizes of groups that look like each other and unlike the rest
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
	Group  int         `json:"group,omitempty"` // from 1 on; 0 is none
	Causes []causeJSON `json:"causes"`
}

type causeJSON struct {
	Column string `json:"column"`
	Value  Number `json:"value"`
	Z      Number `json:"z"` // null where all other rows have one value
}

// JSON returns c as JSON has it.
func (c *Clean) JSON() *CleanJSON {
	j := &CleanJSON{
		N: len(c.Score), Dropped: c.dropped(), Suspects: c.dropped(), Proven: c.Proven, Gamma: c.Gamma, Guessed: c.Guessed, Rho: c.Rho, AUROC: c.AUROC,
		Out: c.Out, Files: c.Files, Method: "cores", Dim: c.Data.Points.Dim, Seed: c.Seed, Seconds: c.Seconds,
		Warnings: append([]string{}, c.Warnings...), Worst: []worstJSON{},
		Duplicates: c.repeatedJSON(), Labels: c.wrongLabels(), Groups: append([]int{}, c.CrowdSizes()...),
	}
	j.Encoding = c.Encoding.Summary()
	if im := c.Data.Images; im != nil {
		j.Unreadable, j.Skipped = append([]dataset.BadFile{}, im.Unreadable...), append([]string{}, im.Skipped...)
	}
	if c.Guessed {
		j.FDR = &c.FDR
	}
	if c.Reference != nil {
		j.Method = "reference"
	} else {
		j.Core = &c.Core
	}
	if c.Data.Features != "" {
		j.Features = &c.Data.Features
	}
	for _, i := range c.worst() {
		w := worstJSON{Row: c.Data.Place(i), ID: c.Data.Points.ID(i), Score: c.Score[i], Weight: c.Weight[i], Causes: []causeJSON{}}
		if c.P != nil {
			w.P = &c.P[i]
		}
		if c.Data.Labels != nil {
			w.Label = &c.Data.Labels[i]
		}
		if c.Crowd != nil {
			w.Group = c.Crowd[i]
		}
		for _, e := range page.Causes(c.Result, c.Data, i) {
			w.Causes = append(w.Causes, causeJSON{c.Data.Column(e.Column), Number(e.Value), Number(e.Z)})
		}
		j.Worst = append(j.Worst, w)
	}
	return j
}

// dropped is the number of suspects.
func (c *Clean) dropped() (n int) {
	for _, d := range c.Suspect {
		if d {
			n++
		}
	}
	return n
}

// worst is the first ten rows of the ranking.
func (c *Clean) worst() []int { return c.Order()[:min(10, len(c.Score))] }

// Text is the worst rows, and what to make of them.
func (c *Clean) Text() string {
	var b strings.Builder
	n := len(c.Score)
	fmt.Fprintf(&b, "%s: %s", c.Data.Name, c.Data.Things(n))
	if c.Data.Features != "" {
		fmt.Fprintf(&b, " as vectors of %s", c.Data.Features)
	} else {
		fmt.Fprintf(&b, " of %s", Columns(c.Data.Points.Dim, c.Encoding))
	}
	if c.Reference != nil {
		fmt.Fprintf(&b, ", compared with %s", c.Reference.Name)
	}
	fmt.Fprintf(&b, ", ranked in %s\n", seconds(c.Seconds))
	if e := c.Encoding.Summary(); e != "" {
		fmt.Fprintf(&b, "Encoded: %s.\n", e)
	}
	if k := c.dropped(); k > 0 {
		fmt.Fprintf(&b, "Suspects: %s, the worst %s. %s\n", c.Data.Things(k), percent(float64(k)/float64(n)), page.Rate(c.Result))
	} else {
		fmt.Fprintf(&b, "Nothing stands out. The list below is the order, not an accusation.\n")
	}
	if groups := page.Groups(c.Result, c.Data); groups != "" {
		b.WriteString(groups + "\n")
	}
	if c.AUROC != nil {
		fmt.Fprintf(&b, "AUROC of the scores for the known outliers: %.4f\n", *c.AUROC)
	}
	b.WriteByte('\n')
	c.table().AppendTo(&b)
	if c.Data.Features == "" {
		b.WriteString("\nIn brackets: deviations from the median.\n")
	}
	c.moreText(&b)
	for _, w := range c.Warnings {
		fmt.Fprintf(&b, "\nWarning: %s\n", w)
	}
	fmt.Fprintf(&b, "\nWrote %s. Nothing else was changed.\n", strings.Join(c.Files, ", "))
	return b.String()
}

// table is the worst rows.
func (c *Clean) table() *Table {
	t := &Table{Head: []string{"rank", "id", "score", "weight", ""}, Left: []bool{false, true, false, false, true}}
	if c.Data.Labels != nil {
		t.Head, t.Left = append(t.Head, "label"), append(t.Left, true)
	}
	if c.Data.Features == "" {
		t.Head, t.Left = append(t.Head, "because of"), append(t.Left, true)
	}
	for _, i := range c.worst() {
		state := "kept"
		if c.Suspect[i] {
			state = "suspect"
		}
		cells := []string{strconv.Itoa(c.Rank[i]), fit(c.Data.Points.ID(i), 40), digits(c.Score[i], 3), digits(c.Weight[i], 2), state}
		if c.Data.Labels != nil {
			cells = append(cells, fit(c.Data.Labels[i], 20))
		}
		if c.Data.Features == "" {
			cells = append(cells, page.Because(c.Result, c.Data, i))
		}
		t.Add(cells...)
	}
	return t
}

// repeatedJSON is rows that are there more than once, by their numbers.
type repeatedJSON struct {
	Equal [][]int    `json:"equal"`
	Near  []nearJSON `json:"near"`
}

type nearJSON struct {
	Rows     [2]int  `json:"rows"`
	Distance float64 `json:"distance"` // in distances to the nearest row
}

type labelJSON struct {
	Row       int     `json:"row"`
	ID        string  `json:"id"`
	Label     string  `json:"label"`
	Suggested string  `json:"suggested"`
	Score     float64 `json:"score"`
}

func (c *Clean) repeatedJSON() *repeatedJSON {
	if c.Repeated == nil {
		return nil
	}
	j := &repeatedJSON{Equal: [][]int{}, Near: []nearJSON{}}
	for _, group := range c.Repeated.Equal {
		rows := make([]int, len(group))
		for k, i := range group {
			rows[k] = c.Data.Place(i)
		}
		j.Equal = append(j.Equal, rows)
	}
	for _, p := range c.Repeated.Near {
		j.Near = append(j.Near, nearJSON{[2]int{c.Data.Place(p.A), c.Data.Place(p.B)}, p.Distance})
	}
	return j
}

// wrongLabels are the rows whose labels do not fit, the worst first; nil where
// labels were not looked at.
func (c *Clean) wrongLabels() []labelJSON {
	if c.Wrong == nil {
		return nil
	}
	out := []labelJSON{}
	for i, s := range c.Wrong.Suspect {
		if s {
			out = append(out, labelJSON{c.Data.Place(i), c.Data.Points.ID(i), c.Data.Labels[i], c.Wrong.Classes[c.Wrong.Suggested[i]], c.Wrong.Score[i]})
		}
	}
	slices.SortStableFunc(out, func(a, b labelJSON) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// moreText tells about repeated rows and labels.
func (c *Clean) moreText(b *strings.Builder) {
	if r := c.Repeated; r != nil && len(r.Equal)+len(r.Near) > 0 {
		rows := 0
		for _, g := range r.Equal {
			rows += len(g)
		}
		var parts []string
		if rows > 0 {
			parts = append(parts, fmt.Sprintf("%s in %s of equal ones", c.Data.Things(rows), plural(len(r.Equal), "group")))
		}
		if len(r.Near) > 0 {
			parts = append(parts, plural(len(r.Near), "pair")+" that are nearly equal")
		}
		fmt.Fprintf(b, "\nRepeated: %s (--json lists them).\n", strings.Join(parts, ", "))
	}
	wrong := c.wrongLabels()
	if len(wrong) == 0 {
		return
	}
	fmt.Fprintf(b, "\nLabels that do not fit: %s, whose neighbours have another one.\n\n", c.Data.Things(len(wrong)))
	t := &Table{Head: []string{"id", "label", "neighbours say", "by"}, Left: []bool{true, true, true, false}}
	for _, w := range wrong[:min(len(wrong), listedLabels)] {
		t.Add(fit(w.ID, 40), fit(w.Label, 20), fit(w.Suggested, 20), digits(w.Score, 2))
	}
	t.AppendTo(b)
}
