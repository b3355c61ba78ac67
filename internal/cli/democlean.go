package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"rot.example/rot/clean"
	"rot.example/rot/figure"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// The table of the demo: readings of a pump station, a few of which went wrong
// on their way.
const (
	demoRows     = 500
	demoBadRows  = 5 // of each kind
	demoSuspects = 10
)

var demoColumns = []string{"temperature", "humidity", "pressure", "voltage", "current", "power"}

const (
	temperature = iota // °C
	humidity           // %
	pressure           // hPa
	voltage            // V
	current            // A
	power              // W
)

// demoFaults are the ways in which rows go bad. A fault gets a row and another
// good one.
var demoFaults = []struct {
	name  string
	spoil func(row, other []float64)
}{
	{"a decimal point slipped", func(row, _ []float64) { row[pressure] /= 10 }},
	{"Fahrenheit for Celsius", func(row, _ []float64) { row[temperature] = math.Round(10*(1.8*row[temperature]+32)) / 10 }},
	{"two columns swapped", func(row, _ []float64) { row[voltage], row[power] = row[power], row[voltage] }},
	{"−999 for a missing value", func(row, _ []float64) { row[humidity] = -999 }},
	{"the power of another row", func(row, other []float64) { row[power] = other[power] }},
}

// A demoTable is the table with its faults, and what clean makes of it.
type demoTable struct {
	*clean.Result
	points *ot.Points
	fault  []int // of demoFaults, −1 for a good row
	auroc  float64
}

// newDemoTable makes the readings: humidity falls as temperature rises, and
// power is voltage times current.
func newDemoTable() *demoTable {
	rng := rand.New(rand.NewPCG(0, 0x70756D70)) // "pump"
	d := &demoTable{points: &ot.Points{Dim: len(demoColumns)}, fault: make([]int, demoRows)}
	round := func(v float64, decimals int) float64 {
		unit := math.Pow10(decimals)
		return math.Round(v*unit) / unit
	}
	for i := range demoRows {
		d.fault[i] = -1
		d.points.IDs = append(d.points.IDs, fmt.Sprintf("r%03d", i+1))
		warm, volts, amperes := 20+4*rng.NormFloat64(), 230+2*rng.NormFloat64(), 4+rng.NormFloat64()
		d.points.Coords = append(d.points.Coords, round(warm, 1), round(60-1.5*(warm-20)+3*rng.NormFloat64(), 1), round(1013+5*rng.NormFloat64(), 1),
			round(volts, 1), round(amperes, 2), round(volts*amperes+8*rng.NormFloat64(), 0))
	}
	at := rng.Perm(demoRows)
	for k, fault := range demoFaults {
		for j := range demoBadRows {
			i := at[k*demoBadRows+j]
			other := at[len(demoFaults)*demoBadRows+k*demoBadRows+j]
			fault.spoil(d.points.Row(i), d.points.Row(other))
			d.fault[i] = k
		}
	}
	return d
}

// cleanDemo makes the table and ranks its rows.
func cleanDemo(ctx context.Context, std IO) (*demoTable, error) {
	p := startProgress(std)
	defer p.stop()
	p.stage("ranking the rows of a table")
	d := newDemoTable()
	var err error
	d.Result, err = clean.Find(ctx, d.points, &clean.Options{Progress: func(done, total int) {
		p.report(ot.Progress{Done: float64(done) / float64(total)})
	}})
	if err != nil {
		return nil, err
	}
	d.auroc, err = metrics.AUROC(d.Score, d.bad())
	return d, err
}

// bad says which rows are.
func (d *demoTable) bad() []bool {
	out := make([]bool, len(d.fault))
	for i, k := range d.fault {
		out[i] = k >= 0
	}
	return out
}

// csv is the table as a user can read it. The last column marks the bad rows.
func (d *demoTable) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	lines := [][]string{append(append([]string{"id"}, demoColumns...), "bad")}
	for i, bad := range d.bad() {
		line := []string{d.points.ID(i)}
		for _, v := range d.points.Row(i) {
			line = append(line, strconv.FormatFloat(v, 'f', -1, 64))
		}
		mark := "0"
		if bad {
			mark = "1"
		}
		lines = append(lines, append(line, mark))
	}
	err := w.WriteAll(lines)
	return b.Bytes(), err
}

func (d *demoTable) histogram() figure.Figure {
	return &figure.Histogram{Title: "Weights of the rows", Note: "outliers are the rows that were spoiled", Weights: d.Weight, Outlier: d.bad()}
}

// demoTableJSON is the part of demo --json about the table.
type demoTableJSON struct {
	Rows    int             `json:"rows"`
	Bad     int             `json:"bad"`
	Dropped int             `json:"dropped"`
	Found   int             `json:"found"`
	Gamma   float64         `json:"gamma"`
	AUROC   number          `json:"auroc"`
	Kinds   []demoFaultJSON `json:"kinds"`
}

type demoFaultJSON struct {
	Kind  string `json:"kind"`
	Rows  int    `json:"rows"`
	Found int    `json:"found"`
}

// json counts; a bad row is found when it is dropped.
func (d *demoTable) json() *demoTableJSON {
	j := &demoTableJSON{Rows: len(d.fault), Gamma: d.Gamma, AUROC: number(d.auroc)}
	for _, f := range demoFaults {
		j.Kinds = append(j.Kinds, demoFaultJSON{Kind: f.name})
	}
	for i, k := range d.fault {
		if d.Dropped[i] {
			j.Dropped++
		}
		if k < 0 {
			continue
		}
		j.Bad++
		j.Kinds[k].Rows++
		if d.Dropped[i] {
			j.Found++
			j.Kinds[k].Found++
		}
	}
	return j
}

// text tells the story.
func (d *demoTable) text() string {
	var b strings.Builder
	j := d.json()
	fmt.Fprintf(&b, `4. CLEAN. %s readings of a pump station, of which %s (%s) went wrong in one of %d ways.
Told nothing but the numbers, clean lists %s suspects, and %s of the bad rows are among
them. AUROC of its ranking: %.4f.

`, count(j.Rows), count(j.Bad), percent(float64(j.Bad)/float64(j.Rows)), len(demoFaults), count(j.Dropped), count(j.Found), d.auroc)
	t := table{head: []string{"what went wrong", "found"}, left: []bool{true, false}}
	for _, k := range j.Kinds {
		t.add(k.Kind, fmt.Sprintf("%d of %d", k.Found, k.Rows))
	}
	t.writeTo(&b)
	return b.String()
}

// result is the part of the page about the table.
func (d *demoTable) result() page.DemoClean {
	j := d.json()
	r := page.DemoClean{Rows: j.Rows, Bad: j.Bad, Dropped: j.Dropped, Found: j.Found, AUROC: d.auroc}
	for _, k := range j.Kinds {
		r.Kinds = append(r.Kinds, page.DemoFault{Name: k.Kind, Rows: k.Rows, Found: k.Found})
	}
	for _, i := range d.Order()[:demoSuspects] {
		var parts []string
		for _, c := range d.Causes(d.points.Row(i), 2) {
			parts = append(parts, fmt.Sprintf("%s = %s", demoColumns[c.Column], digits(c.Value, 4)))
		}
		because := strings.Join(parts, ", ")
		if because == "" {
			because = "its columns together"
		}
		fault := "nothing"
		if k := d.fault[i]; k >= 0 {
			fault = demoFaults[k].name
		}
		r.Suspects = append(r.Suspects, page.DemoSuspect{Rank: d.Rank[i], ID: d.points.ID(i), Score: d.Score[i], Because: because, Fault: fault})
	}
	return r
}
