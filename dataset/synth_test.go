package dataset

import (
	"math"
	"slices"
	"testing"
)

func TestSynth(t *testing.T) {
	for _, tt := range []struct {
		spec   string
		n, d   int
		labels []string // that occur
		first  float32  // pins the rows across versions and platforms
	}{
		{"synth:gauss", 1000, 2, nil, 0.20880385},
		{"synth:gauss,n=7,d=3,seed=5", 7, 3, nil, -0.82420623},
		{"synth:outliers,n=200,gamma=0.1,shift=-5", 200, 2, []string{"0", "1"}, 0.20880385},
		{"synth:moons,n=100,noise=0", 100, 2, []string{"0", "1"}, 0.9491159},
		{"synth:eight,n=500,radius=4", 500, 2, []string{"0", "1", "2", "3", "4", "5", "6", "7"}, 2.804113},
		{"synth:ring,n=50,noise=0", 50, 2, nil, -0.8533622},
		{"synth:far,n=20,d=3", 20, 3, nil, 5.836144},
		{"synth:uniform,d=1,seed=18446744073709551615", 1000, 1, nil, 0.18580809},
	} {
		t.Run(tt.spec, func(t *testing.T) {
			a, err := Load(tt.spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := Load(tt.spec, nil)
			if a.Points.Len() != tt.n || a.Points.Dim != tt.d || a.Format != "synth" || a.Name != tt.spec {
				t.Errorf("%d rows of dim %d", a.Points.Len(), a.Points.Dim)
			}
			if !slices.Equal(a.Points.Coords, b.Points.Coords) || !slices.Equal(a.Labels, b.Labels) {
				t.Error("two loads differ")
			}
			labels := slices.Compact(slices.Sorted(slices.Values(a.Labels)))
			if !slices.Equal(labels, tt.labels) {
				t.Errorf("labels %q, want %q", labels, tt.labels)
			}
			if a.Points.Coords[0] != float64(tt.first) {
				t.Errorf("first coordinate %v, want %v", a.Points.Coords[0], tt.first)
			}
		})
	}
}

func TestSynthShapes(t *testing.T) {
	gauss := mustLoad(t, "synth:gauss,n=400,seed=3")
	dirty := mustLoad(t, "synth:outliers,n=400,seed=3,gamma=0.05,shift=8")
	marks, err := dirty.Marks()
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for i, m := range marks {
		want := slices.Clone(gauss.Points.Row(i))
		if m {
			want[0] += 8
			moved++
		}
		if got := dirty.Points.Row(i); math.Abs(got[0]-want[0]) > 1e-5 || got[1] != want[1] {
			t.Fatalf("row %d is %v, want %v", i, got, want)
		}
	}
	if moved != 20 {
		t.Errorf("%d rows moved, want 20", moved)
	}
	ring := mustLoad(t, "synth:ring,noise=0,radius=3")
	for i := range ring.Points.Len() {
		if r := math.Hypot(ring.Points.Row(i)[0], ring.Points.Row(i)[1]); math.Abs(r-3) > 1e-6 {
			t.Fatalf("radius %v", r)
		}
	}
	far := infoOf(mustLoad(t, "synth:far,n=2000,d=4,shift=6,noise=0.1"))
	for _, c := range far.Columns {
		if math.Abs(*c.Mean-3) > 0.02 || math.Abs(*c.Std-0.1) > 0.01 { // 6/√4
			t.Errorf("far: %+v", c)
		}
	}
	info := infoOf(mustLoad(t, "synth:uniform,n=5000"))
	if c := info.Columns[0]; *c.Min < 0 || *c.Max > 1 || math.Abs(*c.Mean-0.5) > 0.02 {
		t.Errorf("uniform: %+v", c)
	}
	if c := infoOf(mustLoad(t, "synth:gauss,n=5000")).Columns[1]; math.Abs(*c.Mean) > 0.05 || math.Abs(*c.Std-1) > 0.05 {
		t.Errorf("gauss: %+v", c)
	}
}

func mustLoad(t *testing.T, spec string) *Table {
	t.Helper()
	table, err := Load(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestSynthErrors(t *testing.T) {
	for _, tt := range []struct{ spec, want string }{
		{"synth:", `no synthetic set is called ""; there are gauss, outliers, moons, eight, ring, uniform, far`},
		{"synth:gaus", `no synthetic set is called "gaus"; there are gauss, outliers, moons, eight, ring, uniform, far`},
		{"synth:moons,d=3", `moons has no parameter "d"; it takes n, noise, seed`},
		{"synth:gauss,N=3", `gauss has no parameter "N"; it takes n, d, seed`},
		{"synth:gauss,n=0", "n=0 is not a whole number from 1 to 268435456"},
		{"synth:gauss,n", "n= is not a whole number from 1 to 268435456"},
		{"synth:gauss,n=20000,d=20000", "n=20000 rows of d=20000 are more than 268435456 numbers"},
		{"synth:gauss,seed=-1", `seed "-1" is not a whole number from 0 to 2⁶⁴−1`},
		{"synth:outliers,gamma=1", "gamma=1 is not in [0, 1)"},
		{"synth:outliers,shift=nan", "shift=nan is not a number of size up to 1e30"},
		{"synth:ring,noise=-1", "noise=-1 is negative"},
		{"synth:digits,n=3", "makes images; images are not points"},
	} {
		_, err := Load(tt.spec, nil)
		if want := tt.spec + ": " + tt.want; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if _, err := Load("synth:gauss", &Options{LabelColumn: "c"}); err == nil {
		t.Error("a label column of synthetic data was taken")
	}
	for _, spec := range SynthSpecs() {
		mustLoad(t, spec)
	}
}
