//! States along paths: through calls, where paths meet, with registers beyond the first 256, and code that no path
//! reaches.

use amdgpu_isa::{Target, parse};
use amdgpu_lint::check::{self, Finding, Severity};
use amdgpu_lint::repair::{self, Repair};
use amdgpu_object::{Image, Name, Section, TargetId};

/// The bytes of instructions that semicolons separate.
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
    // The function waits for the load of its caller, and not for its own.
    let text = "global_load_dword v0, v2, s[0:1]; s_call_b64 s[30:31], 2; v_add_f32 v1, v0, v0; s_endpgm; \
                global_load_dword v3, v2, s[0:1]; s_waitcnt vmcnt(1); s_setpc_b64 s[30:31]";
    assert_eq!(said(Target::Gfx942, text), [""; 0]);
    let other = text.replace("v_add_f32 v1, v0, v0", "v_add_f32 v1, v3, v3");
    assert_eq!(said(Target::Gfx942, &other), ["0xc missing-wait: v3 is used before it is loaded"]);
    // The function waits for the older of two loads of its caller.
    let text = "global_load_dword v0, v2, s[0:1]; global_load_dword v3, v2, s[0:1]; s_call_b64 s[30:31], 2; \
                v_add_f32 v1, v0, v0; s_endpgm; s_waitcnt vmcnt(1); s_setpc_b64 s[30:31]";
    assert_eq!(said(Target::Gfx942, text), [""; 0]);
    let other = text.replace("v_add_f32 v1, v0, v0", "v_add_f32 v1, v3, v3");
    assert_eq!(said(Target::Gfx942, &other), ["0x14 missing-wait: v3 is used before it is loaded"]);
}

/// One caller leaves a load outstanding, and the other one none: the second caller does not see the load of the first.
#[test]
fn callers_do_not_see_what_others_leave() {
    let text = "global_load_dword v0, v2, s[0:1]; s_call_b64 s[30:31], 4; s_waitcnt vmcnt(0); v_mov_b32 v0, 0; \
                s_call_b64 s[30:31], 1; s_branch 1; s_setpc_b64 s[30:31]; v_add_f32 v1, v0, v0; s_endpgm";
    assert_eq!(said(Target::Gfx942, text), [""; 0]);
}

/// The kernel begins in the middle of the function that it calls, so it reaches the return of the function before any
/// call does.
#[test]
fn a_return_that_no_call_has_reached_yet_leaves_nothing_to_the_caller() {
    let text = "s_cbranch_scc0 1; s_setpc_b64 s[30:31]; global_load_dword v0, v2, s[0:1]; s_call_b64 s[30:31], 3; \
                v_add_f32 v1, v0, v0; s_cbranch_scc0 65534; s_endpgm; s_waitcnt vmcnt(0); s_branch 65526";
    assert_eq!(said(Target::Gfx942, text), [""; 0]);
    let text = text.replace("vmcnt(0)", "vmcnt(1)");
    assert_eq!(said(Target::Gfx942, &text), ["0x14 missing-wait: v0 is used before it is loaded"]);
}

#[test]
fn a_function_that_calls_itself_comes_to_an_end() {
    let text = "s_call_b64 s[30:31], 1; s_endpgm; s_cbranch_scc0 1; s_call_b64 s[30:31], 65533; s_setpc_b64 s[30:31]";
    assert_eq!(said(Target::Gfx942, text), [""; 0]);
}

/// What a function does is not known at its own first call of itself, so nothing is said of the code after that call
/// until a return is reached.
#[test]
fn a_function_that_calls_itself_waits_for_what_it_loads() {
    let text = "s_call_b64 s[30:31], 1; s_endpgm; s_cbranch_scc0 4; global_load_dword v0, v2, s[0:1]; \
                s_call_b64 s[30:31], 65532; v_add_f32 v1, v0, v0; s_waitcnt vmcnt(0); s_setpc_b64 s[30:31]";
    assert_eq!(said(Target::Gfx942, text), [""; 0]);
    let text = text.replace("vmcnt(0)", "vmcnt(1)");
    assert_eq!(said(Target::Gfx942, &text), ["0x18 missing-wait: v0 is used before it is loaded"]);
}

