//! Checks and repairs of images: the contents of findings, and the code that is refused.

use amdgpu_isa::Target;
use amdgpu_isa::facts::Counter;
use amdgpu_isa::hazards::Conflict;
use amdgpu_isa::{Reg, parse};
use amdgpu_lint::Error;
use amdgpu_lint::check::{self, Checker, Severity, What};
use amdgpu_lint::repair::{self, Repair};
use amdgpu_object::{Image, Name, Part, Section, SymbolKind, TargetId};

const TARGET: Target = Target::Gfx942;

fn code(texts: &[&str]) -> Vec<u8> {
    let words = texts.iter().flat_map(|text| parse(TARGET, text).expect(text).words().to_vec());
    words.flat_map(u32::to_le_bytes).collect()
}

fn bare(address: u64, code: &[u8]) -> Image<'_> {
    Image::bare(TargetId::parse("gfx942"), address, code)
}

/// A load, a branch over the wait for it, and a use.
fn around_a_wait() -> Vec<u8> {
    code(&[
        "global_load_dword v0, v1, s[0:1]",
        "s_cbranch_scc1 1",
        "s_waitcnt vmcnt(0)",
        "v_add_f32_e32 v2, v0, v2",
        "s_endpgm",
    ])
}

#[test]
fn a_finding_has_the_parts_of_its_message() {
    let code = around_a_wait();
    let found = check::image(&bare(0x1000, &code), TARGET);
    let [finding] = &found[..] else { panic!("{found:?}") };
    let What::MissingWait(wait) = &finding.what else { panic!("{finding}") };
    assert_eq!((wait.counter, wait.at_most, wait.conflict), (Counter::Vmcnt, 0, Conflict::Read));
    assert_eq!((wait.register, wait.kind), (Some(Reg::Vgpr(0)), "vmem"));
    assert_eq!((finding.severity(), finding.rule(), finding.target), (Severity::Error, "missing-wait", TARGET));
    assert!(finding.section == "(raw)" && finding.function.is_none() && finding.source().starts_with("Vega ISA"));
    assert_eq!(finding.inst.map(|inst| inst.mnemonic()), Some("v_add_f32"));
    assert_eq!(finding.producer.map(|place| place.address), Some(0x1000));
    assert_eq!(finding.path, [0x1000, 0x1010]);
    let line = "error[missing-wait]: 0x1010: v0 is used before it is loaded";
    assert_eq!(finding.to_string(), line);
}

/// Before a function of the HSA runtime, vector operations may have read any scalar register. If the code object has no
/// kernel, the callers of its functions are in another code object.
#[test]
fn a_function_without_kernels_begins_as_its_callers_leave_it() {
    let target = Target::Gfx1200;
    let parsed = |text: &str| parse(target, text).expect("it is right").words().to_vec();
    let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
    let found = |text: &str, is_hsa: bool| {
        let bytes: Vec<u8> = text.split("; ").flat_map(parsed).flat_map(u32::to_le_bytes).collect();
        let mut rules = Vec::new();
        let result = amdgpu_object::visit::<amdgpu_object::Error>(file, None, |part| {
            let Part::Image(other) = part else { return Ok(()) };
            let mut symbol = other.kernels().next().expect("a kernel").clone();
            (symbol.address, symbol.size, symbol.kind) = (0, bytes.len() as u64, SymbolKind::Function);
            (symbol.lanes, symbol.descriptor) = (None, None);
            symbol.name = Name::from("f");
            let mut image = Image::bare(TargetId::parse("gfx1200"), 0, &bytes);
            image.is_hsa = is_hsa;
            image.sections[0].symbols.push(symbol);
            let all = check::image(&image, target);
            let scalar = all.iter().map(|found| found.rule()).filter(|rule| rule.starts_with('W'));
            rules = scalar.map(ToString::to_string).collect();
            Ok(())
        });
        result.expect("a file");
        rules
    };
    let scalar = "s_mov_b32 s0, 1; v_mov_b32 v0, s0; s_setpc_b64 s[30:31]";
    assert_eq!(found(scalar, true), ["W03"]);
    assert_eq!(found(scalar, false), [""; 0]);
    assert_eq!(found("v_readlane_b32 s0, v2, 0; v_mov_b32 v0, s0; s_setpc_b64 s[30:31]", true), ["W01"]);
    assert_eq!(found("v_readlane_b32 vcc_lo, v2, 0; v_mov_b32 v0, vcc_lo; s_setpc_b64 s[30:31]", true), ["W02"]);
}

