//! The promises of `make`: every instruction of every target has a constructor, and the builder can make it; LLVM 22
//! disassembles the results to the same mnemonic, operands and modifiers; invalid arguments are refused.
//!
//! ```text
//! run="cargo test --release --features all-targets,make --test make"
//! $run                                   # ten instructions of each constructor
//! AMDGPU_ISA_CASES=1000 $run             # the full run
//! $run -- --constructor v_add_f32        # only those whose name contains it
//! ```
//! LLVM does not disassemble GCN 1.0 and 1.1. There the library's own text is compared, and `llvm-mc-22` must assemble
//! it to the same bytes.

#![forbid(unsafe_code)]

include!(concat!(env!("OUT_DIR"), "/make_roster.rs"));

#[path = "../llvm/assembler.rs"]
mod assembler;
#[allow(dead_code)] // Not every target has all kinds of operands.
mod case;
mod dual;
#[cfg(feature = "all-targets")]
#[path = "../../examples/jit.rs"]
mod jit;
mod modifiers;
mod text;
#[path = "../words/mod.rs"]
#[allow(dead_code, unused_imports)]
mod words;

use std::collections::{BTreeMap, HashSet};
use std::process::ExitCode;

use amdgpu_isa::make::modifiers::ModifierSet;
use amdgpu_isa::make::{BuildError, Code, Words};
use amdgpu_isa::{Field, Format, Inst, Opcode, Target};
use amdgpu_llvm::{Answer, Oracle, Word};
use case::{Case, FAULTS, Fault, Rng};
use modifiers::Modify;

struct Constructor {
    targets: &'static [Target],
    name: &'static str,
    opcode: Opcode,
    format: Format,
    extension: &'static str,
    make: fn(&mut Case) -> Result<Words, BuildError>,
}

fn finish<M: ModifierSet>(code: Code<M>, case: &mut Case) -> Result<Words, BuildError>
where
    Code<M>: Modify,
{
    code.modify(case).words()
}

impl Constructor {
    fn case<'a>(&self, target: Target, fault: Option<Fault>, rng: &'a mut Rng) -> Case<'a> {
        let vector = self.format.name().starts_with("VOP");
        let short = !self.name.contains("_e64") && self.format != Format::Vop3b;
        let carries = ["v_addc_", "v_subb_", "v_subbrev_", "v_cndmask_b32"];
        let name = self.opcode.name();
        let reads_vcc =
            name.starts_with("v_div_fmas") || short && vector && carries.iter().any(|c| name.starts_with(c));
        let implied = match name {
            _ if reads_vcc && target.wave_size() == 32 => Some("vcc_lo"),
            _ if reads_vcc => Some("vcc"),
            "v_movreld_b32" => Some("m0"),
            _ => None,
        };
        let mut case = Case::new(target, self.opcode, vector, implied, fault, rng);
        let returned = if ["gfx942", "gfx9-4-generic", "gfx950"].contains(&target.name()) { "sc0" } else { "glc" };
        match self.name.strip_prefix(name) {
            Some("_lds") => {
                case.modifier("lds", 1);
                case.modifiers.push("lds".into());
            }
            // The temporal hint says whether the value is returned.
            Some("_rtn") if target.name().starts_with("gfx12") => {}
            Some("_rtn") => case.modifiers.push(returned.into()),
            _ => {}
        }
        case.builder = match self.extension {
            "sdwa" => case.builder.sdwa(),
            "dpp" | "dpp8" if self.name.contains("_e64_dpp") => case.builder.e64_dpp(),
            "dpp" | "dpp8" if ["gfx11", "gfx12"].iter().any(|start| target.processor().starts_with(start)) => {
                case.builder.e32_dpp()
            }
            "dpp" | "dpp8" => case.builder.dpp(),
            _ => case.builder.format(self.format),
        };
        case
    }
}

/// All faults, with their counts.
#[derive(Default)]
struct Report {
    wrong: BTreeMap<String, (usize, String)>,
}

impl Report {
    fn add(&mut self, what: String, example: impl FnOnce() -> String) {
        let entry = self.wrong.entry(what).or_insert_with(|| (0, example()));
        entry.0 += 1;
    }

