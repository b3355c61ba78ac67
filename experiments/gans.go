package experiments

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rot.example/rot/dataset"
	"rot.example/rot/figure"
	"rot.example/rot/gan"
	"rot.example/rot/train"
)

// The data of the GAN experiments, below Options.Data.
const (
	cifarFiles  = "cifar10/data_batch_*.png"
	cifarFirst  = "cifar10/data_batch_1.png"
	cifarLabels = "cifar10/train-labels-idx1-ubyte.gz"
	cifarBinary = "cifar10/data_batch_1.bin" // as "rot data get" leaves them
	mnistImages = "mnist/train-images-idx3-ubyte.gz"
	mnistTest   = "mnist/t10k-images-idx3-ubyte.gz"
	sketches    = "pacs/sketch64.png"
	sketchClass = "pacs/sketch64-labels-idx1-ubyte.gz"
	photographs = "pacs/photo64.png"
)

// bf16 is how GANs are trained on a GPU.
const bf16 = "bf16"

// ganSteps are those of a full form. The paper trains longer, and its numbers
// are lower; what is compared here is trained equally long.
const ganSteps = 10_000

// at is the path of a data file.
func (g *grid) at(file string) string { return filepath.Join(g.Data, file) }

// ganConfig is a preset as the experiments use it.
func (g *grid) ganConfig(preset string) (gan.Config, error) {
	if g.Quick {
		preset = "tiny"
	}
	c, err := gan.Preset(preset)
	if err != nil {
		return c, err
	}
	c.Steps = ganSteps
	if g.Backend.Kind == "xla" {
		c.DType = bf16
	}
	if g.Quick {
		c.Steps, c.Batch, c.WarmUp = 40, 16, 10
	}
	c.SampleEvery, c.LogEvery = c.Steps, max(1, c.Steps/200)
	return c, nil
}

// cifar is CIFAR-10 with a share of foreign images, and what the foreign images
// are called.
func (g *grid) cifar(preset, outliers string, gamma float64) (setting, error) {
	c, err := g.ganConfig(preset)
	s := setting{config: c, gamma: gamma, outliers: outliers}
	s.config.Data = g.cifarSpec()
	s.name = "CIFAR-10"
	if gamma > 0 {
		what := "MNIST digits"
		if outliers == dataset.Uniform {
			what = "uniform noise"
		}
		s.name = fmt.Sprintf("CIFAR-10 with %g %% %s", 100*gamma, what)
	}
	return s, err
}

func (g *grid) cifarSpec() string {
	spec := fmt.Sprintf("stack:%s,%s", g.at(cifarFiles), g.at(cifarLabels))
	if _, err := os.Stat(g.at(cifarBinary)); err == nil {
		spec = filepath.Dir(g.at(cifarBinary)) // the folder of all training batches
	}
	if g.Quick {
		spec += "[0:600]"
	}
	return spec
}

// missingImages says what of CIFAR-10 and MNIST is not there.
func (g *grid) missingImages() (string, error) {
	if note, err := g.missing(mnistImages, mnistTest); err != nil || note != "" {
		return note, err
	}
	if note, err := g.missing(cifarBinary); err != nil || note == "" {
		return note, err
	}
	return g.missing(cifarFirst, cifarLabels)
}

// A judgeMaker returns the judge of images like those of d.
type judgeMaker func(d *train.Data) (*judge, error)

// judgeOf makes a judge when it is first asked for.
func (g *grid) judgeOf(ctx context.Context, clean string, outliers ...string) judgeMaker {
	var made *judge
	var mu sync.Mutex
	return func(d *train.Data) (*judge, error) {
		mu.Lock()
		defer mu.Unlock()
		if made != nil {
			return made, nil
		}
		var err error
		made, err = g.judge(ctx, d.Shape[0], d.Shape[2], clean, outliers...)
		return made, err
	}
}

// cifarJudge is the judge of all that is learned from CIFAR-10: it knows digits
// and noise.
func (g *grid) cifarJudge(ctx context.Context) judgeMaker {
	return g.judgeOf(ctx, g.cifarSpec(), g.at(mnistTest), dataset.Uniform)
}

func plainAndRobust(rho float64) []model {
	return []model{
		{name: "WGAN", change: func(c *gan.Config) { c.Rho = 0 }},
		{name: fmt.Sprintf("robust WGAN, ρ = %g", rho), change: func(c *gan.Config) { c.Rho = rho }},
	}
}

