package experiments

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"rot.example/rot/dataset"
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
