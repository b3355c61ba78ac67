package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/median"
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

// A Scaling maps each column x of a table to (x − Centre)/Unit, which is of the
// size that networks are made for.
type Scaling struct {
	Centre, Unit []float64

	centre string // for errors: whether Centre is the median or the mean
}

// Undo returns scaled rows in the units of the table.
func (s Scaling) Undo(rows []float32) []float64 {
	out := make([]float64, len(rows))
	for i, v := range rows {
		j := i % len(s.Unit)
		out[i] = float64(v)*s.Unit[j] + s.Centre[j]
	}
	return out
}

// Rescale brings the rows of d to other units, such as those of the data that a
// model was trained on.
func (d *Data) Rescale(s Scaling) error {
	if len(s.Unit) != len(d.Unit) || len(s.Centre) != len(d.Unit) {
		return fmt.Errorf("train: %d columns, and %d were expected", len(d.Unit), len(s.Unit))
	}
	if slices.Equal(s.Unit, d.Unit) && slices.Equal(s.Centre, d.Centre) {
		return nil
	}
	dim := len(s.Unit)
	for i, v := range d.Undo(d.Rows) {
		x := float32((v - s.Centre[i%dim]) / s.Unit[i%dim])
		if !(math.Abs(float64(x)) <= math.MaxFloat32) {
			return fmt.Errorf("train: row %d, column %d: %g is too far from what the model was trained on (rows count from 0, columns from 1)", i/dim, i%dim+1, v)
		}
		d.Rows[i] = x
	}
	d.Scaling = s
	d.Values = tensors.FromFlatDataAndDimensions(d.Rows, d.N, dim)
	return nil
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
				File: t.Name, Row: i / dim, Column: columnName(t, j),
				Msg: fmt.Sprintf("%g is too far from the others, whose %s is %g (rows count from 0, columns from 1)", v, cmp.Or(scale.centre, "centre"), scale.Centre[j]),
			}
		}
		d.Rows[i] = x
	}
	d.Values = tensors.FromFlatDataAndDimensions(d.Rows, n, dim)
	d.ClassNames, d.Labels = t.Classes()
	return d, nil
}

// columnName is how messages call column j: by its quoted name, or by its number
// from 1.
func columnName(t *dataset.Table, j int) string {
	if j < len(t.Columns) {
		return strconv.Quote(t.Columns[j])
	}
	return strconv.Itoa(j + 1)
}

// RobustScaling centres each column at its median and divides by its median
// absolute deviation, which a few outliers do not move.
func RobustScaling(t *dataset.Table) Scaling {
	dim := t.Points.Dim
	s := newScaling(dim, "median")
	column := make([]float64, t.Points.Len())
	for j := range dim {
		for i := range column {
			column[i] = t.Points.Row(i)[j]
		}
		if len(column) > 0 {
			s.Centre[j] = median.Of(column)
		}
		for i, v := range column {
			column[i] = math.Abs(v - s.Centre[j])
		}
		unit := 0.0
		if len(column) > 0 {
			unit = 1.4826 * median.Of(column) // the standard deviation of a normal sample
		}
		s.setUnit(j, unit)
	}
	return s
}

// Standardize gives each column mean 0 and standard deviation 1 over the rows
// that do not lie far out: a few rows of garbage would otherwise decide the
// units of all.
func Standardize(t *dataset.Table) Scaling {
	return standardize(t, nearRows(t))
}

// nearRows returns all rows but those that lie far out in more than a tenth of their
// columns. Far out in a column is four times the range of the middle 60 % away
// from it: 8 standard deviations of normal values. A column in which that range
// is 0, such as a word count, is no witness.
func nearRows(t *dataset.Table) (near []int) {
	dim, n := t.Points.Dim, t.Points.Len()
	far := make([]int, n)
	sorted := make([]float64, n)
	for j := range dim {
		for i := range n {
			sorted[i] = t.Points.Row(i)[j]
		}
		slices.Sort(sorted)
		low, high := sorted[n/5], sorted[n-1-n/5]
		reach := 4 * (high - low)
		for i := range n {
			if v := t.Points.Row(i)[j]; reach > 0 && (v < low-reach || v > high+reach) {
				far[i]++
			}
		}
	}
	for i, columns := range far {
		if columns <= dim/10 {
			near = append(near, i)
		}
	}
	return near
}

// standardize measures the mean and the deviation of some rows.
func standardize(t *dataset.Table, rows []int) Scaling {
	s := newScaling(t.Points.Dim, "mean")
	n := float64(len(rows))
	for _, i := range rows {
		for j, v := range t.Points.Row(i) {
			s.Centre[j] += v / n
		}
	}
	for _, i := range rows {
		for j, v := range t.Points.Row(i) {
			s.Unit[j] += (v - s.Centre[j]) * (v - s.Centre[j]) / n
		}
	}
	for j, v := range s.Unit {
		s.setUnit(j, math.Sqrt(v))
	}
	return s
}

func newScaling(dim int, centre string) Scaling {
	return Scaling{make([]float64, dim), make([]float64, dim), centre}
}

// setUnit sets the unit of a column; one that does not vary keeps its own.
func (s *Scaling) setUnit(j int, unit float64) {
	if s.Unit[j] = unit; !(unit > 0) {
		s.Unit[j] = 1
	}
}

// ID returns the name of sample i.
func (d *Data) ID(i int) string {
	if d.IDs == nil {
		return strconv.Itoa(i)
	}
	return d.IDs[i]
}

// Image returns the pixels [H,W,C] of sample i; nil where the data are rows.
func (d *Data) Image(i int) []uint8 {
	if d.Pix == nil {
		return nil
	}
	size := d.Shape[0] * d.Shape[1] * d.Shape[2]
	return d.Pix[i*size : (i+1)*size]
}

// Points returns the rows in their own units; nil where the data are images.
func (d *Data) Points() []float64 {
	if d.Rows == nil {
		return nil
	}
	return d.Undo(d.Rows)
}
