package gan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"

	"rot/dataset"
)

// Load reads the data that c names, mixes in its outliers, and sets the fields
// of c that the data decide. c.Size, if not 0, is the size wanted. The notes
// say what was done to the data on the way.
func Load(c *Config, labels bool) (*Data, []string, error) {
	var data *Data
	var notes []string
	var err error
	if dataset.IsImages(c.Data) {
		data, notes, err = loadImages(c)
	} else {
		data, err = loadTable(c)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := data.Fit(c, labels); err != nil {
		return nil, nil, err
	}
	sum := data.hash()
	if c.DataHash != "" && c.DataHash != sum {
		return nil, nil, fmt.Errorf("gan: %s is not what it was when the run began", c.Data)
	}
	c.DataHash = sum
	return data, notes, nil
}

func loadImages(c *Config) (*Data, []string, error) {
	im, err := dataset.LoadImages(c.Data, &dataset.ImageOptions{Size: c.Size})
	if err != nil {
		return nil, nil, err
	}
	// Sizes that no network is for become 32 pixels.
	if fits := im.H == im.W && (im.H == 32 || im.H == 28 && c.Preset == "tiny" || im.H == 64 && c.Preset != "tiny"); c.Size == 0 && !fits {
		if im, err = dataset.LoadImages(c.Data, &dataset.ImageOptions{Size: 32}); err != nil {
			return nil, nil, err
		}
	}
	if c.Outliers != "" {
		if im, err = im.Mix(c.Outliers, c.Seed); err != nil {
			return nil, nil, err
		}
	}
	data, err := FromImages(im)
	return data, im.Notes, err
}

func loadTable(c *Config) (*Data, error) {
	t, err := dataset.Load(c.Data, nil)
	if err != nil {
		return nil, err
	}
	if c.Outliers != "" {
		if t, err = t.Mix(c.Outliers, nil, c.Seed); err != nil {
			return nil, err
		}
	}
	return FromTable(t)
}

// hash tells data sets apart, by all that a run makes of them.
func (d *Data) hash() string {
	h := sha256.New()
	ints(h, d.n)
	ints(h, d.shape...)
	h.Write(d.raw)
	for _, v := range d.points {
		ints(h, int(math.Float32bits(v)))
	}
	for j := range d.at {
		ints(h, int(math.Float64bits(d.at[j])), int(math.Float64bits(d.unit[j])))
	}
	ints(h, len(d.labels))
	for _, l := range d.labels {
		ints(h, int(l))
	}
	for i, o := range d.outlier {
		if o {
			ints(h, i)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func ints(h hash.Hash, values ...int) {
	var b [8]byte
	for _, v := range values {
		binary.LittleEndian.PutUint64(b[:], uint64(v))
		h.Write(b[:])
	}
}
