#include "textflag.h"

// func squareLanes(x, y *float64, stride, quads int, lanes *[16]float64)
// Sums (x−y)² for four rows y, y+stride, … of 4·quads numbers each, in four
// lanes a row: lane l has the numbers l, l+4, l+8, …, one after the other.
TEXT ·squareLanes(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), R8
	MOVQ stride+16(FP), DX
	MOVQ quads+24(FP), CX
	MOVQ lanes+32(FP), DI
	LEAQ (R8)(DX*8), R9
	LEAQ (R9)(DX*8), R10
	LEAQ (R10)(DX*8), R11
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	XORQ BX, BX

quad:
	CMPQ CX, $0
	JLE  done
	VMOVUPD (SI)(BX*1), Y4
	VSUBPD (R8)(BX*1), Y4, Y5
	VSUBPD (R9)(BX*1), Y4, Y6
	VSUBPD (R10)(BX*1), Y4, Y7
	VSUBPD (R11)(BX*1), Y4, Y8
	VMULPD Y5, Y5, Y5
	VMULPD Y6, Y6, Y6
	VMULPD Y7, Y7, Y7
	VMULPD Y8, Y8, Y8
	VADDPD Y5, Y0, Y0
	VADDPD Y6, Y1, Y1
	VADDPD Y7, Y2, Y2
	VADDPD Y8, Y3, Y3
	ADDQ $32, BX
	DECQ CX
	JMP  quad

done:
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VZEROUPPER
	RET
