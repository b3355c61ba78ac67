package cli

import (
	"fmt"
	"strings"

	"rot.example/rot/page"
)

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

func newDemoGANJSON(r *page.DemoGenerate) *demoGANJSON {
	verdict := func(g page.DemoGAN, auroc *number) demoGANVerdict {
		return demoGANVerdict{g.OnOutliers, g.OnTheWay, g.Modes, auroc}
	}
	return &demoGANJSON{r.Steps, verdict(r.GANs[0], nil), verdict(r.GANs[1], (*number)(&r.AUROC))}
}

// demoGenerateText tells the story of the GANs.
func demoGenerateText(r *page.DemoGenerate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "2. GENERATE. Two GANs learn to make eight Gaussians on a circle from %s points, of\nwhich %s (%s) are outliers far away. Of %s samples of each after %s steps lie\n\n",
		count(r.Points), count(r.Outliers), percent(float64(r.Outliers)/float64(r.Points)), count(r.Samples), count(r.Steps))
	share := func(v float64) string { return digits(100*v, 2) + " %" }
	t := table{head: []string{"", "on the outliers", "on the way", "Gaussians found", "AUROC"}, left: []bool{true, false, false, false, false}}
	for k, g := range r.GANs {
		auroc := ""
		if k == 1 {
			auroc = fmt.Sprintf("%.4f", r.AUROC)
		}
		t.add(g.Name+" GAN", share(g.OnOutliers), share(g.OnTheWay), fmt.Sprintf("%d of %d", g.Modes, g.AllModes), auroc)
	}
	t.writeTo(&b)
	b.WriteString(`
On the way is whatever lies more than twice the radius from the middle of the circle.
The robust GAN weighs its points as it learns; AUROC says how well low weights tell the
outliers from the others: 1 is perfect.
`)
	return b.String()
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

func newDemoTableJSON(r *page.DemoClean) *demoTableJSON {
	j := &demoTableJSON{Rows: r.Rows, Bad: r.Bad, Dropped: r.Dropped, Found: r.Found, Gamma: r.Gamma, AUROC: number(r.AUROC)}
	for _, k := range r.Kinds {
		j.Kinds = append(j.Kinds, demoFaultJSON{k.Name, k.Rows, k.Found})
	}
	return j
}

// demoCleanText tells the story of the table.
func demoCleanText(r *page.DemoClean) string {
	var b strings.Builder
	fmt.Fprintf(&b, `4. CLEAN. %s readings of a pump station, of which %s (%s) went wrong in one of %d ways.
Told nothing but the numbers, clean lists %s suspects, and %s of the bad rows are among
them. AUROC of its ranking: %.4f.

`, count(r.Rows), count(r.Bad), percent(float64(r.Bad)/float64(r.Rows)), len(r.Kinds), count(r.Dropped), count(r.Found), r.AUROC)
	t := table{head: []string{"what went wrong", "found"}, left: []bool{true, false}}
	for _, k := range r.Kinds {
		t.add(k.Name, fmt.Sprintf("%d of %d", k.Found, k.Rows))
	}
	t.writeTo(&b)
	return b.String()
}
