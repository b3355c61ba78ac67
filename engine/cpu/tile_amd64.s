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

// Sixteen ones and sixteen zeros: the mask for the first n of 16 columns
// begins 4·(16−n) bytes after the beginning.
DATA mask<>+0(SB)/8, $-1
DATA mask<>+8(SB)/8, $-1
DATA mask<>+16(SB)/8, $-1
DATA mask<>+24(SB)/8, $-1
DATA mask<>+32(SB)/8, $-1
DATA mask<>+40(SB)/8, $-1
DATA mask<>+48(SB)/8, $-1
DATA mask<>+56(SB)/8, $-1
DATA mask<>+64(SB)/8, $0
DATA mask<>+72(SB)/8, $0
DATA mask<>+80(SB)/8, $0
DATA mask<>+88(SB)/8, $0
DATA mask<>+96(SB)/8, $0
DATA mask<>+104(SB)/8, $0
DATA mask<>+112(SB)/8, $0
DATA mask<>+120(SB)/8, $0
GLOBL mask<>(SB), RODATA|NOPTR, $128

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

// One k of the cols kernel: the six rows are neighbours at R8 + AX.
#define COLSTEP(bo) \
	VMOVUPS bo(DI), Y0 \
	VMOVUPS (bo+32)(DI), Y1 \
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
	ADDQ R9, AX

// The same for columns 0…7 alone.
#define NARROWCOLSTEP(bo) \
	VMOVUPS bo(DI), Y0 \
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
	ADDQ R9, AX

// Store a row of 16 columns, or add to it, or the same for the columns that
// the masks Y0 and Y1 leave.
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

#define STOREPART(row, lo, hi) \
	MOVQ (C+8*row)(DX), AX \
	VMASKMOVPS lo, Y0, (AX) \
	VMASKMOVPS hi, Y1, 32(AX)

#define ADDTOPART(row, lo, hi) \
	MOVQ (C+8*row)(DX), AX \
	VMASKMOVPS (AX), Y0, Y2 \
	VMASKMOVPS 32(AX), Y1, Y3 \
	VADDPS Y2, lo, lo \
	VADDPS Y3, hi, hi \
	VMASKMOVPS lo, Y0, (AX) \
	VMASKMOVPS hi, Y1, 32(AX)

#define EACHROW(op) \
	op(0, Y4, Y5) \
	op(1, Y6, Y7) \
	op(2, Y8, Y9) \
	op(3, Y10, Y11) \
	op(4, Y12, Y13) \
	op(5, Y14, Y15)

// The end of the rows and the cols kernel; the tile is at DX.
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
	NEGQ CX \
	LEAQ mask<>+64(SB), BX \
	VMOVUPS (BX)(CX*4), Y0 \
	VMOVUPS 32(BX)(CX*4), Y1 \
	CMPQ ADD(DX), $0 \
	JNE addpart \
	EACHROW(STOREPART) \
	VZEROUPPER \
	RET \
addpart: \
	EACHROW(ADDTOPART) \
	VZEROUPPER \
	RET

// func rowsAVX2(t *tile)
TEXT ·rowsAVX2(SB), NOSPLIT, $0-8
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
TEXT ·colsAVX2(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	MOVQ A(DX), R8
	MOVQ STEP(DX), R9
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
	COLSTEP(0)
	COLSTEP(64)
	COLSTEP(128)
	COLSTEP(192)
	ADDQ $256, DI
	SUBQ $4, CX
	JGE  four
rest:
	ADDQ $4, CX
	JZ   next
one:
	COLSTEP(0)
	ADDQ $64, DI
	DECQ CX
	JNZ  one
next:
	DECQ BX
	JNZ  segment
	JMP  finish
narrow:
	SEGMENT($6)
narrowone:
	NARROWCOLSTEP(0)
	ADDQ $64, DI
	DECQ CX
	JNZ  narrowone
	DECQ BX
	JNZ  narrow
finish:
	FINISH

// The sums of rows 0…3 with column j are in Y(4+4j)…Y(7+4j); the columns of
// the right side are at DI, R12 and R13.
#define DOTSTEP(load, y0, y1, y2, y3) \
	load (DI), y0 \
	load (R12), y1 \
	load (R13), y2 \
	load (R8)(AX*1), y3 \
	VFMADD231PS Y0, Y3, Y4 \
	VFMADD231PS Y1, Y3, Y8 \
	VFMADD231PS Y2, Y3, Y12 \
	load (R9)(AX*1), y3 \
	VFMADD231PS Y0, Y3, Y5 \
	VFMADD231PS Y1, Y3, Y9 \
	VFMADD231PS Y2, Y3, Y13 \
	load (R10)(AX*1), y3 \
	VFMADD231PS Y0, Y3, Y6 \
	VFMADD231PS Y1, Y3, Y10 \
	VFMADD231PS Y2, Y3, Y14 \
	load (R11)(AX*1), y3 \
	VFMADD231PS Y0, Y3, Y7 \
	VFMADD231PS Y1, Y3, Y11 \
	VFMADD231PS Y2, Y3, Y15

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
	DOTSTEP(VMOVUPS, Y0, Y1, Y2, Y3)
	ADDQ $32, AX
	ADDQ $32, DI
	ADDQ $32, R12
	ADDQ $32, R13
	SUBQ $8, CX
	JGE  eight
rest:
	ADDQ $8, CX
	JZ   next
one:
	// A load of one number clears the rest of the register.
	DOTSTEP(VMOVSS, X0, X1, X2, X3)
	ADDQ $4, AX
	ADDQ $4, DI
	ADDQ $4, R12
	ADDQ $4, R13
	DECQ CX
	JNZ  one
next:
	DECQ BX
	JNZ  segment
	MOVQ out+8(FP), DX
	SUMS(Y4, Y5, Y6, Y7, X4, 0)
	SUMS(Y8, Y9, Y10, Y11, X8, 16)
	SUMS(Y12, Y13, Y14, Y15, X12, 32)
	VZEROUPPER
	RET
