package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// npy is a .npy file of version 1 with this header text and data.
func npy(header string, data ...byte) []byte {
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(header)))
	return append(append(b, header...), data...)
}

func npyHeader(descr, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
}

func f8(x ...float64) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func TestNPZTypes(t *testing.T) {
	for _, kind := range []string{"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"} {
		want := []float64{0, 1, 2, 3, 4, 5}
		switch kind[0] {
		case 'f':
			want = []float64{-1.5, -1, -0.5, 0, 0.5, 1}
		case 'i':
			want = []float64{-3, -2, -1, 0, 1, 2}
		}
		for _, order := range []string{"_little", "_big"} {
			checkArray(t, "testdata/dtypes.npz:"+kind+order, 3, want)
		}
	}
	upTo24 := make([]float64, 24)
	for i := range upTo24 {
		upTo24[i] = float64(i)
	}
	checkArray(t, "testdata/dtypes.npz:bool", 3, []float64{0, 1, 0, 1, 0, 1})
	checkArray(t, "testdata/dtypes.npz:fortran", 3, upTo24[:6])
	checkArray(t, "testdata/dtypes.npz:fortran3", 12, upTo24)
	checkArray(t, "testdata/dtypes.npz:cube", 12, upTo24)
	checkArray(t, "testdata/dtypes.npz:line", 1, upTo24[:4])
	checkArray(t, "testdata/one.npz", 3, upTo24[:6])
	checkArray(t, "testdata/v1.npy", 3, upTo24[:6])
	checkArray(t, "testdata/v2.npy", 3, upTo24[:6])
	checkArray(t, "testdata/v3.npy", 3, upTo24[:6])
}

func checkArray(t *testing.T, spec string, dim int, want []float64) {
	t.Helper()
	got, err := Load(spec, nil)
	if err != nil {
		t.Error(err)
		return
	}
	if got.Points.Dim != dim || !slices.Equal(got.Points.Coords, want) {
		t.Errorf("%s: %v of dim %d, want %v of dim %d", spec, got.Points.Coords, got.Points.Dim, want, dim)
	}
}

func TestNPZLabels(t *testing.T) {
	for _, tt := range []struct {
		array string
		want  []string
	}{
		{"y", []string{"7", "-1"}},
		{"name", []string{"müller", "ann"}},
		{"raw", []string{"ab", "c"}},
		{"big", []string{"xy", "z"}},
		{"good", []string{"true", "false"}},
		{"w", []string{"0.5", "2"}},
	} {
		got, err := Load("testdata/labelled.npz:X", &Options{LabelColumn: tt.array, IDColumn: "name"})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Labels, tt.want) || !slices.Equal(got.Points.IDs, []string{"müller", "ann"}) {
			t.Errorf("%s: labels %q, ids %q", tt.array, got.Labels, got.Points.IDs)
		}
	}
}

