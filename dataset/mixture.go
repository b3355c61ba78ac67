package dataset

import (
	"io"
	"slices"
	"strings"

	"rot.example/rot/table"
)

// A Mixture is a data set with known outliers in it, to be written to files.
type Mixture struct {
	Spec     string   `json:"spec"` // what reads the files; "" before Write
	N        int      `json:"n"`
	Outliers int      `json:"outliers"`
	Fraction float64  `json:"fraction"` // that was asked for
	Seed     uint64   `json:"seed"`
	Files    []string `json:"files"` // those that Write wrote
	Notes    []string `json:"notes"` // what was done on the way

	Dirt   string  `json:"-"` // where the outliers come from
	Images *Images `json:"-"` // or nil
	Rows   *Table  `json:"-"` // or nil
}

// MixOptions say how LoadMixture reads its data. The zero value is ready to use.
type MixOptions struct {
	Options     // of rows of numbers
	Size    int // that images are brought to; 0 leaves them as they are
	Seed    uint64
}

// LoadMixture reads a data set and replaces a part of it, at random places, by
// samples of another: mix is that other one, an @, and the part. Images must be
// square, as a stack holds them. opts may be nil.
func LoadMixture(data, mix string, opts *MixOptions) (*Mixture, error) {
	if opts == nil {
		opts = &MixOptions{}
	}
	dirt, fraction, err := ParseMix(mix)
	if err != nil {
		return nil, err
	}
	m := &Mixture{Fraction: fraction, Seed: opts.Seed, Dirt: dirt}
	if IsImages(data) {
		err = m.loadImages(data, mix, opts)
	} else {
		err = m.loadRows(data, mix, opts)
	}
	return m, err
}

func (m *Mixture) loadImages(data, mix string, opts *MixOptions) error {
	clean, err := LoadImages(data, &ImageOptions{Size: opts.Size})
	if err != nil {
		return err
	}
	if clean.H != clean.W {
		colour := "gray"
		if clean.C > 1 {
			colour = "RGB"
		}
		return fileError(data, "the images are %d×%d %s, and a stack holds square ones", clean.W, clean.H, colour).with(SetSquare)
	}
	if m.Images, err = clean.Mix(mix, opts.Seed); err != nil {
		return err
	}
	m.N, m.Outliers, m.Notes = m.Images.Len(), countMarked(m.Images.Outlier), append([]string{}, m.Images.Notes...)
	return nil
}

func (m *Mixture) loadRows(data, mix string, opts *MixOptions) error {
	clean, err := Load(data, &opts.Options)
	if err != nil {
		return err
	}
	if slices.Contains(clean.Columns, MarkColumn) {
		return fileError(data, "has a column %s already", MarkColumn).with(SetAside)
	}
	if m.Rows, err = clean.Mix(mix, &opts.Options, opts.Seed); err != nil {
		return err
	}
	m.N, m.Outliers, m.Notes = m.Rows.Points.Len(), countMarked(m.Rows.Outlier), []string{}
	for _, note := range m.Rows.Notes {
		// With indicators gaps are written as gaps.
		if e := m.Rows.Encoding; e == nil || e.Missing != table.MissingIndicator || !strings.HasPrefix(note, "missing cells filled in") {
			m.Notes = append(m.Notes, note)
		}
	}
	return nil
}

func countMarked(outlier []bool) (n int) {
	for _, o := range outlier {
		if o {
			n++
		}
	}
	return n
}

// MixtureFiles are the files of a Mixture below the name stem: the data, the
// labels and for images the outliers.
func MixtureFiles(stem string, images bool) []string {
	if images {
		return []string{stem + ".png", stem + "-labels.idx1.gz", stem + "-outliers.csv"}
	}
	return []string{stem + ".csv", stem + "-labels.csv"}
}

// Write writes the files of MixtureFiles, the labels only if there are any. Each
// is made by stage, which gets its path and what writes it.
func (m *Mixture) Write(files []string, stage func(path string, write func(io.Writer) error) error) error {
	write := func(path string, f func(io.Writer) error) error {
		m.Files = append(m.Files, path)
		return stage(path, f)
	}
	m.Spec = files[0]
	if m.Rows != nil {
		if err := write(files[0], m.Rows.WriteMarked); err != nil || m.Rows.Labels == nil {
			return err
		}
		return write(files[1], m.Rows.WriteLabels)
	}
	m.Spec = "stack:" + files[0]
	if err := write(files[0], m.Images.WriteStack); err != nil {
		return err
	}
	if m.Images.Labels != nil {
		m.Spec += "," + files[1]
		if err := write(files[1], m.Images.WriteLabels); err != nil {
			return err
		}
	}
	return write(files[2], m.Images.WriteMarks)
}
