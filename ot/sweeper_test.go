package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"rot.example/rot/chisq"
)

// A fakeSweeper has errors as large as its rounding allows: always too high,
// always too low, or either, by sign. It can also fail in several ways.
type fakeSweeper struct {
	rounding SweepRounding
	sign     int // of the errors; 0: now this, now that
	batch    int

	loadErr, minimaErr error
	nan                bool
	off                float64 // added to what it says, against its promise

	sweeps, open atomic.Int64
}

func (f *fakeSweeper) Pays(m, n, dim int) bool { return true }

func (f *fakeSweeper) Load(p *SweepPoints) (SweepSession, error) {
	if f.loadErr != nil {
		return nil, f.loadErr
	}
	s := &fakeSession{f: f, p: *p, x: make([]float32, p.M*p.Dim), y: make([]float32, p.N*p.Dim)}
	p.Sources(s.x, 0)
	p.Targets(s.y, 0)
	f.open.Add(1)
	return s, nil
}

type fakeSession struct {
	f       *fakeSweeper
	p       SweepPoints
	x, y, u []float32
}

func (s *fakeSession) Rounding() SweepRounding { return s.f.rounding }
func (s *fakeSession) Batch() int              { return s.f.batch }
func (s *fakeSession) Close()                  { s.f.open.Add(-1) }

func (s *fakeSession) SetPrices(u []float32) error {
	s.u = append(s.u[:0], u...)
	s.f.sweeps.Add(1)
	return nil
}

func (s *fakeSession) Minima(dst []float32, targets []int32) error {
	if s.f.minimaErr != nil {
		return s.f.minimaErr
	}
	p := &s.p
	for t, j := range targets {
		row := dst[t*p.Blocks() : (t+1)*p.Blocks()]
		for b := range row {
			least := math.Inf(1)
			for i := b * p.Block; i < min((b+1)*p.Block, p.M); i++ {
				least = math.Min(least, s.value(i, int(j)))
			}
			row[b] = float32(least + s.f.off)
		}
		if s.f.nan && t%3 == 0 {
			row[len(row)/2] = float32(math.NaN())
		}
	}
	return nil
}

// value is cost + price with an error of the largest size.
func (s *fakeSession) value(i, j int) float64 {
	d, r := s.p.Dim, s.f.rounding
	var cost, squares, products float64
	for k := range d {
		x, y := float64(s.x[i*d+k]), float64(s.y[j*d+k])
		squares += x*x + y*y
		products += 2 * math.Abs(x*y)
		if s.p.Metric == Cityblock {
			cost += math.Abs(x - y)
		} else {
			cost += (x - y) * (x - y)
		}
	}
	u := float64(s.u[i])
	grown := func(n int) float64 { return float64(n) * r.Sum * (1 + float64(n)*r.Sum/2) } // by n roundings
	sign := float64(s.f.sign)
	if sign == 0 {
		sign = float64(1 - 2*((i*7919+j*104729)>>3&1))
	}
	off := grown(d+4)*squares + ((1+grown(d+4))*(1+r.Product)*(1+r.Product)-1)*products
	switch {
	case s.p.Products && s.p.Metric == SqEuclidean:
		return cost + u + sign*(off+grown(d+4)*math.Abs(u))
	case s.p.Products:
		root := math.Sqrt(math.Max(0, cost+sign*off))
		return root + u + sign*(grown(2)*root+grown(1)*math.Abs(u))
	}
	cost *= 1 + sign*grown(d+3)
	if s.p.Metric == Euclidean {
		cost = math.Sqrt(cost)
	}
	return cost + u + sign*grown(1)*(cost+math.Abs(u))
}

// TestSweeperLists asserts that lists made with a device are exact, whatever
// its errors within their bound.
func TestSweeperLists(t *testing.T) {
	ctx := context.Background()
	used := 0
	for trial := range 150 {
		r := rand.New(rand.NewPCG(41, uint64(trial)))
		metric := []Metric{SqEuclidean, Euclidean, Cityblock}[trial%3]
		d := 1 + r.IntN(20)
		in := spread(t, r, 1+r.IntN(900), 40, d, metric, []float64{0, 1, 4, 10, 14}[r.IntN(5)])
		f := &fakeSweeper{sign: trial%4 - 1, batch: 1 + r.IntN(64), rounding: SweepRounding{Sum: []float64{0x1p-24, 0x1p-23, 0x1p-20}[r.IntN(3)], Product: []float64{0, 0x1p-10}[r.IntN(2)]}}
		if f.sign == 2 {
			f.sign = 1
		}
		in.device = &device{sweeper: f}
		if r.IntN(4) == 0 {
			mean, _ := in.costScale()
			in.most = mean
		}
		l := newLists(in, listLength)
		for round := range 3 {
			u := somePrices(r, in)
			l.forget() // so that all pairs are looked at
			if err := in.sweep(ctx, l, u, 0, in.n); err != nil {
				t.Fatal(err)
			}
			if in.device.failed != nil {
				t.Fatalf("trial %d: %v", trial, in.device.failed)
			}
			checkLists(t, in, l, u, upTo(in.n), fmt.Sprintf("trial %d round %d: %v %d×%d in %d dimensions, %+v", trial, round, metric, in.m, in.n, d, f.rounding))
		}
		some := []int32{3, 17, 5}
		u := somePrices(r, in)
		if err := in.sweepSome(ctx, l, u, some); err != nil {
			t.Fatal(err)
		}
		checkLists(t, in, l, u, some, fmt.Sprintf("trial %d: some of them", trial))
		if f.sweeps.Load() > 0 {
			used++
		}
	}
	if used < 100 {
		t.Errorf("only %d of 150 instances were swept on the device", used)
	}
}

