package table

import (
	"bytes"
	"slices"
	"testing"
)

// TestWriteNumbers reads back what it writes.
func TestWriteNumbers(t *testing.T) {
	n := pageRows + 3
	i, v := make([]int64, n), make([]float64, n)
	for k := range i {
		i[k], v[k] = int64(k)<<20, 1/float64(k+1)
	}
	columns := []NumberColumn{{Name: "i", Ints: i}, {Name: "weight", Floats: v}}
	for _, file := range []string{"w.csv", "w", "W.NPY", "w.npz", "w.parquet"} {
		var b bytes.Buffer
		if !CanWrite(file) {
			t.Fatal(file)
		}
		if err := WriteNumbers(&b, file, columns); err != nil {
			t.Fatal(err)
		}
		name := file
		if file == "w" {
			name = "w.csv"
		}
		got, err := ReadBytes(name, b.Bytes(), nil)
		if err != nil {
			t.Fatal(file, err)
		}
		if !slices.Equal(got.Names(), []string{"i", "weight"}) || !slices.Equal(got.Columns[1].Numbers, v) || got.Columns[0].Numbers[7] != 7<<20 {
			t.Errorf("%s: got %v", file, got.Names())
		}
	}
	var b bytes.Buffer
	if err := WriteNumbers(&b, "f.json", []NumberColumn{{Name: "f", Floats: []float64{1, 2.5}}, {Name: "g", Ints: []int64{3}}}); err != nil || b.String() != "{\"f\":[1,2.5],\"g\":[3]}\n" {
		t.Errorf("got %s, %v", b.String(), err)
	}
	if err := WriteNumbers(&b, "f.csv", []NumberColumn{{Name: "f", Floats: []float64{1, 2}}, {Name: "g", Ints: []int64{3}}}); err == nil {
		t.Error("columns of two lengths")
	}
	if CanWrite("w.txt") || WriteNumbers(&b, "w.txt", columns) == nil {
		t.Error("w.txt")
	}
}
