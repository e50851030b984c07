// A kernel that people write by hand: the numbers of registers are those that are used.
	.text
	.globl kernel
	.p2align 8
	.type kernel,@function
kernel:
	s_load_dword s5, s[0:1], 0x0
	v_mov_b32 v3, 1.0
	s_endpgm
.Lkernel_end:
	.size kernel, .Lkernel_end-kernel
	.set kernel.vgprs, max(3, other.vgprs)
	.set other.vgprs, 7
	.rodata
	.p2align 6
	.amdhsa_kernel kernel
		.amdhsa_next_free_vgpr max(totalnumvgprs(0, kernel.vgprs), 1)
		.amdhsa_next_free_sgpr 16
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 4*2
		// accum_offset
		.amdhsa_group_segment_fixed_size lds
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_exception_int_div_zero 1
	.end_amdhsa_kernel
	.set lds, 1024
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: kernel
    .symbol: kernel.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0x400
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 7
    .max_flat_workgroup_size: 1024
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .name: "a: 'b'" }
    .is: true
...
	.end_amdgpu_metadata
