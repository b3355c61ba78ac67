package cpu

import (
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// GoMLX lets the gradient of Max(a, b) go to the side that
// Sign(Sign(a − b) + 1) tells, and what 1 minus that leaves to the other one. That
// is 1 unless a < b, in four operations; a comparison takes one, and the bits are
// the same: a − b is 0 only where both are equal, and where it is not a number
// neither is less.

// indicator is Sign(x) as a choice between 0 and 1, if x is Sign(a − b) + 1.
func (f *function) indicator(x *node) (compute.Value, bool, error) {
	if x.op != compute.OpTypeAdd || !x.dtype().IsFloat() {
		return nil, false, nil
	}
	for i, sign := range x.in {
		if sign.op != compute.OpTypeSign || !sign.shape.Equal(x.shape) || !isConstant(x.in[1-i], 1) {
			continue
		}
		diff := sign.in[0]
		if diff.op != compute.OpTypeSub || !diff.in[0].shape.Equal(x.shape) || !diff.in[1].shape.Equal(x.shape) {
			continue
		}
		less, err := f.LessThan(diff.in[0], diff.in[1])
		if err != nil {
			return nil, false, err
		}
		y, err := f.choose(less, x.dtype(), 0, 1)
		return y, err == nil, err
	}
	return nil, false, nil
}

// opposite is one − x as a choice between 0 and 1, if x is such a choice.
func (f *function) opposite(one, x *node) (compute.Value, bool, error) {
	if x.op != compute.OpTypeWhere || !x.dtype().IsFloat() || !isConstant(one, 1) || one.size() > 1 {
		return nil, false, nil
	}
	for _, yes := range []float64{0, 1} {
		if isConstant(x.in[1], yes) && isConstant(x.in[2], 1-yes) && x.in[0].shape.Size() == x.size() {
			y, err := f.choose(x.in[0], x.dtype(), 1-yes, yes)
			return y, err == nil, err
		}
	}
	return nil, false, nil
}

// choose is yes where the condition holds and no elsewhere.
func (f *function) choose(condition compute.Value, t dtypes.DType, yes, no float64) (compute.Value, error) {
	var sides [2]compute.Value
	for i, v := range []float64{yes, no} {
		c, err := f.Constant([]float64{v})
		if err != nil {
			return nil, err
		}
		switch t {
		case dtypes.Float32:
			c, err = f.Constant([]float32{float32(v)})
		case dtypes.BFloat16:
			c, err = f.Constant([]bfloat{narrow(float32(v))})
		}
		if err != nil {
			return nil, err
		}
		sides[i] = c
	}
	return f.Where(condition, sides[0], sides[1])
}

// isConstant reports whether n is one number, v, maybe repeated.
func isConstant(n *node, v float64) bool {
	for isView(n.op) {
		n = n.in[0]
	}
	c, ok := n.attr.(*constant)
	if !ok || n.op != compute.OpTypeConstant || n.size() != 1 {
		return false
	}
	switch n.dtype() {
	case dtypes.Float32:
		return uint32(c.words[0]) == math.Float32bits(float32(v))
	case dtypes.Float64:
		return c.words[0] == math.Float64bits(v)
	case dtypes.BFloat16:
		return uint16(c.words[0]) == narrow(float32(v)).Bits()
	}
	return false
}
