package cli

import (
	"fmt"
	"slices"
	"strings"

	"rot.example/rot/figure"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// samples shows what both make in the end.
func (d *demoGANs) samples() figure.Figure {
	s := &figure.Scatter{}
	for _, g := range []*demoGAN{d.plain, d.robust} {
		some := &ot.Points{Dim: 2, Coords: g.samples.Coords[:2*demoSamples/4]} // All would be a blot.
		title := fmt.Sprintf("%s GAN: %s on the outliers", g.name, share(g.onOutliers))
		note := fmt.Sprintf("of %s samples, and %s on the way to them", count(demoSamples), share(g.onTheWay))
		s.Panels = append(s.Panels, g.panel(title, note, some))
	}
	return s
}

// training shows how they got there, a row for each.
func (d *demoGANs) training() figure.Figure {
	s := &figure.Scatter{Columns: len(demoShots)}
	for _, g := range []*demoGAN{d.plain, d.robust} {
		for _, shot := range g.shots {
			title := fmt.Sprintf("%s GAN, step %s", g.name, count(shot.step))
			s.Panels = append(s.Panels, g.panel(title, plural(shot.samples.Len(), "sample"), shot.samples))
		}
	}
	return s
}

func (d *demoGANs) histogram() figure.Figure {
	return &figure.Histogram{Title: "Weights that the robust GAN gives its data", Weights: d.robust.weights, Outlier: d.robust.outlier}
}

// panel shows samples over the data. A few that lie so far out that all else
// would be small are left to a note.
func (g *demoGAN) panel(title, note string, samples *ot.Points) *figure.ScatterPanel {
	const lowest, highest = -4, 10
	in := &ot.Points{Dim: 2}
	for i := range samples.Len() {
		if p := samples.Row(i); slices.Min(p) >= lowest && slices.Max(p) <= highest {
			in.Coords = append(in.Coords, p...)
		}
	}
	if out := samples.Len() - in.Len(); out > 0 {
		note += fmt.Sprintf("; %s outside the picture", count(out))
	}
	return &figure.ScatterPanel{Title: title, Note: note, Data: g.data, Outlier: g.outlier, Generated: in}
}

// share is a fraction of samples.
func share(v float64) string { return digits(100*v, 2) + " %" }

// demoGANJSON is the part of demo --json about the GANs.
type demoGANJSON struct {
	Steps  int            `json:"steps"`
	Plain  demoGANVerdict `json:"plain"`
	Robust demoGANVerdict `json:"robust"`
}

type demoGANVerdict struct {
	OnOutliers float64 `json:"on_outliers"`
	OnTheWay   float64 `json:"on_the_way"`
	Modes      int     `json:"modes"`
	AUROC      *number `json:"auroc"`
}

func (d *demoGANs) json() *demoGANJSON {
	auroc := number(d.robust.auroc)
	return &demoGANJSON{d.steps, d.plain.verdict(nil), d.robust.verdict(&auroc)}
}

func (g *demoGAN) verdict(auroc *number) demoGANVerdict {
	return demoGANVerdict{g.onOutliers, g.onTheWay, g.modes, auroc}
}

// text tells the story.
func (d *demoGANs) text() string {
	var b strings.Builder
	outliers := countTrue(d.robust.outlier)
	fmt.Fprintf(&b, "2. GENERATE. Two GANs learn to make eight Gaussians on a circle from %s points, of\nwhich %s (%s) are outliers far away. Of %s samples of each after %s steps lie\n\n",
		count(len(d.robust.outlier)), count(outliers), percent(float64(outliers)/float64(len(d.robust.outlier))), count(demoSamples), count(d.steps))
	t := table{head: []string{"", "on the outliers", "on the way", "Gaussians found", "AUROC"}, left: []bool{true, false, false, false, false}}
	for _, g := range []*demoGAN{d.plain, d.robust} {
		auroc := ""
		if g == d.robust {
			auroc = fmt.Sprintf("%.4f", g.auroc)
		}
		t.add(g.name+" GAN", share(g.onOutliers), share(g.onTheWay), fmt.Sprintf("%d of %d", g.modes, demoModes), auroc)
	}
	t.writeTo(&b)
	fmt.Fprint(&b, `
On the way is whatever lies more than twice the radius from the middle of the circle.
The robust GAN weighs its points as it learns; AUROC says how well low weights tell the
outliers from the others: 1 is perfect.
`)
	return b.String()
}

// result is the part of the page about the GANs.
func (d *demoGANs) result() page.DemoGenerate {
	r := page.DemoGenerate{Points: len(d.robust.outlier), Outliers: countTrue(d.robust.outlier), AUROC: d.robust.auroc}
	for _, g := range []*demoGAN{d.plain, d.robust} {
		r.GANs = append(r.GANs, page.DemoGAN{Name: g.name, OnOutliers: g.onOutliers, OnTheWay: g.onTheWay, Modes: g.modes, AllModes: demoModes})
	}
	return r
}
