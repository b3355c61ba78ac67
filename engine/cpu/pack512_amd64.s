#include "textflag.h"

// What puts the right side of a product in order for the tiles.

// func packRowsAVX512(dst, src unsafe.Pointer, rows, n, srcStep int)
//
// Rows of n ≤ 16 numbers become rows of 16, with zeros at the end.
TEXT ·packRowsAVX512(SB), NOSPLIT, $0-40
	MOVQ  dst+0(FP), DI
	MOVQ  src+8(FP), SI
	MOVQ  rows+16(FP), BX
	MOVQ  n+24(FP), CX
	MOVQ  srcStep+32(FP), R8
	LEAQ  (R8)(R8*2), R9
	MOVQ  $1, AX
	SHLQ  CX, AX
	DECQ  AX
	KMOVW AX, K1
	SUBQ  $4, BX
	JLT   rest
four:
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS.Z (SI)(R8*1), K1, Z1
	VMOVUPS.Z (SI)(R8*2), K1, Z2
	VMOVUPS.Z (SI)(R9*1), K1, Z3
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	LEAQ (SI)(R8*4), SI
	ADDQ $256, DI
	SUBQ $4, BX
	JGE  four
rest:
	ADDQ $4, BX
	JZ   done
one:
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS Z0, (DI)
	ADDQ R8, SI
	ADDQ $64, DI
	DECQ BX
	JNZ  one
done:
	VZEROUPPER
	RET

#define LOAD4(z0, z1, z2, z3) \
	VMOVUPS (SI), z0 \
	VMOVUPS (SI)(R8*1), z1 \
	VMOVUPS (SI)(R8*2), z2 \
	VMOVUPS (SI)(R9*1), z3 \
	LEAQ (SI)(R8*4), SI

// Of four rows, those four numbers of each 128 bits of column c that are in the
// same place: z0 has columns 0, 4, 8, 12, z1 has 1, 5, 9, 13, and so on.
#define SQUARES(z0, z1, z2, z3) \
	VUNPCKLPS z1, z0, Z16 \
	VUNPCKHPS z1, z0, Z17 \
	VUNPCKLPS z3, z2, Z18 \
	VUNPCKHPS z3, z2, Z19 \
	VUNPCKLPD Z18, Z16, z0 \
	VUNPCKHPD Z18, Z16, z1 \
	VUNPCKLPD Z19, Z17, z2 \
	VUNPCKHPD Z19, Z17, z3

// Columns c, 4+c, 8+c and 12+c of the rows whose squares are in z0…z3.
#define COLUMNS(c, z0, z1, z2, z3) \
	VSHUFF32X4 $0x88, z1, z0, Z16 \
	VSHUFF32X4 $0xdd, z1, z0, Z17 \
	VSHUFF32X4 $0x88, z3, z2, Z18 \
	VSHUFF32X4 $0xdd, z3, z2, Z19 \
	VSHUFF32X4 $0x88, Z18, Z16, Z20 \
	VSHUFF32X4 $0x88, Z19, Z17, Z21 \
	VSHUFF32X4 $0xdd, Z18, Z16, Z22 \
	VSHUFF32X4 $0xdd, Z19, Z17, Z23 \
	VMOVUPS Z20, (64*c)(DI) \
	VMOVUPS Z21, (64*(4+c))(DI) \
	VMOVUPS Z22, (64*(8+c))(DI) \
	VMOVUPS Z23, (64*(12+c))(DI)

// func packSquaresAVX512(dst, src unsafe.Pointer, count, srcStep int)
//
// Sixteen rows of 16·count numbers become 16·count rows of 16.
TEXT ·packSquaresAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), DX
	MOVQ count+16(FP), BX
	MOVQ srcStep+24(FP), R8
	LEAQ (R8)(R8*2), R9
square:
	MOVQ DX, SI
	LOAD4(Z0, Z1, Z2, Z3)
	LOAD4(Z4, Z5, Z6, Z7)
	LOAD4(Z8, Z9, Z10, Z11)
	LOAD4(Z12, Z13, Z14, Z15)
	SQUARES(Z0, Z1, Z2, Z3)
	SQUARES(Z4, Z5, Z6, Z7)
	SQUARES(Z8, Z9, Z10, Z11)
	SQUARES(Z12, Z13, Z14, Z15)
	COLUMNS(0, Z0, Z4, Z8, Z12)
	COLUMNS(1, Z1, Z5, Z9, Z13)
	COLUMNS(2, Z2, Z6, Z10, Z14)
	COLUMNS(3, Z3, Z7, Z11, Z15)
	ADDQ $64, DX
	ADDQ $1024, DI
	DECQ BX
	JNZ  square
	VZEROUPPER
	RET
