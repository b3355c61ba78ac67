#include "textflag.h"

// Element-wise kernels on float32 (kernels.go). They compute eight numbers at a
// time; the last few go through masked loads and stores, so that nothing past
// the end is written.

// Offsets into operands.
#define DST 0
#define IN0 8
#define IN1 16
#define IN2 24
#define IN3 32
#define STEP0 40
#define STEP1 48
#define STEP2 56
#define STEP3 64

// Eight ones and eight zeros: the mask for the first n of eight numbers begins
// 4·n bytes before the zeros.
DATA ones<>+0(SB)/8, $-1
DATA ones<>+8(SB)/8, $-1
DATA ones<>+16(SB)/8, $-1
DATA ones<>+24(SB)/8, $-1
DATA ones<>+32(SB)/8, $0
DATA ones<>+40(SB)/8, $0
DATA ones<>+48(SB)/8, $0
DATA ones<>+56(SB)/8, $0
GLOBL ones<>(SB), RODATA|NOPTR, $64

// A constant, eight times.
#define EIGHT(name, bits) \
	DATA name<>+0(SB)/4, $bits \
	DATA name<>+4(SB)/4, $bits \
	DATA name<>+8(SB)/4, $bits \
	DATA name<>+12(SB)/4, $bits \
	DATA name<>+16(SB)/4, $bits \
	DATA name<>+20(SB)/4, $bits \
	DATA name<>+24(SB)/4, $bits \
	DATA name<>+28(SB)/4, $bits \
	GLOBL name<>(SB), RODATA|NOPTR, $32

EIGHT(sign, 0x80000000) // the sign bit
EIGHT(rest, 0x7fffffff) // all other bits
EIGHT(bias, 0x0000007f) // of exponents, an integer
EIGHT(unit, 0x3f800000) // 1
EIGHT(two, 0x40000000) // 2
EIGHT(expMax, 0x42b20000) // e^89 is infinite
EIGHT(expMin, 0xc2d00000) // e^−104 is 0
EIGHT(log2e, 0x3fb8aa3b) // 1.44269504
EIGHT(ln2hi, 0x3f310000) // ln 2 = ln2hi + ln2lo, of which n·ln2hi is exact
EIGHT(ln2lo, 0x3ae42ff0) // 0.00174093056
EIGHT(f2, 0x3f000000) // 1/k! for e^r
EIGHT(f3, 0x3e2aaaab) // 0.166666667
EIGHT(f4, 0x3d2aaaab) // 0.0416666667
EIGHT(f5, 0x3c088889) // 0.00833333333
EIGHT(f6, 0x3ab60b61) // 0.00138888889
EIGHT(f7, 0x39500d01) // 0.000198412698
EIGHT(small, 0x3f200000) // below that tanh is a fraction
EIGHT(t105, 0x42d20000) // Lambert's continued fraction of tanh to its fourth level
EIGHT(t420, 0x43d20000) // 420
EIGHT(t945, 0x446c4000) // 945
EIGHT(t15, 0x41700000) // 15
EIGHT(normal, 0x00800000) // the smallest number with all its bits
EIGHT(up23, 0x4b000000) // 8388608
EIGHT(n23, 0x41b80000) // 23
EIGHT(mantissa, 0x007fffff)
EIGHT(root2, 0x3fb504f3) // 1.41421356
EIGHT(half, 0x3f000000) // 0.5
EIGHT(a3, 0x3f2aaaab) // 2/k for ln((1+s)/(1−s)) = 2s + 2s³/3 + …
EIGHT(a5, 0x3ecccccd) // 0.4
EIGHT(a7, 0x3e924925) // 0.285714286
EIGHT(a9, 0x3e638e39) // 0.222222222
EIGHT(inf, 0x7f800000)
EIGHT(minusInf, 0xff800000)
EIGHT(nan, 0x7fc00000)

// The loop of a kernel with two inputs, 32 numbers at a time and then eight.
// op makes y of x and y.
#define BINARY(op) \
	MOVQ o+0(FP), AX \
	MOVQ n+8(FP), CX \
	MOVQ DST(AX), DI \
	MOVQ IN0(AX), SI \
	MOVQ IN1(AX), DX \
	MOVQ STEP0(AX), R8 \
	MOVQ STEP1(AX), R9 \
	LEAQ (R8)(R8*2), R10 \
	LEAQ (R9)(R9*2), R11 \
	SUBQ $32, CX \
	JLT  eights \
