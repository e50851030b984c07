	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.globl first
	.globl inner
	.globl more
	.weak perhaps
	.globl seen
	.weak other
	.weak grouped
	.globl undefined
	.local helper
	.local numbers
	.local constant
	.local other_code
	.local .rodata
	.local .data
	.local room

	.section .text,"ax",@progbits
	.p2align 8
	.protected first
	.type first,@function
first:
	s_cbranch_scc0 .L2_8
	s_nop 0
.L2_8:
	s_endpgm
	.long 0xffffffff // no instruction
	v_mul_hi_u32_u24_e32 v26, ttmp12, v43
	.long 0x00000014 // v_cndmask_b32_e32 v0, s20, v0, vcc
	.long 0x0000002c // v_cndmask_b32_e32 v0, s44, v0, vcc
	v_sub_f32_e32 v1, s1, v129
	.size first, .-first
	.fill 8, 4, 0xbf800000 // s_nop 0
helper:
.L2_40:
	s_cbranch_scc1 .L2_40
	.hidden inner
inner:
.L2_44:
	s_setpc_b64 s[30:31]
	.fill 46, 4, 0xbf800000 // s_nop 0

	.section .text.more,"ax",@progbits
	.p2align 8
	.protected more
	.type more,@function
more:
	s_cbranch_scc0 .L3_8
	s_nop 0
.L3_8:
	s_endpgm
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, .Lsection12@rel32@lo+4
	s_addc_u32 s5, s5, .Lsection12@rel32@hi+12
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, perhaps@gotpcrel32@lo+4
	s_addc_u32 s7, s7, perhaps@gotpcrel32@hi+12
	s_getpc_b64 s[8:9]
	s_add_u32 s8, s8, seen@gotpcrel32@lo+4
	s_addc_u32 s9, s9, seen@gotpcrel32@hi+12
	s_getpc_b64 s[10:11]
	s_add_u32 s10, s10, .Lsection12@gotpcrel32@lo+4
	s_addc_u32 s11, s11, .Lsection12@gotpcrel32@hi+12
	s_endpgm
	.long 0xd1000000 // v_cndmask_b32_e64 v0, s0, s0, s[0:1]
	.long .Lsection9-.
	.size more, .-more

	.section other_code,"ax",@progbits
	.p2align 8
	.protected other
	.type other,@function
other:
.L5_0:
	s_cbranch_scc0 .L5_8
	s_nop 0
.L5_8:
	s_endpgm
	.size other, .-other

	.section .text.group,"axG",@progbits,grouped,comdat
	.p2align 8
	.protected grouped
	.type grouped,@function
grouped:
	s_cbranch_scc0 .L7_8
	s_nop 0
.L7_8:
	s_endpgm
	.size grouped, .-grouped

	.section .rodata.group,"aG",@progbits,grouped,comdat
	.long 0x00000003, 0x00000004

	.section .rodata,"a",@progbits
.Lsection9:
constant:
	.long 0x9abcdef0, 0x12345678, 0x74786574, 0x74697720
	.long 0x71222068, 0x65746f75
	.byte 0x73, 0x22, 0x0a

	.section .rodata.more,"a",@progbits
	.p2align 4
	.long .Lsection9-.
	.long 0x00000007

	.section .data,"aw",@progbits
	.p2align 3
.Lsection12:
numbers:
	.quad first
	.quad .L2_44
	.quad .Lsection9
	.quad .Lsection12
	.quad seen
	.zero 8
	.type seen,@object
	.size seen, 4
seen:
	.long 0x00000005

	.section .bss,"aw",@nobits
	.p2align 6
	.size room, 100
room:
	.zero 100

	.section .data.rel.ro,"aw",@progbits
	.p2align 3
	.long 0x00000005, 0x00000000

	.section .data.rel.ro.more,"aw",@progbits
	.p2align 3
	.long 0x00000006, 0x00000000

	.section .bss.rel.ro,"aw",@nobits
	.zero 24

	.section .bss.more,"aw",@nobits
	.zero 3

	.section unseen,"",@progbits
	.quad first
	.quad undefined
	.long .L5_0
	.long .Lsection12
