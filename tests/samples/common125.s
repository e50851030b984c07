// What every CDNA5 has. clang 22 does not know the generic processor, so this is assembled by this project's command:
// amdgpu-isa asm --strip --sorted-names -o gfx12-5-generic/common125.co common125.s
	.amdgcn_target "amdgcn-amd-amdhsa--gfx12-5-generic"
	.text
	.globl common125
	.p2align 8
	.type common125,@function
common125:
	s_load_b128 s[0:3], s[0:1], 0x0
	v_and_b32_e32 v0, 0x3ff, v0
	v_lshlrev_b32_e32 v0, 5, v0
	s_wait_kmcnt 0x0
	global_load_b128 v[2:5], v0, s[0:1]
	global_load_b128 v[6:9], v0, s[0:1] offset:16
	s_wait_loadcnt 0x0
	v_pk_add_f32 v[2:3], v[2:3], v[4:5]
	v_pk_fma_f32 v[4:5], v[2:3], v[6:7], v[8:9]
	v_add_nc_u64_e32 v[6:7], v[4:5], v[8:9]
	v_fma_f64 v[8:9], v[2:3], v[4:5], v[6:7]
	v_tanh_f32_e32 v10, v2
	v_nop
	v_cvt_pk_bf16_f32 v11, v3, v4
	v_dual_add_f32 v12, v2, v5 :: v_dual_mul_f32 v13, v3, v6
	global_store_b128 v0, v[6:9], s[2:3]
	global_store_b128 v0, v[10:13], s[2:3] offset:16
	s_endpgm
.Lend:
	.size common125, .Lend - common125

	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel common125
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 16
		.amdhsa_next_free_vgpr 14
		.amdhsa_next_free_sgpr 4
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.kernels:
  - .name:           common125
    .symbol:         common125.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 1024
    .sgpr_count:     4
    .vgpr_count:     14
    .sgpr_spill_count: 0
    .vgpr_spill_count: 0
    .wavefront_size: 32
amdhsa.target: amdgcn-amd-amdhsa--gfx12-5-generic
amdhsa.version: [1, 2]
...
	.end_amdgpu_metadata