#[test]
fn distances_go_on_after_a_call() {
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

/// The state of a check has no limit on the number of instructions, so many of them cause no finding.
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
    let wanted = "0x4 unreached-code: no known path reaches 16 bytes of code, which were not checked: 0x4 to 0x14";
    assert_eq!(said(Target::Gfx942, text), [wanted]);
}

#[test]
fn a_branch_into_an_instruction_is_an_error() {
    // After the branch comes an addition with a literal that is also an `s_endpgm`.
    let text = "s_cbranch_scc0 1; v_add_u32 v0, 0xbf810000, v0; s_endpgm";
    let wanted = "0x0 split-instruction: it leads to 0x8, into the middle of the instruction at 0x4";
    assert_eq!(said(Target::Gfx942, text), [wanted]);
}

/// An `s_nop` that no rule explains may have a reason that no rule covers.
#[test]
fn wait_states_that_no_rule_explains_stay() {
    let trimmed = |text: &str| trimmed(Target::Gfx942, text);
    let loads = "global_load_dword v38, v[38:39], off; s_nop 0; global_load_dword v39, v[40:41], off; s_endpgm";
    assert_eq!(trimmed(loads), assemble(Target::Gfx942, loads));
    let long = "v_readfirstlane_b32 s4, v0; s_nop 6; v_mov_b32 v2, s4; s_endpgm";
    assert_eq!(trimmed(long), assemble(Target::Gfx942, &long.replace("s_nop 6", "s_nop 1")));
}

/// The code after `Repair::Trim`.
fn trimmed(target: Target, text: &str) -> Vec<u8> {
    let code = assemble(target, text);
    let section = Section::new(Name::from(".text"), 0, &code);
    let edits = repair::section(&section, target, Repair::Trim).edits;
    edits.apply(target, &code, 0).expect("it is written")
}

/// An index may choose any register from the named one on, so a wait before an indexed access does not become weaker.
#[test]
fn an_index_chooses_registers_that_a_wait_is_for() {
    let (rdna, cdna) = (Target::Gfx1010, Target::Gfx942);
    let loads = "global_load_dword v4, v2, s[2:3]; global_load_dword v5, v2, s[2:3] offset:4";
    let on = "s_set_gpr_idx_on s7, gpr_idx(SRC0)";
    let programs = [
        (rdna, format!("{loads}; s_waitcnt vmcnt(0); v_movrels_b32 v0, v4; v_mov_b32 v1, v4; s_endpgm"), true),
        (rdna, format!("{loads}; s_waitcnt vmcnt(0); v_movrels_b32 v0, v4; s_endpgm"), true),
        (rdna, format!("{loads}; s_waitcnt vmcnt(0); v_movreld_b32 v3, v0; v_mov_b32 v1, v4; s_endpgm"), true),
        (rdna, format!("{loads}; s_waitcnt vmcnt(0); v_movrelsd_2_b32 v9, v3; v_mov_b32 v1, v4; s_endpgm"), true),
        (rdna, format!("{loads}; s_waitcnt vmcnt(0); v_movrels_b32 v0, v6; v_mov_b32 v1, v4; s_endpgm"), false),
        (rdna, format!("{loads}; s_waitcnt vmcnt(0); v_movreld_b32 v6, v0; v_mov_b32 v1, v4; s_endpgm"), false),
        (rdna, format!("{loads}; s_waitcnt vmcnt(0); v_mov_b32 v0, v4; v_mov_b32 v1, v6; s_endpgm"), false),
        (cdna, format!("{loads}; {on}; s_waitcnt vmcnt(0); v_mov_b32 v0, v4; s_endpgm"), true),
        (cdna, format!("{loads}; {on}; s_waitcnt vmcnt(0); v_mov_b32 v0, s4; v_mov_b32 v0, v6; s_endpgm"), false),
        (cdna, format!("{loads}; {on}; s_set_gpr_idx_off; s_waitcnt vmcnt(0); v_mov_b32 v0, v4; s_endpgm"), false),
        (cdna, format!("{loads}; s_waitcnt vmcnt(0); s_mov_b32 m0, 1; v_mov_b32 v0, v4; s_endpgm"), false),
        (rdna, "s_load_dword s5, s[0:1], 0x0; s_waitcnt lgkmcnt(0); s_movrels_b32 s9, s4; s_endpgm".into(), true),
        (rdna, "s_load_dword s5, s[0:1], 0x0; s_waitcnt lgkmcnt(0); s_movreld_b32 s4, s9; s_endpgm".into(), true),
        (rdna, "s_load_dword s5, s[0:1], 0x0; s_waitcnt lgkmcnt(0); s_movrels_b32 s9, s6; s_endpgm".into(), false),
    ];
    for (target, text, stays) in programs {
        assert_eq!(trimmed(target, &text) == assemble(target, &text), stays, "{target}: {text}");
    }
    // An indexed read after a wait that is too weak gives a hint, and a later read of the same register still gives an
    // error.
    let text = format!("{loads}; s_waitcnt vmcnt(1); v_movrels_b32 v0, v4; v_mov_b32 v1, v5; s_endpgm");
    let code = assemble(rdna, &text);
    let image = Image::bare(TargetId::parse(rdna.name()), 0, &code);
    let found: Vec<String> = check::image(&image, rdna).iter().map(ToString::to_string).collect();
    let wanted = [
        "hint[perhaps-missing-wait]: 0x14: v5 is perhaps used before it is loaded: an index, which is not known, decides \
         which register it is",
        "error[missing-wait]: 0x18: v5 is used before it is loaded",
    ];
    assert!(wanted.iter().all(|line| found.iter().any(|found| found == line)), "{found:#?}");
}

