//! The waits that RDNA4 has for exports and for everything.

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

/// What is inserted on RDNA4 is the wait for one counter, also in place of a weaker one.
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
