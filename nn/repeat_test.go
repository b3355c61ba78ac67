package nn

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// TestRepeat takes steps in one program and one after the other: the arrays and
// what the steps report are the same, also of arrays that no step changes and of
// layers that keep a state of their own.
func TestRepeat(t *testing.T) {
	b := testBackend(t)
	step := func(s *Scope, in []*Node, row *Node) *Node {
		s = s.Training()
		x := Mul(in[0], Reshape(row, 1, 1))
		y := BatchNorm{}.Apply(s.In("norm"), Dense{Out: 3}.Apply(s.In("fixed").Frozen(), x), nil)
		y = Dense{Out: 1, Spectral: true}.Apply(s.In("line"), ReLU(y))
		loss := ReduceAllMean(Square(y))
		norm := Adam{LR: 0.1}.Minimize(s, loss, "line", nil)
		return Concatenate([]*Node{Reshape(loss, 1), Reshape(norm, 1)}, 0)
	}
	x := normal32(1, 8, 4)
	rows := []float32{1, 0.5, 2, -1}

	one := NewState(3)
	single := NewProgram(b, one, "step", func(s *Scope, in []*Node) []*Node { return []*Node{step(s, in[:1], in[1])} })
	var want []float64
	for _, r := range rows {
		want = append(want, fromTensor(mustRun(t, single, x, tensors.FromFlatDataAndDimensions([]float32{r}, 1, 1))[0])...)
	}
	all := NewState(3)
	several := NewProgram(b, all, "steps", Repeat(len(rows), step))
	for range 2 { // the second time from the arrays that the first has left
		got := fromTensor(mustRun(t, several, x, tensors.FromFlatDataAndDimensions(rows, len(rows), 1))[0])
		if worst(got, want) > 1e-4 {
			t.Fatalf("reported %v, want %v", got, want)
		}
		for name, v := range one.All() {
			if got := all.Get(name); got == nil || worst(fromTensor(got), fromTensor(v)) > 1e-4 {
				t.Errorf("%s is %v, want %v", name, got, v)
			}
		}
		want = want[:0]
		for _, r := range rows {
			want = append(want, fromTensor(mustRun(t, single, x, tensors.FromFlatDataAndDimensions([]float32{r}, 1, 1))[0])...)
		}
	}
	if n := several.Compiled(); n != 1 {
		t.Errorf("compiled %d times", n)
	}
}
