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
	build: func(s *nn.Scope, x *Node, classes int) (vectors, logits *Node) {
		return squeezeNet(x, classes, func(number int, dims ...int) (w, b *Node) {
			return folded(s, fmt.Sprint("squeezenet0_conv", number), dims...)
		})
	},
}

// squeezeNet11Torch is the same under torchvision's names.
var squeezeNet11Torch = kind{
	name: squeezeNet11.name, marks: []string{"features.6.squeeze.weight", "features.12.expand3x3.weight"}, head: "classifier.1.weight",
	dim: 512, classes: 1000, input: imageNet,
	build: func(s *nn.Scope, x *Node, classes int) (vectors, logits *Node) {
		return squeezeNet(x, classes, func(number int, dims ...int) (w, b *Node) {
			s := s.In(torchSqueeze(number))
			return param(s, "w", dims...), param(s, "b", dims[3])
		})
	},
}

// torchSqueeze is where torchvision has a convolution of SqueezeNet 1.1, counted
// as the ONNX model zoo does.
func torchSqueeze(number int) string {
	switch number {
	case 0:
		return "features/0"
	case 25:
		return "classifier/1"
	}
	fire, part := (number-1)/3, (number-1)%3
	return fmt.Sprintf("features/%d/%s", []int{3, 4, 6, 7, 9, 10, 11, 12}[fire], []string{"squeeze", "expand1x1", "expand3x3"}[part])
}

// squeezeNet builds the network of the kernels [K,L,I,O] and biases [O] that
// weights has for each of its convolutions.
func squeezeNet(x *Node, classes int, weights func(number int, dims ...int) (w, b *Node)) (vectors, logits *Node) {
	layer := func(number int, x *Node, out, kernel, stride, pad int) *Node {
		w, b := weights(number, kernel, kernel, x.Shape().Dimensions[3], out)
		return relu(biased(x, w, b, stride, pad))
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
	return nn.PoolAll(x), nn.PoolAll(layer(25, x, classes, 1, 1, 0))
}
