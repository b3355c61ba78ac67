package gan

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"rot/dataset"
	"rot/ot"
)

func table(rows ...[]float64) *dataset.Table {
	t := &dataset.Table{Name: "rows", Points: ot.Points{Dim: len(rows[0])}}
	for _, r := range rows {
		t.Points.Coords = append(t.Points.Coords, r...)
	}
	return t
}

func mustFromTable(t testing.TB, tab *dataset.Table) *Data {
	t.Helper()
	d, err := FromTable(tab)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestFromTable: columns are centred at their median and scaled by 1.4826
// times the median of the distances from it. A single outlier moves neither.
func TestFromTable(t *testing.T) {
	// Distances from the medians 3 and 20: 2, 1, 0, 1, 1e6 and 0, 0, 0, 1, 1.
	d := mustFromTable(t, table([]float64{1, 20}, []float64{2, 20}, []float64{3, 20}, []float64{4, 21}, []float64{1_000_003, 19}))
	if d.Len() != 5 || !slices.Equal(d.shape, []int{2}) {
		t.Errorf("%d samples of shape %v", d.Len(), d.shape)
	}
	// More than half of the second column is one number, which has no spread.
	if !slices.Equal(d.at, []float64{3, 20}) || !slices.Equal(d.unit, []float64{1.4826, 1}) {
		t.Errorf("centre %v, unit %v", d.at, d.unit)
	}
	want := []float64{-2 / 1.4826, 0, -1 / 1.4826, 0, 0, 0, 1 / 1.4826, 1, 1e6 / 1.4826, -1}
	if got := wide(tensors.MustCopyFlatData[float32](d.values)); !near(got, want, 0.1) || !near(got[:8], want[:8], 1e-6) {
		t.Errorf("trained on %v, want %v", got, want)
	}
	if got := d.Points(); !near(got, []float64{1, 20, 2, 20, 3, 20, 4, 21, 1_000_003, 19}, 0.1) {
		t.Errorf("the points come back as %v", got)
	}
	if d.Image(0) != nil || d.Outlier() != nil || d.IDs() != nil || d.ID(3) != "3" || d.Classes() != 0 {
		t.Error("there are images, outliers, names or classes")
	}
	// An even number of rows: the medians lie between two.
	d = mustFromTable(t, table([]float64{1}, []float64{3}, []float64{5}, []float64{11}))
	if d.at[0] != 4 || d.unit[0] != 1.4826*2 {
		t.Errorf("centre %v, unit %v, want 4 and twice 1.4826", d.at, d.unit)
	}
}

func TestFromTableLabels(t *testing.T) {
	tab := table([]float64{1}, []float64{2}, []float64{4})
	tab.Labels, tab.Points.IDs = []string{"red", "blue", "red"}, []string{"a", "b", "c"}
	d := mustFromTable(t, tab)
	if !slices.Equal(d.labels, []int32{1, 0, 1}) || d.Classes() != 2 || d.ID(1) != "b" {
		t.Errorf("labels %v, %d classes, second id %s", d.labels, d.Classes(), d.ID(1))
	}
}

func TestFromTableErrors(t *testing.T) {
	if _, err := FromTable(&dataset.Table{}); err == nil || err.Error() != "gan: there are no points" {
		t.Errorf("no points: %v", err)
	}
	_, err := FromTable(table([]float64{1, 0}, []float64{2, 0}, []float64{3, 1e300}))
	want := "rows: row 2, column 1: 1e+300 is too far from the others, whose median is 0 (rows and columns count from 0)"
	var in *dataset.InputError
	if !errors.As(err, &in) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := FromTable(table([]float64{math.MaxFloat64}, []float64{-math.MaxFloat64}, []float64{-math.MaxFloat64})); err == nil {
		t.Error("numbers whose difference overflows are taken")
	}
}

func images(h, w, c int, pix ...uint8) *dataset.Images {
	return &dataset.Images{Name: "pixels", H: h, W: w, C: c, Pix: pix}
}

func TestFromImages(t *testing.T) {
	im := images(1, 1, 3, 1, 2, 3, 4, 5, 6)
	im.Labels, im.Classes, im.Outlier, im.IDs = []int32{1, 0}, 2, []bool{false, true}, []string{"a.png", "b.png"}
	d, err := FromImages(im)
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() != 2 || !slices.Equal(d.shape, []int{1, 1, 3}) || !slices.Equal(d.values.Shape().Dimensions, []int{2, 1, 1, 3}) {
		t.Errorf("%d samples of shape %v", d.Len(), d.shape)
	}
	if !slices.Equal(d.Image(1), []uint8{4, 5, 6}) || !slices.Equal(d.Outlier(), im.Outlier) || d.ID(1) != "b.png" || d.Classes() != 2 || d.Points() != nil {
		t.Errorf("image %v, outliers %v, id %s, %d classes, points %v", d.Image(1), d.Outlier(), d.ID(1), d.Classes(), d.Points())
	}
	if _, err := FromImages(images(2, 2, 1)); err == nil || err.Error() != "gan: there are no images" {
		t.Errorf("no images: %v", err)
	}
	if _, err := FromImages(images(1, 2, 1, 1, 2)); err == nil || err.Error() != "gan: images are 1×2 pixels and must be square" {
		t.Errorf("not square: %v", err)
	}
}

// TestSamplesUnits: what the generator makes comes back in the data's units.
func TestSamplesUnits(t *testing.T) {
	d := &Data{shape: []int{2}, at: []float64{10, -1}, unit: []float64{2, 0.5}}
	s := d.samples([]float32{0, 0, 1, -2})
	if s.Images != nil || s.Dim != 2 || !slices.Equal(s.Points, []float64{10, -1, 12, -2}) {
		t.Errorf("got %+v", s)
	}
	var b bytes.Buffer
	if err := s.WriteCSV(&b); err != nil || b.String() != "10,-1\n12,-2\n" {
		t.Errorf("%v: wrote %q", err, b.String())
	}
	// Level k is the numbers from k/128 − 1 up to the next level.
	d = &Data{shape: []int{1, 1, 1}}
	s = d.samples([]float32{-1, -1 + 1.0/256, -1 + 1.0/128, 0, 1 - 1.0/256, 1, 5, -5})
	if s.Points != nil || s.Images.Len() != 8 || !slices.Equal(s.Images.Pix, []uint8{0, 0, 1, 128, 255, 255, 255, 0}) {
		t.Errorf("got %+v", s.Images)
	}
}

// TestNewErrors: data that the configuration is not for.
func TestNewErrors(t *testing.T) {
	c, d := eightConfig(t, nil)
	for _, tt := range []struct {
		name   string
		change func(c *Config)
		want   string
	}{
		{"classes", func(c *Config) { c.Classes = 3 }, "gan: the configuration has 3 classes and the data 8"},
		{"dimension", func(c *Config) { c.Channels = 3 }, "gan: the configuration is for samples of shape [3], and the data have [2]"},
		{"images", func(c *Config) { c.Preset, c.Size = "tiny", 28 }, "gan: the configuration is for samples of shape [28 28 2], and the data have [2]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := c
			tt.change(&c)
			if _, err := New(c, d, testBackend(t)); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
