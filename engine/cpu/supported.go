package cpu

import "github.com/gomlx/compute"

// supported are the operations of the backend.
var supported = append([]compute.OpType{
	compute.OpTypeParameter, compute.OpTypeConstant, compute.OpTypeIdentity, compute.OpTypeReshape, compute.OpTypeTranspose,
	compute.OpTypeBroadcastInDim, compute.OpTypeSlice, compute.OpTypeReverse, compute.OpTypePad, compute.OpTypeConcatenate,
	compute.OpTypeIota, compute.OpTypeBitcast, compute.OpTypeWhere, compute.OpTypeClamp, compute.OpTypeConvertDType,
	compute.OpTypeReduceSum, compute.OpTypeReduceProduct, compute.OpTypeReduceMax, compute.OpTypeReduceMin,
	compute.OpTypeReduceLogicalAnd, compute.OpTypeReduceLogicalOr, compute.OpTypeReduceLogicalXor,
	compute.OpTypeReduceBitwiseAnd, compute.OpTypeReduceBitwiseOr, compute.OpTypeReduceBitwiseXor,
	compute.OpTypeArgMinMax, compute.OpTypeReduceWindow, compute.OpTypeSelectAndScatterMax, compute.OpTypeSelectAndScatterMin,
	compute.OpTypeDotGeneral, compute.OpTypeConvGeneral, compute.OpTypeGather,
	compute.OpTypeScatterSum, compute.OpTypeScatterMax, compute.OpTypeScatterMin, compute.OpTypeRNGBitGenerator,
}, elementary...)
