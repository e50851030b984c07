// Sources that LLVM's assembler refuses. `//!` begins each, with the processor and what is on or off.
//! gfx942
.octa -1
//! gfx942
.octa 0x1ffffffffffffffffffffffffffffffff
//! gfx942
.octa x
//! gfx942
.byte ''
//! gfx942
.byte 'ab'
//! gfx942
.org -1
//! gfx942
s_nop 0
s_nop 0
.org 4
//! gfx942
.=.+4
s_nop 0
.=.+4,3
//! gfx942
.set ., 16
.long 1
//! gfx942
.set ., .+16
.long 1
//! gfx942
.print hello
//! gfx942
.print "a" b
//! gfx942
.comm x 4
//! gfx942
.comm x, -4
//! gfx942
x:
.comm x,4
//! gfx942
.lcomm y, 8, 4
//! gfx942
.lcomm y, 8, 16
.lcomm z, 3
.long y
//! gfx942
.hsa_code_object_version 2,1
//! gfx942
.hsa_code_object_isa 7,0,0,"AMD","AMDGPU"
//! gfx942
.amd_kernel_code_t
.end_amd_kernel_code_t
//! gfx942
.hsatext
s_nop 0
//! gfx942
.hsadata_global_agent
//! gfx942
.amdgpu_hsa_module_global x
//! gfx942
.amdgpu_hsa_program_global x
//! gfx942
.float 0x1
//! gfx942
.float 1.5.2
//! gfx942
.float x
//! gfx942
.float 1,
//! gfx942
.half 1
//! gfx942
.hword 1
//! gfx942
.word 1
//! gfx942
.byte 255, -128, 256
//! gfx942
.byte -129
//! gfx942
.short 65536
//! gfx942
.short -32769
//! gfx942
.long 0x100000000
//! gfx942
.long -0x80000001
//! gfx942
.quad 0x1ffffffffffffffff
//! gfx942
.byte 1,
//! gfx942
.long 1 2
//! gfx942
.byte 08
//! gfx942
.byte 0b2
//! gfx942
.byte 0xg
//! gfx942
.byte 1f
//! gfx942
.long 1h, 0fh, 11b
//! gfx942
.asciz "a" "b", "c"
//! gfx942
.string "a" "b"
//! gfx942
.ascii "\q"
//! gfx942
.ascii "\400"
//! gfx942
.ascii "\x"
//! gfx942
.ascii "abc
//! gfx942
.ascii abc
//! gfx942
.ascii "a",
//! gfx942
.string8 "a"
//! gfx942
.string16 "a"
//! gfx942
.zero
//! gfx942
.skip -1
//! gfx942
.zero -1
//! gfx942
.fill
//! gfx942
.align 3
//! gfx942
.balign 3
//! gfx942
.p2align 32
//! gfx942
.align
//! gfx942
.balign 8, 1, -1
//! gfx942
.balign 8, 1, 0
//! gfx942
.balign 8 1
//! gfx942
.section .a,"q"
//! gfx942
.section .a,"a",progbits
//! gfx942
.section .a,a
//! gfx942
.section .text.f,"axG",@progbits
//! gfx942
.section .x,"aM",@progbits
//! gfx942
.section .x,"aM",@progbits,0
//! gfx942
.section .x,"aM",@progbits,-1
//! gfx942
.section .foo
.byte 1
.section .foo,"a"
.byte 2
//! gfx942
.section .foo,"a"
.section .foo,"aw"
//! gfx942
.section .foo,"a",@progbits
.section .foo,"a",@nobits
//! gfx942
.section .rodata,"aw"
//! gfx942
.section .foo 3
//! gfx942
.section
//! gfx942
.popsection
//! gfx942
.previous
.previous
s_nop 0
//! gfx942
.data.rel
//! gfx942
.data.rel.ro
//! gfx942
.eh_frame
//! gfx942
.ident "hi
//! gfx942
.ident hi
//! gfx942
.symver a, a
//! gfx942
.globl a b
//! gfx942
.globl a
.local a
a: s_nop 0
//! gfx942
.local a
.globl a
a: s_nop 0
//! gfx942
.weak a
.globl a
a: s_nop 0
//! gfx942
.type a,@foo
//! gfx942
.type a
//! gfx942
.type a,@func
a:
//! gfx942
.type a,@section
a:
//! gfx942
.size a
//! gfx942
.equiv x, 5
.equiv x, 6
//! gfx942
.equiv x, 5
.set x, 6
.long x
//! gfx942
x:
.set x, 5
//! gfx942
x == 5
.long x
//! gfx942
x == 5
x == 6
//! gfx942
.set x, 5
.equiv x, 7
//! gfx942
.set x
//! gfx942
.set x, 
//! gfx942
.set 5, x
//! gfx942
.set x 5
//! gfx942
x = 
//! gfx942
= 5
//! gfx942
x = x + 1
.long x
//! gfx942
.equ a, s0
s_mov_b32 a, 1
//! gfx942
.set a, s[0:1]
//! gfx942
.set reg, v5
v_mov_b32 reg, 1
v_mov_b32 v0, reg
//! gfx942
.macro m a:req
.long \a
.endm
m
//! gfx942
.macro m a
.long \a
.endm
m 1, 2
//! gfx942
.macro m a
.long \b
.endm
m 1
//! gfx942
.macro outer a
.macro inner_\a b
.long \a, \\b
.endm
.endm
outer 1
inner_1 5
//! gfx942
.macro m a
.ascii "\a"
.endm
m hello
m "hello world"
m <a, b>
//! gfx942
.macro m a
.ascii \a
.endm
m "x, y"
//! gfx942
.macro m s
v_mov_b32 v0, \s
.endm
m 1.0
m -1
m v2
m 0x3f800000
m s[2]
m |v1|
m -v1
//! gfx942
.macro m a, a
.endm
//! gfx942
.macro m a:foo
.endm
//! gfx942
.macro m
s_nop 0
//! gfx942
.endm
//! gfx942
.endmacro
//! gfx942
.macro
.endm
//! gfx942
.macro m
.endm
.macro m
.endm
//! gfx942
.macro m
.long 1
.endm
.purgem m
m
//! gfx942
.purgem m
//! gfx942
.macro M
.long 1
.endm
M
m
//! gfx942
.altmacro
.macro m a
LOCAL x
x: .long \a
.long a
.endm
m 1
//! gfx942
.rept -1
.endr
//! gfx942
.rept x
.endr
//! gfx942
.rept 2
//! gfx942
.endr
//! gfx942
.irp x, 1, 2, 3
.long \x
.endr
.irp y, s0, s[1:1], s2
s_mov_b32 \y, 1
.endr
.irp z, a b c
.ascii "\z"
.endr
.irp q
.ascii "[\q]"
.endr
//! gfx942
.irp x 1, 2
.long \x
.endr
//! gfx942
.irpc c, a,b
.byte '\c'
.endr
//! gfx942
.irpc c
.ascii "<\c>"
.endr
//! gfx942
.set i, 0
.rept 3
.macro m\@
.endm
.set i, i+1
.endr
//! gfx942
.ifc a
//! gfx942
.ifeqs a, b
//! gfx942
.if
.endif
//! gfx942
.if x
.endif
//! gfx942
.else
//! gfx942
.elseif 1
//! gfx942
.endif
//! gfx942
.if 1
.else
.else
.endif
//! gfx942
.if 1
.else
.elseif 1
.endif
//! gfx942
.if 1 2
.endif
//! gfx942
.if 1
.long 1
.endif extra
//! gfx942
.if a == b
.long 1
.endif
a = 1
b = 1
//! gfx942
a = 1
.if a == 1 && a != 2
.long 1
.endif
.if a == 1 || x
.long 2
.endif
//! gfx942
.err
//! gfx942
.error "x"
//! gfx942
.error
//! gfx942
.error x
//! gfx942
.warning x
//! gfx942
.abort
//! gfx942
.abort "x"
//! gfx942
.line x
//! gfx942
# hello
s_nop 0 # c
//! gfx942
/* open
s_nop 0
//! gfx942
s_nop 0 /* open
//! gfx942
s_nop 0 / s_nop 1
//! gfx942
.long 1 # c
//! gfx942
.long 1 ! c
//! gfx942
s_branch 1b
//! gfx942
s_branch 1f
//! gfx942
a:
a:
//! gfx942
a:: s_nop 0
//! gfx942
foo bar
//! gfx942
foo
//! gfx942
.foo
//! gfx942
.foo bar
//! gfx942
s_mov_b32 s0
//! gfx942
s_mov_b32 s0, 1, 2
//! gfx942
s_mov_b32 S0, 1
//! gfx942
s_nop 0 \
s_nop 1
//! gfx942
.macro m
.err
.endm
m
//! gfx942
.macro m
 s_foo
.endm
s_nop 0
m
//! gfx942
.irp x,1,2
 s_foo \x
.endr
//! gfx942
.rept 2
 .byte 300
.endr
//! gfx942
.reloc 0, R_FOO, x
//! gfx942
.reloc x, R_AMDGPU_ABS32, x
//! gfx942
.short x
//! gfx942
.byte x
//! gfx942
.long x@foo
//! gfx942
.long x@plt
//! gfx942
.long x@got
//! gfx942
.long . - x
//! gfx942
.long x + y
//! gfx942
.long -x
//! gfx942
.long x * 2
//! gfx942
.long x - y
//! gfx942
a: s_nop 0
.data
.long a - .
.long . - a
.quad a
.long a
.long a+4
//! gfx942
s_getpc_b64 s[0:1]
s_add_u32 s0, s0, f@rel32@lo+4
s_addc_u32 s1, s1, f@rel32@hi+12
s_add_u32 s0, s0, f@gotpcrel32@lo+4
s_addc_u32 s1, s1, f@gotpcrel32@hi+12
s_mov_b32 s0, f@abs32@lo
s_mov_b32 s0, f@abs32@hi
s_mov_b32 s0, f
v_mov_b32 v0, f
s_load_dword s0, s[0:1], f
//! gfx942
s_branch 65536
//! gfx942
s_branch -32769
//! gfx942
a: .long 0, 0
s_branch b-a
b:
//! gfx942
s_movk_i32 s0, x
//! gfx942
s_nop x
//! gfx942
s_nop x
x = 3
//! gfx942
v_mov_b32 v[x], 1
x = 3
//! gfx942
s_load_dword s0, s[0:1], x
x = 8
//! gfx942
v_mad_f32 v0, x, v1, v2
x = 1
//! gfx900
.amdgcn_target "amdgcn-amd-amdhsa--gfx900:xnack+"
s_endpgm
//! gfx900 +xnack
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
s_endpgm
//! gfx90a
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a:xnack+"
s_endpgm
//! gfx90a
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
s_endpgm
//! gfx90a
.amdgcn_target amdgcn-amd-amdhsa--gfx90a
s_endpgm
//! gfx600
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 104
.end_amdhsa_kernel
//! gfx600
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 105
.end_amdhsa_kernel
//! gfx600
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 103
.end_amdhsa_kernel
//! gfx600
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 256
.amdhsa_next_free_sgpr 102
.end_amdhsa_kernel
//! gfx700
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 104
.end_amdhsa_kernel
//! gfx900
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 103
.end_amdhsa_kernel
//! gfx90a
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 513
.amdhsa_next_free_sgpr 8
.amdhsa_accum_offset 256
.end_amdhsa_kernel
//! gfx90a
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.amdhsa_accum_offset 3
.end_amdhsa_kernel
//! gfx90a
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
.amdhsa_foo 8
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
s_nop 0
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
.set x, 1
.amdhsa_next_free_vgpr 8
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_ieee_mode 2
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_ieee_mode -1
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr -1
.end_amdhsa_kernel
//! gfx1200
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_ieee_mode 1
.end_amdhsa_kernel
//! gfx900
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_user_sgpr_count 4
.amdhsa_user_sgpr_dispatch_ptr 1
.amdhsa_user_sgpr_queue_ptr 1
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
//! gfx900
.amdhsa_code_object_version x
s_endpgm
//! gfx900
.amdgpu_metadata
amdhsa.version:
  - 1
  - 2
.end_amdgpu_metadata
//! gfx900
.amdgpu_metadata
---
amdhsa.version:
  - 1
  - 2
amdhsa.kernels:
  - .name: k
...
.end_amdgpu_metadata
//! gfx900
.amdgpu_metadata
---
foo: 1
...
.end_amdgpu_metadata
//! gfx900
.amdgpu_metadata
---
 - [
...
.end_amdgpu_metadata
//! gfx942
.amdgpu_lds x, 4, 3
//! gfx942
.amdgpu_lds x
//! gfx942
.amdgpu_lds x, -1
//! gfx942
.amdgpu_lds x, 65537
//! gfx942
x:
.amdgpu_lds x, 4
//! gfx942
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_accum_offset 4
.amdhsa_enable_private_segment 1
.amdhsa_user_sgpr_private_segment_buffer 1
.end_amdhsa_kernel
//! gfx942
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_accum_offset 4
.amdhsa_reserve_flat_scratch 1
.end_amdhsa_kernel
//! gfx600
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_reserve_flat_scratch 0
.end_amdhsa_kernel
//! gfx1100
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_reserve_flat_scratch 0
.end_amdhsa_kernel
//! gfx942
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_accum_offset 4
.amdhsa_reserve_xnack_mask 0
.end_amdhsa_kernel
//! gfx700
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_reserve_xnack_mask 0
.end_amdhsa_kernel
//! gfx942
.loc 1 2 3
s_nop 0
//! gfx942
.file 1 "x.c"
.file 1 "x.c"
//! gfx942
.bundle_align_mode 4
//! gfx942
.linkonce
//! gfx942
.pseudoprobe 1 2 3 4
//! gfx942
.stabs "x"
//! gfx942
.desc x, 1
//! gfx942
.dc.x 1
//! gfx942
.uleb128 x
//! gfx942
.gpword x
//! gfx942
.incbin "some.bin", -1
//! gfx942
.base64 "x"
//! gfx942
.nops 4
//! gfx942
.nop
//! gfx942
.set_symbol
//! gfx942
.attach_to_group
//! gfx942
.code_object
//! gfx942
.loc_mark_labels 1
//! gfx942
.symbol_resolver a
//! gfx942
.secrel32 a
//! gfx942
.rva a
//! gfx942
.lsym a, 1
//! gfx942
.dump "x"
//! gfx942
.load "x"
//! gfx942
.zerofill
//! gfx942
.thumb_func a
//! gfx942
.reference a
//! gfx942
.private_extern a
//! gfx942
.weak_definition a
//! gfx942
.lazy_reference a
//! gfx942
.symbol a
//! gfx942
.data_region
//! gfx942
.size
//! gfx942
.org
//! gfx942
.org x
//! gfx942
.org 0, 1, 2
//! gfx942
.assert 1
//! gfx942
.eject
.list
.nolist
.psize 1
.sbttl "x"
.title "x"
//! gfx942
.eqv x, 5
//! gfx942
.ln 5
//! gfx942
.appline 5
//! gfx942
.file
//! gfx942
.loc
//! gfx942
.fail 1
//! gfx942
.scl
//! gfx942
.literal
//! gfx942
.irp r, v0, v1, v2
.irp op, add, sub
v_\op\()_f32 \r, \r, v9
.endr
.endr
//! gfx942
.macro unroll n
.if \n
v_add_f32 v\n, v\n, v0
unroll (\n-1)
.endif
.endm
unroll 3
//! gfx942
.long 1+2*3, (1+2)*3, 10-3-2, 7/2, -7/2, 7%3, -7%3, 1<<4>>2, 0xff&0x0f|0x30^3, 5>3, 5<3, 5==5, 3<>4, 3!=3
.long -1>>4
.quad 1<<63, -1>>1, 0x8000000000000000
.long 2-(-3), - - 4, +5, ~~6
//! gfx942
.long 1 + ; 2
//! gfx942
.long (1
//! gfx942
.long 1)
//! gfx942
.long 1/0
//! gfx942
.long 5%0
//! gfx942
s_mov_b32 s0, 1/0
//! gfx942
.long 1 ? 2
//! gfx942
.long a/2
a:
//! gfx1200
s_getpc_b64 s[0:1]
s_sext_i32_i16 s1, s1
s_add_co_u32 s0, s0, f@rel32@lo+12
s_add_co_ci_u32 s1, s1, f@rel32@hi+24
s_swap_pc_b64 s[30:31], s[0:1]
//! gfx942
s_nop 0 /* a
b */ s_nop 1
//! gfx942
.long 0x1F, 0X1f, 0b11, 0B11, 0777, 1_000
//! gfx942
.long 0x
//! gfx942
.long 09
//! gfx942
.quad 18446744073709551616
//! gfx942
.section .rodata.str1.1,"aMS",@progbits,1
.section .rodata.str1.1,"aMS",@progbits,2
//! gfx942
.section .x,"aw",@progbits
.pushsection .y
.byte 1
.pushsection .z,"a"
.byte 2
.popsection
.byte 3
.popsection
.byte 4
.popsection
//! gfx942
s_foo v0
//! gfx942
v_mov_b32 v0
//! gfx942
v_mov_b32 v256, 0
//! gfx942
v_mov_b32 v0, s200
//! gfx942
s_mov_b32 s0, v0
//! gfx942
v_add_f32 v0, s0, s1
//! gfx942
global_load_dword v0, v1, s[0:1] offset:99999
//! gfx942
s_load_dword s0, s[1:2], 0
//! gfx942
v_mov_b32 v[0:1], 0
//! gfx942
v_mov_b64 v0, 0
//! gfx942
s_waitcnt foo(0)
//! gfx942
s_waitcnt vmcnt(99)
//! gfx942
s_branch nowhere + nothing
//! gfx942
.long nowhere - nothing
//! gfx942
.macro m
s_nop 0
.endm
m 5
//! gfx942
.macro m a, b
.long \a+\b
.endm
m 1, 2, 3
//! gfx942
.macro m a, b
.long \a+\b
.endm
m c=1
//! gfx942
.macro m a, b
.long \a+\b
.endm
m a=1, 2
//! gfx942
.macro m a:vararg, b
.endm
//! gfx942
.rept
.endr
//! gfx942
.rept 2 3
.endr
//! gfx942
.irp
.endr
//! gfx942
.irpc x
.endr
//! gfx942
.section .foo,"ax",@progbits,unique,x
//! gfx942
.type x, @bogus
//! gfx942
.p2align 40
//! gfx942
.fill 1, 2, x
//! gfx942
.zero x
//! gfx942
.space 4, 5, 6
//! gfx942
.byte "a"
//! gfx942
.ascii 5
//! gfx942
.float abc
//! gfx942
.set
//! gfx942
.globl 5
//! gfx942
.size
//! gfx942
.type
//! gfx942
.p2align x
//! gfx942
.weak 3x
//! gfx942
.end_amdhsa_kernel
//! gfx942
.amdhsa_next_free_vgpr 3
//! gfx942
.amdgpu_lds
//! gfx942
.amdgcn_target "gfx942"
//! gfx942
.amdgcn_target
//! gfx942
s_nop 0
s_waitcnt vmcnt(0),
//! gfx1100
s_nop 0
s_delay_alu instid0(VALU_DEP_1),instid1(VALU_DEP_1)
//! gfx942
s_nop 0
s_getreg_b32 s0, {id: 1, id: 1}
//! gfx942
s_mov_b64 [s[0:1]], 1
//! gfx942
vcc:
s_nop 0
s_branch vcc
//! gfx942
s_nop 0
s_branch undefined
//! gfx942
.globl f
s_cbranch_scc0 f
//! gfx942
s_nop 0
s_mov_b64 s[0:1], symbol
//! gfx1200
s_nop 0
v_add_f32_e64 v0, symbol, v1
//! gfx1030
s_nop 0
v_fmaak_f32 v0, v1, v2, symbol
//! gfx942
s_nop 0
v_add_f16 v0, symbol, v1
//! gfx1030
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.amdhsa_wavefront_size32 1
.amdhsa_shared_vgpr_count 1
.end_amdhsa_kernel
//! gfx900
s_nop 0
9x: s_nop 1
//! gfx900
s_nop 0
s_branch 1f
//! gfx900
s_nop 0
.irpc c,
.byte 1
.endr
//! gfx900
.amd_amdgpu_pal_metadata 1, 2
//! gfx900
s_nop 0
.cfi_def_cfa_offset 4
//! gfx900
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_user_sgpr_dispatch_ptr later
.amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.set later, 1
//! gfx900
s_nop 0
v_add_u32 v0, -v1, v2
s_bad
//! gfx900
s_nop 0
s_mov_b32 s0, @
s_bad
//! gfx900
.reloc 0, R_AMDGPU_NOTHING
s_bad
//! gfx900
.cg_profile a, b
s_bad
//! gfx900
.cg_profile a, b, -1
s_bad
//! gfx900
a: s_nop 0
.cg_profile .Lnowhere, a, 5
//! gfx900
.loc_label 5
s_bad
//! gfx900
s_nop 0
# 40 "kernel.S"
s_nop 0
s_bad
//! gfx900
# 12 "a.h" 1 3
.macro m
s_bad
.endm
# 7 "kernel.S" 2
m
//! gfx900
.set a, b
.set b, c
.set c, b
.long b
//! gfx900
.set a, b
.set b, a
s_mov_b32 s0, a
//! gfx900
s_nop 0
.set c, c
//! gfx900
.bss
.long 4
.text
s_bad
//! gfx900
s_nop 0
.TEXT
s_bad
//! gfx900
.globl a
.Size a, 4
s_bad
//! gfx900
.Section .x
s_bad
//! gfx900
.section .x
.pushsection
.popsection
s_bad
//! gfx803 mesa3d
.amd_kernel_code_t
wavefront_size = 6
control_directives = 0
.end_amd_kernel_code_t
//! gfx803 mesa3d
.amd_kernel_code_t
wavefront_size 6
.end_amd_kernel_code_t
//! gfx900
buffer_load_dword v0, v[1:2], s[4:7], 0 offen
s_bad
//! gfx900
ds_ordered_count v0, v1 offset:3
s_bad
//! gfx900
v_add_f32 v0, --1, v2
s_bad
//! gfx900
s_cbranch_scc0 foo bar
s_bad
//! gfx1100
v_dual_add_nc_u32 v0, v1, v2 :: v_dual_add_f32 v4, v5, v6
s_bad
//! gfx1030
s_setreg_b32 hwreg({id: 1, size: 4}), s0
s_bad
//! gfx803 mesa3d
.amd_kernel_code_t
is_ptr64 = on
.end_amd_kernel_code_t
.set on, 1
//! gfx1100
.amdhsa_kernel k
.amdhsa_next_free_vgpr 250
.amdhsa_next_free_sgpr 10
.amdhsa_wavefront_size32 0
.amdhsa_shared_vgpr_count 8
.end_amdhsa_kernel
//! gfx942
.file 1 "b.c" source
s_bad
//! gfx942
.file 1 "b.c" "c.c" "d.c"
s_bad
//! gfx906
.long (sym+4)@rel32@lo + 4
//! gfx906
.long $
//! gfx906
s_nop 0
.long none-none
//! gfx906
.byte 'é'
//! gfx906
.float 1e5e
//! gfx906
.float .e5
//! gfx906
.long [1+2)
//! gfx906
.type a,@amdgpu_hsa_kernel
//! gfx906
.incbin "some.bin",3,
//! gfx906
s_nop 0
.incbin "some.bin",-1
//! gfx906
.cfi_startproc
.cfi_personality 0x50, handler
s_bad
//! gfx906
.lto_set_conditional , second
s_bad
//! gfx906
.lto_set_conditional first,
s_bad
//! gfx906
.cfi_startproc
.cfi_offset 5 6
s_bad
//! gfx906
.cfi_startproc
.cfi_register 5 6
s_bad
//! gfx906
.cfi_startproc
.cfi_def_cfa 5 6
s_bad
//! gfx906
.cfi_startproc
.cfi_rel_offset 5 6
s_bad
//! gfx906
.cfi_startproc
.cfi_personality 1, handler
s_bad
//! gfx906
.cfi_startproc
.cfi_personality 9, handler
s_bad
//! gfx906
.cfi_startproc
.cfi_personality 0x1d, handler
s_bad
//! gfx906
.cfi_startproc
.cfi_personality 0x1b
s_bad
//! gfx906
.cfi_startproc
.cfi_lsda 0x1b, 5
s_bad
//! gfx906
s_nop 0
.cfi_personality 0, handler
//! gfx906
.file 1 "a.c"
.loc 1 5 3 is_stmt 2
s_bad
//! gfx906
.file 1 "a.c"
.loc 1 5 -3
s_bad
//! gfx906
.amdhsa_kernel k
.amdhsa_ieee_mode 2
.amdhsa_next_free_vgpr 4
.amdhsa_dx10_clamp 3
.end_amdhsa_kernel
//! gfx906
.amdhsa_kernel k
.amdhsa_next_free_vgpr 4
.amdhsa_next_free_sgpr 4
.amdhsa_user_sgpr_count 255
.end_amdhsa_kernel
//! gfx906
.amdhsa_kernel k
.amdhsa_next_free_vgpr 4
label:
.amdhsa_next_free_sgpr 4
.end_amdhsa_kernel
//! gfx906
.amdhsa_kernel k
.amdhsa_next_free_vgpr 4
value = 5
.amdhsa_next_free_sgpr 4
.end_amdhsa_kernel
//! gfx906
s_nop 0
.amdgcn_target "amdgcn-amd-amdhsa-gfx906"
//! gfx906
.amdgcn_target "amdgcn-amd-amdhsa--gfx906" more
//! gfx906
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels: []
.more: 1
amdhsa.kernels: []
...
.end_amdgpu_metadata
//! gfx906
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels: ~
...
.end_amdgpu_metadata
//! gfx1030 amdpal
.amdgpu_pal_metadata
amdpal.version: [
.end_amdgpu_pal_metadata
//! gfx906
s_nop 0
.: s_nop 1
//! gfx906
.MACRO m
.long 1
.ENDM
m
//! gfx906
.macro m
.long 1
.endm m
//! gfx906
.rept 2
.long 1
.endr,
//! gfx906
.macro m
.long 1
.endm-1
m
//! gfx906
s_nop 0
s_nop 1 # no comment
//! gfx906
.long 1.5
//! gfx906
.byte 0x1p-3
//! gfx906
s_nop 0
@: s_nop 1
//! gfx906
s_nop 0
?x: s_nop 1
//! gfx1030
.amdhsa_kernel k
.amdhsa_next_free_vgpr 4
.amdhsa_reserve_vcc 2
.amdhsa_tg_split 1
.end_amdhsa_kernel
//! gfx942
.p2align 3,
//! gfx942
.balign 8,,
//! gfx942
s_add_u32 s0, f, f
//! gfx1100
s_cmp_eq_u32 f, f
//! gfx942
0x = 5
//! gfx942
1 = 5
//! gfx942
.altmacro
.irpc x,<a b>,c
.endr
//! gfx942
.globl $
//! gfx942
$ = 1
//! gfx942
@ = 1
//! gfx942
?a = 1
//! gfx942
.globl .
//! gfx942
.size ., 1
//! gfx942
.end x
//! gfx942
.line x
//! gfx942
.line -1
//! gfx942
.line 1 2
//! gfx942
.lto_discard a b
//! gfx942
.lto_discard 1
//! gfx942
.lto_discard a,
//! gfx942
.cfi_sections 1
//! gfx942
.cfi_sections x,
//! gfx942
.amdgpu_info
//! gfx942
.ident "a"
.previous
.byte 1
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .reqd_workgroup_size: [1, 2]
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .language: C
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .uses_dynamic_stack: 3
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .workgroup_processor_mode: true
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .cluster_dims: 5
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .vec_type_hint: "5"
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .size: 8, .offset: 0, .value_kind: by_values }
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .size: 8, .offset: 0, .value_kind: queue, .address_space: moon }
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .size: 8, .offset: 0, .value_kind: queue, .is_const: 1 }
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
amdhsa.printf: [1]
.end_amdgpu_metadata
//! gfx942
.macro m
 .ascii "abc
