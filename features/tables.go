package features

import (
	"context"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

// MixedSide is the side that images of different sizes get.
const MixedSide = 64

// TablesOptions tunes LoadTables. The zero value is ready to use.
type TablesOptions struct {
	Net      Embedder                 // what makes vectors of images; nil for their pixels
	Stage    func(im *dataset.Images) // before the images of a set become vectors
	Progress func(done, total int)    // while they do
}

// LoadTables reads sets of images that are to be compared and turns them into
// rows: pixels, of one size and colour, or what opts.Net makes of them. The
// images are returned, too: they know which files could not be read. opts may be
// nil.
func LoadTables(ctx context.Context, specs []string, opts *TablesOptions) ([]*dataset.Table, []*dataset.Images, error) {
	if opts == nil {
		opts = &TablesOptions{}
	}
	sets, err := loadAlike(specs)
	if err != nil {
		return nil, nil, err
	}
	var out []*dataset.Table
	for _, im := range sets {
		t := &dataset.Table{Name: im.Name, Format: "images", Notes: im.Notes, Labels: im.LabelNames()}
		if opts.Net == nil {
			t.Points = ot.Points{Dim: im.H * im.W * im.C, Coords: make([]float64, len(im.Pix)), IDs: im.IDs}
			for i, v := range im.Pix {
				t.Points.Coords[i] = float64(v)
			}
		} else {
			if opts.Stage != nil {
				opts.Stage(im)
			}
			x, err := Vectors(ctx, opts.Net, im, opts.Progress)
			if err != nil {
				return nil, nil, err
			}
			t.Points = *x
		}
		out = append(out, t)
	}
	return out, sets, nil
}

// loadAlike reads sets of images and brings them to one size and colour.
func loadAlike(specs []string) ([]*dataset.Images, error) {
	var sets []*dataset.Images
	for _, spec := range specs {
		im, err := dataset.LoadImages(spec, &dataset.ImageOptions{Mixed: MixedSide, Tolerant: true})
		if err != nil {
			return nil, err
		}
		sets = append(sets, im)
	}
	side, channels := sets[0].H, 0
	for _, im := range sets {
		channels = max(channels, im.C)
		if im.H != im.W || im.H != sets[0].H {
			side = MixedSide
		}
	}
	for k, spec := range specs {
		if im := sets[k]; im.H != side || im.W != side || im.C != channels {
			var err error
			if sets[k], err = dataset.LoadImages(spec, &dataset.ImageOptions{Size: side, Channels: channels, Tolerant: true}); err != nil {
				return nil, err
			}
		}
	}
	return sets, nil
}
