package dataset

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestParseMix(t *testing.T) {
	for _, tt := range []struct {
		spec, data string
		fraction   float64
		bad        string
	}{
		{spec: "uniform@0.05", data: "uniform", fraction: 0.05},
		{spec: "stack:a@b.png,l[:9]@1e-3", data: "stack:a@b.png,l[:9]", fraction: 1e-3},
		{spec: "synth:far@0", data: "synth:far"},
		{spec: "uniform", bad: `"uniform": outliers are written DATA@FRACTION, as in uniform@0.05`},
		{spec: "@0.1", bad: `"@0.1": outliers are written`},
		{spec: "", bad: `"": outliers are written`},
		{spec: "a@", bad: `"a@": the fraction "" is not a number in [0, 1)`},
		{spec: "a@1", bad: `"a@1": the fraction "1" is not`},
		{spec: "a@-0.1", bad: `"a@-0.1": the fraction "-0.1" is not`},
		{spec: "a@nan", bad: `"a@nan": the fraction "nan" is not`},
		{spec: "a@5%", bad: `"a@5%": the fraction "5%" is not`},
	} {
		data, fraction, err := ParseMix(tt.spec)
		if tt.bad != "" {
			if err == nil || !strings.HasPrefix(err.Error(), tt.bad) {
				t.Errorf("got %v, want %s", err, tt.bad)
			}
		} else if err != nil || data != tt.data || fraction != tt.fraction {
			t.Errorf("%s: %q, %v, %v", tt.spec, data, fraction, err)
		}
	}
}

