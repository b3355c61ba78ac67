package train

import (
	"testing"

	"rot.example/rot/dataset"
)

// TestHash: another value, place, shape, unit, label or outlier is another data
// set.
func TestHash(t *testing.T) {
	points := func(change func(tab *dataset.Table)) string {
		tab := table([]float64{1, 2}, []float64{3, 5}, []float64{4, 9})
		tab.Labels, tab.Outlier = []string{"a", "b", "a"}, []bool{false, true, false}
		change(tab)
		return Hash(mustFromTable(t, tab))
	}
	pixels := func(change func(im *dataset.Images)) string {
		im := images(2, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
		im.Labels, im.Classes, im.Outlier = []int32{0, 1, 0}, 2, []bool{false, true, false}
		change(im)
		d, err := FromImages(im)
		if err != nil {
			t.Fatal(err)
		}
		return Hash(d)
	}
	hashes := map[string]string{
		"points":       points(func(*dataset.Table) {}),
		"a coordinate": points(func(tab *dataset.Table) { tab.Points.Coords[4]++ }),
		"order":        points(func(tab *dataset.Table) { tab.Points.Coords = []float64{3, 5, 1, 2, 4, 9} }),
		"scale":        points(func(tab *dataset.Table) { scale(tab, 2, 0) }),
		"place":        points(func(tab *dataset.Table) { scale(tab, 1, 1) }),
		"dimension": points(func(tab *dataset.Table) {
			tab.Points.Dim = 3
			tab.Labels = tab.Labels[:2]
			tab.Outlier = tab.Outlier[:2]
		}),
		"a label":        points(func(tab *dataset.Table) { tab.Labels[2] = "b" }),
		"no labels":      points(func(tab *dataset.Table) { tab.Labels = nil }),
		"an outlier":     points(func(tab *dataset.Table) { tab.Outlier[2] = true }),
		"no outliers":    points(func(tab *dataset.Table) { tab.Outlier = nil }),
		"images":         pixels(func(*dataset.Images) {}),
		"a pixel":        pixels(func(im *dataset.Images) { im.Pix[7]++ }),
		"an image's tag": pixels(func(im *dataset.Images) { im.Labels[0] = 1 }),
		"another mark":   pixels(func(im *dataset.Images) { im.Outlier = []bool{true, false, false} }),
		"one fewer": pixels(func(im *dataset.Images) {
			im.Pix, im.Labels, im.Outlier = im.Pix[:8], im.Labels[:2], im.Outlier[:2]
		}),
	}
	seen := map[string]string{}
	for name, h := range hashes {
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q have the same hash", name, other)
		}
		seen[h] = name
	}
	if again := points(func(*dataset.Table) {}); again != hashes["points"] || len(again) != 64 {
		t.Errorf("the same points have the hashes %s and %s", again, hashes["points"])
	}
}

func scale(tab *dataset.Table, by, add float64) {
	for i := range tab.Points.Coords {
		tab.Points.Coords[i] = by*tab.Points.Coords[i] + add
	}
}

// TestHashKept: runs that began with an earlier version still know their data.
func TestHashKept(t *testing.T) {
	d := mustFromTable(t, table([]float64{1, 2}, []float64{3, 5}, []float64{4, 9}))
	if got, want := Hash(d), "5a86d47ef573ff5946d60293afb82a426aec5906c4e3cfdd891514ee3bcf3313"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHashPair: which of two data sets is which matters.
func TestHashPair(t *testing.T) {
	a := mustFromTable(t, table([]float64{1}, []float64{3}))
	b := mustFromTable(t, table([]float64{1}, []float64{4}))
	seen := map[string]bool{Hash(a): true, Hash(b): true, Hash(a, b): true, Hash(b, a): true, Hash(a, a): true}
	if len(seen) != 5 {
		t.Errorf("%d different hashes of five", len(seen))
	}
}
