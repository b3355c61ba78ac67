package da

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"rot.example/rot/dataset"
	"rot.example/rot/train"
)

// Domains are the two data sets of a run. Known says which class of the source
// each target sample has, for scoring only: −1 where it has none, because it
// is an outlier, its class is not one of the source's, or labels are missing.
type Domains struct {
	Source, Target *train.Data
	Known          []int32
}

// Load reads the data that c names, mixes the outliers into the target, and
// sets the fields of c that the data decide. c.Size, if not 0, is the size
// wanted for images. The notes say what was done to the data on the way. Data
// that are not those of c.DataHash, where that is set, are a
// *train.ChangedError.
func Load(c *Config) (*Domains, []string, error) {
	d := &Domains{}
	var notes []string
	var err error
	if dataset.IsImages(c.Source) != dataset.IsImages(c.Target) {
		if err := missing(c.Source, c.Target); err != nil {
			return nil, nil, err
		}
		return nil, nil, fmt.Errorf("da: of %s and %s one is images and the other is not", c.Source, c.Target)
	}
	if dataset.IsImages(c.Source) {
		notes, err = d.loadImages(c)
	} else {
		notes, err = d.loadTables(c)
	}
	if err != nil {
		return nil, nil, err
	}
	if d.Source.Labels == nil {
		if c.Label != "" {
			return nil, nil, fmt.Errorf("da: the source %s has no column %s", c.Source, c.Label)
		}
		return nil, nil, fmt.Errorf("da: the source %s has no labels", c.Source)
	}
	c.Size, c.Channels = 0, d.Source.Shape[0]
	if len(d.Source.Shape) == 3 {
		c.Size, c.Channels = d.Source.Shape[0], d.Source.Shape[2]
	}
	d.dropUnusedClasses()
	c.Classes = d.Source.ClassNames
	d.Known = d.known()
	sum := train.Hash(d.Source, d.Target)
	if c.DataHash != "" && c.DataHash != sum {
		return nil, nil, &train.ChangedError{Data: c.Source + " or " + c.Target}
	}
	c.DataHash = sum
	return d, notes, nil
}

