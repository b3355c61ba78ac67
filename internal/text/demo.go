package text

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"rot.example/rot/chisq"
	"rot.example/rot/da"
	"rot.example/rot/demo"
	"rot.example/rot/internal/words"
	"rot.example/rot/page"
)

// DemoMeasure tells the story of the distances.
func DemoMeasure(m *page.DemoMeasure) string {
	var b strings.Builder
	gamma := words.Percent(m.Gamma)
	fmt.Fprintf(&b, "1. MEASURE. How far is a blob of %d points from two moons of %d? Then %d outliers, %s of\nit, join the blob.\n\n",
		m.Blob, m.Moons, m.Outliers, gamma)
	off := func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*(v/m.Plain-1)) }
	t := Table{Head: []string{"", "distance", ""}, Left: []bool{true, false, false}}
	t.Add("(a) clean, plain transport", fmt.Sprintf("%.4f", m.Plain), "")
	t.Add("(b) "+gamma+" outliers, plain transport", fmt.Sprintf("%.4f", m.Spoiled), off(m.Spoiled))
	t.Add("(c) "+gamma+" outliers, robust transport", fmt.Sprintf("%.4f", m.Robust), off(m.Robust))
	t.AppendTo(&b)
	fmt.Fprintf(&b, `
Robust transport has room to set %s of the source aside (ρ = %s). It takes most of
their weight from %d of the %d outliers, and from %s of the good points. When nobody
knows how many outliers there are, the elbow of the curve V(ρ) is a guess: ρ = %s,
room for %s.
`, gamma, words.Digits(m.Rho, 4), m.Found, m.Outliers, words.CountOrNone(m.Lost), words.Digits(m.Elbow, 4), words.Percent(chisq.Ball{Rho: m.Elbow}.Gamma()))
	return b.String()
}

// DemoGenerate tells the story of the GANs.
func DemoGenerate(r *page.DemoGenerate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "2. GENERATE. Two GANs learn to make eight Gaussians on a circle from %s points, of\nwhich %s (%s) are outliers far away. Of %s samples of each after %s steps lie\n\n",
		words.Count(r.Points), words.Count(r.Outliers), words.Percent(float64(r.Outliers)/float64(r.Points)), words.Count(r.Samples), words.Count(r.Steps))
	share := func(v float64) string { return words.Digits(100*v, 2) + " %" }
	t := Table{Head: []string{"", "on the outliers", "on the way", "Gaussians found", "AUROC"}, Left: []bool{true, false, false, false, false}}
	for k, g := range r.GANs {
		auroc := ""
		if k == 1 {
			auroc = fmt.Sprintf("%.4f", r.AUROC)
		}
		t.Add(g.Name+" GAN", share(g.OnOutliers), share(g.OnTheWay), fmt.Sprintf("%d of %d", g.Modes, g.AllModes), auroc)
	}
	t.AppendTo(&b)
	b.WriteString(`
On the way is whatever lies more than twice the radius from the middle of the circle.
The robust GAN weighs its points as it learns; AUROC says how well low weights tell the
outliers from the others: 1 is perfect.
`)
	return b.String()
}

// DemoAdapt tells the story of the classifiers.
func DemoAdapt(r *page.DemoAdapt) string {
	var b strings.Builder
	fmt.Fprintf(&b, `3. ADAPT. A classifier learns from %s clean digits, and is to read %s noisy ones that
nobody labelled, of which %s (%s) are nothing but noise. Of the %s that are digits it
reads

`, words.Count(r.Source), words.Count(r.Images), words.Count(r.Outliers), words.Percent(float64(r.Outliers)/float64(r.Images)), words.Count(r.Known))
	t := Table{Head: []string{"", "right", "AUROC"}, Left: []bool{true, false, false}}
	for k, w := range r.Ways {
		auroc := ""
		if k == len(r.Ways)-1 { // the one with weights
			auroc = fmt.Sprintf("%.4f", r.AUROC)
		}
		t.Add(w.Name, fmt.Sprintf("%.1f %%", 100*w.Accuracy), auroc)
	}
	t.AppendTo(&b)
	b.WriteString(`
Each model was picked without labels, which only serve to count. Other seeds give other
numbers; the order of the three is not a law.
`)
	return b.String()
}

// DemoClean tells the story of the table.
func DemoClean(r *page.DemoClean) string {
	var b strings.Builder
	fmt.Fprintf(&b, `4. CLEAN. %s readings of a pump station, of which %s (%s) went wrong in one of %d ways.
Told nothing but the numbers, clean lists %s suspects, and %s of the bad rows are among
them. AUROC of its ranking: %.4f.

`, words.Count(r.Rows), words.Count(r.Bad), words.Percent(float64(r.Bad)/float64(r.Rows)), len(r.Kinds), words.Count(r.Dropped), words.Count(r.Found), r.AUROC)
	t := Table{Head: []string{"what went wrong", "found"}, Left: []bool{true, false}}
	for _, k := range r.Kinds {
		t.Add(k.Name, fmt.Sprintf("%d of %d", k.Found, k.Rows))
	}
	t.AppendTo(&b)
	return b.String()
}

// DemoFiles says what was written, each with a description, the page last, and
// which commands go on from there.
func DemoFiles(files, descriptions, next []string) string {
	var b strings.Builder
	b.WriteString("Wrote\n")
	width := 0
	for _, f := range files {
		width = max(width, utf8.RuneCountInString(f))
	}
	for k, f := range files {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, f, descriptions[k])
	}
	b.WriteString("\nTry next (go install ./cmd/rot puts rot on your path)\n")
	for _, command := range next {
		fmt.Fprintf(&b, "  %s\n", command)
	}
	fmt.Fprintf(&b, "\nOpen %s in a browser: all of this on one page, with the pictures.\n", files[len(files)-1])
	return b.String()
}

// DemoCommands gives each part of the demo the commands that go on where it ended;
// out is the folder of its files.
func DemoCommands(r *page.DemoResult, out string) {
	at := func(name string) string { return shellWord(filepath.Join(out, name)) }
	pair := at("dirty.csv") + " " + at("target.csv") + " --label-column outlier"
	r.Measure.Next = []string{
		"rot dist " + pair + " --gamma 0.05",
		"rot dist " + pair + " --gamma 0.05 --weights weights.csv --plan plan.csv",
		"rot curve " + pair + " --outliers labels --rhos 0,0.01,0.02,0.03,0.04,0.06,0.08,0.1",
	}
	learn := "rot gan train --data " + demo.GANData + " --outliers " + demo.GANOutliers
	r.Generate.Next = []string{fmt.Sprintf("%s --gamma %v", learn, demo.GANGamma), learn + " --rho 0"}
	c := demo.AdaptConfig(da.Robust, r.Adapt.Steps) // as the third part trains
	r.Adapt.Next = []string{fmt.Sprintf("rot da train --source %s --target %s --outliers %s --batch %d --steps %d --method %s", c.Source, c.Target, c.Outliers, c.Batch, c.Steps, c.Method)}
	r.Clean.Next = []string{
		"rot clean " + at("measurements.csv") + " --id-column id --label-column bad --labels labels --out suspects",
		"rot clean " + at(demo.PicturesFolder) + " --labels " + at("pictures.csv") + " --out odd-pictures",
	}
}
