// Two kernels of Mesa, each behind its descriptor (amd_kernel_code_t).
	.text
	.amdgpu_hsa_kernel k
	.p2align 8
k:
	.amd_kernel_code_t
		amd_code_version_major = 1
		amd_code_version_minor = 2
		amd_machine_kind = 1
		amd_machine_version_major = 9
		kernel_code_entry_byte_offset = 256
		wavefront_size = 6
	.end_amd_kernel_code_t
	s_mov_b32 s0, 1
	s_endpgm
	.p2align 8
	.amdgpu_hsa_kernel k2
k2:
	.amd_kernel_code_t
		kernel_code_entry_byte_offset = 256
		wavefront_size = 6
	.end_amd_kernel_code_t
	s_mov_b32 s0, 2
	s_endpgm
