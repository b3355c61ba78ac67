package oracle

import (
	"math"
	"math/big"
)

// A number is the dyadic rational m·2^e. Sums, differences and products are
// exact. Numbers are values: no operation changes its arguments.
type number struct {
	m *big.Int // nil means 0
	e int
}

// exactly is a finite float64 without rounding.
func exactly(x float64) number {
	if x == 0 {
		return number{}
	}
	frac, e := math.Frexp(x)
	return number{big.NewInt(int64(frac * (1 << 53))), e - 53}.trim()
}

func whole(k int) number { return exactly(float64(k)) }

// trim removes trailing zero bits, so that numbers stay as short as they can.
func (x number) trim() number {
	if x.m == nil || x.m.Sign() == 0 {
		return number{}
	}
	if k := x.m.TrailingZeroBits(); k > 0 {
		return number{new(big.Int).Rsh(x.m, k), x.e + int(k)}
	}
	return x
}

func (x number) sign() int {
	if x.m == nil {
		return 0
	}
	return x.m.Sign()
}

func (x number) neg() number {
	if x.m == nil {
		return x
	}
	return number{new(big.Int).Neg(x.m), x.e}
}

func (x number) abs() number {
	if x.sign() < 0 {
		return x.neg()
	}
	return x
}

func (x number) plus(y number) number {
	switch {
	case x.m == nil:
		return y
	case y.m == nil:
		return x
	case x.e < y.e:
		x, y = y, x
	}
	s := new(big.Int).Lsh(x.m, uint(x.e-y.e))
	return number{s.Add(s, y.m), y.e}.trim()
}

func (x number) minus(y number) number { return x.plus(y.neg()) }

func (x number) times(y number) number {
	if x.m == nil || y.m == nil {
		return number{}
	}
	return number{new(big.Int).Mul(x.m, y.m), x.e + y.e}.trim()
}

// cmp is the sign of x − y.
func (x number) cmp(y number) int {
	if s, t := x.sign(), y.sign(); s != t {
		if s < t {
			return -1
		}
		return 1
	}
	return x.minus(y).sign()
}

func (x number) less(y number) bool { return x.cmp(y) < 0 }

// shift is x·2^k.
func (x number) shift(k int) number {
	if x.m == nil {
		return x
	}
	return number{x.m, x.e + k}
}

// rat is x as a fraction.
func (x number) rat() *big.Rat {
	if x.m == nil {
		return new(big.Rat)
	}
	one := big.NewInt(1)
	if x.e >= 0 {
		return new(big.Rat).SetInt(new(big.Int).Lsh(x.m, uint(x.e)))
	}
	return new(big.Rat).SetFrac(x.m, one.Lsh(one, uint(-x.e)))
}

// float is x rounded to nearest.
func (x number) float() float64 {
	if x.m == nil {
		return 0
	}
	f, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(x.m), x.e).Float64()
	return f
}

// rootBits is how many bits roots and quotients have at least.
const rootBits = 600

// root is the square root of x ≥ 0 rounded down, and whether it is exact.
func (x number) root() (low number, exact bool) {
	if x.m == nil {
		return number{}, true
	}
	m, e := x.m, x.e
	k := max(0, 2*rootBits-m.BitLen())
	if (e-k)%2 != 0 {
		k++
	}
	s := new(big.Int).Lsh(m, uint(k))
	r := new(big.Int).Sqrt(s)
	exact = new(big.Int).Mul(r, r).Cmp(s) == 0
	return number{r, (e - k) / 2}.trim(), exact
}

// rootUp is the square root of x ≥ 0 rounded up.
func (x number) rootUp() number {
	low, exact := x.root()
	if exact {
		return low
	}
	// The last bit of the root before trimming is worth at most this.
	return low.plus(number{big.NewInt(1), low.e + low.m.BitLen() - rootBits})
}

// over is x/y for y > 0, rounded down.
func (x number) over(y number) number {
	if x.m == nil {
		return x
	}
	k := max(0, rootBits+y.m.BitLen()-x.m.BitLen())
	q := new(big.Int).Lsh(x.m, uint(k))
	q.Div(q, y.m) // Euclidean: rounds down for y > 0
	return number{q, x.e - y.e - k}.trim()
}

// overUp is x/y for y > 0, rounded up.
func (x number) overUp(y number) number { return x.neg().over(y).neg() }

func sum(terms []number) number {
	var s number
	for _, t := range terms {
		s = s.plus(t)
	}
	return s
}

// quotient is x/y as a fraction.
func quotient(x, y number) *big.Rat { return new(big.Rat).Quo(x.rat(), y.rat()) }

// approx is a fraction as a float64, for messages and generous tolerances.
func approx(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}
