package gan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/metrics"
	"rot.example/rot/train"
)

// shapesNet writes a small network that tells shapes apart, somewhat, to a file.
func shapesNet(t *testing.T, seed uint64) string {
	t.Helper()
	im, err := dataset.LoadImages("synth:shapes,n=200", &dataset.ImageOptions{Size: 28})
	if err != nil {
		t.Fatal(err)
	}
	net, err := features.TrainClassifier(t.Context(), testBackend(t), im, &features.ClassifierOptions{Steps: 2, Batch: 8, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "net.safetensors")
	if err := net.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// viewConfig is a run whose images a network looks at: enough of them that
// something can be said of each.
func viewConfig(t *testing.T, net string, change func(c *Config)) (Config, *train.Data) {
	t.Helper()
	return load(t, "tiny", "synth:digits,n=60", "synth:shapes@0.1", func(c *Config) {
		c.Batch, c.Steps, c.WarmUp, c.CriticSteps, c.BankEvery = 4, 6, 1, 2, 2
		c.Weights, c.Features = WeightTransport, net
		if change != nil {
			change(c)
		}
	})
}

// TestNetworkView: a network is asked once, its scores decide the weights, and a run
// that is interrupted goes on, and ends, without its file.
func TestNetworkView(t *testing.T) {
	for _, auto := range []bool{false, true} {
		net := shapesNet(t, 1)
		c, d := viewConfig(t, net, func(c *Config) {
			if c.RhoAuto = auto; auto {
				c.Rho = 0
			}
		})
		tr, whole := trained(t, c, d)
		if tr.Config().FeaturesHash == "" {
			t.Error("no hash of the network")
		}
		c = tr.Config() // as its config.json has it
		broken := newRun(t, c)
		trainUntil(t, c, d, broken, 0) // before the network was asked
		trainUntil(t, c, d, broken, 3)
		if err := os.Remove(net); err != nil {
			t.Fatal(err)
		}
		trainUntil(t, c, d, broken, c.Steps)
		wantSame(t, broken, whole)

		ended := newTrainer(t, c, d)
		if err := ended.Restore(broken); err != nil {
			t.Fatal(err)
		}
		scores, err := ended.Scores(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, err := tr.Scores(t.Context())
		if err != nil || !slices.Equal(scores, want) || len(scores) != d.N {
			t.Errorf("auto %v: %v: scores %v after a resume, want %v", auto, err, scores, want)
		}
		c.Features, c.FeaturesHash = "", ""
		descriptor, err := newTrainer(t, c, d).Scores(t.Context())
		if err != nil || slices.Equal(scores, descriptor) {
			t.Errorf("auto %v: %v: the scores are the descriptor's", auto, err)
		}
	}
}

// TestNetworkViewOrder: the weights follow the scores by the network.
func TestNetworkViewOrder(t *testing.T) {
	c, d := viewConfig(t, shapesNet(t, 1), nil)
	tr, _ := trained(t, c, d)
	scores, err := tr.Scores(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := tr.Weights()
	if err != nil {
		t.Fatal(err)
	}
	least := slices.Min(w)
	gone := make([]bool, len(w))
	for i, v := range w {
		gone[i] = v == least
	}
	if auroc, err := metrics.AUROC(scores, gone); err != nil || auroc != 1 || least > 0.5 {
		t.Errorf("%v: the lowest weights, %g, are not those of the highest scores: %v, %v", err, least, w, scores)
	}
}

// TestNetworkViewErrors: a file that is missing or no network is refused before
// anything is trained, and another network than the run began with is no substitute.
func TestNetworkViewErrors(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk.safetensors")
	if err := os.WriteFile(junk, []byte("no network"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{junk, filepath.Join(t.TempDir(), "missing.safetensors")} {
		c, d := viewConfig(t, path, nil)
		if _, err := New(c, d, testBackend(t)); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("New(%s): %v", path, err)
		}
		if _, err := New(c, Blank(&c), testBackend(t)); err != nil {
			t.Errorf("to sample from: %v", err)
		}
	}
	c, d := viewConfig(t, shapesNet(t, 2), nil)
	c.FeaturesHash = newTrainer(t, c, d).Config().FeaturesHash
	c.Features = shapesNet(t, 1)
	err := newTrainer(t, c, d).Run(t.Context(), newRun(t, c), nil)
	if err == nil || !strings.Contains(err.Error(), "is not the network that the run began with") {
		t.Errorf("another network: %v", err)
	}
}