.endm
m
//! gfx942
.ascii "abc
s_nop 0
.asciz "def"
//! gfx942
s_nop 0
.globl .L1
.L1: s_nop 0
//! gfx942
.no_dead_strip .L1
//! gfx900
k: s_endpgm
kend:
.rodata
.amdhsa_kernel k
.amdhsa_next_free_vgpr 4
.amdhsa_next_free_sgpr 4
.amdhsa_kernarg_size kend-k
.end_amdhsa_kernel
//! gfx900
k: s_endpgm
.rodata
.amdhsa_kernel k
.amdhsa_next_free_vgpr 4
.amdhsa_next_free_sgpr 4
.amdhsa_kernarg_size later
.end_amdhsa_kernel
later = 8
//! gfx942
.section .rodata
k:
.amdhsa_kernel k
.amdhsa_next_free_vgpr x
.amdhsa_next_free_sgpr 8
.amdhsa_accum_offset 4
.end_amdhsa_kernel
.set x,
//! gfx942
s_mov_b32 s0, null
//! gfx900
v_mov_b32 v0, tba
//! gfx1100
s_and_b32 s0, s1, src_vccz
//! gfx90a
v_mov_b32 v0, lds_direct
//! gfx1100
buffer_load_dword v0, off, s[4:7], 0 glc, slc
//! gfx1200
buffer_load_b32 v0, off, s[4:7], s1 th:TH_LOAD_NT, scope:SCOPE_SYS
//! gfx942
s_add_u32 s0, 1f
1: s_nop 0
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: !int k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    : 5
.end_amdgpu_metadata
//! gfx942
.set lr, 62
.cfi_startproc
.cfi_undefined lr
s_nop 0
.cfi_endproc
//! gfx942
.p2alignl
//! gfx942
v_add_f32 v0, v2, -v1_a
//! gfx942
v_add_f32 v0, -later, v1
//! gfx942
s_add_u32 s0, foo later
//! gfx942
s_add_u32 s0, s[1] - later
//! gfx942
s_mov_b32 s0 ~later
//! gfx942
s_add_u32 s0, s1 2*later
//! gfx942
s_mov_b32 s0, tba
//! gfx942
s_branch +later
//! gfx942
.long 5LU
//! gfx942
null = 5
s_mov_b32 s0, null
//! gfx942
s_mov_b32 s0, pc
//! gfx942
.lto_set_conditional
//! gfx942
.lto_set_conditional a
//! gfx942
.cfi_startproc
.cfi_undefined s102
.cfi_endproc
//! gfx942
.symver foo, foo@@V1
//! gfx942
.rept undefined
s_nop 0
.endr
//! gfx942
.macro m a \b
.endm
//! gfx942
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8 glc
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.end_amdgpu_metadata s_bad

