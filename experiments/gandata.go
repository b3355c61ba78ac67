package experiments

import (
	"fmt"
	"os"
	"path/filepath"

	"rot.example/rot/dataset"
	"rot.example/rot/gan"
)

// The data of the GAN experiments, below Options.Data.
const (
	cifarFiles  = "cifar10/data_batch_*.png"
	cifarFirst  = "cifar10/data_batch_1.png"
	cifarLabels = "cifar10/train-labels-idx1-ubyte.gz"
	cifarBinary = "cifar10/data_batch_1.bin" // as "rot data get" leaves them
	mnistImages = "mnist/train-images-idx3-ubyte.gz"
	mnistTest   = "mnist/t10k-images-idx3-ubyte.gz"
	uspsImages  = "usps/usps-train-images-idx3-ubyte.gz"
	sketches    = "pacs/sketch64.png"
	sketchClass = "pacs/sketch64-labels-idx1-ubyte.gz"
	photographs = "pacs/photo64.png"
)

// bf16 is how GANs are trained on a GPU.
const bf16 = "bf16"

// ganSteps are those of a full form. The paper trains longer, and its numbers
// are lower; what is compared here is trained equally long.
const ganSteps = 10_000

// ganConfig returns a preset as the experiments use it.
func ganConfig(o *Options, preset string) (gan.Config, error) {
	if o.Quick {
		preset = "tiny"
	}
	c, err := gan.Preset(preset)
	if err != nil {
		return c, err
	}
	c.Steps = ganSteps
	if o.Backend.Kind == "xla" {
		c.DType = bf16
	}
	if o.Quick {
		c.Steps, c.Batch, c.WarmUp = 40, 16, 10
	}
	c.SampleEvery, c.LogEvery = c.Steps, max(1, c.Steps/200)
	return c, nil
}

// cifar returns CIFAR-10 with a share of foreign images.
func cifar(o *Options, preset, outliers string, gamma float64) (setting, error) {
	c, err := ganConfig(o, preset)
	s := setting{config: c, gamma: gamma, outliers: outliers}
	s.config.Data = cifarSpec(o)
	s.name = "CIFAR-10"
	if gamma > 0 {
		kind := "MNIST digits"
		if outliers == dataset.Uniform {
			kind = "uniform noise"
		}
		s.name = fmt.Sprintf("CIFAR-10 with %g %% %s", 100*gamma, kind)
	}
	return s, err
}

// cifarSpec returns where CIFAR-10 is.
func cifarSpec(o *Options) string {
	spec := fmt.Sprintf("stack:%s,%s", o.at(cifarFiles), o.at(cifarLabels))
	if _, err := os.Stat(o.at(cifarBinary)); err == nil {
		spec = filepath.Dir(o.at(cifarBinary)) // the folder of all training batches
	}
	if o.Quick {
		spec += "[0:600]"
	}
	return spec
}

// cifarMissing returns the error of CIFAR-10 or MNIST where one is not there.
func cifarMissing(o *Options) error {
	if err := o.missing(mnistImages, mnistTest); err != nil {
		return err
	}
	if o.missing(cifarBinary) == nil {
		return nil
	}
	return o.missing(cifarFirst, cifarLabels)
}

// cifarJudge returns the judge of all that is learned from CIFAR-10: it knows
// digits and noise.
func cifarJudge(o *Options) *judgeMaker {
	return newJudge(cifarSpec(o), o.at(mnistTest), dataset.Uniform)
}

// cifarStudy trains models on CIFAR-10 with MNIST digits and shows what became
// of them.
func cifarStudy(o *Options, preset string, gamma float64, models []model, show func(s *section, cells []generated)) (*study, error) {
	if err := cifarMissing(o); err != nil {
		return notRun("CIFAR-10", err)
	}
	s, err := cifar(o, preset, o.at(mnistImages), gamma)
	if err != nil {
		return nil, err
	}
	st := &study{title: s.name}
	return st, st.train(o, []setting{s}, models, cifarJudge(o), show)
}

// showTable shows GANs by their numbers.
func showTable(s *section, cells []generated) { s.Markdown = ganTable(cells) }

// showPictures shows GANs by their numbers, samples and weights.
func showPictures(s *section, cells []generated) {
	s.Markdown = ganTable(cells) + ganPictures(cells)
	s.figures = histograms(cells)
}
