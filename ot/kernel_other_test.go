//go:build !amd64

package ot

const screenHasAVX2, screenHasAVX512 = false, false