    fn result(self, note: String) -> Result<String, String> {
        if self.wrong.is_empty() {
            return Ok(note);
        }
        let shown = std::env::var("AMDGPU_ISA_GROUPS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
        let mut lines: Vec<_> = self.wrong.iter().take(shown).map(|(k, (n, e))| format!("  {n} x {k}: {e}")).collect();
        lines.push(format!("{} kinds; {note}", self.wrong.len()));
        Err(lines.join("\n"))
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    amdgpu_llvm::run_as_child();
    let value = |key: &str| {
        let at = arguments.iter().position(|a| a == key)?;
        arguments.get(at + 1).cloned()
    };
    let only = value("--constructor").unwrap_or_default();
    let cases = std::env::var("AMDGPU_ISA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let filter = arguments
        .iter()
        .enumerate()
        .find(|(n, a)| !a.starts_with('-') && (*n == 0 || arguments[n - 1] != "--constructor"));
    let filter = filter.map_or("", |(_, a)| a.as_str());
    let all = &CONSTRUCTORS;
    let mut failed = false;
    let mut test = |name: String, run: &dyn Fn() -> Result<String, String>| {
        if name.contains(filter) {
            match run() {
                Ok(note) => println!("test {name} ... ok {note}"),
                Err(note) => {
                    failed = true;
                    println!("test {name} ... FAILED\n{note}");
                }
            }
        }
    };
    // A target without constructors is left out.
    let has_some = |target: &&Target| all.iter().any(|c| c.targets.contains(target));
    for &target in Target::ALL.iter().filter(has_some).filter(|t| !assembler::NEWER.contains(&t.processor())) {
        let mine: Vec<&Constructor> =
            all.iter().filter(|c| c.targets.contains(&target) && c.name.contains(&only)).collect();
        if only.is_empty() {
            test(format!("every_instruction_has_one_{target}"), &|| every_row(target, &mine));
        }
        let mine: Vec<&Constructor> = mine.into_iter().filter(|c| assembler::has(c.opcode)).collect();
        test(format!("llvm_reads_what_was_meant_{target}"), &|| legal(target, &mine, cases));
        #[cfg(feature = "all-targets")]
        test(format!("the_jit_is_read_by_llvm_{target}"), &|| kernel(target));
        test(format!("the_illegal_is_refused_{target}"), &|| illegal(target, &mine, cases));
        for (kind, result) in dual::tests(target, cases, &only) {
            test(format!("llvm_agrees_on_{kind}_instructions_{target}"), &|| result.clone());
        }
    }
    if failed { ExitCode::from(101) } else { ExitCode::SUCCESS }
}

/// Compares the rows in the tables with the constructors.
fn every_row(target: Target, mine: &[&Constructor]) -> Result<String, String> {
    let made = mine.iter().map(|c| (c.opcode, c.format)).chain(dual::opcodes(target));
    let made: HashSet<(Opcode, Format)> = made.collect();
    let rows: Vec<(Opcode, Format)> =
        Opcode::ALL.iter().flat_map(|&op| op.encodings(target).map(move |e| (op, e.format))).collect();
    let missing: Vec<_> = rows.iter().filter(|row| !made.contains(row)).collect();
    if !missing.is_empty() || rows.is_empty() {
        return Err(format!("{} of {} rows have no constructor: {missing:?}", missing.len(), rows.len()));
    }
    let names: HashSet<&str> = mine.iter().map(|c| c.name).collect();
    Ok(format!("{} rows, {} constructors", rows.len(), names.len() + dual::opcodes(target).count()))
}

/// LLVM's answers, or the library's on targets that LLVM does not disassemble.
fn ask(target: Target, oracle: &mut Option<Oracle>, words: &[Words]) -> Vec<Answer> {
    match oracle {
        Some(oracle) => {
            let words: Vec<Word> = words.iter().map(|w| Word::new(&words::bytes(w))).collect();
            oracle.ask(&words)
        }
        None => {
            let text = |w: &Words| amdgpu_isa::decode_words(target, w).map(|inst| (inst.len(), inst.to_string()));
            let answer = |w| match text(w) {
                Ok((len, text)) => Answer::Text { len, text, comment: String::new() },
                Err(_) => Answer::Reject,
            };
            words.iter().map(answer).collect()
        }
    }
}

fn legal(target: Target, mine: &[&Constructor], cases: usize) -> Result<String, String> {
    let disassembled = !["gfx600", "gfx700"].contains(&target.name());
    let mut oracle = if disassembled { Some(Oracle::start(target)?) } else { None };
    let mut report = Report::default();
    let (mut total, mut excused) = (0, 0);
    let mut good: HashSet<&str> = HashSet::new();
    let mut texts: Vec<(Words, String)> = Vec::new();
    for constructor in mine {
        let mut rng = Rng(7);
        let (mut words, mut meant) = (Vec::new(), Vec::new());
        for _ in 0..cases * 80 {
            let mut case = constructor.case(target, None, &mut rng);
            let result = (constructor.make)(&mut case);
            let built = case.builder.build();
            match (&result, &built) {
                (Ok(made), Ok(inst)) if made[..] == *inst.words() => {}
                // A random size of image data may be wrong, and there may be no room for tfe.
                (Err(BuildError::Width { .. } | BuildError::Registers { .. } | BuildError::Operand { .. }), Err(_))
                    if [Format::Mimg, Format::Vimage, Format::Vsample, Format::Exp].contains(&constructor.format) =>
                {
                    continue;
                }
                // For rules that tie operands, the comparison with LLVM is in tests/check.rs.
                (Err(BuildError::Overlap(a)), Err(BuildError::Overlap(b))) if a == b => continue,
                // For values that an operation cannot have, the comparison with LLVM is in tests/check.rs.
                (
                    Err(BuildError::Excluded { field: a, value: this }),
                    Err(BuildError::Excluded { field: b, value: that }),
                ) if (a, this) == (b, that) => continue,
                (
                    Err(BuildError::Registers { dwords: 1, given: a, .. }),
                    Err(BuildError::Registers { given: b, .. }),
                ) if a == b && constructor.name.starts_with("ds_gws_") => {
                    continue;
                }
                // The field of an address of scalar memory has no room for null where the code of null is odd (RDNA1,
                // RDNA2).
                (
                    Err(BuildError::Operand { field: Field::Sbase, given: a }),
                    Err(BuildError::Operand { field: Field::Sbase, given: b }),
                ) if a == b && a.to_string() == "null" => continue,
                (Err(BuildError::Registers { .. }), Err(_)) if case.modifiers.iter().any(|m| m == "tfe") => continue,
                (Err(_), Err(_)) if case.doubtful => continue,
                _ => {
                    report.add(format!("{}: builder differs", constructor.name), || {
                        format!("{:?} {:?}: {result:08x?} or {built:08x?}", case.operands, case.modifiers)
                    });
                    continue;
                }
            }
            words.push(result.expect("it is good"));
            meant.push((case.operands, case.modifiers));
            if words.len() == cases {
                break;
            }
        }
        total += words.len();
        if words.len() == cases {
            good.insert(constructor.name);
        }
        for ((words, (operands, modifiers)), answer) in words.iter().zip(meant).zip(ask(target, &mut oracle, &words)) {
            let said = match &answer {
                Answer::Text { text, len, .. } if *len == words.len() * 4 => {
                    text::compare(constructor.name, constructor.opcode, target, &operands, &modifiers, text)
                }
                other => Err(format!("LLVM says {}", other.line())),
            };
            if let (Answer::Text { text, .. }, None) = (&answer, &oracle) {
                texts.push((*words, text.clone()));
            }
            if said.is_err() && is_excused(constructor, target, (&operands, &modifiers), (words, &answer)) {
                excused += 1;
                continue;
            }
            if let Err(why) = said {
                report.add(format!("{}: {}", constructor.name, why.split(':').next().unwrap_or("")), || {
                    format!("{why}; meant {operands:?} {modifiers:?}, LLVM says {} of {words:08x?}", answer.line())
                });
            }
        }
    }
    for constructor in mine.iter().filter(|c| !good.contains(c.name)) {
        report.add(format!("{}: too few legal cases", constructor.name), String::new);
    }
    for chunk in texts.chunks(100_000) {
        excused += assembled(target, chunk, &mut report);
    }
    report.result(format!("{total} instructions of {} constructors, {excused} of them excused", good.len()))
}

/// Checks that LLVM's assembler makes the same bytes from the texts, or that one of the known differences,
/// `assembler::CLASSES`, applies. Returns the number of texts with such a difference.
fn assembled(target: Target, texts: &[(Words, String)], report: &mut Report) -> usize {
    let lines: Vec<String> = texts.iter().map(|(_, text)| text.clone()).collect();
    let mut excused = 0;
    for ((words, text), said) in texts.iter().zip(assembler::assemble(target, &lines)) {
        let inst = amdgpu_isa::decode_words(target, words).expect("it was printed");
        match assembler::class(&inst, said) {
            // exec and exec_lo count as one read. LLVM's assembler refuses such pairs although they are valid.
            Ok(Some("violates constant bus")) if inst.check().is_ok() && reads_a_part(&inst) => excused += 1,
            Ok(Some("violates constant bus")) => {
                report.add(format!("{}: a broken rule", inst.opcode().name()), || text.clone());
            }
            Ok(class) => excused += usize::from(class.is_some()),
            Err(why) => report.add(format!("{}: assembled", inst.opcode().name()), || format!("{text}: {why}")),
        }
    }
    excused
}

/// Whether two sources begin with the same scalar, but have different widths.
fn reads_a_part(inst: &amdgpu_isa::Inst) -> bool {
    use amdgpu_isa::{Reg, Value};
    let scalar = |value| matches!(value, Value::Reg(Reg::Sgpr(_) | Reg::Ttmp(_) | Reg::Special(_)));
    let scalars = || inst.operands().filter(|o| o.access.reads() && scalar(o.value));
    scalars().any(|one| scalars().any(|other| one.value == other.value && one.bits != other.bits))
}

/// Whether a difference is one that `crates/llvm/src/differences.txt` lists with its reason: the manual is right, and
/// LLVM 22 is wrong. Comments in quotation marks are names of classes in that list.
fn is_excused(
    constructor: &Constructor,
    target: Target,
    (operands, modifiers): (&[(&'static str, String)], &[String]),
    (words, answer): (&[u32], &Answer),
) -> bool {
    let is = |field: &str, text: &str| operands.iter().any(|(name, value)| *name == field && value.starts_with(text));
    let name = constructor.name;
    match answer {
        // "operation that LLVM lacks"
        Answer::Reject if ["s_getreg_regrd_b32", "s_mov_fed_b32", "s_mov_regrd_b32"].contains(&name) => true,
        // "scalar registers and vcc in one run"
        Answer::Reject if operands.iter().any(|(_, value)| value.contains(",vcc_")) => true,
        // "returning float atomic on AGPRs"
        Answer::Reject => name.contains("_atomic_") && name.ends_with("_rtn") && is("vdst", "a"),
        // "image data and address of a size that LLVM lacks": LLVM prints the address with another size.
        Answer::Text { .. } if name.starts_with("image_atomic_") && target.name().starts_with("gfx1") => {
            let usual = if name.contains("cmpswap") { "dmask:0x3" } else { "dmask:0x1" };
            modifiers.iter().any(|m| m == "tfe") || !modifiers.iter().any(|m| m == usual)
        }
        // "inline constant of v_fmac with DPP"
        Answer::Text { .. } if name.starts_with("v_fmac_f") && name.contains("_e64_dpp") => {
            operands.iter().any(|o| o.0 == "src1" && o.1.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
        }
        // "op_sel of v_cvt_sr_fp8_f16"
        Answer::Text { text, .. } if name.starts_with("v_cvt_sr_") && name.contains("8_f16") => text.contains(",0] "),
        // "constant converted from packed halves"
        Answer::Text { text, .. } if ["v_cvt_pk_fp8_f16", "v_cvt_pk_bf8_f16"].contains(&name) => text.contains("0x"),
        // "bars around two operands"
        Answer::Text { text, .. } if name == "v_cndmask_b32_dpp" => {
            ["vcc|", "vcc_lo|"].iter().any(|bar| text.contains(bar))
        }
        // "scalar load to three trap registers"
        Answer::Crash if name.ends_with("load_b96") => is("sdata", "ttmp"),
        // "lanes of DPP taken for a source code"
        Answer::Text { .. } | Answer::Crash
            if ["v_fma_mixlo_", "v_fma_mixhi_"].iter().any(|start| name.starts_with(start))
                && name.contains("_e64_dpp")
                || name.starts_with("v_cvt_pk_") && name.contains("8_f32_e64_dpp") =>
        {
            let lanes = words.get(2).map_or(0, |dword| dword >> 8);
            let lanes = if name.ends_with("_dpp8") { lanes } else { lanes & 0x1ff };
            matches!(lanes, 128..=208 | 240..=248 | 255)
        }
        // A multisampled image that is sampled or has a mip level: "image data and address of a size that LLVM lacks".
        Answer::Text { .. }
            if ["image_sample", "image_gather4", "image_get_lod", "image_load_mip", "image_store_mip"]
                .iter()
                .any(|start| name.starts_with(start))
                && modifiers.iter().any(|m| m.starts_with("dim:") && m.contains("MSAA")) =>
        {
            true
        }
        // A gather of 16-bit data has two registers, and with tfe one more, which LLVM does not count.
        Answer::Text { .. } if name.starts_with("image_gather4") => {
            ["d16", "tfe"].iter().all(|wanted| modifiers.iter().any(|m| m == wanted))
        }
        // Bit 55 of FLAT is tfe before gfx9, but LLVM reads it as the acc bit of later generations.
        Answer::Text { .. } => {
            name.starts_with("flat_") && target.name().starts_with("gfx8") && modifiers.iter().any(|m| m == "tfe")
        }
        _ => false,
    }
}

/// Checks that LLVM's text of the example's code is the one that the example prints.
#[cfg(feature = "all-targets")]
fn kernel(target: Target) -> Result<String, String> {
    let disassembled = !["gfx600", "gfx700"].contains(&target.name());
    let mut oracle = if disassembled { Some(Oracle::start(target)?) } else { None };
    let mut total = 0;
    for expression in ["a*x + y", "2.5 - x*(y - a) - a*3.25", "a", "1.0*0.5", "(x + y)*(a + 0.125)*7"] {
        let mut code = [0; 256];
        let len = jit::compile(target, expression, &mut code).map_err(|error| format!("{expression}: {error}"))?;
        let bytes = words::bytes(&code[..len]);
        for amdgpu_isa::Decoded { offset, inst: item } in amdgpu_isa::Decoder::new(target, &bytes) {
            let inst = item.map_err(|invalid| format!("{expression} at {offset}: {}", invalid.error))?;
            total += 1;
            let Some(oracle) = &mut oracle else { continue };
            let said = oracle.ask(&[Word::new(&words::bytes(inst.words()))])[0].line();
            if said != format!("{} {inst}", inst.len()) {
                return Err(format!("{expression} at {offset}: {inst}, LLVM says {said}"));
            }
        }
    }
    for wrong in ["a*", "(x", "x y", "z"] {
        if jit::compile(target, wrong, &mut [0; 256]).is_ok() {
            return Err(format!("`{wrong}` compiles"));
        }
    }
    Ok(format!("{total} instructions"))
}

/// Whether the instruction is v_writelane_b32 with m0 as the lane.
fn selects_lane_by_m0(inst: &Inst) -> bool {
    inst.opcode() == Opcode::VWritelaneB32 && inst.to_string().ends_with(", m0")
}

fn illegal(target: Target, mine: &[&Constructor], cases: usize) -> Result<String, String> {
    let mut report = Report::default();
    let mut counts: BTreeMap<Fault, usize> = BTreeMap::new();
    for constructor in mine {
        for fault in FAULTS {
            let mut rng = Rng(11);
            for _ in 0..cases * 3 {
                let mut case = constructor.case(target, Some(fault), &mut rng);
                let result = (constructor.make)(&mut case);
                if !case.broken {
                    continue;
                }
                *counts.entry(fault).or_default() += 1;
                let built = case.builder.build();
                // The builder knows that m0 selects the lane without the constant bus; the constructor does not.
                if fault == Fault::ConstantBus && built.as_ref().is_ok_and(selects_lane_by_m0) && result.is_err() {
                    continue;
                }
                if result.is_ok() || built.is_ok() {
                    report.add(format!("{}: {fault:?} is not refused", constructor.name), || {
                        format!("{:?} {:?}: {result:08x?}, {built:08x?}", case.operands, case.modifiers)
                    });
                }
            }
        }
    }
    if counts.len() < FAULTS.len() && mine.len() > 1000 {
        return Err(format!("not every fault was met: {counts:?}"));
    }
    report.result(format!("{counts:?}"))
}
