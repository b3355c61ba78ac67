package gan

import (
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
	"rot.example/rot/nn"
	"rot.example/rot/train"
)

// The networks. Each takes its Scope last path element from the trainer: "G",
// "D", "W". Widths are the paper's; what its tables leave open is in
// docs/math.md.

// networks are the three players: z [B,Noise] becomes samples, samples become
// one score each, and one raw weight each.
type networks interface {
	generator(s *nn.Scope, z, onehot *Node) *Node
	critic(s *nn.Scope, x, onehot *Node) *Node
	weight(s *nn.Scope, x *Node) *Node
}

func (c *Config) networks() networks {
	switch c.Preset {
	case "mlp":
		return mlp{c}
	case "tiny":
		return tiny{c}
	case "resnet":
		return resnet{weightNet{c, []int{64, 128, 256}}, c}
	}
	return dcgan{weightNet{c, []int{64, 128, 256}}, c}
}

var (
	small   = nn.Normal(0, 0.02) // DCGAN's initial weights
	around1 = nn.Normal(1, 0.02) // and scales of batch norm
)

// weightNet is the paper's: 3×3 convolutions, each with ReLU and max pooling,
// then one number.
type weightNet struct {
	*Config
	widths []int
}

func (n weightNet) weight(s *nn.Scope, x *Node) *Node {
	for i, w := range n.widths {
		x = nn.Conv{Out: w, Kernel: 3, Conv: engine.Conv{Pad: 1}}.Apply(s.At("conv", i), x)
		x = nn.PoolMax(nn.ReLU(x))
	}
	return train.RawWeight(s, nn.Flatten(x))
}

// dcgan has transposed and strided 4×4 convolutions (the paper's table 6). At
// 64 pixels there is one more of each at the narrow end, twice as wide.
type dcgan struct {
	weightNet
	c *Config
}

func (n dcgan) widths() []int {
	if n.c.Size == 64 {
		return []int{1024, 512, 256, 128, 64}
	}
	return []int{512, 256, 128, 64}
}

func (n dcgan) generator(s *nn.Scope, z, onehot *Node) *Node {
	widths := n.widths()
	norm := nn.BatchNorm{Scale: around1, Classes: n.c.Classes}
	x := nn.Dense{Out: 16 * widths[0], NoBias: true, Init: small}.Apply(s.In("dense"), z)
	x = Reshape(x, -1, 4, 4, widths[0])
	x = nn.ReLU(norm.Apply(s.In("norm0"), x, onehot))
	for i, w := range widths[1:] {
		up := nn.ConvTranspose{Out: w, Kernel: 4, ConvTranspose: engine.ConvTranspose{Stride: 2, Pad: 1}, NoBias: true, Init: small}
		x = up.Apply(s.At("up", i+1), x)
		x = nn.ReLU(norm.Apply(s.At("norm", i+1), x, onehot))
	}
	return Tanh(nn.Conv{Out: n.c.Channels, Kernel: 3, Conv: engine.Conv{Pad: 1}, Init: small}.Apply(s.In("out"), x))
}

func (n dcgan) critic(s *nn.Scope, x, onehot *Node) *Node {
	widths := n.widths()
	last := len(widths) - 1
	sn := n.c.spectral()
	x = nn.Conv{Out: widths[last], Kernel: 3, Conv: engine.Conv{Pad: 1}, Spectral: sn, Init: small}.Apply(s.In("conv0"), x)
	x = nn.LeakyReLU(x, 0.2)
	for i := range last {
		down := nn.Conv{Out: widths[last-1-i], Kernel: 4, Conv: engine.Conv{Stride: 2, Pad: 1}, Spectral: sn, Init: small, NoBias: n.c.CriticBN}
		x = down.Apply(s.At("conv", i+1), x)
		if n.c.CriticBN {
			x = nn.BatchNorm{Scale: around1}.Apply(s.At("norm", i+1), x, nil)
		}
		x = nn.LeakyReLU(x, 0.2)
	}
	return nn.Head{Classes: n.c.Classes, Spectral: sn, Init: small}.Apply(s.In("head"), nn.Flatten(x), onehot)
}

// resnet has residual blocks of 128 channels (the paper's table 5). At 64
// pixels there is one more block up and one more down.
type resnet struct {
	weightNet
	c *Config
}

