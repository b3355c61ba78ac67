package da

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/chisq"
)

// TestRadius: the radius is about what the share of rows that do not belong,
// here some of all classes at once, asks for, and small where all belong.
func TestRadius(t *testing.T) {
	for _, far := range []int{0, 60} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%d far rows, seed %d", far, seed), func(t *testing.T) {
				t.Parallel()
				c := strangers(t, 600, far, seed)
				c.Target = blobsAt(t, "target", 600, far, [3]float64{4, 4, 4}, 0.5, 2+seed)
				c.Rho, c.RhoAuto, c.Steps, c.WarmUp = 0, true, 51, 50
				d := load(t, &c)
				tr, run := newTrainer(t, c, d)
				var got *Radius
				if err := tr.Run(context.Background(), run, &RunOptions{Hooks: Hooks{Radius: func(r *Radius) { got = r }}}); err != nil {
					t.Fatal(err)
				}
				if got == nil || got != tr.Radius() || got.Held != 120 || tr.Config().Rho != got.Rho {
					t.Fatalf("radius %+v, and the configuration says %g", got, tr.Config().Rho)
				}
				ball, _ := chisq.FromGamma(0.1)
				if far == 0 && got.Rho > 0.03 || far > 0 && (got.Rho < ball.Rho/2.5 || got.Rho > ball.Rho*2.5) {
					t.Errorf("%+v, want about %.3g", got, ball.Rho)
				}
				if chi2 := chisq.Divergence(weights(t, tr)); chi2 > got.Rho*(1+1e-6) || got.Rho > 0 && chi2 == 0 {
					t.Errorf("divergence of the weights is %g, ρ is %g", chi2, got.Rho)
				}
			})
		}
	}
}

// TestHeldBack: the samples that are held back are in no batch of the warm-up,
// the others all are, and afterwards every sample is.
func TestHeldBack(t *testing.T) {
	c := config(t, 12)
	c.Rho, c.RhoAuto, c.WarmUp = 0, true, 40
	d := load(t, &c)
	tr, _ := newTrainer(t, c, d)
	if len(tr.held) != 24 {
		t.Fatalf("%d of 120 samples are held back, want a fifth", len(tr.held))
	}
	seen := func(first, last int) map[int]bool {
		out := map[int]bool{}
		for step := first; step <= last; step++ {
			for _, i := range tr.batch(step).Index[c.Batch:] {
				out[int(i)] = true
			}
		}
		return out
	}
	early, late := seen(1, c.WarmUp), seen(c.WarmUp+1, 2*c.WarmUp)
	for i := range d.Target.N {
		if early[i] == slices.Contains(tr.held, i) || !late[i] {
			t.Errorf("sample %d: held back %v, seen in the warm-up %v, later %v", i, slices.Contains(tr.held, i), early[i], late[i])
		}
	}
	held := slices.Clone(tr.held)
	c.Seed++
	if other, _ := newTrainer(t, c, d); slices.Equal(other.held, held) {
		t.Error("another seed holds back the same samples")
	}
	c.Target = blobs(t, "few", 49, 0, 0, 1)
	c.DataHash = ""
	few := load(t, &c)
	if _, err := New(c, few, backend(t)); err == nil || !strings.Contains(err.Error(), "rho auto needs at least 50 target samples, and there are 49") {
		t.Errorf("49 samples: %v", err)
	}
}

// TestClassWeights by hand: a class that the others lack weighs nothing, and
// shares that are too far apart for chance are left as they are.
func TestClassWeights(t *testing.T) {
	got := classWeights([]int{0, 0, 1, 2}, []int{1, 0, 1, 1}, 3)
	if want := []float64{0.5, 0.5, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// χ² of 50 to 50 against 50+d to 50−d is d²/(100+d) + d²/(100−d): 3.44 for
	// d = 13 and 4.00 for 14. With one degree of freedom the line is at 1 + 2√2.
	for d, same := range map[int]bool{0: true, 13: true, 14: false, 30: false} {
		var class, others []int
		for i := range 100 {
			class = append(class, i%2)
			y := 0
			if i >= 50+d {
				y = 1
			}
			others = append(others, y)
		}
		if got := classWeights(class, others, 2) != nil; got != same {
			t.Errorf("50 to 50 against %d to %d: by chance %v, want %v", 50+d, 50-d, got, same)
		}
	}
}
