//! An instruction re-targeted to another generation decodes there to the same operation, operands and modifiers, or the
//! error names what is missing: for every operation, every ordered pair of targets, and every form.
#![cfg(all(has_target, feature = "text"))]

#[cfg(feature = "all-targets")]
#[path = "retarget/cases.rs"]
mod cases;
#[path = "words/mod.rs"]
mod words;

use std::collections::BTreeSet;

use amdgpu_isa::{Field, Format, Imm, Inst, Opcode, Operand, RetargetError, Target, Value, decode_words};
use words::Rng;

/// Different instructions of each encoding.
const FILLINGS: usize = 24;

/// Operations that both targets of a pair have, but for which no instruction is the same on both.
const NEVER_THE_SAME: &[(&str, &str)] = &[
    // One register for each component on gfx803 and gfx801, half a register on gfx810 and from gfx900 on.
    ("format_d16_xy", "gfx803 gfx801"),
    ("format_d16_xyz", "gfx803 gfx801"),
    ("format_d16_xyzw", "gfx803 gfx801"),
    // Up to GCN 1.2 they zero the upper half of the destination, from gfx9 on they keep it.
    ("v_mad_f16", "gfx803 gfx801 gfx810"),
    ("v_mad_i16", "gfx803 gfx801 gfx810"),
    ("v_mad_u16", "gfx803 gfx801 gfx810"),
    ("v_fma_f16", "gfx803 gfx801 gfx810"),
    ("v_div_fixup_f16", "gfx803 gfx801 gfx810"),
    ("v_madmk_f16", "gfx803 gfx801 gfx810"),
    ("v_madak_f16", "gfx803 gfx801 gfx810"),
    ("v_interp_p2_f16", "gfx803 gfx801 gfx810"),
];

/// The operation is one of these for a pair of targets.
fn never_the_same(op: Opcode, from: Target, to: Target) -> Option<&'static (&'static str, &'static str)> {
    let differ = |all: &str| all.contains(from.name()) != all.contains(to.name());
    NEVER_THE_SAME.iter().find(|(end, all)| op.name().ends_with(end) && differ(all))
}

/// Each instruction of every encoding of `from`, with the result for `to`.
fn each(from: Target, to: Target, mut look: impl FnMut(&Inst, Result<Inst, RetargetError>)) {
    let mut rng = Rng(from as u64);
    for encoding in words::encodings(from) {
        for inst in words::legal(from, encoding, FILLINGS, &mut rng) {
            look(&inst, inst.retarget(to));
        }
    }
}

fn pairs() -> impl Iterator<Item = (Target, Target)> {
    Target::ALL.iter().flat_map(|&a| Target::ALL.iter().filter(move |&&b| a != b).map(move |&b| (a, b)))
}

/// The text after the mnemonic in a form common to all targets: offsets of scalar loads in bytes, and one name for the
/// bit that makes an atomic return.
fn operands_text(inst: &Inst) -> String {
    let text = inst.to_string();
    let mut text = text.split_once(' ').map_or("", |x| x.1).to_string();
    if inst.format() == Format::Smrd {
        if let Some((front, offset)) = text.rsplit_once(", 0x") {
            text = format!("{front}, {:#x}", u64::from_str_radix(offset, 16).expect("an offset") * 4);
        }
    }
    if inst.flags().is_atomic() { text.replace(" glc", " sc0") } else { text }
}

/// Role (by the newer format's name), width and access.
fn explicit(inst: &Inst) -> Vec<(&'static str, u16, &'static str)> {
    let side = |o: Operand| {
        let role = match o.role? {
            Field::Sdst if inst.format() == Format::Smrd => "sdata",
            Field::Vsrc1 => "src1",
            // The register can be in either field.
            Field::Soffset if inst.format() == Format::Smem => "offset",
            // From gfx9 on, a compare in SDWA form has a field for it.
            Field::Vcc => "sdst",
            role => role.name(),
        };
        // A constant has the width of its field, or of a literal.
        let constant = matches!(o.value, Value::Imm(_)) || role == "offset";
        let bits = if constant { 0 } else { o.bits };
        let access = match o.access {
            amdgpu_isa::Access::Read => "r",
            amdgpu_isa::Access::Write => "w",
            amdgpu_isa::Access::ReadWrite => "rw",
        };
        Some((role, bits, access))
    };
    inst.operands().filter_map(side).collect()
}

#[test]
fn what_comes_out_says_the_same() {
    for (from, to) in pairs() {
        let (mut same, mut refused) = (0, 0);
        each(from, to, |inst, result| {
            let Ok(there) = result else { return refused += 1 };
            same += 1;
            assert_eq!((there.target(), there.opcode()), (to, inst.opcode()));
            assert_eq!(decode_words(to, there.words()), Ok(there), "{inst:?}");
            assert!(there.is_canonical(), "{inst:?} -> {there:?}");
            assert_eq!(operands_text(&there), operands_text(inst), "{inst:?} -> {there:?}");
            assert_eq!(explicit(&there), explicit(inst), "{inst:?} -> {there:?}");
            assert!(inst.check().is_err() || there.check().is_ok(), "{inst:?} -> {there:?}: {:?}", there.check());
        });
        println!("{from} -> {to}: {same} the same, {refused} refused");
        assert!(same > 10_000 && (refused > 20 || same > 30_000), "{from} -> {to}: {same} the same, {refused} refused");
    }
}