many: \
	VMOVUPS (SI), Y0 \
	VMOVUPS (SI)(R8*1), Y1 \
	VMOVUPS (SI)(R8*2), Y2 \
	VMOVUPS (SI)(R10*1), Y3 \
	VMOVUPS (DX), Y4 \
	VMOVUPS (DX)(R9*1), Y5 \
	VMOVUPS (DX)(R9*2), Y6 \
	VMOVUPS (DX)(R11*1), Y7 \
	op(Y0, Y4) \
	op(Y1, Y5) \
	op(Y2, Y6) \
	op(Y3, Y7) \
	VMOVUPS Y4, (DI) \
	VMOVUPS Y5, 32(DI) \
	VMOVUPS Y6, 64(DI) \
	VMOVUPS Y7, 96(DI) \
	LEAQ (SI)(R8*4), SI \
	LEAQ (DX)(R9*4), DX \
	ADDQ $128, DI \
	SUBQ $32, CX \
	JGE  many \
eights: \
	ADDQ $24, CX \
	JLT  last \
eight: \
	VMOVUPS (SI), Y0 \
	VMOVUPS (DX), Y4 \
	op(Y0, Y4) \
	VMOVUPS Y4, (DI) \
	ADDQ R8, SI \
	ADDQ R9, DX \
	ADDQ $32, DI \
	SUBQ $8, CX \
	JGE  eight \
last: \
	ADDQ $8, CX \
	JZ   done \
	NEGQ CX \
	LEAQ ones<>+32(SB), BX \
	VMOVUPS (BX)(CX*4), Y15 \
	VMASKMOVPS (SI), Y15, Y0 \
	VMASKMOVPS (DX), Y15, Y4 \
	op(Y0, Y4) \
	VMASKMOVPS Y4, Y15, (DI) \
done: \
	VZEROUPPER \
	RET

#define ADDS(x, y) VADDPS y, x, y
#define SUBS(x, y) VSUBPS y, x, y
#define MULS(x, y) VMULPS y, x, y
#define DIVS(x, y) VDIVPS y, x, y

// MAXPS and MINPS give their second argument if either is NaN; here a NaN in
// the first counts too.
#define MAXS(x, y) \
	VMAXPS y, x, y \
	VCMPPS $3, x, x, Y14 \
	VBLENDVPS Y14, x, y, y

#define MINS(x, y) \
	VMINPS y, x, y \
	VCMPPS $3, x, x, Y14 \
	VBLENDVPS Y14, x, y, y

// func addAVX2(o *operands, n int)
TEXT ·addAVX2(SB), NOSPLIT, $0-16
	BINARY(ADDS)

// func subAVX2(o *operands, n int)
TEXT ·subAVX2(SB), NOSPLIT, $0-16
	BINARY(SUBS)

// func mulAVX2(o *operands, n int)
TEXT ·mulAVX2(SB), NOSPLIT, $0-16
	BINARY(MULS)

// func divAVX2(o *operands, n int)
TEXT ·divAVX2(SB), NOSPLIT, $0-16
	BINARY(DIVS)

// func maxAVX2(o *operands, n int)
TEXT ·maxAVX2(SB), NOSPLIT, $0-16
	BINARY(MAXS)

// func minAVX2(o *operands, n int)
TEXT ·minAVX2(SB), NOSPLIT, $0-16
	BINARY(MINS)

// The loop of a kernel with one input; op makes Y2 of Y0, and may read the
// input again at SI.
#define UNARY(op) \
	MOVQ o+0(FP), AX \
	MOVQ n+8(FP), CX \
	MOVQ DST(AX), DI \
	MOVQ IN0(AX), SI \
	MOVQ STEP0(AX), R8 \
	SUBQ $8, CX \
	JLT  last \
eight: \
	VMOVUPS (SI), Y0 \
	op \
	VMOVUPS Y2, (DI) \
	ADDQ R8, SI \
	ADDQ $32, DI \
	SUBQ $8, CX \
	JGE  eight \
last: \
	ADDQ $8, CX \
	JZ   done \
	NEGQ CX \
	LEAQ ones<>+32(SB), BX \
	VMOVUPS (BX)(CX*4), Y15 \
	VMASKMOVPS (SI), Y15, Y0 \
	op \
	VMASKMOVPS Y2, Y15, (DI) \
done: \
	VZEROUPPER \
	RET

#define NEGATE VXORPS sign<>(SB), Y0, Y2
#define ABSOLUTE VANDPS rest<>(SB), Y0, Y2
#define SIGNS \
	VXORPS Y1, Y1, Y1 \
	VCMPPS $14, Y1, Y0, Y2 \
	VANDPS unit<>(SB), Y2, Y2 \
	VCMPPS $1, Y1, Y0, Y3 \
	VANDPS unit<>(SB), Y3, Y3 \
	VSUBPS Y3, Y2, Y2
