// Sources for each directive and form that LLVM's assembler takes. `//!` begins each, with the processor and what is on or off.
//! gfx906
.macro m a b
.float \a
.long \b
.endm
m 9e+5 6
m 1e+5 9
m 9.5e-1 9-4
//! gfx906
s_nop 0
.org .
. = .
.org 4
.org .+4
s_nop 1
//! gfx942
.data
.octa 0x123456789abcdef0123456789abcdef0
.octa 1, 2
.octa 0xffffffffffffffff
.octa 123456789012345678901234567890
.octa 0b1011, 077
//! gfx942
.octa
//! gfx942
.long 'A', ' '+1, 'a'-'b', '\n', '\\', '\'', '\t', '\r', '\b', '\f', '"'
//! gfx942
.byte 'A'
.byte 'A'+1
//! gfx942
.byte '\0'
//! gfx942
.byte '\x'
//! gfx942
.byte '''
//! gfx942
.byte '\"'
//! gfx942
s_mov_b32 s0, 'A'
//! gfx942
s_mov_b32 s0, 'A'+1
v_mov_b32 v0, 'z'
//! gfx942
"a b" = 5
.long "a b"
s_mov_b32 s0, "a b"
//! gfx942
.set "x y", 7
.globl "x y"
.long "x y"-1
s_add_u32 s0, s1, "x y"
//! gfx942
s_add_u32 s0, s0, "my sym"@rel32@lo+4
//! gfx942
s_add_u32 s0, s0, "my sym@rel32@lo"+4
//! gfx942
.globl "a\"b"
"a\"b": s_nop 0
//! gfx942
.type "k f",@function
"k f":
s_endpgm
.size "k f", .-"k f"
//! gfx942
begin:
s_nop 0
. = begin + 64
s_nop 1
//! gfx942
begin: s_nop 0
.org begin + 128, 0xcc
s_nop 1
//! gfx942
.org 16
s_nop 0
//! gfx942
.data
.org 16, 0x41
.byte 1
.org 20
//! gfx942
. = 32
.long 1
//! gfx942
. = . + 8
.long 1
//! gfx942
.print "hello"
.print "a\n"
s_nop 0
//! gfx942
.comm x, 4
//! gfx942
.comm x, 4, 8
.comm y, 16, 4
//! gfx942
.comm x, 4, 3
//! gfx942
.lcomm y, 8
//! gfx942
.local c
.comm c, 12, 4
.long c
//! gfx942
.float 0x1.8p1, 0x1c2.2ap3, -0x1p-3, 1.5, 1e3, -1.0, +2.0, inf, nan, -inf, infinity, NaN
//! gfx942
.double 0x1.8p1, 0x1c2.2ap3, -0x1p-3, 1.5, 1e3, -1.0, inf, nan, 1
//! gfx942
.float 1, 2 , 3
.single 4.5
//! gfx942
.float 1e400
//! gfx942
.float
//! gfx942
.float 3.4e39
.float 1e-50
.double 1e-400
//! gfx942
.double 2.1e-320
.float 1.4e-45
//! gfx942
.float 0x1.921fb6p+1
.float 0X1P3
.double 0x.8p0
//! gfx942
.2byte 0x1234
.4byte 1
.8byte 1
.short 5
.int 7
.value 8
.quad 9
.long 10
.byte 11
//! gfx942
.long 0xffffffff, -1
.quad 0xffffffffffffffff
//! gfx942
.byte
.long
.quad
//! gfx942
.byte 0b101, 0B11, 017, 0x1F, 0X1f, 9
//! gfx942
.long 0
1:
.long 1b
.long 1b+4
.long 1f-1b
1:
//! gfx942
.ascii "a\tb\n\001\x41\"\\"
.asciz "x", "y"
.string "z"
.ascii "a" "b"
.asciz
.ascii
//! gfx942
.ascii "\x414"
.ascii "\xfff"
//! gfx942
.ascii "\1\12\123\1234"
//! gfx942
.zero 4
.zero 4, 0x5a
.skip 3
.skip 3, 1
.space 2
.space 2, 2
//! gfx942
.zero 3, 256
.space 2, -1
//! gfx942
.fill 3
.fill 3, 2
.fill 3, 4, 0x12345678
.fill 2, 8, 0x1122334455667788
.fill 2, 3, 0x010203
.fill 0, 4, 1
//! gfx942
.fill 2, 9, 1
//! gfx942
.fill -1, 4, 1
//! gfx942
.fill 2, -1, 1
//! gfx942
.fill 2, 0, 1
//! gfx942
.fill a-b, 1, 7
b:
.long 0
a:
//! gfx942
b:
.long 0
a:
.fill (a-b)/4, 4, 7
.zero a-b
.skip a-b, 5
//! gfx942
.skip a-b, 5
b:
.long 0
a:
//! gfx942
.set n, 3
.fill n, 4, n
.zero n
//! gfx942
.p2align 4
s_nop 0
.p2align 4
s_nop 1
.p2align 3, 0xff
.p2align 5, , 4
.p2align 5, 0, 64
.balign 8
.balign 16, 1
.align 16
.align 4
//! gfx942
.balign 0
.align 0
.p2align 0
//! gfx942
.p2align
//! gfx942
.balign 1<<3
//! gfx942
.byte 1
.align 4, 0x55
//! gfx942
.rodata
.byte 1
.p2align 3
.byte 2
//! gfx942
.bss
.p2align 4
x: .zero 16
y: .skip 8
.comm z,4
//! gfx942
.bss
.long 0
//! gfx942
.section .bss
.zero 4
.section .tbss
.section .tdata
.section .init_array
.section .fini_array
.section .preinit_array
.section .note
.section .note.x
.section .rodata.x
.section .rodata1
.section .data.y
.section .data1
.section .text.z
.section .init
.section .fini
.section .eh_frame
.section .foo
.section .debug_info
.section .comment
//! gfx942
.section .a,"a"
.byte 1
.section .b,"aw"
.byte 1
.section .c,"ax"
s_nop 0
.section .d,"awx",@progbits
.byte 1
.section .e,"a",@nobits
.zero 4
.section .f,"",@note
.byte 1
.section .g,"aw",%progbits
.byte 1
.section .h,"a","progbits"
.byte 1
//! gfx942
.section .a,"aMS",@progbits,1
.asciz "x"
.section .b,"aM",@progbits,8
.quad 1
.section .c,"awT",@progbits
.section .d,"awT",@nobits
.zero 4
.section .e,"e",@progbits
.byte 1
.section .f,"aR",@progbits
.byte 1
//! gfx942
.section .a,"aw",@init_array
.quad 0
.section .b,"aw",@fini_array
.quad 0
.section .c,"aw",@preinit_array
.quad 0
.section .d,"a",@0x60000001
.byte 1
.section .e,"a",@1
.byte 1
.section .f,"a",@llvm_odrtab
.section .g,"e",@llvm_linker_options
.section .h,"",@llvm_call_graph_profile
.section .i,"",@llvm_dependent_libraries
.section .j,"MS",@llvm_dependent_libraries,1
.asciz "x"
.section .k,"",@llvm_sympart
.section .l,"",@llvm_bb_addr_map
.section .m,"",@llvm_offloading
.section .n,"",@llvm_lto
.section .o,"",@unwind
//! gfx942
.section .a,"0x3"
.byte 1
.section .b,"7",@progbits
.byte 1
//! gfx942
.section .text,"ax",@progbits,unique,1
s_nop 0
.section .text,"ax",@progbits,unique,2
s_nop 1
.text
s_nop 2
//! gfx942
.section .foo,"a",@progbits
.Ltmp:
.byte 1
.section .bar,"ao",@progbits,.Ltmp
.byte 2
.section .baz,"ao",@progbits,.foo
.byte 3
.section .q,"ao",@progbits,0
.byte 4
//! gfx942
.section .text.f,"axG",@progbits,f,comdat
f: s_endpgm
.section .text.g,"axG",@progbits,g
g: s_endpgm
.section .text.h,"axG",@progbits,"h h",comdat
s_nop 0
.section .debug_info,"G",@progbits,9136899126532940233,comdat
.long 1
.section .debug_info,"G",@progbits,0x12,comdat
.long 2
//! gfx942
.section "name with space","a"
.byte 1
.section .a-b+c,"a"
.byte 2
.section ".x.y" , "aw" , @progbits
.byte 3
//! gfx942
.section .foo,"a"
.byte 1
.section .foo
.byte 2
.section .foo,"a"
//! gfx942
.section .text,"a"
//! gfx942
.section .data,"a"
.byte 1
//! gfx942
.section .foo,"ax",@progbits
s_nop 0
.pushsection .bar,"a"
.byte 1
.popsection
s_nop 1
.previous
.byte 2
.pushsection .text
s_nop 2
.pushsection .baz,"aw",@progbits
.byte 3
.popsection
s_nop 3
.popsection
.byte 4
//! gfx942
.data
.byte 1
.previous
s_nop 0
.previous
.byte 2
.text
.previous
.byte 3
//! gfx942
.text 1
s_nop 1
.text 0
s_nop 0
.data 2
.byte 2
.data 1
.byte 1
//! gfx942
.subsection 1
s_nop 1
.subsection 0
s_nop 0
//! gfx942
.section .foo,"a"
.byte 1
.subsection 2
.byte 3
.subsection 1
.byte 2
.previous
.byte 4
//! gfx942
.text 2
b: s_nop 2
.text
a: s_nop 0
s_branch b
.long b-a
//! gfx942
.data
//! gfx942
.bss
//! gfx942
.rodata
.byte 1
//! gfx942
.tbss
//! gfx942
.tdata
//! gfx942
.rodata 1
//! gfx942
.ident "hi"
.ident "there"
//! gfx942
.version "1.0"
//! gfx942
.version "1.0"
.version "2.0"
//! gfx942
.symver a, a@V1
a: s_nop 0
//! gfx942
.symver a, a@@V1
.globl a
a: s_nop 0
//! gfx942
.symver a, a@@@V1
.globl a
a: s_nop 0
//! gfx942
.symver b, b@V1, remove
b: s_nop 0
//! gfx942
.weakref a, b
.long a
//! gfx942
.weakref a, b
//! gfx942
.weak a
.weak b
b: s_nop 0
//! gfx942
.weak a, b, c
//! gfx942
.globl a, b
.global c
a: b: s_nop 0
//! gfx942
.globl
//! gfx942
.local a
a: s_nop 0
//! gfx942
.local a
//! gfx942
.hidden a
a: s_nop 0
.protected b
b: s_nop 0
.internal c
c: s_nop 0
.globl a
.globl b
//! gfx942
.hidden a
.long a
//! gfx942
.globl a
.weak a
a: s_nop 0
//! gfx942
.type f,@function
f: s_endpgm
.size f, .-f
.type o,@object
.data
o: .long 1
.size o, 4
//! gfx942
.type a,%function
.type b,#object
.type c,"function"
.type d STT_FUNC
.type e,@notype
.type f,@tls_object
.type g,@common
.type h,@gnu_indirect_function
.type i,@gnu_unique_object
.type j,STT_OBJECT
.type k STT_NOTYPE
.type l, STT_TLS
a: b: c: d: e: f: g: h: i: j: k: l: s_nop 0
//! gfx942
.type a,function
a:
//! gfx942
.size a, 4
//! gfx942
.size a, b-a
a: s_nop 0
b:
//! gfx942
x = 5
y = x + 1
x = 7
.long x, y
//! gfx942
.set x, 5
.set x, 6
.long x
.equ y, 1
.equ y, 2
.long y
//! gfx942
.set x, y
.set y, 5
.long x
//! gfx942
.set x, 5
x:
//! gfx942
.set a, b
.long a
b: s_nop 0
//! gfx942
a = b + 4
.globl a
.data
.long a
b: .long 0
//! gfx942
a = undef
.long a
//! gfx942
a = undef + 4
.long a
.globl a
//! gfx942
a = 5
.globl a
.weak a
.hidden a
//! gfx942
a = .
s_nop 0
b = .
.long b - a
s_branch a
s_branch b
//! gfx942
.set x, 1
.set x, x + 1
.set x, x * 2
.long x
//! gfx942
.macro m
s_nop 0
.endm
m
m
//! gfx942
.macro m a, b
s_mov_b32 \a, \b
.endm
m s0, 1
m s1, s2
m a=s3, b=4
m b=4, a=s5
m s6 s7
//! gfx942
.macro m a b
s_mov_b32 \a, \b
.endm
m s0 1
m s1, s2
//! gfx942
.macro m reg, idx
v_mov_b32 v\idx, \reg
v_mov_b32 v[\idx], \reg
s_load_dwordx2 s[\idx:\idx+1], s[2:3], 0x0
.endm
m s0, 4
m s[1], 2
//! gfx942
.macro m a:req, b=5, c=
.long \a
.long \b
.ifnb \c
.long \c
.endif
.endm
m 1
m 1, 2
m 1, 2, 3
m 1, c=7
m 1,,8
//! gfx942
.macro m a:vararg
.long \a
.endm
m 1, 2, 3
m 4
//! gfx942
.macro m x, a:vararg
.long \x
.byte \a
.endm
m 1, 2, 3
//! gfx942
.macro m a
lab_\a\()_x:
s_nop 0
s_branch lab_\a\()_x
.endm
m 1
m foo
//! gfx942
.macro m
.Lx\@:
s_branch .Lx\@
.endm
m
m
//! gfx942
.macro outer a
.macro inner b
.long \b
.endm
inner \a
.endm
outer 7
inner 8
//! gfx942
.macro m n
.if \n
.long \n
m \n-1
.endif
.endm
m 4
//! gfx942
.macro m n
.if \n > 0
.long \n
m "(\n-1)"
.endif
.endm
m 4
//! gfx942
.macro m op, d, a, b
\op \d, \a, \b
\op\()_e64 \d, \a, \b
.endm
m v_add_f32 v0, v1, v2
m v_add_f32, v0, v1, v2
//! gfx942
.macro m op
\op\()_b32 s0, 1
.endm
m s_mov
//! gfx942
.macro m mod
v_add_f32 v0, v1, v2 \mod
global_load_dword v0, v1, s[0:1] \mod
.endm
m
//! gfx942
.macro m mod
global_load_dword v0, v1, s[0:1] \mod
.endm
m offset:16
m "offset:16 sc0"
//! gfx942
.macro m
.long 1
.exitm
.long 2
.endm
m
//! gfx942
.macro m a
.if \a
.exitm
.endif
.long 2
.endm
m 1
m 0
//! gfx942
.macro s_nop a
.long \a
.endm
s_nop 5
//! gfx942
.macro .m a
.long \a
.endm
.m 3
//! gfx942
.macro m a ; comment
.long \a ; c
.endm
m 1 // c
m 2 ; c
//! gfx942
.macro m a
  .long \a // c \a
  /* x */ .long 2
.endm
m 1
//! gfx942
.altmacro
.macro m a
.long \a
.endm
m %1+2
m <5>
.noaltmacro
//! gfx942
.altmacro
.macro m a
.ascii "&a"
.long a&
.endm
m 1
//! gfx942
.altmacro
.macro m a
.ascii a
.endm
m <"x!>y">
//! gfx942
.rept 3
s_nop 0
.endr
.rept 0
s_nop 1
.endr
.rept 2
.rept 2
s_nop 2
.endr
.endr
//! gfx942
.rep 2
s_nop 0
.endr
//! gfx942
.rept 3
.long \+
.endr
//! gfx942
.irp x,
.ascii "[\x]"
.endr
//! gfx942
.irpc c, 0123
v_mov_b32 v\c, \c
.endr
.irpc c,abc
.ascii "\c"
.endr
//! gfx942
.irpc c, "ab"
.ascii "<\c>"
.endr
//! gfx942
.irp r, 0, 1
.irp q, 2, 3
.byte \r, \q
.endr
.endr
//! gfx942
.irp r,0,1
.irpc q,23
.byte \r\q
.endr
.endr
//! gfx942
.macro m n
.rept \n
.long \n
.endr
.endm
m 3
//! gfx942
.set i, 0
.rept 4
.long i
v_mov_b32 v[i], s[i]
.set i, i+1
.endr
//! gfx942
.if 1
.long 1
.else
.long 2
.endif
.if 0
.long 3
.elseif 1
.long 4
.else
.long 5
.endif
.if 0
.if 1
.long 6
.else
.long 7
.endif
.else
.long 8
.endif
//! gfx942
.ifdef x
.long 1
.endif
.ifndef x
.long 2
.endif
.ifnotdef x
.long 3
.endif
x = 1
.ifdef x
.long 4
.endif
.ifndef x
.long 5
.endif
//! gfx942
.ifdef later
.long 1
.endif
later: s_nop 0
//! gfx942
.globl x
.ifdef x
.long 1
.endif
//! gfx942
.long x
.ifdef x
.long 1
.endif
x:
//! gfx942
.ifb
.long 1
.endif
.ifb a
.long 2
.endif
.ifnb
.long 3
.endif
.ifnb a
.long 4
.endif
//! gfx942
.ifc a, a
.long 1
.endif
.ifc a,b
.long 2
.endif
.ifnc a,b
.long 3
.endif
.ifc "a b", "a b"
.long 4
.endif
.ifc a b, a b
.long 5
.endif
.ifc a , a
.long 6
.endif
//! gfx942
.ifeqs "a", "a"
.long 1
.endif
.ifeqs "a", "b"
.long 2
.endif
.ifnes "a", "b"
.long 3
.endif
//! gfx942
.ifeq 0
.long 1
.endif
.ifne 1
.long 2
.endif
.ifge 0
.long 3
.endif
.ifgt 1
.long 4
.endif
.ifle -1
.long 5
.endif
.iflt -1
.long 6
.endif
.ifgt 0
.long 7
.endif
//! gfx942
.if 0
.macro m
.endif
.long 1
//! gfx942
a:
s_nop 0
b:
.if b - a == 4
.long 1
.endif
//! gfx942
.IF 1
.LONG 1
.ENDIF
.Long 2
//! gfx942
.if .amdgcn.gfx_generation_number == 9
.long 1
.endif
.if .amdgcn.gfx_generation_minor == 4 && .amdgcn.gfx_generation_stepping == 2
.long 2
.endif
//! gfx942
.warning "x"
//! gfx942
.warning
//! gfx942
.end
garbage
//! gfx942
s_nop 0
.end
s_nop 1
//! gfx942
.line 5
s_nop 0
//! gfx942
.line
//! gfx942
# 5 "foo.c"
s_nop 0
//! gfx942
s_nop 0 ; c
s_nop 1 // c
/* c */ s_nop 2 /* d */
s_nop /* e */ 3
/* multi
line */ s_nop 4
s_nop 5 /* multi
line */
//! gfx942
.ascii "a;b//c/*d*/#e"
.ascii "x" ; y
//! gfx942
.long 4 / 2
.long 4 // 2
.long 4 /* x */ / 2
//! gfx942
a: b: c: s_nop 0
//! gfx942
a : s_nop 0
//! gfx942
.La: s_nop 0
s_branch .La
//! gfx942
$a: s_nop 0
s_branch $a
//! gfx942
_a.b$c@d: s_nop 0
//! gfx942
a.b: s_nop 0
//! gfx942
1: s_nop 0
s_branch 1b
s_branch 2f
2: s_nop 0
1: s_branch 1b
s_branch 1f
1: 
//! gfx942
1:
.long 1b, 1f
1:
.long 1b
//! gfx942
10: s_nop 0
s_branch 10b
01: s_branch 1b
//! gfx942
s0: s_nop 0
//! gfx942
exec = 5
//! gfx942
5: s_nop 0
//! gfx942
s_mov_b32 s0 1
//! gfx942
 s_mov_b32	s0,	1
//! gfx942
S_MOV_B32 s0, 1
//! gfx942
s_nop 0; s_nop 1
//! gfx942
s_nop 0
s_nop 1
//! gfx942
.reloc 0, R_AMDGPU_ABS32, x
s_nop 0
//! gfx942
.reloc 4, R_AMDGPU_ABS64, x+8
.quad 0
.quad 0
//! gfx942
.reloc 0, R_AMDGPU_ABS32
s_nop 0
//! gfx942
.reloc 0, BFD_RELOC_NONE, x
s_nop 0
.reloc 0, BFD_RELOC_32, y
.reloc 0, BFD_RELOC_64, y
//! gfx942
.quad x
.long x
.long x@abs32@lo
.long x@rel32@lo
.long x@rel32@hi
.long x@gotpcrel32@lo
.long x@gotpcrel32@hi
.long x@gotpcrel
.quad x@rel64
.quad x@abs64
.long x@abs32@hi
//! gfx942
.long x - .
.long x - . + 8
.quad x - .
//! gfx942
a: .long x - a
.long x - a + 4
//! gfx942
.globl a
a: s_nop 0
.data
.long a - .
.quad a
.long a+4
//! gfx942
f: s_nop 0
s_getpc_b64 s[0:1]
s_add_u32 s0, s0, f@rel32@lo+4
s_addc_u32 s1, s1, f@rel32@hi+12
s_add_u32 s0, s0, f-.
s_mov_b32 s0, f
//! gfx942
.globl f
f: s_nop 0
s_getpc_b64 s[0:1]
s_add_u32 s0, s0, f@rel32@lo+4
s_addc_u32 s1, s1, f@rel32@hi+12
s_branch f
s_cbranch_scc0 f
s_call_b64 s[30:31], f
//! gfx942
s_branch 5
s_branch 0xffff
s_branch -1
s_branch 4+1
//! gfx942
x = 8
s_branch x
s_branch x+4
//! gfx942
x = 3
s_nop x
s_movk_i32 s0, x+1
s_mov_b32 s0, x*2
s_waitcnt x
ds_read_b32 v0, v1 offset:x
global_load_dword v0, v1, s[0:1] offset:x*4
s_load_dword s0, s[0:1], x
buffer_load_dword v0, off, s[0:3], x offset:x
v_mov_b32 v[x], s[x]
s_load_dwordx2 s[x+1:x+2], s[0:1], 0
//! gfx900 +xnack
.amdgcn_target "amdgcn-amd-amdhsa--gfx900:xnack+"
s_endpgm
//! gfx90a +xnack,-sramecc
s_endpgm
//! gfx90a +xnack,-sramecc
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack+"
s_endpgm
//! gfx1030 +wavefrontsize64
.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"
v_cmp_eq_u32 vcc, v0, v1
v_cndmask_b32 v0, v1, v2, vcc
s_endpgm
//! gfx1030 +wavefrontsize64
v_cmp_eq_u32 s[0:1], v0, v1
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
k: v_cmp_eq_u32 s[0:1], v0, v1
//! gfx1030 +wavefrontsize64
k: v_cmp_eq_u32 s[0:1], v0, v1
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.amdhsa_wavefront_size32 0
.end_amdhsa_kernel
//! gfx1030
k: v_cmp_eq_u32 s0, v0, v1
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
//! gfx803
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 102
.end_amdhsa_kernel
//! gfx803
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 96
.amdhsa_reserve_vcc 0
.amdhsa_reserve_flat_scratch 0
.end_amdhsa_kernel
//! gfx802
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 90
.end_amdhsa_kernel
//! gfx900
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 102
.end_amdhsa_kernel
//! gfx1030
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 106
.end_amdhsa_kernel
//! gfx1030
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 107
.end_amdhsa_kernel
//! gfx90a
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 512
.amdhsa_next_free_sgpr 8
.amdhsa_accum_offset 256
.end_amdhsa_kernel
//! gfx90a
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.amdhsa_accum_offset 8
.amdhsa_user_sgpr_kernarg_preload_length 4
.amdhsa_user_sgpr_kernarg_preload_offset 1
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_tg_split 1
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
.amdhsa_next_free_sgpr x
.amdhsa_next_free_vgpr y
.end_amdhsa_kernel
x = 5
y = 9
k: s_endpgm
//! gfx1200
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_round_robin_scheduling 1
.amdhsa_inst_pref_size 3
.amdhsa_enable_private_segment 1
.amdhsa_memory_ordered 0
.amdhsa_forward_progress 0
.amdhsa_workgroup_processor_mode 0
.amdhsa_exception_fp_denorm_src 1
.amdhsa_uses_dynamic_stack 1
.end_amdhsa_kernel
//! gfx1100
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_shared_vgpr_count 2
.amdhsa_wavefront_size32 0
.end_amdhsa_kernel
//! gfx1100
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_shared_vgpr_count 2
.end_amdhsa_kernel
//! gfx900
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_user_sgpr_private_segment_buffer 1
.amdhsa_user_sgpr_dispatch_ptr 1
.amdhsa_user_sgpr_queue_ptr 1
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_user_sgpr_dispatch_id 1
.amdhsa_user_sgpr_flat_scratch_init 1
.amdhsa_user_sgpr_private_segment_size 1
.amdhsa_system_sgpr_private_segment_wavefront_offset 1
.amdhsa_system_sgpr_workgroup_id_x 0
.amdhsa_system_sgpr_workgroup_id_y 1
.amdhsa_system_sgpr_workgroup_id_z 1
.amdhsa_system_sgpr_workgroup_info 1
.amdhsa_system_vgpr_workitem_id 2
.amdhsa_float_round_mode_32 3
.amdhsa_float_round_mode_16_64 2
.amdhsa_float_denorm_mode_32 1
.amdhsa_float_denorm_mode_16_64 0
.amdhsa_dx10_clamp 0
.amdhsa_ieee_mode 0
.amdhsa_fp16_overflow 1
.amdhsa_exception_fp_ieee_invalid_op 1
.amdhsa_exception_int_div_zero 1
.amdhsa_group_segment_fixed_size 4096
.amdhsa_private_segment_fixed_size 64
.amdhsa_kernarg_size 128
.end_amdhsa_kernel
//! gfx900
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_user_sgpr_count 17
.end_amdhsa_kernel
//! gfx900
.amdhsa_kernel k
.amdhsa_next_free_sgpr .amdgcn.next_free_sgpr
.amdhsa_next_free_vgpr .amdgcn.next_free_vgpr
.end_amdhsa_kernel
k: v_mov_b32 v9, s9
s_endpgm
//! gfx900
s_nop 0
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 1
.amdhsa_next_free_vgpr 1
.end_amdhsa_kernel
//! gfx900
.data
.byte 1
.amdhsa_kernel k
.amdhsa_next_free_sgpr 1
.amdhsa_next_free_vgpr 1
.end_amdhsa_kernel
//! gfx900
.amdhsa_code_object_version 4
s_endpgm
//! gfx900
.amdhsa_code_object_version 5
s_endpgm
//! gfx900
.amdgpu_metadata
---
amdhsa.version:
  - 1
  - 2
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
...
.end_amdgpu_metadata
//! gfx900
.amdgpu_lds x, 4
.amdgpu_lds y, 16, 8
.globl y
.long x@abs32@lo
s_mov_b32 s0, x@abs32@lo
//! gfx942
.amdgpu_lds x, 65536
//! gfx942
.amdgpu_lds x, 4
.amdgpu_lds x, 4
//! gfx1250
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_named_barrier_count 3
.end_amdhsa_kernel
//! gfx1250
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 1024
.end_amdhsa_kernel
//! gfx1200
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 257
.end_amdhsa_kernel
//! gfx900
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_reserve_xnack_mask 1
.end_amdhsa_kernel
//! gfx900 -xnack
k: s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_sgpr 8
.amdhsa_next_free_vgpr 8
.amdhsa_reserve_xnack_mask 0
.end_amdhsa_kernel
//! gfx942
.file "x.c"
s_nop 0
//! gfx942
.file 1 "x.c"
.loc 1 2 3
s_nop 0
//! gfx942
.lto_discard x
//! gfx942
.dc.b 1
.dc.w 2
.dc.l 3
.dc.a 4
.dc 5
.dc.s 1.5
.dc.d 2.5
//! gfx942
.dcb 2, 5
.dcb.b 2, 5
.dcb.w 2, 5
.dcb.l 2, 5
.dcb.s 2, 1.5
.dcb.d 2, 1.5
//! gfx942
.ds 2
.ds.b 2
.ds.w 2
.ds.l 2
.ds.s 2
.ds.d 2
.ds.p 2
.ds.x 2
//! gfx942
.uleb128 0, 127, 128, 0xffffffffffffffff
.sleb128 -1, 64, -65, 0
.uleb128 -1
//! gfx942
.uleb128 b-a
a: .zero 200
b:
.sleb128 a-b
.uleb128 b-a
//! gfx942
.quad a, b-a, 5
a: s_nop 0
b:
//! gfx942
.incbin "some.bin"
.incbin "some.bin", 2
.incbin "some.bin", 1, 3
//! gfx942
.sleb128
//! gfx942
.uleb128
//! gfx942
.base64 "aGVsbG8="
//! gfx942
.base64 "aGVsbG8=", "QQ=="
//! gfx942
.section .x,"a",@progbits
.size .x, 4
//! gfx942
.memtag a
//! gfx942
.no_dead_strip a
//! gfx942
.extern a
.long b
//! gfx942
.extern
//! gfx942
.equ x, 5;.long x
//! gfx942
.altmacro
.noaltmacro
//! gfx942
// a table of strings in code
.text
.globl main
.p2align 8
.type main,@function
main:
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, table@rel32@lo+4
	s_addc_u32 s5, s5, table@rel32@hi+12
	s_load_dword s0, s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	s_cmp_lg_u32 s0, 'x'
	s_cbranch_scc1 .Lout
	s_mov_b32 s1, (1 << 4) | 3
	s_mov_b32 s2, ~0
	s_mov_b32 s3, -(5 - 3)
	s_mov_b32 s6, !0
.Lout:
	s_endpgm
.Lend:
	.size main, .Lend-main
	.section .rodata,"a",@progbits
	.p2align 2
table:
	.long 'x', main-table, .Lend-main
	.asciz "done"
//! gfx942
.set VGPRS, 8
.macro clear first, last
	.set i, \first
	.rept \last-\first+1
	v_mov_b32 v[i], 0
	.set i, i+1
	.endr
.endm
clear 0, VGPRS-1
clear 10, 12
s_endpgm
//! gfx942
.macro load dst, off=0, sc=
	global_load_dwordx2 \dst, v0, s[0:1] offset:\off \sc
.endm
load v[2:3]
load v[2:3], 16
load v[2:3] 32 sc0
load v[2:3], sc=nt
load dst=v[4:5], off=8*4
//! gfx942
.macro push reg
s_mov_b32 s\reg, \reg
.endm
.macro all first, rest:vararg
push \first
.ifnb \rest
all \rest
.endif
.endm
all 1, 2, 3, 4
//! gfx942
.irpc d, 0123
s_mov_b32 s\d, 1\d
.endr
//! gfx942
.macro m a, b
.if \a == \b
s_nop \a
.elseif \a > \b
s_nop 2
.else
s_nop 3
.endif
.endm
m 1, 1
m 2, 1
m 1, 2
//! gfx942
.macro unroll n
.if \n
v_add_f32 v[\n], v[\n], v0
unroll \n-1
.endif
.endm
unroll 3
//! gfx942
loop:
s_sub_u32 s0, s0, 1
s_cmp_eq_u32 s0, 0
s_cbranch_scc0 loop
s_branch .Lskip
.zero 8
.Lskip:
s_endpgm
//! gfx942
.data
a: .byte 1, 2, 3
.balign 4
b: .long a, b-a, . - a
.quad b
.fill 3, 2, 0xffff
c: .space 5, 0xaa
d:
.long d-c
.short d-a
.byte d-c, c-b
//! gfx942
.data
start: .ascii "abc"
len = . - start
.byte len
.long len*2, len<<4, len & 1, len | 8, len ^ 3, len % 2, len / 2, -len, ~len, !len, len == 3, len != 3, len > 2, len < 2, len >= 3, len <= 3, len && 0, len || 0
//! gfx942
.long 5 -1
.long 5,-1
.long (((7)))
//! gfx942
.quad (a-b)*2+1
b: .zero 12
a:
//! gfx942
.long (a-b)/4
b: .zero 12
a:
.long (a-b)/4, (a-b) << 2, (a-b) == 12, -(a-b)
//! gfx942
.globl f
.weak g
.hidden h
.type f,@function
f: s_endpgm
.size f, .-f
g: s_endpgm
h: s_endpgm
.data
.quad f, g, h, f+4, h-g
.long f-., g-., h-.
//! gfx942
.text
s_getpc_b64 s[0:1]
.Lpc:
s_add_u32 s0, s0, (ext-.Lpc)
s_add_u32 s0, s0, ext@rel32@lo+(4*2)
s_mov_b32 s2, ext@abs32@lo
s_mov_b32 s3, ext@abs32@hi
v_mov_b32 v0, ext@abs32@lo
s_load_dwordx2 s[4:5], s[0:1], 0x0
//! gfx942
s_add_u32 s0, s0, a-b
a: s_nop 0
b:
//! gfx942
s_add_u32 s0, s0, b-a
a: s_nop 0
b:
s_cmp_eq_u32 s0, b-a
v_mov_b32 v0, b-a
v_add_f32 v0, b-a, v1
//! gfx1250
s_get_pc_i64 s[0:1]
s_add_nc_u64 s[0:1], s[0:1], f@rel64+4
s_mov_b64 s[2:3], f@abs64
//! gfx1030
v_add_f32 v0, v1, v2
v_cmp_gt_f32 vcc_lo, v0, v1
s_and_saveexec_b32 s0, vcc_lo
s_cbranch_execz skip
v_mov_b32 v0, 1.0
skip:
s_mov_b32 exec_lo, s0
s_endpgm
//! gfx906
.if .amdgcn.gfx_generation_number >= 9
v_add_u32 v0, v1, v2
.else
v_add_i32 v0, vcc, v1, v2
.endif
.ifdef .amdgcn.gfx_generation_stepping
.long .amdgcn.gfx_generation_stepping
.endif
//! gfx803
.macro add d, a, b
.if .amdgcn.gfx_generation_number >= 9
v_add_u32 \d, \a, \b
.else
v_add_u32 \d, vcc, \a, \b
.endif
.endm
add v0, v1, v2
//! gfx942
s_nop 0 // comment ; more
s_nop 1 ; comment // more /* x
s_nop 2 /* a */ /* b */
/**/ s_nop 3
;only
//only
# hash
 # hash
//! gfx942
s_nop 0 /* a
b */
s_nop 1
//! gfx942
x: .long 1; y: .long 2
.long 3
//! gfx942
.quad 0xffffffffffffffff, 18446744073709551615, -9223372036854775808
//! gfx942
.quad -9223372036854775809
//! gfx942
.ascii "tab\there", "quote\"s", "back\\slash", "\007\x07"
.asciz ""
.string ""
//! gfx942
.byte 'a', 'Z', '0', ' ', ';', ',', '#', '/'
s_mov_b32 s0, ';'
s_mov_b32 s0, ','
//! gfx942
.long "a"
.long "a"+4, "b c"-4
"b c":
//! gfx942
.globl "x.y", "z w"
.type "z w",@object
.size "z w", 4
.data
"z w": .long 0
"x.y" = "z w" + 2
//! gfx942
.section ".my data","aw",@progbits
.long 1
.section .text.foo,"ax",@progbits
s_nop 0
.section .rodata.str1.1,"aMS",@progbits,1
.asciz "one"
.section .rodata.cst4,"aM",@progbits,4
.long 4
.section .note.x,"",@note
.long 0
.section .init_array,"aw",@init_array
.quad f
.section ".text.bar","ax"
f: s_nop 1
//! gfx942
.section .a,"aw"
.section .b,"aw",%nobits
.zero 16
.section .a
.long 1
.previous
.zero 4
.previous
.long 2
//! gfx942
.bss
.lcomm buf, 64
.comm shared, 128, 3
x: .skip 4
.p2align 4
y: .zero 4
.size y, 4
.type y,@object
//! gfx942
.tbss
.zero 4
.tdata
.long 1
//! gfx942
.org 8
x: s_nop 0
.org x+16
s_nop 1
.org 64, 0x11
//! gfx942
a: s_nop 0
.balign 64
b: s_nop 0
.p2align 4,,4
c: s_nop 0
.balign 32,,31
d: s_nop 0
.long d-a, c-b
//! gfx942
k:
s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr max(4, 8)
.amdhsa_next_free_sgpr or(4, 1)
.amdhsa_accum_offset alignto(5, 4)
.end_amdhsa_kernel
//! gfx942
k:
s_endpgm
.amdhsa_kernel k
.amdhsa_next_free_vgpr nv
.amdhsa_next_free_sgpr ns
.amdhsa_accum_offset ((nv+3)/4)*4
.end_amdhsa_kernel
nv = 12
ns = 30
//! gfx942
.rodata
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 8
.amdhsa_accum_offset 4
.end_amdhsa_kernel
.text
.globl k
.p2align 8
k: s_endpgm
//! gfx942
s_nop 0,
//! gfx942
.set size, 5
s_mov_b32 s0, max(size, 9)
s_mov_b32 s1, or(size, 8)
s_mov_b32 s2, alignto(size, 16)
s_mov_b32 s3, 0x1.8p1
v_add_f16 v0, lit(-2), v1
v_mul_f32_e64 v0, v1, v2 mul : 0x2
s_nop 'a'+size
//! gfx1200
s_getreg_b32 s0, hwreg(HW_REG_STATE_PRIV)
scratch_load_b32 v0, v1, null
global_load_addtid_b32 v0, null
image_load v0, [v1,v2], s[0:7] dmask:1 dim:2d
//! gfx1030
s_getreg_b32 s0, {}
//! gfx1250
s_mov_b64 s[0:1], symbol
s_and_b64 s[0:1], s[2:3], symbol
v_add_f32 v0, symbol, v1
s_cmp_eq_u32 s0, symbol
//! gfx942
.globl z
.data
.quad y, x
.text
x: s_nop 0
.set q, 4
y: s_branch z
.weak w
.hidden h
z: s_endpgm
.type n,@object
.set q, 5
.size only_sized, 4
//! gfx942
.data
a: .long 1
.section .foo,"aw"
.quad a, b
.text
c: .quad d
.section .bar,"aw"
b: .long 2
d: .quad c, .data, .foo
.uleb128 e-b
f:
e:
//! gfx1030
.set first, later+1
.rept 2
.set i, 0
.rept 2
.set j, i
.endr
.set i, i+1
.endr
.set later, 4
.comm far, 16, 4
.lcomm near, 8
.data
.quad near, far
//! gfx1030
.rodata
.amdhsa_kernel k
.amdhsa_next_free_vgpr count
.amdhsa_group_segment_fixed_size shared
.amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.text
.globl k
.p2align 8
k: s_endpgm
.set count, 8
.set shared, 64
//! gfx942
.text
f: s_nop 0
.globl g
g: s_endpgm
.addrsig
.addrsig_sym f
.addrsig_sym g
.addrsig_sym unknown
.data
.quad f
//! gfx90a
f:
.cfi_startproc
s_nop 0
.cfi_def_cfa_register s32
.cfi_offset s30, 4
.cfi_offset v41, -8
.fill 100, 4, 0xbf800000
.cfi_register s31, s34
.cfi_same_value a40
.cfi_def_cfa s33, 0
.fill 300, 4, 0xbf800000
.cfi_adjust_cfa_offset 16
.cfi_rel_offset v41, 8
.cfi_val_offset 40, 12
.cfi_restore s30
.cfi_restore v41
.cfi_undefined 16
.cfi_remember_state
.cfi_escape 0x0f, 0x04, 0x30, 0x36, 0xe9, 0x02
s_nop 1
.cfi_restore_state
.cfi_endproc
g:
.cfi_startproc simple
s_nop 0
.cfi_def_cfa_offset 200
s_endpgm
.cfi_endproc
h:
.cfi_startproc
.cfi_signal_frame
.cfi_return_column 62
s_endpgm
.cfi_endproc
.cfi_startproc
s_endpgm
.cfi_endproc
//! gfx90a
.cfi_sections .debug_frame, .eh_frame
.file 1 "a.c"
.loc 1 1
f:
.cfi_startproc
s_nop 0
.cfi_escape 1
.cfi_endproc
.cfi_startproc simple
.cfi_return_column s30
s_endpgm
.cfi_endproc
//! gfx942
v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]
.long .amdgcn.next_free_vgpr
//! gfx900
v_add_u32 v0, sext(v1), v2 dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_3 src1_sel:BYTE_0
ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM, "01pip")
//! gfx90a
.long occupancy(8, 8, 512, 8, 8, 102, 100), occupancy(10, 4, 256, 6, 9, 49, 0), occupancy(16, 8, 1024, 10, 16, 106, 7)
//! gfx900
.amdgpu_pal_metadata
---
amdpal.pipelines:
  - .hardware_stages:
      .ps:
        .sgpr_count: 0x20
    .registers:
      '0x2c0a (SPI_SHADER_PGM_RSRC1_PS)': 0x2f0000
      0xa1b3: 1
      '0xa0b3 (X)': 2
amdpal.version: [2, 1]
...
.end_amdgpu_pal_metadata
//! gfx900
.lto_set_conditional a, b
s_nop 0
//! gfx900
.file 1 "a.c"
.loc 1
s_nop 0
//! gfx942
.section .rodata.str1.1,"aMS",@progbits,1
one: .asciz "one"
.Ltwo: .asciz "two"
.section .tdata,"awT",@progbits
.Llocal: .long 1
.text
s_add_u32 s0, s0, one@rel32@lo+4
s_addc_u32 s1, s1, one@rel32@hi+12
s_add_u32 s0, s0, .Ltwo@rel32@lo+4
.data
.quad one, .Ltwo, .Ltwo+1, .Llocal
.long .Ltwo-.
//! gfx942
.globl caller
caller: s_nop 0
.Lown: s_nop 1
.cg_profile caller, late, 5
.cg_profile later, .Lown, 7
.cg_profile inner, inner, 0x10
inner: s_nop 2
.long open
.file 1 "a.c"
.loc 1 1
s_nop 3
.addrsig
.data
late: .long .Lown
//! gfx1030
.file 1 "x.c"
.loc 1 1 1
s_nop 0
.loc_label first
.loc 1 3 1
s_nop 0
s_nop 0
.loc_label second
.loc_label same
s_endpgm
.loc_label .Lhidden
.data
.loc_label other
.long first, second, same, other, .Lhidden
.text
.loc 1 9
s_endpgm
//! gfx1030
.file 1 "x.c"
.loc 1 1 1
.loc_label first
s_nop 0
.loc 1 2 2
s_nop 0
.loc_label second
s_nop 0
.data
.loc_label third
.long 0
.loc 1 7
.long 0
//! gfx942
.file 0 "/d" "x.c" md5 0x0123456789abcdef0123456789abcdef
.text
.loc 0 1 1
s_nop 0
.section ".note.GNU-stack","",@progbits
.amdgpu_metadata
---
amdhsa.kernels: []
amdhsa.version: [1, 2]
...
.end_amdgpu_metadata
.section .debug_line,"",@progbits
.Lstart:
.section .debug_info,"",@progbits
.long .Lstart
//! gfx1030
.text
k: s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_next_free_vgpr max(k.vgprs, 1)
.amdhsa_next_free_sgpr max(k.sgprs+2, 1)-2
.end_amdhsa_kernel
.set k.vgprs, max(32, all.vgprs)
.set k.sgprs, max(33, all.sgprs)
.set all.vgprs, 48
.set all.sgprs, 34
//! gfx900
.text 8192
s_nop 0
.text 1
s_nop 1
.subsection 2147483647
s_nop 2
//! gfx900
# 40 "kernel.S"
s_nop 0
# not a marker
s_nop 1
//! gfx900 mesa3d
.globl g
a: s_getpc_b64 s[0:1]
s_add_u32 s0, s0, g@rel32@lo+4
s_addc_u32 s1, s1, g@rel32@hi+12
s_add_u32 s0, s0, b@rel32@lo+4
s_mov_b32 s0, ext
s_mov_b32 s0, ext@abs32@hi+8
.amdgpu_lds lds, 4
s_mov_b32 s0, lds@abs32@lo
s_branch h
.globl h
h: s_nop 0
.data
b: .long a+4
.quad ext-9
.long ext-.
.long 5
//! gfx1030 amdpal
.globl g
s_mov_b32 s0, g@abs32@lo-4
.file 1 "a.c"
.loc 1 1
f: .cfi_startproc
s_nop 0
.cfi_endproc
//! gfx803 mesa3d
.long .option.machine_version_major, .option.machine_version_minor, .option.machine_version_stepping
v_mov_b32 v7, s9
.long .kernel.vgpr_count, .kernel.sgpr_count
.amdgpu_hsa_kernel k
k: .long .kernel.vgpr_count, .kernel.sgpr_count
v_mov_b32 v3, s2
.if .kernel.vgpr_count == 4
.long 77
.endif
.long .amdgcn.next_free_vgpr
//! gfx803 mesa3d
.amdgpu_hsa_kernel k
k:
.amd_kernel_code_t
is_ptr64 = 1
max_scratch_backing_memory_byte_size = 5

enable_sgpr_kernarg_segment_ptr = 1
is_dynamic_callstack = on
compute_pgm_rsrc1_vgprs = 1
compute_pgm_rsrc1_sgprs = later
compute_pgm_rsrc2_user_sgpr = -1
kernel_code_entry_byte_offset = 512
granulated_lds_size = 0x155
workitem_private_segment_byte_size = 1<<31
runtime_loader_kernel_symbol = -2
call_convention = 3
wavefront_size = 6
.end_amd_kernel_code_t
.set later, 3
.set on, 1
s_endpgm
//! gfx90a mesa3d
.amd_kernel_code_t
.end_amd_kernel_code_t
//! gfx1030 mesa3d
.amd_kernel_code_t
enable_wgp_mode = 0
enable_wavefront_size32 = 1
wavefront_size = 5
user_sgpr_count = 6
.end_amd_kernel_code_t
//! gfx942
.globl a, b
.symver a, a@V1
.symver b, b@V2
a: s_nop 0
b: s_nop 1
.globl c
c: s_nop 2
//! gfx1100
.amdhsa_kernel k
.amdhsa_next_free_vgpr 128
.amdhsa_next_free_sgpr 10
.amdhsa_wavefront_size32 0
.amdhsa_shared_vgpr_count 8
.end_amdhsa_kernel
//! gfx1250
s_get_pc_i64 s[0:1]
s_add_nc_u64 s[0:1], s[0:1], foo@gotpcrel+4
s_add_nc_u64 s[0:1], s[0:1], foo@rel32@lo+4
s_mov_b64 s[0:1], foo@abs32@lo
s_mov_b64 s[0:1], foo@rel64+8
s_mov_b64 s[0:1], foo
.quad foo@gotpcrel32@hi, foo@abs32@hi
//! gfx942
.file 0 "/d" "a.c" md5 0x0123456789abcdef0123456789abcdef source "int x;\n"
.file 1 "b.c" source "int y;\n" md5 0x0123456789abcdef0123456789abcdee
.file 2 "c.c" md5 0x0123456789abcdef0123456789abcde0
.loc 1 1
s_nop 0
//! gfx942
.file 1 "b.c" source "x"
.loc 1 1
s_nop 0
//! gfx906
.float 1e, 2.5E+, -3.e-, .5e
.double 1e, 2.5e+, 1.e-
.long [1+2]*3, (4-[1]), max (2, 5), alignto	(5, 4)
//! gfx906
.long sym@REL32@LO, sym@AbS32@hi
.quad (sym)@rel32@lo, (sym+4)@rel32@hi, (8+sym)@gotpcrel32@lo
.long sym+4@rel32@lo, sym-4@abs32@lo, sym + 0x10@gotpcrel32@hi
s_add_u32 s0, s0, sym@rel32@lo+4
s_add_u32 s0, s0, sym+4@rel32@lo
s_addc_u32 s1, s1, (sym+12)@rel32@hi
s_mov_b32 s0, 8+sym-4@abs32@hi
//! gfx906
who?: s_nop 0
.long is?it, is?it-4, who?-.
.set sure?, 5
.long sure?
//! gfx906
.quad early
.equ early, 1
.quad early
.equ early, 2
.quad early
.globl early
.quad place
.set place, one
.quad place
.set place, two
.quad place
one: s_nop 0
two: s_nop 1
//! gfx906
.section .one,"axG",@progbits,both,comdat
s_nop 0
.section .two,"aG",@progbits,both
.byte 1
.section .three,"a?",@progbits
.byte 2
.section .four,"aG",@progbits,alone
.byte 3
.section .five,"aG",@progbits,alone,comdat
.byte 4
.section .six,"aoG",@progbits,.one,both,comdat
.byte 5
.section .seven,"ao",@progbits,.five
.byte 6
//! gfx906
.local shown
shown: s_nop 0
.weak shown
.weakref other, real
.weakref other, real
s_mov_b32 s0, other@abs32@lo
.quad other@abs32@lo
//! gfx906
.zero 4
.long a
.reloc 12,R_AMDGPU_ABS32,x+4
.long b
.reloc 0,R_AMDGPU_ABS64,here
.reloc .,R_AMDGPU_NONE,here
.reloc 4,R_AMDGPU_ABS32_LO,x
.reloc -4,R_AMDGPU_ABS32,x
here: .long c
.Lhidden: .long d
.reloc 8,R_AMDGPU_REL32,.Lhidden+8
.data
.byte 1
//! gfx906
.incbin "some.bin",,3
.incbin "some.bin",0,-1
.incbin "some.bin", 4 , 2
//! gfx90a
one: .cfi_startproc
.cfi_personality 0x1b, second
.cfi_lsda 0x1b, .Ltable
s_nop 0
.cfi_llvm_def_aspace_cfa s32, 8, 6
.cfi_endproc
two: .cfi_startproc
s_nop 0
.cfi_endproc
.cfi_startproc
.cfi_personality 0, first
.cfi_lsda 0x9b, .Ltable
.cfi_signal_frame
s_nop 0
.cfi_endproc
.cfi_startproc
.cfi_personality 0x1c, second
s_nop 0
.cfi_endproc
.cfi_startproc
.cfi_lsda 3, .Ltable
.cfi_personality 0xff
s_endpgm
.cfi_endproc
.cfi_startproc
.cfi_return_column 62
s_endpgm
.cfi_endproc
.cfi_startproc simple
s_endpgm
.cfi_endproc
.cfi_startproc
.cfi_lsda 0, .Ltable
s_endpgm
.cfi_endproc
.section .gcc_except_table,"a"
.Ltable: .long 0
//! gfx90a
.cfi_sections .debug_frame
.cfi_startproc
.cfi_personality 0x1b, handler
.cfi_lsda 0x1b, table
s_nop 0
.cfi_endproc
table:
//! gfx942
.file 1 "a.c" md5 5
.file 2 "b.c" md5 0b11
.loc 1 1
s_nop 0
.loc 2 5 3 is_stmt 0
s_nop 0
//! gfx906
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
.more: { .none: , .tilde: ~, .word: null }
keys: {b: 1, 5: 2, a: 3, 12: 4, true: 7, false: 6, 1.5: 8, -2.5: 9, -1.5: 10, -3: 11, ~: 12, "x": 13}
tags: {!!str 5: 1, !!int 7: 2, !!float 8: !!str 9}
...
.end_amdgpu_metadata
//! gfx906
one: # a comment
two: three: # another
"four 4" : # the last
s_nop 0
//! gfx906
.REPT 2
.long 1
.endr
.Irp x, 1, 2
.long \x
.endr
.MACRO m
.long 3
.endm
m
//! gfx906
.weak lab
.set early, lab
lab: s_nop 0
.set a, lab
.set b, lab+4
.quad a, b, a+1, early
.quad b-4
.long b-., a@rel32@lo
s_mov_b32 s0, b@abs32@lo
s_branch a
s_branch b
//! gfx906
.globl g
g: s_nop 0
.set a, g
s_branch a
.set c, a+4
.quad c
.set other, ext
.globl other
.quad other
s_mov_b32 s0, other@abs32@lo
//! gfx906
.quad 1.5, 1e3, 0x1.8p1, -1.5, 2.5e-3, 1.e+2
.if 0.0
.byte 1
.endif
//! gfx906
@a: s_nop 0
//! gfx942
.section .comment
.byte 5
.ident "a"
.ident "b"
//! gfx1030
.symver f, f@@V1
.symver g, g@V2
.symver h, h@@@V3
.symver i, i@@@V3
.symver j, j@V4, remove
.globl f, i, j
j: i: f: g: s_endpgm
.long h, g, j
//! gfx942
"0x" = 5
.long "0x"
//! gfx1100
.altmacro
.irpc x,<a!>b>
.ascii "\x"
.endr
.irpc x,%1+12
.ascii "\x"
.endr
.irp x,%1+12,<a b>,c
.asciz "\x"
.endr
//! gfx942
.cfi_sections x, "a b", .debug_frame
.cfi_startproc
s_nop 0
.cfi_endproc
//! gfx942
.line 5
.line
.lto_discard
.lto_discard a, "b c"
s_nop 0
.end
garbage
//! gfx942
.data
.byte 7
.text
s_nop 0
.ident "x"
.previous
.byte 1
//! gfx942
.section .comment,"MS",@progbits,1
.ident "x"
.previous
s_nop 0
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
    .workgroup_processor_mode: 1
    .cluster_dims: [1, 2, 3]
    .sgpr_spill_count: "5"
    .uses_dynamic_stack: 'true'
    .ratio: [1.5, 0.1, 0.0, 1e300, "-3"]
    .limits: [3.4028234663852886e38, -3.4028234663852886e38, 3.402823466385289e38, 1.1754943508222875e-38, 1.1754943508222874e-38]
    .args:
      - { .size: "8", .offset: 0x10, .value_kind: hidden_queue_ptr, .access: read_only, .is_const: false }
.end_amdgpu_metadata
//! gfx942
.ascii "two
lines // no comment ; none /*"
.macro m x
 .asciz "a
\x"
 s_nop \x
.endm
m 5
m 6
.if 0
 "skipped
.endif
"
.endif
s_nop 0
//! gfx942
.weak .L1
.L1: s_nop 0
s_branch .L1
.long .L1
//! gfx942
s_mov_b32 s0 later
s_add_u32 s0, s0 later@rel32@lo+4
s_addc_u32 s1, s[1] (later@rel32@hi+12)
//! gfx942
k: s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_next_free_vgpr 4
.amdhsa_next_free_sgpr 4
.amdhsa_accum_offset 4
.amdhsa_private_segment_fixed_size k.scratch
.amdhsa_group_segment_fixed_size lds+16
.end_amdhsa_kernel
.long other
//! gfx942
ten = 10
v_add_f32 v0, v1, -ten
v_fma_f32 v0, -ten, -v1, -ten+1
v_add_f64 v[0:1], -ten, -s[2:3]
//! gfx942
.file 1 "a" "b"
s_nop 0
.loc 1 1 1
.rodata
.long 1
.text
s_nop 0
.loc 1 2 1
.text
s_nop 1
.data
.long 2
//! gfx942
.long .amdgcn.next_free_vgprs
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: !str 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .uses_dynamic_stack: !str true
    .other: !!str 5
.end_amdgpu_metadata
//! gfx900
.macro m
.byte 1
.endr
.byte 2
.endm
m
.byte 3
//! gfx942
.cfi_startproc
.cfi_undefined pc
.cfi_same_value exec
.cfi_register exec_lo, 16+20
s_nop 0
.cfi_endproc
//! gfx942
.ident "a\n\x41"
.ident	"b\""
//! gfx942
v1_a = 64
lit = 10
v_add_f32 v0, -v1_a, v1
v_add_f32 v0, -lit, v1
v_add_f32 v0, -v3, v1
//! gfx942
s_mov_b32 s0 4+later
s_add_u32 s0, s1 2+later
v_add_u32 v0 'a'+later, v1
s_add_u32 s0, (5) later
s_mov_b32 s0, max (x, 4)
x = 5
//! gfx942
s_mov_b32 s0, src_null
s_mov_b32 s1, flat_scratch_base
s_mov_b32 s2, 4+vcc_lo
s_mov_b32 s3, (null)
//! gfx942
.file 1 "a" "b"
s_nop 0
.pushsection .data
.loc 1 5 1
.popsection
s_nop 0
//! gfx942
.amdgpu_lds .amdgcn.x, 4, 4
.long .amdgcn.x
.comm .amdgcn.y, 4, 4
.long .amdgcn.y
.amdgcn.z: s_nop 0
//! gfx942
s_mov_b32 s0 +later
s_add_u32 s0, s1 +later
s_mov_b32 vcc_lo +later
s_call_b64 s[0:1] there
there:
//! gfx942
s_mov_b32 s0, 5L
s_mov_b32 s0, 0x10UL
v_mov_b32 v[1U], 5u
s_nop 0b1LL
s_waitcnt vmcnt(1U)
.long 5U, 5ULL, 0x5L, 07L, 1L+2
.if 1L
.line 5L
.endif
//! gfx942
v_readlane_b32_e32 s0, v0, s0
v_writelane_b32_e32 v0, s0, 3
//! gfx700
v_readlane_b32_e32 s0, v0, s0
//! gfx942
pc = 5
.set null, 6
.long pc, null
s_mov_b32 s0, (null)
//! gfx942
.weak .Lx, .Ly, .Lz
.Lx: .long .Lx
.Ly: .long 0
.symver unused, unused@V1
.lto_set_conditional a, b
//! gfx942 none
.type x, @gnu_indirect_function
x: s_nop 0
//! gfx942
.cfi_startproc
s_nop 0
.cfi_label here
.cfi_undefined s101
.cfi_same_value v255
.cfi_endproc
.long here
//! gfx942
k: s_endpgm
.rodata
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8 .amdhsa_next_free_sgpr 8
.amdhsa_accum_offset 4 .end_amdhsa_kernel
//! gfx942
.amdgpu_metadata // comment
---
---
amdhsa.version:	[1, 2] ; comment
; whole line
amdhsa.kernels:
  - .name: k // comment
    .symbol:	k.kd ; .x: "
    .kernarg_segment_size: 0o10
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .text: "a; b // c"
    .halves: [.5, -.5, +5, .5e1, 5L]
...
what follows
.end_amdgpu_metadata // comment

//! gfx942
// Size and type of names of names.
lbl: .quad 0
.type lbl,@object
.size lbl, 8
.set q, lbl+8
.size q, 16
.globl q
.type q,@function
.set r, q
.set s, r+1
.set t, s
far:
.set first, far
.size first, 4
.set second, first

//! gfx942
// A symbol that counts from a label.
.text
l:
.set x, l
.rept 3000
.set x, x+4
.endr
.quad x

//! gfx942
.text
.irp a, 1, 2, 3
.byte \a
.endm
.byte 9
.endr
.byte 4
//! gfx942
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels: []
a: !float 1
b: !float 0x10
c: !float -Inf
d: !bool Yes
e: !bool off
f: !nil x
g: !foo 3
h: !!int 3
i: inf
j: 0x1.8p1
k: -0x.8
!str 4: 1
!int l: 2
m: ''
n: ["", 'it''s']
o:
...
.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
a: ';b'
c: '//d'
e: f';g
h: '/*'
...
.end_amdgpu_metadata
//! gfx942
.set s10.offset, 4
s_mov_b32 s8, s10.offset
s_mov_b32 s8, s10.other
v_mov_b32 v1, v2.x+4
v_add_f32 v0, v1.y, v2
s_branch s1.label
s1.label:
.long a1.b
//! gfx1100
v_add_f32 v0, v1.l.y, v2
v_mov_b16 v0.l, v1.h
//! gfx942
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
[]
.a: [
]
.b: {
.c: 1,
? d : 2, e, "f":3
}
.g: [? h : 1, i: 2]
.j: "one
two  

  three \
   four\x41\u0042\
"
"l
 m": - 1
     - - 2
       -
.n: one
  two # comment
.o:	# comment
	- [5]
	-	"6"
.p: -9223372036854775809
'': 3
...
.end_amdgpu_metadata
//! gfx942
	.amdgpu_metadata
	amdhsa.version: [1, 2]
	amdhsa.kernels:
		- .name: "k"
		  .symbol: "k.kd"
		  .kernarg_segment_size: "8"
		  .group_segment_fixed_size: "0"
		  .private_segment_fixed_size: "0"
		  .kernarg_segment_align: "8"
		  .wavefront_size: "64"
		  .sgpr_count: "8"
		  .vgpr_count: "8"
		  .max_flat_workgroup_size: "256"
	.end_amdgpu_metadata
//! gfx942
.amdgpu_metadata
...
---
---
amdhsa.version: [1, 2]
amdhsa.kernels: []
.a: |
  one
    # two

  three ; comment
# comment
.b: >-
  one
   two

  three
.c: !str |2+
   5

.d: >
.g: |
.h:
  - !str
  - !
  - |
   i
  - &x >

   j
... comment
.end_amdgpu_metadata
//! gfx1030 amdpal
.amd_amdgpu_pal_metadata 0x2c0a, 1, 0x2c0b, 2
s_endpgm
.amd_amdgpu_pal_metadata 0x2c0a, 4
//! gfx1030 amdpal
.amd_amdgpu_pal_metadata 0x2c0a, 1
.amdgpu_pal_metadata
amdpal.pipelines:
- .registers: {1: 2, '3 (A)': 4, 3: 5}
.end_amdgpu_pal_metadata
//! gfx1030 amdpal
.set n, 6
.amdgpu_pal_metadata
amdpal.pipelines:
- .registers: {1: 2}
.end_amdgpu_pal_metadata
.amd_amdgpu_pal_metadata 7, n, n + 2, 3
//! gfx1030 amdpal
.amdgpu_pal_metadata
amdpal.version: [2, 1]
.end_amdgpu_pal_metadata
.amdgpu_pal_metadata
---
...
.end_amdgpu_pal_metadata
//! gfx950
.amdgpu_lds x, 163840
//! gfx1250
.amdgpu_lds x, 327680, 1 << 30
//! gfx600
.amdgpu_lds x, 32768
//! gfx1030
.amdgpu_lds x, 131072
//! gfx9-generic
.amdhsa_code_object_version 5
s_nop 0
//! gfx900 none
.amdgpu_hsa_kernel k
k:
s_endpgm
//! gfx1030 mesa3d
.amd_kernel_code_t
kernel_code_version_minor = 1
enable_wavefront_size32 = 3
workitem_vgpr_count = -1
.end_amd_kernel_code_t
//! gfx942
.globl .data
.data
.long 1
.text
.quad .data
//! gfx942
.weak .data
.local .bss
.data
.quad .bss
.bss
.text
.local .text
.quad .data, .text
//! gfx1100
.globl g
.local .data
.local a
.local .debug_x
.local b
.section .rodata,"a",@progbits
b: .long .debug_x
.quad .data
.data
a: .long 5
.section .debug_x,"",@progbits
.long 7
.quad .rodata
.text
g: s_nop 0
.quad .text
//! gfx942
.section .debug_info,"G",@progbits,5657452045627120676,comdat
.long .debug_abbrev
.section .debug_abbrev,"",@progbits
.byte 0
//! gfx942
.quad .foo
.section .foo,"a",@progbits,unique,1
.long 1
.section .foo,"a",@progbits,unique,2
.quad .foo
//! gfx942
.local g
.section .b,"aG",@progbits,g,comdat
x: .long 1
//! gfx942
.section .b,"aG",@progbits,g,comdat
.weak g
x: .long 1
//! gfx942
.section .b,"aG",@progbits,g,comdat
.long 1
.section .c,"aG",@progbits,h
.quad h
//! gfx942
.section .a,"aG",@progbits,.Lg,comdat
.long 1
.Lg: .long .Lg
//! gfx942
.section .a,"aG",@progbits,.data,comdat
.long 1
