package gan

import (
	"rot.example/rot/dataset"
	"rot.example/rot/train"
)

// Load reads the data that c names, mixes in its outliers, and sets the fields
// of c that the data decide. c.Size, if not 0, is the size wanted for images.
// The notes say what was done to the data on the way. Data that are not those
// of c.DataHash, where that is set, are a *train.ChangedError.
func Load(c *Config) (*train.Data, []string, error) {
	var data *train.Data
	var notes []string
	var err error
	if dataset.IsImages(c.Data) {
		data, notes, err = loadImages(c)
	} else {
		data, notes, err = loadTable(c)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := c.Fit(data); err != nil {
		return nil, nil, err
	}
	sum := train.Hash(data)
	if c.DataHash != "" && c.DataHash != sum {
		return nil, nil, &train.ChangedError{Data: c.Data}
	}
	c.DataHash = sum
	return data, notes, nil
}

func loadImages(c *Config) (*train.Data, []string, error) {
	im, err := dataset.LoadImages(c.Data, &dataset.ImageOptions{Size: c.Size, Mixed: 32, Tolerant: true})
	if err != nil {
		return nil, nil, err
	}
	// Sizes that no network is for become 32 pixels.
	if fits := im.H == im.W && (im.H == 32 || im.H == 28 && c.Preset == "tiny" || im.H == 64 && c.Preset != "tiny"); c.Size == 0 && !fits {
		if im, err = dataset.LoadImages(c.Data, &dataset.ImageOptions{Size: 32, Tolerant: true}); err != nil {
			return nil, nil, err
		}
	}
	notes := im.LeftOut()
	if c.Outliers != "" {
		if im, err = im.Mix(c.Outliers, c.Seed); err != nil {
			return nil, nil, err
		}
	}
	data, err := train.FromImages(im)
	return data, append(notes, im.Notes...), err
}

func loadTable(c *Config) (*train.Data, []string, error) {
	opts := c.tableOptions()
	t, err := dataset.Load(c.Data, opts)
	if err != nil {
		return nil, nil, err
	}
	if !opts.FileOrder {
		c.Encoding = t.Encoding
	}
	if c.Outliers != "" {
		if t, err = t.Mix(c.Outliers, opts, c.Seed); err != nil {
			return nil, nil, err
		}
	}
	// Outliers do not move this scale.
	data, err := train.FromTable(t, train.RobustScaling(t))
	return data, t.Notes, err
}

// tableOptions says how tables are read. A run that was begun before tables had
// encodings has its columns in the order of the files.
func (c *Config) tableOptions() *dataset.Options {
	return &dataset.Options{
		LabelColumn: c.Label, IDColumn: c.ID, Columns: c.Columns, Ignore: c.Ignore, Lenient: true, Header: c.Header, Missing: c.Missing, Scale: c.Scale, Clock: c.Clock,
		Encoding: c.Encoding, FileOrder: c.Encoding == nil && c.DataHash != "",
	}
}
