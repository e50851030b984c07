//! The program of the test.

use amdgpu_asm::{Assembly, Options, assemble};
use amdgpu_isa::{Target, parse};

/// The number of the last place. `NEVER` is the number of each place that no run passes.
pub const LAST: u32 = 9999;
pub const NEVER: u32 = 6666;

/// Placeholders for operations, each with the names that the operation has on different targets.
const NAMES: &[(&str, &[&str])] = &[
    ("{getpc}", &["s_get_pc_i64", "s_getpc_b64"]),
    ("{setpc}", &["s_set_pc_i64", "s_setpc_b64"]),
    ("{swappc}", &["s_swap_pc_i64", "s_swappc_b64"]),
    ("{low}", &["s_add_co_u32", "s_add_u32"]),
    ("{high}", &["s_add_co_ci_u32", "s_addc_u32"]),
    ("{less}", &["s_sub_co_u32", "s_sub_u32"]),
    ("{highless}", &["s_sub_co_ci_u32", "s_subb_u32"]),
    ("{add}", &["s_add_co_i32", "s_add_i32"]),
    ("{load32}", &["s_load_b32", "s_load_dword"]),
    ("{load64}", &["s_load_b64", "s_load_dwordx2"]),
];
const SUM: &str = " s4, s4, s5";
const OPERANDS: [&str; 10] =
    [" s[4:5]", " s[4:5]", " s[4:5], s[6:7]", SUM, SUM, SUM, SUM, SUM, " s4, s[6:7], 0x0", " s[4:5], s[6:7], 0x0"];

/// Sources that put the address of a near place, which replaces `@`, into s[4:5].
#[rustfmt::skip]
const ADDRESSES: &[&str] = &[
    "{getpc} s[4:5]; {low} s4, s4, @@rel32@lo+4; {high} s5, s5, @@rel32@hi+12",
    "{getpc} s[4:5]; s_mov_b32 s20, s21; s_nop 0; {low} s4, @@rel32@lo+12, s4; v_mov_b32 v9, s20; s_nop 1; {high} s5, s5, @@rel32@hi+28",
    "{getpc} s[4:5]; s_nop 0; s_sext_i32_i16 s5, s5; {low} s4, s4, @@rel32@lo+12; s_nop 0; {high} s5, s5, @@rel32@hi+24",
    "{getpc} s[4:5]; {low} s4, s4, @@rel32@lo+4; s_sext_i32_i8 s5, s5; {high} s5, @@rel32@hi+16, s5",
    "{getpc} s[4:5]; s_add_nc_u64 s[4:5], s[4:5], @@rel64+4",
    "{getpc} s[4:5]; s_sext_i32_i16 s5, s5; s_nop 0; s_add_nc_u64 s[4:5], @@rel64+12, s[4:5]",
    "{getpc} s[6:7]; {low} s6, s6, @@rel32@lo+4; {high} s7, s7, @@rel32@hi+12; s_mov_b64 s[4:5], s[6:7]",
    // The sum goes into registers other than the program counter's, or is made from a copy of the program counter.
    "{getpc} s[6:7]; {low} s4, s6, @@rel32@lo+4; {high} s5, s7, @@rel32@hi+12",
    "{getpc} s[6:7]; {low} s8, s6, pointers@rel32@lo+4; {high} s9, s7, pointers@rel32@hi+12; {low} s4, s6, @@rel32@lo+20; {high} s5, s7, @@rel32@hi+28",
    "{getpc} s[6:7]; s_mov_b64 s[4:5], s[6:7]; {low} s4, s4, @@rel32@lo+8; {high} s5, s5, @@rel32@hi+16",
    "{getpc} s[6:7]; s_nop 0; s_add_nc_u64 s[4:5], s[6:7], @@rel64+8",
    "{getpc} vcc; {low} vcc_lo, vcc_lo, @@rel32@lo+4; {high} vcc_hi, vcc_hi, @@rel32@hi+12; s_mov_b64 s[4:5], vcc",
    // The halves are in separate registers, as in clang's code without optimization.
    "{getpc} s[6:7]; {low} s6, s6, @@rel32@lo+4; {high} s7, s7, @@rel32@hi+12; s_mov_b32 s11, s6; s_mov_b32 s10, s7; s_mov_b32 s4, s11; s_mov_b32 s5, s10",
    "s_mov_b32 s20, 32; {getpc} s[6:7]; {low} s6, s6, @@rel32@lo+4; {high} s7, s7, @@rel32@hi+12; s_lshr_b64 s[8:9], s[6:7], s20; s_mov_b32 s9, s6; \
     s_mov_b32 s4, s9; s_mov_b32 s5, s8",
    "{getpc} s[6:7]; {low} s6, s6, @@rel32@lo+4; {high} s7, s7, @@rel32@hi+12; s_lshr_b64 s[8:9], s[6:7], 32; s_mov_b32 s4, s6; s_mov_b32 s5, s8",
    "{getpc} s[6:7]; {low} s6, s6, @@rel32@lo+4; {high} s7, s7, @@rel32@hi+12; v_mov_b32 v0, s6; v_mov_b32 v1, s7; \
     v_readfirstlane_b32 s4, v0; v_readfirstlane_b32 s5, v1",
    "{getpc} s[6:7]; {low} s6, s6, @@rel32@lo+4; {high} s7, s7, @@rel32@hi+12; v_writelane_b32 v2, s6, 3; v_writelane_b32 v2, s7, 4; \
     s_mov_b64 s[6:7], 0; s_nop 4; v_readlane_b32 s4, v2, 3; v_readlane_b32 s5, v2, 4",
    "{getpc} s[6:7]; {low} s6, s6, @@rel32@lo+4; {high} s7, s7, @@rel32@hi+12; s_mov_b32 s11, s6; s_mov_b32 s10, s7; \
     v_writelane_b32 v2, s10, 0; v_writelane_b32 v2, s11, 1; v_readlane_b32 s5, v2, 0; v_readlane_b32 s4, v2, 1",
];

