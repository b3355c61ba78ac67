package chisq

import (
	"errors"
	"math"
	"testing"
)

func TestFromGamma(t *testing.T) {
	for _, tt := range []struct {
		gamma, rho float64
		err        error
	}{
		{gamma: 0, rho: 0},
		{gamma: 0.5, rho: 0.5},
		{gamma: 0.2, rho: 0.125}, // one of five: (1/10)(4·(1/4)² + 1)
		{gamma: 1, err: ErrRadius},
		{gamma: -0.1, err: ErrRadius},
		{gamma: math.NaN(), err: ErrRadius},
		{gamma: math.Inf(1), err: ErrRadius},
	} {
		b, err := FromGamma(tt.gamma)
		if !errors.Is(err, tt.err) || math.Abs(b.Rho-tt.rho) > 1e-15 {
			t.Errorf("gamma %v: rho %v, error %v, want %v, %v", tt.gamma, b.Rho, err, tt.rho, tt.err)
		}
		if err == nil && math.Abs(b.Gamma()-tt.gamma) > 1e-15 {
			t.Errorf("gamma %v came back as %v", tt.gamma, b.Gamma())
		}
	}
	if g := (Ball{Rho: math.Inf(1)}).Gamma(); g != 1 {
		t.Errorf("gamma of the whole simplex is %v", g)
	}
}

func TestDivergence(t *testing.T) {
	for _, tt := range []struct {
		w        []float64
		div, ess float64
	}{
		{[]float64{1, 1, 1}, 0, 3},
		{[]float64{1.5, 0.5}, 0.125, 1.6}, // 4/2.5
		{[]float64{4, 0, 0, 0}, 1.5, 1},   // (n−1)/2
		{[]float64{2, 2, 0, 0}, 0.5, 2},
		{[]float64{0, 0}, 0.5, 0},
	} {
		if got := Divergence(tt.w); math.Abs(got-tt.div) > 1e-15 {
			t.Errorf("divergence of %v is %v, want %v", tt.w, got, tt.div)
		}
		if got := EffectiveSampleSize(tt.w); math.Abs(got-tt.ess) > 1e-15 {
			t.Errorf("effective sample size of %v is %v, want %v", tt.w, got, tt.ess)
		}
	}
	if got := Divergence(nil); !math.IsNaN(got) {
		t.Errorf("divergence of nothing is %v", got)
	}
}
