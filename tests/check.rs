//! `Inst::check` refuses exactly the instructions that LLVM's assembler refuses by the same rules, for random operands
//! of every operation of every target. LLVM assembles the instructions that `check` accepts, or refuses them for a
//! reason in `check/refusals.rs`. LLVM's assembler is `llvm-mc-22`.
//!
//! A misaligned tuple of scalar registers cannot be passed to LLVM, because the text names the aligned tuple.
#![cfg(all(feature = "all-targets", feature = "text"))]

use crate::llvm_mc;
mod refusals;
use crate::words;

use std::collections::{BTreeMap, BTreeSet};

use amdgpu_isa::check::RuleError;
use amdgpu_isa::text::ParseErrorKind;
use amdgpu_isa::{Field, Filler, Format, Inst, Operand, Target, Value, decode, parse};
use refusals::{REFUSALS, Refusal};
use words::{Rng, encodings, legal};

/// LLVM's messages for each rule.
const MESSAGES: [(&str, &str); 16] = [
    ("src0 operands must use different VGPR banks", "banks"),
    ("src1 operands must use different VGPR banks", "banks"),
    ("src2 operands must use different VGPR banks", "banks"),
    ("invalid operand (violates constant bus restrictions)", "constant bus"),
    ("source 2 operand must not partially overlap with dst", "overlap"),
    ("vgpr must be even aligned", "vector"),
    ("invalid register class: vgpr tuples must be 64 bit aligned", "vector"),
    ("invalid image_gather dmask", "value"),
    ("invalid atomic image dmask", "value"),
    ("image data size does not match", "value"),
    ("must be MSAA type", "value"),
    ("TFE modifier has no meaning", "value"),
    ("src0 must be null", "value"),
    ("invalid interpolation slot", "value"),
    ("out of bounds interpolation attribute", "value"),
    ("only 4-bit values are legal", "value"),
];

fn name(rule: RuleError) -> &'static str {
    match rule {
        RuleError::ConstantBus { .. } => "constant bus",
        RuleError::Overlap { .. } => "overlap",
        RuleError::MisalignedVector { .. } => "vector",
        RuleError::Banks { .. } => "banks",
        RuleError::UpperHalf { .. } => "upper half",
        RuleError::Value { .. } => "value",
        other => panic!("{other:?}"),
    }
}

/// Instructions of all operations, and the same ones with a parameter from LDS as the first source.
fn instances(target: Target, rng: &mut Rng) -> Vec<Inst> {
    let mut all = Vec::new();
    for encoding in encodings(target).into_iter().filter(|e| llvm_mc::has(e.2)) {
        let matrix = matches!(encoding.0, Format::Vop3pMai | Format::Vop3px);
        for inst in legal(target, encoding, if matrix { 60 } else { 10 }, rng) {
            let vector = encoding.0.name().starts_with("VOP");
            all.push(inst);
            all.extend(inst.with(Field::Src0, 254).ok().filter(|_| vector));
            // On RDNA, which can read two scalars, random words rarely have the three that break the rule.
            let sources = [(Field::Src0, 2), (Field::Src1, 4), (Field::Src2, 6)];
            let scalars = sources.into_iter().try_fold(inst, |inst, (field, code)| inst.with(field, code));
            all.extend(scalars.ok().filter(|_| vector && words::is_rdna(target)));
        }
    }
    // Two sorts of instructions are left out: those with ignored bits, which the text does not show, and those with a
    // float as the constant of an operation on integers, because this prints as a number that LLVM's assembler takes
    // for a literal.
    let is_number =
        |inst: &Inst| inst.operands().any(|o| matches!(o.value, Value::Float(_))) && inst.to_string().contains("0x");
    let misaligned = |inst: &Inst| matches!(inst.check(), Err(RuleError::MisalignedScalar { .. }));
    // In random instructions with scales, the unused source rarely has the value that assemblers write there, so these
    // instructions are made canonical.
    all.iter_mut().filter(|inst| inst.get(Field::ScaleSrc2).is_some()).for_each(|inst| *inst = inst.canonical());
    all.retain(|inst| inst.is_canonical() && !misaligned(inst) && !is_number(inst));
    all
}