/// Sources that reach a place by other means. `.L` is a label of the block's own.
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "s_call_b64 s[30:31], f",
    "s_call_b64 s[30:31], h",
    "s_branch .L; s_movk_i32 s40, 6666; .L:",
    "s_branch .Lback; s_movk_i32 s40, 6666; .Lthere:; s_movk_i32 s40, 71; s_branch .L; .Lback:; s_movk_i32 s40, 70; s_branch .Lthere; s_movk_i32 s40, 6666; .L:; s_nop 0",
    // A loop to an instruction that may be removed.
    "s_mov_b32 s20, 3; .L:; s_nop 0; s_nop 0; s_movk_i32 s40, 72; {low} s20, s20, -1; s_cmp_lg_u32 s20, 0; s_cbranch_scc1 .L",
    "s_mov_b32 s20, 2; s_branch .L; s_nop 0; .L:; s_nop 0; .Lin:; s_nop 0; s_nop 3; s_movk_i32 s40, 73; {low} s20, s20, -1; s_cmp_lg_u32 s20, 0; s_cbranch_scc1 .Lin",
    // A branch that is too far for one instruction.
    "{getpc} s[4:5]; .Lpc:; {low} s4, s4, (.L-.Lpc)&4294967295; {high} s5, s5, (.L-.Lpc)>>32; {setpc} s[4:5]; s_movk_i32 s40, 6666; .L:",
    "s_branch .Lover; .L:; s_movk_i32 s40, 75; s_branch .Lend; .Lover:; {getpc} s[4:5]; .Lpc:; {low} s4, s4, (.L-.Lpc)&4294967295; {high} s5, s5, (.L-.Lpc)>>32; \
     {setpc} s[4:5]; s_movk_i32 s40, 6666; .Lend:",
    "s_add_pc_i64 12; s_nop 0; s_nop 0; s_movk_i32 s40, 6666",
    "s_add_pc_i64 .L-.Lpc; .Lpc:; s_movk_i32 s40, 6666; .L:",
    // The upper half of the program counter, beside which a lower half comes from elsewhere.
    "{getpc} s[8:9]; s_nop 0; s_mov_b32 s8, s20; s_mov_b32 s10, s9",
    // A selection of one of two addresses.
    "{getpc} s[8:9]; {getpc} s[4:5]; {low} s4, s4, f@rel32@lo+4; {high} s5, s5, f@rel32@hi+12; {low} s8, s8, h@rel32@lo+24; {high} s9, s9, h@rel32@hi+32; \
     s_cmp_lg_u32 s4, s4; s_cselect_b64 s[4:5], s[8:9], s[4:5]; {swappc} s[30:31], s[4:5]",
    "{getpc} s[8:9]; {getpc} s[4:5]; {low} s4, s4, f@rel32@lo+4; {high} s5, s5, f@rel32@hi+12; {low} s8, s8, h@rel32@lo+24; {high} s9, s9, h@rel32@hi+32; \
     s_cmp_lg_u32 s4, s9; s_cselect_b32 s5, s9, s5; s_cselect_b32 s4, s8, s4; {swappc} s[30:31], s[4:5]",
    // A load from the linker's table of addresses (GOT).
    "{getpc} s[4:5]; {low} s4, s4, far@gotpcrel32@lo+4; {high} s5, s5, far@gotpcrel32@hi+12; {load64} s[4:5], s[4:5], 0x0; {swappc} s[30:31], s[4:5]",
    "{getpc} s[4:5]; {low} s4, s4, distant@gotpcrel32@lo+4; {high} s5, s5, distant@gotpcrel32@hi+12; {load64} s[4:5], s[4:5], 0x0; {load32} s41, s[4:5], 0x0",
];