/// Before RDNA the resource of an image, and not the instruction's words, determines how many registers the address
/// has. Registers that may belong to the address give hints, and waits for these registers stay. Later instructions
/// that surely read the registers still need the wait.
#[test]
fn a_resource_determines_the_registers_of_an_image_address() {
    let sample = "image_sample v[20:23], v3, s[0:7], s[8:11] dmask:0xf";
    for target in [Target::Gfx600, Target::Gfx803, Target::Gfx900, Target::Gfx90a] {
        // The address of gfx90a begins at an even register.
        let sample = if target == Target::Gfx90a { sample.replace("v3", "v2") } else { sample.into() };
        let load = |to: u8| match target {
            Target::Gfx600 | Target::Gfx803 => format!("buffer_load_dword v{to}, off, s[4:7], 0"),
            _ => format!("global_load_dword v{to}, v[10:11], off"),
        };
        let found = |text: &str| {
            let code = assemble(target, text);
            let image = Image::bare(TargetId::parse(target.name()), 0, &code);
            let is_about_waits = |finding: &&Finding<'_>| finding.rule().ends_with("missing-wait");
            let found = check::image(&image, target);
            found.iter().filter(is_about_waits).map(ToString::to_string).collect::<Vec<String>>()
        };
        // A sample has up to three address registers.
        let text = |to: u8| format!("{}; {sample}; v_mov_b32 v9, v{to}; s_endpgm", load(to));
        let maybe = found(&text(4));
        assert_eq!(maybe.len(), 2, "{target}: {maybe:#?}");
        let hint = "v4 is perhaps used before it is loaded: the image's resource, which is not known, decides how many \
                    registers the address has";
        assert!(
            maybe[0].starts_with("hint[perhaps-missing-wait]: ") && maybe[0].ends_with(hint),
            "{target}: {maybe:#?}"
        );
        assert!(maybe[1].starts_with("error[missing-wait]: "), "{target}: {maybe:#?}");
        assert_eq!(found(&text(6)).len(), 1, "{target}");
        let waits = format!("{}; {}; s_waitcnt vmcnt(0); {sample}; v_mov_b32 v9, v8; s_endpgm", load(8), load(4));
        assert_eq!(trimmed(target, &waits), assemble(target, &waits), "{target}");
    }
}

