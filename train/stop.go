package train

import (
	"encoding/json"
	"errors"
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

// The reasons to stop a run, one of which a StoppedError wraps.
var (
	ErrDiverged    = errors.New("training has diverged: a smaller learning rate usually helps")
	ErrDeadWeights = errors.New("the weight network gives every sample 0 and no longer learns: a smaller learning rate, a longer warm-up or another seed usually helps")
	ErrCollapsed   = errors.New("the weights have collapsed: a smaller learning rate, a longer warm-up or another seed usually helps")
)

// A StoppedError reports a run that was going wrong and was stopped. The batch
// that it happened on lies in the folder Saved.
type StoppedError struct {
	Step  int
	Cause error // wraps ErrDiverged, ErrDeadWeights or ErrCollapsed
	Saved string
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("train: stopped at step %d: %v (the batch is in %s)", e.Step, e.Cause, e.Saved)
}

func (e *StoppedError) Unwrap() error { return e.Cause }

// A Quantity is a number that a step reports, with a name for error messages.
type Quantity struct {
	Name  string
	Value float64
}

// Diverged returns an error that wraps ErrDiverged if one of the quantities is
// a NaN or an infinity, and nil otherwise.
func Diverged(qs []Quantity) error {
	for _, q := range qs {
		if math.IsNaN(q.Value) || math.IsInf(q.Value, 0) {
			return fmt.Errorf("%s is %v; %w", q.Name, q.Value, ErrDiverged)
		}
	}
	return nil
}

// Weights look collapsed when hardly any sample of a batch counts, or hardly
// more than one, or when every raw weight is 0 and the network has no gradient
// left. One batch may look so by chance; CollapsedFor updates in a row do not.
const (
	CollapsedFor = 50

	leastShare = 0.02 // of the samples of a batch that count
	leastESS   = 1.1  // their number
)

// LooksCollapsed reports whether the weights of a batch, of which Normalize or
// Weigh returned chi2, are those of a network that is of no use. raw is the mean
// of its raw weights, negative ones counted as 0.
func LooksCollapsed(chi2, raw float64, batch int) bool {
	return raw < WeightFloor || 1/(1+chi2) < max(leastShare, leastESS/float64(batch))
}

// Collapsed returns the error about weights that looked collapsed for
// CollapsedFor updates in a row: ErrDeadWeights where raw says so, and otherwise
// one that wraps ErrCollapsed.
func Collapsed(ess, raw float64, batch int) error {
	if raw < WeightFloor {
		return ErrDeadWeights
	}
	return fmt.Errorf("%.1f of %d samples of a batch count; %w", ess, batch, ErrCollapsed)
}

// Stop saves a batch of data in the folder failure of the run and returns a
// *StoppedError. The checkpoints of the run stay as they are.
func Stop(run *runs.Run, step int, cause error, qs []Quantity, d *Data, batch []int32) error {
	dir := filepath.Join(run.Path(), "failure")
	stopped := &StoppedError{Step: step, Cause: cause, Saved: dir}
	note := struct {
		Step   int               `json:"step"`
		Reason string            `json:"reason"`
		Record map[string]string `json:"record"` // as text: JSON has no NaN
		Index  []int32           `json:"index"`
		IDs    []string          `json:"ids"`
	}{Step: step, Reason: cause.Error(), Record: map[string]string{}, Index: batch}
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

// stack returns some images on top of each other, a picture that package dataset
// reads as a set of images.
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
