#include "textflag.h"

// The screen of four targets at a time (screentile.go): 64 sources, in four
// groups of 16 whose coordinates are neighbours, are loaded once for all four,
// whose 16 sums do not wait for each other.

DATA absolute512<>+0(SB)/4, $0x7fffffff
GLOBL absolute512<>(SB), RODATA|NOPTR, $4

DATA one512<>+0(SB)/4, $1.0
GLOBL one512<>(SB), RODATA|NOPTR, $4

// Offsets into a tileMasks.
#define X 0
#define Y 8
#define BASE 16
#define U 24
#define MASK 32
#define THR 40
#define NORM 48
#define UNITS 56
#define QUADS 64
#define D 72
#define MODE 80

#define UNITSTEP 256 // bytes of the masks of 32 targets

// Registers: SI sources, R12 their squares and prices, R13 their prices, R14 masks
// of a unit; R8 coordinates and R9 masks of a quad of targets; R10 what
// comes after the unit, for the cache to fetch; DI bytes of a group, R15 three times that; CX units that are left. The sum of
// target t and group g is in Z(4t+g), the groups are in Z16…Z19, the coordinates
// of the targets in Z20…Z23.

#define START \
	MOVQ a+0(FP), DX \
	MOVQ Y(DX), R8 \
	MOVQ MASK(DX), R9 \
	MOVQ D(DX), DI \
	SHLQ $6, DI \
	LEAQ (DI)(DI*2), R15

#define QUADSTART \
	MOVQ X(DX), SI \
	MOVQ BASE(DX), R12 \
	MOVQ U(DX), R13 \
	MOVQ R9, R14 \
	MOVQ UNITS(DX), CX

#define UNITSTART \
	MOVQ R8, AX \
	MOVQ SI, BX \
	LEAQ (SI)(DI*1), R11 \
	LEAQ (SI)(DI*4), R10

#define LOADS \
	PREFETCHT0 (R10) \
	PREFETCHT0 64(R10) \
	PREFETCHT0 128(R10) \
	PREFETCHT0 192(R10) \
	ADDQ $256, R10 \
	VMOVUPS (BX), Z16 \
	VMOVUPS (BX)(DI*1), Z17 \
	VMOVUPS (BX)(DI*2), Z18 \
	VMOVUPS (BX)(R15*1), Z19 \
	VBROADCASTSS (AX), Z20 \
	VBROADCASTSS 4(AX), Z21 \
	VBROADCASTSS 8(AX), Z22 \
	VBROADCASTSS 12(AX), Z23

#define UNITEND \
	LEAQ (SI)(DI*4), SI \
	ADDQ $256, R12 \
	ADDQ $256, R13 \
	ADDQ $UNITSTEP, R14 \
	DECQ CX

// The next quad begins where the coordinates of this one end.
#define QUADEND \
	MOVQ AX, R8 \
	ADDQ $32, R9 \
	DECQ QUADS(DX)

// Where numbers of the four targets are, in bytes: half of where their masks are.
#define TARGETS \
	MOVQ R9, AX \
	SUBQ MASK(DX), AX \
	SHRQ $1, AX

// Thresholds and squared norms of the four targets.
#define THRESHOLDS \
	TARGETS \
	ADDQ THR(DX), AX \
	VBROADCASTSS (AX), Z24 \
	VBROADCASTSS 4(AX), Z25 \
	VBROADCASTSS 8(AX), Z26 \
	VBROADCASTSS 12(AX), Z27

#define NORMS \
	TARGETS \
	ADDQ NORM(DX), AX \
	VBROADCASTSS (AX), Z28 \
	VBROADCASTSS 4(AX), Z29 \
	VBROADCASTSS 8(AX), Z30 \
	VBROADCASTSS 12(AX), Z31

#define PRICES \
	VMOVUPS (R13), Z16 \
	VMOVUPS 64(R13), Z17 \
	VMOVUPS 128(R13), Z18 \
	VMOVUPS 192(R13), Z19

#define MULTIPLY(y, z0, z1, z2, z3) \
	VFMADD231PS Z16, y, z0 \
	VFMADD231PS Z17, y, z1 \
	VFMADD231PS Z18, y, z2 \
	VFMADD231PS Z19, y, z3

// The larger of the coordinates: |x − y| is twice that, less x and y. Z24 has ones:
// a sum by multiplication need not wait for the units that compare.
#define MAXIMA(y, z0, z1, z2, z3) \
	VMAXPS Z16, y, Z28 \
	VMAXPS Z17, y, Z29 \
	VMAXPS Z18, y, Z30 \
	VMAXPS Z19, y, Z31 \
	VFMADD231PS Z28, Z24, z0 \
	VFMADD231PS Z29, Z24, z1 \
	VFMADD231PS Z30, Z24, z2 \
	VFMADD231PS Z31, Z24, z3

