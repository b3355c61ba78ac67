package engine

import (
	"fmt"
	"runtime"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"rot.example/rot/engine/cpu"
)

// A Backend runs graphs on one kind of device.
type Backend struct {
	// Backend is what GoMLX wants. It is not embedded: tensors remember the
	// inner backend, and GoMLX refuses to mix it with a wrapper around it.
	Backend compute.Backend

	Kind   string // "cpu", "go" or "xla"
	Device string // "CPU, 2 cores" or "NVIDIA H200", as well as can be told
	Plugin string // the file of the PJRT plugin of xla
	Cache  string // where XLA keeps its autotuning results and compiled programs; "" for nowhere
	TF32   bool   // factors of float32 products are rounded to TF32
	Why    string // why auto did not take XLA; "" when it did, or was not asked
	// Kernels names what computes. Where it is the same, results are the same to
	// the last bit, as far as the backend repeats itself: XLA on a GPU does not.
	Kernels string
}

// Options tunes Open. The zero value is ready to use.
type Options struct {
	// CacheDir is a folder in which autotuning results and compiled programs of
	// a GPU are kept between runs, so that a graph seen before starts at once.
	// It is made when needed; "" means that nothing is kept. XLA trusts what it
	// reads there, so nobody else should be able to write to it.
	CacheDir string
	// FullFloat32 asks for products of float32 numbers as they are. A GPU
	// rounds them to TF32 otherwise, which is faster and what networks do with.
	FullFloat32 bool
}

// Open opens a backend by name: cpu, go, xla, or auto, which is XLA where there
// is an NVIDIA GPU and a plugin for it that works, and cpu otherwise. Auto does
// not fail because of XLA; the Backend says why it was not taken.
//
// Opening XLA sets environment variables of the process, which is the only way
// to configure it.
func Open(name string, opts *Options) (*Backend, error) {
	if opts == nil {
		opts = &Options{}
	}
	return thisHost().open(name, opts)
}

func (h *host) open(name string, opts *Options) (*Backend, error) {
	switch name {
	case "cpu":
		return openCPU()
	case "go":
		return openGo()
	case "xla":
		return h.openXLA(opts, false)
	case "auto":
		b, xlaErr := h.openAutoXLA(opts)
		if xlaErr == nil {
			return b, nil
		}
		b, err := openCPU()
		if err != nil {
			return nil, err
		}
		b.Why = firstLine(xlaErr)
		return b, nil
	}
	return nil, fmt.Errorf("engine: there is no backend %q; choose auto, cpu, go or xla", name)
}

func openCPU() (*Backend, error) {
	b, err := cpu.New("")
	if err != nil {
		return nil, fmt.Errorf("engine: cannot open the cpu backend: %w", err)
	}
	return &Backend{Backend: b, Kind: "cpu", Device: processor(), Kernels: "cpu, " + cpu.Kernels()}, nil
}

// KernelsOf is Kernels for networks that calculate in bfloat16, or do not.
func (b *Backend) KernelsOf(bfloat16 bool) string {
	if b.Kind == "cpu" && bfloat16 {
		return "cpu, " + cpu.NarrowKernels()
	}
	return b.Kernels
}

// goConfig makes GoMLX's Go backend run the operations of a graph one after
// the other. Each matrix product still uses all cores: it is cut by rows and
// columns of the result and never along the sum, so that neither the cut nor
// the order of its parts changes a bit of it.
//
// By default the backend also runs operations side by side, which changes no
// bits either. But v0.1.3 of github.com/gomlx/compute can then wait for ever:
// every operation holds a worker while it waits for more of them, and twice as
// many independent matrix products as there are cores hold them all. The option
// parallelism=N is not for us, since it prints to the standard output.
//
// One operation is still left to chance, the gradient of a max pooling of a
// single image (SelectAndScatter whose first axis has length 1), whose parts
// add to the same result unordered. Pool batches of two or more.
const goConfig = "ops_sequential"

func openGo() (*Backend, error) {
	b, err := gobackend.New(goConfig)
	if err != nil {
		return nil, fmt.Errorf("engine: cannot open the go backend: %w", err)
	}
	kernels := "go"
	if simd {
		kernels += ", SIMD"
	}
	return &Backend{Backend: b, Kind: "go", Device: processor(), Kernels: kernels}, nil
}

// processor describes what the cpu and go backends compute on.
func processor() string {
	n := runtime.GOMAXPROCS(0)
	if n == 1 {
		return "CPU, 1 core"
	}
	return fmt.Sprintf("CPU, %d cores", n)
}

// Close releases the backend and all that lives on its device.
func (b *Backend) Close() { b.Backend.Finalize() }

// String returns a text such as "xla on NVIDIA H200".
func (b *Backend) String() string { return b.Kind + " on " + b.Device }
