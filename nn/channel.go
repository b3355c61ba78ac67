package nn

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
)

// perChannel gives a vector [C] a shape that can be added to and multiplied
// with y [B,…,C].
func perChannel(v, y *Node) *Node {
	dims := make([]int, y.Rank())
	for i := range dims {
		dims[i] = 1
	}
	c := v.Shape().Size()
	dims[len(dims)-1] = c
	if !engine.Lowered(y) || c == 1 {
		return Reshape(v, dims...)
	}
	// The Go backend takes several times longer to repeat a vector, and to sum
	// in the gradient of that, than for the same as a matrix product.
	n := y.Shape().Size() / c
	return Reshape(MatMul(Ones(v.Graph(), shapes.Make(v.DType(), n, 1)), Reshape(v, 1, c)), y.Shape().Dimensions...)
}

// channelMean is the mean [C] of x [B,…,C] over all but the channels.
func channelMean(x *Node) *Node {
	c := x.Shape().Dimensions[x.Rank()-1]
	n := x.Shape().Size() / c
	x = Reshape(x, n, c)
	if !engine.Lowered(x) {
		return ReduceMean(x, 0)
	}
	return MulScalar(Reshape(MatMul(Ones(x.Graph(), shapes.Make(x.DType(), 1, n)), x), c), 1/float64(n))
}

// perImage gives rows [B,C] a shape that can be added to and multiplied with
// y [B,…,C].
func perImage(rows, y *Node) *Node {
	dims := make([]int, y.Rank())
	for i := range dims {
		dims[i] = 1
	}
	dims[0], dims[len(dims)-1] = rows.Shape().Dimensions[0], rows.Shape().Dimensions[1]
	return Reshape(rows, dims...)
}
