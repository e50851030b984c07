//! `docs/messages.md` shows the current messages of the library and of LLVM's assembler.

use amdgpu_isa::text::{ParseErrorKind, Suggestion};
use amdgpu_isa::{Target, parse};

use crate::llvm_mc::assemble;

/// The message of `asm --lines` about a wrong text, and its column.
fn ours(target: Target, text: &str) -> (String, String) {
    let error = parse(target, text).expect_err(text);
    let hint = Suggestion::for_error(target, text, &error);
    let place = if error.kind == ParseErrorKind::Mnemonic { format!(" on {target}") } else { String::new() };
    let hint = match (hint.elsewhere, hint.nearest) {
        (Some(other), _) => format!("; {other} has it"),
        (_, Some(name)) => format!("; {name} is similar"),
        _ if !hint.encodings.is_empty() => format!("; possible with{}", hint.encodings),
        _ => String::new(),
    };
    (format!("{error}{place}{hint}"), (error.span.start + 1).to_string())
}

#[test]
fn the_page_of_messages_is_current() {
    let page = include_str!("../../docs/messages.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| gfx"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 20, "{} pairs", rows.len());
    for row in rows {
        let [target, text, column, message, llvm] = row[..] else { panic!("{row:?}") };
        let target: Target = target.parse().unwrap();
        let text = text.trim_matches('`').to_string();
        let (said, at) = ours(target, &text);
        assert_eq!((said.as_str(), at.as_str()), (message, column), "{text}");
        let answer = assemble(target, std::slice::from_ref(&text)).remove(0).expect_err(&text);
        assert!(answer.contains(llvm), "{text}: {answer}");
    }
}

