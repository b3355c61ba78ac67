package features

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/nn"
)

// What networks for ImageNet expect: the shorter side resized to 256 pixels, of
// these the 224×224 in the middle, and each channel less its mean and divided
// by its standard deviation over ImageNet.
var imageNet = input{
	size: 224, resize: 256, antialias: true,
	mean: [3]float32{0.485, 0.456, 0.406}, sd: [3]float32{0.229, 0.224, 0.225},
}

// mobileNetV2 is that of Sandler et al. (2018), its batch norms folded into the
// convolutions; the vectors are the mean over the last 7×7 pixels. Its tensors
// are numbered as the nodes of the ONNX model zoo's file.
var mobileNetV2 = kind{
	name: "mobilenetv2", marks: []string{"conv_95_weight", "gemm_104_weight"},
	dim: 1280, classes: 1000, input: imageNet,
	build: func(s *nn.Scope, x *Node, classes int) (vectors, logits *Node) {
		number := 0
		vectors = mobileNet(x, func(_, _ int, last bool, dims ...int) (w, b *Node) {
			w, b = folded(s, fmt.Sprint("conv_", number), dims...)
			number += 2 // an activation comes between
			if last {   // none, but a sum where the block has one
				number--
			}
			return w, b
		}, func() { number++ })
		return vectors, dense(vectors, param(s, "gemm_104_weight", 1280, classes), param(s, "gemm_104_bias", classes))
	},
}

// mobileNetV2Torch is the same under torchvision's names, with its batch norms.
var mobileNetV2Torch = kind{
	name: mobileNetV2.name, marks: []string{"features.1.conv.2.running_var", "features.17.conv.3.running_var"}, head: "classifier.1.weight",
	dim: 1280, classes: 1000, input: imageNet,
	build: func(s *nn.Scope, x *Node, classes int) (vectors, logits *Node) {
		vectors = mobileNet(x, func(block, layer int, last bool, dims ...int) (w, b *Node) {
			conv, norm := s.At("features/", block), (*nn.Scope)(nil)
			switch {
			case block == 0 || block == 18:
				conv, norm = conv.In("0"), conv.In("1")
			case last:
				conv, norm = conv.At("conv/", layer), conv.At("conv/", layer+1)
			default:
				conv = conv.At("conv/", layer)
				conv, norm = conv.In("0"), conv.In("1")
			}
			return normed(conv, norm, 1e-5, dims...)
		}, func() {})
		s = s.In("classifier/1")
		return vectors, dense(vectors, param(s, "w", 1280, classes), param(s, "b", classes))
	},
}

// mobileNet builds the network of the kernels [K,L,I,O] and biases [O] that
// weights has for each convolution: by its block, its number in there, and whether
// it is the block's last, which has no activation. It calls added after a sum.
func mobileNet(x *Node, weights func(block, layer int, last bool, dims ...int) (w, b *Node), added func()) *Node {
	conv := func(block, layer int, last bool, x *Node, out, kernel, stride int) *Node {
		w, b := weights(block, layer, last, kernel, kernel, x.Shape().Dimensions[3], out)
		y := biased(x, w, b, stride, kernel/2)
		if last {
			return y
		}
		return relu6(y)
	}
	x = conv(0, 0, false, x, 32, 3, 2)
	block := 1
	for _, group := range []struct{ widen, out, blocks, stride int }{
		{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1},
	} {
		for i := range group.blocks {
			y, layer := x, 0
			if group.widen > 1 {
				y = conv(block, layer, false, y, group.widen*y.Shape().Dimensions[3], 1, 1)
				layer++
			}
			stride := 1
			if i == 0 {
				stride = group.stride
			}
			c := y.Shape().Dimensions[3]
			w, b := weights(block, layer, false, 3, 3, 1, c)
			y = depthwise(y, w, stride)
			y = relu6(Add(y, repeat(b, y)))
			if y = conv(block, layer+1, true, y, group.out, 1, 1); i > 0 {
				y = Add(x, y)
				added()
			}
			x = y
			block++
		}
	}
	return nn.PoolAll(conv(block, 0, false, x, 1280, 1, 1))
}

// folded are the kernel and the bias of a convolution whose tensors are called
// name_weight and name_bias.
func folded(s *nn.Scope, name string, dims ...int) (w, b *Node) {
	return param(s, name+"_weight", dims...), param(s, name+"_bias", dims[3])
}

// biased is a convolution with a bias.
func biased(x, w, b *Node, stride, pad int) *Node {
	y := convolve(x, w, stride, pad, pad)
	return Add(y, repeat(b, y))
}

// dense is the last layer.
func dense(x, w, b *Node) *Node { return Add(MatMul(x, w), Reshape(b, 1, b.Shape().Size())) }

// relu6 is x between 0 and 6.
func relu6(x *Node) *Node { return MinScalar(relu(x), 6) }
