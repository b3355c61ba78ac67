package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
	"rot.example/rot/report"
)

// Limits of a page, which keep it small.
const (
	pageRows    = 30   // suspects listed
	pagePoints  = 2000 // points of a scatter
	pageFlagged = 1200 // of these, points that are marked
	pageCurve   = 600  // rows of either side of a curve; takes about half a second
)

// weightBars is the histogram of weights, those marked on top of the others.
// Rows of which skip is true do not count; it may be nil.
func weightBars(title, note, things string, weights []float64, marked, skip []bool, names [2]string) *report.Chart {
	top, n := 0.0, 0
	for i, w := range weights {
		if skip == nil || !skip[i] {
			top, n = math.Max(top, w), n+1
		}
	}
	if top == 0 {
		top = 1
	}
	bins := int(math.Min(math.Max(math.Sqrt(float64(n)), 10), 40))
	width := top / (float64(bins) - 0.5)
	kept := report.Series{Name: names[0], X: make([]float64, bins), Y: make([]float64, bins), IDs: make([]string, bins)}
	gone := report.Series{Name: names[1], Look: report.Flagged, X: kept.X, Y: make([]float64, bins)}
	for k := range bins {
		kept.X[k] = (float64(k) + 0.5) * width
		kept.IDs[k] = fmt.Sprintf("weight %s to %s", words.Digits(float64(k)*width, 3), words.Digits(float64(k+1)*width, 3))
	}
	for i, w := range weights {
		k := min(int(w/width), bins-1)
		switch {
		case skip != nil && skip[i]:
		case marked[i]:
			gone.Y[k]++
		default:
			kept.Y[k]++
		}
	}
	return &report.Chart{Kind: report.Bars, Title: title, Note: note, XLabel: "weight", YLabel: things, Series: []report.Series{kept, gone}}
}

// A cloud is rows in the plane, with facts about each that the chart tells.
type cloud struct {
	name, markedName string
	other            bool // the side that is compared with
	at               *ot.Points
	id               func(i int) string
	marked           []bool // nil: none
	order            []int  // of the marked ones, the worst first; nil: as they come
	facts            []report.Fact
}

// cloudChart draws clouds: all that is marked, up to a limit, and a random
// sample of the rest.
func cloudChart(title, xLabel, yLabel string, seed uint64, clouds ...*cloud) *report.Chart {
	c := &report.Chart{Kind: report.Scatter, Title: title, XLabel: xLabel, YLabel: yLabel}
	rng := rand.New(rand.NewPCG(seed, 0x70616765)) // "page"
	marked := make([][]int, len(clouds))
	plain := make([][]int, len(clouds))
	for k, cloud := range clouds {
		marked[k], plain[k] = cloud.split()
	}
	var notes []string
	left := pagePoints
	for k, most := range shares(marked, pageFlagged) {
		if all := len(marked[k]); all > most {
			notes = append(notes, fmt.Sprintf("the worst %s of the %s %s", words.Count(most), words.Count(all), clouds[k].markedName))
			marked[k] = marked[k][:most]
		}
		left -= len(marked[k])
	}
	for k, most := range shares(plain, left) {
		if all := len(plain[k]); all > most {
			notes = append(notes, fmt.Sprintf("a random %s of the %s %s", words.Count(most), words.Count(all), clouds[k].name))
			rng.Shuffle(all, func(i, j int) { plain[k][i], plain[k][j] = plain[k][j], plain[k][i] })
			plain[k] = slices.Sorted(slices.Values(plain[k][:most]))
		}
	}
	if notes != nil {
		c.Note = "Drawn: " + strings.Join(notes, ", ") + ". "
	}
	c.Note += "Point at one to learn more; drag to zoom, double-click to go back."
	// Marked points lie on top, those of the other side below.
	for _, other := range []bool{true, false} {
		for k, cloud := range clouds {
			if cloud.other == other {
				c.Series = append(c.Series, cloud.series(plain[k], false))
			}
		}
	}
	for k, cloud := range clouds {
		if len(marked[k]) > 0 {
			c.Series = append(c.Series, cloud.series(marked[k], true))
		}
	}
	c.Series = slices.DeleteFunc(c.Series, func(s report.Series) bool { return len(s.X) == 0 })
	return c
}

