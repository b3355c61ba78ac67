//go:build !(linux && amd64)

package main

import "math/rand/v2"

const canTrace = false

func traceMain([]string) int { return 2 }

func traceable(string) bool { return false }

func callNumber(rng *rand.Rand) int { return rng.IntN(700) }
