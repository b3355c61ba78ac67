#include "textflag.h"

// Between float32 and bfloat16, 16 numbers at a time; n is a multiple of 16.

DATA low<>+0(SB)/4, $0x7fff
GLOBL low<>(SB), RODATA|NOPTR, $4
DATA bit<>+0(SB)/4, $1
GLOBL bit<>(SB), RODATA|NOPTR, $4
DATA exponent<>+0(SB)/4, $0x7f800000
GLOBL exponent<>(SB), RODATA|NOPTR, $4

#define CONSTANTS \
	VPBROADCASTD low<>(SB), Y13 \
	VPBROADCASTD bit<>(SB), Y14 \
	VPBROADCASTD exponent<>(SB), Y15

// Rounds to the nearest even, in the upper half of x; the lower half is not
// cleared. Infinities and NaNs stay.
#define ROUND(x, y, z) \
	VPSRLD $16, x, y \
	VPAND Y14, y, y \
	VPADDD Y13, y, y \
	VPADDD x, y, y \
	VPAND Y15, x, z \
	VPCMPEQD Y15, z, z \
	VPBLENDVB z, x, y, x

// The next 16 numbers in Y0 and Y1, rounded, in the lower halves.
#define ROUND16 \
	VMOVDQU (SI), Y0 \
	VMOVDQU 32(SI), Y1 \
	ROUND(Y0, Y2, Y3) \
	ROUND(Y1, Y4, Y5) \
	VPSRLD $16, Y0, Y0 \
	VPSRLD $16, Y1, Y1

// func roundAVX2(dst, src unsafe.Pointer, n int)
TEXT ·roundAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	CONSTANTS
loop:
	SUBQ $16, CX
	JLT  done
	ROUND16
	VPSLLD $16, Y0, Y0
	VPSLLD $16, Y1, Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	JMP  loop
done:
	VZEROUPPER
	RET

// func narrowAVX2(dst, src unsafe.Pointer, n int)
TEXT ·narrowAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	CONSTANTS
loop:
	SUBQ $16, CX
	JLT  done
	ROUND16
	VPACKUSDW Y1, Y0, Y0
	VPERMQ $0xd8, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	JMP  loop
done:
	VZEROUPPER
	RET

// func widenAVX2(dst, src unsafe.Pointer, n int)
TEXT ·widenAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
loop:
	SUBQ $16, CX
	JLT  done
	VPMOVZXWD (SI), Y0
	VPMOVZXWD 16(SI), Y1
	VPSLLD $16, Y0, Y0
	VPSLLD $16, Y1, Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ $32, SI
	ADDQ $64, DI
	JMP  loop
done:
	VZEROUPPER
	RET
