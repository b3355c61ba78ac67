#include "textflag.h"

DATA absmask<>+0(SB)/4, $0x7fffffff
GLOBL absmask<>(SB), RODATA|NOPTR, $4

// func maskAVX2(x, y, u *float32, mask *byte, nblk, d, mode int, thr float32)
// Bit l of mask[b] says dist(x[b][.][l], y) + u[8b+l] <= thr, where dist is
// the sum of squares (mode 0), its root (mode 1) or the sum of absolute
// differences (mode 2). Four blocks of 8 sources at a time: nblk is a multiple of 4.
TEXT ·maskAVX2(SB), NOSPLIT, $0-60
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ u+16(FP), R8
	MOVQ mask+24(FP), R9
	MOVQ nblk+32(FP), CX
	MOVQ d+40(FP), DX
	MOVQ mode+48(FP), R11
	VBROADCASTSS thr+56(FP), Y9
	VBROADCASTSS absmask<>(SB), Y10
	MOVQ DX, R10
	SHLQ $5, R10

block:
	CMPQ CX, $4
	JLT  done
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	LEAQ (SI)(R10*1), R12
	LEAQ (R12)(R10*1), R13
	LEAQ (R13)(R10*1), R15
	XORQ BX, BX
	MOVQ DI, AX
	CMPQ R11, $2
	JEQ  city

square:
	VBROADCASTSS (AX), Y8
	VSUBPS (SI)(BX*1), Y8, Y4
	VSUBPS (R12)(BX*1), Y8, Y5
	VSUBPS (R13)(BX*1), Y8, Y6
	VSUBPS (R15)(BX*1), Y8, Y7
	VFMADD231PS Y4, Y4, Y0
	VFMADD231PS Y5, Y5, Y1
	VFMADD231PS Y6, Y6, Y2
	VFMADD231PS Y7, Y7, Y3
	ADDQ $4, AX
	ADDQ $32, BX
	CMPQ BX, R10
	JNE  square
	TESTQ R11, R11
	JZ   compare
	VSQRTPS Y0, Y0
	VSQRTPS Y1, Y1
	VSQRTPS Y2, Y2
	VSQRTPS Y3, Y3
	JMP  compare

city:
	VBROADCASTSS (AX), Y8
	VSUBPS (SI)(BX*1), Y8, Y4
	VSUBPS (R12)(BX*1), Y8, Y5
	VSUBPS (R13)(BX*1), Y8, Y6
	VSUBPS (R15)(BX*1), Y8, Y7
	VANDPS Y10, Y4, Y4
	VANDPS Y10, Y5, Y5
	VANDPS Y10, Y6, Y6
	VANDPS Y10, Y7, Y7
	VADDPS Y4, Y0, Y0
	VADDPS Y5, Y1, Y1
	VADDPS Y6, Y2, Y2
	VADDPS Y7, Y3, Y3
	ADDQ $4, AX
	ADDQ $32, BX
	CMPQ BX, R10
	JNE  city

compare:
	LEAQ (R15)(R10*1), SI
	VADDPS (R8), Y0, Y0
	VADDPS 32(R8), Y1, Y1
	VADDPS 64(R8), Y2, Y2
	VADDPS 96(R8), Y3, Y3
	VCMPPS $2, Y9, Y0, Y0
	VCMPPS $2, Y9, Y1, Y1
	VCMPPS $2, Y9, Y2, Y2
	VCMPPS $2, Y9, Y3, Y3
	VMOVMSKPS Y0, AX
	MOVB AX, (R9)
	VMOVMSKPS Y1, AX
	MOVB AX, 1(R9)
	VMOVMSKPS Y2, AX
	MOVB AX, 2(R9)
	VMOVMSKPS Y3, AX
	MOVB AX, 3(R9)
	ADDQ $128, R8
	ADDQ $4, R9
	SUBQ $4, CX
	JMP  block

done:
	VZEROUPPER
	RET

// func dotAVX2(x, y, base, u *float32, mask *byte, nblk, d, mode int, thr, norm float32)
// The same from inner products: bit l of mask[b] says
// base[8b+l] + sum_k x[b][k][l]*y[k] <= thr (mode 0, prices in base), or
// sqrt(max(0, base + sum + norm)) + u <= thr (mode 1). One multiply-add a
// coordinate where maskAVX2 has a subtraction too. Eight blocks of 8 sources
// at a time: nblk is a multiple of 8.
TEXT ·dotAVX2(SB), NOSPLIT, $0-72
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ base+16(FP), R8
	MOVQ u+24(FP), R14
	MOVQ mask+32(FP), R9
	MOVQ nblk+40(FP), CX
	MOVQ d+48(FP), DX
	MOVQ mode+56(FP), R11
	VBROADCASTSS thr+64(FP), Y9
	VBROADCASTSS norm+68(FP), Y10
	VXORPS Y11, Y11, Y11
	SHLQ $5, DX            // bytes of a block
	LEAQ (DX)(DX*2), R13   // three blocks