// penalized is a robust model whose radius is held by the paper's penalty.
func penalized(name string, rho float64) model {
	return model{name: fmt.Sprintf("%s, ρ = %g by penalty", name, rho), change: func(c *gan.Config) { c.Rho, c.Constraint = rho, gan.Penalty }}
}

// matching is a robust model whose radius has room for the outliers that there
// are, and no more.
func matching(name string) model {
	return model{name: name + ", ρ = γ/2(1−γ)", change: func(c *gan.Config) { c.Constraint = gan.Ball }, matched: true}
}

// automatic is a robust model that chooses its radius itself.
func automatic(name string) model {
	return model{name: name + ", ρ auto", change: func(c *gan.Config) { c.Rho, c.RhoAuto, c.Weights = 0, true, gan.WeightBank }}
}

// fig2Gammas are the fractions of outliers.
var fig2Gammas = []float64{0, 0.025, 0.05, 0.1, 0.15}

var fig2 = Experiment{
	Name:   "fig2",
	Title:  "distance and outlier share of the samples against the fraction of outliers, WGAN and robust WGAN, CIFAR-10",
	Paper:  "The paper's figure 2, with a classifier's features in place of Inception's",
	Parts:  []string{"mnist", "noise"},
	scored: true,
	run: func(ctx context.Context, g *grid, part string) (*section, error) {
		s := &section{Title: "Outliers: " + map[string]string{"mnist": "MNIST digits", "noise": "uniform noise"}[part]}
		note, err := g.missingImages()
		if err != nil || note != "" {
			s.Notes = append(s.Notes, note)
			return s, err
		}
		outliers := g.at(mnistImages)
		if part == "noise" {
			outliers = dataset.Uniform
		}
		gammas := fig2Gammas
		if g.Quick {
			gammas = []float64{0, 0.1}
		}
		var settings []setting
		for _, gamma := range gammas {
			t, err := g.cifar("dcgan", outliers, gamma)
			if err != nil {
				return nil, err
			}
			settings = append(settings, t)
		}
		cells, err := g.generate(ctx, settings, append(plainAndRobust(0.1), matching("robust WGAN"), penalized("robust WGAN", 0.1), automatic("robust WGAN")), g.cifarJudge(ctx))
		if err != nil {
			return nil, err
		}
		s.Numbers = cells
		s.Markdown = ganTable(cells) + fmt.Sprintf("![%s](fig2-%[1]s.png)\n\n", part)
		s.figures = []picture{{"fig2-" + part + ".png", againstGamma(cells)}}
		return s, nil
	},
}

