package dataset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLoadFiles(t *testing.T) {
	dir := write(t, map[string][]byte{
		"a.csv": []byte("x,y\n1,2\n"), "a.CSV.GZ": gz([]byte("x,y\n1,2\n")),
		"a.tsv": []byte("x\ty\n1\t2\n"), "a.tsv.gz": gz([]byte("x\ty\n1\t2\n")),
		"a.npy": npy(npyHeader("<f8", "(1, 2)"), f8(1, 2)...), "a.npy.gz": gz(npy(npyHeader("<f8", "(1, 2)"), f8(1, 2)...)),
		"b,c.csv": []byte("1,2\n"), "d.npz:e.csv": []byte("1,2\n"),
	})
	for file, format := range map[string]string{
		"a.csv": "csv", "a.CSV.GZ": "csv", "a.tsv": "tsv", "a.tsv.gz": "tsv", "a.npy": "npy", "a.npy.gz": "npy", "b,c.csv": "csv", "d.npz:e.csv": "csv",
	} {
		got := mustLoad(t, filepath.Join(dir, file))
		if got.Format != format || got.Name != filepath.Join(dir, file) || !slices.Equal(got.Points.Coords, []float64{1, 2}) {
			t.Errorf("%s: %+v", file, got)
		}
	}
	got, err := Load("-", &Options{Stdin: strings.NewReader("1;2\n"), LabelColumn: "2"})
	if err != nil || got.Points.Dim != 1 || got.Format != "csv" || got.Name != "-" || got.Labels[0] != "2" {
		t.Errorf("stdin: %+v, %v", got, err)
	}
}

func TestLoadErrors(t *testing.T) {
	dir := write(t, map[string][]byte{
		"a.txt": []byte("1"), "a.png": nil, "data_batch_1.bin": nil, "noext": nil, "a.parquet.gz": nil,
		"bad.csv.gz": []byte("1,2\n"), "cut.csv.gz": gz([]byte("1,2\n3,4\n"))[:20], "a.npz": []byte("PK"),
		"sum.csv.gz": func() []byte { b := gz([]byte("1,2\n3,4\n")); b[len(b)-8] ^= 1; return b }(),
	})
	if err := os.Mkdir(filepath.Join(dir, "images"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ spec, want string }{
		{"gone.csv", "no such file"},
		{"gone", "no such file; " + supported},
		{"gone.npz:X", "no such file"},
		{"a.txt", "ends in .txt, which is no known format; " + supported},
		{"a.png", "is an image, not a point file; " + supported},
		{"data_batch_1.bin", "is no point file (CIFAR batches hold images); " + supported},
		{"noext", "has no ending that says what it is; " + supported},
		{"a.parquet.gz", "ends in .gz, which is no known format; " + supported},
		{"images", "is a folder; image folders are not point files"},
		{"bad.csv.gz", "is not a gzip file, though its name ends in .gz"},
		{"cut.csv.gz", "the file is cut short"},
		{"sum.csv.gz", "the compressed data is damaged"},
		{"a.npz", "is not an .npz archive, or is cut short"},
	} {
		_, err := Load(filepath.Join(dir, tt.spec), nil)
		file := strings.TrimSuffix(filepath.Join(dir, tt.spec), ":X")
		if err == nil || err.Error() != file+": "+tt.want {
			t.Errorf("got  %v\nwant %s: %s", err, file, tt.want)
		}
	}
	if _, err := Load(filepath.Join(dir, "gone.csv"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not wrap fs.ErrNotExist", err)
	}
	for spec, want := range map[string]string{
		"-":         "-: there is no standard input to read",
		"stack:a.x": "stack:a.x: is an image stack; image stacks are not point files",
		"":          `"": no file given; ` + supported,
	} {
		if _, err := Load(spec, nil); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	_, err := Load("-", &Options{Stdin: strings.NewReader("x\n1.5\nb\n")})
	if err == nil || err.Error() != `stdin: column "x" holds text: numbers are mixed with words such as "b"` {
		t.Errorf("got %v", err)
	}
}