/// Sources of branches that add a distance in a register to the address of the code, or subtract one.
#[rustfmt::skip]
pub const DISTANCES: &[&str] = &[
    // Branches of Tensile, forwards and backwards.
    "{getpc} s[4:5]; {add} s6, .L, 4; {low} s4, s4, s6; {high} s5, s5, 0; {setpc} s[4:5]; s_movk_i32 s40, 6666; .L:; s_nop 0",
    "s_branch .Lover; .L:; s_movk_i32 s40, 76; s_branch .Lend; .Lover:; {getpc} s[4:5]; {add} s6, .L, 4; s_abs_i32 s6, s6; {less} s4, s4, s6; \
     {highless} s5, s5, 0; {setpc} s[4:5]; s_movk_i32 s40, 6666; .Lend:; s_nop 0",
    // A branch backwards of older versions of LLVM.
    "s_branch .Lover; .L:; s_movk_i32 s40, 77; s_branch .Lend; .Lover:; {getpc} s[4:5]; .Lpc:; {less} s4, s4, .Lpc-.L; {highless} s5, s5, 0; \
     {setpc} s[4:5]; s_movk_i32 s40, 6666; .Lend:; s_nop 0",
];

/// The places that are called or loaded.
const CALLED: &[&str] = &["f", "g", "h", "short"];
const LOADED: &[&str] = &["constant", "variable", "zeros", "inner", "tables"];
/// The number of pointers in data.
const POINTERS: usize = 5;

fn named(target: Target, text: &str) -> String {
    NAMES.iter().zip(OPERANDS).fold(text.to_string(), |text, ((name, spellings), operands)| {
        let is_known = |spelling: &&&str| parse(target, &format!("{spelling}{operands}")).is_ok();
        text.replace(name, spellings.iter().find(is_known).unwrap_or_else(|| panic!("{target}: {name}")))
    })
}

/// The blocks whose instructions a target has.
fn blocks(target: Target) -> Vec<String> {
    let mut all: Vec<String> = BLOCKS.iter().chain(DISTANCES).map(|block| block.to_string()).collect();
    for (n, address) in ADDRESSES.iter().enumerate() {
        let of = |what: &str| address.replace("@@", &format!("{what}@"));
        all.push(of(CALLED[n % CALLED.len()]) + "; {swappc} s[30:31], s[4:5]");
        all.push(of(LOADED[n % LOADED.len()]) + "; {load32} s41, s[4:5], 0x0");
        let pointer = address.replace("@@rel", "pointers@rel").replace("+", &format!("+{}+", n % POINTERS * 8));
        all.push(pointer + "; {load64} s[4:5], s[4:5], 0x0; {swappc} s[30:31], s[4:5]");
    }
    let named = all.iter().enumerate().map(|(n, block)| named(target, &block.replace(".L", &format!(".L{n}_"))));
    named.filter(|block| assembled(target, std::slice::from_ref(block)).is_some()).collect()
}

/// The code object of a target, and the number of its idioms.
pub fn program(target: Target) -> (Vec<u8>, usize) {
    let blocks = blocks(target);
    (assembled(target, &blocks).unwrap(), blocks.len())
}

/// The object for a linker with the idioms of a target. Its code is in three sections.
pub fn relocatable(target: Target) -> Vec<u8> {
    let lines = divided(target, [".text.more", ".text.last"]);
    assembly(&lines).unwrap().to_object().unwrap_or_else(|e| panic!("{target}: {e}"))
}

