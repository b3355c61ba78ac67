package features

import (
	"context"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

// LoadImages reads the images of spec as they are if they are of one size, and
// otherwise brings them to one that is larger than what net looks at.
func LoadImages(spec string, net Embedder) (*dataset.Images, error) {
	size := 224
	if _, ok := net.(Descriptor); ok {
		size = 64
	}
	return dataset.LoadImages(spec, &dataset.ImageOptions{Mixed: size, Tolerant: true})
}

// Vectors are images as points whose Euclidean distances say how unlike they
// are: what net makes of them, and of a network the square roots of that
// (Hellinger), since by its own distances an image that a network says little
// about would be close to all others.
func Vectors(ctx context.Context, net Embedder, im *dataset.Images, progress func(done, total int)) (*ot.Points, error) {
	vectors, err := net.Embed(ctx, im, &Options{Progress: progress})
	if err != nil {
		return nil, err
	}
	if _, ok := net.(*Net); ok {
		if vectors, err = Hellinger(vectors, net.Dim()); err != nil {
			return nil, err
		}
	}
	p := &ot.Points{Dim: net.Dim(), Coords: make([]float64, len(vectors)), IDs: im.IDs}
	for k, v := range vectors {
		p.Coords[k] = float64(v)
	}
	return p, nil
}