#define SQUARES(y, z0, z1, z2, z3) \
	VSUBPS Z16, y, Z28 \
	VSUBPS Z17, y, Z29 \
	VSUBPS Z18, y, Z30 \
	VSUBPS Z19, y, Z31 \
	VFMADD231PS Z28, Z28, z0 \
	VFMADD231PS Z29, Z29, z1 \
	VFMADD231PS Z30, Z30, z2 \
	VFMADD231PS Z31, Z31, z3

#define ABSOLUTES(y, z0, z1, z2, z3) \
	VSUBPS Z16, y, Z28 \
	VSUBPS Z17, y, Z29 \
	VSUBPS Z18, y, Z30 \
	VSUBPS Z19, y, Z31 \
	VPANDD Z24, Z28, Z28 \
	VPANDD Z24, Z29, Z29 \
	VPANDD Z24, Z30, Z30 \
	VPANDD Z24, Z31, Z31 \
	VADDPS Z28, z0, z0 \
	VADDPS Z29, z1, z1 \
	VADDPS Z30, z2, z2 \
	VADDPS Z31, z3, z3

// One coordinate of all pairs; the comparison tells whether it was the last.
#define COORDINATE(op) \
	LOADS \
	op(Z20, Z0, Z1, Z2, Z3) \
	op(Z21, Z4, Z5, Z6, Z7) \
	op(Z22, Z8, Z9, Z10, Z11) \
	op(Z23, Z12, Z13, Z14, Z15) \
	ADDQ $64, BX \
	ADDQ $16, AX \
	CMPQ BX, R11

#define CLEAR(z0, z1, z2, z3) \
	VPXORQ z0, z0, z0 \
	VPXORQ z1, z1, z1 \
	VPXORQ z2, z2, z2 \
	VPXORQ z3, z3, z3

#define ADDPRICES(z0, z1, z2, z3) \
	VADDPS Z16, z0, z0 \
	VADDPS Z17, z1, z1 \
	VADDPS Z18, z2, z2 \
	VADDPS Z19, z3, z3

// Which sums are at most the threshold.
#define COMPARE(thr, at, z0, z1, z2, z3) \
	VCMPPS $2, thr, z0, K1 \
	VCMPPS $2, thr, z1, K2 \
	VCMPPS $2, thr, z2, K3 \
	VCMPPS $2, thr, z3, K4 \
	KMOVW K1, (at+0)(R14) \
	KMOVW K2, (at+2)(R14) \
	KMOVW K3, (at+4)(R14) \
	KMOVW K4, (at+6)(R14)

// The same for roots of the sums, without one: z ≤ (thr − price)², where that
// difference is not negative, whose square then has its sign. Z21 has the mask of
// absolute values and Z20 zeros, for sums that rounding made negative.
#define ROOT(thr, u, z) \
	VSUBPS u, thr, Z22 \
	VPANDD Z21, Z22, Z23 \
	VMULPS Z23, Z22, Z22 \
	VMAXPS Z20, z, z \
	VCMPPS $2, Z22, z, K1

#define ROOTS(thr, at, z0, z1, z2, z3) \
	ROOT(thr, Z16, z0) \
	KMOVW K1, (at+0)(R14) \
	ROOT(thr, Z17, z1) \
	KMOVW K1, (at+2)(R14) \
	ROOT(thr, Z18, z2) \
	KMOVW K1, (at+4)(R14) \
	ROOT(thr, Z19, z3) \
	KMOVW K1, (at+6)(R14)

#define ALLROOTS \
	PRICES \
	VPXORQ Z20, Z20, Z20 \
	VBROADCASTSS absolute512<>(SB), Z21 \
	ROOTS(Z24, 0, Z0, Z1, Z2, Z3) \
	ROOTS(Z25, 8, Z4, Z5, Z6, Z7) \
	ROOTS(Z26, 16, Z8, Z9, Z10, Z11) \
	ROOTS(Z27, 24, Z12, Z13, Z14, Z15)

#define ALLCOMPARES \
	COMPARE(Z24, 0, Z0, Z1, Z2, Z3) \
	COMPARE(Z25, 8, Z4, Z5, Z6, Z7) \
	COMPARE(Z26, 16, Z8, Z9, Z10, Z11) \
	COMPARE(Z27, 24, Z12, Z13, Z14, Z15)

// All sums start from what base has.
#define BASES \
	VMOVUPS (R12), Z0 \
	VMOVUPS 64(R12), Z1 \
	VMOVUPS 128(R12), Z2 \
	VMOVUPS 192(R12), Z3 \
	VMOVAPS Z0, Z4 \
	VMOVAPS Z1, Z5 \
	VMOVAPS Z2, Z6 \
	VMOVAPS Z3, Z7 \
	VMOVAPS Z0, Z8 \
	VMOVAPS Z1, Z9 \
	VMOVAPS Z2, Z10 \
	VMOVAPS Z3, Z11 \
	VMOVAPS Z0, Z12 \
	VMOVAPS Z1, Z13 \
	VMOVAPS Z2, Z14 \
	VMOVAPS Z3, Z15

