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
	build: func(s *nn.Scope, x *Node) (vectors, logits *Node) {
		x = relu6(foldedConv(s, "conv_0", x, 32, 3, 2, 1))
		x = invertedResidual{out: 16, stride: 1, depthwise: "conv_2", project: "conv_4"}.apply(s, x)
		number := 5
		for _, group := range []struct{ out, blocks, stride int }{
			{24, 2, 2}, {32, 3, 2}, {64, 4, 2}, {96, 3, 1}, {160, 3, 2}, {320, 1, 1},
		} {
			for i := range group.blocks {
				b := invertedResidual{
					out: group.out, stride: 1, residual: i > 0,
					expand: conv(number), depthwise: conv(number + 2), project: conv(number + 4), // activations between them
				}
				if i == 0 {
					b.stride = group.stride
				}
				x = b.apply(s, x)
				if number += 5; b.residual {
					number++ // the sum
				}
			}
		}
		x = relu6(foldedConv(s, conv(number), x, 1280, 1, 1, 0))
		vectors = nn.PoolAll(x)
		w := param(s, "gemm_104_weight", 1280, 1000)
		return vectors, Add(MatMul(vectors, w), Reshape(param(s, "gemm_104_bias", 1000), 1, 1000))
	},
}

func conv(number int) string { return fmt.Sprint("conv_", number) }

// An invertedResidual widens six times, convolves each channel by itself, and
// narrows.
type invertedResidual struct {
	out, stride                int
	residual                   bool
	expand, depthwise, project string // tensors; the first block does not widen
}

func (l invertedResidual) apply(s *nn.Scope, x *Node) *Node {
	y := x
	if l.expand != "" {
		y = relu6(foldedConv(s, l.expand, y, 6*y.Shape().Dimensions[3], 1, 1, 0))
	}
	c := y.Shape().Dimensions[3]
	y = depthwise(y, param(s, l.depthwise+"_weight", 3, 3, 1, c), l.stride)
	y = relu6(Add(y, repeat(param(s, l.depthwise+"_bias", c), y)))
	y = foldedConv(s, l.project, y, l.out, 1, 1, 0)
	if l.residual {
		y = Add(x, y)
	}
	return y
}

// foldedConv is a convolution with a bias, whose tensors are called name_weight
// and name_bias.
func foldedConv(s *nn.Scope, name string, x *Node, out, kernel, stride, pad int) *Node {
	w := param(s, name+"_weight", kernel, kernel, x.Shape().Dimensions[3], out)
	y := convolve(x, w, stride, pad, pad)
	return Add(y, repeat(param(s, name+"_bias", out), y))
}

// relu6 is x between 0 and 6.
func relu6(x *Node) *Node { return MinScalar(relu(x), 6) }
