package gan

import (
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/nn"
	"rot.example/rot/train"
)

// compileAhead compiles the programs of the next step while the data are
// looked at for its weights, which takes seconds of the processor alone. Not
// more than these: a compiler that times kernels beside a training in progress
// would choose by what it disturbs. The caller waits before it returns.
func (t *Trainer) compileAhead() (wait func()) {
	if !t.ahead || !t.refreshDue(t.saved.Step+1) {
		return func() {}
	}
	programs, critics := []*nn.Program{t.critic, t.generator}, 1
	if k := t.atOnce(); k > 1 {
		programs, critics = t.cycles[:1], k+1
	}
	rows := make([]train.Row, critics)
	for i := range rows {
		rows[i] = t.row(make([]int32, t.c.Batch), t.saved.Step+1, streamCritic)
	}
	var in []*tensors.Tensor
	for _, x := range t.feed(rows) {
		in = append(in, x.(*tensors.Tensor))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, p := range programs {
			if p.Compile(in...) != nil {
				return // the step that runs it says why
			}
		}
	}()
	return func() { <-done }
}
