package gan

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/gomlx/gomlx/core/tensors"

	"rot/dataset"
)

// Data is what a GAN learns from: images or points.
type Data struct {
	n        int
	shape    []int // of one sample: [H,W,C] or [D]
	values   *tensors.Tensor
	labels   []int32
	classes  int
	outlier  []bool
	ids      []string
	raw      []uint8   // the images' pixels
	points   []float32 // or the points
	at, unit []float64 // which are (x − at)/unit
}

// FromImages returns the images as training data.
func FromImages(im *dataset.Images) (*Data, error) {
	n := im.Len()
	if n == 0 {
		return nil, errors.New("gan: there are no images")
	}
	if im.H != im.W {
		return nil, fmt.Errorf("gan: images are %d×%d pixels and must be square", im.H, im.W)
	}
	return &Data{
		n: n, shape: []int{im.H, im.W, im.C},
		values: tensors.FromFlatDataAndDimensions(im.Pix, n, im.H, im.W, im.C),
		labels: im.Labels, classes: im.Classes, outlier: im.Outlier, ids: im.IDs, raw: im.Pix,
	}, nil
}

// FromTable returns the rows of a table as training data. Each column is
// centred at its median and scaled by its median absolute deviation, which a
// few outliers do not move; samples come back in the table's units.
func FromTable(t *dataset.Table) (*Data, error) {
	p := &t.Points
	n, d := len(p.Coords)/max(1, p.Dim), p.Dim
	if n == 0 {
		return nil, errors.New("gan: there are no points")
	}
	data := &Data{n: n, shape: []int{d}, outlier: t.Outlier, ids: p.IDs, at: make([]float64, d), unit: make([]float64, d)}
	x := make([]float32, n*d)
	column := make([]float64, n)
	for j := range d {
		for i := range n {
			column[i] = p.Coords[i*d+j]
		}
		data.at[j] = median(column)
		for i := range n {
			column[i] = math.Abs(p.Coords[i*d+j] - data.at[j])
		}
		data.unit[j] = 1.4826 * median(column) // the standard deviation of a normal sample
		if data.unit[j] == 0 {
			data.unit[j] = 1
		}
		for i := range n {
			v := float32((p.Coords[i*d+j] - data.at[j]) / data.unit[j])
			if !(math.Abs(float64(v)) <= math.MaxFloat32) {
				return nil, &dataset.InputError{
					File: t.Name, Row: i, Column: strconv.Itoa(j),
					Msg: fmt.Sprintf("%g is too far from the others, whose median is %g (rows and columns count from 0)", p.Coords[i*d+j], data.at[j]),
				}
			}
			x[i*d+j] = v
		}
	}
	data.values, data.points = tensors.FromFlatDataAndDimensions(x, n, d), x
	data.labels, data.classes = number(t.Labels)
	return data, nil
}

// number counts the classes of labels and gives each a number, in their order
// as texts.
func number(labels []string) ([]int32, int) {
	if labels == nil {
		return nil, 0
	}
	names := slices.Compact(slices.Sorted(slices.Values(labels)))
	out := make([]int32, len(labels))
	for i, l := range labels {
		k, _ := slices.BinarySearch(names, l)
		out[i] = int32(k)
	}
	return out, len(names)
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	m := len(s) / 2
	if len(s)%2 == 1 {
		return s[m]
	}
	return (s[m-1] + s[m]) / 2
}

// Len is the number of samples.
func (d *Data) Len() int { return d.n }

// Classes is the number of classes, 0 where the data have no labels.
func (d *Data) Classes() int { return d.classes }

// Outlier says which samples were mixed in; nil when none were.
func (d *Data) Outlier() []bool { return d.outlier }

// ID is the name of sample i.
func (d *Data) ID(i int) string {
	if d.ids == nil {
		return fmt.Sprint(i)
	}
	return d.ids[i]
}

// IDs are the names of the samples; nil where they are numbers.
func (d *Data) IDs() []string { return d.ids }

// Image is sample i as pixels [H,W,C]; nil where the data are points.
func (d *Data) Image(i int) []uint8 {
	if d.raw == nil {
		return nil
	}
	size := d.shape[0] * d.shape[1] * d.shape[2]
	return d.raw[i*size : (i+1)*size]
}

// Points are the data in their own units, row by row; nil for images.
func (d *Data) Points() []float64 {
	if d.points == nil {
		return nil
	}
	return d.samples(d.points).Points
}

// Fit sets the fields of c that the data decide: Size, Channels and, for a
// conditional GAN, Classes.
func (d *Data) Fit(c *Config, labels bool) error {
	c.Size, c.Channels = 0, d.shape[0]
	c.Centre, c.Unit = d.at, d.unit
	if len(d.shape) == 1 {
		c.Noise = max(c.Noise, d.shape[0]) // fewer dimensions cannot fill the space
	}
	if len(d.shape) == 3 {
		c.Size, c.Channels = d.shape[0], d.shape[2]
	}
	c.Classes = 0
	if labels {
		if c.Classes = d.classes; c.Classes == 0 {
			return errors.New("gan: a conditional GAN needs labels, and the data have none")
		}
	}
	return nil
}

// Blank is data of the kind that c was trained on, with nothing in it: enough
// to sample from a trained generator.
func Blank(c *Config) *Data {
	d := &Data{n: 1, shape: []int{c.Channels}, classes: c.Classes, at: c.Centre, unit: c.Unit}
	if c.Size > 0 {
		d.shape = []int{c.Size, c.Size, c.Channels}
	}
	return d
}

// Samples are what a generator makes: images or points, one of them nil.
type Samples struct {
	Images *dataset.Images
	Points []float64 // rows of Dim
	Dim    int
}

// samples turns the generator's output into what the data look like.
func (d *Data) samples(flat []float32) *Samples {
	if len(d.shape) == 1 {
		s := &Samples{Points: make([]float64, len(flat)), Dim: d.shape[0]}
		for i, v := range flat {
			j := i % s.Dim
			s.Points[i] = float64(v)*d.unit[j] + d.at[j]
		}
		return s
	}
	im := &dataset.Images{Name: "samples", H: d.shape[0], W: d.shape[1], C: d.shape[2], Pix: make([]uint8, len(flat))}
	for i, v := range flat {
		im.Pix[i] = uint8(min(max(math.Floor(float64(v+1)*128), 0), 255))
	}
	return &Samples{Images: im}
}

// WriteCSV writes points, one a line.
func (s *Samples) WriteCSV(w io.Writer) error {
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
