package gan

import (
	"errors"
	"testing"

	"rot.example/rot/chisq"
)

// TestRadius: the radius is that of the outliers, and 0 where there are none.
func TestRadius(t *testing.T) {
	for _, tt := range []struct {
		name, weights, outliers string
		want                    float64
	}{
		{"clean", WeightBank, "", 0},
		{"a twentieth", WeightBank, "synth:far@0.05", 0.026},
		{"clean, by transport", WeightTransport, "", 0},
		{"a twentieth, by transport", WeightTransport, "synth:far@0.05", 0.026},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, d := load(t, "mlp", "synth:eight,n=2000", tt.outliers, func(c *Config) {
				c.Rho, c.RhoAuto, c.Weights, c.Steps = 0, true, tt.weights, 2500
				c.LR, c.WeightLR, c.Decay = 3e-3, 3e-3, true
			})
			tr, _ := trained(t, c, d)
			r := tr.Radius()
			if r == nil || r.Held != 2000 {
				t.Fatalf("radius %+v", r)
			}
			if tr.Rho() != r.Rho || r.Rho < 0.8*tt.want || r.Rho > 1.25*tt.want {
				t.Errorf("radius %+v, want about %v", r, tt.want)
			}
			w, err := tr.Weights()
			if err != nil {
				t.Fatal(err)
			}
			chi2 := 0.0
			for i, v := range w {
				chi2 += (v - 1) * (v - 1) / float64(len(w))
				if d.Outlier != nil && d.Outlier[i] && v > 0.5 {
					t.Errorf("outlier %d has weight %v", i, v)
				}
			}
			if chi2 > 2*r.Rho+1e-9 {
				t.Errorf("χ² is %v for a radius of %v", chi2, r.Rho)
			}
		})
	}
}

// TestRadiusGivenUp: a radius stays for a while when no elbow is clear.
func TestRadiusGivenUp(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Rho, c.RhoAuto, c.Weights = 0, true, WeightBank })
	tr := newTrainer(t, c, d)
	bank := tr.saved.Bank
	if err := bank.SetBall(chisq.Ball{Rho: 0.05}); err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, bank.Len())
	for i := range scores {
		scores[i] = float64(i % 7) // no tail at all
	}
	for k := range unclearFor {
		if bank.Ball().Rho != 0.05 {
			t.Fatalf("given up after %d refreshes", k)
		}
		if err := bank.Blend(scores, bankMemory); err != nil {
			t.Fatal(err)
		}
		if err := tr.chooseRadius(); err != nil {
			t.Fatal(err)
		}
	}
	if bank.Ball().Rho != 0 || tr.Rho() != 0 {
		t.Errorf("the radius is still %v", tr.Rho())
	}
	// One that was clear for long enough stays.
	for i := range scores {
		scores[i] = 1000 * float64(i/(len(scores)-len(scores)/20))
	}
	refresh := func(n int) {
		t.Helper()
		for range n {
			if err := errors.Join(bank.Blend(scores, 0), tr.chooseRadius()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if refresh(clearFor); tr.Rho() < 0.01 || tr.Rho() > 0.04 {
		t.Fatalf("the radius of a twentieth is %v", tr.Rho())
	}
	want := tr.Rho()
	clear(scores)
	if refresh(2 * unclearFor); tr.Rho() != want {
		t.Errorf("the radius was %v and is %v", want, tr.Rho())
	}
}

// TestRadiusWeights: without a radius all weights are 1.
func TestRadiusWeights(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Rho, c.RhoAuto, c.Weights = 0, true, WeightBank })
	bank := newTrainer(t, c, d).saved.Bank
	if err := bank.Blend(make([]float64, bank.Len()), 0); err != nil {
		t.Fatal(err)
	}
	for i, v := range bank.Weights() {
		if v != 1 {
			t.Fatalf("weight %d is %v", i, v)
		}
	}
}
