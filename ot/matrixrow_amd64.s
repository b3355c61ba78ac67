#include "textflag.h"

// Which entries of a row of costs, with the prices of their columns, are at most
// a bound: bit l of mask[k] says cost[64k+l] + price[64k+l] <= bound. n, the
// number of words, is at least 1.

// func rowMaskAVX2(cost, price *float64, mask *uint64, n int, bound float64)
TEXT ·rowMaskAVX2(SB), NOSPLIT, $0-40
	MOVQ cost+0(FP), SI
	MOVQ price+8(FP), DI
	MOVQ mask+16(FP), R9
	MOVQ n+24(FP), CX
	VBROADCASTSD bound+32(FP), Y9

word:
	XORQ R8, R8  // the word
	XORQ R11, R11 // its bits so far

eight:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VADDPD (DI), Y0, Y0
	VADDPD 32(DI), Y1, Y1
	VCMPPD $2, Y9, Y0, Y0
	VCMPPD $2, Y9, Y1, Y1
	VMOVMSKPD Y0, AX
	VMOVMSKPD Y1, BX
	SHLQ $4, BX
	ORQ  BX, AX
	RORQ $8, R8
	ORQ  AX, R8
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $8, R11
	CMPQ R11, $64
	JNE  eight
	RORQ $8, R8 // the first eight entries are the lowest bits
	MOVQ R8, (R9)
	ADDQ $8, R9
	DECQ CX
	JNZ  word
	VZEROUPPER
	RET

// func rowMask512(cost, price *float64, mask *uint64, n int, bound float64)
TEXT ·rowMask512(SB), NOSPLIT, $0-40
	MOVQ cost+0(FP), SI
	MOVQ price+8(FP), DI
	MOVQ mask+16(FP), R9
	MOVQ n+24(FP), CX
	VBROADCASTSD bound+32(FP), Z9

word512:
	VMOVUPD (SI), Z0
	VMOVUPD 64(SI), Z1
	VMOVUPD 128(SI), Z2
	VMOVUPD 192(SI), Z3
	VMOVUPD 256(SI), Z4
	VMOVUPD 320(SI), Z5
	VMOVUPD 384(SI), Z6
	VMOVUPD 448(SI), Z7
	VADDPD (DI), Z0, Z0
	VADDPD 64(DI), Z1, Z1
	VADDPD 128(DI), Z2, Z2
	VADDPD 192(DI), Z3, Z3
	VADDPD 256(DI), Z4, Z4
	VADDPD 320(DI), Z5, Z5
	VADDPD 384(DI), Z6, Z6
	VADDPD 448(DI), Z7, Z7
	VCMPPD $2, Z9, Z0, K1
	VCMPPD $2, Z9, Z1, K2
	VCMPPD $2, Z9, Z2, K3
	VCMPPD $2, Z9, Z3, K4
	KUNPCKBW K1, K2, K1
	KUNPCKBW K3, K4, K3
	VCMPPD $2, Z9, Z4, K2
	VCMPPD $2, Z9, Z5, K4
	VCMPPD $2, Z9, Z6, K5
	VCMPPD $2, Z9, Z7, K6
	KUNPCKBW K2, K4, K2
	KUNPCKBW K5, K6, K5
	KMOVW K1, AX
	KMOVW K3, BX
	KMOVW K2, DX
	KMOVW K5, R8
	SHLQ $16, BX
	SHLQ $32, DX
	SHLQ $48, R8
	ORQ  BX, AX
	ORQ  DX, R8
	ORQ  R8, AX
	MOVQ AX, (R9)
	ADDQ $512, SI
	ADDQ $512, DI
	ADDQ $8, R9
	DECQ CX
	JNZ  word512
	VZEROUPPER
	RET
