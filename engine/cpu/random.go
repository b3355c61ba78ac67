package cpu

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// RNGBitGenerator implements compute.Function with Go's PCG, and the same bits
// as GoMLX's own backend in Go. The two results are two nodes.
func (f *function) RNGBitGenerator(state compute.Value, shape shapes.Shape) (newState, values compute.Value, err error) {
	n, err := f.value("RNGBitGenerator", state)
	if err != nil {
		return nil, nil, err
	}
	if !n.shape.Equal(compute.RNGStateShape) {
		return nil, nil, fmt.Errorf("cpu: RNGBitGenerator with a state %s, want %s", n.shape, compute.RNGStateShape)
	}
	if err := known(shape); err != nil {
		return nil, nil, err
	}
	words := (byteSize(shape) + 7) / 8
	next := f.add(compute.OpTypeRNGBitGenerator, n.shape, randomAttr{words, true}, n)
	return next, f.add(compute.OpTypeRNGBitGenerator, shape, randomAttr{words, false}, n), nil
}

type randomAttr struct {
	words int  // of 64 bits that are drawn
	state bool // the result is the state after them, not they
}

// random plans an RNGBitGenerator.
func (p *planner) random(n *node) func(r *run) {
	a := n.attr.(randomAttr)
	x, out := p.array(p.inputs[n][0].base), p.array(n)
	if a.state {
		return func(r *run) {
			old, now := unsafe.Slice((*uint64)(r.arrays[x]), 3), unsafe.Slice((*uint64)(r.arrays[out]), 3)
			// GoMLX's backend reads the state with its bytes in the other order.
			hi, lo := advance(old[0], old[1], uint64(a.words))
			now[0], now[1], now[2] = bits.ReverseBytes64(hi), bits.ReverseBytes64(lo), old[2]
		}
	}
	bytes := byteSize(n.shape)
	return func(r *run) {
		state := unsafe.Slice((*uint64)(r.arrays[x]), 3)
		dst := unsafe.Slice((*byte)(r.arrays[out]), bytes)
		r.each(a.words, piece/4, func(_ *frame, lo, hi int) {
			rng := rand.NewPCG(advance(state[0], state[1], uint64(lo)))
			for i := lo; i < hi; i++ {
				v := rng.Uint64()
				if 8*i+8 <= bytes {
					*(*uint64)(unsafe.Pointer(&dst[8*i])) = v
					continue
				}
				for k := 8 * i; k < bytes; k++ {
					dst[k] = byte(v)
					v >>= 8
				}
			}
		})
	}
}

// The constants of Go's PCG: a state s goes to s·mul + inc, in 128 bits.
const (
	pcgMulHi, pcgMulLo = 2549297995355413924, 4865540595714422341
	pcgIncHi, pcgIncLo = 6364136223846793005, 1442695040888963407
)

// advance is the state of a PCG after n steps. Two steps are one with another
// factor and another increment, so that it takes log n of them.
func advance(hi, lo, n uint64) (uint64, uint64) {
	mulHi, mulLo := uint64(pcgMulHi), uint64(pcgMulLo)
	incHi, incLo := uint64(pcgIncHi), uint64(pcgIncLo)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			hi, lo = multiplyAdd(hi, lo, mulHi, mulLo, incHi, incLo)
		}
		incHi, incLo = multiplyAdd(incHi, incLo, mulHi, mulLo, incHi, incLo)
		mulHi, mulLo = multiplyAdd(mulHi, mulLo, mulHi, mulLo, 0, 0)
	}
	return hi, lo
}

// multiplyAdd is a·b + c in 128 bits.
func multiplyAdd(aHi, aLo, bHi, bLo, cHi, cLo uint64) (hi, lo uint64) {
	hi, lo = bits.Mul64(aLo, bLo)
	hi += aHi*bLo + aLo*bHi
	lo, carry := bits.Add64(lo, cLo, 0)
	hi, _ = bits.Add64(hi, cHi, carry)
	return hi, lo
}
