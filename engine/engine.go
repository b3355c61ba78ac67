// Package engine runs GoMLX graphs: it picks the backend, fills the gradients
// that GoMLX lacks, and turns its panics into errors.
//
// Two backends run the same graphs. The one called go is GoMLX's own, in pure
// Go: always there, and its results do not depend on scheduling. The one
// called xla hands the graphs to a PJRT plugin, XLA for NVIDIA GPUs as JAX
// ships it; it is there in builds with cgo for Linux on amd64, where such a
// plugin is installed. Nothing is ever downloaded.
//
//	b, err := engine.Open("auto", nil)
//	if err != nil {
//		return err
//	}
//	defer b.Close()
//	exec, err := graph.NewExec(b.Backend, step)
package engine