func TestElemRoundTrip(t *testing.T) {
	// The largest values show a wrong sign extension or byte order.
	for _, tt := range []struct {
		descr string
		data  []byte
		want  float64
		label string
	}{
		{"|i1", []byte{0x80}, -128, "-128"},
		{"|u1", []byte{0xFF}, 255, "255"},
		{"<i2", []byte{0x00, 0x80}, -32768, "-32768"},
		{">u2", []byte{0xFE, 0xFF}, 65279, "65279"},
		{"<i4", []byte{0xFF, 0xFF, 0xFF, 0x7F}, math.MaxInt32, "2147483647"},
		{">u4", []byte{0xFF, 0xFF, 0xFF, 0xFE}, math.MaxUint32 - 1, "4294967294"},
		{">i8", []byte{0x80, 0, 0, 0, 0, 0, 0, 0}, math.MinInt64, "-9223372036854775808"},
		{"<u8", []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, 1 << 63, "9223372036854775809"},
		{"<f2", []byte{0x01, 0x00}, 0x1p-24, "5.960464477539063e-08"}, // smallest subnormal
		{"<f2", []byte{0x02, 0x80}, -0x1p-23, "-1.1920928955078125e-07"},
		{"<f2", []byte{0xFF, 0xFB}, -65504, "-65504"}, // largest
		{"<f2", []byte{0x00, 0x80}, 0, "0"},
		{"<f4", []byte{0x00, 0x24, 0x74, 0x49}, 1e6, "1000000"},
		{">f4", []byte{0x3F, 0xC0, 0, 0}, 1.5, "1.5"},
		{"=f8", f8(-1e300), -1e300, "-1e+300"},
		{"|b1", []byte{7}, 1, "true"},
		{"?", []byte{0}, 0, "false"},
	} {
		file := npy(npyHeader(tt.descr, "(1,)"), tt.data...)
		got, err := readArrayTable("a.npy", bytes.NewReader(file), int64(len(file)), readNPYHeader)
		if err != nil || !slices.Equal(got.Points.Coords, []float64{tt.want}) {
			t.Errorf("%s: got %v, %v, want %v", tt.descr, got, err, tt.want)
		}
		labels, err := readArrayLabels("a.npy", bytes.NewReader(file), -1, 1, readNPYHeader)
		if err != nil || !slices.Equal(labels, []string{tt.label}) {
			t.Errorf("%s: got %q, %v, want %q", tt.descr, labels, err, tt.label)
		}
	}
}

