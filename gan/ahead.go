package gan

import (
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/train"
)

// compileAhead compiles the programs of the next step while the data are
// looked at for its weights, which takes seconds of the processor alone. Not
// more than these: a compiler that times kernels beside a training in progress
// would choose by what it disturbs. The caller waits before it returns.
func (t *Trainer) compileAhead() (wait func()) {
	if !t.remote || !t.refreshDue(t.saved.Step+1) {
		return func() {}
	}
	k, critics := t.atOnce(t.saved.Step+1), t.critic
	if k > 1 {
		critics = t.critics
	}
	inputs := func(rows int) (in []*tensors.Tensor) {
		all := make([]train.Row, rows)
		for i := range all {
			all[i] = t.row(make([]int32, t.c.Batch), t.saved.Step+1, streamCritic)
		}
		for _, x := range t.feed(all) {
			in = append(in, x.(*tensors.Tensor))
		}
		return in
	}
	several, one := inputs(k), inputs(1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if critics.Compile(several...) != nil {
			return // the step that runs it says why
		}
		_ = t.generator.Compile(one...)
	}()
	return func() { <-done }
}
