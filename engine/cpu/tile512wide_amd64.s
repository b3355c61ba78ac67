#include "textflag.h"

// The kernels of tile512_amd64.s for two to four panels of the right side at
// once: 12 to 24 sums that do not wait for each other, where one panel has 6 and
// a processor with two 512-bit units wants 8 or more. A number of the left
// side is loaded once for all panels. Each sum is in the order of the other
// kernels, so that the bits are the same.

// Offsets into a tile (tile.go).
#define A 0
#define C 48
#define B 96
#define SEGS 104
#define NSEG 112
#define STEP 120
#define ADD 128
#define COLS 136
#define BSTEP 152
#define PANEL 168

// The sums of row r are in Z(8+4r) for the first panel, Z(9+4r) for the second
// one, and so on.
#define CLEAR2 \
	VPXORQ Z8, Z8, Z8 \
	VPXORQ Z9, Z9, Z9 \
	VPXORQ Z12, Z12, Z12 \
	VPXORQ Z13, Z13, Z13 \
	VPXORQ Z16, Z16, Z16 \
	VPXORQ Z17, Z17, Z17 \
	VPXORQ Z20, Z20, Z20 \
	VPXORQ Z21, Z21, Z21 \
	VPXORQ Z24, Z24, Z24 \
	VPXORQ Z25, Z25, Z25 \
	VPXORQ Z28, Z28, Z28 \
	VPXORQ Z29, Z29, Z29

#define CLEAR3 \
	CLEAR2 \
	VPXORQ Z10, Z10, Z10 \
	VPXORQ Z14, Z14, Z14 \
	VPXORQ Z18, Z18, Z18 \
	VPXORQ Z22, Z22, Z22 \
	VPXORQ Z26, Z26, Z26 \
	VPXORQ Z30, Z30, Z30

#define CLEAR4 \
	CLEAR3 \
	VPXORQ Z11, Z11, Z11 \
	VPXORQ Z15, Z15, Z15 \
	VPXORQ Z19, Z19, Z19 \
	VPXORQ Z23, Z23, Z23 \
	VPXORQ Z27, Z27, Z27 \
	VPXORQ Z31, Z31, Z31

// The right side of one k: panels are R14 bytes apart, and R15 is three times that.
// Four panels do not fit the first cache together: what comes 12 k later is asked for.
#define RIGHT2(bo) \
	VMOVUPS bo(DI), Z0 \
	VMOVUPS bo(DI)(R14*1), Z1

#define RIGHT3(bo) \
	RIGHT2(bo) \
	VMOVUPS bo(DI)(R14*2), Z2

#define RIGHT4(bo) \
	RIGHT3(bo) \
	VMOVUPS bo(DI)(R15*1), Z3 \
	PREFETCHT0 (bo+768)(DI) \
	PREFETCHT0 (bo+768)(DI)(R14*1) \
	PREFETCHT0 (bo+768)(DI)(R14*2) \
	PREFETCHT0 (bo+768)(DI)(R15*1)

// Products of the numbers of two rows with the right side.
#define PRODUCTS2(s0, s1, a0, a1, b0, b1) \
	VBROADCASTSS s0, Z4 \
	VBROADCASTSS s1, Z5 \
	VFMADD231PS Z0, Z4, a0 \
	VFMADD231PS Z1, Z4, a1 \
	VFMADD231PS Z0, Z5, b0 \
	VFMADD231PS Z1, Z5, b1

#define PRODUCTS3(s0, s1, a0, a1, a2, b0, b1, b2) \
	VBROADCASTSS s0, Z4 \
	VBROADCASTSS s1, Z5 \
	VFMADD231PS Z0, Z4, a0 \
	VFMADD231PS Z1, Z4, a1 \
	VFMADD231PS Z2, Z4, a2 \
	VFMADD231PS Z0, Z5, b0 \
	VFMADD231PS Z1, Z5, b1 \
	VFMADD231PS Z2, Z5, b2

#define PRODUCTS4(s0, s1, a0, a1, a2, a3, b0, b1, b2, b3) \
	VBROADCASTSS s0, Z4 \
	VBROADCASTSS s1, Z5 \
	VFMADD231PS Z0, Z4, a0 \
	VFMADD231PS Z1, Z4, a1 \
	VFMADD231PS Z2, Z4, a2 \
	VFMADD231PS Z3, Z4, a3 \
	VFMADD231PS Z0, Z5, b0 \
	VFMADD231PS Z1, Z5, b1 \
	VFMADD231PS Z2, Z5, b2 \
	VFMADD231PS Z3, Z5, b3

// The same where the last panel has eight columns or fewer: half a register, which
// takes half the time where 512 bits are two times 256.
#define RIGHT2HALF(bo) \
	VMOVUPS bo(DI), Z0 \
	VMOVUPS bo(DI)(R14*1), Y1

