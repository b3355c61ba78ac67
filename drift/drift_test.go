package drift

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/ot"
)

// cloud is n standard normal rows of d columns.
func cloud(n, d int, seed uint64) *ot.Points {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := &ot.Points{Dim: d, Coords: make([]float64, n*d)}
	for k := range x.Coords {
		x.Coords[k] = rng.NormFloat64()
	}
	return x
}

func compare(t *testing.T, reference, fresh *ot.Points, opts *Options) *Result {
	t.Helper()
	r, err := Compare(context.Background(), reference, fresh, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{r.PMoved, r.PDirty} {
		if !(p > 0 && p <= 1) {
			t.Errorf("p-values %v and %v", r.PMoved, r.PDirty)
		}
	}
	for _, i := range r.Suspects {
		if i < 0 || i >= fresh.Len() {
			t.Errorf("suspect %d of %d", i, fresh.Len())
		}
	}
	if r.Tested[0]+r.SetAside[0] != min(reference.Len(), DefaultRows) {
		t.Errorf("tested %v, set aside %v", r.Tested, r.SetAside)
	}
	for k, s := range r.Columns {
		if s.P > s.Adjusted || k > 0 && s.P < r.Columns[k-1].P || s.Effect < 0 {
			t.Errorf("column %d: %+v", k, s)
		}
	}
	return r
}

func TestVerdicts(t *testing.T) {
	reference := cloud(250, 4, 1)
	for _, tt := range []struct {
		name   string
		change func(i int, row []float64)
		want   Verdict
		column int // the first of the columns, or −1
		word   string
	}{
		{"same", func(int, []float64) {}, Same, -1, ""},
		{"shifted", func(_ int, row []float64) { row[2] += 0.6 }, Moved, 2, "up"},
		{"lowered", func(_ int, row []float64) { row[1] -= 0.6 }, Moved, 1, "down"},
		{"wider", func(_ int, row []float64) { row[0] *= 1.8 }, Moved, 0, "wider"},
		{"narrower", func(_ int, row []float64) { row[3] *= 0.5 }, Moved, 3, "narrower"},
		{"correlated", func(_ int, row []float64) { row[1] = 0.75*row[0] + math.Sqrt(1-0.75*0.75)*row[1] }, Moved, -1, ""},
		{"dirty", func(i int, row []float64) {
			if i%25 == 3 {
				row[0], row[1] = 14, -11
			}
		}, Dirty, -1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fresh := cloud(250, 4, 2)
			for i := range fresh.Len() {
				tt.change(i, fresh.Row(i))
			}
			r := compare(t, reference, fresh, nil)
			if r.Verdict != tt.want {
				t.Fatalf("%s: moved %v, dirty %v, want %s; %+v", r.Verdict, r.PMoved, r.PDirty, tt.want, r.Statistics)
			}
			if tt.column >= 0 && (r.Columns[0].Column != tt.column || r.Columns[0].Direction != tt.word || r.Columns[0].Adjusted > 0.05) {
				t.Errorf("first column %+v, want %d %s", r.Columns[0], tt.column, tt.word)
			}
			switch tt.want {
			case Same:
				if len(r.Suspects) > 0 || math.Abs(r.Effect-1) > 0.15 {
					t.Errorf("effect %v, suspects %v", r.Effect, r.Suspects)
				}
			case Dirty:
				want := []int{3, 28, 53, 78, 103, 128, 153, 178, 203, 228}
				if got := slices.Sorted(slices.Values(r.Suspects)); !slices.Equal(got, want) {
					t.Errorf("suspects %v, want %v", got, want)
				}
			}
		})
	}
}

func TestCategories(t *testing.T) {
	sample := func(seed uint64, red int) *ot.Points {
		rng := rand.New(rand.NewPCG(seed, 3))
		x := &ot.Points{Dim: 4}
		for range 300 {
			k := 1 + rng.IntN(2)
			if rng.IntN(10) < red {
				k = 0
			}
			row := []float64{0, 0, 0, rng.NormFloat64()}
			row[k] = 1
			x.Coords = append(x.Coords, row...)
		}
		return x
	}
	columns := []Column{{Name: "colour", Kind: Category, First: 0, Width: 3, Categories: []string{"red", "green", "blue"}}, {Name: "size", Kind: Number, First: 3, Width: 1}}
	r := compare(t, sample(1, 3), sample(2, 6), &Options{Columns: columns})
	if s := r.Columns[0]; r.Verdict != Moved || s.Name != "colour" || s.Direction != "red" || s.Effect < 0.15 || s.Effect > 0.45 || !strings.Contains(s.Text, "more red") {
		t.Errorf("%s, %+v", r.Verdict, s)
	}
	if r := compare(t, sample(1, 3), sample(3, 3), &Options{Columns: columns}); r.Verdict != Same {
		t.Errorf("%s, %v", r.Verdict, r.PMoved)
	}
}

// TestDeterminism: the same samples and seed have the same answer.
func TestDeterminism(t *testing.T) {
	a, b := cloud(60, 3, 1), cloud(70, 3, 2)
	one, two := compare(t, a, b, nil), compare(t, a, b, nil)
	if one.PMoved != two.PMoved || one.Effect != two.Effect || one.PDirty != two.PDirty {
		t.Errorf("%+v and %+v", one, two)
	}
}

