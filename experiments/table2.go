package experiments

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/da"
	"rot.example/rot/dataset"
)

var table2 = Experiment{
	Name:  "table2",
	Title: "robust domain adaptation, on digits, Office-Caltech10 and PACS, and on VisDA-17 where it is given",
	Paper: "The paper's table 2",
	Parts: []string{"digits", "surf", "efficientnet", "pacs", "visda"},
	run:   runTable2,
}

func runTable2(ctx context.Context, g *grid, part string) (*section, error) {
	cols := columns()
	if part != "digits" && part != "visda" {
		cols = append([]column{{name: "nearest neighbours", near: 5}}, cols...)
	}
	return g.adaptSection(ctx, part, cols, clean, contaminated, openSet)
}

// pairs are the tasks of a part; none, and a note, where its data are missing.
func (g *grid) pairs(part string) ([]pair, *section, error) {
	switch part {
	case "digits":
		return g.digits()
	case "surf":
		return g.tables(part, "Office-Caltech10, SURF features", "office-caltech10/surf.npz", func(file, domain string) string {
			return fmt.Sprintf("%s:%s_x,%[2]s_y", file, domain)
		}, office, 1)
	case "efficientnet":
		return g.tables(part, "Office-Caltech10, EfficientNet-Lite4 features", "office-caltech10/efficientnet_lite4_f16.npz", numbered("features,label", office), office, 0)
	case "pacs":
		return g.tables(part, "PACS, MobileNetV2 features", "pacs/mobilenetv2_u8.npz", numbered("features*scale,label", styles), styles, 0)
	case "visda":
		return g.visda()
	}
	return nil, nil, fmt.Errorf("experiments: no data for %q", part)
}

var (
	office = domains{names: []string{"amazon", "caltech10", "dslr", "webcam"}, classes: 10}
	styles = domains{names: []string{"art", "cartoon", "photo", "sketch"}, classes: 7}
)

// domains are the names of a data set's domains and the number of its classes.
type domains struct {
	names   []string
	classes int
}

// numbered names the rows of a domain in an archive that numbers them.
func numbered(arrays string, d domains) func(file, domain string) string {
	return func(file, domain string) string {
		for i, n := range d.names {
			if n == domain {
				return fmt.Sprintf("%s:%s[domain=%d]", file, arrays, i)
			}
		}
		panic("experiments: no domain " + domain)
	}
}

// tables are the pairs of feature vectors: clean, with 15 % of the target made
// of noise, and with two classes left out of the source: those at 2·seed and
// 2·seed+1, round the classes.
func (g *grid) tables(set, title, file string, spec func(file, domain string) string, d domains, firstLabel int) ([]pair, *section, error) {
	s := &section{Title: title}
	note, err := g.missing(file)
	if err != nil || note != "" {
		s.Notes = append(s.Notes, note)
		return nil, s, err
	}
	s.Notes = append(s.Notes, "Open set: two classes are left out of the source, others at each seed. Contaminated, in table 2: 15 % of the target are rows of noise, uniform in the box that holds the good ones.")
	path := filepath.Join(g.Data, file)
	var pairs []pair
	for _, form := range []string{clean, contaminated, openSet} {
		for _, from := range d.names {
			for _, to := range d.names {
				if from == to {
					continue
				}
				c, err := da.Preset("mlp")
				if err != nil {
					return nil, nil, err
				}
				c.Source, c.Target = spec(path, from), spec(path, to)
				g.shorten(&c)
				if form == contaminated {
					c.Outliers = dataset.Uniform + "@0.15"
				}
				p := pair{set: set, from: from, to: to, form: form, config: c}
				if form == openSet {
					p.open = func(seed int) string {
						a, b := 2*seed%d.classes, (2*seed+1)%d.classes
						label := "label"
						if set == "surf" {
							label = from + "_y"
						}
						return fmt.Sprintf("%s[%s!=%d|%d]", c.Source, label, a+firstLabel, b+firstLabel)
					}
				}
				pairs = append(pairs, p)
			}
		}
	}
	if g.Quick {
		pairs = []pair{pairs[0], pairs[len(pairs)/3], pairs[2*len(pairs)/3]}
	}
	return pairs, s, nil
}

