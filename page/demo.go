package page

import (
	"fmt"
	"strconv"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/internal/words"
	"rot.example/rot/report"
)

// A DemoResult is what the four parts of the demo came to.
type DemoResult struct {
	Measure  DemoMeasure
	Generate DemoGenerate
	Adapt    DemoAdapt
	Clean    DemoClean

	// Pictures are PNG files by name: couplings.png, curve.png, gan.png,
	// gan-training.png, weights.png, da-data.png, da.png and table-weights.png.
	Pictures map[string][]byte
}

// A DemoMeasure is the distance from a blob to two moons, before and after
// outliers join the blob.
type DemoMeasure struct {
	Blob, Moons, Outliers  int     // points
	Gamma                  float64 // part of the outliers
	Rho                    float64 // radius of robust transport
	Plain, Spoiled, Robust float64 // distances: clean, with outliers, with outliers but robust
	Found, Lost            int     // outliers and good points that lose most of their weight
	Elbow                  float64 // of the curve V(ρ)
	Next                   []string
}

// A DemoGenerate is a plain and a robust GAN that learned from the same points.
type DemoGenerate struct {
	Steps            int
	Samples          int       // of each
	Points, Outliers int       // learned from
	GANs             []DemoGAN // the plain and the robust one
	AUROC            float64   // of low weights of the robust one as a mark of the outliers
	Next             []string
}

// A DemoGAN is where the samples of a GAN lie.
type DemoGAN struct {
	Name                 string
	OnOutliers, OnTheWay float64 // shares of the samples
	Modes, AllModes      int     // Gaussians found, and all of them
}

// A DemoAdapt is a classifier of clean digits that went to noisy ones in three
// ways: not at all, with all images alike, and with weights.
type DemoAdapt struct {
	Steps            int
	Source           int // images with labels
	Images, Outliers int // of the target
	Known            int // digits among these
	Rho              float64
	Ways             []DemoWay
	AUROC            float64 // of low weights as a mark of the outliers
	Next             []string
}

// A DemoWay is one of the ways, with the share of digits that it reads right:
// by the model that was picked, and by the best.
type DemoWay struct {
	Name             string
	Accuracy, Oracle float64
}

// A DemoClean is a table of which some rows went wrong.
type DemoClean struct {
	Rows, Bad, Dropped, Found int     // Found are bad rows among those dropped
	Gamma                     float64 // part of the rows dropped
	AUROC                     float64 // of the ranking
	Kinds                     []DemoFault
	Suspects                  []DemoSuspect // the worst first
	Next                      []string
}

// A DemoFault is a way in which rows go wrong.
type DemoFault struct {
	Name        string
	Rows, Found int
}

// A DemoSuspect is a row of the ranking.
type DemoSuspect struct {
	Rank           int
	ID             string
	Score          float64
	Because, Fault string
}

// Demo returns the page of the demo.
func Demo(r *DemoResult) *Page {
	return &Page{make: func() (*report.Page, error) {
		if g, w := len(r.Generate.GANs), len(r.Adapt.Ways); g != 2 || w != 3 {
			return nil, fmt.Errorf("page: the demo has %d GANs and %d classifiers, not 2 and 3", g, w)
		}
		return &report.Page{
			Title: "rot demo", Body: r.markdown(), Files: report.Pictures(r.Pictures),
			Footer: "rot demo. Data, pictures and this page are the same each time.",
		}, nil
	}}
}

// A demoPart is a section of the page.
type demoPart struct {
	name, question, answer string
	body                   string
	next                   []string
}

func (r *DemoResult) markdown() string {
	parts := []demoPart{r.Measure.part(), r.Generate.part(), r.Adapt.part(), r.Clean.part()}
	var s strings.Builder
	s.WriteString("# What rot does, in four parts\n\nData with garbage in them, and four jobs that garbage spoils. In each, rot gives every sample a weight inside a chi-square ball of radius ρ around uniform, and what does not belong ends up with a low one.\n\n")
	for k, p := range parts {
		fmt.Fprintf(&s, "%d. **%s.** %s\n", k+1, p.name, p.answer)
	}
	s.WriteByte('\n')
	for k, p := range parts {
		fmt.Fprintf(&s, "## %d. %s\n\n%s\n\n**%s**\n\n%s", k+1, p.name, p.question, p.answer, p.body)
		if p.next != nil {
			fmt.Fprintf(&s, "Try next:\n\n```\n%s\n```\n\n", strings.Join(p.next, "\n"))
		}
	}
	s.WriteString("## How certain this is\n\nThe data are made up so that the answers are known, and easier than most real ones. Distances are exact to the tolerance of the solver; what networks learn depends on the seed, and these are single runs. On data of your own start with small radii, and look at what lost its weight before you believe it.\n")
	return s.String()
}