func (n resnet) generator(s *nn.Scope, z, onehot *Node) *Node {
	const width = 128
	x := Reshape(nn.Dense{Out: 16 * width, Init: nn.Xavier(1)}.Apply(s.In("dense"), z), -1, 4, 4, width)
	for i, size := 0, 4; size < n.c.Size; i, size = i+1, 2*size {
		x = nn.ResBlock{Out: width, Up: true, Norm: true, Classes: n.c.Classes}.Apply(s.At("block", i+1), x, onehot)
	}
	x = nn.ReLU(nn.BatchNorm{}.Apply(s.In("norm"), x, nil))
	return Tanh(nn.Conv{Out: n.c.Channels, Kernel: 3, Conv: engine.Conv{Pad: 1}, Init: nn.Xavier(1)}.Apply(s.In("out"), x))
}

func (n resnet) critic(s *nn.Scope, x, onehot *Node) *Node {
	const width = 128
	block := nn.ResBlock{Out: width, Spectral: n.c.spectral()}
	i := 0
	next := func() *nn.Scope { i++; return s.At("block", i) }
	for size := n.c.Size; size > 8; size /= 2 {
		block.Down, block.First = true, size == n.c.Size
		x = block.Apply(next(), x, nil)
	}
	block.Down, block.First = false, false
	x = block.Apply(next(), x, nil)
	x = block.Apply(next(), x, nil)
	x = ReduceSum(nn.ReLU(x), 1, 2)
	return nn.Head{Classes: n.c.Classes, Spectral: n.c.spectral(), Init: nn.Xavier(1)}.Apply(s.In("head"), x, onehot)
}

// tiny is a small DCGAN for images of 28 or 32 pixels, so small that two cores
// train it in minutes.
type tiny struct{ *Config }

func (n tiny) generator(s *nn.Scope, z, onehot *Node) *Node {
	const width = 64
	quarter := n.Size / 4
	norm := nn.BatchNorm{Classes: n.Classes}
	up := nn.ConvTranspose{Kernel: 4, ConvTranspose: engine.ConvTranspose{Stride: 2, Pad: 1}}
	x := nn.Dense{Out: quarter * quarter * width, NoBias: true}.Apply(s.In("dense"), z)
	x = Reshape(x, -1, quarter, quarter, width)
	x = nn.ReLU(norm.Apply(s.In("norm0"), x, onehot))
	up.Out, up.NoBias = width/2, true
	x = nn.ReLU(norm.Apply(s.In("norm1"), up.Apply(s.In("up1"), x), onehot))
	up.Out, up.NoBias = n.Channels, false
	return Tanh(up.Apply(s.In("up2"), x))
}

func (n tiny) critic(s *nn.Scope, x, onehot *Node) *Node {
	for i, w := range []int{32, 64} {
		down := nn.Conv{Out: w, Kernel: 4, Conv: engine.Conv{Stride: 2, Pad: 1}, Spectral: n.spectral()}
		x = nn.LeakyReLU(down.Apply(s.At("conv", i), x), 0.2)
	}
	return nn.Head{Classes: n.Classes, Spectral: n.spectral()}.Apply(s.In("head"), nn.Flatten(x), onehot)
}

func (n tiny) weight(s *nn.Scope, x *Node) *Node {
	for i, w := range []int{16, 32} {
		down := nn.Conv{Out: w, Kernel: 4, Conv: engine.Conv{Stride: 2, Pad: 1}}
		x = nn.ReLU(down.Apply(s.At("conv", i), x))
	}
	return train.RawWeight(s, nn.Flatten(x))
}

// mlp is for points: two hidden layers each. Leaky ones leave samples between
// the modes, where ReLU makes sharp turns.
type mlp struct{ *Config }

const mlpWidth = 64

func (n mlp) generator(s *nn.Scope, z, onehot *Node) *Node {
	return nn.Dense{Out: n.Channels}.Apply(s.In("out"), n.hidden(s, withClass(z, onehot), false))
}

func (n mlp) critic(s *nn.Scope, x, onehot *Node) *Node {
	return nn.Head{Spectral: n.spectral()}.Apply(s.In("head"), n.hidden(s, withClass(x, onehot), n.spectral()), nil)
}

func (n mlp) weight(s *nn.Scope, x *Node) *Node { return train.RawWeight(s, n.hidden(s, x, false)) }

func (n mlp) hidden(s *nn.Scope, x *Node, spectral bool) *Node {
	for i := range 2 {
		x = nn.ReLU(nn.Dense{Out: mlpWidth, Spectral: spectral}.Apply(s.At("dense", i), x))
	}
	return x
}

// withClass appends the class of each sample to it.
func withClass(x, onehot *Node) *Node {
	if onehot == nil {
		return x
	}
	return Concatenate([]*Node{x, ConvertDType(onehot, x.DType())}, 1)
}
