package gan

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/chisq"
	"rot.example/rot/nn"
)

// TestBankRefresh: the bank is refreshed on its schedule, to the exact weights
// for the scores that the critic in use gives the whole data set.
func TestBankRefresh(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Weights = WeightBank })
	whole, _ := trained(t, c, d)
	if n := whole.saved.Bank.Updates(); n != 4 { // before steps 7, 11, 15 and 19
		t.Errorf("%d refreshes, want 4", n)
	}
	if whole.weightDue(20) {
		t.Error("a bank has no network to update")
	}

	c.Steps = c.WarmUp
	tr, _ := trained(t, c, d)
	if n := tr.saved.Bank.Updates(); n != 0 {
		t.Errorf("%d refreshes in the warm-up", n)
	}
	// All 60 samples in one batch, without the trainer's eight batches of 8.
	p := nn.NewProgram(testBackend(t), tr.saved.State, "scores", func(s *nn.Scope, in []*Node) []*Node {
		return []*Node{tr.net.critic(s.Compute(dtypes.Float32).Eval().In("D"), in[0], nil)}
	})
	out, err := p.Run(d.Values)
	if err != nil {
		t.Fatal(err)
	}
	scores := wide(tensors.MustCopyFlatData[float32](out[0]))
	if got, err := tr.pass(t.Context()); err != nil || !near(got, scores, 1e-5) {
		t.Errorf("%v: scores %v, want %v", err, got, scores)
	}
	if err := tr.refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, err := chisq.Ball{Rho: c.Rho}.Minimize(nil, scores)
	if err != nil {
		t.Fatal(err)
	}
	w, err := tr.Weights()
	if err != nil || !near(w, want, 1e-4) {
		t.Errorf("%v: weights %v, want %v", err, w, want)
	}
	if got := wide(tensors.MustCopyFlatData[float32](tr.bankWeights)); !near(got, w, 1e-6) {
		t.Error("the graphs have other weights")
	}
	if mean, chi2 := moments(w); math.Abs(mean-1) > 1e-9 || math.Abs(chi2-2*c.Rho) > 1e-9 {
		t.Errorf("mean %v, χ² %v", mean, chi2)
	}

	// The critic sees the weights of its batch, scaled to mean 1.
	u, err := fly(tr, 7)
	if err != nil {
		t.Fatal(err)
	}
	var batch []float64
	for _, i := range tr.order.Batch(nil, 6) {
		batch = append(batch, w[i])
	}
	mean, _ := moments(batch)
	for i := range batch {
		batch[i] /= mean
	}
	if _, chi2 := moments(batch); math.Abs(u.critic[0][outChi2]-chi2) > 1e-5 {
		t.Errorf("χ² of the batch is %v, want %v", u.critic[0][outChi2], chi2)
	}
	c = whole.c
	c.Rho = 0
	plain, _ := trained(t, c, d)
	if difference(arrays(plain, "D/"), arrays(whole, "D/")) == 0 {
		t.Error("the critic did not notice the weights")
	}
}

// TestBankCost: each loss hands the bank its own cost.
func TestBankCost(t *testing.T) {
	for loss, cost := range map[string]func(score float64) float64{
		NS:    func(s float64) float64 { return -softplus(-s) },
		Hinge: func(s float64) float64 { return -max(0, 1-s) },
	} {
		c, d := eightConfig(t, func(c *Config) { c.Loss, c.Weights, c.Steps = loss, WeightBank, 3 })
		tr, _ := trained(t, c, d)
		got, err := tr.pass(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tr.obj = (&Config{Loss: Wasserstein}).objective() // the scores themselves
		tr.score = nn.NewProgram(testBackend(t), tr.saved.State, "scores", tr.scoreStep)
		want, err := tr.pass(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range want {
			want[i] = cost(s)
		}
		if !near(got, want, 1e-5) {
			t.Errorf("%s: costs %v, want %v", loss, got[:4], want[:4])
		}
	}
}
