// Operations of gfx1310 in waves of 64 lanes:
// amdgpu-isa asm --strip --sorted-names -o gfx1310-wave64/wide1310.co wide1310.s
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1310"
	.text
	.globl wide1310
	.p2align 8
	.type wide1310,@function
wide1310:
	s_load_b128 s[0:3], s[0:1], 0x0
	v_and_b32_e32 v0, 0x3ff, v0
	v_lshlrev_b32_e32 v1, 4, v0
	s_wait_kmcnt 0x0
	global_load_b128 v[4:7], v1, s[0:1]
	s_wait_loadcnt 0x0
	// Lane masks are 64 bits.
	v_cmp_lt_f32_e32 vcc, v4, v5
	v_cndmask_b32_e32 v8, v4, v5, vcc
	v_add_co_u32 v9, vcc, v4, v5
	v_add_co_ci_u32_e64 v10, vcc, v6, v7, vcc
	v_cmpx_ne_u32_e64 v9, v10
	v_add_f64_e32 v[12:13], v[4:5], v[6:7]
	v_mov_b32_dpp v11, v4 row_share:3 row_mask:0xf bank_mask:0xf
	v_permlane64_b32 v14, v4
	s_mov_b64 exec, -1
	ds_store_b64 v1, v[12:13]
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait 0xffff
	ds_load_b64 v[12:13], v1
	s_wait_dscnt 0x0
	global_store_b128 v1, v[8:11], s[2:3]
	global_store_b64 v1, v[12:13], s[2:3] offset:16
	s_endpgm
.Lend:
	.size wide1310, .Lend - wide1310

	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel wide1310
		.amdhsa_group_segment_fixed_size 16384
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 16
		.amdhsa_next_free_vgpr 15
		.amdhsa_next_free_sgpr 21
		.amdhsa_wavefront_size32 0
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.kernels:
  - .name:           wide1310
    .symbol:         wide1310.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 16384
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 1024
    .sgpr_count:     21
    .vgpr_count:     15
    .sgpr_spill_count: 0
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx1310
amdhsa.version: [1, 2]
...
	.end_amdgpu_metadata
