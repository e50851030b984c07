; A kernel that calls a function of its own section, one of another section, and one that another object defines, whose
; address the loader writes; and data with addresses of code. call.o is made with
;
;   llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj call.s -o call.o
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
	.globl	kernel
	.p2align	8
	.type	kernel,@function
kernel:
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, near@rel32@lo+4
	s_addc_u32 s5, s5, near@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, far@rel32@lo+4
	s_addc_u32 s5, s5, far@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, other@gotpcrel32@lo+4
	s_addc_u32 s5, s5, other@gotpcrel32@hi+12
	s_load_dwordx2 s[4:5], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	s_swappc_b64 s[30:31], s[4:5]
	global_load_dword v0, v1, s[0:1]
	v_add_f32_e32 v2, v0, v2
	s_cbranch_scc1 .Lend
	global_store_dword v1, v2, s[0:1]
.Lend:
	s_endpgm
	.size	kernel, .-kernel

	.p2align	2
	.type	near,@function
near:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_setpc_b64 s[30:31]
	.size	near, .-near

	.section	.text.far,"ax",@progbits
	.globl	far
	.protected	far
	.p2align	2
	.type	far,@function
far:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	global_load_dword v4, v1, s[0:1]
	v_add_f32_e32 v2, v4, v2
	s_setpc_b64 s[30:31]
	.size	far, .-far

	.data
	.p2align	3
	.globl	table
	.type	table,@object
table:
	.quad	near
	.quad	far
	.quad	far+12
	.long	far-.
	.size	table, .-table

	.section	.rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel kernel
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