/// Messages that the page does not have give the place and the wrong name.
#[test]
fn messages_name_what_is_wrong() {
    const NOT_SECOND: &str = "not an operation that can be the second half of a dual instruction";
    let cases = [
        ("gfx942", "v_add_f32_e32 v0, |v1|, v2", "src0 cannot have this sign; possible with _e64 _sdwa", 19),
        ("gfx942", "v_add_f32_e32 v0, v1, v2 clamp", "the operation has no clamp; possible with _e64 _sdwa", 26),
        (
            "gfx942",
            "s_atomic_add s1, s[2:3], s4 offset:0x100000",
            "offset: a number from -1048576 to 1048575 expected",
            36,
        ),
        ("gfx942", "v_mov_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:3", "dst_unused cannot be 3", 37),
        ("gfx942", "v_cmp_lt_f32_e32 s[0:1], v1, v2", "src0: 1 register expected, not 2; possible with _e64 _sdwa", 18),
        ("gfx942", "v_cmp_eq_u32 vcc_lo, v3, v2 src0_sel:DWORD", "vdst: 2 registers expected, not 1", 14),
        ("gfx942", "v_add_f32 v0, 0x12345, v1 clamp", "not an inline constant, and there is no room for a literal", 15),
        // The first name that no form can have is wrong, whatever the operands before it are.
        ("gfx1150", "v_cmp_eq_i16_e64 s[10:11], tma_hi, v2", "unknown name; gfx600 has it", 28),
        ("gfx1100", "buffer_atomic_sub_u32 v5, off, s[8:11], s3 offset:8388607 th:TH_ATOMIC_RETURN", "unexpected", 59),
        ("gfx1150", "v_cmpx_eq_i32 vcc, v1, v2 src0_sel:DWORD", "unexpected", 27),
        ("gfx1030", "image_atomic_add v1, v2, s[12:19] dmask:0x1 unorm da", "unexpected", 51),
        ("gfx1030", "image_atomic_add v1, v2, s[12:19] dmask:0x1 unorm", "dim is missing", 1),
        ("gfx906", "s_atomic_add 0xffff, exec, s19 offset:0xaa4be glc", "sdata cannot be this", 14),
        ("gfx900", "buffer_load_dword v1, off, s[4:7], s1 lds", "data that goes to LDS has no register", 39),
        ("gfx900", "global_load_dword v0, v[2:3], off lds", "data that goes to LDS has no register", 35),
        ("gfx900", "global_atomic_add v3, v1, ttmp2, s[4:5] glc", "data cannot be this", 27),
        ("gfx900", "global_store_dword v[2:3], v4, ttmp2", "saddr: 2 registers expected, not 1", 32),
        ("gfx1100", "v_dual_add_f32 v7, v2, v3 v6, v4, v5", "`::` and a second operation expected", 27),
        ("gfx1100", "v_dual_add_f32 v0, v1, v2", "`::` and a second operation expected", 26),
        ("gfx942", "v_add_f32_e64 v0, v1, v2 clamp mul:2 clamp", "clamp is here twice", 38),
        ("gfx942", "v_add_f32_e64 v0, v1, v2 mul:2 clamp", "clamp has to come before the other modifiers", 32),
        ("gfx90a", "ds_write2_b32 v0, a1, v2", "data1 cannot be this", 23),
        ("gfx90a", "ds_add_rtn_u32 a0, v1, v2", "data0 cannot be this", 24),
        ("gfx90a", "image_load v102, v[129:130], s[4:11] dmask:0x1 unorm", "vaddr: v129 is misaligned", 18),
        ("gfx90a", "image_sample v102, v[129:132], s[4:11], s[4:7] dmask:0x1", "vaddr: v129 is misaligned", 20),
        ("gfx90a", "image_store v[100:101], v[127:128], s[4:11] dmask:0x3 unorm", "vaddr: v127 is misaligned", 25),
        ("gfx90a", "image_atomic_add v102, v[129:130], s[4:11] dmask:0x1 unorm", "vaddr: v129 is misaligned", 24),
        ("gfx1200", "s_wait_alu depctr_va_vdst(0) depctr_va_vdst(1)", "va_vdst is here twice", 30),
        ("gfx1030", "s_waitcnt_depctr depctr_vm_vsrc(1) & depctr_vm_vsrc(1)", "vm_vsrc is here twice", 38),
        ("gfx1250", "v_dual_mul_f32 v3, --1, v5 :: v_dual_mov_b32 v4, v6", "src0x cannot have this sign", 20),
        ("gfx1250", "v_dual_mov_b32 v4, v6 :: v_dual_mul_f32 v3, --1, v5", "src0y cannot have this sign", 45),
        ("gfx900", "v_div_scale_f32 v0, vcc, abs(-2.0), v1, v2", "src0 has no abs in this operation", 26),
        ("gfx1100", "v_div_scale_f32 v0, vcc_lo, v1, -|v1|, v2", "src1 has no abs in this operation", 33),
        ("gfx900", "s_add_u32 s0, neg(s1), s2", "ssrc0 has no neg in this operation", 15),
        ("gfx900", "v_add_u32 v0, abs(v1), v2", "src0 has no abs in this operation", 15),
        ("gfx900", "v_add_f32 v0, v1, sext(v1)", "vsrc1 has no sext in this operation", 19),
        ("gfx1100", "v_dual_mov_b32 v0, v1 :: v_mov_b32 v1, v2", NOT_SECOND, 26),
        ("gfx1100", "v_dual_mov_b32 v0, v1 :: v0", NOT_SECOND, 26),
        (
            "gfx1100",
            "v_dual_lshlrev_b32 v0, v1, v2 :: v_dual_mov_b32 v1, v2",
            "not an operation that can be the first half of a dual instruction",
            1,
        ),
        (
            "gfx1250",
            "v_dual_fmac_f32 v256, s0, v0 :: v_dual_bitop2_b32 v149, s1, v130 bitop3:0x14",
            "the last such register is v255",
            17,
        ),
        ("gfx942", "flat_atomic_add v1, v[2:3], v4", "the operation returns a value only with sc0", 17),
        (
            "gfx942",
            "global_atomic_add v[2:3], v4, off sc0",
            "the operation returns a value because of sc0: a destination expected",
            35,
        ),
        (
            "gfx906",
            "flat_atomic_swap_x2 v[190:191], v[120:121] glc",
            "the operation returns a value because of glc: a destination expected",
            44,
        ),
        (
            "gfx1200",
            "global_atomic_add_u32 v1, v[2:3], v4, off",
            "the operation returns a value only with th:TH_ATOMIC_RETURN",
            23,
        ),
        (
            "gfx1200",
            "global_atomic_add_u32 v1, v[2:3], v4, off th:TH_ATOMIC_RETRUN",
            "th has no such value; TH_ATOMIC_RETURN is similar",
            46,
        ),
        (
            "gfx1310",
            "v_dual_add_f32 v0, s92, v206 :: v_dual_cndmask_b32 v1, s64, v0",
            "3 different scalars are read, and the constant bus carries 2",
            56,
        ),
        ("gfx906", "global_atomic_add v1, v[2:3], v4, off glcx", "unexpected; glc is similar", 39),
        ("gfx1200", "s_prefetch_data s[102:103], 0x0, s104, 65", "sdata: a number from 0 to 31 expected", 40),
        ("gfx1200", "s_buffer_load_b32 s0, s[0:3], s4 offset:-1", "offset: a number from 0 to 8388607 expected", 34),
        ("gfx1200", "s_buffer_load_b32 s0, s[0:3], -1", "offset: a number from 0 to 8388607 expected", 31),
        ("gfx942", "s_buffer_load_dword s0, s[4:7], s2 offset:-1", "offset: a number from 0 to 1048575 expected", 36),
        ("gfx942", "s_buffer_load_dword s0, s[4:7], -1", "offset: a number from 0 to 1048575 expected", 33),
        ("gfx1030", "s_buffer_load_dword s0, s[4:7], -1", "offset: a number from 0 to 1048575 expected", 33),
        ("gfx1030", "s_buffer_load_dword s0, s[4:7], 0x800000", "offset: a number from 0 to 1048575 expected", 33),
        (
            "gfx1030",
            "image_gather4 v[0:3], v[0:1], s[0:7], s[8:11] dmask:0x3 dim:SQ_RSRC_IMG_2D",
            "dmask of the operation cannot be 0x3, only 1, 2, 4 or 8",
            47,
        ),
        (
            "gfx1250",
            "buffer_atomic_add_u32 v0, off, s[0:3], s4 th:7",
            "th of the operation cannot be 0x7, only 0 to 4 or 6",
            43,
        ),
        (
            "gfx1200",
            "buffer_load_b32 v0, off, s[0:3], s4 idxen",
            "vaddr: a register needs offen, idxen or addr64, and off excludes them",
            21,
        ),
        (
            "gfx1200",
            "global_store_b32 v[0:1], v2, off th:TH_LOAD_NT",
            "the hints of this operation begin with TH_STORE_",
            37,
        ),
        (
            "gfx1200",
            "global_load_b32 v0, v[0:1], off th:TH_STORE_NT",
            "the hints of this operation begin with TH_LOAD_",
            36,
        ),
        (
            "gfx1250",
            "global_atomic_add_u32 v[0:1], v2, off th:TH_STORE_NT",
            "the hints of this operation begin with TH_ATOMIC_",
            42,
        ),
        ("gfx1200", "global_store_b32 v[0:1], v2, off th:TH_STORE_BYPASS", "a hint that needs scope:SCOPE_SYS", 37),
        (
            "gfx1200",
            "global_store_b32 v[0:1], v2, off th:TH_STORE_WB scope:SCOPE_SYS",
            "a hint that has another name with scope:SCOPE_SYS",
            37,
        ),
        ("gfx1200", "v_cmp_eq_u16_e64 s0, s1, s2 op_sel:[1,1,1]", "op_sel has no such value", 29),
        ("gfx900", "v_add_f32 v0, lit64(5), v1", "no literal of 64 bits is possible here", 15),
        ("gfx900", "v_add_f32 v0, v1, v2 mul:3", "mul has no such value", 22),
        ("gfx900", "v_add_f32 v0, v1, v2 div:4", "div has no such value", 22),
        ("gfx1250", "v_bitop3_b32 v0, v1, v2, v3 bitop3:0x100", "a number from 0 to 255 expected", 36),
        ("gfx1200", "v_cvt_u32_f32_e32 v157+1, s0", "unexpected", 27),
        ("gfx700", "flat_load_dword v0, v[1:2] offset:1", "the operation has no offset", 28),
        ("gfx942", "buffer_load_dwordx3 v[0:2], off, s[0:3], 0 lds", "the operation has no lds", 44),
        // A known name has no similar one.
        ("gfx900", "v_add_f32_dpp v0, src_vccz, v1 row_shl:1", "src0 cannot be this", 19),
        // A name is not listed as similar to itself.
        ("gfx942", "s_mov_b32 s0, vmcnt", "unknown name", 15),
        ("gfx942", "s_mov_b32 s0, vmcmt", "unknown name; vmcnt is similar", 15),
    ];
    for (target, text, message, column) in cases {
        let Ok(target) = target.parse() else { continue };
        assert_eq!(ours(target, text), (message.to_string(), column.to_string()), "{text}");
    }
}

