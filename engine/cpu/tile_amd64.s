#include "textflag.h"

// Offsets into a tile (tile.go).
#define A 0
#define C 48
#define B 96
#define SEGS 104
#define NSEG 112
#define STEP 120
#define ADD 128
#define COLS 136
#define LDB 144
#define BSTEP 152

// The sums of row r are in Y(4+2r), for columns 0…7, and Y(5+2r), for 8…15.
#define CLEAR \
	VXORPS Y4, Y4, Y4 \
	VXORPS Y5, Y5, Y5 \
	VXORPS Y6, Y6, Y6 \
	VXORPS Y7, Y7, Y7 \
	VXORPS Y8, Y8, Y8 \
	VXORPS Y9, Y9, Y9 \
	VXORPS Y10, Y10, Y10 \
	VXORPS Y11, Y11, Y11 \
	VXORPS Y12, Y12, Y12 \
	VXORPS Y13, Y13, Y13 \
	VXORPS Y14, Y14, Y14 \
	VXORPS Y15, Y15, Y15

// One k of the rows kernel: rows R8…R13 at AX + ao bytes, right side at DI + bo.
#define ROWSTEP(ao, bo) \
	VMOVUPS bo(DI), Y0 \
	VMOVUPS (bo+32)(DI), Y1 \
	VBROADCASTSS ao(R8)(AX*1), Y2 \
	VBROADCASTSS ao(R9)(AX*1), Y3 \
	VFMADD231PS Y0, Y2, Y4 \
	VFMADD231PS Y1, Y2, Y5 \
	VFMADD231PS Y0, Y3, Y6 \
	VFMADD231PS Y1, Y3, Y7 \
	VBROADCASTSS ao(R10)(AX*1), Y2 \
	VBROADCASTSS ao(R11)(AX*1), Y3 \
	VFMADD231PS Y0, Y2, Y8 \
	VFMADD231PS Y1, Y2, Y9 \
	VFMADD231PS Y0, Y3, Y10 \
	VFMADD231PS Y1, Y3, Y11 \
	VBROADCASTSS ao(R12)(AX*1), Y2 \
	VBROADCASTSS ao(R13)(AX*1), Y3 \
	VFMADD231PS Y0, Y2, Y12 \
	VFMADD231PS Y1, Y2, Y13 \
	VFMADD231PS Y0, Y3, Y14 \
	VFMADD231PS Y1, Y3, Y15

// The same for columns 0…7 alone.
#define NARROWSTEP(ao, bo) \
	VMOVUPS bo(DI), Y0 \
	VBROADCASTSS ao(R8)(AX*1), Y1 \
	VBROADCASTSS ao(R9)(AX*1), Y2 \
	VBROADCASTSS ao(R10)(AX*1), Y3 \
	VFMADD231PS Y0, Y1, Y4 \
	VFMADD231PS Y0, Y2, Y6 \
	VFMADD231PS Y0, Y3, Y8 \
	VBROADCASTSS ao(R11)(AX*1), Y1 \
	VBROADCASTSS ao(R12)(AX*1), Y2 \
	VBROADCASTSS ao(R13)(AX*1), Y3 \
	VFMADD231PS Y0, Y1, Y10 \
	VFMADD231PS Y0, Y2, Y12 \
	VFMADD231PS Y0, Y3, Y14

// The next segment: AX is where it begins, CX how long it is, DI its right side.
#define SEGMENT(shift) \
	MOVQ 16(SI), DI \
	SHLQ shift, DI \
	ADDQ B(DX), DI \
	MOVQ (SI), AX \
	MOVQ 8(SI), CX \
	ADDQ $24, SI

// The same for the cols kernel, whose right side may be as it lies.
#define COLSEGMENT \
	MOVQ 16(SI), DI \
	IMULQ R10, DI \
	ADDQ B(DX), DI \
	MOVQ (SI), AX \
	MOVQ 8(SI), CX \
	ADDQ $24, SI

// One k of the cols kernel: the six rows are neighbours at R8 + AX, and those of
// the right side are R10 bytes apart.
#define COLSTEP \
	VMOVUPS (DI), Y0 \
	VMOVUPS 32(DI), Y1 \
	VBROADCASTSS 0(R8)(AX*1), Y2 \
	VBROADCASTSS 4(R8)(AX*1), Y3 \
	VFMADD231PS Y0, Y2, Y4 \
	VFMADD231PS Y1, Y2, Y5 \
	VFMADD231PS Y0, Y3, Y6 \
	VFMADD231PS Y1, Y3, Y7 \
	VBROADCASTSS 8(R8)(AX*1), Y2 \
	VBROADCASTSS 12(R8)(AX*1), Y3 \
	VFMADD231PS Y0, Y2, Y8 \
	VFMADD231PS Y1, Y2, Y9 \
	VFMADD231PS Y0, Y3, Y10 \
	VFMADD231PS Y1, Y3, Y11 \
	VBROADCASTSS 16(R8)(AX*1), Y2 \
	VBROADCASTSS 20(R8)(AX*1), Y3 \
	VFMADD231PS Y0, Y2, Y12 \
	VFMADD231PS Y1, Y2, Y13 \
	VFMADD231PS Y0, Y3, Y14 \
	VFMADD231PS Y1, Y3, Y15 \
	ADDQ R9, AX \
	ADDQ R10, DI

