package train

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"

	"rot.example/rot/runs"
)

// A StoppedError reports a run that was going wrong and was stopped: a number
// that is none, or weights that collapsed. The batch that it happened on lies
// in the folder Saved.
type StoppedError struct {
	Step   int
	Reason string
	Saved  string
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("train: stopped at step %d: %s (the batch is in %s)", e.Step, e.Reason, e.Saved)
}

// A Quantity is a number that a step reports, with its name for people.
type Quantity struct {
	Name  string
	Value float64
}

const hasDiverged = "training has diverged: a smaller --lr usually helps"

// Diverged says in plain words which of the quantities is no number, or
// nothing.
func Diverged(qs []Quantity) string {
	for _, q := range qs {
		if math.IsNaN(q.Value) || math.IsInf(q.Value, 0) {
			return fmt.Sprintf("%s is %v; %s", q.Name, q.Value, hasDiverged)
		}
	}
	return ""
}

// Stop saves a batch of data in the folder failure of the run and returns the
// error that ends it. The checkpoints before it stay as they are.
func Stop(run *runs.Run, step int, reason string, qs []Quantity, d *Data, batch []int32) error {
	dir := filepath.Join(run.Path(), "failure")
	stopped := &StoppedError{Step: step, Reason: reason, Saved: dir}
	note := struct {
		Step   int               `json:"step"`
		Reason string            `json:"reason"`
		Record map[string]string `json:"record"` // as text: JSON has no NaN
		Index  []int32           `json:"index"`
		IDs    []string          `json:"ids"`
	}{Step: step, Reason: reason, Record: map[string]string{}, Index: batch}
	for _, q := range qs {
		note.Record[q.Name] = fmt.Sprint(q.Value)
	}
	for _, i := range batch {
		note.IDs = append(note.IDs, d.ID(int(i)))
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = runs.WriteFile(filepath.Join(dir, "batch.json"), func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(note)
		})
	}
	if err == nil && d.Pix != nil {
		err = runs.WriteFile(filepath.Join(dir, "batch.png"), func(w io.Writer) error { return png.Encode(w, d.stack(batch)) })
	}
	if err != nil {
		return fmt.Errorf("%w; the batch could not be saved: %v", stopped, err)
	}
	return stopped
}

// stack is images on top of each other, as data sets can be read from.
func (d *Data) stack(index []int32) image.Image {
	h, w, c := d.Shape[0], d.Shape[1], d.Shape[2]
	img := image.NewRGBA(image.Rect(0, 0, w, h*len(index)))
	for i, k := range index {
		pix := d.Image(int(k))
		for y := range h {
			for x := range w {
				p := pix[(y*w+x)*c:]
				img.SetRGBA(x, i*h+y, color.RGBA{p[0], p[min(1, c-1)], p[min(2, c-1)], 255})
			}
		}
	}
	return img
}
