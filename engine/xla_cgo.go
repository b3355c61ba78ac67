//go:build cgo && linux && amd64

package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
)

// noXLA says why this binary cannot load PJRT plugins: it can.
func noXLA() string { return "" }

// loadPlugin loads a PJRT plugin by its absolute path. Loaded by name, it would
// have to be called pjrt_c_api_cuda_plugin.so and lie in a folder of go-xla's
// choice, and a link elsewhere does not help: the plugin finds the CUDA
// libraries relative to $ORIGIN, the folder of the path it was opened by, and
// the dynamic linker does not look through the link.
//
// Importing go-xla sets TF_CPP_MIN_LOG_LEVEL to 3 where the user has not, which
// keeps XLA's own log off the terminal.
func loadPlugin(p plugin) (compute.Backend, error) {
	// What follows a comma are options to go-xla.
	if strings.Contains(p.file, ",") {
		return nil, errors.New("its path has a comma, which go-xla cannot open")
	}
	xla.EnableAutoInstall(false)
	// Left alone, go-xla derives these two from words in the path. TF32 is what
	// it and PyTorch's convolutions use for float32 on a GPU, unless told not to.
	config := fmt.Sprintf("%s,tf32=%t,shared_buffers=%t", p.file, p.tf32, !p.cuda)
	options := pjrt.NamedValuesMap{}
	if p.cuda {
		// Memory is taken as it is needed, so that others can use the GPU too.
		options["preallocate"] = false
	}
	if p.cuda {
		// A plugin that refuses compiles every time and is waited for, as it
		// would without us.
		_ = standInFront(p.file, p.programs)
	}
	var b *xla.Backend
	var err error
	if panicked := Catch("loading the plugin", func() { b, err = xla.NewWithOptions(config, options) }); panicked != nil {
		return nil, panicked
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}