#define ROOT VSQRTPS Y0, Y2
#define INVROOT \
	VSQRTPS Y0, Y2 \
	VMOVUPS unit<>(SB), Y1 \
	VDIVPS Y2, Y1, Y2

// Y2 = e^Y0. With n = round(x/ln 2) and r = x − n·ln 2 it is 2ⁿ·e^r, and e^r is
// a sum of powers; 2ⁿ is two factors, since n may be outside of what an
// exponent can hold. A NaN goes through: it is the second argument of min and
// max.
#define EXPONENTIAL \
	VMOVUPS expMax<>(SB), Y1 \
	VMINPS Y0, Y1, Y0 \
	VMOVUPS expMin<>(SB), Y1 \
	VMAXPS Y0, Y1, Y0 \
	VMULPS log2e<>(SB), Y0, Y1 \
	VROUNDPS $8, Y1, Y1 \
	VFNMADD231PS ln2hi<>(SB), Y1, Y0 \
	VFNMADD231PS ln2lo<>(SB), Y1, Y0 \
	VMOVUPS f7<>(SB), Y2 \
	VFMADD213PS f6<>(SB), Y0, Y2 \
	VFMADD213PS f5<>(SB), Y0, Y2 \
	VFMADD213PS f4<>(SB), Y0, Y2 \
	VFMADD213PS f3<>(SB), Y0, Y2 \
	VFMADD213PS f2<>(SB), Y0, Y2 \
	VFMADD213PS unit<>(SB), Y0, Y2 \
	VFMADD213PS unit<>(SB), Y0, Y2 \
	VCVTPS2DQ Y1, Y1 \
	VPSRAD $1, Y1, Y3 \
	VPSUBD Y3, Y1, Y1 \
	VPADDD bias<>(SB), Y1, Y1 \
	VPADDD bias<>(SB), Y3, Y3 \
	VPSLLD $23, Y1, Y1 \
	VPSLLD $23, Y3, Y3 \
	VMULPS Y1, Y2, Y2 \
	VMULPS Y3, Y2, Y2

// Y2 = tanh Y0: 1 − 2/(e^2|x| + 1) with the sign of x, and for small x, where
// that loses digits, x(945 + 105x² + x⁴)/(945 + 420x² + 15x⁴).
#define HYPERBOLIC \
	VMOVAPS Y0, Y10 \
	VANDPS rest<>(SB), Y0, Y11 \
	VADDPS Y11, Y11, Y0 \
	EXPONENTIAL \
	VADDPS unit<>(SB), Y2, Y2 \
	VMOVUPS two<>(SB), Y3 \
	VDIVPS Y2, Y3, Y3 \
	VMOVUPS unit<>(SB), Y2 \
	VSUBPS Y3, Y2, Y2 \
	VANDPS sign<>(SB), Y10, Y1 \
	VORPS Y1, Y2, Y2 \
	VMULPS Y10, Y10, Y1 \
	VADDPS t105<>(SB), Y1, Y3 \
	VFMADD213PS t945<>(SB), Y1, Y3 \
	VMULPS Y10, Y3, Y3 \
	VMOVUPS t15<>(SB), Y4 \
	VFMADD213PS t420<>(SB), Y1, Y4 \
	VFMADD213PS t945<>(SB), Y1, Y4 \
	VDIVPS Y4, Y3, Y3 \
	VCMPPS $1, small<>(SB), Y11, Y4 \
	VBLENDVPS Y4, Y3, Y2, Y2

