package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// numbered is a table of n rows that know their places.
func numbered(n int) []byte {
	var b strings.Builder
	b.WriteString("x,word,id\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%s,r%d\n", i, []string{"a", "b", "c"}[i%3], i)
	}
	return []byte(b.String())
}

func TestSample(t *testing.T) {
	const rows, limit = 20_000, 500
	opts := &Options{Sample: limit, SampleSeed: 3, AsWritten: []string{"id"}}
	got, err := ReadBytes("x.csv", numbered(rows), opts)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows != limit || len(got.Sampled) != limit || got.Total != rows {
		t.Fatalf("%d rows, %d places of %d, want %d of %d", got.Rows, len(got.Sampled), got.Total, limit, rows)
	}
	if !slices.IsSorted(got.Sampled) {
		t.Error("the rows are not in the order of the file")
	}
	for i, place := range got.Sampled {
		if x, id, word := got.Columns[0].Numbers[i], got.Columns[2].Text(i), got.Columns[1].Text(i); x != float64(place) || id != fmt.Sprintf("r%d", place) || word != []string{"a", "b", "c"}[place%3] {
			t.Fatalf("row %d of the file has %v, %s, %s", place, x, word, id)
		}
	}
	// All parts of the file are as likely: a quarter of it has 125 rows, give or
	// take four deviations.
	for q := range 4 {
		n := 0
		for _, place := range got.Sampled {
			if place/(rows/4) == q {
				n++
			}
		}
		if n < 125-39 || n > 125+39 {
			t.Errorf("%d of %d rows are from quarter %d", n, limit, q+1)
		}
	}
	other, err := ReadBytes("x.csv", numbered(rows), &Options{Sample: limit, SampleSeed: 4})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(other.Sampled, got.Sampled) {
		t.Error("another seed has the same sample")
	}
	if n := len(got.Columns[2].Levels); n != limit {
		t.Errorf("%d ids are remembered for %d rows", n, limit)
	}
}

func TestSampleOfShortTable(t *testing.T) {
	got, err := ReadBytes("x.csv", numbered(50), &Options{Sample: 50})
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows != 50 || got.Sampled != nil || got.Total != 0 {
		t.Errorf("%d rows, places %v of %d, want all 50", got.Rows, got.Sampled, got.Total)
	}
}
