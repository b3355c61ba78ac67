package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
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

// report tells the story.
func (d *demo) report(files []string) string {
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
	d.gans.report(&b)
	b.WriteByte('\n')
	d.da.report(&b)
	b.WriteByte('\n')
	d.table.report(&b)
	b.WriteString("\nWrote\n")
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