#define RIGHT4HALF(bo) \
	RIGHT3(bo) \
	VMOVUPS bo(DI)(R15*1), Y3 \
	PREFETCHT0 (bo+768)(DI) \
	PREFETCHT0 (bo+768)(DI)(R14*1) \
	PREFETCHT0 (bo+768)(DI)(R14*2) \
	PREFETCHT0 (bo+768)(DI)(R15*1)

#define PRODUCTS2HALF(s0, s1, a0, a1, b0, b1) \
	VBROADCASTSS s0, Z4 \
	VBROADCASTSS s1, Z5 \
	VFMADD231PS Z0, Z4, a0 \
	VFMADD231PS Y1, Y4, a1 \
	VFMADD231PS Z0, Z5, b0 \
	VFMADD231PS Y1, Y5, b1

#define PRODUCTS4HALF(s0, s1, a0, a1, a2, a3, b0, b1, b2, b3) \
	VBROADCASTSS s0, Z4 \
	VBROADCASTSS s1, Z5 \
	VFMADD231PS Z0, Z4, a0 \
	VFMADD231PS Z1, Z4, a1 \
	VFMADD231PS Z2, Z4, a2 \
	VFMADD231PS Y3, Y4, a3 \
	VFMADD231PS Z0, Z5, b0 \
	VFMADD231PS Z1, Z5, b1 \
	VFMADD231PS Z2, Z5, b2 \
	VFMADD231PS Y3, Y5, b3

#define ROWSTEP2HALF(ao, bo) \
	RIGHT2HALF(bo) \
	PRODUCTS2HALF(ao(R8)(AX*1), ao(R9)(AX*1), Z8, Y9, Z12, Y13) \
	PRODUCTS2HALF(ao(R10)(AX*1), ao(R11)(AX*1), Z16, Y17, Z20, Y21) \
	PRODUCTS2HALF(ao(R12)(AX*1), ao(R13)(AX*1), Z24, Y25, Z28, Y29)

#define COLSTEP2HALF \
	RIGHT2HALF(0) \
	PRODUCTS2HALF(0(R8)(AX*1), 4(R8)(AX*1), Z8, Y9, Z12, Y13) \
	PRODUCTS2HALF(8(R8)(AX*1), 12(R8)(AX*1), Z16, Y17, Z20, Y21) \
	PRODUCTS2HALF(16(R8)(AX*1), 20(R8)(AX*1), Z24, Y25, Z28, Y29) \
	ADDQ R9, AX \
	ADDQ R10, DI

#define COLSTEP4HALF \
	RIGHT4HALF(0) \
	PRODUCTS4HALF(0(R8)(AX*1), 4(R8)(AX*1), Z8, Z9, Z10, Y11, Z12, Z13, Z14, Y15) \
	PRODUCTS4HALF(8(R8)(AX*1), 12(R8)(AX*1), Z16, Z17, Z18, Y19, Z20, Z21, Z22, Y23) \
	PRODUCTS4HALF(16(R8)(AX*1), 20(R8)(AX*1), Z24, Z25, Z26, Y27, Z28, Z29, Z30, Y31) \
	ADDQ R9, AX \
	ADDQ R10, DI

// One k of the rows kernel: rows R8…R13 at AX + ao bytes, right side at DI + bo.
#define ROWSTEP2(ao, bo) \
	RIGHT2(bo) \
	PRODUCTS2(ao(R8)(AX*1), ao(R9)(AX*1), Z8, Z9, Z12, Z13) \
	PRODUCTS2(ao(R10)(AX*1), ao(R11)(AX*1), Z16, Z17, Z20, Z21) \
	PRODUCTS2(ao(R12)(AX*1), ao(R13)(AX*1), Z24, Z25, Z28, Z29)

#define ROWSTEP3(ao, bo) \
	RIGHT3(bo) \
	PRODUCTS3(ao(R8)(AX*1), ao(R9)(AX*1), Z8, Z9, Z10, Z12, Z13, Z14) \
	PRODUCTS3(ao(R10)(AX*1), ao(R11)(AX*1), Z16, Z17, Z18, Z20, Z21, Z22) \
	PRODUCTS3(ao(R12)(AX*1), ao(R13)(AX*1), Z24, Z25, Z26, Z28, Z29, Z30)

#define ROWSTEP4(ao, bo) \
	RIGHT4(bo) \
	PRODUCTS4(ao(R8)(AX*1), ao(R9)(AX*1), Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15) \
	PRODUCTS4(ao(R10)(AX*1), ao(R11)(AX*1), Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23) \
	PRODUCTS4(ao(R12)(AX*1), ao(R13)(AX*1), Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31)

