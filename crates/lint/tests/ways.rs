//! What is known of code along its ways: through calls, where ways meet, with registers beyond the first 256, and what no way reaches.

use amdgpu_isa::{Target, parse};
use amdgpu_lint::check::{self, Finding, Severity};
use amdgpu_lint::repair::{self, Repair};
use amdgpu_object::{Image, Name, Section, TargetId};

/// The words of instructions, which semicolons part.
fn assemble(target: Target, text: &str) -> Vec<u8> {
    let insts = text.split(';').map(|text| parse(target, text.trim()).unwrap_or_else(|why| panic!("{text}: {why:?}")));
    insts.flat_map(|inst| inst.words().to_vec()).flat_map(u32::to_le_bytes).collect()
}

/// The errors and warnings about bare code, with their addresses.
fn said(target: Target, text: &str) -> Vec<String> {
    let code = assemble(target, text);
    let image = Image::bare(TargetId::parse(target.name()), 0, &code);
    let is_told = |finding: &&Finding<'_>| finding.severity() != Severity::Hint;
    let found = check::image(&image, target);
    found
        .iter()
        .filter(is_told)
        .map(|finding| format!("{:#x} {}: {}", finding.address, finding.rule(), finding.what))
        .collect()
}

#[test]
fn a_function_is_checked_with_what_its_callers_leave() {
    let text = "global_load_dword v0, v2, s[0:1]; s_call_b64 s[30:31], 1; s_endpgm; v_add_f32 v1, v0, v0; s_setpc_b64 s[30:31]";
    assert_eq!(said(Target::Gfx942, text), ["0x10 missing-wait: v0 is used before it is loaded"]);
    let waits = text.replace("v_add_f32", "s_waitcnt vmcnt(0); v_add_f32");
    assert_eq!(said(Target::Gfx942, &waits), [""; 0]);
}

#[test]
fn a_caller_knows_what_a_function_leaves() {
    let text = "s_call_b64 s[30:31], 2; v_add_f32 v1, v0, v0; s_endpgm; global_load_dword v0, v2, s[0:1]; s_setpc_b64 s[30:31]";
    assert_eq!(said(Target::Gfx942, text), ["0x4 missing-wait: v0 is used before it is loaded"]);
    // The function waits for what the caller left, and for nothing else.
    let text = "global_load_dword v0, v2, s[0:1]; s_call_b64 s[30:31], 2; v_add_f32 v1, v0, v0; s_endpgm; \
                global_load_dword v3, v2, s[0:1]; s_waitcnt vmcnt(1); s_setpc_b64 s[30:31]";
    assert_eq!(said(Target::Gfx942, text), [""; 0]);
    let other = text.replace("v_add_f32 v1, v0, v0", "v_add_f32 v1, v3, v3");
    assert_eq!(said(Target::Gfx942, &other), ["0xc missing-wait: v3 is used before it is loaded"]);
}

/// One caller leaves a load outstanding, the other one none: what the function leaves is told apart.
#[test]
fn callers_do_not_see_what_others_leave() {
    let text = "global_load_dword v0, v2, s[0:1]; s_call_b64 s[30:31], 4; s_waitcnt vmcnt(0); v_mov_b32 v0, 0; \
                s_call_b64 s[30:31], 1; s_branch 1; s_setpc_b64 s[30:31]; v_add_f32 v1, v0, v0; s_endpgm";
    assert_eq!(said(Target::Gfx942, text), [""; 0]);
}

#[test]
fn a_function_that_calls_itself_comes_to_an_end() {
    let text = "s_call_b64 s[30:31], 1; s_endpgm; s_cbranch_scc0 1; s_call_b64 s[30:31], 65533; s_setpc_b64 s[30:31]";
    assert_eq!(said(Target::Gfx942, text), [""; 0]);
}

#[test]
fn distances_go_on_behind_a_call() {
    let text = "s_call_b64 s[30:31], 4; v_mov_b32 v2, s4; s_endpgm; s_nop 0; s_nop 0; v_readfirstlane_b32 s4, v0; s_setpc_b64 s[30:31]";
    let found = said(Target::Gfx942, text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("0x4 C01: 1 wait state is missing after v_readfirstlane_b32 (s4)"), "{found:?}");
}

#[test]
fn registers_beyond_the_first_256_are_told_apart() {
    let said = |text: &str| said(Target::Gfx1250, text);
    let text = "s_set_vgpr_msb 0x41; global_load_b32 v3, v4, s[0:1]; v_mov_b32 v9, v3; s_endpgm";
    assert_eq!(said(text), ["0x10 missing-wait: v259 is used before it is loaded"]);
    let other = text.replace("0x41", "0x40");
    assert_eq!(said(&other), [""; 0]);
    let text = "s_set_vgpr_msb 0; v_wmma_f32_16x16x32_bf16 v[0:7], v[8:15], v[16:23], v[0:7]; s_set_vgpr_msb 0x40; \
                v_mov_b32 v8, 0; s_endpgm";
    assert_eq!(said(text), [""; 0]);
    assert_eq!(said(&text.replace("0x40", "0")).len(), 1);
}

/// However many instructions are followed, one more changes nothing for the others.
#[test]
fn nothing_is_said_for_lack_of_room() {
    let many = |text: &dyn Fn(usize) -> String| (0..40).map(text).collect::<Vec<_>>().join("; ") + "; s_endpgm";
    let mfma = many(&|n| format!("v_mfma_f32_4x4x4_16b_f16 v[{}:{}], v[200:201], v[202:203], 0", 4 * n, 4 * n + 3));
    assert_eq!(said(Target::Gfx942, &mfma), [""; 0]);
    let scalars = many(&|n| format!("v_mov_b32 v{n}, s{n}; s_mov_b32 s{n}, 0"));
    assert_eq!(said(Target::Gfx1200, &scalars), [""; 0]);
}

#[test]
fn code_that_no_way_reaches_is_said() {
    let text = "s_setpc_b64 s[8:9]; global_load_dword v1, v0, s[2:3]; v_mov_b32 v2, v1; s_endpgm; s_nop 0; s_nop 0";
    let wanted = "0x4 unreached-code: no known way reaches 16 bytes of code, which were not checked: 0x4 to 0x14";
    assert_eq!(said(Target::Gfx942, text), [wanted]);
}

#[test]
fn a_branch_into_an_instruction_is_an_error() {
    // Behind the branch comes an addition with a literal, which is an s_endpgm.
    let text = "s_cbranch_scc0 1; v_add_u32 v0, 0xbf810000, v0; s_endpgm";
    let wanted = "0x0 split-instruction: it leads to 0x8, into the middle of the instruction at 0x4";
    assert_eq!(said(Target::Gfx942, text), [wanted]);
}

/// What no rule explains may be there for a reason that no rule knows.
#[test]
fn wait_states_that_no_rule_explains_stay() {
    let trimmed = |text: &str| {
        let code = assemble(Target::Gfx942, text);
        let section = Section::new(Name::from(".text"), 0, &code);
        let edits = repair::section(&section, Target::Gfx942, Repair::Trim).edits;
        edits.apply(Target::Gfx942, &code, 0).expect("it is written")
    };
    let loads = "global_load_dword v38, v[38:39], off; s_nop 0; global_load_dword v39, v[40:41], off; s_endpgm";
    assert_eq!(trimmed(loads), assemble(Target::Gfx942, loads));
    let long = "v_readfirstlane_b32 s4, v0; s_nop 6; v_mov_b32 v2, s4; s_endpgm";
    assert_eq!(trimmed(long), assemble(Target::Gfx942, &long.replace("s_nop 6", "s_nop 1")));
}