// digits are the pairs of digit images, clean and with 15 % photographs.
func (g *grid) digits() ([]pair, *section, error) {
	s := &section{Title: "Digits, LeNet from scratch"}
	const (
		mnist  = "mnist/train-images-idx3-ubyte.gz"
		usps   = "usps/usps-train-images-idx3-ubyte.gz"
		mnistM = "mnist-m/train.png"
		photos = "cifar10/data_batch_1.png"
	)
	note, err := g.missing(mnist, usps, mnistM, photos)
	if err != nil || note != "" {
		s.Notes = append(s.Notes, note)
		return nil, s, err
	}
	at := func(file string) string { return filepath.Join(g.Data, file) }
	spec := map[string]string{
		"MNIST":   at(mnist) + "[0:20000]",
		"USPS":    at(usps),
		"MNIST-M": fmt.Sprintf("stack:%s,%s", at(mnistM), at("mnist-m/train-labels-idx1-ubyte.gz")),
	}
	s.Notes = append(s.Notes, "The first 20 000 images of MNIST, the 7 291 of USPS's training set and the first 5 000 of MNIST-M's. Contaminated: 15 % of the target are CIFAR-10 photographs, in the target's size and colours.")
	var pairs []pair
	for _, form := range []string{clean, contaminated} {
		for _, p := range []string{"MNIST USPS", "USPS MNIST", "MNIST MNIST-M"} {
			from, to, _ := strings.Cut(p, " ")
			c, err := da.Preset("lenet")
			if err != nil {
				return nil, nil, err
			}
			c.Zoom = 1.5 // the digits of USPS fill the frame, those of MNIST 20 of its 28 pixels
			c.Source, c.Target = spec[from], spec[to]
			if form == contaminated {
				c.Outliers = fmt.Sprintf("stack:%s@0.15", at(photos))
			}
			g.shorten(&c)
			pairs = append(pairs, pair{set: "digits", from: from, to: to, form: form, config: c})
		}
	}
	if g.Quick {
		pairs = []pair{pairs[0], pairs[3]}
	}
	return pairs, s, nil
}

// shorten makes a run quick, if it is to be.
func (g *grid) shorten(c *da.Config) {
	if g.Quick {
		c.Steps, c.WarmUp, c.BankEvery, c.EvalEvery, c.Batch = 100, 40, 20, 50, 32
	}
}

// sensitivity varies the radius. A radius of 0 is the adversarial method.
var sensitivity = Experiment{
	Name:   "sensitivity",
	Title:  "the radius ρ: of a robust WGAN on CIFAR-10 with 5 % MNIST digits, and in domain adaptation",
	Paper:  "The paper's two sensitivity tables, also with digits, Office-Caltech10 and PACS in place of VisDA-17",
	Parts:  []string{"gan", "digits", "efficientnet", "pacs", "visda"},
	scored: true,
	run: func(ctx context.Context, g *grid, part string) (*section, error) {
		if part == "gan" {
			return g.ganSensitivity(ctx)
		}
		var cols []column
		rhos := []float64{0, 0.05, 0.1, 0.2, 0.4}
		if g.Quick {
			rhos = []float64{0, 0.2}
		}
		for _, rho := range rhos {
			cols = append(cols, column{name: fmt.Sprintf("ρ = %g", rho), change: func(c *da.Config) { c.Rho = rho }})
		}
		cols = append(cols, column{name: "auto", change: func(c *da.Config) { c.Rho, c.RhoAuto = 0, true }})
		dirty := openSet
		if part == "digits" {
			dirty = contaminated
		}
		return g.adaptSection(ctx, part, cols, clean, dirty)
	},
}

// scores compares what the weights may follow.
var scores = Experiment{
	Name:  "scores",
	Title: "what the weights of the target follow, with two classes left out of the source",
	Paper: "Not in the paper, whose weights follow the discriminator",
	Parts: []string{"efficientnet", "pacs"},
	run: func(ctx context.Context, g *grid, part string) (*section, error) {
		by := func(scores string, keep float64) func(c *da.Config) {
			return func(c *da.Config) { c.Scores, c.Keep = scores, keep }
		}
		return g.adaptSection(ctx, part, []column{
			{name: "no weights", change: func(c *da.Config) { c.Method = da.Adversarial }},
			{name: "transport", change: by(da.Transport, 0.5)},
			{name: "discriminator (the paper)", change: by(da.Discriminator, 0)},
			{name: "discriminator, running mean", change: by(da.Discriminator, 0.9)},
			{name: "entropy, running mean", change: by(da.Uncertainty, 0.9)},
		}, openSet)
	},
}

// adaptSection runs columns on the pairs of a part that have one of the forms.
func (g *grid) adaptSection(ctx context.Context, part string, cols []column, forms ...string) (*section, error) {
	pairs, s, err := g.pairs(part)
	if err != nil || len(pairs) == 0 {
		return s, err
	}
	pairs = slices.DeleteFunc(pairs, func(p pair) bool { return !slices.Contains(forms, p.form) })
	cells, err := g.adapt(ctx, pairs, cols)
	if err != nil {
		return nil, err
	}
	s.Numbers = cells
	s.Markdown = adaptTables(cells, cols)
	return s, nil
}
