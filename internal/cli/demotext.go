package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"rot.example/rot/da"
	"rot.example/rot/demo"
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

// filesText says what was written, and how to go on.
func (d *demoRun) filesText(files []string) string {
	var b strings.Builder
	b.WriteString("Wrote\n")
	width := 0
	for _, f := range files {
		width = max(width, utf8.RuneCountInString(f))
	}
	for k, f := range files {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, f, demoFiles[k].description)
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
		return []string{demoDACommand(da.Robust)}
	default:
		return []string{
			"rot clean " + at("measurements.csv") + " --id-column id --label-column bad --labels labels --out suspects",
			"rot clean " + at(demoPictures) + " --labels " + at("pictures.csv") + " --out odd-pictures",
		}
	}
}
