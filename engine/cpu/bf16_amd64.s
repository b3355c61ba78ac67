#include "textflag.h"

// Products of bfloat16 with VDPBF16PS, for processors without AMX: 8 rows by 32
// columns, 16 sums that do not wait for each other. Go's assembler does not know
// the instruction, so that a macro puts its bytes together.

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

// VDPBF16PS: sum += the products of both halves of right and left, registers by
// their numbers. EVEX.512.F3.0F38.W0 52, high bits of registers inverted.
#define VDPBF16PS(right, left, sum) \
	BYTE $0x62 \
	BYTE $(0xf2 - ((sum&8)<<4) - ((right&16)<<2) - ((right&8)<<2) - (sum&16)) \
	BYTE $(0x7e - ((left&15)<<3)) \
	BYTE $(0x48 - ((left&16)>>1)) \
	BYTE $0x52 \
	BYTE $(0xc0 + ((sum&7)<<3) + (right&7))

// One pair of k of a row at a: its sums are in registers s and s+1.
#define ROW(a, s) \
	VPBROADCASTD a, Z2 \
	VDPBF16PS(0, 2, s) \
	VDPBF16PS(1, 2, (s+1))

#define OTHERROW(a, s) \
	VPBROADCASTD a, Z3 \
	VDPBF16PS(0, 3, s) \
	VDPBF16PS(1, 3, (s+1))

// One pair of k: rows from AX + o on, the right side at DI and R15 + r.
#define PAIR(o, r) \
	VMOVUPS r(DI), Z0 \
	VMOVUPS r(R15), Z1 \
	ROW(o(AX), 16) \
	OTHERROW(o(AX)(R9*1), 18) \
	ROW(o(AX)(R9*2), 20) \
	OTHERROW(o(AX)(R10*1), 22) \
	ROW(o(AX)(R9*4), 24) \
	OTHERROW(o(AX)(R12*1), 26) \
	ROW(o(AX)(R10*2), 28) \
	OTHERROW(o(AX)(R13*1), 30)

#define CLEAR(z0, z1) \
	VPXORQ z0, z0, z0 \
	VPXORQ z1, z1, z1

#define LOAD(z0, z1) \
	VMOVUPS (BX), z0 \
	VMOVUPS 64(BX), z1 \
	ADDQ R11, BX

#define STORE(z0, z1) \
	VMOVUPS z0, (R8) \
	VMOVUPS z1, 64(R8) \
	ADDQ R11, R8

#define EACHROW(op) \
	op(Z16, Z17) \
	op(Z18, Z19) \
	op(Z20, Z21) \
	op(Z22, Z23) \
	op(Z24, Z25) \
	op(Z26, Z27) \
	op(Z28, Z29) \
	op(Z30, Z31)

// func blockAVX512(t *narrowBlock)
TEXT ·blockAVX512(SB), NOSPLIT, $0-8
	MOVQ t+0(FP), DX
	MOVQ A(DX), SI
	MOVQ C(DX), R8
	MOVQ AROW(DX), R9
	LEAQ (R9)(R9*2), R10
	LEAQ (R9)(R9*4), R12
	LEAQ (R10)(R9*4), R13
	MOVQ CROW(DX), R11
	MOVQ GROUPS(DX), R14
	SHLQ $2, R14
rows:
	CMPQ ADD(DX), $0
	JNE  load
	EACHROW(CLEAR)
	JMP  begin
load:
	MOVQ R8, BX
	EACHROW(LOAD)
begin:
	MOVQ SI, AX
	MOVQ B(DX), DI
	MOVQ BNEXT(DX), R15
	ADDQ DI, R15
	MOVQ CHUNKS(DX), CX
	SHLQ $2, CX
four:
	PAIR(0, 0)
	PAIR(4, 64)
	PAIR(8, 128)
	PAIR(12, 192)
	ADDQ $16, AX
	ADDQ $256, DI
	ADDQ $256, R15
	DECQ CX
	JNZ  four
	EACHROW(STORE)
	LEAQ (SI)(R9*8), SI
	DECQ R14
	JNZ  rows
	VZEROUPPER
	RET