func TestMixImages(t *testing.T) {
	clean := mustLoadImages(t, "synth:digits,n=200", nil)
	before := bytes.Clone(clean.Pix)
	dirt := mustLoadImages(t, "synth:blobs,n=30", nil)
	for _, tt := range []struct {
		fraction float64
		seed     uint64
		want     int
		again    bool // the dirt is too small
	}{
		{0, 1, 0, false}, {0.001, 1, 0, false}, {0.1, 1, 20, false}, {0.1, 2, 20, false}, {0.15, 1, 30, false}, {0.5, 1, 100, true}, {0.9999, 1, 199, true},
	} {
		got, err := MixImages(clean, dirt, tt.fraction, tt.seed)
		if err != nil {
			t.Fatal(err)
		}
		same, _ := MixImages(clean, dirt, tt.fraction, tt.seed)
		if !bytes.Equal(got.Pix, same.Pix) || !slices.Equal(got.Outlier, same.Outlier) {
			t.Errorf("%v: two mixtures differ", tt.fraction)
		}
		if got.Len() != 200 || got.H != 28 || got.C != 1 || !slices.Equal(got.Labels, clean.Labels) || got.Classes != 10 {
			t.Errorf("%v: %d images of %s", tt.fraction, got.Len(), sizeText(got.H, got.W, got.C))
		}
		if tt.want == 0 && got.Outlier != nil {
			t.Errorf("%v: nothing was mixed in, but there are marks", tt.fraction)
		}
		count, drawn := 0, make(map[string]int)
		for i := range 200 {
			equal := bytes.Equal(got.At(i), clean.At(i))
			if marked := got.Outlier != nil && got.Outlier[i]; marked == equal {
				t.Fatalf("%v: image %d: marked %v, equal %v", tt.fraction, i, marked, equal)
			} else if marked {
				count++
				drawn[got.ID(i)]++
			} else if got.ID(i) != clean.ID(i) {
				t.Errorf("image %d is called %s", i, got.ID(i))
			}
		}
		if count != tt.want || !tt.again && len(drawn) != count {
			t.Errorf("%v: %d outliers, %d of them different; want %d", tt.fraction, count, len(drawn), tt.want)
		}
		if note := fmt.Sprintf("%d of 200 replaced by samples of synth:blobs,n=30", count); !strings.HasPrefix(got.Notes[0], note) || strings.Contains(got.Notes[0], "more than once") != tt.again {
			t.Errorf("note %q", got.Notes[0])
		}
		if count > 0 && !slices.Contains(got.Notes, "synth:blobs,n=30: 32×32 RGB resized to 28×28 gray") {
			t.Errorf("notes %q", got.Notes)
		}
		for id := range drawn {
			if !strings.HasPrefix(id, "synth:blobs,n=30#") {
				t.Errorf("an outlier is called %s", id)
			}
		}
	}
	if !bytes.Equal(clean.Pix, before) || clean.Outlier != nil || clean.IDs != nil {
		t.Error("the clean images were changed")
	}
	one, _ := MixImages(clean, dirt, 0.1, 1)
	two, err := MixImages(one, dirt, 0.1, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range one.Outlier {
		if o && !two.Outlier[i] {
			t.Errorf("the second mixing forgot outlier %d", i)
		}
	}
	if slices.Equal(one.Outlier, two.Outlier) {
		t.Error("two seeds replace the same images")
	}
}

// TestMixFolder mixes in a folder of images of several sizes.
func TestMixFolder(t *testing.T) {
	dir := writeTree(t, map[string][]byte{
		"a.png": encode(t, "png", paint(9, 5, color.Gray{40})), "b.png": encode(t, "png", paint(30, 30, color.Gray{40})),
	})
	clean := mustLoadImages(t, "synth:blobs,n=10", nil)
	got, err := clean.Mix(dir+"@0.2", 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range got.Outlier {
		if o && (got.At(i)[0] != 40 || got.At(i)[3071] != 40 || !slices.Contains([]string{"a.png", "b.png"}, got.ID(i))) {
			t.Errorf("image %d, called %s, is %v", i, got.ID(i), got.At(i)[:3])
		}
	}
	want := []string{"2 of 10 replaced by samples of " + dir, dir + ": 2 of 2 images resized to 32×32", dir + ": gray converted to RGB"}
	if !slices.Equal(got.Notes, want) {
		t.Errorf("notes %q", got.Notes)
	}
}

func TestMixErrors(t *testing.T) {
	im, none := ramp(3, 2, 2, 1), &Images{Name: "none", H: 2, W: 2, C: 1}
	for _, f := range []float64{-0.1, 1, math.NaN(), math.Inf(1)} {
		if _, err := MixImages(im, im, f, 0); err == nil || !strings.Contains(err.Error(), "not in [0, 1)") {
			t.Errorf("%v: %v", f, err)
		}
	}
	if _, err := MixImages(im, none, 0.5, 0); err == nil || err.Error() != "none: has no samples to mix in" {
		t.Errorf("got %v", err)
	}
	if _, err := MixImages(none, im, 0.5, 0); err == nil {
		t.Error("outliers were mixed into nothing")
	}
	for _, spec := range []string{"uniform", "gone.png@0.1", "synth:moons@0.1", "stack:gone.png@0.1"} {
		if _, err := im.Mix(spec, 0); err == nil {
			t.Errorf("%s was mixed in", spec)
		}
	}
	table := mustLoad(t, "synth:moons,n=10")
	if _, err := MixTables(table, mustLoad(t, "synth:gauss,d=3"), 0.5, 0); err == nil ||
		!strings.HasPrefix(err.Error(), "synth:gauss,d=3: has rows of 3 numbers, and synth:moons,n=10 of 2 ") {
		t.Errorf("got %v", err)
	}
	for _, spec := range []string{"uniform", "gone.csv@0.1", "synth:digits@0.1"} {
		if _, err := table.Mix(spec, nil, 0); err == nil {
			t.Errorf("%s was mixed in", spec)
		}
	}
}

func TestNoiseImages(t *testing.T) {
	im := NoiseImages(40, 5, 7, 3, 3)
	if im.Len() != 40 || im.Name != "uniform" || bytes.Equal(im.Pix, NoiseImages(40, 5, 7, 3, 4).Pix) || !bytes.Equal(im.Pix, NoiseImages(40, 5, 7, 3, 3).Pix) {
		t.Errorf("%d images", im.Len())
	}
	if info := im.Info(); math.Abs(info.Mean[1]-0.5) > 0.03 || math.Abs(info.Std[1]-0.289) > 0.02 {
		t.Errorf("mean %v, std %v", info.Mean, info.Std)
	}
	clean := ramp(20, 5, 7, 3)
	got, err := clean.Mix("uniform@0.25", 5)
	if err != nil || got.Info().Outliers == nil || *got.Info().Outliers != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMixTables(t *testing.T) {
	clean := mustLoad(t, "synth:eight,n=400")
	clean.Points.Weights = slices.Repeat([]float64{2}, 400)
	got, err := clean.Mix("synth:far,n=5@0.05", nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := clean.Mix("synth:far,n=5@0.05", nil, 3)
	if !slices.Equal(got.Points.Coords, again.Points.Coords) || !slices.Equal(got.Labels, clean.Labels) || got.Points.Len() != 400 || len(got.Points.Weights) != 400 {
		t.Errorf("%d rows", got.Points.Len())
	}
	count := 0
	for i, o := range got.Outlier {
		far := got.Points.Row(i)[0] > 5 && got.Points.Row(i)[1] > 5
		if o != far || o != strings.HasPrefix(got.Points.ID(i), "synth:far,n=5#") {
			t.Errorf("row %d, called %s, is %v; outlier %v", i, got.Points.ID(i), got.Points.Row(i), o)
		}
		if o {
			count++
		}
	}
	if count != 20 || clean.Outlier != nil || clean.Points.IDs != nil {
		t.Errorf("%d outliers", count)
	}
	if same, err := clean.Mix("uniform@0", nil, 3); err != nil || same.Outlier != nil || same.Points.IDs != nil || !slices.Equal(same.Points.Coords, clean.Points.Coords) {
		t.Errorf("nothing to mix in: %v", err)
	}
}

func TestNoiseTable(t *testing.T) {
	table := &Table{}
	table.Points.Dim, table.Points.Coords = 3, []float64{1, 5, -math.MaxFloat64, 3, 5, math.MaxFloat64}
	noise := NoiseTable(table, 4000, 1)
	if i := firstNotFinite(noise.Points.Coords); i >= 0 {
		t.Fatalf("coordinate %d is %v", i, noise.Points.Coords[i])
	}
	info := infoOf(noise)
	if c := info.Columns[0]; *c.Min < -1 || *c.Min > -0.98 || *c.Max > 5 || *c.Max < 4.98 || math.Abs(*c.Mean-2) > 0.1 {
		t.Errorf("%+v", c)
	}
	if c := info.Columns[1]; *c.Min != 5 || *c.Max != 5 {
		t.Errorf("%+v", c)
	}
}
