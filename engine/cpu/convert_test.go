package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestConversions compares the assembly between float32 and bfloat16 with Go, on
// numbers of all kinds.
func TestConversions(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 40))
	const n = 1<<16 + 5
	x := make([]float32, n)
	for i := range x {
		x[i] = math.Float32frombits(rng.Uint32())
		switch rng.IntN(4) {
		case 0: // halfway, or close to it
			x[i] = math.Float32frombits(rng.Uint32()&^0xffff | 0x8000 + uint32(rng.IntN(3)) - 1)
		case 1:
			x[i] = []float32{0, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32, 1e-45}[rng.IntN(6)]
		}
	}
	rounded, widened := make([]float32, n), make([]float32, n)
	narrowed := make([]bfloat, n)
	o := operands{dst: unsafe.Pointer(&rounded[0]), in: [4]unsafe.Pointer{unsafe.Pointer(&x[0])}, step: [4]uintptr{vectorBytes}}
	roundToBfloat(&o, n)
	o.dst = unsafe.Pointer(&narrowed[0])
	storeBfloat(&o, n)
	o.dst, o.in[0] = unsafe.Pointer(&widened[0]), unsafe.Pointer(&narrowed[0])
	loadBfloat(&o, n)
	for i := range x {
		want := narrow(x[i])
		if narrowed[i] != want || math.Float32bits(rounded[i]) != math.Float32bits(want.Float32()) || math.Float32bits(widened[i]) != math.Float32bits(want.Float32()) {
			t.Fatalf("%x: stored %x, rounded %x, loaded %x, want %x", math.Float32bits(x[i]), narrowed[i], math.Float32bits(rounded[i]), math.Float32bits(widened[i]), uint16(want))
		}
	}
}
