// What narrow1170.s does with numbers, in waves of 64 lanes:
// amdgpu-isa asm --strip --sorted-names -o gfx1170-wave64/wide1170.co wide1170.s
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1170"
	.text
	.globl wide1170
	.p2align 8
	.type wide1170,@function
wide1170:
	s_load_b128 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 5, v0
	s_waitcnt lgkmcnt(0)
	global_load_b128 v[2:5], v0, s[0:1]
	global_load_b128 v[6:9], v0, s[0:1] offset:16
	s_waitcnt vmcnt(0)
	// Numbers are clamped, with NaN as a number and as none, and become 8 bits.
	v_med3_num_f32 v2, v2, v3, v4
	v_minimum3_f32 v3, v3, v4, v5
	v_maximum3_f32 v4, v4, v5, v6
	v_minimummaximum_f32 v5, v5, v6, v7
	v_min_num_f32_e32 v6, v6, v7
	v_max_num_f32_e32 v7, v7, v8
	v_cvt_pk_fp8_f32 v10.l, v2, v3
	v_cvt_pk_fp8_f32 v10.h, v4, v5
	v_cvt_pk_bf8_f32 v11.l, v6, v7
	v_cvt_pk_bf8_f32 v11.h, v8, v9
	v_dot4_f32_fp8_bf8 v12, v10, v11, v2
	v_cvt_f32_fp8_e32 v13, v10
	v_cvt_f32_bf8_e32 v14, v11
	v_pk_minimum_f16 v17, v2, v3
	v_pk_max_num_f16 v18, v2, v3
	// A product of matrices of 8 bits, of which each lane has half as much as in waves of 32 lanes.
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_wmma_f32_16x16x16_fp8_bf8 v[20:23], v10, v12, v[20:23]
	v_cmp_gt_f32_e32 vcc, 0, v20
	v_cndmask_b32_e32 v24, v20, v21, vcc
	v_mov_b32_e32 v25, v22
	v_mov_b32_e32 v26, v23
	v_mov_b32_e32 v27, v13
	global_store_b128 v0, v[20:23], s[2:3]
	global_store_b128 v0, v[24:27], s[2:3] offset:16
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
.Lend:
	.size wide1170, .Lend - wide1170

	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel wide1170
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 16
		.amdhsa_next_free_vgpr 28
		.amdhsa_next_free_sgpr 4
		.amdhsa_wavefront_size32 0
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.kernels:
  - .name:           wide1170
    .symbol:         wide1170.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 1024
    .sgpr_count:     4
    .vgpr_count:     28
    .sgpr_spill_count: 0
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx1170
amdhsa.version: [1, 2]
...
	.end_amdgpu_metadata
