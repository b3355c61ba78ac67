package cpu

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
)

// Element-wise operations, as compute.Function wants them. What they do is in
// kernels.go.

func (f *function) Abs(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeAbs, x) }
func (f *function) BitwiseNot(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeBitwiseNot, x)
}
func (f *function) BitCount(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeBitCount, x)
}
func (f *function) Ceil(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeCeil, x)
}
func (f *function) Clz(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeClz, x) }
func (f *function) Cos(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeCos, x) }
func (f *function) Erf(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeErf, x) }
func (f *function) Exp(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeExp, x) }
func (f *function) Expm1(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeExpm1, x)
}
func (f *function) Floor(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeFloor, x)
}
func (f *function) IsFinite(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeIsFinite, x)
}
func (f *function) IsNaN(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeIsNaN, x)
}
func (f *function) Log(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeLog, x) }
func (f *function) Log1p(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLog1p, x)
}
func (f *function) LogicalNot(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLogicalNot, x)
}
func (f *function) Logistic(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLogistic, x)
}
func (f *function) Neg(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeNeg, x) }
func (f *function) Round(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeRound, x)
}
func (f *function) Rsqrt(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeRsqrt, x)
}
func (f *function) Sign(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeSign, x)
}
func (f *function) Sin(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeSin, x) }
func (f *function) Sqrt(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeSqrt, x)
}
func (f *function) Tanh(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeTanh, x)
}

func (f *function) Add(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeAdd, a, b)
}
func (f *function) Atan2(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeAtan2, a, b)
}
func (f *function) BitwiseAnd(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseAnd, a, b)
}
func (f *function) BitwiseOr(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseOr, a, b)
}
func (f *function) BitwiseXor(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseXor, a, b)
}
func (f *function) Div(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeDiv, a, b)
}
func (f *function) LogicalAnd(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalAnd, a, b)
}
func (f *function) LogicalOr(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalOr, a, b)
}
func (f *function) LogicalXor(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalXor, a, b)
}
func (f *function) Max(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMax, a, b)
}
func (f *function) Min(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMin, a, b)
}
func (f *function) Mul(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMul, a, b)
}
func (f *function) Pow(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypePow, a, b)
}
func (f *function) Rem(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeRem, a, b)
}
func (f *function) ShiftLeft(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeShiftLeft, a, b)
}
func (f *function) ShiftRightArithmetic(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeShiftRightArithmetic, a, b)
}
func (f *function) ShiftRightLogical(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeShiftRightLogical, a, b)
}
func (f *function) Sub(a, b compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeSub, a, b)
}

func (f *function) Equal(a, b compute.Value) (compute.Value, error) {
	return f.compare(compute.OpTypeEqual, a, b)
}
func (f *function) GreaterOrEqual(a, b compute.Value) (compute.Value, error) {
	return f.compare(compute.OpTypeGreaterOrEqual, a, b)
}
func (f *function) GreaterThan(a, b compute.Value) (compute.Value, error) {
	return f.compare(compute.OpTypeGreaterThan, a, b)
}
func (f *function) LessOrEqual(a, b compute.Value) (compute.Value, error) {
	return f.compare(compute.OpTypeLessOrEqual, a, b)
}
func (f *function) LessThan(a, b compute.Value) (compute.Value, error) {
	return f.compare(compute.OpTypeLessThan, a, b)
}
func (f *function) NotEqual(a, b compute.Value) (compute.Value, error) {
	return f.compare(compute.OpTypeNotEqual, a, b)
}

func (f *function) unary(op compute.OpType, x compute.Value) (compute.Value, error) {
	n, err := f.value(op.String(), x)
	if err != nil {
		return nil, err
	}
	shape := n.shape
	if op == compute.OpTypeIsNaN || op == compute.OpTypeIsFinite { // not among those of shapeinference
		if !n.dtype().IsFloat() {
			return nil, fmt.Errorf("cpu: %s of %s", op, n.shape)
		}
		shape = shape.Clone()
		shape.DType = dtypes.Bool
	} else if shape, err = shapeinference.UnaryOp(op, n.shape); err != nil {
		return nil, err
	}
	if op == compute.OpTypeSign {
		if y, ok, err := f.indicator(n); ok || err != nil {
			return y, err
		}
	}
	return f.element(op, shape, nil, n)
}

func (f *function) binary(op compute.OpType, a, b compute.Value) (compute.Value, error) {
	ns, err := f.values(op.String(), a, b)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.BinaryOp(op, ns[0].shape, ns[1].shape)
	if err != nil {
		return nil, err
	}
	if op == compute.OpTypeAdd {
		if first, second, axis, ok := joined(ns[0], ns[1]); ok {
			return f.add(compute.OpTypeConcatenate, shape, axis, first, second), nil
		}
	}
	if op == compute.OpTypeSub {
		if y, ok, err := f.opposite(ns[0], ns[1]); ok || err != nil {
			return y, err
		}
	}
	return f.element(op, shape, nil, ns...)
}

