package cli

import (
	"context"
	"fmt"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/ot"
	"rot.example/rot/page"
	tab "rot.example/rot/table"
)

// A sampleLoader reads what clean compares.
type sampleLoader struct {
	options  *cleanOptions
	std      IO
	progress *progress
	net      features.Embedder // nil before the first images
	encoding *tab.Encoding     // of DATA, where it is a table with names
	sample   int               // rows of a longer table that are drawn at random; 0: all
	seed     uint64
}

// load reads DATA and REF, which is nil when there is none.
func (l *sampleLoader) load(ctx context.Context) (data, reference *page.Sample, err error) {
	o := l.options
	images := dataset.IsImages(o.data)
	switch {
	case o.against != "" && dataset.IsImages(o.against) != images:
		return nil, nil, fmt.Errorf("of %s and %s one is images and one is a table: they cannot be compared", o.data, o.against)
	case !images && o.features != "":
		return nil, nil, fmt.Errorf("--features is for images, and %s is a table", o.data)
	case !images:
		return l.tables(ctx)
	}
	if data, err = l.images(ctx, o.data); err != nil {
		return nil, nil, err
	}
	if o.against != "" {
		reference, err = l.images(ctx, o.against)
	}
	return data, reference, err
}

// tables reads DATA and REF; declared columns may be missing from REF.
func (l *sampleLoader) tables(ctx context.Context) (data, reference *page.Sample, err error) {
	o := l.options
	specs := []string{o.data}
	if o.against != "" {
		specs = append(specs, o.against)
	}
	l.progress.stage(reading(specs...))
	opts := o.tables.options(l.std)
	opts.Sample, opts.SampleSeed = l.sample, l.seed
	all, err := await(ctx, func() ([]*dataset.Table, error) { return dataset.LoadTogether(specs, opts) })
	if err != nil {
		return nil, nil, err
	}
	sayNotes(l.std, all...)
	t := all[0]
	l.encoding = t.Encoding
	data = &page.Sample{Name: o.data, Points: &t.Points, Total: t.Total, Places: t.Places, Labels: t.Labels, Columns: t.Columns, Levels: t.Encoding.LevelComponents(), Marks: o.byLabel()}
	if o.against == "" {
		return data, nil, nil
	}
	return data, &page.Sample{Name: o.against, Points: &all[1].Points, Total: all[1].Total, Places: all[1].Places}, nil
}

// images reads images and turns them into vectors.
func (l *sampleLoader) images(ctx context.Context, spec string) (*page.Sample, error) {
	if err := l.openNet(); err != nil {
		return nil, err
	}
	l.progress.stage(reading(spec))
	im, err := await(ctx, func() (*dataset.Images, error) { return features.LoadImages(spec, l.net) })
	if err != nil {
		return nil, err
	}
	for _, note := range im.Notes {
		fmt.Fprintf(l.std.Err, "rot: %s: %s\n", spec, note)
	}
	l.progress.stage("looking at the images of " + spec)
	points, err := features.Vectors(ctx, l.net, im, func(done, total int) {
		l.progress.report(ot.Progress{Done: float64(done) / float64(total)})
	})
	if err != nil {
		return nil, err
	}
	return &page.Sample{Name: spec, Points: points, Features: l.net.Name(), Images: im, Labels: im.LabelNames(), Marks: l.options.byLabel()}, nil
}

// openNet opens what makes vectors of images.
func (l *sampleLoader) openNet() error {
	if l.net != nil {
		return nil
	}
	if l.options.features == "" {
		l.net = features.Descriptor{}
		return nil
	}
	b, err := l.options.backend.open("")
	if err != nil {
		return err
	}
	net, err := features.Open(b, l.options.features)
	if err != nil {
		return err
	}
	l.net = net
	return nil
}
