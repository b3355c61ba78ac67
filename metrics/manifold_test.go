package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// line is vectors of dimension 1.
func line(x ...float32) Vectors { return Vectors{1, x} }

func TestManifold(t *testing.T) {
	for _, tt := range []struct {
		name                                 string
		real, fake                           Vectors
		k                                    int
		precision, recall, density, coverage float64
	}{
		{"the same set", line(0, 1, 3, 7), line(0, 1, 3, 7), 1, 1, 1, 2, 1}, // radii 1, 1, 2, 4 and two vectors in each ball
		{"apart", line(0, 1, 2, 3), line(100, 101, 102), 1, 0, 0, 0, 0},
		// Balls of radius 1 around the real ones, 9.5, 1, 1, 1 around the fake.
		{"one good, three far", line(0, 1, 2, 3), line(0.5, 10, 11, 12), 1, 1. / 4, 1, 2. / 4, 2. / 4},
		{"on the boundary", line(0, 4, 8), line(12, 12, 12), 1, 1, 0, 1, 1. / 3},
		{"duplicates", line(5, 5, 5, 9), line(5, 5, 6, 6), 2, 1, 3. / 4, (2*3 + 4) / 2. / 4, 1}, // radii 0, 0, 0, 4: the last ball has all
		{"second neighbour", line(0, 1, 3), line(-3, 2.5, 6.5), 2, 2. / 3, 1, 4. / 2 / 3, 1},    // radii 3, 2, 3: −3 is in one ball, 2.5 in three
		{"all far but one mode", line(0, 0.25, 10, 10.25), line(0, 0.25, 0.125, 0.0625), 1, 1, 2. / 4, 8. / 4, 2. / 4},
	} {
		precision, recall, err := PrecisionRecall(tt.real, tt.fake, tt.k)
		if err != nil || precision != tt.precision || recall != tt.recall {
			t.Errorf("%s: precision %v, recall %v, %v, want %v, %v", tt.name, precision, recall, err, tt.precision, tt.recall)
		}
		density, coverage, err := DensityCoverage(tt.real, tt.fake, tt.k)
		if err != nil || density != tt.density || coverage != tt.coverage {
			t.Errorf("%s: density %v, coverage %v, %v, want %v, %v", tt.name, density, coverage, err, tt.density, tt.coverage)
		}
	}
}

