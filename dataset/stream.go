package dataset

import (
	"encoding/binary"
	"math/rand/v2"
)

// streamOf is the k-th of many random streams of a seed, for one use. ChaCha8
// takes all of it in, so that neighbouring streams have nothing in common.
func streamOf(use string, seed, k uint64) *rand.Rand {
	var key [32]byte
	copy(key[:16], use)
	binary.LittleEndian.PutUint64(key[16:], seed)
	binary.LittleEndian.PutUint64(key[24:], k)
	return rand.New(rand.NewChaCha8(key))
}
