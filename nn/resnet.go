package nn

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
)

// A ResNet is a residual network for ImageNet (He et al. 2016) without its
// last layer. It is torchvision's: the stride of a bottleneck is that of its
// 3×3 convolution, and weights start from a normal distribution of variance
// 2/(fan out). Its arrays have torchvision's names (see LoadTorch).
type ResNet struct {
	Depth int // 18, 34, 50 or 101; 0 means 18
}

// resNets has the number of blocks in each of the four layers, by depth.
var resNets = map[int]struct {
	blocks     [4]int
	bottleneck bool
}{
	18:  {blocks: [4]int{2, 2, 2, 2}},
	34:  {blocks: [4]int{3, 4, 6, 3}},
	50:  {blocks: [4]int{3, 4, 6, 3}, bottleneck: true},
	101: {blocks: [4]int{3, 4, 23, 3}, bottleneck: true},
}

// Features returns [B,512], from depth 50 on [B,2048], for images x [B,H,W,C]
// of 32×32 pixels or more.
func (l ResNet) Features(s *Scope, x *Node) *Node {
	images("ResNet", x)
	depth := cmp.Or(l.Depth, 18)
	plan, ok := resNets[depth]
	if !ok {
		panic(fmt.Sprintf("nn: no ResNet has depth %d; want 18, 34, 50 or 101", depth))
	}
	if d := x.Shape().Dimensions; min(d[1], d[2]) < 32 {
		panic(fmt.Sprintf("nn: ResNet wants images of 32×32 or more, got %s", x.Shape()))
	}
	x = resConv{out: 64, kernel: 7, stride: 2}.apply(s.In("conv1"), s.In("bn1"), x)
	x = ReLU(PoolMax3(x)) // in torchvision the other way around, which is the same and costs more
	for i, n := range plan.blocks {
		for j := range n {
			b := resNetBlock{width: 64 << i, stride: 1, bottleneck: plan.bottleneck}
			if i > 0 && j == 0 {
				b.stride = 2
			}
			x = b.apply(s.In(fmt.Sprintf("layer%d/%d", i+1, j)), x)
		}
	}
	return PoolAll(s.float(x))
}

// A resNetBlock is two or three convolutions beside a shortcut.
type resNetBlock struct {
	width, stride int
	bottleneck    bool // 1×1, 3×3 and 1×1 to four times the width, in place of 3×3 and 3×3
}

func (l resNetBlock) apply(s *Scope, x *Node) *Node {
	convs := []resConv{{l.width, 3, l.stride}, {l.width, 3, 1}}
	if l.bottleneck {
		convs = []resConv{{l.width, 1, 1}, {l.width, 3, l.stride}, {4 * l.width, 1, 1}}
	}
	h := x
	for i, c := range convs {
		if i > 0 {
			h = ReLU(h)
		}
		h = c.apply(s.At("conv", i+1), s.At("bn", i+1), h)
	}
	short, out := x, convs[len(convs)-1].out
	if l.stride > 1 || x.Shape().Dimensions[3] != out {
		short = resConv{out, 1, l.stride}.apply(s.In("downsample/0"), s.In("downsample/1"), x)
	}
	return ReLU(Add(h, short))
}

// A resConv is a convolution that keeps the size but for its stride, and a
// batch norm.
type resConv struct{ out, kernel, stride int }

func (l resConv) apply(conv, norm *Scope, x *Node) *Node {
	x = Conv{
		Out: l.out, Kernel: l.kernel, Conv: engine.Conv{Stride: l.stride, Pad: l.kernel / 2},
		NoBias: true, Init: heFanOut,
	}.Apply(conv, x)
	return BatchNorm{}.Apply(norm, x, nil)
}

// heFanOut draws from a normal distribution of variance 2/(fan out), which
// keeps the size of gradients through a ReLU (He et al. 2015).
func heFanOut(dst []float64, dims []int, rng *rand.Rand) {
	_, out := fans(dims)
	Normal(0, math.Sqrt(2/float64(out)))(dst, dims, rng)
}
