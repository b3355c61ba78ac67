package dataset

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// checkLoaded fails unless there is a sound table or an error with a place.
func checkLoaded(t *testing.T, table *Table, err error) {
	t.Helper()
	if err != nil {
		var bad *InputError
		if !errors.As(err, &bad) || bad.File == "" || bad.Msg == "" {
			t.Fatalf("%#v", err)
		}
		return
	}
	n := table.Points.Len()
	if n == 0 || n*table.Points.Dim != len(table.Points.Coords) {
		t.Fatalf("%d coordinates of dim %d", len(table.Points.Coords), table.Points.Dim)
	}
	if table.Points.IDs != nil && len(table.Points.IDs) != n || table.Labels != nil && len(table.Labels) != n || table.Columns != nil && len(table.Columns) != table.Points.Dim {
		t.Fatalf("%d rows, %d ids, %d labels; dim %d, %d names", n, len(table.Points.IDs), len(table.Labels), table.Points.Dim, len(table.Columns))
	}
	for _, v := range table.Points.Coords {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%v got through", v)
		}
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"", "x,y\n1,2\n", "\ufeffid;x\r\n\"a\nb\";1\r\n\n", "1\t2\n", "a,\"b\"\"\",\n1, \"2\" ,3", "1,NA\n", "\"", ",x\n0,1"} {
		f.Add([]byte(s), "", "")
		f.Add([]byte(s), "1", "y")
	}
	f.Fuzz(func(t *testing.T, b []byte, id, label string) {
		table, err := readCSV("a.csv", bytes.NewReader(b), int64(len(b)), 0, &Options{IDColumn: id, LabelColumn: label})
		checkLoaded(t, table, err)
	})
}

func FuzzNPY(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.npy")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(npy(npyHeader(">U2", "(1, 1)"), 0, 0, 0, 'a', 0, 0, 0, 0))
	f.Add(npy("{'descr': '<f2', 'fortran_order': True, 'shape': (2, 1, 2), }", 0, 1, 2, 3, 4, 5, 6, 7))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := readArrayTable("a.npy", bytes.NewReader(b), int64(len(b)), readNPYHeader)
		checkLoaded(t, table, err)
		stream, err2 := readArrayTable("a.npy", bytes.NewReader(b), -1, readNPYHeader)
		checkLoaded(t, stream, err2)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("file: %v, stream: %v", err, err2)
		}
		labels, err := readArrayLabels("a.npy", bytes.NewReader(b), int64(len(b)), 2, readNPYHeader)
		if err == nil && len(labels) != 2 {
			t.Fatalf("%q", labels)
		}
	})
}

func FuzzIDX(f *testing.F) {
	f.Add(idx(8, []int{2, 1, 2}, 0, 1, 2, 3))
	f.Add(idx(0x0E, []int{1}, 0, 1, 2, 3, 4, 5, 6, 7))
	f.Add(idx(0x0D, []int{1 << 30, 1 << 30}))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := readArrayTable("a.idx", bytes.NewReader(b), int64(len(b)), readIDXHeader)
		checkLoaded(t, table, err)
		stream, err2 := readArrayTable("a.idx", bytes.NewReader(b), -1, readIDXHeader)
		checkLoaded(t, stream, err2)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("file: %v, stream: %v", err, err2)
		}
	})
}

func FuzzParquet(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.parquet")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, "name")
	}
	f.Fuzz(func(t *testing.T, b []byte, id string) {
		table, err := readParquet("a.parquet", bytes.NewReader(b), int64(len(b)), &Options{IDColumn: id})
		checkLoaded(t, table, err)
	})
}
