#include "textflag.h"

// Offsets into a tile (tile.go).
#define A 0
#define B 96
#define SEGS 104
#define NSEG 112
#define LDB 144

// Products of eight numbers of six rows with those of four columns. A register
// has those of two rows, one in each half; Z0…Z3 have a column in both halves.
// The sums of rows 2p and 2p+1 with column j are in Z(4+4p+j): eight for each, in
// the order of edgeAVX2.
#define PRODUCTS \
	VFMADD231PS Z0, Z16, Z4 \
	VFMADD231PS Z1, Z16, Z5 \
	VFMADD231PS Z2, Z16, Z6 \
	VFMADD231PS Z3, Z16, Z7 \
	VFMADD231PS Z0, Z17, Z8 \
	VFMADD231PS Z1, Z17, Z9 \
	VFMADD231PS Z2, Z17, Z10 \
	VFMADD231PS Z3, Z17, Z11 \
	VFMADD231PS Z0, Z18, Z12 \
	VFMADD231PS Z1, Z18, Z13 \
	VFMADD231PS Z2, Z18, Z14 \
	VFMADD231PS Z3, Z18, Z15

// Eight numbers of two rows, and the first few of them as the mask K1 goes.
#define ROWS(row0, row1, y, z) \
	VMOVUPS (row0)(AX*1), y \
	VINSERTF64X4 $1, (row1)(AX*1), z, z

#define FEWROWS(row0, row1, z) \
	VMOVUPS.Z (row1)(AX*1), K1, Z19 \
	VMOVUPS.Z (row0)(AX*1), K1, z \
	VINSERTF64X4 $1, Y19, z, z

#define FEW(col, y, z) \
	VMOVUPS.Z (col), K1, z \
	VINSERTF64X4 $1, y, z, z

// Adds the eight numbers of each of y0…y3 and stores the four sums.
#define SUMS(y0, y1, y2, y3, x0, at) \
	VHADDPS y1, y0, y0 \
	VHADDPS y3, y2, y2 \
	VHADDPS y2, y0, y0 \
	VEXTRACTF128 $1, y0, X1 \
	VADDPS X1, x0, x0 \
	VMOVUPS x0, at(DX)

// The sums of two rows.
#define PAIR(z0, z1, z2, z3, y0, y1, y2, y3, x0, at) \
	VEXTRACTF64X4 $1, z0, Y20 \
	VEXTRACTF64X4 $1, z1, Y21 \
	VEXTRACTF64X4 $1, z2, Y22 \
	VEXTRACTF64X4 $1, z3, Y23 \
	SUMS(y0, y1, y2, y3, x0, at) \
	VMOVAPS Z20, z0 \
	VMOVAPS Z21, z1 \
	VMOVAPS Z22, z2 \
	VMOVAPS Z23, z3 \
	SUMS(y0, y1, y2, y3, x0, (at+16))

// func edgeAVX512(t *tile, out *[24]float32)
TEXT ·edgeAVX512(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), DX
	MOVQ (A+0)(DX), R8
	MOVQ (A+8)(DX), R9
	MOVQ (A+16)(DX), R10
	MOVQ (A+24)(DX), R11
	MOVQ (A+32)(DX), R12
	MOVQ (A+40)(DX), R13
	MOVQ LDB(DX), R14
	LEAQ (R14)(R14*2), R15
	MOVQ SEGS(DX), SI
	MOVQ NSEG(DX), BX
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	VPXORQ Z8, Z8, Z8
	VPXORQ Z9, Z9, Z9
	VPXORQ Z10, Z10, Z10
	VPXORQ Z11, Z11, Z11
	VPXORQ Z12, Z12, Z12
	VPXORQ Z13, Z13, Z13
	VPXORQ Z14, Z14, Z14
	VPXORQ Z15, Z15, Z15
segment:
	MOVQ 16(SI), DI
	SHLQ $2, DI
	ADDQ B(DX), DI
	MOVQ (SI), AX
	MOVQ 8(SI), CX
	ADDQ $24, SI
	SUBQ $8, CX
	JLT  rest
eight:
	VBROADCASTF64X4 (DI), Z0
	VBROADCASTF64X4 (DI)(R14*1), Z1
	VBROADCASTF64X4 (DI)(R14*2), Z2
	VBROADCASTF64X4 (DI)(R15*1), Z3
	ROWS(R8, R9, Y16, Z16)
	ROWS(R10, R11, Y17, Z17)
	ROWS(R12, R13, Y18, Z18)
	PRODUCTS
	ADDQ $32, AX
	ADDQ $32, DI
	SUBQ $8, CX
	JGE  eight
rest:
	ADDQ $8, CX
	JZ   next
	MOVQ $1, DX
	SHLQ CX, DX
	DECQ DX
	KMOVW DX, K1
	FEW(DI, Y0, Z0)
	ADDQ R14, DI
	FEW(DI, Y1, Z1)
	ADDQ R14, DI
	FEW(DI, Y2, Z2)
	ADDQ R14, DI
	FEW(DI, Y3, Z3)
	FEWROWS(R8, R9, Z16)
	FEWROWS(R10, R11, Z17)
	FEWROWS(R12, R13, Z18)
	PRODUCTS
	MOVQ t+0(FP), DX
next:
	DECQ BX
	JNZ  segment
	MOVQ out+8(FP), DX
	PAIR(Z4, Z5, Z6, Z7, Y4, Y5, Y6, Y7, X4, 0)
	PAIR(Z8, Z9, Z10, Z11, Y8, Y9, Y10, Y11, X8, 32)
	PAIR(Z12, Z13, Z14, Z15, Y12, Y13, Y14, Y15, X12, 64)
	VZEROUPPER
	RET
