package summary

import (
	"bytes"
	"encoding"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// A kind is one kind of summary, for tests that hold for all of them.
type kind struct {
	name  string
	fresh func() any
	add   func(s any, row uint64, v float64)
	merge func(s, t any)
}

func kinds() []kind {
	return []kind{
		{"sum", func() any { return new(Sum) }, func(s any, _ uint64, v float64) { s.(*Sum).Add(v) }, func(s, t any) { s.(*Sum).Merge(t.(*Sum)) }},
		{"quantiles", func() any { return &Quantiles{Cells: 64} }, func(s any, _ uint64, v float64) { s.(*Quantiles).Add(v) }, func(s, t any) { s.(*Quantiles).Merge(t.(*Quantiles)) }},
		{"sample", func() any { return &Sample{Limit: 20, Seed: 3} }, func(s any, row uint64, _ float64) { s.(*Sample).Add(row) }, func(s, t any) { s.(*Sample).Merge(t.(*Sample)) }},
		{"top", func() any { return &Top{Limit: 9} }, func(s any, row uint64, v float64) { s.(*Top).Add(v, row, fmt.Append(nil, row)) }, func(s, t any) { s.(*Top).Merge(t.(*Top)) }},
		{"histogram", func() any { return NewHistogram(-3, 3, 50) }, func(s any, _ uint64, v float64) { s.(*Histogram).Add(v) }, func(s, t any) {
			if err := s.(*Histogram).Merge(t.(*Histogram)); err != nil {
				panic(err)
			}
		}},
		{"levels", func() any { return &Levels{Limit: 30} }, func(s any, _ uint64, v float64) { s.(*Levels).Add(fmt.Sprintf("%.1f", v)) }, func(s, t any) { s.(*Levels).Merge(t.(*Levels)) }},
	}
}

// numbers are of all sizes, some equal, some not finite.
func numbers(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		switch rng.IntN(10) {
		case 0:
			v[i] = math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1000)
		case 1:
			v[i] = float64(rng.IntN(5) - 2)
		case 2:
			v[i] = math.Copysign(0, rng.NormFloat64())
		default:
			v[i] = rng.NormFloat64()
		}
	}
	if rng.IntN(3) == 0 {
		v[rng.IntN(n)] = math.NaN()
		v[rng.IntN(n)] = math.Inf(1)
		v[rng.IntN(n)] = -math.MaxFloat64
		v[rng.IntN(n)] = math.SmallestNonzeroFloat64
	}
	return v
}

func marshal(t *testing.T, s any) []byte {
	t.Helper()
	b, err := s.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAnySplit cuts rows into parts at random, fills the parts in any order,
// sends some through their bytes, makes some twice and throws one away as a retry
// does, and merges them by a random tree: the bytes are those of one pass.
func TestAnySplit(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			for trial := range 300 {
				rng := rand.New(rand.NewPCG(uint64(trial), 7))
				n := 1 + rng.IntN(400)
				v := numbers(rng, n)
				whole := k.fresh()
				for i, x := range v {
					k.add(whole, uint64(i), x)
				}
				want := marshal(t, whole)
				parts := make([][]int, 1+rng.IntN(12))
				for _, i := range rng.Perm(n) {
					p := rng.IntN(len(parts))
					parts[p] = append(parts[p], i)
				}
				fill := func(rows []int) any {
					s := k.fresh()
					for _, i := range rows {
						k.add(s, uint64(i), v[i])
					}
					return s
				}
				var made []any
				for _, rows := range parts {
					s := fill(rows)
					if rng.IntN(3) == 0 { // lost, and made again from rows in another order
						rng.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
						s = fill(rows)
					}
					if rng.IntN(2) == 0 {
						back := k.fresh()
						if err := back.(encoding.BinaryUnmarshaler).UnmarshalBinary(marshal(t, s)); err != nil {
							t.Fatal(err)
						}
						s = back
					}
					made = append(made, s)
				}
				for len(made) > 1 {
					a, b := rng.IntN(len(made)), rng.IntN(len(made))
					if a == b {
						continue
					}
					k.merge(made[a], made[b])
					made = slices.Delete(made, b, b+1)
				}
				if got := marshal(t, made[0]); !bytes.Equal(got, want) {
					t.Fatalf("trial %d: %d rows in %d parts give other bytes", trial, n, len(parts))
				}
			}
		})
	}
}

