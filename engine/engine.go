// Package engine runs GoMLX graphs: it picks the backend, fills the gradients
// that GoMLX lacks, and turns its panics into errors.
//
// Three backends run the same graphs. The one called cpu is ours (package
// rot/engine/cpu), in Go and Go assembly: always there, as fast as PyTorch on a
// processor, and its results do not depend on scheduling. The one called go is
// GoMLX's own, which is slower and shares nothing with it: something to compare
// with. The one called xla hands the graphs to a PJRT plugin, XLA for NVIDIA
// GPUs as JAX ships it; it is there in builds with cgo for Linux on amd64,
// where such a plugin is installed. Nothing is ever downloaded.
//
//	b, err := engine.Open("auto", nil)
//	if err != nil {
//		return err
//	}
//	defer b.Close()
//	exec, err := graph.NewExec(b.Backend, step)
package engine
