package table

import (
	"encoding/binary"
	"math/bits"

	"github.com/pierrec/lz4/v4"
)

// unpackLZ4Frame decompresses a frame of LZ4 blocks
// (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md) into exactly
// size bytes. The library's own reader of frames refuses the checksums of
// blocks that other programs write.
func unpackLZ4Frame(src []byte, size int) ([]byte, error) {
	if len(src) < 7 || binary.LittleEndian.Uint32(src) != 0x184D2204 {
		return nil, errUnpack
	}
	flags := src[4]
	linked, blockSum, contentSum := flags&0x20 == 0, flags&0x10 != 0, flags&4 != 0
	head := 7
	if flags&8 != 0 { // the length of the content
		head += 8
	}
	if flags&1 != 0 || flags>>6 != 1 || head > len(src) { // a dictionary, another version
		return nil, errUnpack
	}
	src = src[head:]
	dst := make([]byte, 0, size)
	for {
		n, ok := takeU32(&src)
		if !ok {
			return nil, errUnpack
		}
		if n == 0 {
			break
		}
		plain := n>>31 == 1
		n &= 1<<31 - 1
		if uint64(n) > uint64(len(src)) {
			return nil, errUnpack
		}
		block := src[:n]
		src = src[n:]
		if blockSum {
			if sum, ok := takeU32(&src); !ok || sum != xxh32(block) {
				return nil, errUnpack
			}
		}
		if plain {
			if len(block) > size-len(dst) {
				return nil, errUnpack
			}
			dst = append(dst, block...)
			continue
		}
		var dict []byte
		if linked {
			dict = dst[max(0, len(dst)-64<<10):]
		}
		k, err := lz4.UncompressBlockWithDict(block, dst[len(dst):size], dict)
		if err != nil || k < 0 {
			return nil, errUnpack
		}
		dst = dst[:len(dst)+k]
	}
	if contentSum {
		if sum, ok := takeU32(&src); !ok || sum != xxh32(dst) {
			return nil, errUnpack
		}
	}
	if len(dst) != size {
		return nil, errUnpack
	}
	return dst, nil
}

func takeU32(b *[]byte) (uint32, bool) {
	if len(*b) < 4 {
		return 0, false
	}
	v := binary.LittleEndian.Uint32(*b)
	*b = (*b)[4:]
	return v, true
}

// xxh32 is the checksum of LZ4 frames: xxHash of 32 bits with seed 0.
func xxh32(b []byte) uint32 {
	const p1, p2, p3, p4, p5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
	n := uint32(len(b))
	h := uint32(p5)
	if len(b) >= 16 {
		v := [4]uint32{(p1 + p2) & 0xFFFFFFFF, p2, 0, 1<<32 - p1} // modulo 2³²
		for len(b) >= 16 {
			for k := range v {
				v[k] = bits.RotateLeft32(v[k]+binary.LittleEndian.Uint32(b[4*k:])*p2, 13) * p1
			}
			b = b[16:]
		}
		h = bits.RotateLeft32(v[0], 1) + bits.RotateLeft32(v[1], 7) + bits.RotateLeft32(v[2], 12) + bits.RotateLeft32(v[3], 18)
	}
	h += n
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*p3, 17) * p4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*p5, 11) * p1
	}
	h ^= h >> 15
	h *= p2
	h ^= h >> 13
	h *= p3
	return h ^ h>>16
}
