// Package cpu is a GoMLX backend for processors, in Go and Go assembly: no cgo,
// no build tags, and on amd64 with AVX2 as fast as the libraries in C.
//
// # Basics
//
// Importing the package registers the backend as "cpu" with
// github.com/gomlx/compute; New makes one directly.
//
//	backend, err := cpu.New("")
//	exec, err := graph.NewExec(backend, step)
//
// A graph is compiled once: chains of element-wise operations become one loop
// over blocks that stay in the first cache (group.go, program.go), slices,
// transpositions and broadcasts become ways to read an array (view.go), and
// every array gets its place in one piece of memory (arena.go). Matrix products
// and convolutions share their inner loops (tile.go): a convolution and both
// its gradients read the image where it lies, without a copy of its patches.
//
// Results do not depend on the number of workers: work is cut in the same
// pieces for any number of them, and partial sums are added in a fixed order.
//
// # Caveats
//
// Element types are bool, all integers from 8 to 64 bits, float32, float64,
// and bfloat16, which is computed in float32, but for its products and
// convolutions where the processor has AMX and the system is Linux, or AVX-512
// with VDPBF16PS: those have sums in float32 (narrow.go). There are no complex numbers, no loops or branches inside
// a graph, no dynamic shapes, and one device. An operation that is missing is an
// error that names it, when the graph is built.
package cpu
