package features

import (
	"os"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/metrics"
)

// TestClassifierMNIST: digits are told apart, digits are close to other digits
// in its vectors, and photographs among them are not. It takes a minute.
func TestClassifierMNIST(t *testing.T) {
	if os.Getenv("ROT_SLOW") == "" {
		t.Skip("takes a minute: set ROT_SLOW=1")
	}
	im := loadImages(t, realData(t, "mnist/train-images-idx3-ubyte.gz")+"[:6000]", nil)
	c, err := TrainClassifier(t.Context(), cpuBackend(t), im, &ClassifierOptions{Steps: 250})
	if err != nil {
		t.Fatal(err)
	}
	fresh := loadImages(t, realData(t, "mnist/t10k-images-idx3-ubyte.gz")+"[:2000]", nil)
	dirty, err := dataset.MixImages(fresh, loadImages(t, "stack:"+realData(t, "cifar10/data_batch_1.png")+"[:200]", nil), 0.1, 1)
	if err != nil {
		t.Fatal(err)
	}
	vectors := func(im *dataset.Images) (v metrics.Vectors, p metrics.Vectors) {
		x, y, err := c.Classify(t.Context(), im, nil)
		if err != nil {
			t.Fatal(err)
		}
		return metrics.Vectors{Dim: c.Dim(), Values: x}, metrics.Vectors{Dim: c.Classes(), Values: y}
	}
	first := *im
	first.Pix = im.Pix[:2000*28*28]
	reference, _ := vectors(&first)
	clean, p := vectors(fresh)
	mixed, _ := vectors(dirty)
	right := 0
	for i, label := range fresh.Labels {
		if largest(p.Values[10*i:10*i+10]) == int(label) {
			right++
		}
	}
	accuracy := float64(right) / 2000
	is, err := metrics.InceptionScore(p, 10)
	if err != nil {
		t.Fatal(err)
	}
	near, err := metrics.FID(reference, clean)
	if err != nil {
		t.Fatal(err)
	}
	far, err := metrics.FID(reference, mixed)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("accuracy %.4f (it says %.4f), Inception score %.2f, Fréchet distance %.3f clean and %.3f with 10 %% photographs", accuracy, c.Accuracy(), is.Mean, near, far)
	if accuracy < 0.965 || is.Mean < 7 || far < 10*near {
		t.Error("want an accuracy of 0.965, an Inception score of 7, and ten times the distance at least")
	}
}
