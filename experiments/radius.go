package experiments

import (
	"context"
	"fmt"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/gan"
)

// radius asks whether a GAN that chooses its radius itself finds the right one,
// and none where there are no outliers.
var radius = Experiment{
	Name:  "radius",
	Title: "the radius that a robust GAN chooses for itself, on clean and on dirty data",
	Paper: "Not in the paper, which sweeps the radius",
	Parts: []string{"plane", "images"},
	run: func(ctx context.Context, g *grid, part string) (*section, error) {
		settings, s := g.planes, &section{Title: "Points in the plane, with points far away"}
		if part == "images" {
			s.Title = "Images, preset tiny"
			settings = g.dirtyImages
			note, err := g.missing(mnistImages, cifarFirst, mnistTest, sketches, photographs)
			if err != nil || note != "" {
				s.Notes = append(s.Notes, note)
				return s, err
			}
		}
		all, err := settings()
		if err != nil {
			return nil, err
		}
		cells, err := g.generate(ctx, all, []model{automatic("robust")}, nil)
		if err != nil {
			return nil, err
		}
		s.Numbers = cells
		s.Markdown = radiusTable(cells)
		return s, nil
	},
}

// planes are synthetic points, clean and with outliers.
func (g *grid) planes() (out []setting, err error) {
	c, err := gan.Preset("mlp")
	if err != nil {
		return nil, err
	}
	sets, gammas := []string{"eight", "moons", "ring", "gauss"}, []float64{0, 0.01, 0.05, 0.1}
	if g.Quick {
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

// dirtyImages are images, clean and with others among them.
func (g *grid) dirtyImages() (out []setting, err error) {
	c, err := gan.Preset("tiny")
	if err != nil {
		return nil, err
	}
	c.Steps = 2000
	part := "[0:10000]"
	if g.Quick {
		c.Steps, c.Batch, c.WarmUp, part = 40, 16, 10, "[0:300]"
	}
	c.SampleEvery = c.Steps
	mnist, cifar, sketch := g.at(mnistImages)+part, "stack:"+g.at(cifarFirst)+part, "stack:"+g.at(sketches)
	for _, s := range []struct {
		what, data     string
		size           int
		dirt, outliers string
		gamma          float64
	}{
		{"MNIST", mnist, 28, "", "", 0},
		{"MNIST", mnist, 28, "photographs", cifar, 0.05},
		{"MNIST", mnist, 28, "photographs", cifar, 0.15},
		{"MNIST", mnist, 28, "noise", dataset.Uniform, 0.05},
		{"CIFAR-10", cifar, 32, "", "", 0},
		{"CIFAR-10", cifar, 32, "digits", g.at(mnistTest), 0.05},
		{"sketches", sketch, 32, "", "", 0},
		{"sketches", sketch, 32, "photographs", "stack:" + g.at(photographs), 0.1},
	} {
		t := setting{name: s.what, config: c, gamma: s.gamma, outliers: s.outliers}
		t.config.Data, t.config.Size = s.data, s.size
		if s.gamma > 0 {
			t.name = fmt.Sprintf("%s with %g %% %s", s.what, 100*s.gamma, s.dirt)
		}
		out = append(out, t)
	}
	if g.Quick {
		out = out[:2]
	}
	return out, nil
}

// radiusTable compares the radii with those that the outliers need.
func radiusTable(cells []generated) string {
	var s strings.Builder
	s.WriteString("The radius at the end of the run, the one that the outliers need, γ/2(1−γ), and the AUROC of low weights as a mark of outliers, over the runs that chose one; mean ± sd over seeds.\n\n")
	s.WriteString("| data | ρ needed | ρ chosen | none chosen | AUROC |\n|---|---|---|---|---|\n")
	for _, name := range settingsOf(cells) {
		var chosen, auroc []float64
		var gamma float64
		runs, none := 0, 0
		for _, c := range cells {
			if c.Setting != name {
				continue
			}
			gamma = c.Gamma
			runs++
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
		fmt.Fprintf(&s, "| %s | %.3f | %s | %d of %d runs | %s |\n", name, needed, spread(chosen, 3), none, runs, spread(auroc, 4))
	}
	s.WriteString("\n")
	return s.String()
}