func (f *function) compare(op compute.OpType, a, b compute.Value) (compute.Value, error) {
	ns, err := f.values(op.String(), a, b)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.ComparisonOp(op, ns[0].shape, ns[1].shape)
	if err != nil {
		return nil, err
	}
	return f.element(op, shape, nil, ns...)
}

// element adds an element-wise operation, if there is a kernel for its type.
func (f *function) element(op compute.OpType, shape shapes.Shape, attr any, in ...*node) (compute.Value, error) {
	for _, x := range in {
		if x.size() == 0 && shape.Size() > 0 {
			return nil, fmt.Errorf("cpu: %s: no elements in %s for %s", op, x.shape, shape)
		}
	}
	n := f.add(op, shape, attr, in...)
	if kernelOf(n) == nil {
		return nil, fmt.Errorf("cpu: no operation %s on %s: %w", op, in[0].dtype(), compute.ErrNotImplemented)
	}
	return n, nil
}

// Where implements compute.Function.
func (f *function) Where(condition, yes, no compute.Value) (compute.Value, error) {
	ns, err := f.values("Where", condition, yes, no)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Where(ns[0].shape, ns[1].shape, ns[2].shape)
	if err != nil {
		return nil, err
	}
	return f.element(compute.OpTypeWhere, shape, nil, ns...)
}

// Clamp implements compute.Function.
func (f *function) Clamp(low, x, high compute.Value) (compute.Value, error) {
	x, err := f.binary(compute.OpTypeMax, x, low)
	if err != nil {
		return nil, err
	}
	return f.binary(compute.OpTypeMin, x, high)
}

// ConvertDType implements compute.Function.
func (f *function) ConvertDType(x compute.Value, t dtypes.DType) (compute.Value, error) {
	n, err := f.value("ConvertDType", x)
	if err != nil {
		return nil, err
	}
	if n.dtype() == t {
		return n, nil
	}
	shape := n.shape.Clone()
	shape.DType = t
	if err := known(shape); err != nil {
		return nil, err
	}
	return f.element(compute.OpTypeConvertDType, shape, nil, n)
}

// isElement reports whether each element of a node depends only on those at the
// same place in its inputs.
func isElement(op compute.OpType) bool {
	_, ok := elementOps[op]
	return ok
}

var elementOps = func() map[compute.OpType]struct{} {
	ops := map[compute.OpType]struct{}{compute.OpTypeWhere: {}, compute.OpTypeConvertDType: {}}
	for _, op := range elementary {
		ops[op] = struct{}{}
	}
	return ops
}()

// elementary are the operations on one or two numbers.
var elementary = []compute.OpType{
	compute.OpTypeAbs,
	compute.OpTypeBitwiseNot,
	compute.OpTypeBitCount,
	compute.OpTypeCeil,
	compute.OpTypeClz,
	compute.OpTypeCos,
	compute.OpTypeErf,
	compute.OpTypeExp,
	compute.OpTypeExpm1,
	compute.OpTypeFloor,
	compute.OpTypeIsFinite,
	compute.OpTypeIsNaN,
	compute.OpTypeLog,
	compute.OpTypeLog1p,
	compute.OpTypeLogicalNot,
	compute.OpTypeLogistic,
	compute.OpTypeNeg,
	compute.OpTypeRound,
	compute.OpTypeRsqrt,
	compute.OpTypeSign,
	compute.OpTypeSin,
	compute.OpTypeSqrt,
	compute.OpTypeTanh,
	compute.OpTypeAdd,
	compute.OpTypeAtan2,
	compute.OpTypeBitwiseAnd,
	compute.OpTypeBitwiseOr,
	compute.OpTypeBitwiseXor,
	compute.OpTypeDiv,
	compute.OpTypeLogicalAnd,
	compute.OpTypeLogicalOr,
	compute.OpTypeLogicalXor,
	compute.OpTypeMax,
	compute.OpTypeMin,
	compute.OpTypeMul,
	compute.OpTypePow,
	compute.OpTypeRem,
	compute.OpTypeShiftLeft,
	compute.OpTypeShiftRightArithmetic,
	compute.OpTypeShiftRightLogical,
	compute.OpTypeSub,
	compute.OpTypeEqual,
	compute.OpTypeGreaterOrEqual,
	compute.OpTypeGreaterThan,
	compute.OpTypeLessOrEqual,
	compute.OpTypeLessThan,
	compute.OpTypeNotEqual,
}
