package features

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestClassifierSave: what is read back is the same network, and a file that
// was damaged is none.
func TestClassifierSave(t *testing.T) {
	c := shapesClassifier(t)
	path := filepath.Join(t.TempDir(), "c.safetensors")
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	im := loadImages(t, "synth:shapes,n=20,seed=4", nil) // 28 pixels: it makes them 16
	want, err := c.Embed(t.Context(), im, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Open(cpuBackend(t), path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := OpenClassifier(cpuBackend(t), path)
	if err != nil {
		t.Fatal(err)
	}
	if n.Hash() != c.Hash() || again.Hash() != c.Hash() || again.Accuracy() != c.Accuracy() || !slices.Equal(again.ClassNames(), c.ClassNames()) {
		t.Errorf("hashes %s and %s, want %s; accuracy %v, want %v", n.Hash(), again.Hash(), c.Hash(), again.Accuracy(), c.Accuracy())
	}
	for _, e := range []Embedder{n, again} {
		if got, err := e.Embed(t.Context(), im, nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("other vectors than before it was saved (%v)", err)
		}
	}
	second := filepath.Join(t.TempDir(), "again.safetensors")
	if err := again.Save(second); err != nil {
		t.Fatal(err)
	}
	whole := readAll(t, path)
	if !bytes.Equal(whole, readAll(t, second)) {
		t.Error("saved a second time, the file is another")
	}
	for _, tt := range []struct {
		name   string
		change func(b []byte) []byte
	}{
		{"a weight", func(b []byte) []byte { b[len(b)-2] ^= 0x10; return b }},
		{"the metadata", func(b []byte) []byte { return bytes.Replace(b, []byte(`\"size\":16`), []byte(`\"size\":15`), 1) }},
		{"no metadata", func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"rot_classifier":`), []byte(`"not_classifier":`), 1)
		}},
		{"its end", func(b []byte) []byte { return b[:len(b)-4] }},
	} {
		damaged := tt.change(slices.Clone(whole))
		if bytes.Equal(damaged, whole) {
			t.Fatalf("%s was not changed", tt.name)
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(cpuBackend(t), path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s damaged: %v", tt.name, err)
		}
	}
	if err := c.Save(filepath.Join(t.TempDir(), "nowhere", "c.safetensors")); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("no folder: %v", err)
	}
}

func readAll(tb testing.TB, path string) []byte {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// TestOpenClassifierOther: a network of another kind is refused by its name.
func TestOpenClassifierOther(t *testing.T) {
	path := writeTensors(t, squeezed(t))
	if _, err := OpenClassifier(testBackend(t), path); err == nil || !strings.Contains(err.Error(), "is squeezenet1.1, not a classifier") {
		t.Errorf("got %v", err)
	}
}

// TestToTorch: the order that nn.LoadTorch brings back.
func TestToTorch(t *testing.T) {
	values := make([]float32, 2*2*3*4) // [K,K,I,O]
	for i := range values {
		values[i] = float32(i)
	}
	got := toTorch(values, []int{2, 2, 3, 4})
	if !slices.Equal(got.Shape, []int{4, 3, 2, 2}) {
		t.Fatalf("shape %v", got.Shape)
	}
	// Element [o,i,y,x] = [3,1,1,0] is [y,x,i,o] = [1,0,1,3].
	if v := got.Values[((3*3+1)*2+1)*2+0]; v != float32(((1*2+0)*3+1)*4+3) {
		t.Errorf("got %v", v)
	}
}
