#include "textflag.h"

// The rows and the cols kernel of tile_amd64.s with AVX-512: a row of a tile is
// one register, and the number of the left side comes with the instruction that
// multiplies. Sums are in the same order, so that the bits are the same.

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

#define CLEAR \
	VPXORQ Z4, Z4, Z4 \
	VPXORQ Z5, Z5, Z5 \
	VPXORQ Z6, Z6, Z6 \
	VPXORQ Z7, Z7, Z7 \
	VPXORQ Z8, Z8, Z8 \
	VPXORQ Z9, Z9, Z9

// One k of the rows kernel: rows R8…R13 at AX + ao bytes, right side at DI + bo.
#define ROWSTEP(ao, bo) \
	VMOVUPS bo(DI), Z0 \
	VFMADD231PS.BCST ao(R8)(AX*1), Z0, Z4 \
	VFMADD231PS.BCST ao(R9)(AX*1), Z0, Z5 \
	VFMADD231PS.BCST ao(R10)(AX*1), Z0, Z6 \
	VFMADD231PS.BCST ao(R11)(AX*1), Z0, Z7 \
	VFMADD231PS.BCST ao(R12)(AX*1), Z0, Z8 \
	VFMADD231PS.BCST ao(R13)(AX*1), Z0, Z9

// One k of the cols kernel: the six rows are neighbours at R8 + AX, and those of
// the right side are R10 bytes apart.
#define COLSTEP \
	VMOVUPS (DI), Z0 \
	VFMADD231PS.BCST 0(R8)(AX*1), Z0, Z4 \
	VFMADD231PS.BCST 4(R8)(AX*1), Z0, Z5 \
	VFMADD231PS.BCST 8(R8)(AX*1), Z0, Z6 \
	VFMADD231PS.BCST 12(R8)(AX*1), Z0, Z7 \
	VFMADD231PS.BCST 16(R8)(AX*1), Z0, Z8 \
	VFMADD231PS.BCST 20(R8)(AX*1), Z0, Z9 \
	ADDQ R9, AX \
	ADDQ R10, DI

// Store a row, or add to it, as far as the mask K1 goes.
#define STORE(row, z) \
	MOVQ (C+8*row)(DX), AX \
	VMOVUPS z, K1, (AX)

#define ADDTO(row, z) \
	MOVQ (C+8*row)(DX), AX \
	VMOVUPS.Z (AX), K1, Z0 \
	VADDPS Z0, z, z \
	VMOVUPS z, K1, (AX)

#define EACHROW(op) \
	op(0, Z4) \
	op(1, Z5) \
	op(2, Z6) \
	op(3, Z7) \
	op(4, Z8) \
	op(5, Z9)

// The end of both; the tile is at DX.
#define FINISH \
	MOVQ COLS(DX), CX \
	MOVQ $1, AX \
	SHLQ CX, AX \
	DECQ AX \
	KMOVW AX, K1 \
	CMPQ ADD(DX), $0 \
	JNE addto \
	EACHROW(STORE) \
	VZEROUPPER \
	RET \
addto: \
	EACHROW(ADDTO) \
	VZEROUPPER \
	RET

// func rowsAVX512(t *tile)
TEXT ·rowsAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	CMPQ COLS(DX), $8
	JGT  wide
	JMP  ·rowsAVX2(SB) // half a register is enough
wide:
	MOVQ (A+0)(DX), R8
	MOVQ (A+8)(DX), R9
	MOVQ (A+16)(DX), R10
	MOVQ (A+24)(DX), R11
	MOVQ (A+32)(DX), R12
	MOVQ (A+40)(DX), R13
	MOVQ SEGS(DX), SI
	MOVQ NSEG(DX), BX
	CLEAR
segment:
	MOVQ 16(SI), DI
	SHLQ $6, DI
	ADDQ B(DX), DI
	MOVQ (SI), AX
	MOVQ 8(SI), CX
	ADDQ $24, SI
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
	FINISH

// func colsAVX512(t *tile)
TEXT ·colsAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	CMPQ COLS(DX), $8
	JGT  wide
	JMP  ·colsAVX2(SB)
wide:
	MOVQ A(DX), R8
	MOVQ STEP(DX), R9
	MOVQ BSTEP(DX), R10
	MOVQ SEGS(DX), SI
	MOVQ NSEG(DX), BX
	CLEAR
segment:
	MOVQ 16(SI), DI
	IMULQ R10, DI
	ADDQ B(DX), DI
	MOVQ (SI), AX
	MOVQ 8(SI), CX
	ADDQ $24, SI
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
	FINISH
