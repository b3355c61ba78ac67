package gan

import (
	"os"
	"path/filepath"
	"testing"

	"rot.example/rot/metrics"
)

// realData is the path of a file of the data folder beside the repository.
func realData(t *testing.T, name string) string {
	t.Helper()
	if os.Getenv("ROT_SLOW") == "" {
		t.Skip("takes minutes: set ROT_SLOW=1")
	}
	path := filepath.Join("..", "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the data are not there: %v", err)
	}
	return path
}

// TestMNISTWithOutliers: among handwritten digits 5 % photographs are found by
// their weights. It takes a minute or two on two cores.
func TestMNISTWithOutliers(t *testing.T) {
	c, err := Preset("tiny")
	if err != nil {
		t.Fatal(err)
	}
	c.Data = realData(t, "mnist/train-images-idx3-ubyte.gz")
	c.Outliers = "stack:" + realData(t, "cifar10/data_batch_1.png") + "@0.05"
	c.Steps, c.SampleEvery = 1500, 1500
	d, _, err := Load(&c)
	if err != nil {
		t.Fatal(err)
	}
	tr := newTrainer(t, c, d)
	err = tr.Run(t.Context(), newRun(t, c), &RunOptions{Hooks: Hooks{Step: func(r Record) {
		if r.Step%100 == 0 {
			t.Logf("%+v", r)
		}
	}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := tr.Weights()
	if err != nil {
		t.Fatal(err)
	}
	low := make([]float64, len(w))
	for i, v := range w {
		low[i] = -v
	}
	auroc, err := metrics.AUROC(low, d.Outlier)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("AUROC %.4f", auroc)
	if auroc < 0.95 {
		t.Errorf("AUROC %v, want at least 0.95", auroc)
	}
}
