package cpu

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gomlx/compute"
)

// The kernels in plain Go: for every type and machine, and what those in
// assembly are tested against.

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

type number interface{ integer | float }

// arg is input i, and a mask for indices into it: all ones, or 0 for a scalar.
func arg[T any](o *operands, i, n int) (x []T, mask int) {
	if o.step[i] == 0 {
		return unsafe.Slice((*T)(o.in[i]), 1), 0
	}
	return unsafe.Slice((*T)(o.in[i]), n), -1
}

func dest[T any](o *operands, n int) []T { return unsafe.Slice((*T)(o.dst), n) }

func map1[T, U any](f func(T) U) kernel {
	return func(o *operands, n int) {
		a, ma := arg[T](o, 0, n)
		d := dest[U](o, n)
		for i := range d {
			d[i] = f(a[i&ma])
		}
	}
}

func map2[T, U any](f func(a, b T) U) kernel {
	return func(o *operands, n int) {
		a, ma := arg[T](o, 0, n)
		b, mb := arg[T](o, 1, n)
		d := dest[U](o, n)
		for i := range d {
			d[i] = f(a[i&ma], b[i&mb])
		}
	}
}

func adding[T number](o *operands, n int) {
	a, ma := arg[T](o, 0, n)
	b, mb := arg[T](o, 1, n)
	d := dest[T](o, n)
	for i := range d {
		d[i] = a[i&ma] + b[i&mb]
	}
}

func subtracting[T number](o *operands, n int) {
	a, ma := arg[T](o, 0, n)
	b, mb := arg[T](o, 1, n)
	d := dest[T](o, n)
	for i := range d {
		d[i] = a[i&ma] - b[i&mb]
	}
}

func multiplying[T number](o *operands, n int) {
	a, ma := arg[T](o, 0, n)
	b, mb := arg[T](o, 1, n)
	d := dest[T](o, n)
	for i := range d {
		d[i] = a[i&ma] * b[i&mb]
	}
}

func dividing[T float](o *operands, n int) {
	a, ma := arg[T](o, 0, n)
	b, mb := arg[T](o, 1, n)
	d := dest[T](o, n)
	for i := range d {
		d[i] = a[i&ma] / b[i&mb]
	}
}

func maximum[T number](o *operands, n int) {
	a, ma := arg[T](o, 0, n)
	b, mb := arg[T](o, 1, n)
	d := dest[T](o, n)
	for i := range d {
		d[i] = max(a[i&ma], b[i&mb])
	}
}

func minimum[T number](o *operands, n int) {
	a, ma := arg[T](o, 0, n)
	b, mb := arg[T](o, 1, n)
	d := dest[T](o, n)
	for i := range d {
		d[i] = min(a[i&ma], b[i&mb])
	}
}

// where takes input 1 where input 0 is true and input 2 elsewhere.
func where[T any](o *operands, n int) {
	c, mc := arg[bool](o, 0, n)
	a, ma := arg[T](o, 1, n)
	b, mb := arg[T](o, 2, n)
	d := dest[T](o, n)
	for i := range d {
		if c[i&mc] {
			d[i] = a[i&ma]
		} else {
			d[i] = b[i&mb]
		}
	}
}

func copying[T any](o *operands, n int) {
	a, ma := arg[T](o, 0, n)
	d := dest[T](o, n)
	if ma != 0 {
		copy(d, a)
		return
	}
	for i := range d {
		d[i] = a[0]
	}
}

// comparing are the comparisons, nil for other operations.
func comparing[T number](op compute.OpType) func(a, b T) bool {
	switch op {
	case compute.OpTypeEqual:
		return func(a, b T) bool { return a == b }
	case compute.OpTypeNotEqual:
		return func(a, b T) bool { return a != b }
	case compute.OpTypeGreaterThan:
		return func(a, b T) bool { return a > b }
	case compute.OpTypeGreaterOrEqual:
		return func(a, b T) bool { return a >= b }
	case compute.OpTypeLessThan:
		return func(a, b T) bool { return a < b }
	case compute.OpTypeLessOrEqual:
		return func(a, b T) bool { return a <= b }
	}
	return nil
}

// goSelect takes input 2 where input 0 ⋚ input 1, and input 3 elsewhere.
func goSelect(op compute.OpType) kernel {
	f := comparing[float32](op)
	if f == nil {
		return nil
	}
	return func(o *operands, n int) {
		a, ma := arg[float32](o, 0, n)
		b, mb := arg[float32](o, 1, n)
		yes, my := arg[float32](o, 2, n)
		no, mn := arg[float32](o, 3, n)
		d := dest[float32](o, n)
		for i := range d {
			if f(a[i&ma], b[i&mb]) {
				d[i] = yes[i&my]
			} else {
				d[i] = no[i&mn]
			}
		}
	}
}

