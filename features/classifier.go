package features

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/internal/parallel"
	"rot.example/rot/nn"
)

// A Classifier is a small network that TrainClassifier trained on labelled
// images: five convolutions with batch norm, whose mean over the pixels is the
// vector. It is for images that networks trained on photographs say little
// about. As a Net its name is "classifier" and its hash is that of what Save
// writes.
type Classifier struct {
	*Net
	about classifierInfo
	file  []byte // what Save writes
}

// ClassifierOptions tunes TrainClassifier. The zero value is ready to use.
type ClassifierOptions struct {
	Steps    int    // 0 means five epochs, but from 200 to 2000
	Batch    int    // images a step; 0 means 64
	Seed     uint64 // of the weights, the batches and the images held back
	Progress func(step, steps int, loss float64)
}

const (
	minSide = 16   // of an image: 4×4 pixels are left of it at the end
	maxSide = 64   // larger images are made smaller
	lr      = 4e-3 // falling to 0; 2e-3 and 6e-3 are as accurate on digits
)

// heldBack is the share of the images that the accuracy is measured on.
const heldBack = 0.1

// TrainClassifier trains a Classifier on im, of 16×16 pixels or more, gray or
// RGB. A tenth of the images, by the seed, is held back to measure its accuracy
// on. On a backend whose results are the same each time so is the network. It
// returns ctx.Err() when cancelled.
func TrainClassifier(ctx context.Context, b *engine.Backend, im *dataset.Images, opts *ClassifierOptions) (*Classifier, error) {
	var o ClassifierOptions
	if opts != nil {
		o = *opts
	}
	if err := checkLabelled(im); err != nil {
		return nil, err
	}
	held, rest := split(im.Len(), o.Seed)
	if o.Batch == 0 {
		o.Batch = 64
	}
	if o.Steps == 0 {
		o.Steps = min(max(200, 5*len(rest)/max(1, o.Batch)), 2000)
	}
	if o.Batch < 2 || o.Steps < 1 { // one image has no variance to normalize by
		return nil, fmt.Errorf("features: classifier: %d steps of %d images", o.Steps, o.Batch)
	}
	about := classifierInfo{Size: min(im.H, im.W, maxSide), Classes: classNames(im)}
	state := nn.NewState(o.Seed)
	if err := about.train(ctx, b, state, im, rest, o); err != nil {
		return nil, err
	}
	given := torchTensors(state)
	k := about.kind()
	n, err := newNet(b, k, given)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	if about.Accuracy, err = n.accuracy(ctx, im, held); err != nil {
		return nil, err
	}
	c := &Classifier{Net: n, about: about}
	if c.file, err = about.encode(given); err != nil {
		return nil, fmt.Errorf("features: classifier: %w", err)
	}
	n.hash = hashBytes(c.file)
	return c, nil
}

// checkLabelled says why no classifier can be trained on im.
func checkLabelled(im *dataset.Images) error {
	if err := checkImages(im); err != nil {
		return err
	}
	n := im.Len()
	switch {
	case min(im.H, im.W) < minSide:
		return fmt.Errorf("features: classifier: %s: images have %d×%d pixels, and %d×%d are needed", im.Name, im.W, im.H, minSide, minSide)
	case im.Labels == nil:
		return fmt.Errorf("features: classifier: %s: the images have no labels", im.Name)
	case len(im.Labels) != n:
		return fmt.Errorf("features: classifier: %s: %d labels for %d images", im.Name, len(im.Labels), n)
	case n < 10:
		return fmt.Errorf("features: classifier: %s: %d images, and 10 are needed", im.Name, n)
	}
	seen := map[int32]bool{}
	for i, l := range im.Labels {
		if l < 0 || int(l) >= im.Classes {
			return fmt.Errorf("features: classifier: %s: image %d has label %d of %d classes", im.Name, i, l, im.Classes)
		}
		seen[l] = true
	}
	if len(seen) < 2 {
		return fmt.Errorf("features: classifier: %s: all images are of one class", im.Name)
	}
	return nil
}

// split cuts 0 to n−1 into those held back and the rest.
func split(n int, seed uint64) (held, rest []int) {
	all := rand.New(rand.NewPCG(seed, 0x68656C64)).Perm(n) // apart from other uses of the seed
	k := max(1, int(heldBack*float64(n)))
	return all[:k], all[k:]
}

