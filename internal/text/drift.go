package text

import (
	"fmt"
	"strings"

	"rot.example/rot/drift"
	"rot.example/rot/page"
	"rot.example/rot/table"
)

// A Drift is a verdict and the samples that it is about.
type Drift struct {
	*drift.Result
	Reference, New *page.Sample
	Encoding       *table.Encoding // nil for images and rows without names
	Alarm          float64         // p-value from which on there is an alarm; 0: none
	Seed           uint64
	Seconds        float64
}

// Alarmed reports whether the bulk has moved as surely as Alarm asks.
func (d *Drift) Alarmed() bool { return d.Alarm > 0 && d.PMoved <= d.Alarm }

// DriftJSON is a Drift as JSON has it; scripts rely on the names.
type DriftJSON struct {
	Verdict      drift.Verdict   `json:"verdict"`
	PMoved       float64         `json:"p_moved"`
	PDirty       float64         `json:"p_dirty"`
	Effect       Number          `json:"effect"`
	Distance     Number          `json:"distance"`
	Noise        Number          `json:"noise"`
	Suspects     int             `json:"suspects"`
	Rows         []driftRowJSON  `json:"rows"`
	Columns      []driftColumn   `json:"columns"`
	Statistics   []driftStatJSON `json:"statistics"`
	SetAside     [2]int          `json:"set_aside"` // of REF and of NEW
	Tested       [2]int          `json:"tested"`
	Permutations int             `json:"permutations"`
	N            int             `json:"n"`
	M            int             `json:"m"`
	Dim          int             `json:"dim"`
	Encoding     string          `json:"encoding,omitempty"` // how columns became numbers, in words
	Alarm        bool            `json:"alarm"`
	Seed         uint64          `json:"seed"`
	Seconds      float64         `json:"seconds"`
}

type driftRowJSON struct {
	Row     int     `json:"row"`
	ID      string  `json:"id"`
	Score   float64 `json:"score"`
	P       float64 `json:"p"`
	Suspect bool    `json:"suspect"`
	Nearest int     `json:"nearest"` // row of REF
}

type driftColumn struct {
	Name      string  `json:"name"`
	P         float64 `json:"p"`
	Adjusted  float64 `json:"p_adjusted"`
	Effect    Number  `json:"effect"`
	Direction string  `json:"direction"`
	Text      string  `json:"text"`
}

type driftStatJSON struct {
	Name string  `json:"name"`
	P    float64 `json:"p"`
}

// JSON returns d as JSON has it.
func (d *Drift) JSON() *DriftJSON {
	j := &DriftJSON{
		Verdict: d.Verdict, PMoved: d.PMoved, PDirty: d.PDirty, Effect: Number(d.Effect), Distance: Number(d.Distance), Noise: Number(d.Noise), Suspects: len(d.Suspects),
		Rows: []driftRowJSON{}, Columns: []driftColumn{}, SetAside: d.SetAside, Tested: d.Tested, Permutations: d.Permutations,
		N: d.Reference.Rows(), M: d.New.Rows(), Dim: d.New.Points.Dim, Alarm: d.Alarmed(), Seed: d.Seed, Seconds: d.Seconds,
	}
	suspect := d.suspect()
	for _, b := range d.Blame {
		j.Rows = append(j.Rows, driftRowJSON{d.New.Place(b.Row), d.New.Points.ID(b.Row), b.Score, b.P, suspect[b.Row], d.Reference.Place(b.Nearest)})
	}
	for _, s := range d.Columns {
		j.Columns = append(j.Columns, driftColumn{s.Name, s.P, s.Adjusted, Number(s.Effect), s.Direction, s.Text})
	}
	for _, s := range d.Statistics {
		j.Statistics = append(j.Statistics, driftStatJSON{s.Name, s.P})
	}
	j.Encoding = d.Encoding.Summary()
	return j
}

func (d *Drift) suspect() map[int]bool {
	out := make(map[int]bool, len(d.Suspects))
	for _, i := range d.Suspects {
		out[i] = true
	}
	return out
}

// Text is the verdict, and what it rests on.
func (d *Drift) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n", page.DriftVerdict(d.Result))
	fmt.Fprintf(&b, "%s: %s, %s: %s, %s; %s\n", d.Reference.Name, d.Reference.Things(d.Reference.Rows()), d.New.Name, d.New.Things(d.New.Rows()), Columns(d.New.Points.Dim, d.Encoding), seconds(d.Seconds))
	for _, side := range []*page.Sample{d.Reference, d.New} {
		if side.Total > 0 {
			fmt.Fprintf(&b, "Of %s a random %d are looked at.\n", side.Name, side.Points.Len())
		}
	}
	if e := d.Encoding.Summary(); e != "" {
		fmt.Fprintf(&b, "Encoded: %s.\n", e)
	}
	fmt.Fprintf(&b, "Moved: p = %s. Rows that do not belong: p = %s. Effect: %s times the noise (1 is what two halves of REF are apart).\n",
		digits(d.PMoved, 2), digits(d.PDirty, 2), digits(d.Effect, 3))
	if d.SetAside[0]+d.SetAside[1] > 0 {
		fmt.Fprintf(&b, "Set aside before the test: %s of REF and %d of NEW that stand out from both together.\n", plural(d.SetAside[0], "row"), d.SetAside[1])
	}
	if d.Verdict == drift.Moved && d.New.Features == "" {
		b.WriteString("\nWhat moved:\n\n")
		t := &Table{Head: []string{"column", "p", "effect", "direction"}, Left: []bool{true, false, false, true}}
		for k, s := range d.Columns {
			if k == 10 || k > 0 && s.Adjusted > drift.DefaultAlpha {
				break
			}
			t.Add(fit(s.Name, 30), digits(s.Adjusted, 2), digits(s.Effect, 3), fit(s.Text, 60))
		}
		t.AppendTo(&b)
		if d.Columns[0].Adjusted > drift.DefaultAlpha {
			b.WriteString("\nNo column by itself: it is how they go together.\n")
		} else {
			b.WriteString("\np is for all columns together (Benjamini–Hochberg).\n")
		}
	}
	if d.Verdict == drift.Moved && len(d.Blame) > 0 {
		b.WriteString("\nRows of NEW that are least like REF:\n\n")
		d.appendRows(&b, func(int) bool { return true })
	}
	if d.Verdict != drift.Same && len(d.Suspects) > 0 {
		fmt.Fprintf(&b, "\nRows of NEW that do not belong: %s.\n\n", d.New.Things(len(d.Suspects)))
		suspect := d.suspect()
		d.appendRows(&b, func(i int) bool { return suspect[i] })
	}
	if d.Alarmed() {
		fmt.Fprintf(&b, "\nAlarm: p = %s is at most %s.\n", digits(d.PMoved, 2), digits(d.Alarm, 2))
	}
	return b.String()
}

// appendRows lists rows of NEW beside their nearest rows of REF, ten at most.
func (d *Drift) appendRows(b *strings.Builder, want func(row int) bool) {
	t := &Table{Head: []string{"id", "score", "nearest of REF"}, Left: []bool{true, false, true}}
	listed := 0
	for _, r := range d.Blame {
		if want(r.Row) && listed < 10 {
			t.Add(fit(d.New.Points.ID(r.Row), 40), digits(r.Score, 3), fit(d.Reference.Points.ID(r.Nearest), 40))
			listed++
		}
	}
	t.AppendTo(b)
}