// One k of the cols kernel: the six rows are neighbours at R8 + AX, and those of
// the right side are R10 bytes apart.
#define COLSTEP2 \
	RIGHT2(0) \
	PRODUCTS2(0(R8)(AX*1), 4(R8)(AX*1), Z8, Z9, Z12, Z13) \
	PRODUCTS2(8(R8)(AX*1), 12(R8)(AX*1), Z16, Z17, Z20, Z21) \
	PRODUCTS2(16(R8)(AX*1), 20(R8)(AX*1), Z24, Z25, Z28, Z29) \
	ADDQ R9, AX \
	ADDQ R10, DI

#define COLSTEP3 \
	RIGHT3(0) \
	PRODUCTS3(0(R8)(AX*1), 4(R8)(AX*1), Z8, Z9, Z10, Z12, Z13, Z14) \
	PRODUCTS3(8(R8)(AX*1), 12(R8)(AX*1), Z16, Z17, Z18, Z20, Z21, Z22) \
	PRODUCTS3(16(R8)(AX*1), 20(R8)(AX*1), Z24, Z25, Z26, Z28, Z29, Z30) \
	ADDQ R9, AX \
	ADDQ R10, DI

#define COLSTEP4 \
	RIGHT4(0) \
	PRODUCTS4(0(R8)(AX*1), 4(R8)(AX*1), Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15) \
	PRODUCTS4(8(R8)(AX*1), 12(R8)(AX*1), Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23) \
	PRODUCTS4(16(R8)(AX*1), 20(R8)(AX*1), Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31) \
	ADDQ R9, AX \
	ADDQ R10, DI

// What comes before the sums of a rows and of a cols kernel, for the tile at DX.
#define ROWSTART \
	MOVQ (A+0)(DX), R8 \
	MOVQ (A+8)(DX), R9 \
	MOVQ (A+16)(DX), R10 \
	MOVQ (A+24)(DX), R11 \
	MOVQ (A+32)(DX), R12 \
	MOVQ (A+40)(DX), R13 \
	START

#define COLSTART \
	MOVQ A(DX), R8 \
	MOVQ STEP(DX), R9 \
	MOVQ BSTEP(DX), R10 \
	START

#define START \
	MOVQ PANEL(DX), R14 \
	LEAQ (R14)(R14*2), R15 \
	MOVQ SEGS(DX), SI \
	MOVQ NSEG(DX), BX

// The sums of a rows kernel, over all segments.
#define ROWSUMS(step) \
segment: \
	MOVQ 16(SI), DI \
	SHLQ $6, DI \
	ADDQ B(DX), DI \
	MOVQ (SI), AX \
	MOVQ 8(SI), CX \
	ADDQ $24, SI \
	SUBQ $4, CX \
	JLT rest \
four: \
	step(0, 0) \
	step(4, 64) \
	step(8, 128) \
	step(12, 192) \
	ADDQ $16, AX \
	ADDQ $256, DI \
	SUBQ $4, CX \
	JGE four \
rest: \
	ADDQ $4, CX \
	JZ next \
one: \
	step(0, 0) \
	ADDQ $4, AX \
	ADDQ $64, DI \
	DECQ CX \
	JNZ one \
next: \
	DECQ BX \
	JNZ segment

// The same of a cols kernel.
#define COLSUMS(step) \
segment: \
	MOVQ 16(SI), DI \
	IMULQ R10, DI \
	ADDQ B(DX), DI \
	MOVQ (SI), AX \
	MOVQ 8(SI), CX \
	ADDQ $24, SI \
	SUBQ $4, CX \
	JLT rest \
four: \
	step \
	step \
	step \
	step \
	SUBQ $4, CX \
	JGE four \
rest: \
	ADDQ $4, CX \
	JZ next \
one: \
	step \
	DECQ CX \
	JNZ one \
next: \
	DECQ BX \
	JNZ segment

// Store a row, or add to it; of the last panel as far as the mask K1 goes.
#define STORE2(row, z0, z1, z2, z3) \
	MOVQ (C+8*row)(DX), AX \
	VMOVUPS z0, (AX) \
	VMOVUPS z1, K1, 64(AX)

#define STORE3(row, z0, z1, z2, z3) \
	MOVQ (C+8*row)(DX), AX \
	VMOVUPS z0, (AX) \
	VMOVUPS z1, 64(AX) \
	VMOVUPS z2, K1, 128(AX)

#define STORE4(row, z0, z1, z2, z3) \
	MOVQ (C+8*row)(DX), AX \
	VMOVUPS z0, (AX) \
	VMOVUPS z1, 64(AX) \
	VMOVUPS z2, 128(AX) \
	VMOVUPS z3, K1, 192(AX)

