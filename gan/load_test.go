package gan

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rot/dataset"
)

// TestHash: another value, place, shape, unit, label or outlier is another data
// set.
func TestHash(t *testing.T) {
	points := func(change func(tab *dataset.Table)) string {
		tab := table([]float64{1, 2}, []float64{3, 5}, []float64{4, 9})
		tab.Labels, tab.Outlier = []string{"a", "b", "a"}, []bool{false, true, false}
		change(tab)
		return mustFromTable(t, tab).hash()
	}
	pixels := func(change func(im *dataset.Images)) string {
		im := images(2, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
		im.Labels, im.Classes, im.Outlier = []int32{0, 1, 0}, 2, []bool{false, true, false}
		change(im)
		d, err := FromImages(im)
		if err != nil {
			t.Fatal(err)
		}
		return d.hash()
	}
	hashes := map[string]string{
		"points":       points(func(*dataset.Table) {}),
		"a coordinate": points(func(tab *dataset.Table) { tab.Points.Coords[4]++ }),
		"order":        points(func(tab *dataset.Table) { tab.Points.Coords = []float64{3, 5, 1, 2, 4, 9} }),
		"scale":        points(func(tab *dataset.Table) { scale(tab, 2, 0) }),
		"place":        points(func(tab *dataset.Table) { scale(tab, 1, 1) }),
		"dimension": points(func(tab *dataset.Table) {
			tab.Points.Dim = 3
			tab.Labels = tab.Labels[:2]
			tab.Outlier = tab.Outlier[:2]
		}),
		"a label":        points(func(tab *dataset.Table) { tab.Labels[2] = "b" }),
		"no labels":      points(func(tab *dataset.Table) { tab.Labels = nil }),
		"an outlier":     points(func(tab *dataset.Table) { tab.Outlier[2] = true }),
		"no outliers":    points(func(tab *dataset.Table) { tab.Outlier = nil }),
		"images":         pixels(func(*dataset.Images) {}),
		"a pixel":        pixels(func(im *dataset.Images) { im.Pix[7]++ }),
		"an image's tag": pixels(func(im *dataset.Images) { im.Labels[0] = 1 }),
		"another mark":   pixels(func(im *dataset.Images) { im.Outlier = []bool{true, false, false} }),
		"one fewer": pixels(func(im *dataset.Images) {
			im.Pix, im.Labels, im.Outlier = im.Pix[:8], im.Labels[:2], im.Outlier[:2]
		}),
	}
	seen := map[string]string{}
	for name, h := range hashes {
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q have the same hash", name, other)
		}
		seen[h] = name
	}
	if again := points(func(*dataset.Table) {}); again != hashes["points"] || len(again) != 64 {
		t.Errorf("the same points have the hashes %s and %s", again, hashes["points"])
	}
}

func scale(tab *dataset.Table, by, add float64) {
	for i := range tab.Points.Coords {
		tab.Points.Coords[i] = by*tab.Points.Coords[i] + add
	}
}

// TestLoad: outliers are mixed in and remembered, and the configuration
// learns what the data decide.
func TestLoad(t *testing.T) {
	c, d := load(t, "mlp", "synth:eight,n=100", "synth:far@0.1", func(*Config) {})
	if c.Size != 0 || c.Channels != 2 || c.Classes != 0 || len(c.DataHash) != 64 || !slices.Equal(c.Centre, d.at) || !slices.Equal(c.Unit, d.unit) {
		t.Errorf("configuration %+v", c)
	}
	p, far := d.Points(), 0
	for i, o := range d.Outlier() {
		if away := math.Hypot(p[2*i], p[2*i+1]) > 5; o != away {
			t.Errorf("row %d at (%v, %v) is marked %v", i, p[2*i], p[2*i+1], o)
		}
		if o {
			far++
			if !strings.HasPrefix(d.ID(i), "synth:far#") {
				t.Errorf("outlier %d is called %s", i, d.ID(i))
			}
		}
	}
	if far != 10 {
		t.Errorf("%d outliers, want 10", far)
	}

	c, d = load(t, "tiny", "synth:digits,n=50", "uniform@0.2", func(c *Config) { c.Classes = 10 })
	if c.Size != 28 || c.Channels != 1 || c.Classes != 10 || c.Centre != nil || countTrue(d.Outlier()) != 10 {
		t.Errorf("configuration %+v, %d outliers", c, countTrue(d.Outlier()))
	}
	for i, o := range d.Outlier() {
		var sum int // noise is gray, a digit is mostly black
		for _, v := range d.Image(i) {
			sum += int(v)
		}
		if gray := sum > 100*28*28; gray != o {
			t.Errorf("image %d with mean %d is marked %v", i, sum/784, o)
		}
	}
}

func countTrue(x []bool) (n int) {
	for _, v := range x {
		if v {
			n++
		}
	}
	return n
}

// TestLoadSizes: images become what the networks of a preset take.
func TestLoadSizes(t *testing.T) {
	for _, tt := range []struct {
		preset, data string
		size, want   int
	}{
		{"tiny", "synth:digits,n=2", 0, 28},
		{"dcgan", "synth:digits,n=2", 0, 32},
		{"tiny", "synth:blobs,n=2", 0, 32},
		{"tiny", "synth:blobs,n=2", 28, 28},
		{"resnet", "synth:blobs,n=2", 64, 64},
	} {
		c, d := load(t, tt.preset, tt.data, "", func(c *Config) { c.Size = tt.size })
		if c.Size != tt.want || d.shape[0] != tt.want || c.Validate() != nil {
			t.Errorf("%+v: size %d, images %v, %v", tt, c.Size, d.shape, c.Validate())
		}
		// Again, as when the run is resumed.
		if _, _, err := Load(&c, false); err != nil {
			t.Errorf("%+v: again: %v", tt, err)
		}
	}
	c := valid(t, "dcgan")
	c.Data, c.Size = "synth:digits,n=2", 0
	if _, notes, err := Load(&c, false); err != nil || len(notes) != 1 || notes[0] != "28×28 gray resized to 32×32 gray" {
		t.Errorf("notes %q, %v", notes, err)
	}
}

func TestLoadErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("1,2\n3,4\n5,7\n")
	changed := Config{Data: file}
	if _, _, err := Load(&changed, false); err != nil {
		t.Fatal(err)
	}
	write("2,4\n6,8\n10,14\n") // the same in other units
	for _, tt := range []struct {
		name   string
		c      Config
		labels bool
		want   string
	}{
		{"changed", changed, false, "gan: " + file + " is not what it was when the run began"},
		{"no labels", Config{Data: "synth:ring"}, true, "gan: a conditional GAN needs labels, and the data have none"},
		{"no labels of images", Config{Data: "synth:blobs,n=3"}, true, "gan: a conditional GAN needs labels, and the data have none"},
		{"no file", Config{Data: "gone.csv"}, false, "gone.csv: no such file"},
		{"no outliers", Config{Data: "synth:ring", Outliers: "gone.csv@0.1"}, false, "gone.csv: no such file"},
		{"other outliers", Config{Data: "synth:ring", Outliers: "synth:gauss,d=3@0.1"}, false, "synth:gauss,d=3: has rows of 3 numbers, and synth:ring of 2"},
		{"points for images", Config{Data: "synth:digits,n=3", Outliers: "synth:far@0.1"}, false, "synth:far: is not a set of images"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Load(&tt.c, tt.labels)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