/// The verdicts of `check` and of LLVM's assembler on an instruction, compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Verdict {
    Fine,
    /// Both refuse the instruction by this rule: the rule that LLVM's assembler names, or else that of `check`.
    Refused(&'static str),
    /// `check` alone refuses the instruction, because LLVM's assembler does not check the rule.
    Forgotten,
    /// The two disagree about banks, because LLVM's assembler compares the wrong operands.
    Misread,
    /// LLVM alone refuses the instruction, for the reason in this line of `REFUSALS`.
    Listed(usize),
}

/// Whether LLVM's assembler does not apply the constant bus rule of the operation, because its list of operations with
/// this rule lacks the encodings of CDNA5.
fn has_new_encoding(inst: &Inst) -> bool {
    inst.target().generation() == "CDNA5" && ["v_lshrrev_b64", "v_ashrrev_i64"].contains(&inst.opcode().name())
}

/// Whether LLVM's assembler does not compare the formats of scales: LLVM 24 does if both factors choose their formats.
fn has_new_scales(inst: &Inst) -> bool {
    let is_compared = llvm_mc::is_newer() && inst.opcode().name().ends_with("_f8f6f4");
    inst.get(Field::MatrixAScaleFmt).is_some() && !is_compared
}

/// Whether LLVM 24's assembler finds the operands of one operation of the pair in wrong places, where it looks for
/// registers of one bank.
fn has_misplaced_operands(inst: &Inst) -> bool {
    let pair = [Some(inst.opcode()), inst.second_opcode()].map(|op| op.map_or("", |op| op.name()));
    let dot =
        |name: &&str| name.ends_with("dot2acc_f32_bf16") || inst.format() == Format::Vopd3 && name.contains("dot2acc");
    ["CDNA5", "GFX13"].contains(&inst.target().generation()) && pair.iter().any(dot)
}

fn judge(inst: &Inst, answer: &Result<Vec<u8>, String>) -> Result<Verdict, String> {
    let ours = inst.check().err().map(name);
    let Err(message) = answer else {
        return match ours {
            None => Ok(Verdict::Fine),
            // LLVM's assembler looks at the formats of the elements, and so does not check this operand.
            Some("overlap") if inst.opcode().name().ends_with("_f8f6f4") => Ok(Verdict::Forgotten),
            Some("constant bus") if has_new_encoding(inst) => Ok(Verdict::Forgotten),
            Some("value") if has_new_scales(inst) => Ok(Verdict::Forgotten),
            Some("banks") if has_misplaced_operands(inst) => Ok(Verdict::Misread),
            Some(rule) => Err(format!("{rule}, and LLVM assembles it")),
        };
    };
    let theirs = MESSAGES.iter().find(|(said, _)| message.contains(said)).map(|(_, rule)| *rule);
    match (ours, theirs) {
        // An instruction can break several rules, and each side names only one of them.
        (Some(rule), _) => Ok(Verdict::Refused(theirs.unwrap_or(rule))),
        (None, Some("banks")) if has_misplaced_operands(inst) => Ok(Verdict::Misread),
        (None, theirs) => {
            let is_it =
                |r: &Refusal| r.formats.contains(&inst.format()) && message.contains(r.says) && (r.is_one)(inst);
            let listed = REFUSALS.iter().position(is_it).map(Verdict::Listed);
            listed.ok_or(format!("fine, and {} in LLVM: {message}", theirs.unwrap_or("another rule")))
        }
    }
}