#[test]
fn what_is_refused_is_missing() {
    for (from, to) in pairs() {
        let has = |inst: &Inst| inst.opcode().encodings(to).next().is_some();
        each(from, to, |inst, result| {
            let Err(error) = result else { return };
            let place = format!("{inst} {inst:?} -> {to}: {error:?}");
            assert_eq!(matches!(error, RetargetError::Opcode(op) if op == inst.opcode()), !has(inst), "{place}");
            match error {
                RetargetError::Opcode(_) => {}
                RetargetError::Form { format, extension } => {
                    assert_eq!((format, extension), (inst.format(), inst.extension()), "{place}");
                    let mut there = inst.opcode().encodings(to);
                    assert!(extension.is_some() || !there.any(|e| e.format == format), "{place}");
                }
                RetargetError::Value { field, value } => {
                    // Parts of constants are not fields, and errors give scalar offsets in bytes.
                    let part = inst.imm().is_some() && inst.get(field).is_none_or(|v| i64::from(v) != value);
                    let Some(held) = inst.get(field).filter(|_| !part) else {
                        assert!(inst.imm().is_some(), "{place}");
                        return;
                    };
                    let signed = value < 0 && i64::from(held) > 0;
                    let bytes = field == Field::Offset && [Format::Smem, Format::Smrd].contains(&inst.format());
                    // If the operation uses only some bits of a modifier, the error gives those.
                    let some = value != 0 && i64::from(held) & value == value;
                    assert!(i64::from(held) == value || signed || bytes || some, "{place}");
                }
                RetargetError::Operand { field, bits, bits_there } => {
                    let access = never_the_same(inst.opcode(), inst.target(), to).is_some();
                    assert!(bits != bits_there || access, "{place}");
                    let held = inst.operands().find(|o| o.role == Some(field)).map_or(0, |o| o.bits);
                    assert_eq!(held, bits, "{place}");
                }
                RetargetError::Rule(_) => assert!(inst.check().is_ok(), "{place}"),
                _ => panic!("{place}"),
            }
        });
    }
}

/// Bits without a meaning that `is_canonical` does not know: next to the register of a scalar offset, in the field of a
/// register that is not added, in an implied vcc destination, and between the counters. A register can be in either
/// field.
fn has_bits_without_meaning(inst: &Inst) -> bool {
    let is = |field, value| inst.get(field) == Some(value);
    let more_than = |field, value| inst.get(field).is_some_and(|v| v > value);
    match inst.imm() {
        Some(Imm::Waitcnt(wait)) => wait.rest() != 0,
        _ if inst.format() == Format::Smem && is(Field::SoffsetEn, 1) => is(Field::Imm, 0),
        _ if inst.format() == Format::Smem => {
            more_than(Field::Soffset, 0) || is(Field::Imm, 0) && more_than(Field::Offset, 127)
        }
        // The destination of an atomic that does not return; CDNA1 has some that never do.
        _ if inst.flags().is_atomic() && (is(Field::Glc, 0) || is(Field::Sc0, 0)) => more_than(Field::Vdst, 0),
        _ => is(Field::Sd, 0) && more_than(Field::Sdst, 0),
    }
}

#[test]
fn what_goes_there_comes_back_with_the_same_words() {
    for (from, to) in pairs() {
        each(from, to, |inst, result| {
            let Ok(there) = result else { return };
            let back = there.retarget(from);
            // An operation that lost its 32-bit encoding comes back in its other encoding.
            let format = |i: &Inst| i.format();
            if format(inst) == Format::Vop2 && format(&there) == Format::Vop3a {
                // There it reads two scalars, which its other encoding cannot on the way back.
                if inst.expand().is_err() {
                    return assert!(back.is_err());
                }
                let back = back.unwrap_or_else(|e| panic!("{inst:?} -> {there:?}: {e}"));
                return assert_eq!(operands_text(&back), operands_text(inst));
            }
            // A rule that was already broken may be broken on the way back only.
            if inst.is_canonical() && inst.check().is_ok() {
                let back = back.unwrap_or_else(|e| panic!("{inst} {inst:?} -> {there} {there:?}: {e}"));
                assert_eq!(operands_text(&back), operands_text(inst));
                assert!(
                    back == *inst || has_bits_without_meaning(inst),
                    "{inst} {inst:?} -> {there} {there:?} -> {back:?}"
                );
            }
        });
    }
}

#[test]
fn every_operation_that_both_have_can_go() {
    let mut met: BTreeSet<&(&str, &str)> = BTreeSet::new();
    for (from, to) in pairs() {
        let mut gone: BTreeSet<Opcode> = BTreeSet::new();
        each(from, to, |inst, result| {
            if result.is_ok() {
                gone.insert(inst.opcode());
            }
        });
        let both = |op: &&Opcode| op.encodings(from).next().is_some() && op.encodings(to).next().is_some();
        for op in Opcode::ALL.iter().filter(both) {
            let excuse = never_the_same(*op, from, to);
            assert_eq!(gone.contains(op), excuse.is_none(), "{op} from {from} to {to}");
            met.extend(excuse);
        }
    }
    if cfg!(feature = "all-targets") {
        assert_eq!(met.len(), NEVER_THE_SAME.len(), "an excuse that nobody needs");
    }
}
