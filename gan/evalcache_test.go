package gan

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// TestEvaluateCache: a reference is looked at once for a network; what is
// damaged is made again; nothing changes the scores.
func TestEvaluateCache(t *testing.T) {
	tr, ref := digits(t)
	dir := filepath.Join(t.TempDir(), "deep", "cache")
	const n = 12
	evaluate := func(hash string, looks int) *Scores {
		t.Helper()
		net := &twoTone{hash: hash}
		s, err := tr.Evaluate(t.Context(), ref, net, &EvalOptions{N: n, Rows: 25, CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if net.seen != looks+n {
			t.Errorf("looked at %d images, want %d", net.seen, looks+n)
		}
		return s
	}
	first := evaluate("a", 30)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if again := evaluate("a", 0); !reflect.DeepEqual(again, first) {
		t.Errorf("from the cache %+v, want %+v", again, first)
	}
	for name, damaged := range map[string][]byte{
		"empty": {},
		"cut":   whole[:len(whole)-1],
		"other": []byte("something else altogether, longer than a mark and a sum are together, by far"),
		"bit":   flipped(whole, len(whole)-3),
		"head":  flipped(whole, len(statisticsMark)+33),
	} {
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if again := evaluate("a", 30); !reflect.DeepEqual(again, first) {
			t.Errorf("%s: %+v, want %+v", name, again, first)
		}
		if repaired, err := os.ReadFile(files[0]); err != nil || !slices.Equal(repaired, whole) {
			t.Errorf("%s: the file was not repaired (%v)", name, err)
		}
	}
	if other := evaluate("b", 30); other.Frechet != first.Frechet || other.FeaturesHash != "b" {
		t.Errorf("another network of the same kind: %+v", other)
	}
	ref.Images.Pix[0] ^= 0xff
	if evaluate("a", 30); len(mustGlob(t, dir)) != 3 {
		t.Errorf("%d files for two networks and two references", len(mustGlob(t, dir)))
	}
	// A cache that cannot be written to does not matter.
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Evaluate(t.Context(), ref, &twoTone{}, &EvalOptions{N: n, CacheDir: blocked}); err != nil {
		t.Error(err)
	}
}

func flipped(b []byte, at int) []byte {
	b = slices.Clone(b)
	b[at] ^= 1
	return b
}

func mustGlob(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
