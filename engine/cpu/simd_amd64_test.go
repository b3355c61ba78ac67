package cpu

import (
	"math/rand/v2"
	"testing"
)

// withoutSIMD turns the assembly off until what it returns is called.
func withoutSIMD() func() {
	two, five := avx2, avx512
	avx2, avx512 = false, false
	return func() { avx2, avx512 = two, five }
}

// TestWithoutAVX512 runs a graph, random convolutions and products as most
// processors do.
func TestWithoutAVX512(t *testing.T) {
	if !avx512 {
		t.Skip("no AVX-512")
	}
	in := layerInputs()
	want, err := runOn(ours(t), layers, in)
	if err != nil {
		t.Fatal(err)
	}
	avx512 = false
	defer func() { avx512 = true }()
	got, err := runOn(ours(t), layers, in)
	if err != nil {
		t.Fatal(err)
	}
	compareAll(t, got, want, 1e-5)
	a, b := ours(t), theirs(t)
	for seed := range tries(100) {
		rng := rand.New(rand.NewPCG(seed, 34))
		c := randomConv(rng)
		same(t, a, b, c.graph, c.inputs(rng), 1e-5)
		randomGraph(t, a, b, seed)
	}
}
