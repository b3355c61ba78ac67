package gan

import (
	"bufio"
	"errors"
	"io"
	"math"
	"strconv"

	"rot.example/rot/dataset"
	"rot.example/rot/table"
	"rot.example/rot/train"
)

// Fit sets the fields of c that the data decide: Size, Channels, Centre, Unit
// and, for a conditional GAN, Classes. It is conditional if c.Labels asks for it,
// or if c has classes already, as that of a run which is resumed.
func (c *Config) Fit(d *train.Data) error {
	c.Size, c.Channels = 0, d.Shape[0]
	c.Centre, c.Unit = d.Centre, d.Unit
	if len(d.Shape) == 1 {
		c.Noise = max(c.Noise, d.Shape[0]) // fewer dimensions cannot fill the space
	}
	if len(d.Shape) == 3 {
		c.Size, c.Channels = d.Shape[0], d.Shape[2]
	}
	if c.Labels || c.Classes > 0 {
		if c.Classes = len(d.ClassNames); c.Classes == 0 {
			return errors.New("gan: a conditional GAN needs labels, and the data have none")
		}
	}
	return nil
}

// Blank returns data of the kind that c was trained on, with nothing in it:
// enough to sample from a trained generator.
func Blank(c *Config) *train.Data {
	d := &train.Data{
		N: 1, Shape: []int{c.Channels}, ClassNames: make([]string, c.Classes),
		Scaling: train.Scaling{Centre: c.Centre, Unit: c.Unit},
	}
	if c.Size > 0 {
		d.Shape = []int{c.Size, c.Size, c.Channels}
	}
	return d
}

// Samples are the output of a generator: images or points; the other is nil.
type Samples struct {
	Images *dataset.Images
	Points []float64 // rows of Dim
	Dim    int

	Encoding *table.Encoding // that makes points of a table's columns; nil when they were numbers without names
}

// samples turns the generator's output into what the data look like.
func samples(d *train.Data, flat []float32) *Samples {
	if len(d.Shape) == 1 {
		return &Samples{Points: d.Undo(flat), Dim: d.Shape[0]}
	}
	im := &dataset.Images{Name: "samples", H: d.Shape[0], W: d.Shape[1], C: d.Shape[2], Pix: make([]uint8, len(flat))}
	for i, v := range flat {
		im.Pix[i] = uint8(min(max(math.Floor(float64(v+1)*128), 0), 255))
	}
	return &Samples{Images: im}
}

// WriteCSV writes the points of s, one a line: as the columns of the table that
// they were learned from, where there was one.
func (s *Samples) WriteCSV(w io.Writer) error {
	if s.Encoding != nil && s.Encoding.Dim() == s.Dim {
		return s.Encoding.Decode(s.Points).WriteCSV(w)
	}
	out := bufio.NewWriter(w)
	for i, v := range s.Points {
		out.WriteString(strconv.FormatFloat(v, 'g', 9, 64))
		if (i+1)%s.Dim == 0 {
			out.WriteByte('\n')
		} else {
			out.WriteByte(',')
		}
	}
	return out.Flush()
}
