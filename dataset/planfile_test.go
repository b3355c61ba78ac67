package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// planFile writes a file of the test.
func planFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func planArchive(t *testing.T, arrays ...table.Array) string {
	t.Helper()
	var b bytes.Buffer
	if err := table.WriteArrays(&b, arrays); err != nil {
		t.Fatal(err)
	}
	return planFile(t, "a.npz", b.String())
}

func TestLoadPlan(t *testing.T) {
	list := func(name string, v ...float64) table.Array {
		return table.Array{Name: name, Shape: []int{len(v)}, Floats: v}
	}
	format := func(s string) table.Array { return table.Array{Name: "format", Shape: []int{len(s)}, Bytes: []byte(s)} }
	tests := []struct {
		name, path string
	}{
		{"columns", planFile(t, "p.csv", "i,j,mass\n0,1,0.5\n1,2,0.25\n1,0,0.25\n")},
		{"columns in another order", planFile(t, "p.csv", "mass,J,I\n0.5,1,0\n0.25,2,1\n0.25,0,1\n")},
		{"a saved index", planFile(t, "p.csv", ",i,j,mass\n0,0,1,0.5\n1,1,2,0.25\n2,1,0,0.25\n")},
		{"without names", planFile(t, "p.csv", "0,1,0.5\n1,2,0.25\n1,0,0.25\n")},
		{"dense", planFile(t, "p.csv", "0,0.5,0\n0.25,0,0.25\n")},
		{"JSON", planFile(t, "p.json", `{"i": [0, 1, 1], "j": [1, 2, 0], "mass": [0.5, 0.25, 0.25]}`)},
		{"dense JSON", planFile(t, "p.json", `[[0, 0.5, 0], [0.25, 0, 0.25]]`)},
		{"COO", planArchive(t, list("row", 0, 1, 1), list("col", 1, 2, 0), list("data", .5, .25, .25), format("coo"), list("shape", 2, 3))},
		{"CSR", planArchive(t, list("indptr", 0, 1, 3), list("indices", 1, 2, 0), list("data", .5, .25, .25), format("csr"), list("shape", 2, 3))},
		{"CSC", planArchive(t, list("indptr", 0, 1, 2, 3), list("indices", 1, 0, 1), list("data", .25, .5, .25), format("csc"), list("shape", 2, 3))},
		{"dense NPZ", planArchive(t, table.Array{Name: "P", Shape: []int{2, 3}, Floats: []float64{0, .5, 0, .25, 0, .25}})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := LoadPlan(tt.path, 2, 3)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float64, 6)
			for k, v := range p.Mass {
				got[3*p.I[k]+p.J[k]] += v
			}
			if want := []float64{0, .5, 0, .25, 0, .25}; !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestLoadPlanRefuses(t *testing.T) {
	tests := []struct{ name, path, want string }{
		{"beyond", planFile(t, "p.csv", "i,j,mass\n0,3,1\n"), "3 is not a row of the target"},
		{"half a row", planFile(t, "p.csv", "i,j,mass\n0.5,1,1\n"), "0.5 is not a row of the source"},
		{"a gap", planFile(t, "p.csv", "i,j,mass\n0,1,\n1,2,1\n"), `column "mass"`},
		{"words", planFile(t, "p.csv", "i,j,mass\n0,1,much\n1,2,little\n"), `"mass"`},
		{"shape", planFile(t, "p.csv", "1,2\n3,4\n"), "has 2 rows and 2 columns"},
		{"other JSON", planFile(t, "p.json", `{"i": "x"}`), "neither a JSON object"},
		{"lists of two lengths", planFile(t, "p.json", `{"i": [0], "j": [1, 2], "mass": [1]}`), "1, 2 and 1 numbers"},
		{"a damaged CSR", planArchive(t, table.Array{Name: "indptr", Shape: []int{3}, Floats: []float64{0, 2, 1}},
			table.Array{Name: "indices", Shape: []int{1}, Floats: []float64{0}}, table.Array{Name: "data", Shape: []int{1}, Floats: []float64{1}}), "indptr is damaged"},
		{"nothing there", filepath.Join(t.TempDir(), "none.npz"), "no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := LoadPlan(tt.path, 2, 3)
			if err == nil {
				t.Fatalf("got %v", p)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, want %q in it", err, tt.want)
			}
		})
	}
}

func TestLoadPotentials(t *testing.T) {
	for _, path := range []string{
		planFile(t, "p.json", `{"f": [1, 2], "g": [3, 4, 5]}`),
		planFile(t, "p.csv", "side,index,potential\n0,1,2\n0,0,1\n1,0,3\n1,1,4\n1,2,5\n"),
	} {
		f, g, err := LoadPotentials(path, 2, 3)
		if err != nil || !slices.Equal(f, []float64{1, 2}) || !slices.Equal(g, []float64{3, 4, 5}) {
			t.Errorf("%s: got %v, %v, %v", path, f, g, err)
		}
	}
	for text, want := range map[string]string{
		`{"f": [1, 2, 3]}`: "has 3 potentials for the 2 rows of the source",
		`{"x": [1, 2, 3]}`: "has no potentials",
	} {
		if _, _, err := LoadPotentials(planFile(t, "p.json", text), 2, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if _, _, err := LoadPotentials(planFile(t, "p.csv", "side,index,potential\n0,0,1\n1,0,3\n1,1,4\n1,2,5\n"), 2, 3); err == nil || !strings.Contains(err.Error(), "row 1 of the source is missing") {
		t.Errorf("a missing potential: %v", err)
	}
}

// TestPotentialsComeBack: what WritePotentials writes is read again, in every
// format.
func TestPotentialsComeBack(t *testing.T) {
	r := &ot.Result{F: []float64{1, 2}, G: []float64{3, 4, 5}}
	for _, name := range []string{"p.csv", "p.npy", "p.npz", "p.parquet", "p.json"} {
		var b bytes.Buffer
		if err := WritePotentials(&b, name, r); err != nil {
			t.Fatal(err)
		}
		if f, g, err := LoadPotentials(planFile(t, name, b.String()), 2, 3); err != nil || !slices.Equal(f, r.F) || !slices.Equal(g, r.G) {
			t.Errorf("%s: got %v, %v, %v", name, f, g, err)
		}
	}
}
