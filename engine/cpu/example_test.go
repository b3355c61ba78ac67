package cpu_test

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine/cpu"
)

func ExampleNew() {
	backend, err := cpu.New("workers=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Finalize()
	gradient := graph.MustNewExec(backend, func(x *graph.Node) *graph.Node {
		return graph.Gradient(graph.ReduceAllSum(graph.Mul(x, graph.Mul(x, x))), x)[0]
	})
	fmt.Println(gradient.MustCall1([]float32{1, 2, 3}).Value())
	// Output: [3 12 27]
}
