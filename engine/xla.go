//go:build cgo && linux && amd64

package engine

import _ "github.com/gomlx/go-xla/compute/xla"
