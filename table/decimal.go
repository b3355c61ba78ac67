package table

import (
	"math"
	"math/bits"
)

// powersOfTen are the powers of ten that a float64 holds exactly.
var powersOfTen = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// powersOfFive are those that fit a uint64.
var powersOfFive = func() (p [28]uint64) {
	p[0] = 1
	for k := 1; k < len(p); k++ {
		p[k] = 5 * p[k-1]
	}
	return p
}()

// mostDigits is how many decimal digits a uint64 holds whatever they are.
const mostDigits = 19

// decimalNumber returns mantissa·10^exponent, correctly rounded, when the
// exponent is small; ok is false otherwise.
func decimalNumber(mantissa uint64, exponent int) (v float64, ok bool) {
	if mantissa < 1<<53 && -22 <= exponent && exponent <= 22 {
		// Both are exact, so that one operation rounds once (Clinger, 1990).
		if exponent < 0 {
			return float64(mantissa) / powersOfTen[-exponent], true
		}
		return float64(mantissa) * powersOfTen[exponent], true
	}
	if exponent > 0 || exponent < -27 || mantissa == 0 {
		return 0, false
	}
	// m/10^k = m/5^k·2^-k. Both sides of the division are shifted up to 64
	// bits; the quotient has at least 62, and the remainder tells whether it
	// lies above a tie.
	k := -exponent
	up := bits.LeadingZeros64(mantissa)
	m := mantissa << up
	five := powersOfFive[k]
	upFive := bits.LeadingZeros64(five)
	quotient, rest := bits.Div64(m>>1, m<<63, five<<upFive)
	// value = quotient·2^(upFive-up-63-k)
	lead := bits.LeadingZeros64(quotient)
	quotient <<= lead
	power := upFive - up - 63 - k - lead
	kept := quotient >> 11
	const half = 1 << 10
	if cut := quotient & (1<<11 - 1); cut > half || (cut == half && (rest != 0 || kept&1 == 1)) {
		kept++ // to 2⁵³ at most, which carries into the exponent below
	}
	// kept has 53 bits, and the value is far from the smallest float64.
	return math.Float64frombits(uint64(power+11+52+1023)<<52 + kept - 1<<52), true
}