//! gfx942
.macro m a, b
.byte \a, \b
.endm
m 1, 2
m 1,
m 1, 2,

//! gfx942
.dcb.b 2,-128
.dcb.b 2,255
.dcb.b 2,256

//! gfx942
.dcb.l 1,0x100000000

//! gfx942
.text
.file 1 "a.c"
.file 3 "b.c"
//! gfx942
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels: []
x: !float foo
...
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels: []
x: !bool 1
...
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels: []
x: !float .inf
...
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels: []
? {a: 1}
: 3
...
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.a: ["1" "2"]
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.a: {b: 1
.c: 2
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.a: @b
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.a: !<tag:yaml.org,2002:str> 5
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.a: &
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.a: !int |

  b
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.a: | b
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.a: |
   one
  two
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.a:
  - 1
  b: 2
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
? [a]
: 1
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
# nothing
.end_amdgpu_metadata
//! gfx1030 amdpal
.amd_amdgpu_pal_metadata 1, -2
//! gfx1030 amdpal
.amd_amdgpu_pal_metadata 1.5, 2
//! gfx1030 amdpal
.amd_amdgpu_pal_metadata (1), 2
//! gfx950
.amdgpu_lds x, 163841
//! gfx600
.amdgpu_lds x, 32769
//! gfx1200
.amdgpu_lds x, 131073
//! gfx942
.amdgpu_lds x, 4, 1 << 31
//! gfx942
.amdgcn_target "amdgcn-amd-amdhsa--gfx942:xnack"
//! gfx900 mesa3d
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
//! gfx900 mesa3d
.amdgpu_hsa_kernel "k"
//! gfx942
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.amdhsa_accum_offset 8
.amdhsa_user_sgpr_count -1
.end_amdhsa_kernel
//! gfx942
	.amdgpu_metadata
	amdhsa.version: [1, 2]
	amdhsa.kernels: []
	.a:
		.b: c
		.d: e
	.end_amdgpu_metadata
//! gfx942
.if 1
s_nop 0
//! gfx942
.macro m
.if 1
.endm
m
s_nop 0
//! gfx942
s_nop 0
.amdgpu_metadata
amdhsa.version: [1, 2]
//! gfx900
.amdhsa_kernel k
.amdhsa_next_free_vgpr 4

//! gfx900 mesa3d
.amd_kernel_code_t
priority = 1
//! gfx1030 amdpal
.amdgpu_pal_metadata
a: 1
.end_amdgpu_metadata
//! gfx942
.if 0
.if 1
.endif
//! gfx942
.rept 2
.if 1
.endr
.endif
//! gfx942
.if 1
.byte 1
.else
//! gfx942
s_nop 0
.globl .text
