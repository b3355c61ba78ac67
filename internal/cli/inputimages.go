package cli

import (
	"context"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/ot"
)

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
	net, err := o.openNet()
	if err != nil {
		return nil, err
	}
	tables, sets, err := features.LoadTables(ctx, []string{o.source, o.target}, &features.TablesOptions{
		Net:      net,
		Stage:    func(im *dataset.Images) { p.stage("looking at the images of " + im.Name) },
		Progress: func(done, total int) { p.report(ot.Progress{Done: float64(done) / float64(total)}) },
	})
	for _, im := range sets {
		sayAbout(std, im.Name, im.LeftOut())
	}
	return tables, err
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
