// Several sections of code with labels at the same places, data among code, and all that a linker has to do.
	.text
	.globl first
	.protected first
	.p2align 8
	.type first,@function
first:
	s_cbranch_scc0 .Lout
	s_nop 0
.Lout:
	s_endpgm
	.long 0xffffffff, 0x12345678	// no instruction
.Ltable:
	.long .Ltable-first, helper-.Ltable
	.byte 1, 2, 3, 4
	.p2align 2
	.size first, .-first
	.p2align 6
helper:
	s_cbranch_scc1 helper
	s_setpc_b64 s[30:31]
	.hidden inner
	.globl inner
	.set inner, helper+4
	.p2align 8
	.section .text.more,"ax",@progbits
	.p2align 8
	.globl more
	.protected more
	.type more,@function
more:
	s_cbranch_scc0 .Lthere
	s_nop 0
.Lthere:
	s_endpgm
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, numbers@rel32@lo+4
	s_addc_u32 s5, s5, numbers@rel32@hi+12
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, perhaps@gotpcrel32@lo+4
	s_addc_u32 s7, s7, perhaps@gotpcrel32@hi+12
	s_getpc_b64 s[8:9]
	s_add_u32 s8, s8, seen@gotpcrel32@lo+4
	s_addc_u32 s9, s9, seen@gotpcrel32@hi+12
	s_getpc_b64 s[10:11]
	s_add_u32 s10, s10, numbers@gotpcrel32@lo+4
	s_addc_u32 s11, s11, numbers@gotpcrel32@hi+12
	s_endpgm
	.long 0xd1000000, constant-.	// not the literal of an instruction
	.size more, .-more
	.section other_code,"ax",@progbits
	.p2align 8
	.weak other
	.protected other
	.type other,@function
other:
	s_cbranch_scc0 .Lagain
	s_nop 0
.Lagain:
	s_endpgm
	.size other, .-other
	.section .text.group,"axG",@progbits,grouped,comdat
	.p2align 8
	.weak grouped
	.protected grouped
	.type grouped,@function
grouped:
	s_cbranch_scc0 .Lend
	s_nop 0
.Lend:
	s_endpgm
	.size grouped, .-grouped
	.section .rodata.group,"aG",@progbits,grouped,comdat
	.long 3, 4
	.weak perhaps
	.section .rodata,"a",@progbits
constant:
	.quad 0x123456789abcdef0
	.ascii "text with \"quotes\"\n"
	.section .rodata.more,"a",@progbits
	.p2align 4
	.long constant-., 7
	.data
	.p2align 3
numbers:
	.quad first, helper+4, constant, numbers, seen, 0
	.globl seen
seen:
	.long 5
	.size seen, 4
	.type seen,@object
	.bss
	.p2align 6
room:
	.zero 100
	.size room, 100
	.section .data.rel.ro,"aw",@progbits
	.p2align 3
	.quad 5
	.section .data.rel.ro.more,"aw",@progbits
	.p2align 3
	.quad 6
	.section .bss.rel.ro,"aw",@nobits
	.zero 24
	.section .bss.more,"aw",@nobits
	.zero 3
	.section unseen,"",@progbits
	.quad first, undefined
	.long other_code, .data