dblock:
	CMPQ CX, $8
	JLT  ddone
	VMOVUPS (R8), Y0
	VMOVUPS 32(R8), Y1
	VMOVUPS 64(R8), Y2
	VMOVUPS 96(R8), Y3
	VMOVUPS 128(R8), Y4
	VMOVUPS 160(R8), Y5
	VMOVUPS 192(R8), Y6
	VMOVUPS 224(R8), Y7
	MOVQ DI, AX
	MOVQ SI, BX
	LEAQ (SI)(DX*4), R12
	LEAQ (SI)(DX*1), R10   // end of the first block

dsum:
	VBROADCASTSS (AX), Y8
	VFMADD231PS (BX), Y8, Y0
	VFMADD231PS (BX)(DX*1), Y8, Y1
	VFMADD231PS (BX)(DX*2), Y8, Y2
	VFMADD231PS (BX)(R13*1), Y8, Y3
	VFMADD231PS (R12), Y8, Y4
	VFMADD231PS (R12)(DX*1), Y8, Y5
	VFMADD231PS (R12)(DX*2), Y8, Y6
	VFMADD231PS (R12)(R13*1), Y8, Y7
	ADDQ $4, AX
	ADDQ $32, BX
	ADDQ $32, R12
	CMPQ BX, R10
	JNE  dsum
	LEAQ (SI)(DX*8), SI
	TESTQ R11, R11
	JZ   dcompare
	VADDPS Y10, Y0, Y0
	VADDPS Y10, Y1, Y1
	VADDPS Y10, Y2, Y2
	VADDPS Y10, Y3, Y3
	VADDPS Y10, Y4, Y4
	VADDPS Y10, Y5, Y5
	VADDPS Y10, Y6, Y6
	VADDPS Y10, Y7, Y7
	VMAXPS Y11, Y0, Y0
	VMAXPS Y11, Y1, Y1
	VMAXPS Y11, Y2, Y2
	VMAXPS Y11, Y3, Y3
	VMAXPS Y11, Y4, Y4
	VMAXPS Y11, Y5, Y5
	VMAXPS Y11, Y6, Y6
	VMAXPS Y11, Y7, Y7
	VSQRTPS Y0, Y0
	VSQRTPS Y1, Y1
	VSQRTPS Y2, Y2
	VSQRTPS Y3, Y3
	VSQRTPS Y4, Y4
	VSQRTPS Y5, Y5
	VSQRTPS Y6, Y6
	VSQRTPS Y7, Y7
	VADDPS (R14), Y0, Y0
	VADDPS 32(R14), Y1, Y1
	VADDPS 64(R14), Y2, Y2
	VADDPS 96(R14), Y3, Y3
	VADDPS 128(R14), Y4, Y4
	VADDPS 160(R14), Y5, Y5
	VADDPS 192(R14), Y6, Y6
	VADDPS 224(R14), Y7, Y7

dcompare:
	VCMPPS $2, Y9, Y0, Y0
	VCMPPS $2, Y9, Y1, Y1
	VCMPPS $2, Y9, Y2, Y2
	VCMPPS $2, Y9, Y3, Y3
	VCMPPS $2, Y9, Y4, Y4
	VCMPPS $2, Y9, Y5, Y5
	VCMPPS $2, Y9, Y6, Y6
	VCMPPS $2, Y9, Y7, Y7
	VMOVMSKPS Y0, AX
	MOVB AX, (R9)
	VMOVMSKPS Y1, AX
	MOVB AX, 1(R9)
	VMOVMSKPS Y2, AX
	MOVB AX, 2(R9)
	VMOVMSKPS Y3, AX
	MOVB AX, 3(R9)
	VMOVMSKPS Y4, AX
	MOVB AX, 4(R9)
	VMOVMSKPS Y5, AX
	MOVB AX, 5(R9)
	VMOVMSKPS Y6, AX
	MOVB AX, 6(R9)
	VMOVMSKPS Y7, AX
	MOVB AX, 7(R9)
	ADDQ $256, R8
	ADDQ $256, R14
	ADDQ $8, R9
	SUBQ $8, CX
	JMP  dblock

ddone:
	VZEROUPPER
	RET