// numberKernel are the operations on any numbers.
func numberKernel[T number](op compute.OpType) kernel {
	if f := comparing[T](op); f != nil {
		return map2(f)
	}
	switch op {
	case compute.OpTypeAdd:
		return adding[T]
	case compute.OpTypeSub:
		return subtracting[T]
	case compute.OpTypeMul:
		return multiplying[T]
	case compute.OpTypeMax:
		return maximum[T]
	case compute.OpTypeMin:
		return minimum[T]
	case compute.OpTypeNeg:
		return map1(func(a T) T { return -a })
	case compute.OpTypeAbs:
		return map1(func(a T) T {
			if a < 0 {
				return -a
			}
			return a
		})
	case compute.OpTypeSign:
		return map1(func(a T) T {
			switch {
			case a > 0:
				return 1
			case a < 0:
				var one T = 1
				return -one
			}
			return 0
		})
	}
	return nil
}

func floatKernel[T float](op compute.OpType) kernel {
	f1 := func(f func(float64) float64) kernel { return map1(func(a T) T { return T(f(float64(a))) }) }
	f2 := func(f func(a, b float64) float64) kernel {
		return map2(func(a, b T) T { return T(f(float64(a), float64(b))) })
	}
	switch op {
	case compute.OpTypeDiv:
		return dividing[T]
	case compute.OpTypePow:
		return f2(math.Pow)
	case compute.OpTypeRem:
		return f2(math.Mod)
	case compute.OpTypeAtan2:
		return f2(math.Atan2)
	case compute.OpTypeExp:
		return f1(math.Exp)
	case compute.OpTypeExpm1:
		return f1(math.Expm1)
	case compute.OpTypeLog:
		return f1(math.Log)
	case compute.OpTypeLog1p:
		return f1(math.Log1p)
	case compute.OpTypeLogistic:
		return f1(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) })
	case compute.OpTypeTanh:
		return f1(math.Tanh)
	case compute.OpTypeErf:
		return f1(math.Erf)
	case compute.OpTypeSin:
		return f1(math.Sin)
	case compute.OpTypeCos:
		return f1(math.Cos)
	case compute.OpTypeSqrt:
		return f1(math.Sqrt)
	case compute.OpTypeRsqrt:
		return f1(func(x float64) float64 { return 1 / math.Sqrt(x) })
	case compute.OpTypeFloor:
		return f1(math.Floor)
	case compute.OpTypeCeil:
		return f1(math.Ceil)
	case compute.OpTypeRound:
		return f1(math.RoundToEven)
	case compute.OpTypeIsFinite:
		return map1(func(a T) bool { return a-a == 0 })
	case compute.OpTypeIsNaN:
		return map1(func(a T) bool { return a != a })
	}
	return numberKernel[T](op)
}

func intKernel[T integer](op compute.OpType) kernel {
	width := int(unsafe.Sizeof(T(0))) * 8
	// unsigned are the bits of a, without its sign.
	unsigned := func(a T) uint64 { return uint64(a) << (64 - width) >> (64 - width) }
	switch op {
	case compute.OpTypeDiv:
		return map2(func(a, b T) T {
			if b == 0 {
				return ^T(0) // as XLA has it; Go would panic
			}
			return a / b
		})
	case compute.OpTypeRem:
		return map2(func(a, b T) T {
			if b == 0 {
				return a
			}
			return a % b
		})
	case compute.OpTypePow:
		return map2(func(a, b T) T {
			p := T(1)
			for ; b > 0; b >>= 1 {
				if b&1 == 1 {
					p *= a
				}
				a *= a
			}
			return p
		})
	case compute.OpTypeBitwiseAnd:
		return map2(func(a, b T) T { return a & b })
	case compute.OpTypeBitwiseOr:
		return map2(func(a, b T) T { return a | b })
	case compute.OpTypeBitwiseXor:
		return map2(func(a, b T) T { return a ^ b })
	case compute.OpTypeBitwiseNot:
		return map1(func(a T) T { return ^a })
	case compute.OpTypeBitCount:
		return map1(func(a T) T { return T(bits.OnesCount64(unsigned(a))) })
	case compute.OpTypeClz:
		return map1(func(a T) T { return T(bits.LeadingZeros64(unsigned(a)) - (64 - width)) })
	case compute.OpTypeShiftLeft:
		return map2(func(a, b T) T { return a << min(unsigned(b), 64) })
	case compute.OpTypeShiftRightArithmetic:
		return map2(func(a, b T) T { return T(int64(a) >> min(unsigned(b), 63)) })
	case compute.OpTypeShiftRightLogical:
		return map2(func(a, b T) T { return T(unsigned(a) >> min(unsigned(b), 64)) })
	}
	return numberKernel[T](op)
}

func boolKernel(op compute.OpType) kernel {
	switch op {
	case compute.OpTypeLogicalAnd:
		return map2(func(a, b bool) bool { return a && b })
	case compute.OpTypeLogicalOr:
		return map2(func(a, b bool) bool { return a || b })
	case compute.OpTypeLogicalXor, compute.OpTypeNotEqual:
		return map2(func(a, b bool) bool { return a != b })
	case compute.OpTypeEqual:
		return map2(func(a, b bool) bool { return a == b })
	case compute.OpTypeLogicalNot:
		return map1(func(a bool) bool { return !a })
	}
	return nil
}
