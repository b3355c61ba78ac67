package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// npz is an archive of arrays, given as names and .npy files in turn.
func npz(tb testing.TB, arrays ...any) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for k := 0; k < len(arrays); k += 2 {
		w, err := z.Create(arrays[k].(string) + ".npy")
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write(arrays[k+1].([]byte)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// domains is an archive like those of features for domain adaptation: five
// rows of two half-precision numbers.
func domains(tb testing.TB) []byte {
	half := func(x ...uint16) (b []byte) {
		for _, v := range x {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
		return b
	}
	return npz(tb,
		"x", npy(npyHeader("<f2", "(5, 2)"), half(0x3C00, 0x4000, 0xBC00, 0x3800, 0, 0x7BFF, 0x3C00, 0x3C00, 0x4200, 1)...),
		"scale", npy(npyHeader("<f4", "(2,)"), 0, 0, 0, 0x40, 0, 0, 0x80, 0x3F), // 2 and 1
		"big", npy(npyHeader("<f8", "(2,)"), f8(1, math.MaxFloat64)...),
		"domain", npy(npyHeader("|u1", "(5,)"), 0, 0, 1, 1, 2),
		"y", npy(npyHeader("<f4", "(5,)"), append(bytes.Repeat([]byte{0, 0, 0x40, 0x40}, 4), 0, 0, 0x80, 0x3F)...), // 3 and 1
		"name", npy(npyHeader("|S3", "(5,)"), []byte("catdogcatowldog")...),
		"a,b", npy(npyHeader("|u1", "(5, 1)"), 1, 2, 3, 4, 5),
		"c[:2]", npy(npyHeader("|u1", "(5, 1)"), 5, 4, 3, 2, 1),
		"d*e", npy(npyHeader("|u1", "(5,)"), 6, 7, 8, 9, 9),
	)
}

func TestLoadNPZSpec(t *testing.T) {
	dir := write(t, map[string][]byte{
		"d.npz":     domains(t),
		"UPPER.NPZ": domains(t),
		"one.npz":   npz(t, "x", npy(npyHeader("|u1", "(3, 1)"), 1, 2, 3), "y", npy(npyHeader("|u1", "(3,)"), 4, 5, 4)),
		"label.npz": npz(t, "x", npy(npyHeader("|u1", "(3, 1)"), 1, 2, 3), "y", npy(npyHeader("|u1", "(3,)"), 4, 5, 4), "label", npy(npyHeader("|u1", "(3,)"), 7, 7, 8)),
		"solo.npz":  npz(t, "x", npy(npyHeader("|u1", "(3, 1)"), 1, 2, 3)),
	})
	half := []float64{1, 2, -1, 0.5, 0, 65504, 1, 1, 3, 0x1p-24}
	for _, tt := range []struct {
		spec   string
		opts   *Options
		coords []float64
		labels string
		ids    string
	}{
		{"d.npz:x", nil, half, "", ""},
		{"d.npz:x,y", nil, half, "3 3 3 3 1", ""},
		{"d.npz:x,name", nil, half, "cat dog cat owl dog", ""},
		{"d.npz:x*scale", nil, []float64{2, 2, -2, 0.5, 0, 65504, 2, 1, 6, 0x1p-24}, "", ""},
		{"d.npz:x[domain=1]", nil, half[4:8], "", "2 3"},
		{"d.npz:x*scale,y[domain=2]", nil, []float64{6, 0x1p-24}, "1", "4"},
		{"d.npz:x,y[domain!=1][label=3]", nil, half[:4], "3 3", ""},
		{"d.npz:x,name[label=owl|dog][1:]", nil, half[6:], "owl dog", "3 4"},
		{"d.npz:x,name[1:][y=3][name=cat]", nil, half[4:6], "cat", "2"},
		{"d.npz:x,y[y=1.0]", nil, half[8:], "1", "4"},
		{"d.npz:x[domain=0|1|2]", nil, half, "", ""},
		{"d.npz:x,y[:1]", &Options{IDColumn: "name"}, half[:2], "3", "cat"},
		{"d.npz:x[label=3]", &Options{LabelColumn: "y"}, half[:8], "3 3 3 3", ""},
		{"d.npz:x,y[:1]", &Options{LabelColumn: "y"}, half[:2], "3", ""},
		{"UPPER.NPZ:x[:1]", nil, half[:2], "", ""},
		{"d.npz:a,b", nil, []float64{1, 2, 3, 4, 5}, "", ""},
		{"d.npz:a,b,y[3:]", nil, []float64{4, 5}, "3 1", "3 4"},
		{"d.npz:c[:2]", nil, []float64{5, 4, 3, 2, 1}, "", ""},
		{"d.npz:c[:2][:2]", nil, []float64{5, 4}, "", ""},
		{"d.npz:d*e,y[:1]", nil, []float64{6}, "3", ""},
		{"one.npz:,y[label=5]", nil, []float64{2}, "5", "1"},
		{"label.npz:x,y[label=7]", nil, []float64{1, 2}, "4 5", ""},
		{"solo.npz[1:]", nil, []float64{2, 3}, "", "1 2"},
	} {
		spec := filepath.Join(dir, tt.spec)
		got, err := Load(spec, tt.opts)
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.Equal(got.Points.Coords, tt.coords) || strings.Join(got.Labels, " ") != tt.labels || strings.Join(got.Points.IDs, " ") != tt.ids ||
			got.Name != spec || got.Format != "npz" {
			t.Errorf("%s: %+v", tt.spec, got)
		}
		if IsImages(spec) {
			t.Errorf("%s is taken for images", tt.spec)
		}
	}
	// What is left out must not hold on to the memory of the whole.
	if got := mustLoad(t, filepath.Join(dir, "d.npz:x[domain=2]")); cap(got.Points.Coords) != 2 {
		t.Errorf("%d numbers in memory for 2", cap(got.Points.Coords))
	}
}

func TestNPZSpecErrors(t *testing.T) {
	good := domains(t)
	flipped := slices.Clone(good)
	flipped[110] ^= 0xFF // in the data of x
	dir := write(t, map[string][]byte{
		"d.npz": good, "cut.npz": good[:len(good)-9], "flipped.npz": flipped, "empty.npz": npz(t),
		"bad.npz": npz(t,
			"x", npy(npyHeader("<f2", "(2, 1)"), 0, 0x3C, 0, 0x7E), "ok", npy(npyHeader("<f2", "(2, 1)"), 0, 0x3C, 0, 0x3C),
			"short", npy(npyHeader("<f2", "(2,)"), 0, 0x3C), "text", []byte("no array"), "one", npy(npyHeader("<f2", "()"), 0, 0x3C)),
	})
	const has = "the archive has x, scale, big, domain, y, name, a,b, c[:2], d*e"
	for _, tt := range []struct {
		spec, file, want string
		opts             *Options
	}{
		{spec: "d.npz:x,z", file: "d.npz:z", want: "no such array; " + has},
		{spec: "d.npz:z,y", file: "d.npz:z", want: "no such array; " + has},
		{spec: "d.npz:x*z", file: "d.npz:z", want: "no such array; " + has},
		{spec: "d.npz:x*scale*scale", file: "d.npz:x*scale", want: "no such array; " + has},
		{spec: "d.npz:x[z=1]", file: "d.npz:z", want: "no such array; " + has},
		{spec: "d.npz:x[label=1]", file: "d.npz:label", want: "no such array; " + has},
		{spec: "d.npz:x,y[domain>1]", file: "d.npz:y[domain>1]", want: "no such array; " + has},
		{spec: "d.npz:x,", want: "no array of labels follows the comma"},
		{spec: "d.npz:x*,y", want: "no array of factors follows the *"},
		{spec: "d.npz,y", want: "no such file; " + supported},
		{spec: "d.npz:,y", file: "d.npz", want: "the archive has several arrays (x, scale, big, domain, name, a,b, c[:2], d*e); choose one, as in DIR/d.npz:x"},
		{spec: "d.npz:x,scale", file: "d.npz:scale", want: "has shape (2,); one value for each of 5 rows was expected"},
		{spec: "d.npz:y,x", file: "d.npz:x", want: "has shape (5, 2); one value for each of 5 rows was expected"},
		{spec: "d.npz:x[scale=2]", file: "d.npz:scale", want: "has shape (2,); one value for each of 5 rows was expected"},
		{spec: "d.npz:x[x=2]", file: "d.npz:x", want: "has shape (5, 2); one value for each of 5 rows was expected"},
		{spec: "d.npz:x*domain", file: "d.npz:domain", want: "has shape (5,); one factor for each of 2 columns was expected"},
		{spec: "d.npz:x*x", file: "d.npz:x", want: "has shape (5, 2); one factor for each of 2 columns was expected"},
		{spec: "d.npz:x*name", file: "d.npz:name", want: "holds text, not numbers"},
		{spec: "d.npz:x*big", want: "row 0, column 2: +Inf is not a finite number (rows count from 0, columns from 1)"},
		{spec: "d.npz:x[domain=7]", file: "d.npz:domain", want: `no row has the value "7"; there are 0, 1, 2`},
		{spec: "d.npz:x[domain!=1|7]", file: "d.npz:domain", want: `no row has the value "7"; there are 0, 1, 2`},
		{spec: "d.npz:x,name[label=cow]", file: "d.npz", want: `no row has the label "cow"; there are cat, dog, owl`},
		{spec: "d.npz:x,y[domain=2][y=3]", file: "d.npz:x", want: "[domain=2][y=3] leaves no rows"},
		{spec: "d.npz:x[domain=1][5:]", file: "d.npz:x", want: "the range [5:] goes beyond the 2 rows that there are"},
		{spec: "d.npz:x,y", opts: &Options{LabelColumn: "name"}, want: "names other labels than the label column name"},
		{spec: "d.npz:x,y", opts: &Options{LabelColumn: "z"}, file: "d.npz", want: "label column z: no such array; " + has},
		{spec: "cut.npz:x,y", file: "cut.npz", want: "is not an .npz archive, or is cut short"},
		{spec: "flipped.npz:x,y", file: "flipped.npz:x", want: "the compressed data is damaged"},
		{spec: "empty.npz:x,y", file: "empty.npz:x", want: "no such array; the archive has "},
		{spec: "empty.npz[:1]", file: "empty.npz", want: "the archive has no array to read"},
		{spec: "bad.npz:x,ok[ok=1][:1]", file: "bad.npz:x", want: "row 1, column 1: NaN is not a finite number (rows count from 0, columns from 1)"},
		{spec: "bad.npz:ok,short", file: "bad.npz:short", want: "the file is cut short: its header declares 2 values of 2 bytes, and 2 bytes follow"},
		{spec: "bad.npz:ok[text=1]", file: "bad.npz:text", want: "is not a .npy file: it does not start with the NUMPY mark"},
		{spec: "bad.npz:ok*one", file: "bad.npz:one", want: "is a single value; rows were expected"},
	} {
		if tt.file == "" {
			tt.file = tt.spec
		}
		_, err := Load(filepath.Join(dir, tt.spec), tt.opts)
		want := filepath.Join(dir, tt.file) + ": " + strings.ReplaceAll(tt.want, "DIR", dir)
		var bad *InputError
		if err == nil || err.Error() != want || !errors.As(err, &bad) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	file := filepath.Join(dir, "d.npz:x,y[domain=1]")
	if _, err := LoadImages(file, nil); err == nil || err.Error() != filepath.Join(dir, "d.npz:x,y")+": holds rows of numbers, not images; "+supportedImages {
		t.Error(err)
	}
}
