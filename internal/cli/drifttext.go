package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"rot.example/rot/drift"
	"rot.example/rot/internal/openfile"
	"rot.example/rot/page"
)

// driftJSON is what drift --json prints; scripts rely on the names.
type driftJSON struct {
	Verdict      drift.Verdict   `json:"verdict"`
	PMoved       float64         `json:"p_moved"`
	PDirty       float64         `json:"p_dirty"`
	Effect       number          `json:"effect"`
	Distance     number          `json:"distance"`
	Noise        number          `json:"noise"`
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
	Effect    number  `json:"effect"`
	Direction string  `json:"direction"`
	Text      string  `json:"text"`
}

type driftStatJSON struct {
	Name string  `json:"name"`
	P    float64 `json:"p"`
}

func (d *driftAnswer) json() *driftJSON {
	j := &driftJSON{
		Verdict: d.Verdict, PMoved: d.PMoved, PDirty: d.PDirty, Effect: number(d.Effect), Distance: number(d.Distance), Noise: number(d.Noise), Suspects: len(d.Suspects),
		Rows: []driftRowJSON{}, Columns: []driftColumn{}, SetAside: d.SetAside, Tested: d.Tested, Permutations: d.Permutations,
		N: d.reference.Points.Len(), M: d.fresh.Points.Len(), Dim: d.fresh.Points.Dim, Alarm: d.alarm(), Seed: d.options.seed, Seconds: d.seconds,
	}
	suspect := d.suspect()
	for _, b := range d.Blame {
		j.Rows = append(j.Rows, driftRowJSON{b.Row, d.fresh.Points.ID(b.Row), b.Score, b.P, suspect[b.Row], b.Nearest})
	}
	for _, s := range d.Columns {
		j.Columns = append(j.Columns, driftColumn{s.Name, s.P, s.Adjusted, number(s.Effect), s.Direction, s.Text})
	}
	for _, s := range d.Statistics {
		j.Statistics = append(j.Statistics, driftStatJSON{s.Name, s.P})
	}
	j.Encoding = encodingText(d.encoding)
	return j
}

func (d *driftAnswer) suspect() map[int]bool {
	out := make(map[int]bool, len(d.Suspects))
	for _, i := range d.Suspects {
		out[i] = true
	}
	return out
}

// text is the verdict, and what it rests on.
func (d *driftAnswer) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n", page.DriftVerdict(d.Result))
	fmt.Fprintf(&b, "%s: %s, %s: %s, %s; %s\n", d.options.reference, d.reference.Things(d.reference.Points.Len()), d.options.fresh, d.fresh.Things(d.fresh.Points.Len()), columnsText(d.fresh.Points.Dim, d.encoding), seconds(d.seconds))
	if e := encodingText(d.encoding); e != "" {
		fmt.Fprintf(&b, "Encoded: %s.\n", e)
	}
	fmt.Fprintf(&b, "Moved: p = %s. Rows that do not belong: p = %s. Effect: %s times the noise (1 is what two halves of REF are apart).\n",
		digits(d.PMoved, 2), digits(d.PDirty, 2), digits(d.Effect, 3))
	if d.SetAside[0]+d.SetAside[1] > 0 {
		fmt.Fprintf(&b, "Set aside before the test: %s of REF and %d of NEW that stand out from both together.\n", plural(d.SetAside[0], "row"), d.SetAside[1])
	}
	if d.Verdict == drift.Moved && d.fresh.Features == "" {
		b.WriteString("\nWhat moved:\n\n")
		t := &table{head: []string{"column", "p", "effect", "direction"}, left: []bool{true, false, false, true}}
		for k, s := range d.Columns {
			if k == 10 || k > 0 && s.Adjusted > drift.DefaultAlpha {
				break
			}
			t.add(fit(s.Name, 30), digits(s.Adjusted, 2), digits(s.Effect, 3), fit(s.Text, 60))
		}
		t.writeTo(&b)
		if d.Columns[0].Adjusted > drift.DefaultAlpha {
			b.WriteString("\nNo column by itself: it is how they go together.\n")
		} else {
			b.WriteString("\np is for all columns together (Benjamini–Hochberg).\n")
		}
	}
	if d.Verdict != drift.Same && len(d.Suspects) > 0 {
		what := "Rows of NEW that do not belong"
		if d.Verdict == drift.Moved {
			what = "To blame"
		}
		fmt.Fprintf(&b, "\n%s: %s.\n\n", what, d.fresh.Things(len(d.Suspects)))
		t := &table{head: []string{"id", "score", "nearest of REF"}, left: []bool{true, false, true}}
		suspect := d.suspect()
		listed := 0
		for _, r := range d.Blame {
			if suspect[r.Row] && listed < 10 {
				t.add(fit(d.fresh.Points.ID(r.Row), 40), digits(r.Score, 3), fit(d.reference.Points.ID(r.Nearest), 40))
				listed++
			}
		}
		t.writeTo(&b)
	}
	if d.alarm() {
		fmt.Fprintf(&b, "\nAlarm: p = %s is at most %s.\n", digits(d.PMoved, 2), digits(d.options.alarm, 2))
	}
	return b.String()
}

