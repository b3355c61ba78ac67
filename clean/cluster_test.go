package clean

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rot.example/rot/metrics"
	"rot.example/rot/ot"
)

// clustered returns rows of several wide kinds that lie apart, and first some that
// are foreign: a tight kind that lies apart no more than the others do.
func clustered(n, foreign int, seed uint64) (*ot.Points, []bool) {
	const dim, kinds = 24, 5
	rng := rand.New(rand.NewPCG(seed, 5))
	x := &ot.Points{Dim: dim, Coords: make([]float64, n*dim)}
	mark := make([]bool, n)
	for i := range n {
		mark[i] = i < foreign
		row := x.Row(i)
		for j := range row {
			if row[j] = rng.NormFloat64(); mark[i] {
				row[j] *= 0.5
			}
		}
		kind := i % kinds
		if mark[i] {
			kind = kinds
		}
		row[kind] += 9
	}
	return x, mark
}

// TestCluster: foreign rows that keep together are told, whatever a score of each
// would say, also by half and by twice their share and among more rows than are
// looked at.
func TestCluster(t *testing.T) {
	for _, tt := range []struct {
		name  string
		n     int
		part  float64
		share float64 // as given
	}{
		{"5 %", 1200, 0.05, 0.05},
		{"2 %", 1200, 0.02, 0.02},
		{"10 %", 1200, 0.1, 0.1},
		{"5 % by half of it", 1200, 0.05, 0.025},
		{"5 % by twice it", 1200, 0.05, 0.1},
		{"of more rows", clusterMost + 1000, 0.05, 0.05},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, foreign := clustered(tt.n, int(tt.part*float64(tt.n)), 1)
			got, _, err := Cluster(t.Context(), x, tt.share)
			if err != nil || got == nil {
				t.Fatalf("found %v, %v", got != nil, err)
			}
			if a, err := metrics.AUROC(got, foreign); err != nil || a < 0.995 {
				t.Errorf("AUROC is %v, %v", a, err)
			}
			sum := 0.0
			for _, v := range got {
				if v < 0 || v > 1 {
					t.Fatalf("a row belongs to it by %v", v)
				}
				sum += v
			}
			if want := tt.part * float64(tt.n); math.Abs(sum-want) > 0.15*want {
				t.Errorf("%v rows belong to it, want %v", sum, want)
			}
		})
	}
}

// TestClusterNone: rows that all belong have no cluster, and of a large one no part
// is taken.
func TestClusterNone(t *testing.T) {
	const n, dim = 1200, 24
	for name, row := range map[string]func(rng *rand.Rand, i int, x []float64){
		"normal": normalRow,
		"heavy tails": func(rng *rand.Rand, i int, x []float64) {
			normalRow(rng, i, x)
			for j, s := 0, math.Exp(rng.NormFloat64()/2); j < len(x); j++ {
				x[j] *= s
			}
		},
		"a third apart": func(rng *rand.Rand, i int, x []float64) {
			normalRow(rng, i, x)
			if i%3 == 0 {
				x[0] += 9
			}
		},
		"all the same": func(_ *rand.Rand, _ int, x []float64) {},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(4, 4))
			x := &ot.Points{Dim: dim, Coords: make([]float64, n*dim)}
			for i := range n {
				row(rng, i, x.Row(i))
			}
			got, _, err := Cluster(t.Context(), x, 0.05)
			if err != nil || got != nil {
				t.Errorf("found %v, %v", got != nil, err)
			}
		})
	}
}

// TestClusterMerit: of rows that lie as far along a line, those have more merit whose
// nearest are of them, and those that nobody else has among the nearest.
func TestClusterMerit(t *testing.T) {
	const n, size = 300, 30
	rng := rand.New(rand.NewPCG(3, 6))
	at := make([]float64, n) // 30 rows lie far, and 30 some way to them
	for i := range at {
		at[i] = rng.NormFloat64()
		if i < size {
			at[i] += 20
		} else if i < 2*size {
			at[i] += 6
		}
	}
	// merit is that where rows of the first and of the second 30 have so many of
	// the first among their nearest 10.
	merit := func(own, beside int) float64 {
		s := &clusters{near: make([][]int32, n)}
		for i := range s.near {
			inside := 0
			if i < size {
				inside = own
			} else if i < 2*size {
				inside = beside
			}
			s.near[i] = []int32{int32(i)}
			for k := range kinOf(size) - 1 {
				if k < inside {
					s.near[i] = append(s.near[i], int32(k))
				} else {
					s.near[i] = append(s.near[i], int32(n-1-k))
				}
			}
		}
		return s.judge(nil, at, slices.Sorted(slices.Values(at)), size).merit
	}
	if apart, mixed := merit(10, 0), merit(6, 0); apart <= mixed {
		t.Errorf("rows whose nearest are of them have a merit of %v, others of %v", apart, mixed)
	}
	if alone, beside := merit(10, 0), merit(10, 2); alone <= beside+1 {
		t.Errorf("rows with nobody beside them have a merit of %v, others of %v", alone, beside)
	}
}