// func dotTile512(a *tileMasks)
// By inner products: y has −2 times the coordinates. For squared distances base
// has ‖x‖² + price and thresholds are less ‖y‖²; for Euclidean ones base has ‖x‖².
TEXT ·dotTile512(SB), NOSPLIT, $0-8
	START
	CMPQ MODE(DX), $0
	JNE  equad

squad:
	QUADSTART
	THRESHOLDS
sunit:
	BASES
	UNITSTART
sstep:
	COORDINATE(MULTIPLY)
	JNE  sstep
	ALLCOMPARES
	UNITEND
	JNZ  sunit
	QUADEND
	JNZ  squad
	VZEROUPPER
	RET

equad:
	QUADSTART
	THRESHOLDS
	NORMS
eunit:
	VMOVUPS (R12), Z12
	VMOVUPS 64(R12), Z13
	VMOVUPS 128(R12), Z14
	VMOVUPS 192(R12), Z15
	VADDPS Z12, Z28, Z0
	VADDPS Z13, Z28, Z1
	VADDPS Z14, Z28, Z2
	VADDPS Z15, Z28, Z3
	VADDPS Z12, Z29, Z4
	VADDPS Z13, Z29, Z5
	VADDPS Z14, Z29, Z6
	VADDPS Z15, Z29, Z7
	VADDPS Z12, Z30, Z8
	VADDPS Z13, Z30, Z9
	VADDPS Z14, Z30, Z10
	VADDPS Z15, Z30, Z11
	VADDPS Z12, Z31, Z12
	VADDPS Z13, Z31, Z13
	VADDPS Z14, Z31, Z14
	VADDPS Z15, Z31, Z15
	UNITSTART
estep:
	COORDINATE(MULTIPLY)
	JNE  estep
	ALLROOTS
	UNITEND
	JNZ  eunit
	QUADEND
	JNZ  equad
	VZEROUPPER
	RET

// func maxTile512(a *tileMasks)
// City blocks by sums of maxima: base has (price − Σx)/2, and thresholds are those
// of cost + price, plus Σy, over 2.
TEXT ·maxTile512(SB), NOSPLIT, $0-8
	START

quad:
	QUADSTART
unit:
	BASES
	UNITSTART
	VBROADCASTSS one512<>(SB), Z24
step:
	COORDINATE(MAXIMA)
	JNE  step
	MOVQ AX, BX
	THRESHOLDS
	ALLCOMPARES
	UNITEND
	JNZ  unit
	MOVQ BX, AX
	QUADEND
	JNZ  quad
	VZEROUPPER
	RET

// func diffTile512(a *tileMasks)
// By differences of coordinates, squared (mode 0, and 1 for their root) or
// absolute (mode 2).
TEXT ·diffTile512(SB), NOSPLIT, $0-8
	START

quad:
	QUADSTART
unit:
	CLEAR(Z0, Z1, Z2, Z3)
	CLEAR(Z4, Z5, Z6, Z7)
	CLEAR(Z8, Z9, Z10, Z11)
	CLEAR(Z12, Z13, Z14, Z15)
	UNITSTART
	CMPQ MODE(DX), $2
	JEQ  city
step:
	COORDINATE(SQUARES)
	JNE  step
	MOVQ AX, BX
	THRESHOLDS
	CMPQ MODE(DX), $0
	JNE  roots
compare:
	PRICES
	ADDPRICES(Z0, Z1, Z2, Z3)
	ADDPRICES(Z4, Z5, Z6, Z7)
	ADDPRICES(Z8, Z9, Z10, Z11)
	ADDPRICES(Z12, Z13, Z14, Z15)
	ALLCOMPARES
next:
	UNITEND
	JNZ  unit
	MOVQ BX, AX
	QUADEND
	JNZ  quad
	VZEROUPPER
	RET

roots:
	ALLROOTS
	JMP  next

city:
	VBROADCASTSS absolute512<>(SB), Z24
citystep:
	COORDINATE(ABSOLUTES)
	JNE  citystep
	MOVQ AX, BX
	THRESHOLDS
	JMP  compare

// func anyTile512(mask *uint64, some *uint32, units int)
// Bit t of some[k] says that mask[k][t] is not 0.
TEXT ·anyTile512(SB), NOSPLIT, $0-24
	MOVQ mask+0(FP), SI
	MOVQ some+8(FP), DI
	MOVQ units+16(FP), CX
unit:
	VMOVDQU64 (SI), Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 128(SI), Z2
	VMOVDQU64 192(SI), Z3
	VPTESTMQ Z0, Z0, K1
	VPTESTMQ Z1, Z1, K2
	VPTESTMQ Z2, Z2, K3
	VPTESTMQ Z3, Z3, K4
	KMOVW K1, AX
	KMOVW K2, BX
	KMOVW K3, DX
	KMOVW K4, R8
	MOVB AX, (DI)
	MOVB BX, 1(DI)
	MOVB DX, 2(DI)
	MOVB R8, 3(DI)
	ADDQ $UNITSTEP, SI
	ADDQ $4, DI
	DECQ CX
	JNZ  unit
	VZEROUPPER
	RET
