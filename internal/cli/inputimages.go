package cli

import (
	"context"
	"fmt"
	"strconv"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/ot"
)

// mixedSide is the side that images of different sizes get.
const mixedSide = 64

// images reports whether both sides are sets of images and are to be compared
// as such. IDX files are rows of pixels as they stand.
func (o *inputOptions) images() bool {
	if !dataset.IsImages(o.source) || !dataset.IsImages(o.target) {
		return false
	}
	return o.features != "" || dataset.ImageFormat(o.source) != "idx" || dataset.ImageFormat(o.target) != "idx"
}

// loadImages reads both sets of images and turns them into vectors: pixels, of
// one size and colour, or what --features makes of them.
func (o *inputOptions) loadImages(ctx context.Context, std IO, p *progress) ([]*dataset.Table, error) {
	source, err := dataset.LoadImages(o.source, &dataset.ImageOptions{Mixed: mixedSide, Tolerant: true})
	if err != nil {
		return nil, err
	}
	target, err := dataset.LoadImages(o.target, &dataset.ImageOptions{Mixed: mixedSide, Tolerant: true})
	if err != nil {
		return nil, err
	}
	side, channels := source.H, max(source.C, target.C)
	if source.H != source.W || target.H != source.H || target.W != source.W {
		side = mixedSide
	}
	sets := []*dataset.Images{source, target}
	for k, spec := range []string{o.source, o.target} {
		if im := sets[k]; im.H != side || im.W != side || im.C != channels {
			if sets[k], err = dataset.LoadImages(spec, &dataset.ImageOptions{Size: side, Channels: channels, Tolerant: true}); err != nil {
				return nil, err
			}
		}
	}
	net, err := o.openNet()
	if err != nil {
		return nil, err
	}
	var out []*dataset.Table
	for _, im := range sets {
		for _, f := range im.Unreadable {
			fmt.Fprintf(std.Err, "rot: %s: %s: %s\n", im.Name, f.File, f.Problem)
		}
		t := &dataset.Table{Name: im.Name, Format: "images", Notes: im.Notes, Labels: imageLabels(im)}
		if net == nil {
			t.Points = ot.Points{Dim: im.H * im.W * im.C, Coords: make([]float64, len(im.Pix)), IDs: im.IDs}
			for i, v := range im.Pix {
				t.Points.Coords[i] = float64(v)
			}
		} else {
			p.stage("looking at the images of " + im.Name)
			x, err := features.Vectors(ctx, net, im, func(done, total int) { p.report(ot.Progress{Done: float64(done) / float64(total)}) })
			if err != nil {
				return nil, err
			}
			t.Points = *x
		}
		out = append(out, t)
	}
	return out, nil
}

// openNet opens what --features names; nil for pixels.
func (o *inputOptions) openNet() (features.Embedder, error) {
	switch o.features {
	case "":
		return nil, nil
	case "descriptor":
		return features.Descriptor{}, nil
	}
	b, err := o.backend.open("")
	if err != nil {
		return nil, err
	}
	return features.Open(b, o.features)
}

// imageLabels are the classes of images by name, or by number; nil without any.
func imageLabels(im *dataset.Images) []string {
	var labels []string
	for _, k := range im.Labels {
		name := strconv.Itoa(int(k))
		if im.ClassNames != nil {
			name = im.ClassNames[k]
		}
		labels = append(labels, name)
	}
	return labels
}
