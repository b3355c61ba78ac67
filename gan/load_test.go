package gan

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLoad: outliers are mixed in and remembered, and the configuration
// learns what the data decide.
func TestLoad(t *testing.T) {
	c, d := load(t, "mlp", "synth:eight,n=100", "synth:far@0.1", func(*Config) {})
	if c.Size != 0 || c.Channels != 2 || c.Classes != 0 || len(c.DataHash) != 64 || !slices.Equal(c.Centre, d.Centre) || !slices.Equal(c.Unit, d.Unit) {
		t.Errorf("configuration %+v", c)
	}
	p, far := d.Points(), 0
	for i, o := range d.Outlier {
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
	if c.Size != 28 || c.Channels != 1 || c.Classes != 10 || c.Centre != nil || countTrue(d.Outlier) != 10 {
		t.Errorf("configuration %+v, %d outliers", c, countTrue(d.Outlier))
	}
	for i, o := range d.Outlier {
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
		if c.Size != tt.want || d.Shape[0] != tt.want || c.Validate() != nil {
			t.Errorf("%+v: size %d, images %v, %v", tt, c.Size, d.Shape, c.Validate())
		}
		// Again, as when the run is resumed.
		if _, _, err := Load(&c); err != nil {
			t.Errorf("%+v: again: %v", tt, err)
		}
	}
	c := valid(t, "dcgan")
	c.Data, c.Size = "synth:digits,n=2", 0
	if _, notes, err := Load(&c); err != nil || len(notes) != 1 || notes[0] != "28×28 gray resized to 32×32 gray" {
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
	if _, _, err := Load(&changed); err != nil {
		t.Fatal(err)
	}
	write("2,4\n6,8\n10,14\n") // the same in other units
	for _, tt := range []struct {
		name   string
		c      Config
		labels bool
		want   string
	}{
		{"changed", changed, false, "train: " + file + " is not what it was when the run began"},
		{"no labels", Config{Data: "synth:ring"}, true, "gan: a conditional GAN needs labels, and the data have none"},
		{"no labels of images", Config{Data: "synth:blobs,n=3"}, true, "gan: a conditional GAN needs labels, and the data have none"},
		{"no file", Config{Data: "gone.csv"}, false, "gone.csv: no such file"},
		{"no outliers", Config{Data: "synth:ring", Outliers: "gone.csv@0.1"}, false, "gone.csv: no such file"},
		{"other outliers", Config{Data: "synth:ring", Outliers: "synth:gauss,d=3@0.1"}, false, "synth:gauss,d=3: has rows of 3 numbers, and synth:ring of 2"},
		{"points for images", Config{Data: "synth:digits,n=3", Outliers: "synth:far@0.1"}, false, "synth:far: is not a set of images"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.c.Labels = tt.labels
			_, _, err := Load(&tt.c)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
