package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
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

func (d *demo) json(files []string) *demoJSON {
	found, _ := d.Found()
	return &demoJSON{
		Clean: d.Plain.Value, Plain: d.Spoiled.Value, Robust: d.Robust.Value,
		Gamma: d.Gamma(), Rho: d.Ball.Rho, Elbow: d.Curve.Elbow,
		Outliers: d.Outliers(), Found: found, GAN: d.gans.json(), DA: d.da.json(), Table: d.table.json(),
		Out: d.out, Files: files,
	}
}

// measureText tells the story of the distances.
func (d *demo) measureText() string {
	var b strings.Builder
	gamma := percent(d.Gamma())
	found, others := d.Found()
	fmt.Fprintf(&b, "1. MEASURE. How far is a blob of %d points from two moons of %d? Then %d outliers, %s of\nit, join the blob.\n\n",
		d.Clean.Len(), d.Target.Len(), d.Outliers(), gamma)
	t := table{head: []string{"", "distance", ""}, left: []bool{true, false, false}}
	for _, row := range []struct {
		name string
		r    *ot.Result
	}{{"(a) clean, plain transport", d.Plain}, {"(b) " + gamma + " outliers, plain transport", d.Spoiled}, {"(c) " + gamma + " outliers, robust transport", d.Robust}} {
		off := ""
		if row.r != d.Plain {
			off = fmt.Sprintf("%+.1f %%", 100*(row.r.Value/d.Plain.Value-1))
		}
		t.add(row.name, fmt.Sprintf("%.4f", row.r.Value), off)
	}
	t.writeTo(&b)
	fmt.Fprintf(&b, `
Robust transport has room to set %s of the source aside (ρ = %s). It takes most of
their weight from %d of the %d outliers, and from %s of the good points. When nobody
knows how many outliers there are, the elbow of the curve V(ρ) is a guess: ρ = %s,
room for %s.
`, gamma, digits(d.Ball.Rho, 4), found, d.Outliers(), none(others),
		digits(d.Curve.Elbow, 4), percent(chisq.Ball{Rho: d.Curve.Elbow}.Gamma()))
	return b.String()
}

// filesText says what was written, and how to go on.
func (d *demo) filesText(files []string) string {
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

// result is what the page is made of, but for the pictures.
func (d *demo) result() *page.DemoResult {
	found, lost := d.Found()
	r := &page.DemoResult{
		Measure: page.DemoMeasure{
			Blob: d.Clean.Len(), Moons: d.Target.Len(), Outliers: d.Outliers(), Gamma: d.Gamma(),
			Plain: d.Plain.Value, Spoiled: d.Spoiled.Value, Robust: d.Robust.Value,
			Found: found, Lost: lost, Elbow: d.Curve.Elbow, Next: d.next("dist"),
		},
		Generate: d.gans.result(), Adapt: d.da.result(), Clean: d.table.result(),
	}
	r.Generate.Next, r.Adapt.Next, r.Clean.Next = d.next("gan"), d.next("da"), d.next("clean")
	return r
}

// next are commands that go on where a part of the demo ended.
func (d *demo) next(part string) []string {
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
		learn := "rot gan train --data " + demoGANData + " --outliers " + demoGANOutliers
		return []string{fmt.Sprintf("%s --gamma %v", learn, demoGANGamma), learn + " --rho 0"}
	case "da":
		return []string{"rot da train " + strings.Join(demoDAArgs("robust"), " ")}
	default:
		return []string{"rot clean " + at("measurements.csv") + " --id-column id --label-column bad --labels labels --out suspects"}
	}
}

func countTrue(marks []bool) (n int) {
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}
