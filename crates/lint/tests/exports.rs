//! Exports, which read their sources and EXEC until they are done, and RDNA4's waits for exports and for everything.

use amdgpu_isa::{Decoder, Target, parse};
use amdgpu_lint::check;
use amdgpu_lint::repair::{self, Repair};
use amdgpu_object::{Image, TargetId};

fn code(target: Target, text: &str) -> Vec<u8> {
    let words = text.split("; ").flat_map(|text| parse(target, text).expect(text).words().to_vec());
    words.flat_map(u32::to_le_bytes).collect()
}

fn bare(target: Target, code: &[u8]) -> Image<'_> {
    Image::bare(TargetId::parse(target.processor()), 0x1000, code)
}

/// The rules and messages of all findings.
fn found(target: Target, text: &str) -> Vec<String> {
    let code = code(target, text);
    check::image(&bare(target, &code), target).iter().map(|found| format!("{}: {found}", found.rule())).collect()
}

/// The code after a repair, as text.
fn repaired(target: Target, text: &str, repair: Repair) -> String {
    let code = code(target, text);
    let edits = repair::image(&bare(target, &code), target, repair).and_then(|plan| plan.followed());
    let new = edits.expect("every jump is known").apply(target, &code, 0x1000).expect("branches are short");
    let texts: Vec<String> =
        Decoder::new(target, &new).filter_map(|one| one.inst.ok()).map(|i| i.to_string()).collect();
    texts.join("; ")
}

const WRITES_WAVE32: [&str; 4] =
    ["s_mov_b32 exec_lo, s1", "s_xor_saveexec_b32 s5, s1", "v_cmpx_eq_u32_e32 v8, v9", "s_mov_b64 exec, s[0:1]"];

/// Manuals: "prevent the shader program from overwriting EXEC or the VGPRs".
#[test]
fn exports_read_exec_late() {
    for (target, exports, wait) in [
        (
            Target::Gfx1010,
            &["exp mrt0 v0, v1, v2, v3 done vm", "exp null off, off, off, off done vm", "ds_add_u32 v0, v1 gds"][..],
            "s_waitcnt expcnt(0)",
        ),
        (Target::Gfx1100, &["exp mrt0 v0, v1, v2, v3 done", "exp prim v0, off, off, off done"], "s_waitcnt expcnt(0)"),
        (Target::Gfx1200, &["export mrt0 v0, v1, v2, v3 done", "export pos0 v0, v1, v2, v3"], "s_wait_expcnt 0x0"),
    ] {
        for (export, write) in exports.iter().flat_map(|export| WRITES_WAVE32.map(|write| (*export, write))) {
            let text = format!("{export}; {write}; s_endpgm");
            let missing = found(target, &text);
            let is_it = |one: &String| one.starts_with("missing-wait: ") && one.contains("exec");
            assert_eq!(missing.iter().filter(|one| is_it(one)).count(), 1, "{target}: {text}: {missing:?}");
            let fixed = repaired(target, &text, Repair::Fix);
            assert_eq!(fixed.split("; ").nth(1), Some(wait), "{target}: {fixed}");
            assert!(!found(target, &fixed).iter().any(|one| one.starts_with("missing-wait")), "{fixed}");
            // The wait is neither superfluous nor too strong.
            assert_eq!(repaired(target, &fixed, Repair::Trim), fixed, "{target}");
        }
    }
}

/// RDNA4 ISA 5.7: exports are in order only within each type.
#[test]
fn exports_of_other_types_are_in_no_order() {
    let is_missing = |first: &str, second: &str, target: Target, wait: &str| {
        let text =
            format!("{first} v0, v1, v2, v3; {second} v4, v5, v6, v7 done; {wait}; v_mov_b32_e32 v0, 0; s_endpgm");
        found(target, &text).iter().any(|one| one.starts_with("missing-wait"))
    };
    let (old, new) = ("s_waitcnt expcnt(1)", "s_wait_expcnt 0x1");
    assert!(is_missing("exp dual_src_blend0", "exp mrt0", Target::Gfx1100, old));
    assert!(!is_missing("exp dual_src_blend0", "exp dual_src_blend1", Target::Gfx1100, old));
    assert!(is_missing("exp prim", "exp mrt0", Target::Gfx1010, old));
    assert!(is_missing("exp pos4", "exp mrt0", Target::Gfx1010, old));
    assert!(!is_missing("exp pos0", "exp pos4", Target::Gfx1010, old));
    assert!(!is_missing("export mrt0", "export mrtz", Target::Gfx1200, new));
    assert!(is_missing("export mrt0", "export pos0", Target::Gfx1200, new));
}

/// RDNA4 ISA, S_WAITCNT: it waits for everything, whatever its constant says.
#[test]
fn s_waitcnt_of_rdna4_waits_for_everything() {
    let target = Target::Gfx1200;
    for constant in ["0", "0xffff", "expcnt(7)"] {
        for (load, used) in [("global_load_b32 v0, v1, s[0:1]", "v0"), ("s_load_b32 s4, s[0:1], 0x0", "s4")] {
            let text = format!("{load}; s_waitcnt {constant}; v_mov_b32_e32 v2, {used}; s_endpgm");
            assert_eq!(found(target, &text), [""; 0], "{text}");
            let inst = |text: &str| parse(target, text).expect(text).to_string();
            let same: Vec<String> = text.split("; ").map(inst).collect();
            assert_eq!(repaired(target, &text, Repair::Trim), same.join("; "));
        }
    }
    assert_eq!(found(target, "s_wait_idle; s_endpgm"), [""; 0]);
}

/// On RDNA4, a repair inserts the wait for one counter, also in place of a weaker wait.
#[test]
fn what_is_inserted_waits_for_one_counter() {
    let fixed = |text: &str| repaired(Target::Gfx1200, text, Repair::Fix);
    let load = "ds_param_load v0, attr0.x wait_va_vdst:0";
    let last = "v_mov_b32_e32 v1, v0; s_endpgm";
    let new = fixed(&format!("{load}; {last}"));
    assert_eq!(new.split("; ").nth(1), Some("s_wait_expcnt 0x0"), "{new}");
    let new = fixed(&format!("{load}; export mrt1 v4, v5, v6, v7 done; s_wait_expcnt 0x1; {last}"));
    assert_eq!(new.split("; ").skip(2).collect::<Vec<_>>(), ["s_wait_expcnt 0x0", "v_mov_b32_e32 v1, v0", "s_endpgm"]);
}
