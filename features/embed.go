package features

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/parallel"
)

// Options tunes how images are run through a network. The zero value is ready
// to use.
type Options struct {
	Batch    int                   // images at once; 0 means 64 with XLA and 8 without
	Progress func(done, total int) // called after every few batches; may be nil
}

// An Embedder turns images into vectors. Net and Descriptor do.
type Embedder interface {
	// Name and Hash tell vectors that can be compared from those that cannot.
	Name() string
	Hash() string
	// Dim returns the dimension of the vectors.
	Dim() int
	// Embed returns the vector of each image, one after the other.
	Embed(ctx context.Context, im *dataset.Images, opts *Options) ([]float32, error)
}

// Embed returns the vectors of all images [N,Dim], or ctx.Err() when cancelled.
// The same images give the same bits; another Batch may round differently.
func (n *Net) Embed(ctx context.Context, im *dataset.Images, opts *Options) ([]float32, error) {
	out := make([]float32, 0, im.Len()*n.Dim())
	err := n.Each(ctx, im, opts, func(vectors, _ []float32) error {
		out = append(out, vectors...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Classify returns the vectors of all images [N,Dim] and the probabilities of
// the network's classes [N,Classes].
func (n *Net) Classify(ctx context.Context, im *dataset.Images, opts *Options) (vectors, probabilities []float32, err error) {
	vectors, probabilities = make([]float32, 0, im.Len()*n.Dim()), make([]float32, 0, im.Len()*n.Classes())
	err = n.Each(ctx, im, opts, func(v, logits []float32) error {
		vectors = append(vectors, v...)
		for i := 0; i < len(logits); i += n.Classes() {
			probabilities = append(probabilities, softmax(logits[i:i+n.Classes()])...)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return vectors, probabilities, nil
}

// softmax returns the probabilities that logits stand for.
func softmax(logits []float32) []float32 {
	top := logits[0]
	for _, v := range logits {
		top = max(top, v)
	}
	p, sum := make([]float64, len(logits)), 0.0
	for i, v := range logits {
		p[i] = math.Exp(float64(v - top))
		sum += p[i]
	}
	out := make([]float32, len(p))
	for i, v := range p {
		out[i] = float32(v / sum)
	}
	return out
}

// Each calls f with the vectors and logits of a batch after the other, in the
// order of the images, so that the vectors of all need not fit into memory. It
// stops at an error of f, which it returns, and at the end of ctx.
func (n *Net) Each(ctx context.Context, im *dataset.Images, opts *Options, f func(vectors, logits []float32) error) error {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Batch < 0 {
		return fmt.Errorf("features: batches of %d images", o.Batch)
	}
	if o.Batch == 0 {
		if o.Batch = 8; n.backend.Kind == "xla" {
			o.Batch = 64
		}
	}
	if err := checkImages(im); err != nil {
		return err
	}
	total := im.Len()
	sampler := n.kind.input.sampler(im.H, im.W, im.C)
	results := make([]result, len(n.programs))
	for first := 0; first < total; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var wg sync.WaitGroup
		used := 0
		for k := range results {
			from, to := first, min(total, first+o.Batch)
			if from == to {
				break
			}
			wg.Go(func() { results[k] = n.run(k, im, sampler, from, to, o.Batch) })
			first, used = to, k+1
		}
		wg.Wait()
		for _, r := range results[:used] {
			if r.err != nil {
				return fmt.Errorf("features: %s: %w", n.Name(), r.err)
			}
			if err := f(r.vectors, r.logits); err != nil {
				return err
			}
		}
		if o.Progress != nil {
			o.Progress(first, total)
		}
	}
	return nil
}

// checkImages returns an error for images that no network can take.
func checkImages(im *dataset.Images) error {
	size := im.H * im.W * im.C
	if im.Len() == 0 || len(im.Pix)%size != 0 || im.C != 1 && im.C != 3 {
		return fmt.Errorf("features: %d values of images of %d×%d pixels and %d channels", len(im.Pix), im.H, im.W, im.C)
	}
	return nil
}

// A result is what a network makes of one batch.
type result struct {
	vectors, logits []float32
	err             error
}

// run feeds the images from to to, filled up with black to a whole batch: a
// graph is compiled for each size, and another size may round differently.
func (n *Net) run(program int, im *dataset.Images, sampler *resampler, from, to, batch int) result {
	side := n.kind.input.size
	pixels := make([]float32, batch*side*side*3)
	parallel.For(to-from, func(i int) {
		sampler.apply(pixels[i*side*side*3:(i+1)*side*side*3], im.At(from+i))
	})
	r := n.forward(program, tensors.FromFlatDataAndDimensions(pixels, batch, side, side, 3))
	if r.err == nil {
		r.vectors, r.logits = r.vectors[:(to-from)*n.Dim()], r.logits[:(to-from)*n.Classes()]
	}
	return r
}

// forward runs the network on images [B,H,W,3] as it expects them.
func (n *Net) forward(program int, x *tensors.Tensor) result {
	out, err := n.programs[program].Run(x)
	if err != nil {
		return result{err: err}
	}
	defer x.MustFinalizeAll()
	r := result{vectors: tensors.MustCopyFlatData[float32](out[0]), logits: tensors.MustCopyFlatData[float32](out[1])}
	for _, t := range out {
		t.MustFinalizeAll()
	}
	return r
}