// The same for columns 0…7 alone.
#define NARROWCOLSTEP \
	VMOVUPS (DI), Y0 \
	VBROADCASTSS 0(R8)(AX*1), Y1 \
	VBROADCASTSS 4(R8)(AX*1), Y2 \
	VBROADCASTSS 8(R8)(AX*1), Y3 \
	VFMADD231PS Y0, Y1, Y4 \
	VFMADD231PS Y0, Y2, Y6 \
	VFMADD231PS Y0, Y3, Y8 \
	VBROADCASTSS 12(R8)(AX*1), Y1 \
	VBROADCASTSS 16(R8)(AX*1), Y2 \
	VBROADCASTSS 20(R8)(AX*1), Y3 \
	VFMADD231PS Y0, Y1, Y10 \
	VFMADD231PS Y0, Y2, Y12 \
	VFMADD231PS Y0, Y3, Y14 \
	ADDQ R9, AX \
	ADDQ R10, DI

// Store a row of 16 columns, or add to it.
#define STORE(row, lo, hi) \
	MOVQ (C+8*row)(DX), AX \
	VMOVUPS lo, (AX) \
	VMOVUPS hi, 32(AX)

#define ADDTO(row, lo, hi) \
	MOVQ (C+8*row)(DX), AX \
	VADDPS (AX), lo, lo \
	VADDPS 32(AX), hi, hi \
	VMOVUPS lo, (AX) \
	VMOVUPS hi, 32(AX)

// Put a row on the stack.
#define KEEP(row, lo, hi) \
	VMOVUPS lo, (64*row)(SP) \
	VMOVUPS hi, (64*row+32)(SP)

#define EACHROW(op) \
	op(0, Y4, Y5) \
	op(1, Y6, Y7) \
	op(2, Y8, Y9) \
	op(3, Y10, Y11) \
	op(4, Y12, Y13) \
	op(5, Y14, Y15)

// The end of the rows and the cols kernel; the tile is at DX. Of a row of fewer
// columns the stack has all, and 8, 4, 2 and 1 of them are taken from there:
// stores with a mask take many times as long.
#define FINISH \
	MOVQ COLS(DX), CX \
	CMPQ CX, $16 \
	JNE part \
	CMPQ ADD(DX), $0 \
	JNE addto \
	EACHROW(STORE) \
	VZEROUPPER \
	RET \
addto: \
	EACHROW(ADDTO) \
	VZEROUPPER \
	RET \
part: \
	EACHROW(KEEP) \
	LEAQ C(DX), DI \
	MOVQ SP, SI \
	MOVQ $6, BX \
	CMPQ ADD(DX), $0 \
	JNE addrow \
row: \
	MOVQ (DI), AX \
	MOVQ SI, R8 \
	TESTQ $8, CX \
	JZ four4 \
	VMOVUPS (R8), Y0 \
	VMOVUPS Y0, (AX) \
	ADDQ $32, R8 \
	ADDQ $32, AX \
four4: \
	TESTQ $4, CX \
	JZ two2 \
	VMOVUPS (R8), X0 \
	VMOVUPS X0, (AX) \
	ADDQ $16, R8 \
	ADDQ $16, AX \
two2: \
	TESTQ $2, CX \
	JZ one1 \
	VMOVSD (R8), X0 \
	VMOVSD X0, (AX) \
	ADDQ $8, R8 \
	ADDQ $8, AX \
one1: \
	TESTQ $1, CX \
	JZ rowend \
	VMOVSS (R8), X0 \
	VMOVSS X0, (AX) \
rowend: \
	ADDQ $64, SI \
	ADDQ $8, DI \
	DECQ BX \
	JNZ row \
	VZEROUPPER \
	RET \
addrow: \
	MOVQ (DI), AX \
	MOVQ SI, R8 \
	TESTQ $8, CX \
	JZ add4 \
	VMOVUPS (R8), Y0 \
	VADDPS (AX), Y0, Y0 \
	VMOVUPS Y0, (AX) \
	ADDQ $32, R8 \
	ADDQ $32, AX \
