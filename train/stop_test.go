package train

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/dataset"
)

func TestDiverged(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		want   string
	}{
		{"all is well", []float64{1, -math.MaxFloat64}, ""},
		{"nothing", nil, ""},
		{"NaN", []float64{1, math.NaN()}, "q is NaN; training has diverged: a smaller learning rate usually helps"},
		{"the first", []float64{math.Inf(-1), math.NaN()}, "q is -Inf; training has diverged: a smaller learning rate usually helps"},
	} {
		var qs []Quantity
		for _, v := range tt.values {
			qs = append(qs, Quantity{"q", v})
		}
		got := Diverged(qs)
		if tt.want == "" {
			if got != nil {
				t.Errorf("%s: got %v", tt.name, got)
			}
		} else if !errors.Is(got, ErrDiverged) || got.Error() != tt.want {
			t.Errorf("%s: got %v, want %q", tt.name, got, tt.want)
		}
	}
}

// note is what batch.json holds.
type note struct {
	Step   int
	Reason string
	Record map[string]string
	Index  []int32
	IDs    []string
}

func readNote(t *testing.T, dir string) (n note) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "batch.json"))
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestStop: the batch lies in the run's folder, images as a picture that data
// sets can be read from.
func TestStop(t *testing.T) {
	for _, channels := range []int{1, 3} {
		im := images(2, 2, channels)
		for i := range 3 * 4 * channels {
			im.Pix = append(im.Pix, uint8(5*i))
		}
		d, err := FromImages(im)
		if err != nil {
			t.Fatal(err)
		}
		run := newRun(t)
		dir := filepath.Join(run.Path(), "failure")
		broke := errors.New("it broke")
		err = Stop(run, 9, broke, []Quantity{{"loss", math.NaN()}, {"norm", 0.5}}, d, []int32{2, 0})
		var stopped *StoppedError
		if !errors.As(err, &stopped) || *stopped != (StoppedError{9, broke, dir}) || !errors.Is(err, broke) || err.Error() != "train: stopped at step 9: it broke (the batch is in "+dir+")" {
			t.Errorf("got %v", err)
		}
		want := note{9, "it broke", map[string]string{"loss": "NaN", "norm": "0.5"}, []int32{2, 0}, []string{"2", "0"}}
		if got := readNote(t, dir); !reflect.DeepEqual(got, want) {
			t.Errorf("note %+v, want %+v", got, want)
		}
		back, err := dataset.LoadImages("stack:"+filepath.Join(dir, "batch.png"), &dataset.ImageOptions{Channels: channels})
		if err != nil || back.Len() != 2 || !slices.Equal(back.At(0), d.Image(2)) || !slices.Equal(back.At(1), d.Image(0)) {
			t.Errorf("%d channels: the picture: %v", channels, err)
		}
	}
}

// TestStopRows: rows have no picture, and a folder that cannot be made does not
// hide why the run ended.
func TestStopRows(t *testing.T) {
	tab := table([]float64{1}, []float64{2}, []float64{4})
	tab.Points.IDs = []string{"a", "b", "c"}
	d, run := mustFromTable(t, tab), newRun(t)
	dir := filepath.Join(run.Path(), "failure")
	var stopped *StoppedError
	if err := Stop(run, 1, ErrCollapsed, nil, d, []int32{1}); !errors.As(err, &stopped) {
		t.Errorf("got %v", err)
	}
	if got := readNote(t, dir); !slices.Equal(got.IDs, []string{"b"}) {
		t.Errorf("note %+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "batch.png")); err == nil {
		t.Error("rows have a picture")
	}
	if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	stopped = nil
	if err := Stop(run, 1, ErrCollapsed, nil, d, []int32{1}); !errors.As(err, &stopped) || !errors.Is(err, ErrCollapsed) {
		t.Errorf("without a folder: %v", err)
	}
}

// TestLooksCollapsed: hardly any sample counts, or the network is dead.
func TestLooksCollapsed(t *testing.T) {
	for _, tt := range []struct {
		chi2, raw float64
		batch     int
		want      bool
	}{
		{0.2, 1, 8, false},
		{0.2, 0, 8, true},
		{1e-14, WeightFloor / 2, 64, true}, // dead, and χ² is not 0 by rounding
		{6, 1, 8, false},                   // 8/7 of 8 samples count
		{6.9, 1, 8, true},
		{48, 1, 1000, false}, // 2 %
		{50, 1, 1000, true},
	} {
		if got := LooksCollapsed(tt.chi2, tt.raw, tt.batch); got != tt.want {
			t.Errorf("%+v: got %v", tt, got)
		}
	}
	if err := Collapsed(1, 0, 8); err != ErrDeadWeights {
		t.Errorf("got %v", err)
	}
	if err := Collapsed(1.04, 1, 8); !errors.Is(err, ErrCollapsed) || !strings.HasPrefix(err.Error(), "1.0 of 8 samples of a batch count") {
		t.Errorf("got %v", err)
	}
}
