package da

import (
	"strconv"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/nn"
	"rot.example/rot/train"
)

// The networks: features, a linear classifier on them, a discriminator of
// domains, and one that weighs the target.

// features are F's, [B,N].
func (t *Trainer) features(s *nn.Scope, x *Node) *Node {
	switch {
	case t.c.Net == "mlp":
		x = nn.ReLU(nn.Dense{Out: 256}.Apply(s.In("dense0"), x))
		return nn.ReLU(nn.Dense{Out: 128}.Apply(s.In("dense1"), x))
	case t.c.Net == "lenet":
		return nn.LeNet{}.Features(s, x)
	}
	depth, _ := strconv.Atoi(strings.TrimPrefix(t.c.Net, "resnet"))
	return nn.ResNet{Depth: depth}.Features(s, x)
}

// classify are C's logits, [B,classes].
func (t *Trainer) classify(s *nn.Scope, features *Node) *Node {
	return nn.Dense{Out: len(t.c.Classes)}.Apply(s.In("C"), features)
}

// discriminate are D's scores, [B], high on the source: three layers with 256
// hidden units and spectral norm.
func (t *Trainer) discriminate(s *nn.Scope, features *Node) *Node {
	s = s.In("D")
	x := nn.ReLU(nn.Dense{Out: 256, Spectral: true}.Apply(s.In("dense0"), features))
	x = nn.ReLU(nn.Dense{Out: 256, Spectral: true}.Apply(s.In("dense1"), x))
	return nn.Head{Spectral: true}.Apply(s, x, nil)
}

// weigh are the raw weights of features, [B].
func (t *Trainer) weigh(s *nn.Scope, features *Node) *Node {
	s = s.In("W")
	x := nn.ReLU(nn.Dense{Out: 64}.Apply(s.In("dense0"), features))
	x = nn.ReLU(nn.Dense{Out: 64}.Apply(s.In("dense1"), x))
	return train.RawWeight(s, x)
}
