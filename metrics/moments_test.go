package metrics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

func momentsOf(t testing.TB, batches ...Vectors) *Moments {
	t.Helper()
	m := &Moments{}
	for _, v := range batches {
		if err := m.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func covarianceOf(t testing.TB, m *Moments) *mat.SymDense {
	t.Helper()
	cov, err := m.Covariance()
	if err != nil {
		t.Fatal(err)
	}
	return cov
}

// cut returns rows from to to.
func (v Vectors) cut(from, to int) Vectors { return Vectors{v.Dim, v.Values[from*v.Dim : to*v.Dim]} }

// TestMoments compares with two passes over the data, for sizes around those
// of blocks and tiles.
func TestMoments(t *testing.T) {
	for _, tt := range []struct {
		n, dim int
		shift  float64
	}{
		{2, 1, 0}, {3, 7, 0}, {255, 3, 1}, {256, 64, 0}, {257, 65, -5}, {700, 130, 0},
		{600, 5, 1 << 14}, // far from zero: a sum of squares would leave 8 digits
	} {
		v := synthetic("moments", tt.n, tt.dim, 1, tt.shift)
		m := momentsOf(t, v)
		if m.Len() != tt.n || m.Dim() != tt.dim {
			t.Errorf("%d vectors of dimension %d", m.Len(), m.Dim())
		}
		mean, cov := m.Mean(), covarianceOf(t, m)
		want := make([]float64, tt.dim)
		for i, x := range v.Values {
			want[i%tt.dim] += float64(x) / float64(tt.n)
		}
		for a := range tt.dim {
			if math.Abs(mean[a]-want[a]) > 1e-15*max(1, math.Abs(tt.shift))*float64(tt.n) {
				t.Fatalf("%v: mean %d is %v, want %v", tt, a, mean[a], want[a])
			}
			for b := range tt.dim {
				sum := 0.0
				for i := range tt.n {
					sum += (float64(v.at(i)[a]) - want[a]) * (float64(v.at(i)[b]) - want[b])
				}
				if sum /= float64(tt.n - 1); math.Abs(cov.At(a, b)-sum) > 1e-11 {
					t.Fatalf("%v: covariance %d, %d is %v, want %v", tt, a, b, cov.At(a, b), sum)
				}
			}
		}
	}
}

// TestMomentsBatches cuts the same vectors differently, and looks at the result
// in between.
func TestMomentsBatches(t *testing.T) {
	v := synthetic("batches", 1000, 20, 1, 3)
	whole := momentsOf(t, v)
	rng := rand.New(rand.NewPCG(1, 1))
	cut := &Moments{}
	for at := 0; at < v.Len(); {
		to := min(v.Len(), at+rng.IntN(300))
		if err := cut.Add(v.cut(at, to)); err != nil {
			t.Fatal(err)
		}
		if cut.Len() > 1 {
			covarianceOf(t, cut)
		}
		at = to
	}
	if !slices.Equal(cut.Mean(), whole.Mean()) || !mat.Equal(covarianceOf(t, cut), covarianceOf(t, whole)) {
		t.Error("the batches changed the result")
	}

	merged := momentsOf(t, v.cut(0, 417))
	rest := momentsOf(t, v.cut(417, 1000))
	if err := merged.Merge(rest); err != nil {
		t.Fatal(err)
	}
	if rest.Len() != 583 || merged.Len() != 1000 || !mat.EqualApprox(covarianceOf(t, merged), covarianceOf(t, whole), 1e-12) {
		t.Error("merging two halves changed the result")
	}
	empty := &Moments{}
	if err := empty.Merge(whole); err != nil || !mat.Equal(covarianceOf(t, empty), covarianceOf(t, whole)) {
		t.Errorf("merging into nothing changed the result, %v", err)
	}
	if err := whole.Merge(&Moments{}); err != nil || whole.Len() != 1000 {
		t.Errorf("merging nothing: %d, %v", whole.Len(), err)
	}
}

// given returns moments with a diagonal covariance.
func given(t *testing.T, mean, variance []float64) *Moments {
	t.Helper()
	m, err := NewMoments(100, mean, mat.NewDiagDense(len(variance), variance))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFrechetClosedForms(t *testing.T) {
	dense := func(mean []float64, cov ...float64) *Moments {
		m, err := NewMoments(10, mean, mat.NewSymDense(len(mean), cov))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, tt := range []struct {
		name string
		a, b *Moments
		want float64
	}{
		{"equal", given(t, []float64{1, 2}, []float64{3, 4}), given(t, []float64{1, 2}, []float64{3, 4}), 0},
		{"means", given(t, []float64{0, 0}, []float64{3, 4}), given(t, []float64{3, 4}, []float64{3, 4}), 25},
		{"one dimension", given(t, []float64{1}, []float64{4}), given(t, []float64{3}, []float64{25}), 4 + 9},
		{"diagonal", given(t, []float64{0, 0, 0}, []float64{1, 4, 9}), given(t, []float64{0, 0, 1}, []float64{4, 4, 1}), 1 + 0 + 4 + 1},
		{"a point", given(t, []float64{0, 0}, []float64{1, 4}), given(t, []float64{0, 1}, []float64{0, 0}), 6},
		{"two points", given(t, []float64{0, 0}, []float64{0, 0}), given(t, []float64{0, 1}, []float64{0, 0}), 1},
		{"lines across", given(t, []float64{0, 0}, []float64{1, 0}), given(t, []float64{0, 0}, []float64{0, 1}), 2},
		{"units apart", given(t, []float64{0, 0}, []float64{1e-16, 4}), given(t, []float64{0, 0}, []float64{1e6, 4}), (1e3 - 1e-8) * (1e3 - 1e-8)},
		// tr (S₁S₂)^½ = √(tr S₁S₂ + 2 √det S₁S₂) in two dimensions; here S₁S₂ has trace 12 and determinant 9.
		{"not commuting", dense([]float64{0, 0}, 2, 1, 1, 2), dense([]float64{0, 0}, 1, 0, 0, 3), 4 + 4 - 2*math.Sqrt(8+2*3)},
	} {
		got, err := Frechet(tt.a, tt.b)
		back, err2 := Frechet(tt.b, tt.a)
		if err != nil || err2 != nil || math.Abs(got-tt.want) > 1e-13*max(1, tt.want) || math.Abs(got-back) > 1e-13*max(1, tt.want) {
			t.Errorf("%s: %v and back %v, %v, want %v", tt.name, got, back, err, tt.want)
		}
	}
}

// TestFrechetFewVectors has fewer vectors than dimensions: the covariances are
// singular.
func TestFrechetFewVectors(t *testing.T) {
	x := synthetic("few", 20, 50, 1, 0)
	shifted := Vectors{50, slices.Clone(x.Values)}
	for i := range shifted.Values {
		shifted.Values[i] = x.Values[i] + 2
	}
	if got, err := FID(x, x); err != nil || got > 1e-12 {
		t.Errorf("FID to itself %v, %v", got, err)
	}
	if got, err := FID(x, shifted); err != nil || math.Abs(got-200) > 1e-3 { // the sums round to float32
		t.Errorf("FID to itself, shifted: %v, %v, want 200", got, err)
	}
	// Each set on its own line: all of both variances counts.
	a, b := Vectors{3, nil}, Vectors{3, nil}
	for i := range 5 {
		a.Values = append(a.Values, float32(i), 0, 7)
		b.Values = append(b.Values, 2, float32(i)-2, 7)
	}
	if got, err := FID(a, b); err != nil || math.Abs(got-5) > 1e-13 {
		t.Errorf("FID of two lines %v, %v, want 5", got, err)
	}
	if got, err := FID(x, synthetic("other", 30, 50, 1, 0)); err != nil || !(got > 0) {
		t.Errorf("FID %v, %v", got, err)
	}
}

// rotate turns v in the planes of all neighbouring columns.
func rotate(v Vectors) Vectors {
	out := Vectors{v.Dim, slices.Clone(v.Values)}
	sin, cos := math.Sincos(0.7)
	for i := range v.Len() {
		row := out.at(i)
		for j := range v.Dim - 1 {
			a, b := float64(row[j]), float64(row[j+1])
			row[j], row[j+1] = float32(cos*a-sin*b), float32(sin*a+cos*b)
		}
	}
	return out
}

// permute puts the rows, or the columns, of v into another order.
func permute(v Vectors, rows, columns []int) Vectors {
	out := Vectors{v.Dim, make([]float32, 0, len(v.Values))}
	for i := range v.Len() {
		if rows != nil {
			i = rows[i]
		}
		for j := range v.Dim {
			if columns != nil {
				j = columns[j]
			}
			out.Values = append(out.Values, v.at(i)[j])
		}
	}
	return out
}

func TestVectorInvariances(t *testing.T) {
	x, y := synthetic("x", 150, 12, 1, 0), synthetic("y", 170, 12, 0.8, 0.3)
	rng := rand.New(rand.NewPCG(2, 2))
	rows, other, columns := rng.Perm(150), rng.Perm(170), rng.Perm(12)
	all := func(x, y Vectors) []float64 {
		t.Helper()
		fid, err := FID(x, y)
		if err != nil {
			t.Fatal(err)
		}
		precision, recall, err := PrecisionRecall(x, y, 0)
		if err != nil {
			t.Fatal(err)
		}
		density, coverage, err := DensityCoverage(x, y, 0)
		if err != nil {
			t.Fatal(err)
		}
		return []float64{fid, discrepancy(x.wide(nil), y.wide(nil), x.Dim), precision, recall, density, coverage}
	}
	want := all(x, y)
	for _, tt := range []struct {
		name string
		x, y Vectors
		tol  float64
	}{
		{"rows", permute(x, rows, nil), permute(y, other, nil), 1e-11},
		{"columns", permute(x, nil, columns), permute(y, nil, columns), 1e-11},
		{"rotation", rotate(x), rotate(y), 1e-4}, // float32
	} {
		for i, got := range all(tt.x, tt.y) {
			if math.Abs(got-want[i]) > tt.tol*max(1, math.Abs(want[i])) {
				t.Errorf("%s: value %d is %v, want %v", tt.name, i, got, want[i])
			}
		}
	}
}

func TestVectorErrors(t *testing.T) {
	good := synthetic("good", 12, 3, 1, 0)
	bad := func(x float32) Vectors {
		v := Vectors{3, slices.Clone(good.Values)}
		v.Values[7] = x
		return v
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	calls := map[string]func(x, y Vectors) error{
		"FID": func(x, y Vectors) error { _, err := FID(x, y); return err },
		"KID": func(x, y Vectors) error { _, err := KID(x, y, nil); return err },
		"PR":  func(x, y Vectors) error { _, _, err := PrecisionRecall(x, y, 0); return err },
		"DC":  func(x, y Vectors) error { _, _, err := DensityCoverage(x, y, 0); return err },
	}
	for _, tt := range []struct {
		name string
		v    Vectors
		err  error
		text string
	}{
		{"NaN", bad(nan), ErrValue, "vector 2 has NaN in column 1"},
		{"infinite", bad(inf), ErrValue, "vector 2 has -Inf in column 1"},
		{"ragged", Vectors{3, good.Values[:10]}, ErrShape, "10 values in vectors of dimension 3"},
		{"no dimension", Vectors{}, ErrShape, "dimension 0"},
		{"other dimension", synthetic("other", 12, 4, 1, 0), ErrShape, "4"},
		{"too few", good.cut(0, 1), ErrFew, "1"},
		{"none", good.cut(0, 0), ErrFew, "0"},
	} {
		for name, call := range calls {
			for _, err := range []error{call(tt.v, good), call(good, tt.v)} {
				if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "metrics: ") || !strings.Contains(err.Error(), tt.text) {
					t.Errorf("%s, %s: error %v, want one with %q", tt.name, name, err, tt.text)
				}
			}
		}
	}
	if _, _, err := PrecisionRecall(good, good, 12); !errors.Is(err, ErrFew) {
		t.Errorf("12th neighbour of 12: %v", err)
	}
	if _, _, err := PrecisionRecall(good, good, -1); !errors.Is(err, ErrValue) {
		t.Errorf("negative neighbour: %v", err)
	}
	if _, err := KID(good, good, &KIDOptions{Size: 13}); !errors.Is(err, ErrFew) {
		t.Errorf("subsets larger than the set: %v", err)
	}
	for _, o := range []KIDOptions{{Size: 1}, {Size: -2}, {Subsets: -1}} {
		if _, err := KID(good, good, &o); !errors.Is(err, ErrValue) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	m := momentsOf(t, good)
	before := covarianceOf(t, m)
	if err := m.Add(bad(nan)); !errors.Is(err, ErrValue) || m.Len() != 12 || !mat.Equal(before, covarianceOf(t, m)) {
		t.Errorf("a failed Add changed the moments, %v", err)
	}
	for name, tt := range map[string]struct {
		n    int
		mean []float64
		cov  *mat.SymDense
		err  error
	}{
		"shape":             {5, []float64{1}, mat.NewSymDense(2, nil), ErrShape},
		"few":               {1, []float64{1}, mat.NewSymDense(1, nil), ErrFew},
		"mean":              {5, []float64{math.NaN()}, mat.NewSymDense(1, nil), ErrValue},
		"covariance":        {5, []float64{0, 0}, mat.NewSymDense(2, []float64{1, math.Inf(1), 0, 1}), ErrValue},
		"negative variance": {5, []float64{0}, mat.NewSymDense(1, []float64{-1}), ErrValue},
	} {
		if _, err := NewMoments(tt.n, tt.mean, tt.cov); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", name, err, tt.err)
		}
	}
}

// TestFIDSpeed holds the promise of the size that papers report: 50 000 vectors
// of dimension 2048 against known moments in a minute on two cores.
func TestFIDSpeed(t *testing.T) {
	if os.Getenv("ROT_SLOW") == "" {
		t.Skip("takes a minute: set ROT_SLOW=1")
	}
	const n, dim, batch = 50000, 2048, 500
	var x, y Moments
	known := synthetic("known", 2*dim, dim, 1, 0)
	if err := y.Add(known); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for i := range n / batch {
		if err := x.Add(synthetic(fmt.Sprint("speed", i), batch, dim, 1, 0.1)); err != nil {
			t.Fatal(err)
		}
	}
	moments := time.Since(start)
	fid, err := Frechet(&x, &y)
	total := time.Since(start)
	t.Logf("FID %.6g, %v: moments %.1f s, distance %.1f s", fid, err, moments.Seconds(), (total - moments).Seconds())
	if err != nil || !(fid > 0) || total > time.Minute {
		t.Errorf("took %v", total)
	}
}

func BenchmarkMoments(b *testing.B) {
	v := synthetic("bench", blockRows, 2048, 1, 0)
	var m Moments
	for b.Loop() {
		if err := m.Add(v); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(blockRows*b.N)/b.Elapsed().Seconds(), "vectors/s")
}

func BenchmarkFrechet(b *testing.B) {
	x, y := momentsOf(b, synthetic("x", 1024, 512, 1, 0)), momentsOf(b, synthetic("y", 1024, 512, 0.9, 0.1))
	for b.Loop() {
		if _, err := Frechet(x, y); err != nil {
			b.Fatal(err)
		}
	}
}