// missing returns the error of the first data set whose file is not there: of
// such a one nobody can tell whether it is images.
func missing(specs ...string) error {
	for _, spec := range specs {
		if dataset.IsImages(spec) {
			continue
		}
		if _, err := dataset.Load(spec, nil); errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (d *Domains) loadImages(c *Config) ([]string, error) {
	mixed := 224 // what the ResNets were made for
	if c.Net == "lenet" {
		mixed = 32
	}
	source, err := dataset.LoadImages(c.Source, &dataset.ImageOptions{Size: c.Size, Mixed: mixed, Tolerant: true})
	if err != nil {
		return nil, err
	}
	if c.Size == 0 && c.Net == "lenet" && source.H != 28 && source.H != 32 {
		if source, err = dataset.LoadImages(c.Source, &dataset.ImageOptions{Size: 32, Tolerant: true}); err != nil {
			return nil, err
		}
	}
	// One size and colour for both: the larger colour depth, so that nothing
	// is lost.
	plain, err := dataset.LoadImages(c.Target, &dataset.ImageOptions{Size: source.H, Tolerant: true})
	if err != nil {
		return nil, err
	}
	channels := max(source.C, plain.C)
	if c.Net != "lenet" && channels == 1 {
		channels = 3 // what the ResNets take
	}
	target := plain
	if source.C != channels {
		if source, err = dataset.LoadImages(c.Source, &dataset.ImageOptions{Size: source.H, Channels: channels, Tolerant: true}); err != nil {
			return nil, err
		}
	}
	if target.C != channels {
		if target, err = dataset.LoadImages(c.Target, &dataset.ImageOptions{Size: source.H, Channels: channels, Tolerant: true}); err != nil {
			return nil, err
		}
	}
	notes := slices.Concat(source.LeftOut(), target.LeftOut())
	if c.Outliers != "" {
		if target, err = target.Mix(c.Outliers, c.Seed); err != nil {
			return nil, err
		}
	}
	if d.Source, err = train.FromImages(source); err != nil {
		return nil, err
	}
	d.Target, err = train.FromImages(target)
	return slices.Concat(notes, source.Notes, target.Notes), err
}

func (d *Domains) loadTables(c *Config) (notes []string, err error) {
	opts := c.tableOptions()
	both, err := dataset.LoadTogether([]string{c.Source, c.Target}, opts)
	if err != nil {
		return nil, err
	}
	source, target := both[0], both[1]
	if !opts.FileOrder {
		c.Encoding = source.Encoding
	}
	for _, t := range both {
		for _, note := range t.Notes {
			notes = append(notes, t.Name+": "+note)
		}
	}
	// The target may be without labels: that is what adaptation is for.
	if c.Label != "" && target.Labels == nil {
		notes = append(notes, fmt.Sprintf("%s has no column %s: nothing will say how right the predictions are", c.Target, c.Label))
	}
	if source.Points.Dim != target.Points.Dim {
		return nil, fmt.Errorf("da: %s has %d columns and %s has %d", c.Source, source.Points.Dim, c.Target, target.Points.Dim)
	}
	if c.Outliers != "" {
		if target, err = target.Mix(c.Outliers, opts, c.Seed); err != nil {
			return nil, err
		}
	}
	// Each domain by its own mean and deviation, as is usual for such
	// features: scale and offset are not what adaptation is about.
	if d.Source, err = train.FromTable(source, train.Standardize(source)); err != nil {
		return nil, err
	}
	d.Target, err = train.FromTable(target, train.Standardize(target))
	return notes, err
}

// tableOptions says how tables are read. A run that was begun before tables had
// encodings has its columns in the order of the files.
func (c *Config) tableOptions() *dataset.Options {
	return &dataset.Options{
		LabelColumn: c.Label, IDColumn: c.ID, Columns: c.Columns, Ignore: c.Ignore, Lenient: true, Header: c.Header, Missing: c.Missing, Scale: c.Scale, Clock: c.Clock,
		Encoding: c.Encoding, FileOrder: c.FileOrder || c.Encoding == nil && c.DataHash != "",
	}
}

// dropUnusedClasses renumbers the source's labels so that every class has a
// sample: class names may come from a larger set.
func (d *Domains) dropUnusedClasses() {
	s := d.Source
	used := make([]bool, len(s.ClassNames))
	for _, l := range s.Labels {
		used[l] = true
	}
	number := make([]int32, len(used))
	var names []string
	for k, u := range used {
		if u {
			number[k] = int32(len(names))
			names = append(names, s.ClassNames[k])
		}
	}
	labels := make([]int32, len(s.Labels))
	for i, l := range s.Labels {
		labels[i] = number[l]
	}
	s.Labels, s.ClassNames = labels, names
}

// known returns the source's class of each target sample, by name; see Domains.
func (d *Domains) known() []int32 {
	out := make([]int32, d.Target.N)
	for i := range out {
		out[i] = -1
		if d.Target.Labels == nil || d.Target.Outlier != nil && d.Target.Outlier[i] {
			continue
		}
		out[i] = int32(slices.Index(d.Source.ClassNames, d.Target.ClassNames[d.Target.Labels[i]]))
	}
	return out
}

// Foreign marks the target samples that do not belong: outliers that were mixed
// in, and those of classes that the source does not have. It is nil where
// nothing is known to be foreign.
func (d *Domains) Foreign() []bool {
	out := make([]bool, d.Target.N)
	some := false
	for i := range out {
		mixed := d.Target.Outlier != nil && d.Target.Outlier[i]
		out[i] = mixed || d.Target.Labels != nil && d.Known[i] < 0
		some = some || out[i]
	}
	if !some {
		return nil
	}
	return out
}
