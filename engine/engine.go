// Package engine picks the GoMLX backend.
package engine

import (
	_ "github.com/gomlx/compute/gobackend"
	_ "github.com/gomlx/gomlx/core/graph"
	_ "github.com/gomlx/gomlx/core/tensors"
)