/// The object for a linker of a source whose lines may end with `;`.
pub fn unlinked(lines: &str) -> Vec<u8> {
    assembly(lines).unwrap().to_object().unwrap()
}

/// The code object with the idioms of a target, with three sections of code.
pub fn of_sections(target: Target) -> Vec<u8> {
    object(target, &divided(target, ["second", "third"])).unwrap()
}

/// The source with the idioms, with some functions and a kernel in sections of these names.
fn divided(target: Target, sections: [&str; 2]) -> String {
    let mut lines = lines(target, &blocks(target));
    for (before, section) in [".type g,", ".p2align 8; .type preloaded,"].iter().zip(sections) {
        lines = lines.replace(before, &format!(".section {section},\"ax\",@progbits; .p2align 2; {before}"));
    }
    lines.replace(".type h,", ".section .text; .type h,")
}

fn assembled(target: Target, blocks: &[String]) -> Option<Vec<u8>> {
    object(target, &lines(target, blocks))
}

/// The source of a program with some blocks.
fn lines(target: Target, blocks: &[String]) -> String {
    let numbered = |(n, block): (usize, &String)| format!("s_movk_i32 s40, {}; {block}; ", 1000 + n);
    let all: String = blocks.iter().enumerate().map(numbered).collect();
    let kernel = named(target, &all);
    let accumulates = target.accum_granule().is_some();
    let (accum, preload) = match accumulates {
        true => (
            ".amdhsa_accum_offset 8\n",
            ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_user_sgpr_kernarg_preload_length 2\n",
        ),
        false => ("", ""),
    };
    let descriptor = |name: &str, more: &str| {
        format!(
            ".amdhsa_kernel {name}\n.amdhsa_next_free_vgpr 16\n.amdhsa_next_free_sgpr 42\n{accum}{more}.end_amdhsa_kernel\n"
        )
    };
    let descriptors = descriptor("first", "") + &descriptor("all", "") + &descriptor("preloaded", preload);
    let ret = named(target, "{setpc} s[30:31]");
    format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{processor}\"; .text
        .protected first, all, preloaded, g, short; .globl first, all, preloaded, g, short, far, distant
        .p2align 8; .type first,@function; first:; s_movk_i32 s40, 1; s_nop 0; s_endpgm; .size first, .-first
        .type f,@function; f:; s_movk_i32 s40, 100; s_nop 0; inside:; s_movk_i32 s40, 101; {ret}; .size f, .-f
        .p2align 8; .type all,@function; all:; {kernel} s_movk_i32 s40, 9999; s_endpgm
        .type g,@function; g:; s_nop 0; s_movk_i32 s40, 200; s_nop 0; {ret}; .size g, .-g
        .type far,@function; far:; s_movk_i32 s40, 300; {ret}; .size far, .-far
        short:; s_movk_i32 s40, 400; {ret}
        .p2align 8; .type preloaded,@function; preloaded:; s_movk_i32 s40, 500; s_nop 2; s_branch .Lbody; .p2align 8; .Lbody:
        s_movk_i32 s40, 501; s_nop 0; s_endpgm; .size preloaded, .-preloaded
        .type h,@function; h:; s_movk_i32 s40, 600; {ret}; .size h, .-h
        .section .rodata; .p2align 2; .long 0xaa000001; constant:; .long 0xaa000002; .p2align 6
        {descriptors}
        .data; .p2align 3; variable:; .long 0xdd000001; inner:; .long 0xdd000002; distant:; .long 0xdd000003, 0xdd000004
        pointers:; .quad f, inside, far, g, f+8; tables:; .long 0xdd000005
        .bss; .p2align 4; .zero 64; zeros:; .zero 64",
        processor = target.processor(),
    )
}

/// The code object of a source whose lines may end with `;`, unless the source has a fault.
pub fn object(target: Target, lines: &str) -> Option<Vec<u8>> {
    Some(assembly(lines)?.to_code_object(false).unwrap_or_else(|e| panic!("{target}: {e}")))
}

fn assembly(lines: &str) -> Option<Assembly> {
    let text: Vec<&str> = lines.split([';', '\n']).map(str::trim).collect();
    assemble("idioms", &(text.join("\n") + "\n"), &Options::default()).ok()
}

/// The code object with one block, if the target has it.
pub fn of_block(target: Target, block: &str) -> Option<Vec<u8>> {
    assembled(target, &[named(target, block)])
}