/// The time for a line is linear in its length, even if it consists of many words, operands or modifiers; otherwise
/// this test takes minutes.
#[test]
fn long_lines_are_refused_soon() {
    const MANY: usize = 200_000;
    let cases = [
        ("gfx1100", "v_mov_b32 v0, v1", ", v0"),
        ("gfx1100", "v_mov_b32_e64 v0, v1", " clamp"),
        ("gfx1100", "v_mov_b32 v0, ", "("),
        ("gfx1100", "v_dual_mov_b32 v0, v1", " /*"),
        ("gfx1100", "v_dual_mov_b32 v0, v1", " : :"),
        ("gfx906", "exp mrt0 v1, v1, v2, v2", " /*"),
        ("gfx906", "exp mrt0 v1, v1, v2, v2 compr", " compr"),
        ("gfx906", "buffer_load_dword v1, off, s[0:3], 0", " /*"),
        ("gfx906", "s_mov_b64 [s0", ",s0"),
        ("gfx906", "v_cmp_eq_f32 v1", ", v2"),
        ("gfx906", "v_cmp_eq_f32 v1, ", "["),
        ("gfx906", "ds_read_b32 v0, v1 offset:", "["),
    ];
    for (target, text, more) in cases {
        let Ok(target) = target.parse() else { continue };
        assert!(parse(target, &format!("{text}{}", more.repeat(MANY))).is_err(), "{text}{more}");
    }
}
