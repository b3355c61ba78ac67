package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A part of a long table knows which rows it is, with and without ids, and rows
// that are left out for missing cells are not counted.
func TestLoadSample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.csv")
	var b strings.Builder
	b.WriteString("x,name\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "%d,n%d\n", i, i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", "name"} {
		opts := &Options{Sample: 100, SampleSeed: 1, IDColumn: id, Ignore: []string{"name"}}
		if id != "" {
			opts.Ignore = nil
		}
		got, err := Load(path, opts)
		if err != nil {
			t.Fatal(err)
		}
		if got.Points.Len() != 100 || got.Total != 5000 || len(got.Places) != 100 {
			t.Fatalf("%d rows of %d, %d places", got.Points.Len(), got.Total, len(got.Places))
		}
		for i, place := range got.Places {
			want := fmt.Sprint(place)
			if id != "" {
				want = "n" + want
			}
			if x := got.Points.Row(i)[0]; x != float64(place) || got.Points.ID(i) != want {
				t.Fatalf("row %d of the file is %v, called %s", place, x, got.Points.ID(i))
			}
		}
	}
	all, err := Load(path+"[:300]", &Options{Sample: 100, Ignore: []string{"name"}})
	if err != nil {
		t.Fatal(err)
	}
	if all.Points.Len() != 300 || all.Total != 0 {
		t.Errorf("of chosen rows %d are kept, want all 300", all.Points.Len())
	}
}
