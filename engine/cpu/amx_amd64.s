#include "textflag.h"

// Products of bfloat16 with the tile registers of AMX. Go's assembler does not
// know these instructions, so that macros put their bytes together: registers are
// given by their numbers in the instruction set, tiles by theirs.

#define rAX 0
#define rCX 1
#define rBX 3
#define rSI 6
#define rDI 7
#define r8 8
#define r9 9
#define r10 10
#define r11 11
#define r14 14
#define r15 15

// VEX.128.0F38.W0: C4, the inverted high bits of the registers, and the second
// source, inverted, with the prefix (0 none, 1 66, 2 F3, 3 F2).
#define VEX(index, base, source, prefix) \
	BYTE $0xc4 \
	BYTE $(0xe2 - ((index&8)<<3) - ((base&8)<<2)) \
	BYTE $(0x78 - (source<<3) + prefix)

// LDTILECFG [AX]
#define LDTILECFG \
	VEX(0, 0, 0, 0) \
	BYTE $0x49 \
	BYTE $0x00

#define TILERELEASE \
	VEX(0, 0, 0, 0) \
	BYTE $0x49 \
	BYTE $0xc0

#define TILEZERO(tile) \
	VEX(0, 0, 0, 3) \
	BYTE $0x49 \
	BYTE $(0xc0 + (tile<<3))

// TILELOADD: row i of the tile is at base + i·step.
#define TILELOADD(base, step, tile) \
	VEX(step, base, 0, 3) \
	BYTE $0x4b \
	BYTE $(0x04 + (tile<<3)) \
	BYTE $(((step&7)<<3) + (base&7))

#define TILESTORED(tile, base, step) \
	VEX(step, base, 0, 2) \
	BYTE $0x4b \
	BYTE $(0x04 + (tile<<3)) \
	BYTE $(((step&7)<<3) + (base&7))

// TDPBF16PS: sum += left·right.
#define TDPBF16PS(right, left, sum) \
	VEX(0, 0, right, 2) \
	BYTE $0x5c \
	BYTE $(0xc0 + (sum<<3) + left)

// All eight tiles have 16 rows of 64 bytes.
DATA tileConfig<>+0(SB)/8, $1
DATA tileConfig<>+8(SB)/8, $0
DATA tileConfig<>+16(SB)/8, $0x0040004000400040
DATA tileConfig<>+24(SB)/8, $0x0040004000400040
DATA tileConfig<>+32(SB)/8, $0
DATA tileConfig<>+40(SB)/8, $0
DATA tileConfig<>+48(SB)/8, $0x1010101010101010
DATA tileConfig<>+56(SB)/8, $0
GLOBL tileConfig<>(SB), RODATA|NOPTR, $64

// Offsets into a narrowBlock (narrow.go).
#define A 0
#define B 8
#define C 16
#define AROW 24
#define BNEXT 32
#define CROW 40
#define CHUNKS 48
#define GROUPS 56
#define ADD 64

// func blockAMX(t *narrowBlock)
TEXT ·blockAMX(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	LEAQ tileConfig<>(SB), AX
	LDTILECFG
	MOVQ A(DX), SI
	MOVQ C(DX), R8
	MOVQ AROW(DX), R9
	MOVQ CROW(DX), R11
	MOVQ GROUPS(DX), R13
	MOVQ $64, R14
group:
	MOVQ R11, BX
	SHLQ $4, BX
	ADDQ R8, BX
	CMPQ ADD(DX), $0
	JNE  load
	TILEZERO(0)
	TILEZERO(1)
	TILEZERO(2)
	TILEZERO(3)
	JMP  begin
load:
	LEAQ 64(R8), AX
	LEAQ 64(BX), CX
	TILELOADD(r8, r11, 0)
	TILELOADD(rAX, r11, 1)
	TILELOADD(rBX, r11, 2)
	TILELOADD(rCX, r11, 3)
begin:
	MOVQ SI, AX
	MOVQ R9, BX
	SHLQ $4, BX
	ADDQ SI, BX
	MOVQ B(DX), DI
	MOVQ BNEXT(DX), R15
	ADDQ DI, R15
	MOVQ CHUNKS(DX), CX
chunk:
	TILELOADD(rAX, r9, 4)
	TILELOADD(rDI, r14, 6)
	TILELOADD(rBX, r9, 5)
	TILELOADD(r15, r14, 7)
	TDPBF16PS(6, 4, 0)
	TDPBF16PS(7, 4, 1)
	TDPBF16PS(6, 5, 2)
	TDPBF16PS(7, 5, 3)
	ADDQ $64, AX
	ADDQ $64, BX
	ADDQ $1024, DI
	ADDQ $1024, R15
	DECQ CX
	JNZ  chunk
	MOVQ R11, BX
	SHLQ $4, BX
	LEAQ (SI)(R9*8), SI
	LEAQ (SI)(R9*8), SI
	LEAQ (SI)(R9*8), SI
	LEAQ (SI)(R9*8), SI
	ADDQ R8, BX
	LEAQ 64(R8), AX
	LEAQ 64(BX), CX
	TILESTORED(0, r8, r11)
	TILESTORED(1, rAX, r11)
	TILESTORED(2, rBX, r11)
	TILESTORED(3, rCX, r11)
	LEAQ (R8)(R11*8), R8
	LEAQ (R8)(R11*8), R8
	LEAQ (R8)(R11*8), R8
	LEAQ (R8)(R11*8), R8
	DECQ R13
	JNZ  group
	TILERELEASE
	RET

// func pairsAVX512(dst unsafe.Pointer, lines *[32]unsafe.Pointer, off, n int)
//
// Of lines 2i and 2i+1, from off bytes on, n ≤ 16 numbers of 16 bits become the
// halves of the 16 numbers of 32 bits of row i, with zeros at the end.
TEXT ·pairsAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ lines+8(FP), SI
	MOVQ off+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ $1, AX
	SHLQ CX, AX
	DECQ AX
	KMOVW AX, K1
	MOVQ $16, CX
pair:
	MOVQ (SI), R8
	MOVQ 8(SI), R9
	VPMOVZXWD.Z (R8)(DX*1), K1, Z0
	VPMOVZXWD.Z (R9)(DX*1), K1, Z1
	VPSLLD $16, Z1, Z1
	VPORD Z1, Z0, Z0
	VMOVDQU32 Z0, (DI)
	ADDQ $16, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  pair
	VZEROUPPER
	RET
