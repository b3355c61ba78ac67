package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/da"
	"rot.example/rot/report"
)

// writePage writes report.html, which ties the parts together.
func (d *demo) writePage(w io.Writer, pictures report.Pictures) error {
	return report.Write(w, &report.Page{
		Title: "rot demo", Body: d.markdown(), Files: pictures,
		Footer: "rot demo. Data, pictures and this page are the same each time.",
	})
}

// A demoPart is a section of the page.
type demoPart struct {
	name, asked, answer string
	body                string
	next                []string
}

func (d *demo) markdown() string {
	parts := []demoPart{d.measurePart(), d.generatePart(), d.adaptPart(), d.cleanPart()}
	var s strings.Builder
	s.WriteString("# What rot does, in four parts\n\nData with garbage in them, and four jobs that garbage spoils. In each, rot gives every sample a weight inside a chi-square ball of radius ρ around uniform, and what does not belong ends up with a low one.\n\n")
	for k, p := range parts {
		fmt.Fprintf(&s, "%d. **%s.** %s\n", k+1, p.name, p.answer)
	}
	s.WriteByte('\n')
	for k, p := range parts {
		fmt.Fprintf(&s, "## %d. %s\n\n%s\n\n**%s**\n\n%sTry next:\n\n```\n%s\n```\n\n", k+1, p.name, p.asked, p.answer, p.body, strings.Join(p.next, "\n"))
	}
	s.WriteString("## How certain this is\n\nThe data are made up so that the answers are known, and easier than most real ones. Distances are exact to the tolerance of the solver; what networks learn depends on the seed, and these are single runs. On data of your own start with small radii, and look at what lost its weight before you believe it.\n")
	return s.String()
}

func (d *demo) measurePart() demoPart {
	found, others := d.Found()
	off := func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*(v/d.Plain.Value-1)) }
	gamma := percent(d.Gamma())
	var body strings.Builder
	markdownTable(&body, []string{"source and method", "distance", "off by"}, [][]string{
		{"clean, plain transport", fmt.Sprintf("%.4f", d.Plain.Value), ""},
		{gamma + " outliers, plain transport", fmt.Sprintf("%.4f", d.Spoiled.Value), off(d.Spoiled.Value)},
		{gamma + " outliers, robust transport", fmt.Sprintf("%.4f", d.Robust.Value), off(d.Robust.Value)},
	})
	fmt.Fprintf(&body, "![the three plans](couplings.png)\n\nWhen nobody knows how many outliers there are, the elbow of the distance as a function of ρ is a guess: ρ = %s, room for %s.\n\n![distance against the radius](curve.png)\n\n",
		digits(d.Curve.Elbow, 4), percent(chisq.Ball{Rho: d.Curve.Elbow}.Gamma()))
	return demoPart{
		name:  "Measure",
		asked: fmt.Sprintf("How far is a blob of %d points from two moons of %d, when %d outliers (%s) have joined the blob?", d.Clean.Len(), d.Target.Len(), d.Outliers(), gamma),
		answer: fmt.Sprintf("Outliers move the plain distance by %s and the robust one by %s; %d of the %d outliers lose most of their weight, and %s of the good points.",
			off(d.Spoiled.Value), off(d.Robust.Value), found, d.Outliers(), none(others)),
		body: body.String(), next: d.next("dist"),
	}
}

func (d *demo) generatePart() demoPart {
	g := d.gans
	var body strings.Builder
	var rows [][]string
	for _, v := range []*demoGAN{g.plain, g.robust} {
		rows = append(rows, []string{v.name, share(v.onOutliers), share(v.onTheWay), fmt.Sprintf("%d of %d", v.modes, demoModes)})
	}
	markdownTable(&body, []string{"GAN", "samples on the outliers", "on the way there", "Gaussians found"}, rows)
	body.WriteString("![samples of both](gan.png)\n\n![how they got there](gan-training.png)\n\n![weights of the data](weights.png)\n\n")
	outliers := countTrue(g.robust.outlier)
	return demoPart{
		name: "Generate",
		asked: fmt.Sprintf("Can a GAN learn eight Gaussians from %s points without learning the %s outliers (%s) among them?",
			count(len(g.robust.outlier)), count(outliers), percent(float64(outliers)/float64(len(g.robust.outlier)))),
		answer: fmt.Sprintf("A plain GAN puts %s of its samples on the outliers or on the way to them, the robust one %s; its weights tell outliers from the rest with an AUROC of %.4f.",
			share(g.plain.onOutliers+g.plain.onTheWay), share(g.robust.onOutliers+g.robust.onTheWay), g.robust.auroc),
		body: body.String(), next: d.next("gan"),
	}
}

func (d *demo) adaptPart() demoPart {
	a := d.da
	var body strings.Builder
	var rows [][]string
	for k, r := range a.results {
		rows = append(rows, []string{demoMethods[k].words, fmt.Sprintf("%.1f %%", 100*r.Accuracy), fmt.Sprintf("%.1f %%", 100*r.Oracle)})
	}
	markdownTable(&body, []string{"classifier", "digits read right", "best model by an oracle that sees the labels"}, rows)
	body.WriteString("![digits of both domains](da-data.png)\n\nThe noisy images from the lowest weight to the highest; a frame marks those that are nothing but noise, which the classifier was not told:\n\n![noisy images by weight](da.png)\n\n")
	body.WriteString("Each model was picked without target labels. Other seeds give other numbers: adapting at all helps most, and weights add a few points where the garbage would have been aligned with digits.\n\n")
	return demoPart{
		name: "Adapt",
		asked: fmt.Sprintf("Can a classifier of clean digits learn to read noisy ones that nobody labelled, when %s of the %s are nothing but noise?",
			count(a.summary.Outliers), count(a.summary.N)),
		answer: fmt.Sprintf("A classifier of clean digits reads %.1f %% of the noisy ones right as it is, %.1f %% adapted with all images alike, and %.1f %% with weights, which tell noise from digits with an AUROC of %.4f.",
			100*a.results[0].Accuracy, 100*a.results[1].Accuracy, 100*a.results[2].Accuracy, *a.summary.AUROC),
		body: body.String(), next: d.next("da"),
	}
}

func (d *demo) cleanPart() demoPart {
	j := d.table.json()
	var body strings.Builder
	var rows [][]string
	for _, k := range j.Kinds {
		rows = append(rows, []string{k.Kind, fmt.Sprint(k.Rows), fmt.Sprint(k.Found)})
	}
	markdownTable(&body, []string{"what went wrong", "rows", "found"}, rows)
	body.WriteString("The first suspects, and where they stand out:\n\n")
	head, worst := d.table.worst()
	markdownTable(&body, head, worst)
	body.WriteString("![weights of the rows](table-weights.png)\n\nA row whose values are all usual, but not together, is the hardest to find.\n\n")
	return demoPart{
		name: "Clean",
		asked: fmt.Sprintf("Which of %s readings of a pump station are wrong? %s of them (%s) are, in %d ways.",
			count(j.Rows), count(j.Bad), percent(float64(j.Bad)/float64(j.Rows)), len(demoFaults)),
		answer: fmt.Sprintf("Told nothing but the numbers, rot clean lists %s suspects with %s of the %s bad rows among them; the AUROC of its ranking is %.4f.",
			count(j.Dropped), count(j.Found), count(j.Bad), d.table.auroc),
		body: body.String(), next: d.next("clean"),
	}
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
		return []string{demoDACommand(da.Robust)}
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
