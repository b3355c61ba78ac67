package clean

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"rot.example/rot/ot"
)

// dirty is a sample with a few far rows, a flag column and a heavy tail.
func dirty(n int, seed uint64) *ot.Points {
	rng := rand.New(rand.NewPCG(seed, 9))
	x := cloud(n, 4, seed)
	for i := range n {
		row := x.Row(i)
		row[2] = float64(rng.IntN(2))
		row[3] = math.Exp(2 * rng.NormFloat64())
		if i%40 == 7 {
			row[0] += 9
		}
	}
	return x
}

func both(t *testing.T, x, reference *ot.Points, opts *Options) map[string]*Result {
	t.Helper()
	return map[string]*Result{"find": find(t, x, opts), "against": against(t, x, reference, opts)}
}

func TestRowOrder(t *testing.T) {
	for _, n := range []int{50, 1500} { // all rows in a pool, and not all
		x, reference := dirty(n, 1), cloud(300, 4, 2)
		want := both(t, x, reference, &Options{Gamma: 0.05})
		perm := rand.New(rand.NewPCG(7, 7)).Perm(n)
		y := &ot.Points{Dim: x.Dim}
		for _, i := range perm {
			y.Coords = append(y.Coords, x.Row(i)...)
		}
		for name, got := range both(t, y, reference, &Options{Gamma: 0.05}) {
			for k, i := range perm {
				if got.Score[k] != want[name].Score[i] || got.Weight[k] != want[name].Weight[i] || got.Suspect[k] != want[name].Suspect[i] {
					t.Fatalf("%s, n=%d: row %d has score %v, elsewhere %v", name, n, i, want[name].Score[i], got.Score[k])
				}
			}
		}
	}
}

func TestDeterminism(t *testing.T) {
	x, reference := dirty(1500, 1), cloud(300, 4, 2)
	want := both(t, x, reference, &Options{Seed: 5, Gamma: 0.1})
	named := *x
	named.IDs = make([]string, x.Len()) // names change nothing
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, got := range both(t, &named, reference, &Options{Seed: 5, Gamma: 0.3}) {
		if !slices.Equal(got.Score, want[name].Score) {
			t.Errorf("%s: other scores on one thread, or for another gamma", name)
		}
	}
	for name, got := range both(t, x, reference, &Options{Seed: 6, Gamma: 0.1}) {
		if slices.Equal(got.Score, want[name].Score) {
			t.Errorf("%s: the seed changes nothing", name)
		}
	}
}

// TestUnits gives each column another unit and origin, powers of two so that
// nothing is rounded on the way.
func TestUnits(t *testing.T) {
	x, reference := dirty(800, 1), dirty(300, 2)
	want := both(t, x, reference, nil)
	unit, shift := []float64{1024, 0x1p-40, 0x1p90, 1}, []float64{0, 0x1p-38, 0, -4}
	change := func(p *ot.Points) *ot.Points {
		q := &ot.Points{Dim: p.Dim, Coords: slices.Clone(p.Coords)}
		for k := range q.Coords {
			q.Coords[k] = q.Coords[k]*unit[k%4] + shift[k%4]
		}
		return q
	}
	for name, got := range both(t, change(x), change(reference), nil) {
		for i, s := range want[name].Score {
			if math.Abs(got.Score[i]-s) > 1e-6*(1+math.Abs(s)) {
				t.Fatalf("%s: row %d has score %v, in other units %v", name, i, s, got.Score[i])
			}
		}
	}
}

func TestUnscaled(t *testing.T) {
	x := cloud(500, 2, 1)
	for i := range x.Len() {
		x.Row(i)[1] *= 1e-3
	}
	x.Row(3)[1] = 0.02 // 20 deviations away, and nothing to those of column 0
	if r := find(t, x, nil); r.Rank[3] != 1 {
		t.Errorf("scaled: rank %d, want 1", r.Rank[3])
	}
	if r := find(t, x, &Options{Unscaled: true}); r.Rank[3] < 20 {
		t.Errorf("unscaled: rank %d, want a row like others", r.Rank[3])
	}
	plain := find(t, x, &Options{Unscaled: true})
	if table := find(t, x, nil); plain.Core != DefaultUnscaledCore || table.Core != DefaultCore {
		t.Errorf("cores of %d and %d rows", plain.Core, table.Core)
	}
	for k := range x.Coords {
		x.Coords[k] *= 0x1p200
	}
	if r := find(t, x, &Options{Unscaled: true}); !slices.Equal(r.Score, plain.Score) {
		t.Error("unscaled: a common unit changes the scores")
	}
}

func TestDuplicates(t *testing.T) {
	x := dirty(300, 1)
	for i := 100; i < 300; i++ {
		copy(x.Row(i), x.Row(i%100))
	}
	for name, r := range both(t, x, cloud(100, 4, 2), nil) {
		for i := 100; i < 300; i++ {
			if r.Score[i] != r.Score[i%100] || r.Weight[i] != r.Weight[i%100] {
				t.Fatalf("%s: equal rows %d and %d have scores %v and %v", name, i%100, i, r.Score[i%100], r.Score[i])
			}
		}
	}
	same := &ot.Points{Dim: 3, Coords: slices.Repeat([]float64{1, 2, 3}, 50)}
	for name, r := range both(t, same, same, nil) {
		if slices.Max(r.Score) != 0 || slices.Min(r.Score) != 0 || slices.Contains(r.Suspect, true) {
			t.Errorf("%s: rows that are all equal have scores %v", name, r.Score[:3])
		}
	}
	other := &ot.Points{Dim: 3, Coords: slices.Clone(same.Coords)}
	other.Coords[20*3] = 1.5
	for name, r := range both(t, other, same, nil) {
		if r.Rank[20] != 1 {
			t.Errorf("%s: the row that differs has rank %d", name, r.Rank[20])
		}
	}
}

// TestAbsurd has values that overflow when squared, or summed.
func TestAbsurd(t *testing.T) {
	for _, far := range []float64{1e30, -1e200, math.MaxFloat64} {
		x, reference := dirty(400, 1), dirty(400, 2)
		x.Row(11)[1] = far
		x.Row(12)[0] = 40 // must not be hidden behind row 11
		x.Row(13)[1] = 12 // not even in the same column
		for name, r := range both(t, x, reference, nil) {
			order := r.Order()[:6] // the heavy tail has some rows, too
			for _, i := range []int{11, 12, 13} {
				if !slices.Contains(order, i) {
					t.Errorf("%s, %g: row %d has rank %d", name, far, i, r.Rank[i])
				}
			}
		}
		all := cloud(40, 2, 3)
		for i := range 40 {
			all.Row(i)[0] = far * float64(i%3-1)
		}
		both(t, all, all, nil)
	}
	tiny := cloud(40, 2, 3)
	for k := range tiny.Coords {
		tiny.Coords[k] *= 1e-310
	}
	both(t, tiny, tiny, nil)
}