#[test]
fn findings_name_the_function_that_they_are_in() {
    let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
    let result = amdgpu_object::visit(file, None, |part| {
        let Part::Image(mut image) = part else { return Ok(()) };
        let kernel = image.kernels().next().expect("a kernel").clone();
        // Cuts the second instruction in half.
        for section in &mut image.sections {
            let start = usize::try_from(kernel.address - section.address).expect("it is near");
            section.bytes = &section.bytes[..start + 12];
        }
        let found = check::image(&image, TARGET);
        let last = found.last().expect("the code is cut");
        let function = last.function.expect("it is in a function");
        assert!(function.name == kernel.name && last.section == ".text", "{last}");
        assert_eq!(function.to_string(), format!("{}+{:#x}", kernel.name, last.address - kernel.address));
        assert_eq!((last.severity(), last.inst), (Severity::Warning, None), "{last}");
        Ok::<(), amdgpu_object::Error>(())
    });
    assert_eq!(result, Ok(()));
}

#[test]
fn groups_by_themselves_have_the_findings_of_the_section() {
    let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
    let result = amdgpu_object::visit(file, None, |part| {
        let Part::Image(image) = part else { return Ok(()) };
        let mut apart = Vec::new();
        for checker in image.sections.iter().flat_map(|section| Checker::of(section, TARGET)) {
            assert_eq!(checker.count(), checker.flow().entries().len());
            apart.extend(checker.groups().chunks(1).flat_map(|group| checker.check(group)));
        }
        assert_eq!(apart, check::image(&image, TARGET));
        Ok::<(), amdgpu_object::Error>(())
    });
    assert_eq!(result, Ok(()));
}

#[test]
fn an_error_of_the_caller_ends_the_check() {
    let code = code(&["s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(0)", "s_endpgm"]);
    let section = Section::new(Name::from(".text"), 0x1000, &code);
    let mut seen = 0;
    let result = check::section(&section, TARGET, |_| {
        seen += 1;
        Err("enough")
    });
    assert_eq!((result, seen), (Err("enough"), 1));
    assert_eq!(check::section(&section, TARGET, |_| Ok::<(), ()>(())), Ok(1));
}

#[test]
fn repaired_code_is_clean_and_shorter_code_stays_so() {
    let code = around_a_wait();
    let edits = repair::image(&bare(0x1000, &code), TARGET, Repair::Fix).and_then(|plan| plan.followed());
    let edits = edits.expect("every jump is known");
    assert_eq!(edits.counts(), (1, 0, 0));
    let repaired = edits.apply(TARGET, &code, 0x1000).expect("branches are short");
    assert_eq!(repaired.len(), code.len() + 4);
    let errors =
        |code: &[u8]| check::image(&bare(0x1000, code), TARGET).iter().any(|f| f.severity() == Severity::Error);
    assert!(errors(&code) && !errors(&repaired));
    // One of the two waits is enough.
    let section = Section::new(Name::from(".text"), 0, &repaired);
    let trimmed = repair::section(&section, TARGET, Repair::Trim).followed().expect("every jump is known");
    let trimmed = trimmed.apply(TARGET, &repaired, 0).expect("branches are short");
    assert!(trimmed.len() == code.len() && !errors(&trimmed));
}

