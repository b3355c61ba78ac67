//go:build !cgo || !linux || !amd64

package engine

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gomlx/compute"
)

// noXLA says why this binary cannot load PJRT plugins.
func noXLA() string {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Sprintf("it needs Linux on amd64, and this is %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	return "this binary was built without cgo; build it with CGO_ENABLED=1 (make build-xla)"
}

func loadPlugin(plugin) (compute.Backend, error) { return nil, errors.New("engine: " + noXLA()) }