// TestBadBytes cuts and changes bytes: an error or a summary, never a panic.
func TestBadBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, k := range kinds() {
		s := k.fresh()
		for i, x := range numbers(rng, 100) {
			k.add(s, uint64(i), x)
		}
		b := marshal(t, s)
		for cut := range b {
			if err := k.fresh().(encoding.BinaryUnmarshaler).UnmarshalBinary(b[:cut]); err == nil {
				t.Errorf("%s: %d bytes of %d are taken", k.name, cut, len(b))
			}
		}
		for range 500 {
			c := slices.Clone(b)
			c[rng.IntN(len(c))] = byte(rng.IntN(256))
			_ = k.fresh().(encoding.BinaryUnmarshaler).UnmarshalBinary(c)
		}
	}
}

func TestSumIsExact(t *testing.T) {
	for trial := range 200 {
		rng := rand.New(rand.NewPCG(uint64(trial), 0))
		var s Sum
		want := new(big.Float).SetPrec(4000)
		for range 1 + rng.IntN(200) {
			v := math.Ldexp(rng.NormFloat64(), rng.IntN(2090)-1070)
			if rng.IntN(2) == 0 {
				s.Add(v)
				want.Add(want, big.NewFloat(v))
			} else {
				n := int64(rng.IntN(1 << 30))
				s.AddTimes(v, n)
				want.Add(want, new(big.Float).SetPrec(4000).Mul(big.NewFloat(v), new(big.Float).SetInt64(n)))
			}
		}
		if s.Big().Cmp(want) != 0 {
			t.Fatalf("trial %d: got %v, want %v", trial, s.Big(), want)
		}
		if got, want := s.Float64(), func() float64 { f, _ := want.Float64(); return f }(); got != want {
			t.Fatalf("trial %d: got %v, want %v", trial, got, want)
		}
	}
	var s Sum
	s.Add(1e308)
	s.Add(1e308)
	s.Add(-1e308)
	s.Add(0.1)
	s.Add(-1e308)
	if got := s.Float64(); got != 0.1 {
		t.Errorf("got %v, want 0.1", got)
	}
	if got := s.Mean(4); got != 0.025 {
		t.Errorf("mean %v, want 0.025", got)
	}
}

// TestSumCarries adds the same number so often that limbs have to carry.
func TestSumCarries(t *testing.T) {
	s := Sum{pending: settleEvery - 3}
	for range 10 {
		s.Add(-3.5)
	}
	if got := s.Float64(); got != -35 {
		t.Errorf("got %v, want -35", got)
	}
}

func TestQuantileBounds(t *testing.T) {
	for trial := range 100 {
		rng := rand.New(rand.NewPCG(uint64(trial), 5))
		n := 1 + rng.IntN(3000)
		v := make([]float64, n)
		q := Quantiles{Cells: 50}
		for i := range v {
			v[i] = math.Exp(3 * rng.NormFloat64())
			if trial%2 == 0 {
				v[i] = rng.NormFloat64()
			}
			q.Add(v[i])
		}
		if len(q.counts) > 50 {
			t.Fatalf("%d cells", len(q.counts))
		}
		slices.Sort(v)
		for _, level := range []float64{0, 0.01, 0.25, 0.5, 0.75, 0.999, 1} {
			at, low, high, rank := q.Quantile(level)
			k := int(level * float64(n-1))
			if !(low <= v[k] && v[k] <= high) {
				t.Fatalf("quantile %g is %g, not in [%g, %g]", level, v[k], low, high)
			}
			r, _ := slices.BinarySearch(v, at)
			if off := math.Abs(float64(r-k)) / float64(n); off > rank+1/float64(n) {
				t.Fatalf("quantile %g: rank off by %g, reported %g", level, off, rank)
			}
		}
	}
}