func TestNPYErrors(t *testing.T) {
	nan := npy(npyHeader("<f8", "(2, 2)"), f8(1, 2, 3, math.NaN())...)
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "a.npy: is not a .npy file: it does not start with the NUMPY mark"},
		{"other file", []byte("x,y\n1,2\n3,4\n"), "a.npy: is not a .npy file: it does not start with the NUMPY mark"},
		{"version", []byte("\x93NUMPY\x04\x00"), "a.npy: is a .npy file of version 4; versions 1 to 3 are read"},
		{"cut in the length", []byte("\x93NUMPY\x02\x00\x01"), "a.npy: the file is cut short"},
		{"cut in the header", npy(npyHeader("<f8", "(1,)"))[:20], "a.npy: the file is cut short"},
		{"long header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "a.npy: its header claims 4294967295 bytes; the file is damaged"},
		{"no dict", npy("hello"), `a.npy: its header is not a description of an array: "hello"`},
		{"bad shape", npy(npyHeader("<f8", "(2, x)")), "a.npy: its header declares shape (2, x)"},
		{"negative", npy(npyHeader("<f8", "(-2,)")), "a.npy: its header declares shape (-2,)"},
		{"scalar", npy(npyHeader("<f8", "()"), f8(1)...), "a.npy: is a single value; rows were expected"},
		{"no rows", npy(npyHeader("<f8", "(0, 3)")), "a.npy: has no values: its shape is (0, 3)"},
		{"no columns", npy(npyHeader("<f8", "(3, 0)")), "a.npy: has no values: its shape is (3, 0)"},
		{"overflow", npy(npyHeader("<f8", "(4611686018427387904, 4)")), "a.npy: declares shape (4611686018427387904, 4), more than memory can hold; the file is damaged"},
		{"cut short", npy(npyHeader("<f8", "(1000000000, 3)"), f8(1)...), "a.npy: the file is cut short: its header declares 3000000000 values of 8 bytes, and 8 bytes follow"},
		{"too long", npy(npyHeader("<f8", "(1,)"), f8(1, 2)...), "a.npy: 8 bytes follow the data that the header declares"},
		{"NaN", nan, "a.npy: row 1, column 2: NaN is not a finite number (rows count from 0, columns from 1)"},
		{"infinite", npy(npyHeader("<f2", "(1,)"), 0x00, 0xFC), "a.npy: row 0, column 1: -Inf is not a finite number (rows count from 0, columns from 1)"},
		{"long double", npy(npyHeader("<f16", "(1,)")), `a.npy: has elements of type "<f16"; floats of 2, 4 and 8 bytes, integers and bool are read`},
		{"no type", npy(npyHeader("", "(1,)")), `a.npy: has elements of unknown type ""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readArrayTable("a.npy", bytes.NewReader(tt.file), int64(len(tt.file)), readNPYHeader)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	// Without a known size, as from a .gz file.
	_, err := readArrayTable("a.npy.gz", bytes.NewReader(nan[:len(nan)-1]), -1, readNPYHeader)
	if err == nil || !strings.Contains(err.Error(), "cut short: its header declares 4 values") {
		t.Errorf("got %v", err)
	}
	_, err = readArrayTable("a.npy.gz", bytes.NewReader(append(npy(npyHeader("<f8", "(1,)"), f8(1)...), 0)), -1, readNPYHeader)
	if err == nil || err.Error() != "a.npy.gz: more bytes follow the data that the header declares" {
		t.Errorf("got %v", err)
	}
}

func TestFixtureErrors(t *testing.T) {
	for _, tt := range []struct {
		spec string
		opts Options
		want string
	}{
		{spec: "object.npy", want: "holds Python objects; save it with a numeric type"},
		{spec: "complex.npy", want: "holds complex numbers; save the real and imaginary parts as columns"},
		{spec: "v1.npy", opts: Options{IDColumn: "a"}, want: "no such column: a; its 3 columns have no names; give their numbers, counted from 1"},
		{spec: "labelled.npz", want: "the archive has several arrays (X, y, name, raw, big, good, w); choose one, as in testdata/labelled.npz:X"},
		{spec: "labelled.npz:Z", want: "no such array; the archive has X, y, name, raw, big, good, w"},
		{spec: "labelled.npz:name", want: "holds text, not numbers"},
		{spec: "labelled.npz:X", opts: Options{LabelColumn: "c"}, want: "label column c: no such array; the archive has X, y, name, raw, big, good, w"},
		{spec: "labelled.npz:y", opts: Options{LabelColumn: "X"}, want: "has shape (2, 3); one value for each of 2 rows was expected"},
		{spec: "one.npz", opts: Options{LabelColumn: "X"}, want: "the archive has no array to read"},
		{spec: "null.parquet", want: `column "x" has 1 missing value, the first in row 1`},
		{spec: "nan.parquet", want: `column "x" has 1 missing value, the first in row 1`},
		{spec: "void.parquet", want: `column "x" has 2 missing values, the first in row 0`},
		{spec: "empty.parquet", want: "the Parquet file has no rows"},
		{spec: "named.parquet", want: `column "name" holds text: 2500 different values such as "r0"`},
		{spec: "named.parquet", opts: Options{IDColumn: "nom"}, want: "no such column: nom; the columns are name, x, k, class"},
	} {
		t.Run(tt.spec, func(t *testing.T) {
			_, err := Load("testdata/"+tt.spec, &tt.opts)
			if err == nil || !strings.HasPrefix(err.Error(), "testdata/"+strings.SplitN(tt.spec, ":", 2)[0]) || !strings.HasSuffix(err.Error(), ": "+tt.want) {
				t.Errorf("got  %v\nwant testdata/%s: %s", err, tt.spec, tt.want)
			}
		})
	}
}

// TestFixtureKinds reads files that hold more than numbers.
func TestFixtureKinds(t *testing.T) {
	for _, tt := range []struct {
		spec    string
		columns []string
	}{
		{"structured.npy", []string{"x", "y"}},
		{"dates.npy", []string{"1"}},
		{"nested.parquet", []string{"x"}},
		{"date.parquet", []string{"when", "x"}},
		{"decimal.parquet", []string{"x"}},
		{"index.parquet", []string{"x"}},
	} {
		got, err := Load("testdata/"+tt.spec, nil)
		if err != nil || !slices.Equal(got.Columns, tt.columns) {
			t.Errorf("%s: got %v, %v", tt.spec, got, err)
		}
	}
	got, err := Load("testdata/labelled.npz", &Options{Columns: []string{"X", "w"}, LabelColumn: "y"})
	if err != nil || !slices.Equal(got.Columns, []string{"X[1]", "X[2]", "X[3]", "w"}) || got.Labels == nil {
		t.Errorf("got %v, %v", got, err)
	}
}