func TestDegenerate(t *testing.T) {
	same := &ot.Points{Dim: 2, Coords: slices.Repeat([]float64{1, 2}, 40)}
	if r := compare(t, same, same, nil); r.Verdict != Same || r.Effect != 1 {
		t.Errorf("equal rows: %s, effect %v", r.Verdict, r.Effect)
	}
	other := &ot.Points{Dim: 2, Coords: slices.Repeat([]float64{1, 3}, 40)}
	if r := compare(t, same, other, nil); r.Verdict != Moved {
		t.Errorf("two points: %s, %v", r.Verdict, r.PMoved)
	}
	absurd := cloud(60, 2, 3)
	absurd.Coords[5] = math.MaxFloat64
	compare(t, cloud(60, 2, 4), absurd, nil)
	compare(t, cloud(MinRows, 2, 4), cloud(MinRows, 2, 5), nil)
}

func TestErrors(t *testing.T) {
	good, bad := cloud(20, 2, 1), cloud(20, 2, 1)
	bad.Coords[7] = math.NaN()
	for _, tt := range []struct {
		name     string
		ref, new *ot.Points
		opts     *Options
		want     error
		message  string
	}{
		{name: "nan", ref: good, new: bad, want: ot.ErrValue, message: "row 3 of the new sample, column 1"},
		{name: "few", ref: cloud(3, 2, 1), new: good, want: ot.ErrShape, message: "3 rows of the reference"},
		{name: "columns", ref: cloud(20, 3, 1), new: good, want: ot.ErrShape, message: "3 columns"},
		{name: "nil", new: good, want: ot.ErrShape},
		{name: "alpha", ref: good, new: good, opts: &Options{Alpha: 2}, want: ot.ErrOption},
		{name: "rate", ref: good, new: good, opts: &Options{FDR: -1}, want: ot.ErrOption},
		{name: "rows", ref: good, new: good, opts: &Options{Rows: 3}, want: ot.ErrOption},
		{name: "group", ref: good, new: good, opts: &Options{Columns: []Column{{Name: "a", First: 0, Width: 3}}}, want: ot.ErrShape, message: `"a"`},
		{name: "gap", ref: good, new: good, opts: &Options{Columns: []Column{{Name: "a", First: 0, Width: 1}}}, want: ot.ErrShape, message: "number 1"},
	} {
		_, err := Compare(context.Background(), tt.ref, tt.new, tt.opts)
		if !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "drift: ") || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compare(ctx, good, good, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, n := range []int{200, 2000} {
		x, y := cloud(n, 20, 1), cloud(n, 20, 2)
		b.Run(map[int]string{200: "n=200", 2000: "n=2000"}[n], func(b *testing.B) {
			for b.Loop() {
				if _, err := Compare(context.Background(), x, y, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A row that is wrong in every column still has a nearest row, and not the first
// one because all are as far.
func TestNearestRowOfAFarOne(t *testing.T) {
	like := &ot.Points{Dim: 2, Coords: []float64{0, 0, 1, 1, 2, 2, 9, 9}}
	if got := nearestRow([]float64{100, 100}, like, []float64{1, 1}); got != 3 {
		t.Errorf("the nearest is row %d, want 3", got)
	}
	if got := nearestRow([]float64{1.1, 1e300}, like, []float64{1, 1}); got != 1 {
		t.Errorf("of a row with one absurd value the nearest is row %d, want 1", got)
	}
}

// Of a sample that has moved as a whole nearly all rows differ from the
// reference: that is no list of suspects.
func TestMovedHasNoCrowdOfSuspects(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ref, fresh := &ot.Points{Dim: 2}, &ot.Points{Dim: 2}
	for range 300 {
		ref.Coords = append(ref.Coords, rng.NormFloat64(), rng.NormFloat64())
		fresh.Coords = append(fresh.Coords, 6+rng.NormFloat64(), rng.NormFloat64())
	}
	r, err := Compare(t.Context(), ref, fresh, &Options{Permutations: 19, Rows: 100})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Moved || len(r.Suspects) > 15 || len(r.Blame) == 0 {
		t.Errorf("%s with %d suspects and %d rows to look at", r.Verdict, len(r.Suspects), len(r.Blame))
	}
}

// TestDirtOfRareCategory sets foreign rows aside where a rare category makes a
// second heap of the scores, which is no dirt.
func TestDirtOfRareCategory(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	sample := func(n, foreign int) *ot.Points {
		x := &ot.Points{Dim: 4}
		for i := range n {
			rare := 0.
			if rng.Float64() < 0.1 {
				rare = 1
			}
			a, b := rng.NormFloat64(), rng.NormFloat64()
			if i < foreign {
				a, b = -80, 50+rng.Float64()
			}
			x.Coords = append(x.Coords, a, b, 1-rare, rare)
		}
		return x
	}
	columns := []Column{{"a", Number, 0, 1, nil}, {"b", Number, 1, 1, nil}, {"c", Category, 2, 2, []string{"often", "seldom"}}}
	r, err := Compare(context.Background(), sample(500, 0), sample(400, 8), &Options{Columns: columns, Permutations: 99})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Dirty || r.SetAside[1] < 8 || len(r.Suspects) < 8 || len(r.Suspects) > 12 {
		t.Errorf("verdict %s, p %v, %d and %d set aside, %d suspects", r.Verdict, r.PMoved, r.SetAside[0], r.SetAside[1], len(r.Suspects))
	}
}