// shares divides room among lists in proportion to their lengths.
func shares(lists [][]int, room int) []int {
	total := 0
	for _, l := range lists {
		total += len(l)
	}
	out := make([]int, len(lists))
	for k, l := range lists {
		out[k] = len(l)
		if total > room {
			out[k] = int(math.Ceil(float64(room) * float64(len(l)) / float64(total)))
		}
	}
	return out
}

// split is the rows that are marked, the worst first, and the others.
func (p *cloud) split() (marked, plain []int) {
	for i := range p.at.Len() {
		if p.marked == nil || !p.marked[i] {
			plain = append(plain, i)
		} else if p.order == nil {
			marked = append(marked, i)
		}
	}
	for _, i := range p.order {
		if p.marked[i] {
			marked = append(marked, i)
		}
	}
	return marked, plain
}

func (p *cloud) series(rows []int, marked bool) report.Series {
	s := report.Series{Name: p.name}
	switch {
	case p.other && marked:
		s.Name, s.Look = p.markedName, report.OtherFlagged
	case p.other:
		s.Look = report.Other
	case marked:
		s.Name, s.Look = p.markedName, report.Flagged
	}
	for _, f := range p.facts {
		s.Facts = append(s.Facts, report.Fact{Name: f.Name})
	}
	for _, i := range rows {
		row := p.at.Row(i)
		s.X, s.Y, s.IDs = append(s.X, row[0]), append(s.Y, row[1]), append(s.IDs, words.Fit(p.id(i), 80))
		for k, f := range p.facts {
			if f.Words != nil {
				s.Facts[k].Words = append(s.Facts[k].Words, words.Fit(f.Words[i], 80))
			} else {
				s.Facts[k].Numbers = append(s.Facts[k].Numbers, f.Numbers[i])
			}
		}
	}
	return s
}

// curveChart is V(ρ) with marks at the elbow and at the radius in use.
func curveChart(title, note string, c *ot.CurveResult, rho float64) *report.Chart {
	s := report.Series{Name: "V(ρ)", Facts: []report.Fact{{Name: "at least"}, {Name: "room to set aside, %"}}}
	for _, p := range c.Points {
		s.X, s.Y = append(s.X, p.Rho), append(s.Y, p.Value)
		s.Facts[0].Numbers = append(s.Facts[0].Numbers, p.Lower)
		s.Facts[1].Numbers = append(s.Facts[1].Numbers, 100*chisq.Ball{Rho: p.Rho}.Gamma())
	}
	chart := &report.Chart{Kind: report.Lines, Title: title, Note: note, XLabel: "radius ρ", YLabel: "cost V(ρ)", Series: []report.Series{s}}
	switch {
	case rho > 0 && rho == c.Elbow:
		chart.Marks = []report.Mark{{X: rho, Name: "used here: the elbow, ρ = " + words.Digits(rho, 4)}}
	default:
		if rho > 0 {
			chart.Marks = append(chart.Marks, report.Mark{X: rho, Name: "used here: ρ = " + words.Digits(rho, 4)})
		}
		if c.Elbow > 0 {
			chart.Marks = append(chart.Marks, report.Mark{X: c.Elbow, Name: "elbow: ρ = " + words.Digits(c.Elbow, 4)})
		}
	}
	return chart
}

// curveRhos are the radii of a curve that shows rho.
func curveRhos(rho float64) []float64 {
	rhos := ot.DefaultRhos()
	if rho > rhos[len(rhos)-1] {
		rhos = append(rhos, 1.2*rho)
	}
	return append(rhos, rho)
}

// someRows is most of n numbers at random, in order, or all of them.
func someRows(rng *rand.Rand, n, most int) []int {
	rows := rng.Perm(n)[:min(n, most)]
	slices.Sort(rows)
	return rows
}

// elbowNote says what to make of a curve.
func elbowNote(c *ot.CurveResult) string {
	switch {
	case c.Elbow == 0:
		return "There is no elbow: no radius lowers the cost by much more than another does."
	case c.Sharpness < ot.FaintElbow:
		return "The curve hardly bends anywhere, as it does without far outliers: the elbow is a very rough guess."
	}
	return "The curve falls steeply while outliers lose their weight, and slowly once good rows have to; the bend in between, the elbow, is a rough guess of the right radius."
}
