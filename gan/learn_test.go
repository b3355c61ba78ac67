package gan

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/nn"
)

// TestFrozen: a player that does not learn keeps its running values.
func TestFrozen(t *testing.T) {
	c, d := digitsConfig(t, func(c *Config) { c.Loss, c.WarmUp = Hinge, 0 })
	tr := newTrainer(t, c, d)
	r := tr.row(tr.order.Batch(nil, 0), 1, streamCritic)
	step := func(p *nn.Program, keeps string) {
		t.Helper()
		before := arrays(tr, keeps)
		if _, err := tr.run(p, r); err != nil {
			t.Fatal(err)
		}
		if diff := difference(before, arrays(tr, keeps)); diff != 0 {
			t.Errorf("%s moved by %v while another learned", keeps, diff)
		}
	}
	if _, err := tr.run(tr.critic, r); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"G/norm0/mean", "G/norm1/mean"} {
		if mean := arrays(tr, name)[name]; slices.Max(mean) != 0 || slices.Min(mean) != 0 {
			t.Errorf("%s moved while the critic learned", name)
		}
	}
	step(tr.critic, "G/")
	step(tr.weight, "D/")
	step(tr.generator, "D/")
	step(tr.critic, "W/")
	if mean := arrays(tr, "G/norm0/mean")["G/norm0/mean"]; slices.Max(mean) == 0 {
		t.Error("the running mean did not move while the generator learned")
	}
}

// TestTwoSided: the samples have weights of their own, which the critic and
// the generator see.
func TestTwoSided(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.TargetRho = 0.2 })
	two, _ := trained(t, c, d)
	if w, v := updatesOf(two, "W"), updatesOf(two, "V"); w != 7 || v != 7 {
		t.Errorf("%d updates of W and %d of V, want 7", w, v)
	}
	c.TargetRho = 0
	one, _ := trained(t, c, d)
	for _, p := range []string{"D/", "G/"} {
		if difference(arrays(one, p), arrays(two, p)) == 0 {
			t.Errorf("%s did not notice the weights of the samples", p)
		}
	}
}

// TestWeightsLearn: on one batch, over and over, the weights of either side
// lower what they pay.
func TestWeightsLearn(t *testing.T) {
	for _, loss := range []string{Wasserstein, NS, Hinge} {
		c, d := eightConfig(t, func(c *Config) { c.TargetRho, c.Loss = 0.2, loss })
		tr, _ := trained(t, c, d)
		r := tr.row(tr.order.Batch(nil, 0), 1, streamWeight)
		paid := nn.NewProgram(testBackend(t), tr.saved.State, "paid", func(s *nn.Scope, in []*Node) []*Node {
			f := c.inputs(in)
			s = s.Compute(dtypes.Float32).Frozen()
			x, _ := f.real(true)
			fake, _ := f.fake(s, tr.net)
			w, _, _ := c.weigh(tr.net.weight(s.In("W"), x), c.Rho)
			v, _, _ := c.weigh(tr.net.weight(s.In("V"), fake), c.TargetRho)
			d := s.In("D")
			data := mean(tr.obj.cost(tr.net.critic(d, x, nil)), w)
			samples := mean(tr.obj.fakeCost(tr.net.critic(d, fake, nil)), v)
			return []*Node{Concatenate([]*Node{Reshape(data, 1), Reshape(samples, 1)}, 0)}
		})
		before, err := tr.run(paid, r)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if _, err := tr.run(tr.weight, r); err != nil {
				t.Fatal(err)
			}
		}
		after, err := tr.run(paid, r)
		if err != nil {
			t.Fatal(err)
		}
		if after[0] >= before[0] || after[1] >= before[1] {
			t.Errorf("%s: the weights of data and samples paid %v and pay %v", loss, before, after)
		}
	}
}

// TestPlayersLearn: on one batch the critic and the generator lower their
// losses.
func TestPlayersLearn(t *testing.T) {
	for _, loss := range Losses() {
		c, d := eightConfig(t, func(c *Config) { c.Loss, c.Rho, c.Steps = loss, 0, 3 })
		tr, _ := trained(t, c, d)
		for _, p := range []struct {
			name    string
			program *nn.Program
			loss    func(out []float64) float64
		}{
			{"critic", tr.critic, func(out []float64) float64 {
				if loss == Wasserstein {
					return out[outCritic] + c.GradientPenalty*out[outPenalty]
				}
				return out[outCritic]
			}},
			{"generator", tr.generator, func(out []float64) float64 { return out[0] }},
		} {
			r := tr.row(tr.order.Batch(nil, 0), 1, streamCritic)
			var first, last float64
			for k := range 30 {
				out, err := tr.run(p.program, r)
				if err != nil {
					t.Fatal(err)
				}
				if last = p.loss(out); k == 0 {
					first = last
				}
			}
			if !(last < first) {
				t.Errorf("%s: the loss of the %s went from %v to %v", loss, p.name, first, last)
			}
		}
	}
}
