// A compute shader for waves of 64 lanes. Only the metadata says so.
	.text
	.globl _amdgpu_cs_main
	.p2align 8
	.type _amdgpu_cs_main,@function
_amdgpu_cs_main:
	v_cmp_lt_f32_e64 s[4:5], v1, v1
	s_endpgm
	.amdgpu_pal_metadata
---
amdpal.pipelines:
  - .hardware_stages:
      .cs:
        .entry_point: _amdgpu_cs_main
        .wavefront_size: 0x40
    .type: Cs
    .registers: {}
amdpal.version:
  - 0x2
  - 0x1
...
	.end_amdgpu_pal_metadata
