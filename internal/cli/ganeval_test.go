package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
)

// TestGANEvalClassifier: a classifier is kept, and one that was damaged is
// trained anew, to the same network.
func TestGANEvalClassifier(t *testing.T) {
	trains(t)
	b, err := engine.Open("cpu", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	im, err := dataset.LoadImages("synth:shapes,n=20", &dataset.ImageOptions{Size: 16})
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	networks, _ := evalNetworks(IO{Err: &stderr}, &ganEvalOptions{steps: 1}, b)
	networks.CacheDir = filepath.Join(t.TempDir(), "cache")
	hash := func(want string) string {
		t.Helper()
		stderr.Reset()
		c, err := networks.Classifier(t.Context(), im)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(stderr.String(), "rot: "+want) {
			t.Errorf("said %q, want %q", stderr.String(), want)
		}
		return c.Hash()
	}
	first := hash("training a classifier of synth:shapes,n=20 on CPU")
	if h := hash("classifier of synth:shapes,n=20 kept from before"); h != first {
		t.Errorf("kept %s, was %s", h, first)
	}
	files, err := filepath.Glob(filepath.Join(networks.CacheDir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-1] ^= 1
	for _, b := range [][]byte{damaged, whole[:100], {}} {
		if err := os.WriteFile(files[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		if h := hash("training a classifier"); h != first {
			t.Errorf("trained anew %s, was %s", h, first)
		}
	}
	// Without a place to keep it, it is trained all the same.
	networks.CacheDir = filepath.Join(files[0], "deep")
	if h := hash("training a classifier"); h != first || !strings.Contains(stderr.String(), "rot: the classifier is not kept: ") {
		t.Errorf("%s, said %q", h, stderr.String())
	}
}

// TestGANEvalInterrupted: an interrupt leaves nothing behind and says so.
func TestGANEvalInterrupted(t *testing.T) {
	trains(t)
	dir, _, stderr, code := runIn(t.Context(), t, "gan", "train", "--data", "synth:eight,n=20", "--steps", "2", "--batch", "4", "--backend", "cpu", "--name", "a")
	if code != ExitOK {
		t.Fatal(stderr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, report bytes.Buffer
	code = run(ctx, []string{"gan", "eval", filepath.Join(dir, "runs", "a"), "--reference", "synth:eight,n=50"}, IO{In: strings.NewReader(""), Out: &out, Err: &report})
	if code != ExitFailed || report.String() != "rot: interrupted\n" || out.Len() > 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out.String(), report.String())
	}
}