func TestDistanceBounds(t *testing.T) {
	for trial := range 100 {
		rng := rand.New(rand.NewPCG(uint64(trial), 9))
		a, b := Quantiles{Cells: 40}, Quantiles{Cells: 40}
		var x, y []float64
		for range 1 + rng.IntN(500) {
			x = append(x, math.Round(1000*rng.NormFloat64())/1000)
			a.Add(x[len(x)-1])
		}
		for range 1 + rng.IntN(500) {
			y = append(y, 1e3*float64(trial%3)+math.Round(10*(0.3+rng.NormFloat64()))/10)
			b.Add(y[len(y)-1])
		}
		var want float64
		for _, v := range append(slices.Clone(x), y...) {
			f, g := 0., 0.
			for _, u := range x {
				if u <= v {
					f += 1 / float64(len(x))
				}
			}
			for _, u := range y {
				if u <= v {
					g += 1 / float64(len(y))
				}
			}
			want = max(want, math.Abs(f-g))
		}
		low, high := Distance(&a, &b)
		if low > want+1e-12 || high < want-1e-12 {
			t.Fatalf("trial %d: %g is not in [%g, %g]", trial, want, low, high)
		}
	}
}

// TestSampleIsUniform counts how often each row is drawn over many seeds.
func TestSampleIsUniform(t *testing.T) {
	const n, k, seeds = 40, 10, 4000
	var times [n]float64
	for seed := range uint64(seeds) {
		s := Sample{Limit: k, Seed: seed}
		for i := range uint64(n) {
			s.Add(i)
		}
		for _, r := range s.Rows() {
			times[r]++
		}
	}
	want, chi := float64(seeds*k)/n, 0.
	for _, c := range times {
		chi += (c - want) * (c - want) / want
	}
	// 39 degrees of freedom, less the correlation of a draw without replacement.
	if chi > 80 {
		t.Errorf("chi-square %g", chi)
	}
}

func TestLevels(t *testing.T) {
	l := Levels{Limit: 1000}
	for i := range 100_000 {
		l.Add(fmt.Sprint(i % 20_000))
	}
	if got := l.Distinct(); math.Abs(got-20_000) > 4*20_000/math.Sqrt(1000) {
		t.Errorf("%g different words, want about 20000", got)
	}
	words, counts := l.Words()
	if len(words) != 1000 || l.Complete() || l.Rows() != 100_000 {
		t.Errorf("%d words, complete %v, %d rows", len(words), l.Complete(), l.Rows())
	}
	for k, c := range counts {
		if c != 5 {
			t.Fatalf("%s occurs %d times, want 5", words[k], c)
		}
	}
}

func TestHistogramRoundsDown(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 1000 {
		h := NewHistogram(rng.NormFloat64(), 2+rng.ExpFloat64(), 1+rng.IntN(300))
		v := h.Low + rng.Float64()*10
		if rng.IntN(2) == 0 {
			v = h.Edge(rng.IntN(len(h.Counts)))
		}
		if k := h.Bin(v); h.Edge(k) > v {
			t.Fatalf("%g lies below its bin, which starts at %g", v, h.Edge(k))
		}
	}
	if err := NewHistogram(0, 1, 3).Merge(NewHistogram(0, 1, 4)); err == nil {
		t.Error("histograms of other bins merge")
	}
}

func BenchmarkSum(b *testing.B) {
	var s Sum
	for i := range b.N {
		s.Add(float64(i) * 0.1)
	}
}

func BenchmarkQuantiles(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 2))
	var q Quantiles
	for range b.N {
		q.Add(rng.NormFloat64())
	}
}
