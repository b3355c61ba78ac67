package train

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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
		{"NaN", []float64{1, math.NaN()}, "q is NaN; training has diverged: a smaller --lr usually helps"},
		{"the first", []float64{math.Inf(-1), math.NaN()}, "q is -Inf; training has diverged: a smaller --lr usually helps"},
	} {
		var qs []Quantity
		for _, v := range tt.values {
			qs = append(qs, Quantity{"q", v})
		}
		if got := Diverged(qs); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
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
		err = Stop(run, 9, "it broke", []Quantity{{"loss", math.NaN()}, {"norm", 0.5}}, d, []int32{2, 0})
		var stopped *StoppedError
		if !errors.As(err, &stopped) || *stopped != (StoppedError{9, "it broke", dir}) || err.Error() != "train: stopped at step 9: it broke (the batch is in "+dir+")" {
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
	if err := Stop(run, 1, "why", nil, d, []int32{1}); !errors.As(err, &stopped) {
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
	if err := Stop(run, 1, "why", nil, d, []int32{1}); !errors.As(err, &stopped) || stopped.Reason != "why" {
		t.Errorf("without a folder: %v", err)
	}
}
