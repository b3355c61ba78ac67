package features

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/nn"
)

// squeezeNet11 is version 1.1 of the network of Iandola et al. (2016); the
// vectors are the mean over the last 13×13 pixels before the classifier.
var squeezeNet11 = kind{
	name: "squeezenet1.1", marks: []string{"squeezenet0_conv0_weight", "squeezenet0_conv25_weight"},
	dim: 512, classes: 1000, input: imageNet,
	build: func(s *nn.Scope, x *Node) (vectors, logits *Node) {
		layer := func(number int, x *Node, out, kernel, stride, pad int) *Node {
			return relu(foldedConv(s, fmt.Sprint("squeezenet0_conv", number), x, out, kernel, stride, pad))
		}
		x = maxPool(layer(0, x, 64, 3, 2, 0), 2, 0)
		for i, squeeze := range []int{16, 16, 32, 32, 48, 48, 64, 64} {
			number := 3*i + 1
			x = layer(number, x, squeeze, 1, 1, 0)
			x = Concatenate([]*Node{layer(number+1, x, 4*squeeze, 1, 1, 0), layer(number+2, x, 4*squeeze, 3, 1, 1)}, 3)
			if i == 1 || i == 3 {
				x = maxPool(x, 2, 0)
			}
		}
		return nn.PoolAll(x), nn.PoolAll(layer(25, x, 1000, 1, 1, 0))
	},
}
