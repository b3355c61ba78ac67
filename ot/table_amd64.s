#include "textflag.h"

// Squared distances in double precision between d coordinates of one row and of
// n others, which lie stride apart: four rows at a time, eight sums each. d is
// a multiple of 8, n of 4.

// func squaresAVX2(x, y, out *float64, n, stride, d int)
TEXT ·squaresAVX2(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), R10
	MOVQ out+16(FP), R9
	MOVQ n+24(FP), CX
	MOVQ stride+32(FP), DX
	MOVQ d+40(FP), R14
	SHLQ $3, R14
	SHLQ $3, DX // bytes of a row

four:
	CMPQ CX, $4
	JLT  done
	LEAQ (R10)(DX*1), R11
	LEAQ (R11)(DX*1), R12
	LEAQ (R12)(DX*1), R13
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	XORQ BX, BX

step:
	CMPQ BX, R14
	JGE  sum
	VMOVUPD (SI)(BX*1), Y8
	VMOVUPD 32(SI)(BX*1), Y9
	VSUBPD (R10)(BX*1), Y8, Y10
	VFMADD231PD Y10, Y10, Y0
	VSUBPD 32(R10)(BX*1), Y9, Y11
	VFMADD231PD Y11, Y11, Y1
	VSUBPD (R11)(BX*1), Y8, Y12
	VFMADD231PD Y12, Y12, Y2
	VSUBPD 32(R11)(BX*1), Y9, Y13
	VFMADD231PD Y13, Y13, Y3
	VSUBPD (R12)(BX*1), Y8, Y10
	VFMADD231PD Y10, Y10, Y4
	VSUBPD 32(R12)(BX*1), Y9, Y11
	VFMADD231PD Y11, Y11, Y5
	VSUBPD (R13)(BX*1), Y8, Y12
	VFMADD231PD Y12, Y12, Y6
	VSUBPD 32(R13)(BX*1), Y9, Y13
	VFMADD231PD Y13, Y13, Y7
	ADDQ $64, BX
	JMP  step

sum:
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y5, Y4, Y4
	VADDPD Y7, Y6, Y6
	VHADDPD Y2, Y0, Y0 // rows 0 1 0 1
	VHADDPD Y6, Y4, Y4 // rows 2 3 2 3
	VEXTRACTF128 $1, Y0, X1
	VADDPD X1, X0, X0
	VMOVUPD X0, (R9)
	VEXTRACTF128 $1, Y4, X5
	VADDPD X5, X4, X4
	VMOVUPD X4, 16(R9)
	ADDQ $32, R9
	LEAQ (R13)(DX*1), R10
	SUBQ $4, CX
	JMP  four

done:
	VZEROUPPER
	RET
