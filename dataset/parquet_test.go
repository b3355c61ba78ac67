package dataset

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"rot.example/rot/table"
)

func TestParquetTypes(t *testing.T) {
	got, err := Load("testdata/types.parquet", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{
		1, 0.5, 0.5, 0.5, -1, -1, -1, -1, 0, 0, 0, 0,
		0, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1,
		1, 2, 2, 2, 1, 1, 1, 1, 255, 65535, 1<<32 - 1, 1 << 63,
	}
	if got.Points.Dim != 12 || !slices.Equal(got.Points.Coords, want) {
		t.Errorf("got %v", got.Points.Coords)
	}
	for column, want := range map[string]string{"f16": "", "f32": "2", "f64": "2", "i32": "1", "i64": "1", "u32": "4294967295", "u64": "9223372036854775808", "b": "true"} {
		got, err := Load("testdata/types.parquet", &Options{IDColumn: column})
		if err != nil || len(got.Columns) != 11 || (want != "" && got.Points.IDs[2] != want) {
			t.Errorf("%s: %v, %v", column, got.Points.IDs, err)
		}
	}
}

func TestParquetRowGroups(t *testing.T) {
	for _, tt := range []struct {
		file string
		opts Options
	}{
		{"named", Options{IDColumn: "name", LabelColumn: "class"}},
		{"encoded", Options{}},
	} {
		got, err := Load("testdata/"+tt.file+".parquet", &tt.opts)
		if err != nil {
			t.Fatal(err)
		}
		if got.Format != "parquet" || !slices.Equal(got.Columns, []string{"k", "x"}) || got.Points.Len() != 2500 {
			t.Fatalf("%s: %v, %d rows", tt.file, got.Columns, got.Points.Len())
		}
		for i := range got.Points.Len() {
			if row := got.Points.Row(i); row[1] != float64(i)/4 || row[0] != float64(i%7) {
				t.Fatalf("%s: row %d is %v", tt.file, i, row)
			}
			if tt.opts.IDColumn != "" && (got.Points.IDs[i] != "r"+strconv.Itoa(i) || got.Labels[i] != string("ab"[i%2])) {
				t.Fatalf("%s: row %d is %q, %q", tt.file, i, got.Points.IDs[i], got.Labels[i])
			}
		}
	}
}

// TestParquetWriter reads what the Go library writes, which differs from
// PyArrow's output in page version, index and statistics.
func TestParquetWriter(t *testing.T) {
	type row struct {
		X  float64 `parquet:"x"`
		Y  *int32  `parquet:"y,optional"`
		ID string  `parquet:"id,dict"`
	}
	for _, codec := range []parquet.WriterOption{
		parquet.Compression(&parquet.Uncompressed), parquet.Compression(&parquet.Snappy), parquet.Compression(&parquet.Zstd),
		parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Brotli), parquet.Compression(&parquet.Lz4Raw),
	} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b, codec)
		var rows []row
		for i := range 300 {
			k := int32(-i)
			rows = append(rows, row{float64(i) / 2, &k, strconv.Itoa(i)})
		}
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := loadText(t, "a.parquet", b.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 300 {
			if row := got.Points.Row(i); row[0] != float64(i)/2 || row[1] != -float64(i) || got.Points.ID(i) != strconv.Itoa(i) {
				t.Fatalf("row %d is %v", i, row)
			}
		}
	}
}

func TestParquetErrors(t *testing.T) {
	whole, err := os.ReadFile("testdata/types.parquet")
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, b ...byte) []byte {
		c := slices.Clone(whole)
		if at < 0 {
			at += len(c)
		}
		copy(c[at:], b)
		return c
	}
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "is not a Parquet file: it has 0 bytes"},
		{"other file", []byte("x,y\n1,2\n3,4\n5,6\n"), "is not a Parquet file: it does not start with PAR1"},
		{"cut short", whole[:len(whole)-9], "the Parquet file is cut short: it does not end with PAR1"},
		{"footer length", change(-8, 0xFF, 0xFF, 0xFF, 0xFF), "the Parquet file is damaged: its footer claims 4294967295 bytes"},
		{"footer", change(-20, 0xFF, 0xFF, 0xFF, 0xFF), "the Parquet file is damaged: its footer cannot be read"},
		{"pages", change(4, 0xFF, 0xFF, 0xFF, 0xFF), `column "f16": the Parquet file is damaged (a page header cannot be read)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loadText(t, "a.parquet", string(tt.file), nil)
			if err == nil || err.Error() != "a.parquet: "+tt.want {
				t.Errorf("got  %v\nwant a.parquet: %s", err, tt.want)
			}
		})
	}
	// Whatever single byte is damaged, there is a table or an error.
	for i := range whole {
		_, err := table.ReadBytes("a.parquet", change(i, ^whole[i]), nil)
		if err != nil && !strings.HasPrefix(err.Error(), "a.parquet: ") {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}