// Y2 = ln Y0. With x = 2ᵉ·m and m between √½ and √2, and s = (m−1)/(m+1), it is
// e·ln 2 + 2s + 2s³/3 + …
#define LOGARITHM \
	VMOVAPS Y0, Y10 \
	VCMPPS $1, normal<>(SB), Y0, Y11 \
	VMULPS up23<>(SB), Y0, Y1 \
	VBLENDVPS Y11, Y1, Y0, Y0 \
	VPSRLD $23, Y0, Y1 \
	VPSUBD bias<>(SB), Y1, Y1 \
	VCVTDQ2PS Y1, Y1 \
	VANDPS n23<>(SB), Y11, Y3 \
	VSUBPS Y3, Y1, Y1 \
	VANDPS mantissa<>(SB), Y0, Y0 \
	VORPS unit<>(SB), Y0, Y0 \
	VCMPPS $14, root2<>(SB), Y0, Y3 \
	VMULPS half<>(SB), Y0, Y2 \
	VBLENDVPS Y3, Y2, Y0, Y0 \
	VANDPS unit<>(SB), Y3, Y3 \
	VADDPS Y3, Y1, Y1 \
	VADDPS unit<>(SB), Y0, Y3 \
	VSUBPS unit<>(SB), Y0, Y0 \
	VDIVPS Y3, Y0, Y0 \
	VMULPS Y0, Y0, Y3 \
	VMOVUPS a9<>(SB), Y2 \
	VFMADD213PS a7<>(SB), Y3, Y2 \
	VFMADD213PS a5<>(SB), Y3, Y2 \
	VFMADD213PS a3<>(SB), Y3, Y2 \
	VMULPS Y3, Y2, Y2 \
	VMULPS Y0, Y2, Y2 \
	VFMADD231PS ln2lo<>(SB), Y1, Y2 \
	VADDPS Y0, Y0, Y0 \
	VADDPS Y0, Y2, Y2 \
	VFMADD231PS ln2hi<>(SB), Y1, Y2 \
	VXORPS Y3, Y3, Y3 \
	VCMPPS $0, Y3, Y10, Y1 \
	VBLENDVPS Y1, minusInf<>(SB), Y2, Y2 \
	VCMPPS $1, Y3, Y10, Y1 \
	VBLENDVPS Y1, nan<>(SB), Y2, Y2 \
	VCMPPS $0, inf<>(SB), Y10, Y1 \
	VBLENDVPS Y1, Y10, Y2, Y2 \
	VCMPPS $3, Y10, Y10, Y1 \
	VBLENDVPS Y1, Y10, Y2, Y2

// func negAVX2(o *operands, n int)
TEXT ·negAVX2(SB), NOSPLIT, $0-16
	UNARY(NEGATE)

// func absAVX2(o *operands, n int)
TEXT ·absAVX2(SB), NOSPLIT, $0-16
	UNARY(ABSOLUTE)

// func signAVX2(o *operands, n int)
TEXT ·signAVX2(SB), NOSPLIT, $0-16
	UNARY(SIGNS)

// func sqrtAVX2(o *operands, n int)
TEXT ·sqrtAVX2(SB), NOSPLIT, $0-16
	UNARY(ROOT)

// func rsqrtAVX2(o *operands, n int)
TEXT ·rsqrtAVX2(SB), NOSPLIT, $0-16
	UNARY(INVROOT)

// func expAVX2(o *operands, n int)
TEXT ·expAVX2(SB), NOSPLIT, $0-16
	UNARY(EXPONENTIAL)

// func tanhAVX2(o *operands, n int)
TEXT ·tanhAVX2(SB), NOSPLIT, $0-16
	UNARY(HYPERBOLIC)

// func logAVX2(o *operands, n int)
TEXT ·logAVX2(SB), NOSPLIT, $0-16
	UNARY(LOGARITHM)

// The loop of Where(a ⋚ b, yes, no), with the number of the comparison.
#define SELECT(cmp) \
	MOVQ o+0(FP), AX \
	MOVQ n+8(FP), CX \
	MOVQ DST(AX), DI \
	MOVQ IN0(AX), SI \
	MOVQ IN1(AX), DX \
	MOVQ IN2(AX), R8 \
	MOVQ IN3(AX), R9 \
	MOVQ STEP0(AX), R10 \
	MOVQ STEP1(AX), R11 \
	MOVQ STEP2(AX), R12 \
	MOVQ STEP3(AX), R13 \
	SUBQ $8, CX \
	JLT  last \
eight: \
	VMOVUPS (SI), Y0 \
	VCMPPS cmp, (DX), Y0, Y0 \
	VMOVUPS (R9), Y1 \
	VBLENDVPS Y0, (R8), Y1, Y1 \
	VMOVUPS Y1, (DI) \
	ADDQ R10, SI \
	ADDQ R11, DX \
	ADDQ R12, R8 \
	ADDQ R13, R9 \
	ADDQ $32, DI \
	SUBQ $8, CX \
	JGE  eight \
last: \
	ADDQ $8, CX \
	JZ   done \
	NEGQ CX \
	LEAQ ones<>+32(SB), BX \
	VMOVUPS (BX)(CX*4), Y15 \
	VMASKMOVPS (SI), Y15, Y0 \
	VMASKMOVPS (DX), Y15, Y1 \
	VCMPPS cmp, Y1, Y0, Y0 \
	VMASKMOVPS (R8), Y15, Y1 \
	VMASKMOVPS (R9), Y15, Y2 \
	VBLENDVPS Y0, Y1, Y2, Y2 \
	VMASKMOVPS Y2, Y15, (DI) \