/// The instructions that a finding advises, inserted before its instruction, end the finding.
#[test]
fn what_is_advised_ends_the_finding() {
    for (target, text) in [
        (Target::Gfx942, "global_load_dword v0, v1, s[0:1]; v_add_f32_e32 v2, v0, v2; s_endpgm"),
        (Target::Gfx942, "s_load_dword s4, s[0:1], 0x0; s_mov_b32 s5, s4; s_endpgm"),
        (Target::Gfx942, "v_cmp_lt_u32_e64 s[0:1], v0, v1; global_load_dword v0, v1, s[0:1]; s_endpgm"),
        (
            Target::Gfx942,
            "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]; v_accvgpr_read_b32 v0, a0; s_endpgm",
        ),
        (Target::Gfx1010, "ds_read_b32 v8, v9; s_mov_b32 exec_lo, s4; s_endpgm"),
        (Target::Gfx1010, "s_load_dword s8, s[4:5], 0x0; v_readfirstlane_b32 s4, v0; s_endpgm"),
        (Target::Gfx1010, "v_cmpx_eq_u32_e32 v0, v1; v_permlane16_b32 v2, v3, s4, s5; s_endpgm"),
    ] {
        let insts: Vec<_> = text.split("; ").map(|text| parse(target, text).expect(text)).collect();
        let found = |insts: &[amdgpu_isa::Inst]| -> Vec<(String, Option<String>, Vec<amdgpu_isa::Inst>, u64)> {
            let code: Vec<u8> =
                insts.iter().flat_map(|inst| inst.words().to_vec()).flat_map(u32::to_le_bytes).collect();
            let id = TargetId::parse(target.processor());
            let all = check::image(&Image::bare(id, 0x1000, &code), target);
            let errors = all.iter().filter(|finding| finding.severity() == Severity::Error);
            errors.map(|f| (f.to_string(), f.advice(), f.repair.clone(), f.address)).collect()
        };
        let before = found(&insts);
        let [(said, advice, repair, address)] = &before[..] else { panic!("{text}: {before:?}") };
        let end = format!(" before {address:#x}");
        assert!(
            advice.as_ref().is_some_and(|advice| advice.starts_with("insert ") && advice.ends_with(&end)),
            "{said}"
        );
        let repaired = [&insts[..1], repair, &insts[1..]].concat();
        assert_eq!(found(&repaired), [], "{text}: {advice:?}");
    }
}

/// Inserted instructions cannot be in a clause.
#[test]
fn what_is_advised_ends_a_clause() {
    let target = Target::Gfx1010;
    let advice = |length: u32| {
        let clause = format!("s_clause {:#x}", length - 1);
        let load = "global_load_dword v0, v1, s[0:1]";
        let texts = [&*clause, load, load, "global_load_dword v2, v0, s[0:1]", "s_endpgm"];
        let words = texts.iter().flat_map(|text| parse(target, text).expect(text).words().to_vec());
        let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let found = check::image(&Image::bare(TargetId::parse("gfx1010"), 0x1000, &code), target);
        found.iter().find(|finding| finding.severity() == Severity::Error).and_then(|finding| finding.advice())
    };
    let insert = "insert s_waitcnt vmcnt(0) before 0x1014";
    assert_eq!(advice(3), Some(format!("{insert}, and end the clause of 0x1000 there")));
    assert_eq!(advice(2), Some(insert.into()));
}

#[test]
fn what_cannot_be_planned_is_an_error() {
    let code = around_a_wait();
    let mut object = bare(0, &code);
    object.bytes = b"\x7fELF";
    let error = repair::image(&object, TARGET, Repair::Fix).expect_err("it has no header");
    assert!(error.to_string().contains("header"), "{error}");
    // Bare code may begin at 0.
    let plan = repair::image(&bare(0, &code), TARGET, Repair::Fix).expect("bare code has an address");
    assert_eq!(plan.edits.counts(), (1, 0, 0));
    // The target of this jump is not known, and the code before the jump moves.
    let words =
        ["global_load_dword v0, v1, s[0:1]", "v_add_f32_e32 v2, v0, v2", "s_add_u32 s4, s4, s6", "s_setpc_b64 s[4:5]"];
    let code = self::code(&words);
    let plan = repair::image(&bare(0x1000, &code), TARGET, Repair::Fix).expect("it has an address");
    assert_eq!((plan.unknown_jump, plan.edits.counts()), (Some(0x1010), (1, 0, 0)));
    let error = plan.followed().expect_err("a jump is not known");
    assert_eq!(error, Error::UnknownJump { address: 0x1010, section: None });
    assert!(error.to_string().starts_with("it is not known where the jump at 0x1010 leads"), "{error}");
}
