package gan

import (
	"bytes"
	"slices"
	"testing"

	"rot.example/rot/train"
)

// TestSamplesUnits: what the generator makes comes back in the data's units.
func TestSamplesUnits(t *testing.T) {
	d := &train.Data{Shape: []int{2}, Scaling: train.Scaling{Centre: []float64{10, -1}, Unit: []float64{2, 0.5}}}
	s := samples(d, []float32{0, 0, 1, -2})
	if s.Images != nil || s.Dim != 2 || !slices.Equal(s.Points, []float64{10, -1, 12, -2}) {
		t.Errorf("got %+v", s)
	}
	var b bytes.Buffer
	if err := s.WriteCSV(&b); err != nil || b.String() != "10,-1\n12,-2\n" {
		t.Errorf("%v: wrote %q", err, b.String())
	}
	// Level k is the numbers from k/128 − 1 up to the next level.
	d = &train.Data{Shape: []int{1, 1, 1}}
	s = samples(d, []float32{-1, -1 + 1.0/256, -1 + 1.0/128, 0, 1 - 1.0/256, 1, 5, -5})
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
