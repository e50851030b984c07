// A kernel that adds two scalars, with its descriptor.
	.text
	.globl add
	.p2align 8
	.type add,@function
add:
	s_add_u32 s0, s0, s1
	s_endpgm
.Lend:
	.size add, .Lend - add

	.section .rodata,"a",@progbits
	.p2align 6
	.ifdef accum
	.amdhsa_kernel add
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 2
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.else
	.amdhsa_kernel add
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 2
	.end_amdhsa_kernel
	.endif
