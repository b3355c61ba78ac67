//go:build !goexperiment.simd || !amd64

package engine

// simd reports whether GoMLX's matrix products use vector instructions.
const simd = false
