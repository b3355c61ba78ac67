package cpu

import "github.com/gomlx/compute/dtypes"

// Conversions between types.

// conversion is the kernel from one type to another.
func conversion(from, to dtypes.DType) kernel {
	switch from {
	case dtypes.Bool:
		return fromBool(to)
	case dtypes.Int8:
		return fromNumber[int8](to)
	case dtypes.Int16:
		return fromNumber[int16](to)
	case dtypes.Int32:
		return fromNumber[int32](to)
	case dtypes.Int64:
		return fromNumber[int64](to)
	case dtypes.Uint8:
		return fromNumber[uint8](to)
	case dtypes.Uint16:
		return fromNumber[uint16](to)
	case dtypes.Uint32:
		return fromNumber[uint32](to)
	case dtypes.Uint64:
		return fromNumber[uint64](to)
	case dtypes.Float32:
		return fromNumber[float32](to)
	case dtypes.Float64:
		return fromNumber[float64](to)
	}
	return nil
}

func fromBool(to dtypes.DType) kernel {
	switch to {
	case dtypes.Int8, dtypes.Uint8:
		return map1(func(a bool) uint8 { return one[uint8](a) })
	case dtypes.Int16, dtypes.Uint16:
		return map1(func(a bool) uint16 { return one[uint16](a) })
	case dtypes.Int32, dtypes.Uint32:
		return map1(func(a bool) uint32 { return one[uint32](a) })
	case dtypes.Int64, dtypes.Uint64:
		return map1(func(a bool) uint64 { return one[uint64](a) })
	case dtypes.Float32:
		return map1(func(a bool) float32 { return one[float32](a) })
	case dtypes.Float64:
		return map1(func(a bool) float64 { return one[float64](a) })
	}
	return nil
}

func one[T number](a bool) T {
	if a {
		return 1
	}
	return 0
}

func fromNumber[T number](to dtypes.DType) kernel {
	switch to {
	case dtypes.Bool:
		return map1(func(a T) bool { return a != 0 })
	case dtypes.Int8:
		return converting[T, int8]
	case dtypes.Int16:
		return converting[T, int16]
	case dtypes.Int32:
		return converting[T, int32]
	case dtypes.Int64:
		return converting[T, int64]
	case dtypes.Uint8:
		return converting[T, uint8]
	case dtypes.Uint16:
		return converting[T, uint16]
	case dtypes.Uint32:
		return converting[T, uint32]
	case dtypes.Uint64:
		return converting[T, uint64]
	case dtypes.Float32:
		return converting[T, float32]
	case dtypes.Float64:
		return converting[T, float64]
	}
	return nil
}

func converting[T, U number](o *operands, n int) {
	a, ma := arg[T](o, 0, n)
	d := dest[U](o, n)
	for i := range d {
		d[i] = U(a[i&ma])
	}
}

// roundToBfloat rounds float32 to the nearest bfloat16, in place or not.
func roundToBfloat(o *operands, n int) {
	a, ma := arg[float32](o, 0, n)
	d := dest[float32](o, n)
	first := 0
	if ma != 0 {
		first = roundMany(o.dst, o.in[0], n)
	}
	for i := first; i < n; i++ {
		d[i] = narrow(a[i&ma]).Float32()
	}
}

func narrow(x float32) bfloat {
	var b bfloat
	b.SetFloat32(x)
	return b
}

// loadBfloat and storeBfloat go between memory and lanes.
func loadBfloat(o *operands, n int) {
	a, ma := arg[bfloat](o, 0, n)
	d := dest[float32](o, n)
	first := 0
	if ma != 0 {
		first = widenMany(o.dst, o.in[0], n)
	}
	for i := first; i < n; i++ {
		d[i] = a[i&ma].Float32()
	}
}

func storeBfloat(o *operands, n int) {
	a, ma := arg[float32](o, 0, n)
	d := dest[bfloat](o, n)
	first := 0
	if ma != 0 {
		first = narrowMany(o.dst, o.in[0], n)
	}
	for i := first; i < n; i++ {
		d[i] = narrow(a[i&ma])
	}
}