func (m *DemoMeasure) part() demoPart {
	off := func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*(v/m.Plain-1)) }
	gamma := words.Percent(m.Gamma)
	var body strings.Builder
	markdownTable(&body, []string{"source and method", "distance", "off by"}, [][]string{
		{"clean, plain transport", fmt.Sprintf("%.4f", m.Plain), ""},
		{gamma + " outliers, plain transport", fmt.Sprintf("%.4f", m.Spoiled), off(m.Spoiled)},
		{gamma + " outliers, robust transport", fmt.Sprintf("%.4f", m.Robust), off(m.Robust)},
	})
	fmt.Fprintf(&body, "![the three plans](couplings.png)\n\nWhen nobody knows how many outliers there are, the elbow of the distance as a function of ρ is a guess: ρ = %s, room for %s.\n\n![distance against the radius](curve.png)\n\n",
		words.Digits(m.Elbow, 4), words.Percent(chisq.Ball{Rho: m.Elbow}.Gamma()))
	return demoPart{
		name:     "Measure",
		question: fmt.Sprintf("How far is a blob of %d points from two moons of %d, when %d outliers (%s) have joined the blob?", m.Blob, m.Moons, m.Outliers, gamma),
		answer: fmt.Sprintf("Outliers move the plain distance by %s and the robust one by %s; %d of the %d outliers lose most of their weight, and %s of the good points.",
			off(m.Spoiled), off(m.Robust), m.Found, m.Outliers, words.CountOrNone(m.Lost)),
		body: body.String(), next: m.Next,
	}
}

// share is a fraction of samples.
func share(v float64) string { return words.Digits(100*v, 2) + " %" }

func (g *DemoGenerate) part() demoPart {
	var body strings.Builder
	var rows [][]string
	for _, v := range g.GANs {
		rows = append(rows, []string{v.Name, share(v.OnOutliers), share(v.OnTheWay), fmt.Sprintf("%d of %d", v.Modes, v.AllModes)})
	}
	markdownTable(&body, []string{"GAN", "samples on the outliers", "on the way there", "Gaussians found"}, rows)
	body.WriteString("![samples of both](gan.png)\n\n![how they got there](gan-training.png)\n\n![weights of the data](weights.png)\n\n")
	plain, robust := g.GANs[0], g.GANs[1]
	return demoPart{
		name: "Generate",
		question: fmt.Sprintf("Can a GAN learn eight Gaussians from %s points without learning the %s outliers (%s) among them?",
			words.Count(g.Points), words.Count(g.Outliers), words.Percent(float64(g.Outliers)/float64(g.Points))),
		answer: fmt.Sprintf("A plain GAN puts %s of its samples on the outliers or on the way to them, the robust one %s; its weights tell outliers from the rest with an AUROC of %.4f.",
			share(plain.OnOutliers+plain.OnTheWay), share(robust.OnOutliers+robust.OnTheWay), g.AUROC),
		body: body.String(), next: g.Next,
	}
}

func (a *DemoAdapt) part() demoPart {
	var body strings.Builder
	var rows [][]string
	for _, w := range a.Ways {
		rows = append(rows, []string{w.Name, fmt.Sprintf("%.1f %%", 100*w.Accuracy), fmt.Sprintf("%.1f %%", 100*w.Oracle)})
	}
	markdownTable(&body, []string{"classifier", "digits read right", "best model by an oracle that sees the labels"}, rows)
	body.WriteString("![digits of both domains](da-data.png)\n\nThe noisy images from the lowest weight to the highest; a frame marks those that are nothing but noise, which the classifier was not told:\n\n![noisy images by weight](da.png)\n\n")
	body.WriteString("Each model was picked without target labels. Other seeds give other numbers: adapting at all helps most, and weights add a few points where the garbage would have been aligned with digits.\n\n")
	return demoPart{
		name: "Adapt",
		question: fmt.Sprintf("Can a classifier of clean digits learn to read noisy ones that nobody labelled, when %s of the %s are nothing but noise?",
			words.Count(a.Outliers), words.Count(a.Images)),
		answer: fmt.Sprintf("A classifier of clean digits reads %.1f %% of the noisy ones right as it is, %.1f %% adapted with all images alike, and %.1f %% with weights, which tell noise from digits with an AUROC of %.4f.",
			100*a.Ways[0].Accuracy, 100*a.Ways[1].Accuracy, 100*a.Ways[2].Accuracy, a.AUROC),
		body: body.String(), next: a.Next,
	}
}

func (c *DemoClean) part() demoPart {
	var body strings.Builder
	var rows [][]string
	for _, k := range c.Kinds {
		rows = append(rows, []string{k.Name, strconv.Itoa(k.Rows), strconv.Itoa(k.Found)})
	}
	markdownTable(&body, []string{"what went wrong", "rows", "found"}, rows)
	body.WriteString("The first suspects, and where they stand out:\n\n")
	rows = nil
	for _, s := range c.Suspects {
		rows = append(rows, []string{strconv.Itoa(s.Rank), s.ID, words.Digits(s.Score, 3), s.Because, s.Fault})
	}
	markdownTable(&body, []string{"rank", "id", "score", "because of", "what went wrong"}, rows)
	body.WriteString("![weights of the rows](table-weights.png)\n\nA row whose values are all usual, but not together, is the hardest to find.\n\n")
	return demoPart{
		name: "Clean",
		question: fmt.Sprintf("Which of %s readings of a pump station are wrong? %s of them (%s) are, in %d ways.",
			words.Count(c.Rows), words.Count(c.Bad), words.Percent(float64(c.Bad)/float64(c.Rows)), len(c.Kinds)),
		answer: fmt.Sprintf("Told nothing but the numbers, rot clean lists %s suspects with %s of the %s bad rows among them; the AUROC of its ranking is %.4f.",
			words.Count(c.Dropped), words.Count(c.Found), words.Count(c.Bad), c.AUROC),
		body: body.String(), next: c.Next,
	}
}
