//go:build !amd64

package ot

func fastTable() bool { return false }

func squares(x, y, out []float64) { panic("ot: no kernel") }
