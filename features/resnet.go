package features

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/nn"
)

// resNets are the residual networks of He et al. (2016) under torchvision's names,
// deep ones first: a file of theirs has the marks of the others as well. The vectors
// are the mean over the last pixels, 7×7 of an image of 224×224.
var resNets = []*kind{
	resNet(101, 2048, "layer3.22.conv3.weight"),
	resNet(50, 2048, "layer1.0.conv3.weight"),
	resNet(34, 512, "layer1.2.conv2.weight"),
	resNet(18, 512, "layer1.1.conv2.weight"),
}

func resNet(depth, dim int, mark string) *kind {
	return &kind{
		name: fmt.Sprint("resnet-", depth), marks: []string{mark, "bn1.running_var"}, head: "fc.weight",
		dim: dim, classes: 1000, input: imageNet,
		build: func(s *nn.Scope, x *Node, classes int) (vectors, logits *Node) {
			vectors = nn.ResNet{Depth: depth}.Features(s, x)
			return vectors, nn.Dense{Out: classes}.Apply(s.In("fc"), vectors)
		},
	}
}