// TestDuplicates finds equal vectors at distance 0, wherever they lie in
// memory, in odd dimensions too.
func TestDuplicates(t *testing.T) {
	for _, dim := range []int{1, 3, 17, 129} {
		x := synthetic("duplicates", 40, dim, 1, 1000)
		y := Vectors{dim, slices.Concat(x.at(3), x.Values)}
		s, o, err := spacesOf(x, y, 1)
		if err != nil {
			t.Fatal(err)
		}
		zero := make([]int, s.n) // of each row: tiles run side by side
		s.meet(o, func(i, j int, d float64) {
			if d == 0 {
				zero[i]++
			}
		})
		for i, n := range zero {
			if want := 1 + b2i(i == 3); n != want {
				t.Errorf("dimension %d: vector %d has %d equals, want %d", dim, i, n, want)
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestKID(t *testing.T) {
	// By hand: ⟨k⟩ is 1 in {0,1}, 343 in {2,3} and 93/4 between them.
	got, err := KID(line(0, 1), line(2, 3), nil)
	if err != nil || math.Abs(got.Mean-297.5) > 1e-12 || got.SD != 0 || got.N != 100 {
		t.Errorf("%+v, %v, want 297.5", got, err)
	}

	x, y := synthetic("kx", 500, 6, 1, 0), synthetic("ky", 400, 6, 1, 0.2)
	whole := discrepancy(x.wide(nil), y.wide(nil), 6)
	o := &KIDOptions{Subsets: 400, Size: 50, Seed: 7}
	a, err := KID(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	// The estimate has no bias, so that its mean over subsets is that of all.
	if math.Abs(a.Mean-whole) > 4*a.StdErr() || a.StdErr() <= 0 {
		t.Errorf("mean over subsets %v ± %v, of all vectors %v", a.Mean, a.StdErr(), whole)
	}
	if b, err := KID(x, y, o); err != nil || a != b {
		t.Errorf("the same seed gives %v and %v, %v", a, b, err)
	}
	if b, err := KID(x, y, &KIDOptions{Subsets: 400, Size: 50, Seed: 8}); err != nil || a == b {
		t.Errorf("another seed gives %v too, %v", b, err)
	}
	// The same distribution: zero within the error of this estimate.
	same, err := KID(synthetic("k1", 1000, 6, 1, 0), synthetic("k2", 1000, 6, 1, 0), &KIDOptions{Size: 100})
	if err != nil || math.Abs(same.Mean) > 0.2*same.SD+3*same.StdErr() {
		t.Errorf("%+v, %v, want about 0", same, err)
	}
}

func TestPick(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	count := make([]int, 10)
	for range 1000 {
		got := pick(rng, 10, 4)
		slices.Sort(got)
		if len(slices.Compact(got)) != 4 {
			t.Fatal("the same one twice")
		}
		for _, i := range got {
			count[i]++
		}
	}
	for i, c := range count {
		if c < 340 || c > 460 { // 400 ± 4 standard deviations
			t.Errorf("%d was picked %d times of 1000", i, c)
		}
	}
}

func TestInceptionScore(t *testing.T) {
	onehot := Vectors{4, nil}
	flat := Vectors{4, nil}
	for i := range 40 {
		row := make([]float32, 4)
		row[i%4] = 1
		onehot.Values = append(onehot.Values, row...)
		flat.Values = append(flat.Values, 0.25, 0.25, 0.25, 0.25)
	}
	half := Vectors{2, []float32{1, 0, 0.5, 0.5}} // mean ¾, ¼
	for _, tt := range []struct {
		name   string
		p      Vectors
		splits int
		want   float64
	}{
		{"sure of everything", onehot, 10, 4},
		{"sure of everything, one part", onehot, 1, 4},
		{"a quarter of the classes in a part", onehot, 40, 1},
		{"never sure", flat, 0, 1},
		{"two rows", half, 1, math.Exp((math.Log(4./3) + (math.Log(2./3)+math.Log(2))/2) / 2)},
	} {
		got, err := InceptionScore(tt.p, tt.splits)
		if err != nil || math.Abs(got.Mean-tt.want) > 1e-12 || got.SD > 1e-12 {
			t.Errorf("%s: %+v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		name   string
		p      Vectors
		splits int
		err    error
		text   string
	}{
		{"too many parts", half, 3, ErrFew, "2 rows in 3 parts"},
		{"no parts", half, -1, ErrValue, "-1 parts"},
		{"negative", Vectors{2, []float32{1, 0, 1.5, -0.5}}, 1, ErrValue, "row 1 has probability -0.5 of class 1"},
		{"logits", Vectors{2, []float32{3, 4}}, 1, ErrValue, "row 0 has probabilities that sum to 7"},
		{"NaN", Vectors{2, []float32{float32(math.NaN()), 1}}, 1, ErrValue, "NaN"},
		{"ragged", Vectors{2, []float32{1}}, 1, ErrShape, "dimension 2"},
	} {
		_, err := InceptionScore(tt.p, tt.splits)
		if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "metrics: inception score: ") || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.text)
		}
	}
}

func TestEstimate(t *testing.T) {
	e := estimate([]float64{1, 2, 6})
	if e.Mean != 3 || math.Abs(e.SD-math.Sqrt(14./3)) > 1e-15 || math.Abs(e.StdErr()-math.Sqrt(7./3)) > 1e-15 {
		t.Errorf("%+v, standard error %v", e, e.StdErr()) // sample variance 7 of 3
	}
	if !math.IsNaN(estimate([]float64{4}).StdErr()) {
		t.Error("a single part has a standard error")
	}
}

func BenchmarkKID(b *testing.B) {
	x, y := synthetic("x", 1000, 2048, 1, 0), synthetic("y", 1000, 2048, 1, 0.1)
	for b.Loop() {
		if _, err := KID(x, y, &KIDOptions{Subsets: 2}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrecisionRecall(b *testing.B) {
	x, y := synthetic("x", 1000, 512, 1, 0), synthetic("y", 1000, 512, 1, 0.1)
	for b.Loop() {
		if _, _, err := PrecisionRecall(x, y, 0); err != nil {
			b.Fatal(err)
		}
	}
}