// TestSweeperSolves asserts that every solver that takes a Sweeper gives the
// certified answer that it gives without.
func TestSweeperSolves(t *testing.T) {
	ctx := context.Background()
	for trial, metric := range []Metric{SqEuclidean, Euclidean, Cityblock, Cosine, SqEuclidean} {
		r := rand.New(rand.NewPCG(42, uint64(trial)))
		d := []int{2, 16, 5, 9, 30}[trial]
		p := problem(t, normal(r, 450, d, 20), normal(r, 430, d, 0), metric)
		f := &fakeSweeper{sign: 1, batch: 100, rounding: SweepRounding{Sum: 0x1p-23, Product: []float64{0, 0x1p-10}[trial%2]}}
		compare := func(name string, with, without *Result, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%v, %s: %v", metric, name, err)
			}
			if with.SweeperFailed != nil {
				t.Errorf("%v, %s: the sweeper was given up: %v", metric, name, with.SweeperFailed)
			}
			if math.Abs(with.Value-without.Value) > 1e-10*without.Value || with.RelGap() > 1e-9 || with.Lower > without.Value*(1+1e-12) {
				t.Errorf("%v, %s: %.17g ≥ %.17g with a sweeper, %.17g ≥ %.17g without", metric, name, with.Value, with.Lower, without.Value, without.Lower)
			}
			if f.sweeps.Swap(0) == 0 {
				t.Errorf("%v, %s: the sweeper was not used", metric, name)
			}
			if n := f.open.Load(); n != 0 {
				t.Errorf("%v, %s: %d sessions left open", metric, name, n)
			}
		}
		for _, rho := range [][2]float64{{0, 0}, {0.05, 0}, {0.005, 0}, {0, 0.02}, {0.02, 0.02}} {
			o := RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}}
			without, err := Robust(ctx, p, &o)
			if err != nil {
				t.Fatal(err)
			}
			o.Sweeper = f
			with, err := Robust(ctx, p, &o)
			compare(fmt.Sprintf("ρ = %v", rho), with, without, err)
		}
		without, err := Exact(ctx, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		with, err := Exact(ctx, p, &ExactOptions{Sweeper: f})
		compare("plain", with, without, err)
		if without, err = Partial(ctx, p, &PartialOptions{Mass: 0.9}); err != nil {
			t.Fatal(err)
		}
		with, err = Partial(ctx, p, &PartialOptions{Mass: 0.9, Sweeper: f})
		compare("partial", with, without, err)
	}
}

// TestSweeperFails asserts that a solve goes on without a Sweeper that fails,
// and says why.
func TestSweeperFails(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(43, 43))
	p := problem(t, normal(r, 400, 16, 20), normal(r, 420, 16, 0), SqEuclidean)
	want, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: 0.02}})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	single := SweepRounding{Sum: 0x1p-24}
	for _, tt := range []struct {
		name string
		f    *fakeSweeper
		why  string
		is   error
	}{
		{name: "load", f: &fakeSweeper{rounding: single, batch: 64, loadErr: broken}, why: "ot: loading points: broken", is: broken},
		{name: "minima", f: &fakeSweeper{rounding: single, batch: 64, minimaErr: broken}, why: "ot: sweeping: broken", is: broken},
		{name: "NaN", f: &fakeSweeper{rounding: single, batch: 64, nan: true}, is: errSweepNaN},
		{name: "less precise than it says", f: &fakeSweeper{rounding: single, batch: 64, off: 1}, is: errSweepBound},
		{name: "no rounding", f: &fakeSweeper{batch: 64}, why: "rounding errors 0 and 0"},
		{name: "no batch", f: &fakeSweeper{rounding: single}, why: "0 targets at a time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: 0.02}, Sweeper: tt.f})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Value-want.Value) > 1e-10*want.Value || got.RelGap() > 1e-9 {
				t.Errorf("%g ≥ %g, want %g", got.Value, got.Lower, want.Value)
			}
			if got.SweeperFailed == nil || !strings.Contains(got.SweeperFailed.Error(), tt.why) || tt.is != nil && !errors.Is(got.SweeperFailed, tt.is) {
				t.Errorf("it failed because of %v, want %q %v", got.SweeperFailed, tt.why, tt.is)
			}
			if n := tt.f.open.Load(); n != 0 {
				t.Errorf("%d sessions left open", n)
			}
		})
	}
}

// TestSweeperCancelled asserts that a solve on a device can be stopped.
func TestSweeperCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 44))
	p := problem(t, normal(r, 400, 16, 20), normal(r, 420, 16, 0), SqEuclidean)
	ctx, cancel := context.WithCancel(context.Background())
	f := &fakeSweeper{rounding: SweepRounding{Sum: 0x1p-24}, batch: 8}
	cancel()
	if _, err := Exact(ctx, p, &ExactOptions{Sweeper: f}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if n := f.open.Load(); n != 0 {
		t.Errorf("%d sessions left open", n)
	}
}