#define ADDTO2(row, z0, z1, z2, z3) \
	MOVQ (C+8*row)(DX), AX \
	VMOVUPS.Z 64(AX), K1, Z0 \
	VADDPS (AX), z0, z0 \
	VADDPS Z0, z1, z1 \
	VMOVUPS z0, (AX) \
	VMOVUPS z1, K1, 64(AX)

#define ADDTO3(row, z0, z1, z2, z3) \
	MOVQ (C+8*row)(DX), AX \
	VMOVUPS.Z 128(AX), K1, Z0 \
	VADDPS (AX), z0, z0 \
	VADDPS 64(AX), z1, z1 \
	VADDPS Z0, z2, z2 \
	VMOVUPS z0, (AX) \
	VMOVUPS z1, 64(AX) \
	VMOVUPS z2, K1, 128(AX)

#define ADDTO4(row, z0, z1, z2, z3) \
	MOVQ (C+8*row)(DX), AX \
	VMOVUPS.Z 192(AX), K1, Z0 \
	VADDPS (AX), z0, z0 \
	VADDPS 64(AX), z1, z1 \
	VADDPS 128(AX), z2, z2 \
	VADDPS Z0, z3, z3 \
	VMOVUPS z0, (AX) \
	VMOVUPS z1, 64(AX) \
	VMOVUPS z2, 128(AX) \
	VMOVUPS z3, K1, 192(AX)

#define EACHROW(op) \
	op(0, Z8, Z9, Z10, Z11) \
	op(1, Z12, Z13, Z14, Z15) \
	op(2, Z16, Z17, Z18, Z19) \
	op(3, Z20, Z21, Z22, Z23) \
	op(4, Z24, Z25, Z26, Z27) \
	op(5, Z28, Z29, Z30, Z31)

// The end; before is the number of columns of all panels but the last.
#define FINISH(before, store, addto) \
	MOVQ COLS(DX), CX \
	SUBQ before, CX \
	MOVQ $1, AX \
	SHLQ CX, AX \
	DECQ AX \
	KMOVW AX, K1 \
	CMPQ ADD(DX), $0 \
	JNE more \
	EACHROW(store) \
	VZEROUPPER \
	RET \
more: \
	EACHROW(addto) \
	VZEROUPPER \
	RET

// Ask for the result of a tile of four panels, which the sums take long enough to
// come: its rows lie in as many pages.
#define AHEAD(row, z0, z1, z2, z3) \
	MOVQ (C+8*row)(DX), AX \
	PREFETCHT0 (AX) \
	PREFETCHT0 64(AX) \
	PREFETCHT0 128(AX) \
	PREFETCHT0 192(AX)

// func rowsTwoAVX512(t *tile)
TEXT ·rowsTwoAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	ROWSTART
	CLEAR2
	ROWSUMS(ROWSTEP2)
	FINISH($16, STORE2, ADDTO2)

// func rowsThreeAVX512(t *tile)
TEXT ·rowsThreeAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	ROWSTART
	CLEAR3
	ROWSUMS(ROWSTEP3)
	FINISH($32, STORE3, ADDTO3)

// func rowsFourAVX512(t *tile)
TEXT ·rowsFourAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	EACHROW(AHEAD)
	ROWSTART
	CLEAR4
	ROWSUMS(ROWSTEP4)
	FINISH($48, STORE4, ADDTO4)

// func colsTwoAVX512(t *tile)
TEXT ·colsTwoAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	COLSTART
	CLEAR2
	COLSUMS(COLSTEP2)
	FINISH($16, STORE2, ADDTO2)

// func colsThreeAVX512(t *tile)
TEXT ·colsThreeAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	COLSTART
	CLEAR3
	COLSUMS(COLSTEP3)
	FINISH($32, STORE3, ADDTO3)

// func colsFourAVX512(t *tile)
TEXT ·colsFourAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	EACHROW(AHEAD)
	COLSTART
	CLEAR4
	COLSUMS(COLSTEP4)
	FINISH($48, STORE4, ADDTO4)

// func rowsTwoHalfAVX512(t *tile)
TEXT ·rowsTwoHalfAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	ROWSTART
	CLEAR2
	ROWSUMS(ROWSTEP2HALF)
	FINISH($16, STORE2, ADDTO2)

// func colsTwoHalfAVX512(t *tile)
TEXT ·colsTwoHalfAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	COLSTART
	CLEAR2
	COLSUMS(COLSTEP2HALF)
	FINISH($16, STORE2, ADDTO2)

// func colsFourHalfAVX512(t *tile)
TEXT ·colsFourHalfAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	EACHROW(AHEAD)
	COLSTART
	CLEAR4
	COLSUMS(COLSTEP4HALF)
	FINISH($48, STORE4, ADDTO4)
