package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gomlx/gomlx/core/tensors"

	"rot/dataset"
)

// Data are samples in the form that graphs take: images as bytes [N,H,W,C], or
// rows of float32 [N,D].
type Data struct {
	N          int
	Shape      []int           // of one sample: [H,W,C] or [D]
	Values     *tensors.Tensor // [N,…]
	Labels     []int32         // nil where there are none
	ClassNames []string        // by label
	Outlier    []bool          // which samples were mixed in; nil when none were
	IDs        []string        // nil: the index is the id
	Pix        []uint8         // the images
	Rows       []float32       // or the rows, which are (x − Centre)/Unit
	Scaling
}

// A Scaling maps each column of a table to a range that networks like.
type Scaling struct {
	Centre, Unit []float64

	centre string // what Centre is: the median or the mean
}

// Undo returns rows in the units that they had before.
func (s Scaling) Undo(rows []float32) []float64 {
	out := make([]float64, len(rows))
	for i, v := range rows {
		j := i % len(s.Unit)
		out[i] = float64(v)*s.Unit[j] + s.Centre[j]
	}
	return out
}

// FromImages returns images as Data.
func FromImages(im *dataset.Images) (*Data, error) {
	n := im.Len()
	if n == 0 {
		return nil, errors.New("train: there are no images")
	}
	if im.H != im.W {
		return nil, fmt.Errorf("train: images are %d×%d pixels and must be square", im.H, im.W)
	}
	d := &Data{
		N: n, Shape: []int{im.H, im.W, im.C},
		Values: tensors.FromFlatDataAndDimensions(im.Pix, n, im.H, im.W, im.C),
		Labels: im.Labels, Outlier: im.Outlier, IDs: im.IDs, Pix: im.Pix,
	}
	if im.Labels != nil {
		d.ClassNames = slices.Clip(im.ClassNames)
		for k := len(d.ClassNames); k < im.Classes; k++ {
			d.ClassNames = append(d.ClassNames, strconv.Itoa(k))
		}
	}
	return d, nil
}

// FromTable returns the rows of a table, scaled, as Data.
func FromTable(t *dataset.Table, scale Scaling) (*Data, error) {
	p := &t.Points
	n, dim := len(p.Coords)/max(1, p.Dim), p.Dim
	if n == 0 {
		return nil, errors.New("train: there are no rows")
	}
	if dim != len(scale.Unit) {
		return nil, &dataset.InputError{File: t.Name, Row: -1, Msg: fmt.Sprintf("has %d columns, and %d were expected", dim, len(scale.Unit))}
	}
	d := &Data{N: n, Shape: []int{dim}, Outlier: t.Outlier, IDs: p.IDs, Rows: make([]float32, n*dim), Scaling: scale}
	for i, v := range p.Coords {
		j := i % dim
		x := float32((v - scale.Centre[j]) / scale.Unit[j])
		if !(math.Abs(float64(x)) <= math.MaxFloat32) {
			return nil, &dataset.InputError{
				File: t.Name, Row: i / dim, Column: strconv.Itoa(j),
				Msg: fmt.Sprintf("%g is too far from the others, whose %s is %g (rows and columns count from 0)", v, cmp.Or(scale.centre, "centre"), scale.Centre[j]),
			}
		}
		d.Rows[i] = x
	}
	d.Values = tensors.FromFlatDataAndDimensions(d.Rows, n, dim)
	d.ClassNames, d.Labels = t.Classes()
	return d, nil
}

// RobustScaling centres each column at its median and divides by its median
// absolute deviation, which a few outliers do not move.
func RobustScaling(t *dataset.Table) Scaling {
	return scaling([]*dataset.Table{t}, "median", func(x []float64) (centre, unit float64) {
		centre = median(x)
		for i := range x {
			x[i] = math.Abs(x[i] - centre)
		}
		return centre, 1.4826 * median(x) // the standard deviation of a normal sample
	})
}

// Standardize gives each column of all tables together mean 0 and standard
// deviation 1.
func Standardize(ts ...*dataset.Table) Scaling {
	return scaling(ts, "mean", func(x []float64) (mean, sd float64) {
		for _, v := range x {
			mean += v / float64(len(x))
		}
		for _, v := range x {
			sd += (v - mean) * (v - mean) / float64(len(x))
		}
		return mean, math.Sqrt(sd)
	})
}

func scaling(ts []*dataset.Table, name string, measure func(column []float64) (centre, unit float64)) Scaling {
	dim := ts[0].Points.Dim
	s := Scaling{make([]float64, dim), make([]float64, dim), name}
	var column []float64
	for j := range dim {
		column = column[:0]
		for _, t := range ts {
			for i := j; i < len(t.Points.Coords); i += t.Points.Dim {
				column = append(column, t.Points.Coords[i])
			}
		}
		if len(column) > 0 {
			s.Centre[j], s.Unit[j] = measure(column)
		}
		if !(s.Unit[j] > 0) {
			s.Unit[j] = 1
		}
	}
	return s
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	m := len(s) / 2
	if len(s)%2 == 1 {
		return s[m]
	}
	return (s[m-1] + s[m]) / 2
}

// ID is the name of sample i.
func (d *Data) ID(i int) string {
	if d.IDs == nil {
		return strconv.Itoa(i)
	}
	return d.IDs[i]
}

// Image is sample i as pixels [H,W,C]; nil where the data are rows.
func (d *Data) Image(i int) []uint8 {
	if d.Pix == nil {
		return nil
	}
	size := d.Shape[0] * d.Shape[1] * d.Shape[2]
	return d.Pix[i*size : (i+1)*size]
}

// Points are the rows in their own units; nil where the data are images.
func (d *Data) Points() []float64 {
	if d.Rows == nil {
		return nil
	}
	return d.Undo(d.Rows)
}