// TestClusterLeftOut: rows that are left out of the lines to them are not apart in
// many columns, where a line leads to whatever draws it.
func TestClusterLeftOut(t *testing.T) {
	x := &ot.Points{Dim: 700, Coords: make([]float64, 700*600)}
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range x.Coords {
		x.Coords[i] = rng.NormFloat64()
	}
	if got, _, err := Cluster(t.Context(), x, 0.035); err != nil || got != nil {
		t.Errorf("found %v, %v", got != nil, err)
	}
}

// TestClusterRowOrder: neither the order of the rows matters, nor which of equal
// rows one is.
func TestClusterRowOrder(t *testing.T) {
	for _, n := range []int{600, clusterMost + 500} {
		x, _ := clustered(n, n/20, 2)
		rng := rand.New(rand.NewPCG(2, 2))
		for i := 0; i < n; i += 2 { // pairs of equals, and foreign ones that belong in part
			if i < n/20 {
				x.Row(i + 1)[5] += 3 * rng.NormFloat64()
			}
			copy(x.Row(i), x.Row(i+1))
		}
		want, _, err := Cluster(t.Context(), x, 0.05)
		if err != nil || want == nil {
			t.Fatalf("found %v, %v", want != nil, err)
		}
		perm := rand.New(rand.NewPCG(7, 7)).Perm(n)
		y := &ot.Points{Dim: x.Dim}
		for _, i := range perm {
			y.Coords = append(y.Coords, x.Row(i)...)
		}
		got, _, err := Cluster(t.Context(), y, 0.05)
		if err != nil || got == nil {
			t.Fatalf("found %v, %v", got != nil, err)
		}
		seen := map[float64]float64{} // by the first coordinate, which only equal rows share
		for k, i := range perm {
			if got[k] != want[i] {
				t.Fatalf("n=%d: row %d belongs by %v, elsewhere by %v", n, i, want[i], got[k])
			}
			if v, ok := seen[x.Row(i)[0]]; ok && v != want[i] {
				t.Fatalf("n=%d: of two equal rows one belongs by %v, one by %v", n, v, want[i])
			}
			seen[x.Row(i)[0]] = want[i]
		}
	}
}

// TestClusterSizes: clusters too small to be one, and those that leave too few
// others, are not looked for.
func TestClusterSizes(t *testing.T) {
	for _, tt := range []struct {
		n     int
		share float64
		want  []int
	}{
		{1000, 0.05, []int{25, 50, 100}},
		{1000, 0.02, []int{20, 40}},
		{1000, 0.3, []int{150, 300}},
		{1000, 0.9, nil},
		{1000, 1, nil},
		{1000, 0, nil},
	} {
		if got := sizesOf(tt.n, tt.share); !slices.Equal(got, tt.want) {
			t.Errorf("%v of %d: %v, want %v", tt.share, tt.n, got, tt.want)
		}
	}
}

func TestClusterErrors(t *testing.T) {
	x, _ := clustered(600, 30, 1)
	for _, share := range []float64{-0.1, 1.1, math.NaN()} {
		if _, _, err := Cluster(t.Context(), x, share); !errors.Is(err, ot.ErrOption) {
			t.Errorf("a share of %v: %v", share, err)
		}
	}
	if _, _, err := Cluster(t.Context(), &ot.Points{Dim: 2, Coords: make([]float64, 3)}, 0.05); !errors.Is(err, ot.ErrShape) {
		t.Errorf("half a row: %v", err)
	}
	few, _ := clustered(evenLeast-1, 30, 1)
	if got, _, err := Cluster(t.Context(), few, 0.05); got != nil || err != nil {
		t.Errorf("of few rows: found %v, %v", got != nil, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Cluster(ctx, x, 0.05); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
