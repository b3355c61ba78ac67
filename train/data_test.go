package train

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
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
	d, err := FromTable(tab, RobustScaling(tab))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestRobustScaling: columns are centred at their median and scaled by 1.4826
// times the median of the distances from it. A single outlier moves neither.
func TestRobustScaling(t *testing.T) {
	// Distances from the medians 3 and 20: 2, 1, 0, 1, 1e6 and 0, 0, 0, 1, 1.
	tab := table([]float64{1, 20}, []float64{2, 20}, []float64{3, 20}, []float64{4, 21}, []float64{1_000_003, 19})
	d := mustFromTable(t, tab)
	if d.N != 5 || !slices.Equal(d.Shape, []int{2}) {
		t.Errorf("%d samples of shape %v", d.N, d.Shape)
	}
	// More than half of the second column is one number, which has no spread.
	if !slices.Equal(d.Centre, []float64{3, 20}) || !slices.Equal(d.Unit, []float64{1.4826, 1}) {
		t.Errorf("centre %v, unit %v", d.Centre, d.Unit)
	}
	want := []float64{-2 / 1.4826, 0, -1 / 1.4826, 0, 0, 0, 1 / 1.4826, 1, 1e6 / 1.4826, -1}
	for i, v := range tensors.MustCopyFlatData[float32](d.Values) {
		if math.Abs(float64(v)-want[i]) > 1e-6*max(1, math.Abs(want[i])) {
			t.Errorf("trained on %v instead of %v at %d", v, want[i], i)
		}
	}
	for i, v := range d.Points() {
		if math.Abs(v-tab.Points.Coords[i]) > 0.1 {
			t.Errorf("%v comes back as %v", tab.Points.Coords[i], v)
		}
	}
	if d.Image(0) != nil || d.Outlier != nil || d.IDs != nil || d.ID(3) != "3" || d.ClassNames != nil {
		t.Error("there are images, outliers, names or classes")
	}
	// An even number of rows: the medians lie between two.
	d = mustFromTable(t, table([]float64{1}, []float64{3}, []float64{5}, []float64{11}))
	if d.Centre[0] != 4 || d.Unit[0] != 1.4826*2 {
		t.Errorf("centre %v, unit %v, want 4 and twice 1.4826", d.Centre, d.Unit)
	}
}

func TestFromTableLabels(t *testing.T) {
	tab := table([]float64{1}, []float64{2}, []float64{4})
	tab.Labels, tab.Points.IDs = []string{"red", "blue", "red"}, []string{"a", "b", "c"}
	d := mustFromTable(t, tab)
	if !slices.Equal(d.Labels, []int32{1, 0, 1}) || !slices.Equal(d.ClassNames, []string{"blue", "red"}) || d.ID(1) != "b" {
		t.Errorf("labels %v, classes %q, second id %s", d.Labels, d.ClassNames, d.ID(1))
	}
}

