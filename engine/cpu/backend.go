package cpu

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
)

// Name is what the backend is registered as.
const Name = "cpu"

func init() {
	compute.Register(Name, New)
}

// Backend implements compute.Backend.
type Backend struct {
	notimplemented.Backend
	workers *workers
	memory  memory
	closed  atomic.Bool
}

var _ compute.Backend = (*Backend)(nil)

// New returns a backend. The only option is "workers=N", the number of
// goroutines that compute; "" means one for each processor that Go uses.
func New(config string) (compute.Backend, error) {
	n := runtime.GOMAXPROCS(0)
	if config != "" {
		value, ok := strings.CutPrefix(config, "workers=")
		w, err := strconv.Atoi(value)
		if !ok || err != nil || w < 1 {
			return nil, fmt.Errorf("cpu: unknown configuration %q; want workers=N", config)
		}
		n = w
	}
	b := &Backend{workers: newWorkers(n)}
	return b, nil
}

// Name implements compute.Backend.
func (b *Backend) Name() string { return Name }

// String implements compute.Backend.
func (b *Backend) String() string { return Name }

// Description implements compute.Backend.
func (b *Backend) Description() string {
	return fmt.Sprintf("pure Go on %d workers, %s", b.workers.n, Instructions())
}

// DeviceDescription implements compute.Backend.
func (b *Backend) DeviceDescription(compute.DeviceNum) string { return b.Description() }

// Capabilities implements compute.Backend.
func (b *Backend) Capabilities() compute.Capabilities {
	c := compute.Capabilities{Operations: map[compute.OpType]bool{}, DTypes: map[dtypes.DType]bool{}}
	for _, op := range supported {
		c.Operations[op] = true
	}
	for _, t := range elementTypes {
		c.DTypes[t] = true
	}
	return c
}

// Builder implements compute.Backend.
func (b *Backend) Builder(name string) compute.Builder { return newBuilder(b, name) }

// Finalize implements compute.Backend.
func (b *Backend) Finalize() {
	if !b.closed.Swap(true) {
		b.workers.stop()
		b.memory.drop()
	}
}

// IsFinalized implements compute.Backend.
func (b *Backend) IsFinalized() bool { return b.closed.Load() }

// elementTypes are those that arrays may have.
var elementTypes = []dtypes.DType{
	dtypes.Bool, dtypes.Int8, dtypes.Int16, dtypes.Int32, dtypes.Int64,
	dtypes.Uint8, dtypes.Uint16, dtypes.Uint32, dtypes.Uint64,
	dtypes.Float32, dtypes.Float64, dtypes.BFloat16,
}

// sizeOf is the number of bytes of an element, 0 for a type that is not ours.
func sizeOf(t dtypes.DType) int {
	switch t {
	case dtypes.Bool, dtypes.Int8, dtypes.Uint8:
		return 1
	case dtypes.Int16, dtypes.Uint16, dtypes.BFloat16:
		return 2
	case dtypes.Int32, dtypes.Uint32, dtypes.Float32:
		return 4
	case dtypes.Int64, dtypes.Uint64, dtypes.Float64:
		return 8
	}
	return 0
}