/// The difference, if the assembler makes other bytes of a text than the library does. Bits that no text shows, such as
/// the upper half of a literal of 16 bits, may differ from the instruction.
fn other_bytes(inst: &Inst, text: &str, theirs: &[u8]) -> Option<String> {
    // For these operations, which read both halves of a constant, LLVM 24 turns inline constants into literals.
    let halves = ["v_pk_fmac_f16", "v_cvt_pk_fp8_f16", "v_cvt_pk_bf8_f16"].contains(&inst.opcode().name());
    let is_inline = |o: Operand| matches!(o.value, Value::Float(_) | Value::Int(_));
    // LLVM announces the literal twice, with 64 and with 32 bits.
    let widths: BTreeSet<u16> =
        inst.operands().filter(|o| matches!(o.value, Value::Literal(_))).map(|o| o.bits).collect();
    let is_listed = halves && inst.operands().any(is_inline) || widths.len() > 1;
    let target = inst.target();
    let ours = parse(target, text).map(|inst| inst.with_filler(Filler::Llvm23));
    let same = ours.is_ok_and(|ours| words::bytes(ours.words()) == theirs);
    let reads_alike = || decode(target, theirs).is_ok_and(|inst| inst.to_string() == *text);
    (!same && !reads_alike() && !is_listed).then(|| format!("{text}: LLVM makes {}", hex_of(theirs)))
}

#[test]
fn check_refuses_what_llvm_refuses() {
    let (mut listed, mut wrong) = (vec![0; REFUSALS.len()], Vec::new());
    for target in llvm_mc::targets() {
        let mut rng = Rng(5);
        let all = instances(target, &mut rng);
        let texts: Vec<String> = all.iter().map(Inst::to_string).collect();
        let mut counts = BTreeMap::new();
        for ((inst, text), answer) in all.iter().zip(&texts).zip(llvm_mc::assemble(target, &texts)) {
            match judge(inst, &answer) {
                Ok(Verdict::Listed(n)) => {
                    listed[n] += 1;
                    *counts.entry("listed").or_insert(0) += 1;
                }
                Ok(verdict) => {
                    let name = match verdict {
                        Verdict::Fine => "fine",
                        Verdict::Refused(rule) => rule,
                        Verdict::Misread => "misread",
                        _ => "forgotten",
                    };
                    *counts.entry(name).or_insert(0) += 1;
                    // LLVM must refuse all instructions of a line, or the line would hide instructions that `check()`
                    // should refuse.
                    let named = REFUSALS.iter().find(|r| r.formats.contains(&inst.format()) && (r.is_one)(inst));
                    if let Some(named) = named.filter(|_| answer.is_ok() && !llvm_mc::is_newer()) {
                        wrong.push(format!("{target} {} {text}: LLVM assembles it, but {:?}", hex(inst), named.reason));
                    }
                    // `llvm/` compares the words of targets that LLVM 22 knows.
                    if let (Ok(theirs), true) = (answer, llvm_mc::is_newer()) {
                        wrong.extend(
                            other_bytes(inst, text, &theirs).map(|what| format!("{target} {} {what}", hex(inst))),
                        );
                    }
                }
                Err(why) => wrong.push(format!("{target} {} {} {text}: {why}", hex(inst), inst.format())),
            }
        }
        println!("{target}: {counts:?}");
        let met = |rule| counts.get(rule).is_some_and(|n: &usize| *n > 20);
        let has_matrices = target.layouts().iter().any(|l| l.format == Format::Vop3pMai);
        assert_eq!(met("overlap"), has_matrices, "{target}: {counts:?}");
        assert_eq!(met("banks"), target.layouts().iter().any(|l| l.format == Format::Vopd), "{target}: {counts:?}");
        assert_eq!(met("vector"), words::has_even_tuples(target), "{target}: {counts:?}");
        assert!(met("constant bus") && met("fine") && counts["fine"] > 5_000, "{target}: {counts:?}");
        let is_cdna5 = target.generation() == "CDNA5";
        // On gfx950, instructions for which LLVM's assembler forgets a rule are rare among these words.
        let may_forget = is_cdna5 || target.name() == "gfx950";
        assert!(may_forget || !counts.contains_key("forgotten"), "{target}: {counts:?}");
        assert!(!is_cdna5 || counts.contains_key("forgotten"), "{target}: {counts:?}");
        // Only GFX13 has an operation whose operands LLVM misreads.
        let misreads = llvm_mc::is_newer() && target.name() == "gfx1310";
        assert_eq!(counts.contains_key("misread"), misreads, "{target}: {counts:?}");
        assert!(is_cdna5 || !counts.contains_key("upper half"), "{target}: {counts:?}");
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    // Rare refusals are missing among these words: `refusals_are_current` shows each by its bytes.
    for (refusal, count) in REFUSALS.iter().zip(listed) {
        println!("{count:6} {}: {}", refusal.says, refusal.reason);
    }
}

/// The bytes of each line of `REFUSALS` show its reason.
#[test]
fn refusals_are_current() {
    for refusal in REFUSALS {
        let (target, hex) = refusal.example;
        let target: Target = target.parse().unwrap_or_else(|_| panic!("{}: {target} is no target", refusal.reason));
        let bytes: Vec<u8> = (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..][..2], 16).unwrap()).collect();
        let inst = decode(target, &bytes).unwrap_or_else(|e| panic!("{hex}: {e}"));
        let answer = llvm_mc::assemble(target, &[inst.to_string()]).remove(0);
        let good = inst.check().is_ok() && refusal.formats.contains(&inst.format()) && (refusal.is_one)(&inst);
        let said = answer.as_ref().is_err_and(|message| message.contains(refusal.says));
        assert!(good && said, "{inst}: {answer:?}, and {:?} was expected", refusal.says);
    }
}

