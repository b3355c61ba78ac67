package clean

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/chisq"
	"rot.example/rot/metrics"
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

func find(t *testing.T, x *ot.Points, opts *Options) *Result {
	t.Helper()
	r, err := Find(context.Background(), x, opts)
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
	return r
}

func against(t *testing.T, x, reference *ot.Points, opts *Options) *Result {
	t.Helper()
	r, err := Against(context.Background(), x, reference, opts)
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
	return r
}

// checkResult checks what holds for every result.
func checkResult(t *testing.T, r *Result) {
	t.Helper()
	n := len(r.Score)
	if len(r.Weight) != n || len(r.Rank) != n || len(r.Suspect) != n {
		t.Fatalf("%d scores, %d weights, %d ranks, %d marks", n, len(r.Weight), len(r.Rank), len(r.Suspect))
	}
	ball, err := chisq.FromGamma(r.Gamma)
	if err != nil || ball.Rho != r.Rho {
		t.Errorf("gamma %v has radius %v, not %v (%v)", r.Gamma, ball.Rho, r.Rho, err)
	}
	if d := chisq.Divergence(r.Weight); d > r.Rho*(1+1e-9)+1e-15 {
		t.Errorf("weights are %v from uniform, radius %v", d, r.Rho)
	}
	var sum float64
	dropped := 0
	for i, s := range r.Score {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			t.Fatalf("score of row %d is %v", i, s)
		}
		sum += r.Weight[i]
		if r.Suspect[i] {
			dropped++
		} else if r.Weight[i] == 0 {
			t.Errorf("row %d has weight 0 and is kept", i)
		}
	}
	if math.Abs(sum/float64(n)-1) > 1e-9 {
		t.Errorf("mean weight %v", sum/float64(n))
	}
	if float64(dropped) > r.Gamma*float64(n)+1e-6 && r.Gamma < mostSuspects {
		t.Errorf("%d of %d rows dropped, gamma %v", dropped, n, r.Gamma)
	}
	order := r.Order()
	if !slices.Equal(slices.Sorted(slices.Values(order)), seq(n)) {
		t.Fatalf("ranks are no order: %v", r.Rank)
	}
	for k := 1; k < n; k++ {
		i, j := order[k-1], order[k]
		switch {
		case r.Score[i] < r.Score[j]:
			t.Fatalf("rank %d has score %v, rank %d has %v", k, r.Score[i], k+1, r.Score[j])
		case r.Score[i] == r.Score[j] && r.Suspect[i] != r.Suspect[j]:
			t.Fatalf("of two rows with score %v one is dropped", r.Score[i])
		case r.Suspect[j] && !r.Suspect[i]:
			t.Fatalf("rank %d is dropped and rank %d is kept", k+1, k)
		}
	}
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestDrop(t *testing.T) {
	for _, tt := range []struct {
		name  string
		score []float64
		gamma float64
		want  []bool
		rank  []int
	}{
		{"one of four", []float64{0, 3, 1, 2}, 0.25, []bool{false, true, false, false}, []int{4, 1, 3, 2}},
		{"no room", []float64{0, 3, 1, 2}, 0.24, make([]bool, 4), []int{4, 1, 3, 2}},
		{"ties go together", []float64{5, 0, 5, 1}, 0.5, []bool{true, false, true, false}, []int{1, 4, 2, 3}},
		{"ties stay together", []float64{5, 0, 5, 1}, 0.25, make([]bool, 4), []int{1, 4, 2, 3}},
		{"all equal", []float64{1, 1, 1}, 0.9, make([]bool, 3), []int{1, 2, 3}},
		{"three tenths of ten", []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.3, []bool{7: true, 8: true, 9: true}, []int{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &Result{Score: tt.score}
			if err := r.drop(tt.gamma); err != nil {
				t.Fatal(err)
			}
			checkResult(t, r)
			if !slices.Equal(r.Suspect, tt.want) || !slices.Equal(r.Rank, tt.rank) {
				t.Errorf("dropped %v, rank %v, want %v, %v", r.Suspect, r.Rank, tt.want, tt.rank)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	good := cloud(10, 2, 1)
	bad := cloud(10, 2, 1)
	bad.Coords[7] = math.NaN()
	for _, tt := range []struct {
		name    string
		x, ref  *ot.Points
		opts    *Options
		want    error
		message string
	}{
		{name: "nan", x: bad, want: ot.ErrValue, message: "row 3, column 1"},
		{name: "infinite reference", x: good, ref: &ot.Points{Dim: 2, Coords: []float64{0, 0, 0, math.Inf(1)}}, want: ot.ErrValue, message: "row of the reference 1, column 1"},
		{name: "too few", x: cloud(3, 2, 1), want: ot.ErrShape, message: "3 rows are too few"},
		{name: "none", x: &ot.Points{Dim: 2}, ref: good, want: ot.ErrShape, message: "no rows"},
		{name: "nil", want: ot.ErrShape},
		{name: "ragged", x: &ot.Points{Dim: 2, Coords: make([]float64, 9)}, want: ot.ErrShape},
		{name: "small reference", x: good, ref: cloud(3, 2, 1), want: ot.ErrShape, message: "reference of 3 rows"},
		{name: "other columns", x: good, ref: cloud(10, 3, 1), want: ot.ErrShape, message: "2 columns"},
		{name: "gamma 1", x: good, opts: &Options{Gamma: 1}, want: ot.ErrOption},
		{name: "gamma below 0", x: good, opts: &Options{Gamma: -0.1}, want: ot.ErrOption},
		{name: "gamma nan", x: good, opts: &Options{Gamma: math.NaN()}, want: ot.ErrOption},
		{name: "rate 1", x: good, opts: &Options{FDR: 1}, want: ot.ErrOption},
		{name: "rate below 0", x: good, opts: &Options{FDR: -0.1}, want: ot.ErrOption},
		{name: "core", x: good, opts: &Options{Core: -1}, want: ot.ErrOption},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var err error
			if tt.ref != nil {
				_, err = Against(context.Background(), tt.x, tt.ref, tt.opts)
			} else {
				_, err = Find(context.Background(), tt.x, tt.opts)
			}
			if !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "clean: ") || !strings.Contains(err.Error(), tt.message) {
				t.Errorf("error %v, want %v with %q", err, tt.want, tt.message)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	x := cloud(2000, 5, 1)
	for _, reference := range []*ot.Points{nil, cloud(500, 5, 2)} {
		ctx, cancel := context.WithCancel(context.Background())
		rounds := 0
		opts := &Options{Progress: func(done, total int) {
			if rounds++; done != rounds || done > total {
				t.Errorf("progress %d of %d after %d rounds", done, total, rounds)
			}
			if done == 3 {
				cancel()
			}
		}}
		var err error
		if reference != nil {
			_, err = Against(ctx, x, reference, opts)
		} else {
			_, err = Find(ctx, x, opts)
		}
		if !errors.Is(err, context.Canceled) || rounds != 3 {
			t.Errorf("after %d rounds: %v", rounds, err)
		}
	}
}

func TestProgressEnds(t *testing.T) {
	var done, total int
	opts := &Options{Progress: func(d, n int) { done, total = d, n }}
	r := find(t, cloud(50, 2, 1), opts)
	if done != total || total != r.Rounds {
		t.Errorf("ended at %d of %d, rounds %d", done, total, r.Rounds)
	}
	r = against(t, cloud(50, 2, 1), cloud(50, 2, 2), opts)
	if done != total || total != r.Rounds {
		t.Errorf("ended at %d of %d, rounds %d", done, total, r.Rounds)
	}
}

// TestSmall takes every size from the least on, with nothing odd and with one
// row that is.
func TestSmall(t *testing.T) {
	for n := MinRows; n <= 24; n++ {
		x := cloud(n, 2, uint64(n))
		find(t, x, nil)
		x.Coords[4] = 1000
		if r := find(t, x, nil); r.Order()[0] != 2 {
			t.Errorf("n=%d: the worst is row %d, want 2", n, r.Order()[0])
		}
		if r := against(t, x, cloud(30, 2, 99), nil); r.Order()[0] != 2 {
			t.Errorf("n=%d against a reference: the worst is row %d, want 2", n, r.Order()[0])
		}
	}
	one := &ot.Points{Dim: 2, Coords: []float64{7, 7}}
	against(t, one, cloud(MinRows, 2, 1), nil)
}

// TestConformal holds the rule for p-values and that of Benjamini and Hochberg
// on numbers small enough to check by hand.
func TestConformal(t *testing.T) {
	p := conformal([]float64{5, 2, 0, 9}, []float64{1, 2, 3, 4})
	if want := []float64{0.2, 0.8, 1, 0.2}; !slices.Equal(p, want) {
		t.Errorf("p-values %v, want %v", p, want)
	}
	p = []float64{0.9, 0.01, 0.04, 0.02, 0.6}
	if got, want := discover(p, 0.1, 1), []bool{false, true, true, true, false}; !slices.Equal(got, want) {
		t.Errorf("discovered %v, want %v", got, want)
	}
	if got := discover(p, 0.01, 1); slices.Contains(got, true) {
		t.Errorf("discovered %v at a rate that allows none", got)
	}
	if got := discover(p, 0.01, 0.2); !got[1] {
		t.Error("a small share of good rows does not help")
	}
	if got := goodShare(p); math.Abs(got-3/2.5) > 1e-12 {
		t.Errorf("share of good rows %v, want (1+2)/(5·½)", got)
	}
}

// TestTail has scores whose tail is known.
func TestTail(t *testing.T) {
	for name, quantile := range map[string]func(z float64) float64{
		"normal": func(z float64) float64 { return 3 + 2*z },
		"bent":   func(z float64) float64 { return 3 + 2*z + 0.3*z*z },
	} {
		n := 4000
		score := make([]float64, n)
		for i := range score {
			score[i] = quantile(normal{}.quantile((float64(i) + 0.5) / float64(n)))
		}
		for i, p := range tail(score) {
			if want := 1 - (float64(i)+0.5)/float64(n); i > n/2 && math.Abs(p/want-1) > 0.02 {
				t.Fatalf("%s: p-value %v of score %d, want %v", name, p, i, want)
			}
		}
	}
	flat := make([]float64, 100)
	flat[3] = 7
	p := tail(flat)
	if p[3] != 0 || p[4] != 1 {
		t.Errorf("p-values %v and %v where all scores but one are equal", p[3], p[4])
	}
}

func TestCauses(t *testing.T) {
	x := cloud(400, 4, 5)
	for i := range 400 {
		x.Row(i)[2] = 7 // constant but for one row
		x.Row(i)[3] = float64(i % 2)
	}
	copy(x.Row(9), []float64{-8, 0.1, 8, 1})
	r := find(t, x, nil)
	if r.Order()[0] != 9 {
		t.Fatalf("the worst is row %d", r.Order()[0])
	}
	got := r.Causes(x.Row(9), 3)
	if len(got) != 2 || got[0].Column != 2 || got[1].Column != 0 || got[0].Z < 100 || got[1].Z > -6 || got[1].Value != -8 {
		t.Errorf("causes %+v, want column 2 far above and column 0 about 8 below", got)
	}
	if got := r.Causes(x.Row(9), 1); len(got) != 1 {
		t.Errorf("%d causes, want 1", len(got))
	}
	never := against(t, x, &ot.Points{Dim: 4, Coords: make([]float64, 40)}, nil)
	if got := never.Causes([]float64{0, 0, -1, 0}, 3); len(got) != 1 || !math.IsInf(got[0].Z, -1) {
		t.Errorf("causes %+v for a value that the reference never takes", got)
	}
}

// auroc is that of the scores for the last k rows.
func auroc(t *testing.T, r *Result, k int) float64 {
	t.Helper()
	marks := make([]bool, len(r.Score))
	for i := range k {
		marks[len(marks)-1-i] = true
	}
	v, err := metrics.AUROC(r.Score, marks)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
