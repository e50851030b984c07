// What people write around instructions: every target has these instructions.
	.include "part.inc"
# A line for a preprocessor.
	.set zero, 0
count = 3
	.equ twice, count*2
	.globl start
	.protected start
	.type start,@function
	.p2align 8
start:	s_mov_b32 s0, twice	// a symbol that is known
	s_mov_b32 s1, .Lend-start	/* one that is not,
	in a comment of two lines */ ; and another
	s_mov_b32 s[count], 0x10 + (1 << 4) - ~0
	S_NOP 0
1:	s_nop 1
	s_branch 1b
	s_branch 1f
	s_cbranch_scc0 .Lend
1:	s_cbranch_scc1 start
	.macro pair first, second=7
	s_mov_b32 s2, \first
	s_mov_b32 s3, \second
.Lpair\@:
	.endm
	pair 1
	pair 2, 3
	pair first=count, second = twice
	.macro list name:req, rest:vararg
	.irp value, \rest
	.long \name\()_\value
	.endr
	.endm
	.rept 2
	s_nop count - 1
	.rept 2
	s_nop 7
	.endr
	.endr
	.irpc digit, 123
	s_nop \digit
	.endr
	.if count == 3
	s_nop 3
	.if zero
	.error "never"
	.else
	s_nop 4
	.endif
	.elseif 1
	.error "never"
	.endif
	.ifdef nowhere
	s_nop 15
	.endif
	.ifndef nowhere
	s_nop 14
	.endif
	.macro down n
	.if \n
	s_nop \n
	down \n-1
	.endif
	.endm
	down 3
	.p2align 4
.Lend:
	s_endpgm
	.size start, .Lend-start
	.fill 3, 4, 0xbf800000

	.data
value_1:
	.long 1
value_2:
	.long value_2-value_1, . - value_1
	list value, 1, 2
	.quad start, start+8, .Lend
	.quad outside-.
	.long outside, outside@abs32@lo, outside@abs32@hi
	.byte 1, 'a', 0b101, 017, -1
	.short 0xffff
	.2byte 4
	.value 3
	.int 5
	.4byte 7
	.8byte 8
	.byte -128, 255, early-late
	.short -32768, 65535
	.byte 1<>2, 2<>2, 1!=2, (0||2)
	.macro compared n
	.ifeq \n
	.byte 1
	.endif
	.ifne \n
	.byte 2
	.endif
	.ifge \n
	.byte 3
	.endif
	.ifgt \n
	.byte 4
	.endif
	.ifle \n
	.byte 5
	.endif
	.iflt \n
	.byte 6
	.endif
	.endm
	compared -1
	compared 0
	compared 1
	.byte extrasgprs(1,0,0), extrasgprs(0,1,0), extrasgprs(0,0,1)
	.ascii "text\n", "\x41\102", "\1023"
	.asciz "end"
	.string "a \"quoted\" text ; and no comment"
	.zero 3
	.balign 8
early:	.long 1
late:
	.p2alignl 4, 0xbf800000
	.float 1.5
	.double -2.0
	.fill 2, 8, 0x12345678
	.space 2, 0xff
	.skip 2
	.hidden secret
secret:
	.long 7
	.weak perhaps
	.local own
own:	.long own-secret
	.section .rodata,"a",@progbits
constant:
	.long 5
	.section strange,"aw",@nobits
	.zero 64
	.bss
room:	.zero 16
	.text
	.pushsection .data
	.long 0xabcd
	.popsection
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, outside@rel32@lo+4
	s_addc_u32 s5, s5, outside@rel32@hi+12
	s_add_u32 s4, s4, outside@gotpcrel32@lo+4
	s_addc_u32 s5, s5, outside@gotpcrel32@hi+12
	s_add_u32 s4, s4, constant@rel32@lo+4
	s_add_u32 s4, s4, .Lend-start
	s_mov_b32 s6, outside
	s_mov_b32 s6, outside@abs32@lo
