package oracle

import (
	"math"
	"math/big"
)

// bits is the precision of exponentials and logarithms. A result loses fewer
// than 50 of them.
const bits = 640

func newFloat() *big.Float { return new(big.Float).SetPrec(bits) }

func (x number) bigFloat() *big.Float {
	if x.m == nil {
		return newFloat()
	}
	return newFloat().SetMantExp(newFloat().SetInt(x.m), x.e)
}

// expm1 is eˣ − 1 for |x| < 2³⁰, with a small relative error near 0 as well.
func expm1(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return newFloat()
	}
	halvings := max(0, x.MantExp(nil)+8)
	y := newFloat().SetMantExp(x, -halvings)
	s, term := newFloat().Set(y), newFloat().Set(y)
	for k := int64(2); term.Sign() != 0 && term.MantExp(nil) > s.MantExp(nil)-bits; k++ {
		term.Mul(term, y)
		term.Quo(term, newFloat().SetInt64(k))
		s.Add(s, term)
	}
	for range halvings { // e²ˣ − 1 = (eˣ − 1)(eˣ + 1)
		s.Mul(s, newFloat().Add(s, newFloat().SetInt64(2)))
	}
	return s
}

// log is the logarithm of x/y > 0, near 1 with a small relative error as well.
func log(x, y number) *big.Float {
	ratio := newFloat().Quo(x.bigFloat(), y.bigFloat())
	if e := ratio.MantExp(nil); e < -1 || e > 2 { // m·2^e with m in [½, 1)
		l := log1p(newFloat().Sub(newFloat().SetMantExp(ratio, -e), newFloat().SetInt64(1)))
		half := log1p(newFloat().SetFloat64(-0.5))
		return l.Sub(l, half.Mul(half, newFloat().SetInt64(int64(e))))
	}
	return log1p(newFloat().Quo(x.minus(y).bigFloat(), y.bigFloat()))
}

// log1p is log(1+z) for z from −¾ to 3.
func log1p(z *big.Float) *big.Float {
	if z.Sign() == 0 {
		return newFloat()
	}
	at := newFloat().Set(z)
	if f, _ := z.Float64(); math.Abs(f) > 1e-200 {
		at.SetFloat64(math.Log1p(f))
	}
	for range 7 { // Newton's method doubles the digits
		e := expm1(at)
		d := newFloat().Sub(e, z)
		at.Sub(at, d.Quo(d, e.Add(e, newFloat().SetInt64(1))))
	}
	return at
}