add4: \
	TESTQ $4, CX \
	JZ add2 \
	VMOVUPS (R8), X0 \
	VADDPS (AX), X0, X0 \
	VMOVUPS X0, (AX) \
	ADDQ $16, R8 \
	ADDQ $16, AX \
add2: \
	TESTQ $2, CX \
	JZ add1 \
	VMOVSD (R8), X0 \
	VMOVSD (AX), X1 \
	VADDPS X1, X0, X0 \
	VMOVSD X0, (AX) \
	ADDQ $8, R8 \
	ADDQ $8, AX \
add1: \
	TESTQ $1, CX \
	JZ addend \
	VMOVSS (R8), X0 \
	VADDSS (AX), X0, X0 \
	VMOVSS X0, (AX) \
addend: \
	ADDQ $64, SI \
	ADDQ $8, DI \
	DECQ BX \
	JNZ addrow \
	VZEROUPPER \
	RET

// func rowsAVX2(t *tile)
TEXT ·rowsAVX2(SB), NOSPLIT, $384-8
	MOVQ t+0(FP), DX
	MOVQ (A+0)(DX), R8
	MOVQ (A+8)(DX), R9
	MOVQ (A+16)(DX), R10
	MOVQ (A+24)(DX), R11
	MOVQ (A+32)(DX), R12
	MOVQ (A+40)(DX), R13
	MOVQ SEGS(DX), SI
	MOVQ NSEG(DX), BX
	CLEAR
	CMPQ COLS(DX), $8
	JLE  narrow
segment:
	SEGMENT($6)
	SUBQ $4, CX
	JLT  rest
four:
	ROWSTEP(0, 0)
	ROWSTEP(4, 64)
	ROWSTEP(8, 128)
	ROWSTEP(12, 192)
	ADDQ $16, AX
	ADDQ $256, DI
	SUBQ $4, CX
	JGE  four
rest:
	ADDQ $4, CX
	JZ   next
one:
	ROWSTEP(0, 0)
	ADDQ $4, AX
	ADDQ $64, DI
	DECQ CX
	JNZ  one
next:
	DECQ BX
	JNZ  segment
	JMP  finish
narrow:
	SEGMENT($6)
	SUBQ $4, CX
	JLT  narrowrest
narrowfour:
	NARROWSTEP(0, 0)
	NARROWSTEP(4, 64)
	NARROWSTEP(8, 128)
	NARROWSTEP(12, 192)
	ADDQ $16, AX
	ADDQ $256, DI
	SUBQ $4, CX
	JGE  narrowfour
narrowrest:
	ADDQ $4, CX
	JZ   narrownext
narrowone:
	NARROWSTEP(0, 0)
	ADDQ $4, AX
	ADDQ $64, DI
	DECQ CX
	JNZ  narrowone
narrownext:
	DECQ BX
	JNZ  narrow
finish:
	FINISH

// func colsAVX2(t *tile)
TEXT ·colsAVX2(SB), NOSPLIT, $384-8
	MOVQ t+0(FP), DX
	MOVQ A(DX), R8
	MOVQ STEP(DX), R9
	MOVQ BSTEP(DX), R10
	MOVQ SEGS(DX), SI
	MOVQ NSEG(DX), BX
	CLEAR
	CMPQ COLS(DX), $8
	JLE  narrow
segment:
	COLSEGMENT
	SUBQ $4, CX
	JLT  rest
four:
	COLSTEP
	COLSTEP
	COLSTEP
	COLSTEP
	SUBQ $4, CX
	JGE  four
rest:
	ADDQ $4, CX
	JZ   next
one:
	COLSTEP
	DECQ CX
	JNZ  one
next:
	DECQ BX
	JNZ  segment
	JMP  finish
narrow:
	COLSEGMENT
narrowone:
	NARROWCOLSTEP
	DECQ CX
	JNZ  narrowone
	DECQ BX
	JNZ  narrow
finish:
	FINISH

// Eight ones and eight zeros: the mask for the first n of 8 numbers begins
// 4·(8−n) bytes after the beginning.
DATA first<>+0(SB)/8, $-1
DATA first<>+8(SB)/8, $-1
DATA first<>+16(SB)/8, $-1
DATA first<>+24(SB)/8, $-1
DATA first<>+32(SB)/8, $0
DATA first<>+40(SB)/8, $0
DATA first<>+48(SB)/8, $0
DATA first<>+56(SB)/8, $0
GLOBL first<>(SB), RODATA|NOPTR, $64