func (d *driftAnswer) htmlPage() *page.Page {
	return page.Drift(d.Result, &page.DriftOptions{
		Encoding: encodingText(d.encoding),
		Title:    "rot drift " + d.options.reference + " " + d.options.fresh, Footer: "rot drift " + d.options.reference + " " + d.options.fresh,
		Command: d.command, Reference: d.reference, New: d.fresh, Columns: d.columns, History: d.history, Seed: d.options.seed,
	})
}

// historyLine is one line of a history.
type historyLine struct {
	Time     string        `json:"time"`
	Ref      string        `json:"reference"`
	New      string        `json:"new"`
	Verdict  drift.Verdict `json:"verdict"`
	PMoved   float64       `json:"p_moved"`
	PDirty   float64       `json:"p_dirty"`
	Effect   number        `json:"effect"`
	Suspects int           `json:"suspects"`
	N        int           `json:"n"`
	M        int           `json:"m"`
}

type pastDrift struct {
	text   []byte
	points []page.DriftPoint
}

// readHistory reads the lines of a history; none where there is no file yet.
func readHistory(path string) (*pastDrift, error) {
	past := &pastDrift{}
	if path == "" {
		return past, nil
	}
	text, err := openfile.Read(path, 1<<30)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return past, nil
	case err != nil:
		return nil, fmt.Errorf("--history %s: %w", path, err)
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	past.text = text
	for k, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var h historyLine
		if err := json.Unmarshal(line, &h); err != nil || h.Verdict == "" {
			return nil, fmt.Errorf("--history %s:%d: is not a line of rot drift", path, k+1)
		}
		past.points = append(past.points, page.DriftPoint{Time: h.Time, New: h.New, Verdict: h.Verdict, PMoved: h.PMoved, Effect: float64(h.Effect)})
	}
	return past, nil
}

func (d *driftAnswer) point() page.DriftPoint {
	return page.DriftPoint{Time: d.when.Format(time.RFC3339), New: d.options.fresh, Verdict: d.Verdict, PMoved: d.PMoved, Effect: d.Effect}
}

func (d *driftAnswer) writeHistory(w io.Writer, past []byte) error {
	if _, err := w.Write(past); err != nil {
		return err
	}
	line, err := json.Marshal(historyLine{
		d.when.Format(time.RFC3339), d.options.reference, d.options.fresh, d.Verdict, d.PMoved, d.PDirty, number(d.Effect), len(d.Suspects), d.reference.Points.Len(), d.fresh.Points.Len(),
	})
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// writeMetrics writes what Prometheus' textfile collector reads.
func (d *driftAnswer) writeMetrics(w io.Writer) error {
	names := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	labels := fmt.Sprintf(`{reference="%s",new="%s"}`, names.Replace(d.options.reference), names.Replace(d.options.fresh))
	flag := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	for _, m := range []struct {
		name, help string
		value      float64
	}{
		{"p_moved", "How likely bulks that are the same look as different.", d.PMoved},
		{"p_dirty", "How likely samples without foreign rows have as many that stand out.", d.PDirty},
		{"effect", "Transport distance in units of the noise of the reference.", d.Effect},
		{"suspects", "Rows that do not belong.", float64(len(d.Suspects))},
		{"moved", "1 when the bulk has moved.", flag(d.Verdict == drift.Moved)},
		{"dirty", "1 when the bulk is the same and some rows do not belong.", flag(d.Verdict == drift.Dirty)},
		{"alarm", "1 when the alarm was raised.", flag(d.alarm())},
		{"rows", "Rows of the new sample.", float64(d.fresh.Points.Len())},
		{"timestamp_seconds", "When the samples were compared.", float64(d.when.Unix())},
	} {
		if _, err := fmt.Fprintf(w, "# HELP rot_drift_%[1]s %[2]s\n# TYPE rot_drift_%[1]s gauge\nrot_drift_%[1]s%[3]s %[4]s\n", m.name, m.help, labels, strconv.FormatFloat(m.value, 'g', -1, 64)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "# EOF\n")
	return err
}
