// Scalar, vector and memory operations of gfx1310 under its own numbers, an image, an export, and dual instructions:
// amdgpu-isa asm --strip --sorted-names -o gfx1310/mixed1310.co mixed1310.s
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1310"
	.text
	.globl mixed1310
	.p2align 8
	.type mixed1310,@function
mixed1310:
	s_clause 0x1
	s_load_b128 s[4:7], s[0:1], 0x0
	s_load_b256 s[8:15], s[0:1], 0x20
	v_and_b32_e32 v0, 0x3ff, v0
	s_mov_b64 s[16:17], 0x123456789abcdef0
	s_mov_b32 s20, 0
	v_lshlrev_b32_e32 v1, 4, v0
	s_wait_kmcnt 0x0
	global_load_b128 v[4:7], v1, s[4:5]
	buffer_load_b32 v8, v1, s[8:11], null offen nv
	image_load v[12:15], [v0, v1], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D
	s_wait_loadcnt 0x0
.Lloop:
	// A step of a sum: floats, halves, integers, lanes.
	v_dual_fmac_f32 v16, v4, v5 :: v_dual_add_nc_u32 v17, s20, v6
	v_dual_fma_f32 v18, v4, v5, v7 :: v_dual_mul_f32 v19, v6, v8
	v_fma_f16 v20.l, v4.h, v5.l, v6.l
	v_add_nc_u16 v20.h, v4.l, v5.h
	v_pk_fma_f16 v21, v4, v5, v6
	v_mad_co_u64_u32 v[22:23], vcc_lo, v4, v5, v[6:7]
	v_lshlrev_b64_e32 v[24:25], 3, v[4:5]
	v_bitop3_b32 v26, v4, v5, v6 bitop3:0x96
	v_med3_num_f32 v27, v4, v5, v6
	v_cvt_pk_fp8_f16_e32 v28.l, v4
	v_permlane16_b32 v29, v4, s4, s5
	v_mov_b32_dpp v30, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_f32_e32 vcc_lo, v16, v18
	v_cndmask_b32_e32 v31, v16, v18, vcc_lo
	s_add_co_i32 s20, s20, 1
	s_bitcmp1_b32 s20, 4
	s_cbranch_scc0 .Lloop
	ds_store_b32 v1, v31
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait 0xffff
	ds_load_b32 v31, v1
	s_wait_dscnt 0x0
	flat_atomic_add_u32 v32, v[22:23], v31 th:TH_ATOMIC_RETURN
	scratch_store_b32 off, v20, s20
	global_store_b128 v1, v[12:15], s[6:7]
	s_wait_storecnt 0x0
	s_wait_loadcnt_dscnt 0x0
	global_store_b32 v1, v32, s[6:7] offset:16
	s_endpgm
.Lend:
	.size mixed1310, .Lend - mixed1310

	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel mixed1310
		.amdhsa_group_segment_fixed_size 16384
		.amdhsa_private_segment_fixed_size 16
		.amdhsa_enable_private_segment 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 64
		.amdhsa_next_free_vgpr 33
		.amdhsa_next_free_sgpr 21
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.kernels:
  - .name:           mixed1310
    .symbol:         mixed1310.kd
    .kernarg_segment_size: 64
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 16384
    .private_segment_fixed_size: 16
    .max_flat_workgroup_size: 1024
    .sgpr_count:     21
    .vgpr_count:     33
    .sgpr_spill_count: 0
    .vgpr_spill_count: 0
    .wavefront_size: 32
amdhsa.target: amdgcn-amd-amdhsa--gfx1310
amdhsa.version: [1, 2]
...
	.end_amdgpu_metadata
