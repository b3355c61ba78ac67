package demo

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
	"rot.example/rot/internal/words"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// The table of the demo: readings of a pump station, a few of which went wrong
// on their way.
const (
	tableRows = 500
	badRows   = 5 // of each kind
	suspects  = 10
)

var columns = []string{"temperature", "humidity", "pressure", "voltage", "current", "power"}

const (
	temperature = iota // °C
	humidity           // %
	pressure           // hPa
	voltage            // V
	current            // A
	power              // W
)

// faults are the ways in which rows go bad. A fault gets a row and another
// good one.
var faults = []struct {
	name  string
	spoil func(row, other []float64)
}{
	{"a decimal point slipped", func(row, _ []float64) { row[pressure] /= 10 }},
	{"Fahrenheit for Celsius", func(row, _ []float64) { row[temperature] = math.Round(10*(1.8*row[temperature]+32)) / 10 }},
	{"two columns swapped", func(row, _ []float64) { row[voltage], row[power] = row[power], row[voltage] }},
	{"−999 for a missing value", func(row, _ []float64) { row[humidity] = -999 }},
	{"the power of another row", func(row, other []float64) { row[power] = other[power] }},
}

// A Table is the table with its faults, and what clean makes of it.
type Table struct {
	cleaned *clean.Result
	points  *ot.Points
	fault   []int // of faults, −1 for a good row
	auroc   float64
}

// newTable makes the readings: humidity falls as temperature rises, and
// power is voltage times current.
func newTable() *Table {
	rng := rand.New(rand.NewPCG(0, 0x70756D70)) // "pump"
	d := &Table{points: &ot.Points{Dim: len(columns)}, fault: make([]int, tableRows)}
	round := func(v float64, decimals int) float64 {
		unit := math.Pow10(decimals)
		return math.Round(v*unit) / unit
	}
	for i := range tableRows {
		d.fault[i] = -1
		d.points.IDs = append(d.points.IDs, fmt.Sprintf("r%03d", i+1))
		warm, volts, amperes := 20+4*rng.NormFloat64(), 230+2*rng.NormFloat64(), 4+rng.NormFloat64()
		d.points.Coords = append(d.points.Coords, round(warm, 1), round(60-1.5*(warm-20)+3*rng.NormFloat64(), 1), round(1013+5*rng.NormFloat64(), 1),
			round(volts, 1), round(amperes, 2), round(volts*amperes+8*rng.NormFloat64(), 0))
	}
	at := rng.Perm(tableRows)
	for k, fault := range faults {
		for j := range badRows {
			i := at[k*badRows+j]
			other := at[len(faults)*badRows+k*badRows+j]
			fault.spoil(d.points.Row(i), d.points.Row(other))
			d.fault[i] = k
		}
	}
	return d
}

// Clean makes the table and ranks its rows.
func Clean(ctx context.Context, progress func(done, total int)) (*Table, error) {
	d := newTable()
	var err error
	d.cleaned, err = clean.Find(ctx, d.points, &clean.Options{Progress: progress})
	if err != nil {
		return nil, err
	}
	d.auroc, err = metrics.AUROC(d.cleaned.Score, d.bad())
	return d, err
}

// bad says which rows are.
func (d *Table) bad() []bool {
	out := make([]bool, len(d.fault))
	for i, k := range d.fault {
		out[i] = k >= 0
	}
	return out
}

// CSV returns the table as a file. The last column marks the bad rows.
func (d *Table) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	lines := [][]string{append(append([]string{"id"}, columns...), "bad")}
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

// Figures returns the pictures of the table, by the names of their files.
func (d *Table) Figures() []Figure {
	return []Figure{{"table-weights.png", &figure.Histogram{
		Title: "Weights of the rows", Note: "outliers are the rows that were spoiled", Weights: d.cleaned.Weight, Outlier: d.bad(),
	}}}
}

// Result is what the page shows of the table. A bad row is found when it is
// dropped.
func (d *Table) Result() page.DemoClean {
	r := page.DemoClean{Rows: len(d.fault), Gamma: d.cleaned.Gamma, AUROC: d.auroc}
	for _, f := range faults {
		r.Kinds = append(r.Kinds, page.DemoFault{Name: f.name})
	}
	for i, k := range d.fault {
		if d.cleaned.Suspect[i] {
			r.Dropped++
		}
		if k < 0 {
			continue
		}
		r.Bad++
		r.Kinds[k].Rows++
		if d.cleaned.Suspect[i] {
			r.Found++
			r.Kinds[k].Found++
		}
	}
	for _, i := range d.cleaned.Order()[:suspects] {
		var parts []string
		for _, c := range d.cleaned.Causes(d.points.Row(i), 2) {
			parts = append(parts, fmt.Sprintf("%s = %s", columns[c.Column], words.Digits(c.Value, 4)))
		}
		because := strings.Join(parts, ", ")
		if because == "" {
			because = "its columns together"
		}
		fault := "nothing"
		if k := d.fault[i]; k >= 0 {
			fault = faults[k].name
		}
		r.Suspects = append(r.Suspects, page.DemoSuspect{Rank: d.cleaned.Rank[i], ID: d.points.ID(i), Score: d.cleaned.Score[i], Because: because, Fault: fault})
	}
	return r
}
