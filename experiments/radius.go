package experiments

import (
	"fmt"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/gan"
)

// radius asks whether a GAN that chooses its radius itself finds the right one,
// and none where there are no outliers.
var radius = Experiment{
	Name:   "radius",
	Title:  "the radius that a robust GAN chooses for itself, on clean and on dirty data",
	Paper:  "Not in the paper, which sweeps the radius",
	Parts:  []string{"plane", "images", "dcgan"},
	scored: true,
	study: func(o *Options, part string) (*study, error) {
		if part == "dcgan" {
			return dcganRadius(o)
		}
		st, settings := &study{title: "Points in the plane, with points far away"}, planes
		if part == "images" {
			st.title = "Images, preset tiny"
			settings = dirtyImages
			if err := o.missing(mnistImages, cifarFirst, mnistTest, sketches, photographs); err != nil {
				return notRun(st.title, err)
			}
		}
		all, err := settings(o)
		if err != nil {
			return nil, err
		}
		return st, st.train(o, all, []model{automatic("robust")}, nil, func(s *section, cells []generated) {
			s.Markdown = radiusTable(cells)
		})
	},
}

// dcganSeeds show whether a run ever misses what is foreign.
const dcganSeeds = 5

// dcganRadius lets DCGANs choose their radius on CIFAR-10, clean and with
// digits. Figure 2 has the same runs at fewer seeds.
func dcganRadius(o *Options) (*study, error) {
	st := &study{title: "CIFAR-10 with MNIST digits, preset dcgan"}
	if err := cifarMissing(o); err != nil {
		return notRun(st.title, err)
	}
	gammas := []float64{0, 0.05, 0.1}
	if o.Quick {
		gammas = gammas[1:2]
	} else {
		five := *o
		five.Seeds = dcganSeeds
		o = &five
	}
	var settings []setting
	for _, gamma := range gammas {
		s, err := cifar(o, "dcgan", o.at(mnistImages), gamma)
		if err != nil {
			return nil, err
		}
		settings = append(settings, s)
	}
	return st, st.train(o, settings, []model{automatic("robust WGAN")}, cifarJudge(o), func(s *section, cells []generated) {
		s.Markdown = radiusTable(cells)
	})
}

// planes returns synthetic points, clean and with outliers.
func planes(o *Options) (out []setting, err error) {
	c, err := gan.Preset("mlp")
	if err != nil {
		return nil, err
	}
	sets, gammas := []string{"eight", "moons", "ring", "gauss"}, []float64{0, 0.01, 0.05, 0.1}
	if o.Quick {
		c.Steps, sets, gammas = 2500, sets[:1], []float64{0, 0.05}
	}
	c.SampleEvery = c.Steps
	for _, set := range sets {
		for _, gamma := range gammas {
			s := setting{name: set, config: c, gamma: gamma, outliers: "synth:far"}
			s.config.Data = fmt.Sprintf("synth:%s,n=3000", set)
			if gamma > 0 {
				s.name = fmt.Sprintf("%s with %g %% far points", set, 100*gamma)
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// dirtyImages returns images, clean and with others among them.
func dirtyImages(o *Options) (out []setting, err error) {
	c, err := gan.Preset("tiny")
	if err != nil {
		return nil, err
	}
	c.Steps = 2000
	part := "[0:10000]"
	if o.Quick {
		c.Steps, c.Batch, c.WarmUp, part = 40, 16, 10, "[0:300]"
	}
	c.SampleEvery = c.Steps
	mnist, cifar, sketch := o.at(mnistImages)+part, "stack:"+o.at(cifarFirst)+part, "stack:"+o.at(sketches)
	for _, s := range []struct {
		name, data     string
		size           int
		dirt, outliers string
		gamma          float64
	}{
		{"MNIST", mnist, 28, "", "", 0},
		{"MNIST", mnist, 28, "photographs", cifar, 0.05},
		{"MNIST", mnist, 28, "photographs", cifar, 0.15},
		{"MNIST", mnist, 28, "noise", dataset.Uniform, 0.05},
		{"CIFAR-10", cifar, 32, "", "", 0},
		{"CIFAR-10", cifar, 32, "digits", o.at(mnistTest), 0.05},
		{"sketches", sketch, 32, "", "", 0},
		{"sketches", sketch, 32, "photographs", "stack:" + o.at(photographs), 0.1},
	} {
		t := setting{name: s.name, config: c, gamma: s.gamma, outliers: s.outliers}
		t.config.Data, t.config.Size = s.data, s.size
		if s.gamma > 0 {
			t.name = fmt.Sprintf("%s with %g %% %s", s.name, 100*s.gamma, s.dirt)
		}
		out = append(out, t)
	}
	if o.Quick {
		out = out[:2]
	}
	return out, nil
}

// radiusTable returns a table that compares the radii with those that the outliers need.
func radiusTable(cells []generated) string {
	var s strings.Builder
	s.WriteString("The radius at the end of the run, the one that the outliers need, γ/2(1−γ), and the AUROC of low weights as a mark of outliers, over the runs that chose one; mean ± sd over seeds.\n\n")
	s.WriteString("| data | ρ needed | ρ chosen | none chosen | AUROC |\n|---|---|---|---|---|\n")
	for _, name := range settingsOf(cells) {
		var chosen, auroc []float64
		var gamma float64
		var from []origin
		runs, none := 0, 0
		for _, c := range cells {
			if c.Setting != name {
				continue
			}
			gamma = c.Gamma
			runs++
			from = append(from, c.origin)
			if c.Radius == nil || *c.Radius == 0 {
				none++
				continue
			}
			chosen = append(chosen, *c.Radius)
			if c.AUROC >= 0 {
				auroc = append(auroc, c.AUROC)
			}
		}
		needed := 0.0
		if ball, err := chisq.FromGamma(gamma); err == nil {
			needed = ball.Rho
		}
		fmt.Fprintf(&s, "| %s%s | %.3f | %s | %d of %d runs | %s |\n", name, markOld(origins(cells), from), needed, spread(chosen, 3), none, runs, spread(auroc, 4))
	}
	s.WriteString("\n")
	return s.String()
}