fn hex(inst: &Inst) -> String {
    hex_of(&words::bytes(inst.words()))
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// LLVM's assembler lets WMMA and SWMMAC write registers that they read. (Its compiler keeps the destination off the
/// first two sources: in the compiler's descriptions, but not in those of the encodings, the destination is an early
/// clobber.)
#[test]
fn matrices_take_any_registers() {
    for target in [Target::Gfx1100, Target::Gfx1200, Target::Gfx1250, Target::Gfx1251] {
        let (mut rng, mut all, mut operations) = (Rng(6), Vec::new(), 0);
        for encoding in encodings(target).into_iter().filter(|e| e.0.name().starts_with("VOP3P") && llvm_mc::has(e.2)) {
            let made = legal(target, encoding, 40, &mut rng);
            let is_matrix =
                |i: &&Inst| (i.flags().is_mfma() || i.flags().is_smfmac()) && i.is_canonical() && i.check().is_ok();
            let Some(inst) = made.iter().find(is_matrix) else { continue };
            operations += 1;
            for (field, place) in
                [Field::Src0, Field::Src1, Field::Src2].into_iter().flat_map(|f| [98, 100, 102].map(|n| (f, n)))
            {
                let moved = inst.with(Field::Vdst, 100).and_then(|inst| inst.with(field, 256 + place));
                all.push(moved.unwrap_or_else(|error| panic!("{inst}: {error}")));
            }
        }
        let texts: Vec<String> = all.iter().map(Inst::to_string).collect();
        for ((inst, text), answer) in all.iter().zip(&texts).zip(llvm_mc::assemble(target, &texts)) {
            assert_eq!((inst.check(), answer.map(drop)), (Ok(()), Ok(())), "{target} {text}");
        }
        let least = if target == Target::Gfx1100 { 6 } else { 20 };
        assert!(operations >= least, "{target}: {operations}");
        println!("{target}: {operations} operations");
    }
}

/// Checks the values that op_sel and op_sel_hi may have for each kind of source, at all places, of all packed
/// operations on floats of 32 bits.
#[test]
fn one_register_of_a_scalar_is_read_for_both_floats() {
    let kinds =
        ["v[2:3]", "s[4:5]", "vcc", "exec", "ttmp[4:5]", "null", "src_shared_base", "src_scc", "1", "1.0", "0x12345"];
    let bits = |n: u32, count: u32| (0..count).map(|bit| (n >> bit & 1).to_string()).collect::<Vec<_>>().join(",");
    let mut texts = Vec::new();
    for (name, count) in [("v_pk_fma_f32", 3), ("v_pk_mul_f32", 2), ("v_pk_add_f32", 2)] {
        for (kind, place) in kinds.iter().flat_map(|kind| (0..count).map(move |place| (kind, place))) {
            let sources: Vec<&str> = (0..count).map(|n| if n == place { *kind } else { "v[8:9]" }).collect();
            for (low, high) in (0..1u32 << count).flat_map(|low| (0..1u32 << count).map(move |high| (low, high))) {
                let selects = format!("op_sel:[{}] op_sel_hi:[{}]", bits(low, count), bits(high, count));
                texts.push(format!("{name} v[0:1], {} {selects}", sources.join(", ")));
            }
        }
    }
    for target in [Target::Gfx1250, Target::Gfx1251] {
        let mut refused = 0;
        for (text, llvm) in texts.iter().zip(llvm_mc::assemble(target, &texts)) {
            match (parse(target, text), llvm) {
                (Ok(inst), Ok(bytes)) => assert_eq!(words::bytes(inst.words()), bytes, "{target} {text}"),
                (Err(error), Err(_)) if matches!(error.kind, ParseErrorKind::Rule(RuleError::UpperHalf { .. })) => {
                    refused += 1
                }
                (ours, llvm) => panic!("{target} {text}: {ours:?}, and LLVM {llvm:?}"),
            }
        }
        // There are five kinds of scalars. For each, only one of the four values of two bits is valid.
        assert_eq!(refused, texts.len() * 5 * 3 / (kinds.len() * 4), "{target}");
    }
    // Before CDNA5 both registers are read.
    let text = "v_pk_mul_f32 v[0:1], v[2:3], s[4:5]".to_string();
    let inst = parse(Target::Gfx942, &text).expect("it is good");
    assert_eq!(Ok(words::bytes(inst.words())), llvm_mc::assemble(Target::Gfx942, &[text]).remove(0));
    // An instruction that is refused as text is nevertheless decoded.
    let inst = decode(Target::Gfx1250, &[0, 0x40, 0x28, 0xcc, 2, 9, 0, 0x18]).expect("it is an instruction");
    assert_eq!(inst.to_string(), "v_pk_mul_f32 v[0:1], v[2:3], s[4:5]");
    assert_eq!(inst.check(), Err(RuleError::UpperHalf { field: Field::Src1 }));
}

/// A literal counts once for each width with which it is read.
#[test]
fn a_literal_of_two_widths_is_two_scalars() {
    for (target, text, good) in [
        (Target::Gfx1250, "v_mad_co_u64_u32 v[0:1], s0, s16, 0x4213f22a, 0x4213f22a", false),
        (Target::Gfx1250, "v_mad_co_u64_u32 v[0:1], s0, v1, 0x4213f22a, 0x4213f22a", true),
        (Target::Gfx1250, "v_fma_f64 v[0:1], 0x12345, 0x12345, s[2:3]", true),
        (Target::Gfx1030, "v_mad_u64_u32 v[0:1], s0, s16, 0x4213f22a, 0x4213f22a", false),
        (Target::Gfx1030, "v_mad_u64_u32 v[0:1], s0, v1, 0x4213f22a, 0x4213f22a", true),
    ] {
        assert_eq!(parse(target, text).is_ok(), good, "{target} {text}");
        assert_eq!(llvm_mc::assemble(target, &[text.to_string()])[0].is_ok(), good, "LLVM: {target} {text}");
    }
}

/// Checks single registers that must be even, and some that need not be.
#[test]
fn one_register_that_must_be_even() {
    for (target, words, good) in [
        (Target::Gfx908, [0xd933_0000, 1], true), // ds_gws_init v1 gds
        (Target::Gfx90a, [0xd933_0000, 2], true),
        (Target::Gfx90a, [0xd933_0000, 1], false),
        (Target::Gfx942, [0xd937_0000, 3], false),   // ds_gws_sema_br v3 gds
        (Target::Gfx942, [0xd93b_0000, 255], false), // ds_gws_barrier v255 gds
        (Target::Gfx942, [0xd935_0000, 0], true),    // ds_gws_sema_v gds
        (Target::Gfx950, [0xd933_0000, 1], false),
        (Target::Gfx950, [0xd81a_0000, 1], true), // ds_write_b32 v1, v0
    ] {
        let inst = amdgpu_isa::decode_words(target, &words).expect("it is an instruction");
        let register = amdgpu_isa::Reg::Vgpr(inst.get(Field::Addr).expect("it has one") as u16);
        let expected = if good { Ok(()) } else { Err(RuleError::MisalignedVector { field: Field::Addr, register }) };
        assert_eq!(inst.check(), expected, "{inst}");
    }
}

/// Values with which an operation is useless decode, but the parser refuses their text, at the value.
#[test]
fn values_that_are_of_no_use_are_refused() {
    for (target, text, field, good) in [
        (Target::Gfx900, "image_gather4 v[0:3], v[0:3], s[0:7], s[8:11] dmask:0x3", Field::Dmask, "dmask:0x4"),
        (
            Target::Gfx1100,
            "image_gather4 v[0:3], v[0:1], s[0:7], s[8:11] dmask:0x3 dim:SQ_RSRC_IMG_2D",
            Field::Dmask,
            "dmask:0x1",
        ),
        (Target::Gfx1200, "image_atomic_add_uint v[0:2], v0, s[0:7] dmask:0x7 dim:SQ_RSRC_IMG_1D", Field::Dmask, ""),
        (Target::Gfx1030, "buffer_store_dword v[2:3], off, s[8:11], s12 tfe", Field::Tfe, ""),
        (Target::Gfx1200, "buffer_store_b32 v[2:3], off, s[8:11], s12 tfe", Field::Tfe, ""),
        (Target::Gfx1100, "s_waitcnt_vscnt s1, 0x0", Field::Sdst, "null"),
        (Target::Gfx1250, "s_buffer_load_b32 s1, s[4:7], s0 offset:0x0 scale_offset", Field::ScaleOffset, ""),
        (Target::Gfx1250, "scratch_load_b32 v1, off, s2 scale_offset", Field::ScaleOffset, ""),
        (Target::Gfx1250, "global_store_b32 v[2:3], v1, off scale_offset", Field::ScaleOffset, ""),
        (Target::Gfx1250, "flat_load_b32 v1, v[2:3] scale_offset", Field::ScaleOffset, ""),
    ] {
        let error = parse(target, text).expect_err(text);
        let is_value = matches!(error.kind, ParseErrorKind::Rule(RuleError::Value { field: f, .. }) if f == field);
        let span = error.span.start as usize..error.span.end as usize;
        let at = &text[span.clone()];
        assert!(is_value && (at.starts_with(field.name()) || at == "s1"), "{target} {text}: {error:?} at {at}");
        assert!(llvm_mc::assemble(target, &[text.to_string()])[0].is_err(), "{target} {text}");
        if !good.is_empty() {
            let end = text[span.start..].find([' ', ',']).map_or(text.len(), |n| span.start + n);
            let better = format!("{}{good}{}", &text[..span.start], &text[end..]);
            assert!(parse(target, &better).is_ok(), "{target} {better}");
        }
    }
}