func TestFromTableErrors(t *testing.T) {
	for _, empty := range []*dataset.Table{{}, {Points: ot.Points{Dim: 2}}} {
		if _, err := FromTable(empty, RobustScaling(empty)); err == nil || err.Error() != "train: there are no rows" {
			t.Errorf("no rows: %v", err)
		}
	}
	far := table([]float64{1, 0}, []float64{2, 0}, []float64{3, 1e300})
	_, err := FromTable(far, RobustScaling(far))
	want := "rows: row 2, column 2: 1e+300 is too far from the others, whose median is 0 (rows count from 0, columns from 1)"
	var in *dataset.InputError
	if !errors.As(err, &in) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	wide := table([]float64{math.MaxFloat64}, []float64{-math.MaxFloat64}, []float64{-math.MaxFloat64})
	if _, err := FromTable(wide, RobustScaling(wide)); err == nil {
		t.Error("numbers whose difference overflows are taken")
	}
	if _, err := FromTable(far, RobustScaling(wide)); err == nil || err.Error() != "rows: has 2 columns, and 1 were expected" {
		t.Errorf("the scaling of another table: %v", err)
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
	if d.N != 2 || !slices.Equal(d.Shape, []int{1, 1, 3}) || !slices.Equal(d.Values.Shape().Dimensions, []int{2, 1, 1, 3}) {
		t.Errorf("%d samples of shape %v", d.N, d.Shape)
	}
	if !slices.Equal(d.Image(1), []uint8{4, 5, 6}) || !slices.Equal(d.Outlier, im.Outlier) || d.ID(1) != "b.png" || !slices.Equal(d.ClassNames, []string{"0", "1"}) || d.Points() != nil {
		t.Errorf("image %v, outliers %v, id %s, classes %q, points %v", d.Image(1), d.Outlier, d.ID(1), d.ClassNames, d.Points())
	}
	if _, err := FromImages(images(2, 2, 1)); err == nil || err.Error() != "train: there are no images" {
		t.Errorf("no images: %v", err)
	}
	if _, err := FromImages(images(1, 2, 1, 1, 2)); err == nil || err.Error() != "train: images are 1×2 pixels and must be square" {
		t.Errorf("not square: %v", err)
	}
}

// TestClassNames: names of classes that the images do not list are numbers,
// and the list of the images stays theirs.
func TestClassNames(t *testing.T) {
	names := append(make([]string, 0, 9), "zero", "one")
	im := images(1, 1, 1, 7)
	im.Labels, im.Classes, im.ClassNames = []int32{3}, 4, names
	d, err := FromImages(im)
	if err != nil || !slices.Equal(d.ClassNames, []string{"zero", "one", "2", "3"}) || names[:3][2] != "" {
		t.Errorf("%v: classes %q of %q", err, d.ClassNames, names[:3])
	}
	im.Labels = nil
	if d, err := FromImages(im); err != nil || d.ClassNames != nil {
		t.Errorf("%v: classes without labels", err)
	}
}

// TestStandardize: mean 0 and standard deviation 1, by hand.
func TestStandardize(t *testing.T) {
	s := Standardize(table([]float64{1, 7}, []float64{3, 7}, []float64{7, 7}, []float64{5, 7}))
	// Squares of the distances from 4: 9, 1, 9, 1. The second column has no spread.
	if !slices.Equal(s.Centre, []float64{4, 7}) || !slices.Equal(s.Unit, []float64{math.Sqrt(5), 1}) {
		t.Errorf("centre %v, unit %v", s.Centre, s.Unit)
	}
	if got := s.Undo([]float32{0, 0, 2, -3}); !slices.Equal(got, []float64{4, 7, 4 + 2*math.Sqrt(5), 4}) {
		t.Errorf("in the tables' units %v", got)
	}
}

// TestStandardizeFar: rows far out do not count, however far and in whatever
// column; where there are none, all rows do.
func TestStandardizeFar(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var rows [][]float64
	for range 1000 {
		rows = append(rows, []float64{5 + 2*rng.NormFloat64(), rng.Float64(), 0})
	}
	plain := Standardize(table(rows...))
	for _, far := range [][]float64{{30, 0, 0}, {5, -999, 0}, {1e9, 1e9, 0}, {1e200, 1, 0}} {
		dirty := rows
		for range 100 {
			dirty = append(dirty, far)
		}
		s := Standardize(table(dirty...))
		for j := range far {
			if math.Abs(s.Centre[j]-plain.Centre[j]) > 0.02*plain.Unit[j] || math.Abs(s.Unit[j]/plain.Unit[j]-1) > 0.02 {
				t.Errorf("100 rows of %v: centre %v and unit %v, without them %v and %v", far, s.Centre, s.Unit, plain.Centre, plain.Unit)
				break
			}
		}
	}
	// What belongs is left alone, to the last bit.
	n := float64(len(rows))
	var mean, square float64
	for _, r := range rows {
		mean += r[0] / n
	}
	for _, r := range rows {
		square += (r[0] - mean) * (r[0] - mean) / n
	}
	if plain.Centre[0] != mean || plain.Unit[0] != math.Sqrt(square) {
		t.Errorf("centre %v and unit %v, want %v and %v", plain.Centre[0], plain.Unit[0], mean, math.Sqrt(square))
	}
}
