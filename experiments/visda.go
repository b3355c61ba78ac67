package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/runs"
)

// visdaSize is half of the paper's 224 pixels: 152 397 renders and 55 388
// photographs take 8 GB so, and would take 31.
const visdaSize = 112

// The domains of VisDA-17's classification task, below Options.VisDA, each with
// a folder for every class.
const (
	visdaSource = "train"
	visdaTarget = "validation"
)

// visdaPairs returns the task from renders to photographs: clean, and with two
// classes left out of the source.
func visdaPairs(o *Options) ([]pair, *study, error) {
	if err := givenSets["visda"].missing(o); err != nil {
		st, err := notRun("VisDA-17", err)
		return nil, st, err
	}
	classes, err := classFolders(filepath.Join(o.VisDA, visdaSource))
	if err != nil {
		return nil, nil, err
	}
	net, weights := "resnet18", ""
	if o.Pretrained != "" {
		if net, weights, err = pretrainedNet(o.Pretrained); err != nil {
			return nil, nil, err
		}
	}
	c, err := paperForm(net)
	if err != nil {
		return nil, nil, err
	}
	c.Source, c.Target = filepath.Join(o.VisDA, visdaSource), filepath.Join(o.VisDA, visdaTarget)
	c.Size, c.Flip, c.Crop, c.Pretrained = visdaSize, true, true, o.Pretrained
	title := "ResNet-" + strings.TrimPrefix(net, "resnet")
	st := &study{title: "VisDA-17, " + title}
	start := fmt.Sprintf("%s, started from %s (%s).", title, filepath.Base(o.Pretrained), weights)
	if o.Pretrained == "" {
		// The paper's rates are for fine-tuning.
		c.LR, c.CriticLR = 10*c.LR, 2*c.CriticLR
		start = fmt.Sprintf("%s from scratch, where the paper's is pretrained on ImageNet; learning rates %g and %g for that.", title, c.LR, c.CriticLR)
	}
	images := "Renders to photographs, all of them"
	if o.Quick {
		c.Size = 32
		c.Steps, c.WarmUp, c.BankEvery, c.EvalEvery, c.LogEvery, c.Batch, c.CriticSteps = 4, 1, 2, 4, 1, 8, 2
		if c.Source, err = thinned(c.Source, visdaQuick); err != nil {
			return nil, nil, err
		}
		if c.Target, err = thinned(c.Target, visdaQuick); err != nil {
			return nil, nil, err
		}
		images = fmt.Sprintf("Renders to photographs, some %d of each", visdaQuick)
	}
	st.notes = append(st.notes, start, fmt.Sprintf("%s, scaled to %d×%d pixels without regard to their aspect ratio; renders are cropped and mirrored at random. The paper's are 224×224.", images, c.Size, c.Size))
	p := pair{set: "visda", from: "renders", to: "photographs", form: clean, config: c, weights: weights}
	pairs := []pair{p}
	if n := len(classes); n >= 4 {
		p.form = openSet
		p.open = func(seed int) string {
			return fmt.Sprintf("%s[label!=%s|%s]", c.Source, classes[2*seed%n], classes[(2*seed+1)%n])
		}
		pairs = append(pairs, p)
		st.notes = append(st.notes, "Open set: two classes are left out of the source, others at each seed.")
	}
	return pairs, st, nil
}

// visdaQuick are the images of either domain in the quick form.
const visdaQuick = 120

// thinned returns a folder of classes of which n images, or a few more, are read, of
// every class its share.
func thinned(dir string, n int) (string, error) {
	count := 0
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			count++
		}
		return err
	})
	if every := count / n; every > 1 && err == nil {
		dir = fmt.Sprintf("%s[::%d]", dir, every)
	}
	return dir, err
}

// checkVisDA returns what o.VisDA lacks of VisDA-17: the domains, and the same
// classes in both.
func checkVisDA(o *Options) error {
	source, target := filepath.Join(o.VisDA, visdaSource), filepath.Join(o.VisDA, visdaTarget)
	a, err := classFolders(source)
	if err != nil {
		return err
	}
	b, err := classFolders(target)
	if err != nil {
		return err
	}
	for _, class := range a {
		if !slices.Contains(b, class) {
			return noVisDAFolder(filepath.Join(target, class))
		}
	}
	for _, class := range b {
		if !slices.Contains(a, class) {
			return noVisDAFolder(filepath.Join(source, class))
		}
	}
	if o.Pretrained != "" {
		_, _, err = pretrainedNet(o.Pretrained)
	}
	return err
}

// noVisDAFolder returns the error of a folder of VisDA-17 that is not there.
func noVisDAFolder(path string) error {
	return fmt.Errorf("experiments: %w; VisDA-17 has the folders %s and %s, and in both a folder for each class", &NoFileError{path}, visdaSource, visdaTarget)
}

// classFolders returns the folders in a domain, in order.
func classFolders(domain string) ([]string, error) {
	entries, err := os.ReadDir(domain)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noVisDAFolder(domain)
	}
	if err != nil {
		return nil, fmt.Errorf("experiments: %w", err)
	}
	var names []string
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(domain, e.Name())) // links are followed
		if err == nil && info.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	if len(names) < 2 {
		return nil, fmt.Errorf("experiments: %s has %d folders of classes, and needs at least 2", domain, len(names))
	}
	return names, nil
}

// pretrainedNet tells which ResNet a file of weights is for, by torchvision's
// names of its tensors, and names the weights by a hash.
func pretrainedNet(file string) (net, hash string, err error) {
	tensors, _, err := runs.ReadSafetensors(file)
	if err != nil {
		return "", "", err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(tensors, func(t runs.Tensor) bool { return t.Name == name+".weight" })
	}
	// The number of layers in the third stage, and how many convolutions a
	// block has, tell them apart.
	switch {
	case !has("layer1.0.conv1") || !has("layer4.1.conv1") || has("layer3.23.conv1"):
		return "", "", fmt.Errorf("experiments: %s: its tensors are not those of ResNet-18, 34, 50 or 101 by torchvision's names", file)
	case has("layer3.22.conv3"):
		net = "resnet101"
	case has("layer1.0.conv3"):
		net = "resnet50"
	case has("layer3.5.conv2"):
		net = "resnet34"
	default:
		net = "resnet18"
	}
	hash, err = weightsHash(file)
	return net, hash, err
}