/// A distance before a register that may belong to the address of an image is a hint.
#[test]
fn distances_before_image_addresses_can_be_uncertain() {
    let target = Target::Gfx90a;
    let found = |sample: &str| {
        let code = assemble(target, &format!("v_mfma_f32_4x4x1f32 v[4:7], v0, v1, v[4:7]; {sample}; s_endpgm"));
        let image = Image::bare(TargetId::parse(target.name()), 0, &code);
        check::image(&image, target).iter().map(ToString::to_string).collect::<Vec<String>>()
    };
    let told = |sample: &str, what: &str| found(sample).iter().filter(|found| found.contains(what)).count();
    let sample = |address: &str| format!("image_sample v[20:23], {address}, s[0:7], s[8:11] dmask:0xf");
    assert_eq!(told(&sample("v4"), "error[M"), 1, "{:#?}", found(&sample("v4")));
    assert_eq!(told(&sample("v2"), "hint[perhaps-hazard]"), 1, "{:#?}", found(&sample("v2")));
    assert_eq!(told(&sample("v2"), "if the image has enough dimensions"), 1, "{:#?}", found(&sample("v2")));
    assert_eq!(told(&sample("v0"), "hazard"), 0, "{:#?}", found(&sample("v0")));
}

#[test]
fn lds_is_written_before_a_barrier_is_passed() {
    let text = "ds_write_b32 v0, v1; s_nop 0; s_barrier; ds_read_b32 v2, v0; s_endpgm";
    let early = "0xc lds-after-barrier: writes of the wave to LDS may be done only after the barrier, and LDS is loaded there, at 0x10";
    assert_eq!(said(Target::Gfx942, text), [early]);
    let waits = |wait: &str| said(Target::Gfx942, &text.replace("s_nop 0", wait));
    assert_eq!(waits("s_waitcnt lgkmcnt(0)"), [""; 0]);
    assert_eq!(waits("s_waitcnt vmcnt(0)"), [early]);
    // A wait for the load also waits for the older store.
    let more = text.replace("s_nop 0", "ds_read_b32 v3, v0 offset:8; s_waitcnt lgkmcnt(1)");
    assert_eq!(said(Target::Gfx942, &more), [""; 0]);
    // A scalar load may be done before the older store.
    let more = text.replace("s_nop 0", "s_load_dword s4, s[0:1], 0x0; s_waitcnt lgkmcnt(1)");
    assert_eq!(said(Target::Gfx942, &more).len(), 1);
    // No load from LDS comes after the barrier.
    assert_eq!(said(Target::Gfx942, &text.replace("ds_read_b32 v2, v0", "s_nop 0")), [""; 0]);
    // A wait comes before a second barrier, and the load comes after that barrier.
    let twice = text.replace("s_barrier", "s_barrier; s_waitcnt lgkmcnt(0); s_barrier");
    assert_eq!(said(Target::Gfx942, &twice), [""; 0]);
    // Each barrier is reported once, for all paths after it.
    let many = text.replace("ds_read_b32 v2, v0", "ds_read_b32 v2, v0; ds_read_b32 v3, v0; s_cbranch_scc0 65531");
    assert_eq!(said(Target::Gfx942, &many), [early]);
}

#[test]
fn a_finding_about_lds_names_the_store_and_the_wait() {
    let code =
        assemble(Target::Gfx942, "ds_write_b32 v0, v1; s_barrier; ds_read_b32 v2, v0; s_waitcnt lgkmcnt(0); s_endpgm");
    let image = Image::bare(TargetId::parse("gfx942"), 0, &code);
    let found = check::image(&image, Target::Gfx942);
    let early = found.iter().find(|finding| finding.rule() == "lds-after-barrier").expect("a finding");
    assert_eq!((early.severity(), early.address), (Severity::Warning, 8));
    assert_eq!(early.producer.unwrap().inst.to_string(), "ds_write_b32 v0, v1");
    assert_eq!(early.advice().unwrap(), "insert s_waitcnt lgkmcnt(0) before 0x8");
}

#[test]
fn a_branch_may_skip_the_wait_in_front_of_a_barrier() {
    let text = "ds_write_b32 v0, v1; s_cbranch_scc0 1; s_waitcnt lgkmcnt(0); s_barrier; ds_read_b32 v2, v0; s_endpgm";
    assert_eq!(said(Target::Gfx942, text).len(), 1);
    assert_eq!(said(Target::Gfx942, &text.replace("s_cbranch_scc0 1", "s_nop 0")), [""; 0]);
}

