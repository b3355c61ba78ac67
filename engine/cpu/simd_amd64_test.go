package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// withoutSIMD turns the assembly off until what it returns is called.
func withoutSIMD() func() {
	two, five := avx2, avx512
	avx2, avx512 = false, false
	return func() { avx2, avx512 = two, five }
}

// TestWithoutAVX512 runs a graph, random convolutions and products as most
// processors do: the bits are the same.
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
	compareAll(t, got, want, 0)
	a, b := ours(t), theirs(t)
	for seed := range tries(100) {
		rng := rand.New(rand.NewPCG(seed, 34))
		c := randomConv(rng)
		same(t, a, b, c.graph, c.inputs(rng), 1e-5)
		randomGraph(t, a, b, seed)
	}
	avx512 = true
	both := func(g graphFn, in []testArray) {
		t.Helper()
		avx512 = true
		want, err := runOn(a, g, in)
		if err != nil {
			t.Fatal(err)
		}
		avx512 = false
		got, err := runOn(a, g, in)
		if err != nil {
			t.Fatal(err)
		}
		compareAll(t, got, want, 0)
	}
	for seed := range tries(100) {
		rng := rand.New(rand.NewPCG(seed, 35))
		c := randomConv(rng)
		both(c.graph, c.inputs(rng))
		m, k, n := 1+rng.IntN(100), 1+rng.IntN(600), 1+rng.IntN(200)
		left, right := rng.IntN(2), rng.IntN(2) // which axis the sum is over
		x, y := []int{m, k}, []int{k, n}
		if left == 0 {
			x = []int{k, m}
		}
		if right == 1 {
			y = []int{n, k}
		}
		both(func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
			p, err := f.DotGeneral(in[0], []int{left}, nil, in[1], []int{right}, nil, compute.DotGeneralConfig{})
			return []compute.Value{p}, err
		}, []testArray{random(rng, dtypes.Float32, x...), random(rng, dtypes.Float32, y...)})
	}
}
