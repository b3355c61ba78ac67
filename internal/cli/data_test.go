package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/dataset"
)

func TestMixInterrupted(t *testing.T) {
	for _, args := range []string{
		"data mix synth:eight synth:far@0.1 --out x.csv",
		"data mix synth:digits,n=50 synth:blobs@0.1 --out x.png",
		"data info synth:digits",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		dir, stdout, stderr, code := runIn(ctx, t, strings.Fields(args)...)
		if code != ExitFailed || stderr != "rot: interrupted\n" || stdout != "" || entries(t, dir) != 0 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, %d files", args, code, stdout, stderr, entries(t, dir))
		}
	}
}

// TestInfoArchive shows the labels that a spec takes from an archive.
func TestInfoArchive(t *testing.T) {
	archive, err := filepath.Abs("../../dataset/testdata/labelled.npz")
	if err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string]string{
		":X,y":               "Labels: -1 (1), 7 (1).\n",
		":X,name[good=true]": "Labels: müller (1).\n",
		":X[:1]":             "There are no labels.\n",
	} {
		_, stdout, stderr, code := runIn(t.Context(), t, "data", "info", archive+spec)
		if code != ExitOK || stderr != "" || !strings.HasSuffix(stdout, want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", spec, code, stdout, stderr)
		}
	}
}

// TestMixInterruptedWriting cancels after the mixing: what is being written
// stops, and nothing is left of it.
func TestMixInterruptedWriting(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	im, err := dataset.LoadImages("synth:digits,n=50", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var out outputs
	files := dataset.MixtureFiles("x", true)
	for _, path := range files {
		if err := out.add("--out", path, nil); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	err = stageMixture(ctx, &out, files, &dataset.Mixture{N: 50, Images: im})
	out.discard()
	if !errors.Is(err, context.Canceled) || entries(t, dir) != 0 {
		t.Errorf("%v, %d files", err, entries(t, dir))
	}
}
