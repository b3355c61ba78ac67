package gan

import "testing"

// TestCompileAhead: programs that are compiled while the data are looked at do
// what they do when each is compiled as it is needed.
func TestCompileAhead(t *testing.T) {
	for _, together := range []bool{false, true} {
		c, d := eightConfig(t, func(c *Config) { c.Weights, c.WarmUp, c.BankEvery = WeightTransport, 4, 7 })
		run := func(remote bool) *Trainer {
			tr := newTrainer(t, c, d)
			if tr.remote = remote; together {
				tr.together = c.CriticSteps
			}
			if err := tr.Run(t.Context(), newRun(t, c), nil); err != nil {
				t.Fatal(err)
			}
			return tr
		}
		if diff := difference(arrays(run(false), ""), arrays(run(true), "")); diff != 0 {
			t.Errorf("together %v: the arrays differ by %v", together, diff)
		}
	}
}

// TestCompileAheadShapes: what is compiled ahead is what the first step runs.
func TestCompileAheadShapes(t *testing.T) {
	c, d := eightConfig(t, func(c *Config) { c.Weights = WeightTransport })
	tr := newTrainer(t, c, d)
	tr.together, tr.remote = c.CriticSteps, true
	tr.compileAhead()()
	before := tr.critics.Compiled()
	if _, err := fly(tr, 1); err != nil {
		t.Fatal(err)
	}
	if after := tr.critics.Compiled(); before != 1 || after != 1 {
		t.Errorf("compiled %d times ahead, %d times after the first steps; want once", before, after)
	}
}
