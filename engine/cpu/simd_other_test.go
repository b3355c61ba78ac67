//go:build !amd64

package cpu

func withoutSIMD() func() { return func() {} }
