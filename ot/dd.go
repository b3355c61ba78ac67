package ot

import "math"

// eps is half the spacing of float64 numbers around 1: the relative error of
// one rounded operation.
const eps = 1.0 / (1 << 53)

// dd is a number in twice the precision of float64, the exact sum hi + lo
// (Dekker 1971). Its operations have relative errors of a few 2⁻¹⁰⁴, tiny.
type dd struct{ hi, lo float64 }

// tiny bounds the relative error of one operation on dd numbers.
const tiny = 1.0 / (1 << 50) / (1 << 50)

// exactProduct is x·y, exactly unless it underflows.
func exactProduct(x, y float64) dd {
	p := x * y
	return dd{p, math.FMA(x, y, -p)}
}

// exactDifference is x − y, exactly.
func exactDifference(x, y float64) dd { return dd{hi: x}.add(-y) }

func (x dd) add(y float64) dd {
	s := x.hi + y
	b := s - x.hi
	return norm(s, (x.hi-(s-b))+(y-b)+x.lo)
}

func (x dd) plus(y dd) dd {
	z := x.add(y.hi)
	return norm(z.hi, z.lo+y.lo)
}

func (x dd) minus(y dd) dd { return x.plus(dd{-y.hi, -y.lo}) }

func (x dd) times(y float64) dd {
	p := x.hi * y
	return norm(p, math.FMA(x.hi, y, -p)+x.lo*y)
}

func (x dd) mul(y dd) dd {
	z := x.times(y.hi)
	return norm(z.hi, z.lo+x.hi*y.lo)
}

func (x dd) over(y dd) dd {
	q := x.hi / y.hi
	r := x.plus(y.times(-q))
	return norm(q, r.hi/y.hi)
}

func norm(hi, lo float64) dd {
	s := hi + lo
	return dd{s, lo - (s - hi)}
}

func (x dd) float() float64 { return x.hi + x.lo }

func (x dd) less(y dd) bool { return x.hi < y.hi || x.hi == y.hi && x.lo < y.lo }

// below is a float64 that is at most x − err.
func (x dd) below(err float64) float64 {
	f := x.float()
	if err == 0 && (x == dd{hi: f}) {
		return f
	}
	return down(down(f) - err)
}

// down is the next float64 below x.
func down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }

// sum adds with Neumaier's correction.
type sum struct{ s, c float64 }

func (s *sum) add(x float64) {
	t := s.s + x
	if math.Abs(s.s) >= math.Abs(x) {
		s.c += s.s - t + x
	} else {
		s.c += x - t + s.s
	}
	s.s = t
}

func (s *sum) total() float64 { return s.s + s.c }

// mean is Σ w_i v_i.
func mean(v, w []float64) float64 {
	var s sum
	for i := range v {
		s.add(w[i] * v[i])
	}
	return s.total()
}
