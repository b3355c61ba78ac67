package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"rot.example/rot/runs"
)

// TestGANWeightsReport compares what weights reports with weights.csv.
func TestGANWeightsReport(t *testing.T) {
	trains(t)
	_, _, stderr, code := runIn(t.Context(), t, "gan", "train", "--data", "synth:eight,n=80", "--outliers", "synth:far@0.1", "--steps", "60",
		"--batch", "16", "--warm-up", "20", "--weight-steps", "1", "--lr", "0.005", "--backend", "go", "--name", "a")
	if code != ExitOK {
		t.Fatal(stderr)
	}
	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"gan", "weights", "runs/a", "--json"}, IO{Out: &out, Err: &log}); code != ExitOK {
		t.Fatal(log.String())
	}
	var got struct {
		N, Outliers, Zero int
		AUROC, Chi2       float64
		Divergence        float64
		MeanIn            float64 `json:"mean_in"`
		MeanOut           float64 `json:"mean_out"`
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	r, err := runs.Open("runs/a")
	if err != nil {
		t.Fatal(err)
	}
	weights, err := r.Weights()
	if err != nil {
		t.Fatal(err)
	}
	var in, dirt []float64
	divergence, zero := 0.0, 0
	for _, w := range weights {
		if *w.Outlier {
			dirt = append(dirt, w.Weight)
		} else {
			in = append(in, w.Weight)
		}
		if divergence += (w.Weight - 1) * (w.Weight - 1) / (2 * 80); w.Weight < 0.01 {
			zero++
		}
	}
	below := 0.0 // how often an outlier weighs less than another sample
	for _, x := range dirt {
		for _, y := range in {
			if x < y {
				below++
			} else if x == y {
				below += 0.5
			}
		}
	}
	auroc := below / float64(len(in)*len(dirt))
	if got.N != 80 || got.Outliers != 8 || len(dirt) != 8 || got.Zero != zero || math.Abs(got.AUROC-auroc) > 1e-9 || math.Abs(got.Divergence-divergence) > 1e-9 || got.Chi2 != got.Divergence || divergence == 0 {
		t.Errorf("got %+v; want AUROC %v, divergence %v, %d zeros", got, auroc, divergence, zero)
	}
	if math.Abs(got.MeanIn-average(in)) > 1e-9 || math.Abs(got.MeanOut-average(dirt)) > 1e-9 {
		t.Errorf("got %+v; want the means %v and %v", got, average(in), average(dirt))
	}
	t.Logf("AUROC %v", auroc)
}

func average(x []float64) (mean float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	return mean
}
