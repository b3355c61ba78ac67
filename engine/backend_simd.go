//go:build goexperiment.simd && amd64

package engine

// simd tells that GoMLX's matrix products use vector instructions.
const simd = true