// Products of the numbers at h0…h2 with those at s0…s3, eight of each. Their
// sums for h(j) and s(r) are in Y(4+4j+r).
#define PRODUCTS(load, h0, h1, h2, s0, s1, s2, s3) \
	load(h0, Y0) \
	load(h1, Y1) \
	load(h2, Y2) \
	load(s0, Y3) \
	VFMADD231PS Y0, Y3, Y4 \
	VFMADD231PS Y1, Y3, Y8 \
	VFMADD231PS Y2, Y3, Y12 \
	load(s1, Y3) \
	VFMADD231PS Y0, Y3, Y5 \
	VFMADD231PS Y1, Y3, Y9 \
	VFMADD231PS Y2, Y3, Y13 \
	load(s2, Y3) \
	VFMADD231PS Y0, Y3, Y6 \
	VFMADD231PS Y1, Y3, Y10 \
	VFMADD231PS Y2, Y3, Y14 \
	load(s3, Y3) \
	VFMADD231PS Y0, Y3, Y7 \
	VFMADD231PS Y1, Y3, Y11 \
	VFMADD231PS Y2, Y3, Y15

#define EIGHT(at, y) VMOVUPS at, y
// Those that the mask at DX leaves.
#define SOME(at, y) \
	VMOVUPS (DX), y \
	VMASKMOVPS at, y, y

// In the dot kernel h are the columns of the right side and s the rows; in the
// edge kernel it is the other way round.
#define DOTSTEP(load) PRODUCTS(load, (DI), (R12), (R13), (R8)(AX*1), (R9)(AX*1), (R10)(AX*1), (R11)(AX*1))
#define EDGESTEP(load) PRODUCTS(load, (R8)(AX*1), (R9)(AX*1), (R10)(AX*1), (DI), (R12), (R13), (R11))

// The mask for the last CX < 8 numbers of a run.
#define TAIL \
	LEAQ first<>+32(SB), DX \
	SHLQ $2, CX \
	SUBQ CX, DX

// Adds the eight numbers of each of y0…y3 and stores the four sums.
#define SUMS(y0, y1, y2, y3, x0, at) \
	VHADDPS y1, y0, y0 \
	VHADDPS y3, y2, y2 \
	VHADDPS y2, y0, y0 \
	VEXTRACTF128 $1, y0, X1 \
	VADDPS X1, x0, x0 \
	VMOVUPS x0, at(DX)

// func dotAVX2(t *tile, out *[12]float32)
TEXT ·dotAVX2(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), DX
	MOVQ (A+0)(DX), R8
	MOVQ (A+8)(DX), R9
	MOVQ (A+16)(DX), R10
	MOVQ (A+24)(DX), R11
	MOVQ SEGS(DX), SI
	MOVQ NSEG(DX), BX
	CLEAR
segment:
	SEGMENT($2)
	MOVQ LDB(DX), R12
	LEAQ (DI)(R12*2), R13
	ADDQ DI, R12
	SUBQ $8, CX
	JLT  rest
eight:
	DOTSTEP(EIGHT)
	ADDQ $32, AX
	ADDQ $32, DI
	ADDQ $32, R12
	ADDQ $32, R13
	SUBQ $8, CX
	JGE  eight
rest:
	ADDQ $8, CX
	JZ   next
	TAIL
	DOTSTEP(SOME)
	MOVQ t+0(FP), DX
next:
	DECQ BX
	JNZ  segment
	MOVQ out+8(FP), DX
	SUMS(Y4, Y5, Y6, Y7, X4, 0)
	SUMS(Y8, Y9, Y10, Y11, X8, 16)
	SUMS(Y12, Y13, Y14, Y15, X12, 32)
	VZEROUPPER
	RET

// func edgeAVX2(t *tile, out *[24]float32)
TEXT ·edgeAVX2(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), DX
	MOVQ (A+0)(DX), R8
	MOVQ (A+8)(DX), R9
	MOVQ (A+16)(DX), R10
	MOVQ SEGS(DX), SI
	MOVQ NSEG(DX), BX
	CLEAR
segment:
	SEGMENT($2)
	MOVQ LDB(DX), R12
	LEAQ (DI)(R12*2), R13
	LEAQ (R13)(R12*1), R11
	ADDQ DI, R12
	SUBQ $8, CX
	JLT  rest
eight:
	EDGESTEP(EIGHT)
	ADDQ $32, AX
	ADDQ $32, DI
	ADDQ $32, R12
	ADDQ $32, R13
	ADDQ $32, R11
	SUBQ $8, CX
	JGE  eight
rest:
	ADDQ $8, CX
	JZ   next
	TAIL
	EDGESTEP(SOME)
	MOVQ t+0(FP), DX
next:
	DECQ BX
	JNZ  segment
	MOVQ out+8(FP), DX
	SUMS(Y4, Y5, Y6, Y7, X4, 0)
	SUMS(Y8, Y9, Y10, Y11, X8, 16)
	SUMS(Y12, Y13, Y14, Y15, X12, 32)
	VZEROUPPER
	RET
