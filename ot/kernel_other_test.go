//go:build !amd64

package ot

const screenHasAssembly = false
