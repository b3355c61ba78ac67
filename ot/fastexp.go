package ot

import "math"

// Constants of fastExp: x = (64·k + i)·ln2/64 + r with |r| ≤ ln2/128. The high
// part of ln2/64 is so short (33 bits) that its multiples are exact.
const (
	expSteps   = 64
	expScale   = expSteps / math.Ln2
	expHigh    = 0x1.62e42feep-7
	expLow     = math.Ln2/expSteps - expHigh
	expRounder = 0x1.8p52 // adding it rounds to an integer, found in the low bits
)

// expTable holds the bits of 2^(i/64).
var expTable = func() (t [expSteps]uint64) {
	for i := range t {
		t[i] = math.Float64bits(math.Exp2(float64(i) / expSteps))
	}
	return t
}()

// fastExp is exp(x) to 1e-13 relative for x ≤ 709, in about a third of the time
// of math.Exp; below −708 it is 0.
func fastExp(x float64) float64 {
	if !(x > -708) {
		return 0
	}
	t := x*expScale + expRounder
	k := math.Float64bits(t)
	t -= expRounder
	r := x - t*expHigh - t*expLow
	return math.Float64frombits(expTable[k%expSteps]+k/expSteps<<52) * (1 + r*(1+r*(0.5+r*(1.0/6+r*(1.0/24)))))
}