// WithOutliers returns the images of clean with one more class, "outlier", of those
// of outliers: what to train a Classifier on that counts outliers among other
// images. Clean images without labels are all of the class "clean". Both sets
// have to be of one size and colour.
func WithOutliers(clean, outliers *dataset.Images) (*dataset.Images, error) {
	if err := checkImages(clean); err != nil {
		return nil, err
	}
	if err := checkImages(outliers); err != nil {
		return nil, err
	}
	if clean.H != outliers.H || clean.W != outliers.W || clean.C != outliers.C {
		return nil, fmt.Errorf("features: %s has images of %d×%d pixels and %d channels, and %s of %d×%d and %d",
			clean.Name, clean.W, clean.H, clean.C, outliers.Name, outliers.W, outliers.H, outliers.C)
	}
	n, m := clean.Len(), outliers.Len()
	out := &dataset.Images{
		Name: clean.Name + " with " + outliers.Name, H: clean.H, W: clean.W, C: clean.C,
		Pix:     append(append(make([]uint8, 0, len(clean.Pix)+len(outliers.Pix)), clean.Pix...), outliers.Pix...),
		Labels:  make([]int32, n+m),
		Classes: 2, ClassNames: []string{"clean", "outlier"},
	}
	if clean.Labels != nil {
		copy(out.Labels, clean.Labels)
		out.ClassNames = append(classNames(clean), "outlier")
		out.Classes = len(out.ClassNames)
	}
	for i := n; i < n+m; i++ {
		out.Labels[i] = int32(out.Classes - 1)
	}
	return out, nil
}

// train makes the steps of o on the images rest.
func (about classifierInfo) train(ctx context.Context, b *engine.Backend, state *nn.State, im *dataset.Images, rest []int, o ClassifierOptions) error {
	k := about.kind()
	program := nn.NewProgram(b, state, "classifier step", func(s *nn.Scope, in []*graph.Node) []*graph.Node {
		return []*graph.Node{classifierStep(s, k, in)}
	})
	order, err := dataset.NewOrder(len(rest), o.Batch, o.Seed)
	if err != nil {
		return fmt.Errorf("features: classifier: %w", err)
	}
	sampler := k.input.sampler(im.H, im.W, im.C)
	rate := nn.LinearDecay(0, o.Steps)
	size := k.input.size * k.input.size * 3
	for step := range o.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := order.Batch(nil, step)
		pixels, labels := make([]float32, o.Batch*size), make([]int32, o.Batch)
		parallel.For(o.Batch, func(i int) {
			at := rest[batch[i]]
			sampler.apply(pixels[i*size:(i+1)*size], im.At(at))
			labels[i] = im.Labels[at]
		})
		x := tensors.FromFlatDataAndDimensions(pixels, o.Batch, k.input.size, k.input.size, 3)
		out, err := program.Run(x, tensors.FromFlatDataAndDimensions(labels, o.Batch), float32(rate(step)))
		if err != nil {
			return fmt.Errorf("features: classifier: step %d: %w", step+1, err)
		}
		loss := float64(tensors.ToScalar[float32](out[0]))
		x.MustFinalizeAll()
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("features: classifier: the loss is %v at step %d", loss, step+1)
		}
		if o.Progress != nil {
			o.Progress(step+1, o.Steps, loss)
		}
	}
	return nil
}

// accuracy is the share of the given images that the network classes as they
// are labelled.
func (n *Net) accuracy(ctx context.Context, im *dataset.Images, index []int) (float64, error) {
	part := &dataset.Images{H: im.H, W: im.W, C: im.C}
	for _, i := range index {
		part.Pix = append(part.Pix, im.At(i)...)
	}
	right, at := 0, 0
	err := n.Each(ctx, part, nil, func(_, logits []float32) error {
		for ; len(logits) > 0; logits = logits[n.Classes():] {
			if largest(logits[:n.Classes()]) == int(im.Labels[index[at]]) {
				right++
			}
			at++
		}
		return nil
	})
	return float64(right) / float64(len(index)), err
}

// largest is the place of the first largest number.
func largest(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// Accuracy returns the share of the images held back from training that it classes
// rightly.
func (c *Classifier) Accuracy() float64 { return c.about.Accuracy }

// ClassNames returns the names of the classes.
func (c *Classifier) ClassNames() []string { return append([]string(nil), c.about.Classes...) }
