#include "textflag.h"

// The simplest kernels of vector_amd64.s with AVX-512: 64 numbers at a time and
// then 16, the last few through a mask. Kernels with a scalar stay there.

// Offsets into operands.
#define DST 0
#define IN0 8
#define IN1 16
#define STEP0 40
#define STEP1 48

#define BINARY512(op, narrow) \
	MOVQ o+0(FP), AX \
	CMPQ STEP0(AX), $0 \
	JEQ  scalar \
	CMPQ STEP1(AX), $0 \
	JEQ  scalar \
	MOVQ n+8(FP), CX \
	MOVQ DST(AX), DI \
	MOVQ IN0(AX), SI \
	MOVQ IN1(AX), DX \
	SUBQ $64, CX \
	JLT  few \
many: \
	VMOVUPS (SI), Z0 \
	VMOVUPS 64(SI), Z1 \
	VMOVUPS 128(SI), Z2 \
	VMOVUPS 192(SI), Z3 \
	op (DX), Z0, Z0 \
	op 64(DX), Z1, Z1 \
	op 128(DX), Z2, Z2 \
	op 192(DX), Z3, Z3 \
	VMOVUPS Z0, (DI) \
	VMOVUPS Z1, 64(DI) \
	VMOVUPS Z2, 128(DI) \
	VMOVUPS Z3, 192(DI) \
	ADDQ $256, SI \
	ADDQ $256, DX \
	ADDQ $256, DI \
	SUBQ $64, CX \
	JGE  many \
few: \
	ADDQ $48, CX \
	JLT  last \
sixteen: \
	VMOVUPS (SI), Z0 \
	op (DX), Z0, Z0 \
	VMOVUPS Z0, (DI) \
	ADDQ $64, SI \
	ADDQ $64, DX \
	ADDQ $64, DI \
	SUBQ $16, CX \
	JGE  sixteen \
last: \
	ADDQ $16, CX \
	JZ   done \
	MOVQ $1, BX \
	SHLQ CX, BX \
	DECQ BX \
	KMOVW BX, K1 \
	VMOVUPS.Z (SI), K1, Z0 \
	VMOVUPS.Z (DX), K1, Z1 \
	op Z1, Z0, Z0 \
	VMOVUPS Z0, K1, (DI) \
done: \
	VZEROUPPER \
	RET \
scalar: \
	JMP narrow

// func addAVX512(o *operands, n int)
TEXT ·addAVX512(SB), NOSPLIT, $0-16
	BINARY512(VADDPS, ·addAVX2(SB))

// func subAVX512(o *operands, n int)
TEXT ·subAVX512(SB), NOSPLIT, $0-16
	BINARY512(VSUBPS, ·subAVX2(SB))

// func mulAVX512(o *operands, n int)
TEXT ·mulAVX512(SB), NOSPLIT, $0-16
	BINARY512(VMULPS, ·mulAVX2(SB))
