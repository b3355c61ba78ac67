package dataset

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestLoadWeights(t *testing.T) {
	dir := write(t, map[string][]byte{
		"a.csv": []byte("1\n0\n2.5\n"), "b.csv": []byte("Weight\n1\n0\n2.5\n"), "c.csv": []byte("index,weight\n2,2.5\n0,1\n1,0\n"),
		"d.npy": npy(npyHeader("<f8", "(3,)"), f8(1, 0, 2.5)...), "e.csv": []byte("id,weight\nx,1\ny,0\nz,2.5\n"),
		"f.csv": []byte(",weight\n2,2.5\n0,1\n1,0\n"), "g.csv": []byte(",weight\n7,1\n5,0\n6,2.5\n"), // pandas, rows in another order; and of another table
		"h.npy":   npy("{'descr': [('index', '<f8'), ('weight', '<f8')], 'fortran_order': False, 'shape': (3,), }", f8(2, 2.5, 0, 1, 1, 0)...),
		"neg.csv": []byte("1\n-2\n"), "negid.csv": []byte(",weight\n1,-2\n0,1\n"), "zero.csv": []byte("0\n0\n"), "nan.csv": []byte("w\nNaN\n"), "wide.csv": []byte("a,b\n1,2\n"),
		"twice.csv": []byte("index,weight\n0,1\n0,2\n"), "range.csv": []byte("index,weight\n0,1\n2,2\n"), "half.csv": []byte("weight,index\n1,0.5\n"), "negidx.csv": []byte("index,weight\n1,-3\n0,1\n"),
	})
	for _, file := range []string{"a.csv", "b.csv", "c.csv", "d.npy", "e.csv", "f.csv", "g.csv", "h.npy"} {
		got, err := LoadWeights(filepath.Join(dir, file))
		if err != nil || !slices.Equal(got, []float64{1, 0, 2.5}) {
			t.Errorf("%s: %v, %v", file, got, err)
		}
	}
	for _, tt := range []struct{ file, want string }{
		{"neg.csv", ":2: weight -2 is negative"},
		{"negid.csv", ":2: weight -2 is negative"},
		{"negidx.csv", ":2: weight -3 is negative"},
		{"zero.csv", ": all weights are 0"},
		{"nan.csv", `: column "w" has 1 missing value, the first in line 2`},
		{"wide.csv", ": has 2 columns; weights need one column, or the two columns index and weight"},
		{"twice.csv", ":3: index 0 occurs twice"},
		{"range.csv", ":3: index 2 is not a row number from 0 to 1"},
		{"half.csv", ":2: index 0.5 is not a row number from 0 to 0"},
		{"gone.csv", ": no such file"},
	} {
		_, err := LoadWeights(filepath.Join(dir, tt.file))
		if want := filepath.Join(dir, tt.file) + tt.want; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestLoadMatrix(t *testing.T) {
	dir := write(t, map[string][]byte{"c.csv": []byte("0,1,2\n3,4,5\n"), "line.npy": npy(npyHeader("<f8", "(2,)"), f8(1, 2)...)})
	for _, spec := range []string{filepath.Join(dir, "c.csv"), "testdata/one.npz", "testdata/dtypes.npz:fortran", "testdata/v3.npy"} {
		rows, cols, data, err := LoadMatrix(spec)
		if err != nil || rows != 2 || cols != 3 || !slices.Equal(data, []float64{0, 1, 2, 3, 4, 5}) {
			t.Errorf("%s: %d×%d %v, %v", spec, rows, cols, data, err)
		}
	}
	if rows, cols, _, err := LoadMatrix("testdata/encoded.parquet"); err != nil || rows != 2500 || cols != 2 {
		t.Errorf("%d×%d, %v", rows, cols, err)
	}
	_, _, _, err := LoadMatrix(filepath.Join(dir, "line.npy"))
	if want := filepath.Join(dir, "line.npy") + ": has shape (2,); a matrix has two dimensions"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestLoadMarks(t *testing.T) {
	dir := write(t, map[string][]byte{
		"a.csv": []byte("0\n1\n0\n"), "b.csv": []byte("outlier\nfalse\nTRUE\nfalse\n"), "c.csv": []byte("index\n1\n"), "d.tsv": []byte("0.0\n1.0\n0.0\n"),
		"e.npy": npy(npyHeader("|b1", "(3,)"), 0, 1, 0), "none.csv": []byte("index\n"),
		"mix.csv": []byte("index,id,outlier\n0,a,0\n1,b,1\n2,c,0\n"), "rows.tsv": []byte("x\tOutlier\n7\tfalse\n8\ttrue\n9\tfalse\n"), "odd.csv": []byte("x,outlier\n1,0\n2,maybe\n3,1\n"),
		"few.csv": []byte("0\n1\n"), "empty.csv": nil, "two.csv": []byte("0,1\n"), "word.csv": []byte("0\nbad\n0\n"), "num.csv": []byte("m\n0\n2\n0\n"),
		"far.csv": []byte("index\n3\n"), "twice.csv": []byte("index\n1\n1\n"), "list.csv": []byte("index\ntrue\n"), "wide.npy": npy(npyHeader("|b1", "(1, 3)"), 0, 1, 0),
		"val.npy": npy(npyHeader("|u1", "(3,)"), 0, 5, 0),
	})
	for _, file := range []string{"a.csv", "b.csv", "c.csv", "d.tsv", "e.npy", "mix.csv", "rows.tsv"} {
		got, err := LoadMarks(filepath.Join(dir, file), 3)
		if err != nil || !slices.Equal(got, []bool{false, true, false}) {
			t.Errorf("%s: %v, %v", file, got, err)
		}
	}
	if got, err := LoadMarks(filepath.Join(dir, "none.csv"), 2); err != nil || !slices.Equal(got, []bool{false, false}) {
		t.Errorf("%v, %v", got, err)
	}
	const mark = " is not an outlier mark (1 or true for an outlier, 0 or false for a good row)"
	for _, tt := range []struct{ file, want string }{
		{"few.csv", ": has 2 marks for 3 rows"},
		{"empty.csv", ": the file is empty"},
		{"two.csv", ":1: the line has 2 fields; marks need one"},
		{"word.csv", `:2: "bad"` + mark},
		{"num.csv", ":3: 2" + mark},
		{"odd.csv", `:3: label "maybe"` + mark},
		{"far.csv", ":2: index 3 is not a row number from 0 to 2"},
		{"twice.csv", ":3: index 1 occurs twice"},
		{"list.csv", `:2: "true" is not a row number`},
		{"wide.npy", ": has 3 columns; marks need one"},
		{"val.npy", ": row 1: 5" + mark},
		{"gone.csv", ": no such file"},
	} {
		_, err := LoadMarks(filepath.Join(dir, tt.file), 3)
		if want := filepath.Join(dir, tt.file) + tt.want; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestMarks(t *testing.T) {
	table := &Table{Name: "a.npz", Labels: []string{"1", "false", "0.0"}}
	if got, err := table.Marks(); err != nil || !slices.Equal(got, []bool{true, false, false}) {
		t.Errorf("%v, %v", got, err)
	}
	table.Labels[1] = "cat"
	if _, err := table.Marks(); err == nil || err.Error() != `a.npz: row 1: label "cat"`+" is not an outlier mark (1 or true for an outlier, 0 or false for a good row)" {
		t.Errorf("%v", err)
	}
	table.Labels = nil
	if _, err := table.Marks(); err == nil || err.Error() != "a.npz: has no labels to take outlier marks from" {
		t.Errorf("%v", err)
	}
}

// TestLoadMatrixForbidden: +Inf forbids a pair; −Inf and NaN say nothing.
func TestLoadMatrixForbidden(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		text string
		want []float64
	}{
		{"1,inf\n2,3\n", []float64{1, math.Inf(1), 2, 3}},
		{"a,b\nInf,1\n2,+Inf\n", []float64{math.Inf(1), 1, 2, math.Inf(1)}},
		{"1,-inf\n2,3\n", nil},
		{"1,inf\n,3\n", nil},
		{"1,inf\nx,3\n", nil},
	} {
		path := filepath.Join(dir, "m.csv")
		if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, got, err := LoadMatrix(path)
		if (err != nil) != (tt.want == nil) || !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, %v; want %v", tt.text, got, err, tt.want)
		}
	}
}