done: \
	VZEROUPPER \
	RET

// func selectEqualAVX2(o *operands, n int)
TEXT ·selectEqualAVX2(SB), NOSPLIT, $0-16
	SELECT($0)

// func selectNotEqualAVX2(o *operands, n int)
TEXT ·selectNotEqualAVX2(SB), NOSPLIT, $0-16
	SELECT($4)

// func selectLessAVX2(o *operands, n int)
TEXT ·selectLessAVX2(SB), NOSPLIT, $0-16
	SELECT($1)

// func selectLessOrEqualAVX2(o *operands, n int)
TEXT ·selectLessOrEqualAVX2(SB), NOSPLIT, $0-16
	SELECT($2)

// func selectGreaterAVX2(o *operands, n int)
TEXT ·selectGreaterAVX2(SB), NOSPLIT, $0-16
	SELECT($14)

// func selectGreaterOrEqualAVX2(o *operands, n int)
TEXT ·selectGreaterOrEqualAVX2(SB), NOSPLIT, $0-16
	SELECT($13)

// func moveRowsAVX2(dst, src unsafe.Pointer, rows, n, dstStep, srcStep int)
//
// Eight numbers at a time, the last eight of a row maybe twice.
TEXT ·moveRowsAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ rows+16(FP), BX
	MOVQ n+24(FP), CX
	MOVQ dstStep+32(FP), R8
	MOVQ srcStep+40(FP), R9
	CMPQ CX, $8
	JLT  short
	SHLQ $2, CX
	SUBQ $32, CX // where the last eight begin
row:
	XORQ AX, AX
	CMPQ AX, CX
	JGE  last
eight:
	VMOVUPS (SI)(AX*1), Y0
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	CMPQ AX, CX
	JLT  eight
last:
	VMOVUPS (SI)(CX*1), Y0
	VMOVUPS Y0, (DI)(CX*1)
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ BX
	JNZ  row
	VZEROUPPER
	RET
short:
	XORQ AX, AX
one:
	MOVL (SI)(AX*4), DX
	MOVL DX, (DI)(AX*4)
	INCQ AX
	CMPQ AX, CX
	JLT  one
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ BX
	JNZ  short
	RET

// func sumAVX2(dst, x unsafe.Pointer, n int)
//
// It adds in the order of its twin sum, in 32 sums.
TEXT ·sumAVX2(SB), NOSPLIT, $0-24
	MOVQ   dst+0(FP), DI
	MOVQ   x+8(FP), SI
	MOVQ   n+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	SUBQ   $32, CX
	JLT    rest
many:
	VADDPS (SI), Y0, Y0
	VADDPS 32(SI), Y1, Y1
	VADDPS 64(SI), Y2, Y2
	VADDPS 96(SI), Y3, Y3
	ADDQ   $128, SI
	SUBQ   $32, CX
	JGE    many
rest:
	// Up to 31 more, eight to each sum.
	LEAQ ones<>+32(SB), BX
	ADDQ $32, CX
	CMPQ CX, $8
	JLT  part0
	VADDPS (SI), Y0, Y0
	CMPQ CX, $16
	JLT  part1
	VADDPS 32(SI), Y1, Y1
	CMPQ CX, $24
	JLT  part2
	VADDPS 64(SI), Y2, Y2
	SUBQ $24, CX
	JZ   fold
	NEGQ CX
	VMOVUPS (BX)(CX*4), Y15
	VMASKMOVPS 96(SI), Y15, Y4
	VADDPS Y4, Y3, Y3
	JMP  fold
part0:
	TESTQ CX, CX
	JZ   fold
	NEGQ CX
	VMOVUPS (BX)(CX*4), Y15
	VMASKMOVPS (SI), Y15, Y4
	VADDPS Y4, Y0, Y0
	JMP  fold
part1:
	SUBQ $8, CX
	JZ   fold
	NEGQ CX
	VMOVUPS (BX)(CX*4), Y15
	VMASKMOVPS 32(SI), Y15, Y4
	VADDPS Y4, Y1, Y1
	JMP  fold
part2:
	SUBQ $16, CX
	JZ   fold
	NEGQ CX
	VMOVUPS (BX)(CX*4), Y15
	VMASKMOVPS 64(SI), Y15, Y4
	VADDPS Y4, Y2, Y2
fold:
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	VADDPS Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VMOVHLPS X0, X0, X1
	VADDPS X1, X0, X0
	VMOVSHDUP X0, X1
	VADDSS X1, X0, X0
	VMOVSS X0, (DI)
	VZEROUPPER
	RET
