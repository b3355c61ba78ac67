package gan

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

	"rot/runs"
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
	return fmt.Sprintf("gan: stopped at step %d: %s (the batch is in %s)", e.Step, e.Reason, e.Saved)
}

// Weights look collapsed when hardly any sample of a batch counts, or hardly
// more than one, or when every raw weight is 0 and the network has no gradient
// left. One batch may look so by chance; this many in a row do not.
const (
	leastShare   = 0.02
	leastESS     = 1.1
	manyInARow   = 50
	whatHelps    = "a smaller --lr or --weight-lr, a longer --warm-up or another --seed usually helps"
	whatHelpsNaN = "a smaller --lr usually helps, and with --dtype bf16 so does f32"
)

// watch counts the weight updates in a row that look bad.
func (t *Trainer) watch(out []float64) {
	chi2, raw := out[1], out[2]
	if raw < floor || 1/(1+chi2) < max(leastShare, leastESS/float64(t.c.Batch)) {
		t.latest.Collapsed++
	} else {
		t.latest.Collapsed = 0
	}
}

// broken says in plain words why the run cannot go on, or nothing.
func (t *Trainer) broken(r Record, out []float64) string {
	for _, v := range []struct {
		name  string
		value float64
	}{
		{"the critic's loss", r.CriticLoss}, {"the gradient penalty", r.GradientPenalty}, {"the critic's gradient", r.GradientNorm},
		{"the weights' χ²", r.Chi2}, {"the weights' loss", r.WeightLoss}, {"the generator's loss", r.GeneratorLoss},
	} {
		if math.IsNaN(v.value) || math.IsInf(v.value, 0) {
			return fmt.Sprintf("%s is %v; training has diverged: %s", v.name, v.value, whatHelpsNaN)
		}
	}
	if t.latest.Collapsed >= manyInARow {
		if out[outRaw] < floor {
			return "the weight network gives every sample 0 and no longer learns; " + whatHelps
		}
		return fmt.Sprintf("the weights have collapsed on %.1f of %d samples of a batch; %s", r.ESS, t.c.Batch, whatHelps)
	}
	return ""
}

// stop saves the batch of a step and returns the error that ends the
// run. The checkpoints before it stay as they are.
func (t *Trainer) stop(run *runs.Run, r Record, reason string) error {
	dir := filepath.Join(run.Path(), "failure")
	stopped := &StoppedError{Step: r.Step, Reason: reason, Saved: dir}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%w; the batch could not be saved: %v", stopped, err)
	}
	batch := t.order.Batch(nil, r.Step-1)
	ids := make([]string, len(batch))
	for i, k := range batch {
		ids[i] = t.data.ID(int(k))
	}
	note := struct {
		Reason string            `json:"reason"`
		Record map[string]string `json:"record"` // as text: JSON has no NaN
		Index  []int32           `json:"index"`
		IDs    []string          `json:"ids"`
	}{reason, map[string]string{
		"step": fmt.Sprint(r.Step), "critic_loss": fmt.Sprint(r.CriticLoss), "generator_loss": fmt.Sprint(r.GeneratorLoss),
		"weight_loss": fmt.Sprint(r.WeightLoss), "gradient_penalty": fmt.Sprint(r.GradientPenalty),
		"gradient_norm": fmt.Sprint(r.GradientNorm), "chi2": fmt.Sprint(r.Chi2), "ess": fmt.Sprint(r.ESS),
	}, batch, ids}
	err := runs.WriteFile(filepath.Join(dir, "batch.json"), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(note)
	})
	if err == nil && t.data.raw != nil {
		err = runs.WriteFile(filepath.Join(dir, "batch.png"), t.data.writeStack(batch))
	}
	if err != nil {
		return fmt.Errorf("%w; the batch could not be saved: %v", stopped, err)
	}
	return stopped
}

// writeStack writes images on top of each other, as a stack: that data sets
// can be read from.
func (d *Data) writeStack(index []int32) func(io.Writer) error {
	h, w, c := d.shape[0], d.shape[1], d.shape[2]
	img := image.NewRGBA(image.Rect(0, 0, w, h*len(index)))
	for i, k := range index {
		pix := d.raw[int(k)*h*w*c:]
		for y := range h {
			for x := range w {
				p := pix[(y*w+x)*c:]
				img.SetRGBA(x, i*h+y, color.RGBA{p[0], p[min(1, c-1)], p[min(2, c-1)], 255})
			}
		}
	}
	return func(out io.Writer) error { return png.Encode(out, img) }
}
