package features

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/nn"
)

// inceptionV3 is the network that the Fréchet inception distance is defined by
// (Heusel et al. 2017), TensorFlow's of 5 December 2015. It is torchvision's
// Inception-v3 but for its pooling branches: means leave out what lies outside
// the image, and the last one is a maximum. Images are resized to 299×299
// without regard to their aspect ratio and without smoothing, as pytorch-fid
// does. The vectors are the mean over the last 8×8 pixels.
//
// The logits leave out the bias of the last layer, as the inception score does
// since Salimans et al. (2016).
var inceptionV3 = kind{
	name: "inception-v3", marks: []string{"Mixed_5b.branch1x1.conv.weight", "Mixed_7c.branch1x1.conv.weight"},
	ignore: []string{"fc.bias"},
	dim:    2048, classes: 1008,
	input: input{size: 299, mean: [3]float32{0.5, 0.5, 0.5}, sd: [3]float32{0.5, 0.5, 0.5}},
	build: func(s *nn.Scope, x *Node, _ int) (vectors, logits *Node) {
		x = normConv{out: 32, k: 3, l: 3, stride: 2}.apply(s.In("Conv2d_1a_3x3"), x)
		x = normConv{out: 32, k: 3, l: 3}.apply(s.In("Conv2d_2a_3x3"), x)
		x = same(64, 3, 3).apply(s.In("Conv2d_2b_3x3"), x)
		x = maxPool(x, 2, 0)
		x = same(80, 1, 1).apply(s.In("Conv2d_3b_1x1"), x)
		x = normConv{out: 192, k: 3, l: 3}.apply(s.In("Conv2d_4a_3x3"), x)
		x = maxPool(x, 2, 0)
		for i, pooled := range []int{32, 64, 64} {
			x = inceptionA(s.In(mixed(5, 'b', i)), x, pooled)
		}
		x = inceptionB(s.In("Mixed_6a"), x)
		for i, width := range []int{128, 160, 160, 192} {
			x = inceptionC(s.In(mixed(6, 'b', i)), x, width)
		}
		x = inceptionD(s.In("Mixed_7a"), x)
		x = inceptionE(s.In("Mixed_7b"), x, meanPool(x))
		x = inceptionE(s.In("Mixed_7c"), x, maxPool(x, 1, 1))
		vectors = nn.PoolAll(x)
		return vectors, MatMul(vectors, param(s.In("fc"), "w", 2048, 1008))
	},
}

// mixed is "Mixed_5b", the i-th from there on.
func mixed(stage int, first rune, i int) string {
	return fmt.Sprintf("Mixed_%d%c", stage, first+rune(i))
}

// A normConv is a convolution with kernels of k×l pixels, a batch norm and a
// ReLU.
type normConv struct {
	out, k, l  int
	stride     int // 0 means 1
	padH, padW int
}

// same is a layer that keeps the size of the image.
func same(out, k, l int) normConv { return normConv{out: out, k: k, l: l, padH: k / 2, padW: l / 2} }

func (l normConv) apply(s *nn.Scope, x *Node) *Node {
	w, b := normed(s.In("conv"), s.In("bn"), 1e-3, l.k, l.l, x.Shape().Dimensions[3], l.out)
	y := convolve(x, w, max(1, l.stride), l.padH, l.padW)
	return relu(Add(y, repeat(b, y)))
}

// normed are the kernel and the bias of a convolution without a bias and the batch
// norm after it.
func normed(conv, norm *nn.Scope, epsilon float64, dims ...int) (w, b *Node) {
	out := dims[3]
	w = param(conv, "w", dims...)
	scale, offset := param(norm, "scale", out), param(norm, "offset", out)
	mean, variance := param(norm, "mean", out), param(norm, "var", out)
	scale = Mul(scale, Rsqrt(AddScalar(variance, epsilon)))
	return Mul(w, Reshape(scale, 1, 1, 1, out)), Sub(offset, Mul(mean, scale))
}

// chain applies layers one after the other, called name_1, name_2 and so on.
func chain(s *nn.Scope, name string, x *Node, layers ...normConv) *Node {
	for i, l := range layers {
		x = l.apply(s.In(fmt.Sprintf("%s_%d", name, i+1)), x)
	}
	return x
}

func join(branches ...*Node) *Node { return Concatenate(branches, 3) }

func inceptionA(s *nn.Scope, x *Node, pooled int) *Node {
	return join(
		same(64, 1, 1).apply(s.In("branch1x1"), x),
		chain(s, "branch5x5", x, same(48, 1, 1), same(64, 5, 5)),
		chain(s, "branch3x3dbl", x, same(64, 1, 1), same(96, 3, 3), same(96, 3, 3)),
		same(pooled, 1, 1).apply(s.In("branch_pool"), meanPool(x)),
	)
}

func inceptionB(s *nn.Scope, x *Node) *Node {
	return join(
		normConv{out: 384, k: 3, l: 3, stride: 2}.apply(s.In("branch3x3"), x),
		chain(s, "branch3x3dbl", x, same(64, 1, 1), same(96, 3, 3), normConv{out: 96, k: 3, l: 3, stride: 2}),
		maxPool(x, 2, 0),
	)
}

func inceptionC(s *nn.Scope, x *Node, width int) *Node {
	return join(
		same(192, 1, 1).apply(s.In("branch1x1"), x),
		chain(s, "branch7x7", x, same(width, 1, 1), same(width, 1, 7), same(192, 7, 1)),
		chain(s, "branch7x7dbl", x, same(width, 1, 1), same(width, 7, 1), same(width, 1, 7), same(width, 7, 1), same(192, 1, 7)),
		same(192, 1, 1).apply(s.In("branch_pool"), meanPool(x)),
	)
}

func inceptionD(s *nn.Scope, x *Node) *Node {
	return join(
		chain(s, "branch3x3", x, same(192, 1, 1), normConv{out: 320, k: 3, l: 3, stride: 2}),
		chain(s, "branch7x7x3", x, same(192, 1, 1), same(192, 1, 7), same(192, 7, 1), normConv{out: 192, k: 3, l: 3, stride: 2}),
		maxPool(x, 2, 0),
	)
}

func inceptionE(s *nn.Scope, x, pooled *Node) *Node {
	// Both ends of a branch see the same pixels.
	fork := func(x *Node, name string) *Node {
		return join(same(384, 1, 3).apply(s.In(name+"a"), x), same(384, 3, 1).apply(s.In(name+"b"), x))
	}
	three := chain(s, "branch3x3", x, same(384, 1, 1))
	double := chain(s, "branch3x3dbl", x, same(448, 1, 1), same(384, 3, 3))
	return join(
		same(320, 1, 1).apply(s.In("branch1x1"), x),
		fork(three, "branch3x3_2"),
		fork(double, "branch3x3dbl_3"),
		same(192, 1, 1).apply(s.In("branch_pool"), pooled),
	)
}
