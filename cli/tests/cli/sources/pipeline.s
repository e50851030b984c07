// A pipeline of PAL: its metadata is in no segment, and there is no descriptor.
	.text
	.globl _amdgpu_vs_main
	.p2align 8
	.type _amdgpu_vs_main,@function
_amdgpu_vs_main:
	s_cbranch_scc0 .Lend
	s_nop 0
.Lend:
	s_endpgm
	.size _amdgpu_vs_main, .-_amdgpu_vs_main
	.globl _amdgpu_ps_main
	.p2align 8
	.type _amdgpu_ps_main,@function
_amdgpu_ps_main:
	s_endpgm
	.fill 48, 4, 0xbf800000
	.size _amdgpu_ps_main, .-_amdgpu_ps_main
	.amdgpu_pal_metadata
---
amdpal.pipelines:
  - .hardware_stages:
      .ps: { .entry_point: _amdgpu_ps_main, .sgpr_count: 0x20, .vgpr_count: 0x4 }
      .vs: { .entry_point: _amdgpu_vs_main, .sgpr_count: 0x20, .vgpr_count: 0x4 }
    .internal_pipeline_hash: [ 0x123456789abcdef0, 0xffffffffffffffff ]
    .registers: {}
amdpal.version: [ 0x2, 0x6 ]
...
	.end_amdgpu_pal_metadata
	.section .comment,"MS",@progbits,1
	.asciz "by hand"