#[test]
fn split_barriers_end_with_their_wait() {
    let text = "ds_store_b32 v0, v1; s_barrier_signal -1; s_nop 0; s_barrier_wait 0xffff; ds_load_b32 v2, v0; s_endpgm";
    let found = said(Target::Gfx1200, text);
    assert!(found.len() == 1 && found[0].starts_with("0x8 lds-after-barrier: "), "{found:?}");
    let waits = text.replace("v1; ", "v1; s_wait_dscnt 0; ");
    assert_eq!(said(Target::Gfx1200, &waits), [""; 0]);
    // The wait comes after the signal, for which other waves wait.
    assert_eq!(said(Target::Gfx1200, &text.replace("s_nop 0", "s_wait_dscnt 0")).len(), 1);
    // An operation that sets up a barrier or joins it is not the signal.
    for other in ["s_barrier_init m0", "s_barrier_join m0"] {
        let join = text.replace("s_nop 0", &format!("s_wait_dscnt 0; {other}"));
        assert_eq!(said(Target::Gfx1200, &join).len(), 1, "{other}");
        let late = waits.replace("s_nop 0", &format!("ds_store_b32 v0, v1; {other}"));
        assert_eq!(said(Target::Gfx1200, &late), [""; 0], "{other}");
    }
    // The load comes between signal and wait, where not all waves may have arrived.
    let between = text.replace("s_nop 0", "ds_load_b32 v2, v0").replace("ds_load_b32 v2, v0; s_endpgm", "s_endpgm");
    assert_eq!(said(Target::Gfx1200, &between), [""; 0]);
}

#[test]
fn copies_to_lds_are_waited_for_before_a_barrier() {
    let text = "global_load_lds_dword v0, s[0:1]; s_nop 0; s_barrier; ds_read_b32 v2, v1; s_endpgm";
    assert_eq!(said(Target::Gfx942, text).len(), 1);
    assert_eq!(said(Target::Gfx942, &text.replace("s_nop 0", "s_waitcnt vmcnt(0)")), [""; 0]);
    // Code that counts its copies fills one part of LDS while it uses another one.
    assert_eq!(
        said(
            Target::Gfx942,
            &text.replace("s_barrier", "s_barrier; s_nop 0").replace("s_endpgm", "s_waitcnt vmcnt(1); s_endpgm")
        ),
        [""; 0]
    );
    let text = "global_load_async_to_lds_b32 v0, v[2:3], off; s_nop 0; s_barrier_signal -1; s_barrier_wait 0xffff; \
                ds_load_b32 v2, v1; s_endpgm";
    assert_eq!(said(Target::Gfx1250, text).len(), 1);
    assert_eq!(said(Target::Gfx1250, &text.replace("s_nop 0", "s_wait_asynccnt 0")), [""; 0]);
}

#[test]
fn lds_is_read_before_it_is_written_again() {
    let text = "global_store_async_from_lds_b32 v[2:3], v0, off; s_nop 0; ds_store_b32 v0, v1; s_endpgm";
    let found = said(Target::Gfx1250, text);
    assert_eq!(found, ["0x10 lds-still-read: LDS is written while a store from there may still have to read it"]);
    assert_eq!(said(Target::Gfx1250, &text.replace("s_nop 0", "s_wait_asynccnt 0")), [""; 0]);
    assert_eq!(said(Target::Gfx1250, &text.replace("s_nop 0", "s_wait_dscnt 0")).len(), 1);
}

/// A function is assumed to wait for the stores of its caller, as LLVM's functions do. After the call, the function's
/// own stores are outstanding.
#[test]
fn stores_to_lds_go_on_after_a_call() {
    let text =
        "s_call_b64 s[30:31], 4; s_barrier; ds_read_b32 v2, v0; s_endpgm; ds_write_b32 v0, v1; s_setpc_b64 s[30:31]";
    assert_eq!(said(Target::Gfx942, text).len(), 1);
    let waits = text.replace("s_setpc_b64", "s_waitcnt lgkmcnt(0); s_setpc_b64");
    assert_eq!(said(Target::Gfx942, &waits), [""; 0]);
}
