package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"rot.example/rot/chisq"
	"rot.example/rot/demo"
	"rot.example/rot/page"
)

// demoJSON is what demo --json prints.
type demoJSON struct {
	Clean    float64        `json:"clean"`
	Plain    float64        `json:"plain"`
	Robust   float64        `json:"robust"`
	Gamma    float64        `json:"gamma"`
	Rho      float64        `json:"rho"`
	Elbow    float64        `json:"elbow"`
	Outliers int            `json:"outliers"`
	Found    int            `json:"found"`
	GAN      *demoGANJSON   `json:"gan"`
	DA       *demoDAJSON    `json:"da"`
	Table    *demoTableJSON `json:"clean_table"`
	Out      string         `json:"out"`
	Files    []string       `json:"files"`
}

func (d *demoRun) json(files []string) *demoJSON {
	m := &d.result.Measure
	return &demoJSON{
		Clean: m.Plain, Plain: m.Spoiled, Robust: m.Robust, Gamma: m.Gamma, Rho: m.Rho, Elbow: m.Elbow, Outliers: m.Outliers, Found: m.Found,
		GAN: newDemoGANJSON(&d.result.Generate), DA: d.da.json(), Table: newDemoTableJSON(&d.result.Clean),
		Out: d.out, Files: files,
	}
}

// demoMeasureText tells the story of the distances.
func demoMeasureText(m *page.DemoMeasure) string {
	var b strings.Builder
	gamma := percent(m.Gamma)
	fmt.Fprintf(&b, "1. MEASURE. How far is a blob of %d points from two moons of %d? Then %d outliers, %s of\nit, join the blob.\n\n",
		m.Blob, m.Moons, m.Outliers, gamma)
	off := func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*(v/m.Plain-1)) }
	t := table{head: []string{"", "distance", ""}, left: []bool{true, false, false}}
	t.add("(a) clean, plain transport", fmt.Sprintf("%.4f", m.Plain), "")
	t.add("(b) "+gamma+" outliers, plain transport", fmt.Sprintf("%.4f", m.Spoiled), off(m.Spoiled))
	t.add("(c) "+gamma+" outliers, robust transport", fmt.Sprintf("%.4f", m.Robust), off(m.Robust))
	t.writeTo(&b)
	fmt.Fprintf(&b, `
Robust transport has room to set %s of the source aside (ρ = %s). It takes most of
their weight from %d of the %d outliers, and from %s of the good points. When nobody
knows how many outliers there are, the elbow of the curve V(ρ) is a guess: ρ = %s,
room for %s.
`, gamma, digits(m.Rho, 4), m.Found, m.Outliers, none(m.Lost), digits(m.Elbow, 4), percent(chisq.Ball{Rho: m.Elbow}.Gamma()))
	return b.String()
}

// filesText says what was written, and how to go on.
func (d *demoRun) filesText(files []string) string {
	var b strings.Builder
	b.WriteString("Wrote\n")
	width := 0
	for _, f := range files {
		width = max(width, utf8.RuneCountInString(f))
	}
	for k, f := range files {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, f, demoFiles[k].what)
	}
	b.WriteString("\nTry next (go install ./cmd/rot puts rot on your path)\n")
	for _, part := range []string{"dist", "gan", "da", "clean"} {
		for _, command := range d.next(part) {
			fmt.Fprintf(&b, "  %s\n", command)
		}
	}
	fmt.Fprintf(&b, "\nOpen %s in a browser: all of this on one page, with the pictures.\n", files[len(files)-1])
	return b.String()
}

// next are commands that go on where a part of the demo ended.
func (d *demoRun) next(part string) []string {
	at := func(name string) string { return shellWord(filepath.Join(d.out, name)) }
	pair := at("dirty.csv") + " " + at("target.csv") + " --label-column outlier"
	switch part {
	case "dist":
		return []string{
			"rot dist " + pair + " --gamma 0.05",
			"rot dist " + pair + " --gamma 0.05 --weights weights.csv --plan plan.csv",
			"rot curve " + pair + " --outliers labels --rhos 0,0.01,0.02,0.03,0.04,0.06,0.08,0.1",
		}
	case "gan":
		learn := "rot gan train --data " + demo.GANData + " --outliers " + demo.GANOutliers
		return []string{fmt.Sprintf("%s --gamma %v", learn, demo.GANGamma), learn + " --rho 0"}
	case "da":
		return []string{"rot da train " + strings.Join(demoDAArgs("robust"), " ")}
	default:
		return []string{"rot clean " + at("measurements.csv") + " --id-column id --label-column bad --labels labels --out suspects"}
	}
}
