package chisq

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func mustMinimize(t *testing.T, b Ball, score []float64) []float64 {
	t.Helper()
	w, err := b.Minimize(nil, score)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestMinimizeAffine(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, rho := range radii {
		x := randomScores(r, "gauss", 50)
		for i := range x {
			x[i] = math.Round(x[i]*1024) / 1024 // so that adding 2³⁰ is exact
		}
		want := mustMinimize(t, Ball{Rho: rho}, x)
		for _, f := range []struct{ scale, shift, tol float64 }{
			{1, 1 << 30, 0}, {0x1p-300, 0, 0}, {0x1p900, 0, 0}, {3, -7, 1e-11},
		} {
			y := make([]float64, len(x))
			for i := range x {
				y[i] = f.scale*x[i] + f.shift
			}
			if d := diff(mustMinimize(t, Ball{Rho: rho}, y), want, f.tol); d != "" {
				t.Errorf("rho %v, %v·x + %v: %s", rho, f.scale, f.shift, d)
			}
		}
	}
}

func TestMinimizePermutation(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	for _, kind := range scoreKinds {
		for _, rho := range radii {
			x := randomScores(r, kind, 300)
			want := mustMinimize(t, Ball{Rho: rho}, x)
			perm := r.Perm(len(x))
			y := make([]float64, len(x))
			for i, p := range perm {
				y[i] = x[p]
			}
			got := mustMinimize(t, Ball{Rho: rho}, y)
			for i, p := range perm {
				if math.Abs(got[i]-want[p]) > 1e-11*(1+want[p]) {
					t.Fatalf("%s, rho %v: weight of score %v is %v or %v", kind, rho, x[p], want[p], got[i])
				}
			}
		}
	}
}

// TestMinimizeOutlierScale: how far away a rejected sample is must not matter.
func TestMinimizeOutlierScale(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	x := randomScores(r, "gauss", 1000)
	var want []float64
	for _, far := range []float64{1e3, 1e30, 1e160, 1e300, math.MaxFloat64} {
		for i := range 20 {
			x[50*i] = far
		}
		got := mustMinimize(t, Ball{Rho: 0.1}, x)
		if want == nil {
			want = got
		}
		if d := diff(got, want, 1e-12); d != "" {
			t.Errorf("outliers at %v: %s", far, d)
		}
	}
}

// TestMinimizeSlopes checks ∂Value/∂ρ = −Lambda and that Value is convex and
// falls, by differences along ρ.
func TestMinimizeSlopes(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	x, base := randomScores(r, "gauss", 40), make([]float64, 40)
	for i := range base {
		base[i] = r.ExpFloat64()
	}
	for rho := 0.01; rho < 3; rho *= 1.3 {
		var v [3]Solution
		h := 1e-4 * rho
		for k := range v {
			var err error
			if _, v[k], err = (Ball{Rho: rho + float64(k-1)*h}).Solve(nil, x, base); err != nil {
				t.Fatal(err)
			}
		}
		if slope := (v[2].Value - v[0].Value) / (2 * h); math.Abs(slope+v[1].Lambda) > 1e-3*v[1].Lambda {
			t.Errorf("rho %v: slope %v, lambda %v", rho, slope, v[1].Lambda)
		}
		if !(v[0].Lambda > v[1].Lambda && v[1].Lambda > v[2].Lambda) {
			t.Errorf("rho %v: lambda does not fall: %v", rho, v)
		}
	}
}

// TestMinimizeDropsAtMostGamma: a ball has room to drop the fraction Gamma.
func TestMinimizeDropsAtMostGamma(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	for _, gamma := range []float64{0.01, 0.05, 0.2, 0.5, 0.9} {
		ball, err := FromGamma(gamma)
		if err != nil {
			t.Fatal(err)
		}
		// A fraction gamma of samples is far out and gets, all but, zero.
		x := randomScores(r, "gauss", 1000)
		far := int(math.Round(1000 * gamma))
		for i := range far {
			x[i] = 1e6
		}
		zeros, outside := 0, 0.0
		for i, w := range mustMinimize(t, ball, x) {
			if w == 0 {
				zeros++
			}
			if i < far {
				outside += w
			}
		}
		if zeros > far || outside > 1e-3 {
			t.Errorf("gamma %v: %d zeros of at most %d, %v left on the outliers", gamma, zeros, far, outside)
		}
	}
}

func TestMinimizeInPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 6))
	x, base := randomScores(r, "decades", 500), make([]float64, 500)
	for i := range base {
		base[i] = r.ExpFloat64()
	}
	b := Ball{Rho: 0.3}
	want, sol, err := b.Solve(nil, x, base)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name      string
		x, a, dst []float64
	}{
		{"reused", x, base, make([]float64, 500)},
		{"score", slices.Clone(x), base, nil},
		{"base", x, slices.Clone(base), nil},
	} {
		switch tt.name {
		case "score":
			tt.dst = tt.x
		case "base":
			tt.dst = tt.a
		}
		got, s, err := b.Solve(tt.dst, tt.x, tt.a)
		if err != nil || &got[0] != &tt.dst[0] || s != sol || !slices.Equal(got, want) {
			t.Errorf("dst is %s: %v, %+v, want %+v; %s", tt.name, err, s, sol, diff(got, want, 0))
		}
	}
}

func TestMinimizeDoesNotAllocate(t *testing.T) {
	x := randomScores(rand.New(rand.NewPCG(8, 7)), "tower", 2000)
	dst := make([]float64, len(x))
	if n := testing.AllocsPerRun(5, func() {
		if _, err := (Ball{Rho: 0.3}).Minimize(dst, x); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations with a dst to reuse", n)
	}
}
