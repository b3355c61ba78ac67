package summary

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
)

// ErrBytes is wrapped by what UnmarshalBinary returns for bytes that are no
// summary.
var ErrBytes = errors.New("summary: bytes of no summary")

const (
	// limbBits is how many bits a limb holds once it is settled; the others
	// take carries.
	limbBits = 32
	// sumLimbs is enough for 2⁶⁰ of the largest numbers next to the smallest.
	sumLimbs = 2098/limbBits + 4
	// lowestBit is the exponent of the last bit of the smallest float64.
	lowestBit = -1074
	// settleEvery is how many numbers may be added before carries are settled:
	// each adds less than 2³² to a limb of 63 bits.
	settleEvery = 1 << 29
)

// A Sum is the exact sum of float64 numbers: no digit is ever lost, so that it
// does not depend on the order. The zero value is the empty sum.
type Sum struct {
	limbs   [sumLimbs]int64 // times 2^(limbBits·k + lowestBit)
	pending int
	odd     [3]int64 // of NaN, +Inf and −Inf
}

// Add adds a number.
func (s *Sum) Add(v float64) { s.AddTimes(v, 1) }

// AddTimes adds a number as often as times says, which lies from 0 to 2³⁰.
func (s *Sum) AddTimes(v float64, times int64) {
	switch {
	case v != v:
		s.odd[0] += times
		return
	case math.IsInf(v, 1):
		s.odd[1] += times
		return
	case math.IsInf(v, -1):
		s.odd[2] += times
		return
	case v == 0:
		return
	}
	b := math.Float64bits(v)
	mantissa, shift := b&(1<<52-1), int(b>>52&0x7ff)
	if shift > 0 {
		mantissa |= 1 << 52
		shift--
	}
	k, bit := shift/limbBits, uint(shift%limbBits)
	// 53 bits shifted by less than 32 take three limbs at most.
	parts := [3]int64{int64(mantissa << bit & (1<<limbBits - 1)), int64(mantissa >> (limbBits - bit) & (1<<limbBits - 1)), int64(mantissa >> (2*limbBits - bit))}
	sign := times
	if b>>63 == 1 {
		sign = -times
	}
	if times != 1 {
		s.settle()
		for i, p := range parts {
			s.limbs[k+i] += sign * p
		}
		s.settle()
		return
	}
	for i, p := range parts {
		s.limbs[k+i] += sign * p
	}
	if s.pending++; s.pending >= settleEvery {
		s.settle()
	}
}

// settle carries, so that every limb but the last lies from 0 to 2³²−1: there is
// one such form for every sum.
func (s *Sum) settle() {
	var carry int64
	for k := range s.limbs {
		v := s.limbs[k] + carry
		if k == sumLimbs-1 {
			s.limbs[k] = v
			break
		}
		carry = v >> limbBits
		s.limbs[k] = v & (1<<limbBits - 1)
	}
	s.pending = 0
}

// Merge adds what t holds.
func (s *Sum) Merge(t *Sum) {
	u := *t
	u.settle()
	s.settle()
	for k := range s.limbs {
		s.limbs[k] += u.limbs[k]
	}
	for k := range s.odd {
		s.odd[k] += u.odd[k]
	}
	s.settle()
}

// Big returns the finite part of the sum, exactly.
func (s *Sum) Big() *big.Float {
	u := *s
	u.settle()
	total := new(big.Int)
	for k := sumLimbs - 1; k >= 0; k-- {
		total.Lsh(total, limbBits).Add(total, big.NewInt(u.limbs[k]))
	}
	f := new(big.Float).SetPrec(uint(max(total.BitLen(), 64))).SetInt(total)
	return f.SetMantExp(f, lowestBit)
}

// Float64 returns the sum, rounded once to the nearest number. With a NaN or
// infinite numbers among them it is what IEEE arithmetic has it.
func (s *Sum) Float64() float64 {
	switch {
	case s.odd[0] > 0 || s.odd[1] > 0 && s.odd[2] > 0:
		return math.NaN()
	case s.odd[1] > 0:
		return math.Inf(1)
	case s.odd[2] > 0:
		return math.Inf(-1)
	}
	v, _ := s.Big().Float64()
	return v
}

// Mean returns the sum divided by n, rounded once; NaN for n = 0.
func (s *Sum) Mean(n int64) float64 {
	if v := s.Float64(); n == 0 || v != v || math.IsInf(v, 0) {
		return v / float64(n)
	}
	b := s.Big()
	v, _ := new(big.Float).SetPrec(max(b.Prec(), 128)).Quo(b, new(big.Float).SetInt64(n)).Float64()
	return v
}

// MarshalBinary returns the same bytes for equal sums.
func (s *Sum) MarshalBinary() ([]byte, error) {
	u := *s
	u.settle()
	first, last := 0, sumLimbs
	for first < last && u.limbs[first] == 0 {
		first++
	}
	for last > first && u.limbs[last-1] == 0 {
		last--
	}
	if first == last {
		first, last = 0, 0
	}
	out := []byte{byte(first), byte(last)}
	for _, v := range u.limbs[first:last] {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	for _, v := range u.odd {
		out = binary.AppendVarint(out, v)
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (s *Sum) UnmarshalBinary(data []byte) error {
	if len(data) < 2 || data[0] > data[1] || data[1] > sumLimbs || len(data) < 2+8*int(data[1]-data[0]) {
		return ErrBytes
	}
	*s = Sum{}
	at := 2
	for k := int(data[0]); k < int(data[1]); k++ {
		s.limbs[k] = int64(binary.LittleEndian.Uint64(data[at:]))
		if k < sumLimbs-1 && uint64(s.limbs[k]) >= 1<<limbBits {
			return ErrBytes
		}
		at += 8
	}
	for k := range s.odd {
		v, n := binary.Varint(data[at:])
		if n <= 0 || v < 0 {
			return ErrBytes
		}
		s.odd[k] = v
		at += n
	}
	if at != len(data) {
		return ErrBytes
	}
	return nil
}
