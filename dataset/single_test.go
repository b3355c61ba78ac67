package dataset

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rot.example/rot/table"
)

// TestLoadSingle reads arrays in single precision where that holds their
// numbers, with the same rows as otherwise, and not where anything is to be done
// to them.
func TestLoadSingle(t *testing.T) {
	const rows, dim = 5, 40
	array := func(descr string, bad int) string {
		var data []byte
		for k := range rows * dim {
			v := float64(k%7) - 2.5
			if k == bad {
				v = math.NaN()
			}
			switch descr {
			case "<f4":
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
			case "<f8":
				data = append(data, f8(v)...)
			case "|u1":
				data = append(data, byte(k%7))
			}
		}
		path := filepath.Join(t.TempDir(), "a.npy")
		if err := os.WriteFile(path, npy(npyHeader(descr, "(5, 40)"), data...), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name   string
		path   string
		opts   Options
		single bool
	}{
		{"single", array("<f4", -1), Options{Single: true}, true},
		{"bytes", array("|u1", -1), Options{Single: true}, true},
		{"not asked for", array("<f4", -1), Options{}, false},
		{"double", array("<f8", -1), Options{Single: true}, false},
		{"columns", array("<f4", -1), Options{Single: true, Ignore: []string{"3"}}, false},
		{"scaled", array("<f4", -1), Options{Single: true, Scale: table.ScaleStd}, false},
		{"missing", array("<f4", 7), Options{Single: true, Missing: table.MissingMedian}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Load(tt.path, &tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if single := got.Points.Single != nil; single != tt.single || single == (got.Points.Coords != nil) {
				t.Fatalf("single precision %v, want %v", single, tt.single)
			}
			tt.opts.Single = false
			want, err := Load(tt.path, &tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Points.Double().Coords, want.Points.Coords) {
				t.Error("rows differ from those in double precision")
			}
		})
	}
	_, err := LoadTogether([]string{array("<f4", -1), array("<f8", -1)}, &Options{Single: true})
	if err != nil {
		t.Errorf("one of two in single precision: %v", err)
	}
}