// againstGamma draws distance and outlier share over the fraction of outliers,
// means over the seeds.
func againstGamma(cells []generated) *figure.LossCurves {
	distance, share := figure.LossPanel{Label: "Fréchet distance"}, figure.LossPanel{Label: "outliers, %"}
	for _, m := range models(cells) {
		d, o := figure.Series{Name: m}, figure.Series{Name: m}
		for _, name := range settingsOf(cells) {
			var distances, shares []float64
			var gamma float64
			for _, c := range cells {
				if c.Model != m || c.Setting != name || c.Stopped != "" {
					continue
				}
				gamma, distances = c.Gamma, append(distances, c.Distance)
				if c.Outliers >= 0 {
					shares = append(shares, 100*c.Outliers)
				}
			}
			add := func(s *figure.Series, v []float64) {
				if len(v) > 0 {
					mean, _ := moments(v)
					s.Step, s.Value = append(s.Step, int(1000*gamma+0.5)), append(s.Value, mean)
				}
			}
			add(&d, distances)
			add(&o, shares)
		}
		if len(d.Step) > 0 {
			distance.Series = append(distance.Series, d)
		}
		if len(o.Step) > 0 {
			share.Series = append(share.Series, o)
		}
	}
	f := &figure.LossCurves{
		Title: "WGAN and robust WGAN", Note: "distance of the samples to clean images, and share of outliers among them",
		XLabel: "outliers in the data, %", XUnit: 0.1,
	}
	for _, p := range []figure.LossPanel{distance, share} {
		if len(p.Series) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}

var fig3 = Experiment{
	Name:   "fig3",
	Title:  "samples and weights of WGAN and robust WGAN, CIFAR-10 with 5 % MNIST digits",
	Paper:  "The paper's figure 3",
	Parts:  []string{"mnist"},
	scored: true,
	run: func(ctx context.Context, g *grid, _ string) (*section, error) {
		return g.ganSection(ctx, "dcgan", 0.05, plainAndRobust(0.1), true)
	},
}

// ganSection trains models on CIFAR-10 with MNIST digits and shows what became
// of them.
func (g *grid) ganSection(ctx context.Context, preset string, gamma float64, ms []model, pictures bool) (*section, error) {
	s := &section{}
	note, err := g.missingImages()
	if err != nil || note != "" {
		s.Title, s.Notes = "CIFAR-10", append(s.Notes, note)
		return s, err
	}
	t, err := g.cifar(preset, g.at(mnistImages), gamma)
	if err != nil {
		return nil, err
	}
	s.Title = t.name
	cells, err := g.generate(ctx, []setting{t}, ms, g.cifarJudge(ctx))
	if err != nil {
		return nil, err
	}
	s.Numbers = cells
	s.Markdown = ganTable(cells)
	if pictures {
		s.Markdown += ganPictures(cells)
		s.figures = histograms(cells)
	}
	return s, nil
}

var table1 = Experiment{
	Name:   "table1",
	Title:  "clean CIFAR-10: WGAN, ρ = 0 and ρ = 0.3",
	Paper:  "The paper's table 1, with a classifier's features in place of Inception's",
	Parts:  []string{"dcgan", "resnet"},
	scored: true,
	run: func(ctx context.Context, g *grid, part string) (*section, error) {
		s, err := g.ganSection(ctx, part, 0, append(plainAndRobust(0.3), penalized("robust WGAN", 0.3), automatic("robust WGAN")), false)
		if err == nil && s.Markdown != "" {
			s.Notes = append(s.Notes, "With ρ = 0 every weight is 1, so the paper's row ρ = 0 is the WGAN here.")
			s.Title += ", " + part
		}
		return s, err
	},
}

// ganSensitivity varies the radius of a GAN.
func (g *grid) ganSensitivity(ctx context.Context) (*section, error) {
	var ms []model
	for _, rho := range []float64{0, 0.01, 0.05, 0.1, 0.15} {
		ms = append(ms, model{name: fmt.Sprintf("ρ = %g", rho), change: func(c *gan.Config) { c.Rho = rho }})
	}
	for _, rho := range []float64{0.01, 0.05, 0.1, 0.15} {
		ms = append(ms, model{name: fmt.Sprintf("ρ = %g by penalty", rho), change: func(c *gan.Config) { c.Rho, c.Constraint = rho, gan.Penalty }})
	}
	return g.ganSection(ctx, "dcgan", 0.05, ms, false)
}

var ballVsPenalty = Experiment{
	Name:   "ball-vs-penalty",
	Title:  "the exact ball against the paper's penalty, CIFAR-10 with 5 % MNIST digits",
	Paper:  "Not in the paper, which has the penalty only",
	Parts:  []string{"mnist"},
	scored: true,
	run: func(ctx context.Context, g *grid, _ string) (*section, error) {
		return g.ganSection(ctx, "dcgan", 0.05, []model{
			{name: "ball", change: func(c *gan.Config) { c.Rho, c.Constraint = 0.1, gan.Ball }},
			matching("ball"),
			{name: "penalty, λ = 1000", change: func(c *gan.Config) { c.Rho, c.Constraint = 0.1, gan.Penalty }},
			{name: "bank", change: func(c *gan.Config) { c.Rho, c.Weights = 0.1, gan.WeightBank }},
		}, true)
	},
}

var uot = Experiment{
	Name:   "uot",
	Title:  "the dual of unbalanced OT, as printed and as corrected, against ours, CIFAR-10 with 5 % MNIST digits",
	Paper:  "The paper's comparison with unbalanced OT",
	Parts:  []string{"mnist"},
	scored: true,
	run: func(ctx context.Context, g *grid, _ string) (*section, error) {
		s, err := g.ganSection(ctx, "dcgan", 0.05, []model{
			{name: "robust", change: func(c *gan.Config) { c.Rho = 0.1 }},
			{name: "uot, corrected", change: func(c *gan.Config) { c.Loss, c.Rho = gan.UOT, 0 }},
			{name: "uot, as printed", change: func(c *gan.Config) { c.Loss, c.Rho = gan.UOTPrinted, 0 }},
		}, true)
		if err != nil || s.Numbers == nil {
			return s, err
		}
		f := &figure.LossCurves{Title: "Loss of the critic"}
		for _, c := range s.Numbers.([]generated) {
			if c.Seed == 0 && len(c.Losses) > 0 && len(c.Losses[0].Step) > 0 {
				l := c.Losses[0]
				l.Name = c.Model
				f.Panels = append(f.Panels, figure.LossPanel{Label: c.Model, Series: []figure.Series{l}})
			}
		}
		if len(f.Panels) > 0 {
			s.figures = append(s.figures, picture{"losses.png", f})
			s.Markdown += "![losses](losses.png)\n\n"
		}
		return s, nil
	},
}

var fig4 = Experiment{
	Name:   "fig4",
	Title:  "sketches with photographs among them (PACS in place of DomainNet), SN-GAN and robust SN-GAN",
	Paper:  "The paper's figure 4",
	Parts:  []string{"pacs"},
	scored: true,
	run: func(ctx context.Context, g *grid, _ string) (*section, error) {
		s := &section{Title: "PACS sketches, 10 % of them photographs"}
		note, err := g.missing(sketches, sketchClass, photographs)
		if err != nil || note != "" {
			s.Notes = append(s.Notes, note)
			return s, err
		}
		c, err := g.ganConfig("resnet")
		if err != nil {
			return nil, err
		}
		c.Data = fmt.Sprintf("stack:%s,%s", g.at(sketches), g.at(sketchClass))
		if g.Quick {
			c.Data += "[0:600]"
			c.Size = 32
		}
		c.UseLoss(gan.Hinge)
		if !g.Quick {
			c.Steps, c.Batch = 5000, 64 // of images four times as large
		}
		photos := "stack:" + g.at(photographs)
		t := setting{name: "sketches with 10 % photographs", config: c, gamma: 0.1, outliers: photos}
		cells, err := g.generate(ctx, []setting{t}, []model{
			{name: "SN-GAN", change: func(c *gan.Config) { c.Rho = 0 }},
			matching("robust SN-GAN"),
			penalized("robust SN-GAN", 0.1),
			automatic("robust SN-GAN"),
		}, g.judgeOf(ctx, c.Data, photos))
		if err != nil {
			return nil, err
		}
		s.Numbers = cells
		s.Markdown = ganTable(cells) + ganPictures(cells)
		s.figures = histograms(cells)
		return s, nil
	},
}

// models are the names of the models, in their order, which is that of the
// setting with the most of them: not every model is on every setting.
func models(cells []generated) (names []string) {
	for _, setting := range settingsOf(cells) {
		var here []string
		for _, c := range cells {
			if c.Setting == setting && !slices.Contains(here, c.Model) {
				here = append(here, c.Model)
			}
		}
		if len(here) > len(names) {
			names, here = here, names
		}
		for _, m := range here {
			if !slices.Contains(names, m) {
				names = append(names, m)
			}
		}
	}
	return names
}

// settingsOf are the names of the settings, in their order.
func settingsOf(cells []generated) (names []string) {
	for _, c := range cells {
		if !slices.Contains(names, c.Setting) {
			names = append(names, c.Setting)
		}
	}
	return names
}

// ganTable has a row for each setting and model, with means over the seeds.
func ganTable(cells []generated) string {
	var s strings.Builder
	s.WriteString("Fréchet distance and KID (×1000) of a classifier's features to those of clean images, Inception score with its classes, share of samples that it takes for outliers, and AUROC of low weights as a mark of outliers; mean ± sd over seeds.\n\n")
	s.WriteString(judges(cells))
	other := ""
	for _, c := range cells {
		if c.FID != nil {
			other = fidName(c.FIDBy)
		}
	}
	head, rule := "| data | model | distance | KID | score | outliers | AUROC | mean weight in / out |", "|---|---|---|---|---|---|---|---|"
	if other != "" {
		head, rule = head+" "+other+" |", rule+"---|"
	}
	s.WriteString(head + "\n" + rule + "\n")
	for _, name := range settingsOf(cells) {
		for _, m := range models(cells) {
			r := summed(cells, name, m)
			if r.runs == 0 {
				continue // no such model on this setting
			}
			weights := "–"
			if len(r.in) > 0 {
				weights = spread(r.in, 2) + " / " + spread(r.out, 2)
			}
			share := spread(r.share, 2)
			if len(r.share) > 0 {
				share += " %"
			}
			if len(r.radius) > 0 {
				m += fmt.Sprintf(" (at the end %s)", spread(r.radius, 3))
			}
			if r.stopped > 0 {
				m += fmt.Sprintf(" (%d of %d runs stopped)", r.stopped, r.runs)
			}
			fmt.Fprintf(&s, "| %s | %s | %s | %s | %s | %s | %s | %s |", name, m, spread(r.distance, 2), spread(r.kid, 2), spread(r.score, 2), share, spread(r.auroc, 4), weights)
			if other != "" {
				fmt.Fprintf(&s, " %s |", spread(r.fid, 2))
			}
			s.WriteString("\n")
		}
	}
	s.WriteString("\n")
	return s.String()
}

// A ganRow is what the runs of a model on a setting gave.
type ganRow struct {
	runs, stopped                                    int
	distance, kid, score, share, auroc, in, out, fid []float64
	radius                                           []float64 // where the runs chose it
}

func summed(cells []generated, setting, model string) (r ganRow) {
	for _, c := range cells {
		if c.Setting != setting || c.Model != model {
			continue
		}
		r.runs++
		if c.Stopped != "" {
			r.stopped++
			continue
		}
		r.distance, r.kid, r.score = append(r.distance, c.Distance), append(r.kid, 1000*c.KID), append(r.score, c.Score)
		if c.Outliers >= 0 {
			r.share = append(r.share, 100*c.Outliers)
		}
		if c.AUROC >= 0 {
			r.auroc, r.in, r.out = append(r.auroc, c.AUROC), append(r.in, c.MeanIn), append(r.out, c.MeanOut)
		}
		if c.FID != nil {
			r.fid = append(r.fid, *c.FID)
		}
		if c.Radius != nil {
			r.radius = append(r.radius, *c.Radius)
		}
	}
	return r
}

// fidName is what a Fréchet distance is called: the FID for Inception-v3 only.
func fidName(by string) string {
	if strings.HasPrefix(by, "inception-v3") {
		return "FID"
	}
	name, _, _ := strings.Cut(by, " ")
	return "Distance by " + name
}

// judges says by what the cells were scored.
func judges(cells []generated) string {
	var by, fidBy []string
	for _, c := range cells {
		if c.Judge != "" && !slices.Contains(by, c.Judge) {
			by = append(by, c.Judge)
		}
		if c.FIDBy != "" && !slices.Contains(fidBy, c.FIDBy) {
			fidBy = append(fidBy, c.FIDBy)
		}
	}
	var s strings.Builder
	switch len(by) {
	case 0:
	case 1:
		fmt.Fprintf(&s, "Scored by %s.\n\n", by[0])
	default:
		fmt.Fprintf(&s, "**Scored by several classifiers, so that not all distances can be compared:** %s.\n\n", strings.Join(by, "; "))
	}
	if len(fidBy) > 0 {
		fmt.Fprintf(&s, "%s with the features of %s, against the same images.\n\n", fidName(fidBy[0]), strings.Join(fidBy, " and "))
	}
	return s.String()
}

// spread is a mean ± standard deviation; just the mean of one number.
func spread(v []float64, digits int) string {
	switch len(v) {
	case 0:
		return "–"
	case 1:
		return fmt.Sprintf("%.*f", digits, v[0])
	}
	mean, sd := moments(v)
	return fmt.Sprintf("%.*f ± %.*f", digits, mean, digits, sd)
}

// ganPictures shows the samples and the weights of the first seed of each model.
func ganPictures(cells []generated) string {
	var s strings.Builder
	for i, c := range cells {
		if c.Seed != 0 {
			continue
		}
		if c.Stopped != "" {
			fmt.Fprintf(&s, "%s, %s: %s\n\n", c.Setting, c.Model, c.Stopped)
			continue
		}
		fmt.Fprintf(&s, "%s, %s:\n\n![samples](%s)\n\n", c.Setting, c.Model, c.Picture)
		if len(c.Weights) > 0 {
			fmt.Fprintf(&s, "![weights](%s)\n\n", histogramName(i))
		}
		if c.Sorted != "" {
			fmt.Fprintf(&s, "The data from the lowest weight to the highest; outliers have a frame:\n\n![sorted](%s)\n\n", c.Sorted)
		}
	}
	return s.String()
}

func histogramName(i int) string { return fmt.Sprintf("weights-%d.png", i+1) }

// histograms draws the weights of the first seed of each model.
func histograms(cells []generated) (out []picture) {
	for i, c := range cells {
		if c.Seed == 0 && len(c.Weights) > 0 {
			out = append(out, picture{histogramName(i), &figure.Histogram{
				Title: c.Model, Note: fmt.Sprintf("%s, AUROC %.4f", c.Setting, c.AUROC), Weights: c.Weights, Outlier: c.Marks,
			}})
		}
	}
	return out
}
