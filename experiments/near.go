package experiments

import (
	"errors"
	"fmt"
	"strings"

	"rot.example/rot/gan"
)

// near asks which way of weighing finds foreign images that look much like the
// others.
var near = Experiment{
	Name:  "near",
	Title: "foreign images near the others and far from them: the weights by transport beside the paper's network and the bank (preset tiny)",
	Paper: "Not in the paper, whose outliers are far away",
	Parts: []string{"images", "seeds", "network"},
	study: func(o *Options, part string) (*study, error) {
		st := &study{title: nearTitles[part]}
		files := []string{mnistImages, mnistTest, uspsImages, sketches, sketchClass}
		if part == "network" {
			files = append(files, squeezeNet)
		}
		if err := errors.Join(o.missing(files...), cifarMissing(o)); err != nil {
			return notRun(st.title, err)
		}
		settings, err := nearImages(o)
		if err != nil {
			return nil, err
		}
		by := func(weights string) model {
			m := matching(weights)
			m.change = func(c *gan.Config) { c.Weights, c.Constraint = weights, gan.Ball }
			return m
		}
		models := []model{by(gan.WeightNet), by(gan.WeightBank), by(gan.WeightTransport), automatic(gan.WeightTransport)}
		switch part {
		case "network":
			looked := matching("transport, by SqueezeNet")
			looked.change = func(c *gan.Config) {
				c.Weights, c.Constraint, c.Features = gan.WeightTransport, gan.Ball, o.at(squeezeNet)
			}
			models = []model{models[2], looked}
		case "seeds":
			models = models[3:]
			if !o.Quick {
				ten := *o
				ten.Seeds = nearSeeds
				o = &ten
			}
		}
		return st, st.train(o, settings, models, nil, func(s *section, cells []generated) {
			s.Markdown = nearTable(cells)
		})
	},
}

// nearTitles are the titles of the parts of near.
var nearTitles = map[string]string{
	"images":  "Images with foreign ones among them",
	"seeds":   "The radius by transport, over more seeds",
	"network": "The same images, looked at by a pretrained network",
}

// squeezeNet is the file of SqueezeNet 1.1 with torchvision's weights, below the
// folder of data.
const squeezeNet = "weights/squeezenet1_1_imagenet.safetensors"

// nearSeeds are enough to see how often a run misses what is foreign.
const nearSeeds = 10

// nearImages returns pairs of images and foreign ones.
func nearImages(o *Options) (out []setting, err error) {
	c, err := gan.Preset("tiny")
	if err != nil {
		return nil, err
	}
	part, few := "[0:5000]", "[0:3500]" // of what there are fewer
	if o.Quick {
		c.Steps, c.Batch, c.WarmUp, part, few = 40, 16, 10, "[0:300]", "[0:300]"
	}
	c.SampleEvery = c.Steps
	mnist, cifar, sketch := o.at(mnistImages)+part, cifarSpec(o), "stack:"+o.at(sketches)+","+o.at(sketchClass)
	const animals, vehicles = "[label=2|3|4|5|6|7]", "[label=0|1|8|9]"
	for _, s := range []struct {
		name, data, outliers string
		size                 int
		gamma                float64
	}{
		{"MNIST", mnist, "", 28, 0},
		{"MNIST with 5 % USPS", mnist, o.at(uspsImages), 28, 0.05},
		{"MNIST without ones with 5 % ones", mnist + "[label!=1]", o.at(mnistImages) + "[10000:][label=1]", 28, 0.05},
		{"sketches of six kinds with 5 % of a seventh", sketch + "[label!=6]" + few, sketch + "[label=6]", 32, 0.05},
		{"CIFAR-10 animals with 5 % vehicles", cifar + animals + part, cifar + vehicles, 32, 0.05},
		{"CIFAR-10", cifar + part, "", 32, 0},
		{"CIFAR-10 with 10 % digits", cifar + part, o.at(mnistTest), 32, 0.1},
	} {
		t := setting{name: s.name, config: c, gamma: s.gamma, outliers: s.outliers}
		t.config.Data, t.config.Size = s.data, s.size
		out = append(out, t)
	}
	if o.Quick {
		out = out[:2]
	}
	return out, nil
}

// nearTable returns the AUROC of the weights and the mean weight of what is
// foreign.
func nearTable(cells []generated) string {
	var s strings.Builder
	names := models(cells)
	s.WriteString("The AUROC of low weights as a mark of foreign images, mean ± sd over seeds, and the mean weight of these (1 is an image that counts as much as any); with `ρ auto` also the radius at the end.\n\n")
	fmt.Fprintf(&s, "| data | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, set := range settingsOf(cells) {
		fmt.Fprintf(&s, "| %s |", set)
		for _, m := range names {
			var auroc, weight, rho []float64
			var from []origin
			for _, c := range cells {
				if c.Setting != set || c.Model != m || c.Stopped != "" {
					continue
				}
				from = append(from, c.origin)
				if c.AUROC >= 0 && c.Gamma > 0 {
					auroc, weight = append(auroc, c.AUROC), append(weight, c.MeanOut)
				}
				if c.Radius != nil {
					rho = append(rho, *c.Radius)
				}
			}
			var parts []string
			if len(auroc) > 0 {
				mean, _ := moments(weight)
				parts = append(parts, fmt.Sprintf("%s, %.2f", spread(auroc, 4), mean))
			}
			if len(rho) > 0 {
				parts = append(parts, "ρ "+spread(rho, 4))
			}
			fmt.Fprintf(&s, " %s%s |", strings.Join(parts, "; "), markOld(origins(cells), from))
		}
		s.WriteString("\n")
	}
	s.WriteString("\n")
	return s.String()
}
