//! An instruction can be encoded in every form of its operation, with the same meaning. Its sources can be swapped, and
//! swapping them twice restores it. This is tested for every operation of every target in all its forms.
#![cfg(feature = "text")]

use crate::words;

use amdgpu_isa::convert::{ConvertError, Form};
use amdgpu_isa::signature::Signature;
use amdgpu_isa::{Access, Field, Format, Inst, Opcode, Operand, Reg, Target, Value, decode_words};
use std::collections::BTreeSet;
use words::{
    Filling, Rng, attempt, encodings, encodings_to_try, is_full, is_of_other_size, is_tried, layout, legal, repair,
};

/// Instructions of every form of an operation in a format.
fn instances(target: Target, encoding: (Format, u16, Opcode), count: usize, rng: &mut Rng) -> Vec<Inst> {
    let (format, number, opcode) = encoding;
    let mut all = legal(target, encoding, count, rng);
    let base = layout(target, format);
    for extension in base.extends.iter().filter(|e| e.format != Format::Literal) {
        for n in 0..count {
            let filling = if n < 2 { Filling::Zero } else { Filling::Typical };
            let mut words = attempt(target, base, number, Some(extension), filling, rng);
            if n % 2 == 1 {
                plain(&mut words[usize::from(base.bits / 32)], extension.format);
            }
            let made = repair(target, &mut words, rng);
            all.extend(made.filter(|i| i.opcode() == opcode && i.format() == format && !all.contains(i)));
        }
    }
    all.iter_mut().for_each(|inst| *inst = inst.with_filler(target.filler()));
    all.retain(|inst| inst.is_canonical() && inst.check().is_ok());
    all
}

/// Changes the controls in the dword after the base words to values without effect.
fn plain(dword: &mut u32, extension: Format) {
    *dword = match extension {
        Format::Sdwa => *dword & 0x8080_00ff | 0x0606_0600,
        Format::Sdwab => *dword & 0x8080_80ff | 0x0606_0000,
        Format::Dpp => *dword & 0xff | 0xff08_e400,
        // Each of eight lanes reads itself.
        Format::Dpp8 => *dword & 0xff | 0xfac6_8800,
        _ => *dword,
    };
}

/// The operands without their fields. VCC counts as the same whether a field names it or not. The sets of registers,
/// which are compared, too, show whether a part of a destination is kept.
fn said(inst: &Inst) -> Vec<(Value, u16, bool)> {
    let value = |o: &Operand| if o.value == Value::Reg(Reg::VCC_LO) { Value::Reg(Reg::Vcc) } else { o.value };
    // A constant has the width of its field, which differs between encodings.
    let bits = |o: &Operand| if matches!(o.value, Value::Imm(_)) { 0 } else { o.bits };
    // The registers of an image address can be a tuple, or each has a field.
    let run = |o: &Operand| match o.value {
        Value::Reg(Reg::Vgpr(n)) if o.role.is_some_and(|field| field.name().starts_with("vaddr")) => {
            (n..).take(usize::from(o.bits / 32)).map(|n| (Value::Reg(Reg::Vgpr(n)), 32, o.access.writes())).collect()
        }
        _ => vec![(value(o), bits(o), o.access.writes())],
    };
    inst.operands().filter(|o| o.role.is_some()).flat_map(|o| run(&o)).collect()
}

fn is_same(a: &Inst, b: &Inst) {
    assert_eq!((a.opcode(), said(a)), (b.opcode(), said(b)), "{a:?} {b:?}");
    assert_eq!((a.reads(), a.writes()), (b.reads(), b.writes()), "{a:?} {b:?}");
    assert!(a.memory().eq(b.memory()) && a.counters() == b.counters(), "{a:?} {b:?}");
    assert_eq!(decode_words(b.target(), b.words()), Ok(*b));
    assert!(b.check().is_ok(), "{b:?}");
}

fn form(inst: &Inst) -> (Format, Option<Format>) {
    (inst.format(), inst.extension().filter(|e| ![Format::Literal, Format::Literal64].contains(e)))
}

/// The values with which the fields of extensions have no effect: each lane reads and writes its own data, in whole
/// registers.
const WITHOUT_EFFECT: [(Field, u32); 7] = [
    (Field::Sel, 0xfac688),
    (Field::DppCtrl, 0xe4),
    (Field::RowMask, 15),
    (Field::BankMask, 15),
    (Field::DstSel, 6),
    (Field::Src0Sel, 6),
    (Field::Src1Sel, 6),
];

/// Checks that no modifier had an effect if the conversion succeeds, and that a field had an effect if the error names
/// it as lost.
fn loses_no_effect(inst: &Inst, other: Result<Inst, ConvertError>) {
    let of_form = |s: &Signature| (s.format(), s.extension()) == (inst.format(), inst.extension());
    let signature = inst.opcode().signatures(inst.target()).find(of_form).expect("its form has a signature");
    // Fields that are not modifiers are ignored bits.
    let is_modifier = |field| signature.modifiers().any(|modifier| modifier.field == field);
    for (field, value) in WITHOUT_EFFECT.into_iter().filter(|(field, _)| is_modifier(*field)) {
        let has_effect = inst.get(field).is_some_and(|held| held != value);
        match other {
            Ok(other) => assert!(!has_effect, "{inst:?} {other:?}"),
            Err(ConvertError::Modifier { field: lost, .. }) => {
                assert!(has_effect || field != lost, "{inst:?} {field:?}")
            }
            Err(_) => {}
        }
    }
}

/// Whether the DPP form lacks the control without effect: lanes of 64 bits can only be broadcast.
fn lacks_identity(target: Target, opcode: Opcode, form: (Format, Option<Format>), rng: &mut Rng) -> bool {
    let of_form = |(format, ..): &(Format, u16, Opcode)| *format == form.0;
    let encoding = encodings(target).into_iter().filter(|e| e.2 == opcode).find(of_form).expect("it has the form");
    let all = instances(target, encoding, 24, rng);
    let mut dpp = all.iter().filter(|inst| self::form(inst) == form).peekable();
    dpp.peek().is_some() && dpp.all(|inst| inst.with(Field::DppCtrl, 0xe4).is_err())
}

#[test]
fn every_operation_is_the_same_in_each_encoding() {
    let mut rng = Rng(9);
    for &target in Target::ALL {
        let (mut tried, mut done) = (0, 0);
        // For each operation, the pairs of forms for which conversion worked, and those for which it was refused.
        let (mut reached, mut refused) = (BTreeSet::new(), BTreeSet::new());
        // For targets with the other wave size, `encodings_to_try` has an eighth of the operations: all are tried.
        let is_tried = |opcode| is_of_other_size(target) || is_tried(target, opcode, 16);
        for encoding in encodings_to_try(target).into_iter().filter(|e| is_tried(e.2)) {
            let opcode = encoding.2;
            for inst in instances(target, encoding, 24, &mut rng) {
                for Form { format, extension, .. } in opcode.forms(target) {
                    tried += 1;
                    let (here, there) = (form(&inst), (format, extension));
                    let other = inst.reencode(format, extension);
                    if here.1.is_some() && extension.is_none() {
                        loses_no_effect(&inst, other);
                    }
                    let Ok(other) = other else {
                        refused.insert((opcode, here, there));
                        continue;
                    };
                    assert_eq!(form(&other), there);
                    is_same(&inst, &other);
                    assert_eq!(other.reencode(format, extension), Ok(other));
                    // Converting back restores the bytes, except where SDWA and DPP have several encodings of one
                    // meaning.
                    let back = other.reencode(here.0, here.1).unwrap_or_else(|e| panic!("{inst:?}: {e}"));
                    assert!(back == inst || here.1.is_some(), "{inst:?} {other:?} {back:?}");
                    is_same(&inst, &back);
                    reached.extend([(opcode, here, there), (opcode, there, here)]);
                    done += 1;
                }
            }
        }
        let never: Vec<_> = refused.difference(&reached).collect();
        for &&(opcode, here, there) in &never {
            let dpp = [here, there].into_iter().find(|form| form.1 == Some(Format::Dpp));
            // A form of an image operation names a limited number of registers, and a tuple has them in order.
            let names_registers = [here, there].iter().any(|form| form.1.is_some_and(|f| f.name().starts_with("NSA")));
            // A dual instruction stays dual.
            let is_dual = here.0.name().starts_with("VOPD");
            // gfx1251 has DPP for operations on 64 bits and products, whose only controls move data between lanes.
            let is_wide = |s: Signature| s.operands().any(|o| o.bits == 64) || opcode.name().starts_with("v_mul_");
            let of_form = |s: &Signature| Some((s.format(), s.extension())) == dpp;
            let moves = target.name() == "gfx1251" && opcode.signatures(target).find(of_form).is_some_and(is_wide);
            let expected = is_dual
                || moves
                || names_registers
                || dpp.is_some_and(|form| lacks_identity(target, opcode, form, &mut rng));
            assert!(expected, "{target}: {opcode:?} never comes from {here:?} to {there:?}");
        }
        println!("{target}: {tried} tried, {done} done, {} ways, {} never", reached.len(), never.len());
        let (enough, ways) = if is_of_other_size(target) { (1_000, 50) } else { (15_000, 500) };
        let part = if is_full() { 1 } else { 30 };
        assert!(done > enough / part && reached.len() > ways / part, "{target}: {done} {}", reached.len());
    }
}

/// Every 32-bit instruction without a literal expands, and shrinks to the same bytes. On RDNA an instruction with a
/// literal does so, too.
#[test]
fn what_is_expanded_shrinks_to_the_same_bytes() {
    let mut rng = Rng(11);
    let short = |target, (format, ..): &(Format, u16, Opcode)| layout(target, *format).bits == 32;
    for &target in Target::ALL {
        let (mut both, mut alone, mut literals) = (0, 0, 0);
        for encoding in encodings_to_try(target).into_iter().filter(|e| short(target, e)) {
            let long = encoding.2.forms(target).any(|form| layout(target, form.format).bits == 64);
            for inst in legal(target, encoding, 24, &mut rng).into_iter().filter(|i| i.is_canonical()) {
                let literal = inst.operands().find(|o| matches!(o.value, Value::Literal(_))).and_then(|o| o.role);
                match literal {
                    _ if !long => {
                        assert_eq!(inst.expand(), Ok(inst));
                        alone += 1;
                    }
                    Some(_)
                        if words::is_rdna(target)
                            && inst.check().is_ok()
                            && inst.extension() == Some(Format::Literal) =>
                    {
                        let expanded = inst.expand().unwrap_or_else(|e| panic!("{inst:?}: {e}"));
                        assert_eq!((expanded.len(), expanded.shrink()), (12, Ok(inst)));
                        literals += 1;
                    }
                    Some(field) if inst.check().is_ok() && inst.extension() == Some(Format::Literal) => {
                        assert_eq!(inst.expand(), Err(ConvertError::Operand(field)), "{inst:?}");
                        literals += 1;
                    }
                    None if inst.extension().is_none() && inst.check().is_ok() => {
                        let expanded = inst.expand().unwrap_or_else(|e| panic!("{inst:?}: {e}"));
                        assert_eq!((expanded.len(), expanded.shrink()), (8, Ok(inst)));
                        both += 1;
                    }
                    _ => {}
                }
            }
        }
        println!("{target}: {both} expanded and shrunk, {literals} with a literal, {alone} have one encoding");
        let share = if is_of_other_size(target) { 10 } else { 1 };
        assert!(
            both * share > 3_000 && literals * share > 30 && alone * share > 1_000,
            "{target}: {both} {literals} {alone}"
        );
    }
}

/// The values of the two sources to swap.
fn sources(inst: &Inst) -> Vec<Value> {
    let source = |o: &Operand| o.role.is_some_and(|f| f.name().contains("src")) && o.access == Access::Read;
    inst.operands().filter(source).take(2).map(|o| o.value).collect()
}

/// The modifiers of the first source and of the second.
fn modifiers(inst: &Inst) -> [Vec<(&'static str, u32)>; 2] {
    let lists = [Field::Neg, Field::NegHi, Field::Abs, Field::OpSel, Field::OpSelHi];
    let pairs = [
        ("sel", [Field::Src0Sel, Field::Src1Sel]),
        ("neg", [Field::Src0Neg, Field::Src1Neg]),
        ("abs", [Field::Src0Abs, Field::Src1Abs]),
        ("sext", [Field::Src0Sext, Field::Src1Sext]),
    ];
    [0, 1].map(|n| {
        let of_list = |field: &Field| inst.get(*field).map(|held| (field.name(), held >> n & 1));
        let of_pair = |(name, pair): &(&'static str, [Field; 2])| inst.get(pair[n]).map(|held| (*name, held));
        lists.iter().filter_map(of_list).chain(pairs.iter().filter_map(of_pair)).collect()
    })
}

#[test]
fn swapped_sources_swap_back() {
    let mut rng = Rng(10);
    for &target in Target::ALL {
        let (mut done, mut refused) = (BTreeSet::new(), BTreeSet::new());
        // Modifiers that differed between the two sources.
        let mut met = BTreeSet::new();
        for encoding in encodings(target) {
            for inst in instances(target, encoding, 24, &mut rng) {
                let key = (inst.opcode(), form(&inst));
                match inst.commuted() {
                    Ok(other) => {
                        assert!(inst.flags().is_commutable());
                        assert_eq!((form(&other), other.commuted()), (form(&inst), Ok(inst)), "{inst:?}");
                        let (mut here, there) = (sources(&inst), sources(&other));
                        here.reverse();
                        assert_eq!(here, there, "{inst:?} {other:?}");
                        let ([first, second], [there_first, there_second]) = (modifiers(&inst), modifiers(&other));
                        assert_eq!((&first, &second), (&there_second, &there_first), "{inst:?} {other:?}");
                        // Modifiers that all sources share, or that belong to a third source, stay.
                        for held in inst.fields().filter(|held| held.value > 3) {
                            if [Field::Neg, Field::NegHi, Field::Abs, Field::OpSel, Field::OpSelHi]
                                .contains(&held.info.field)
                            {
                                assert_eq!(
                                    other.get(held.info.field).map(|v| v >> 2),
                                    Some(held.value >> 2),
                                    "{inst:?}"
                                );
                            }
                        }
                        let moved = first.iter().zip(&second).filter(|(a, b)| a.1 != b.1);
                        moved.for_each(|(a, _)| _ = met.insert(a.0));
                        assert_eq!(
                            (inst.reads(), inst.writes()),
                            (other.reads(), other.writes()),
                            "{inst:?} {other:?}"
                        );
                        done.insert(key);
                    }
                    Err(ConvertError::NotCommutable(_)) => assert!(!inst.flags().is_commutable(), "{inst:?}"),
                    Err(_) => _ = refused.insert(key),
                }
            }
        }
        let never: Vec<_> = refused.difference(&done).collect();
        println!("{target}: {} operations and forms", done.len());
        assert!(never.is_empty() && done.len() > 300, "{target}: never swapped: {never:?}");
        let has = |format| target.layouts().iter().any(|l| l.format == format);
        let mut expected = BTreeSet::from(["neg", "abs"]);
        expected.extend(["sel", "sext"].into_iter().filter(|_| has(Format::Sdwa)));
        expected.extend(["neg_hi", "op_sel", "op_sel_hi"].into_iter().filter(|_| has(Format::Vop3p)));
        assert_eq!(met, expected, "{target}");
    }
}

/// A scalar register has no halves, so the bit of a half is a modifier, which stays or is refused.
#[test]
#[cfg(feature = "gfx1150")]
fn bits_of_halves_stay_beside_scalars() {
    let parse = |text| amdgpu_isa::parse(Target::Gfx1150, text).expect(text);
    let long = parse("v_add_f16_e64 v0.l, s1, v2.l op_sel:[1,0,0]");
    let refused = long.reencode(Format::Vop2, None);
    assert!(matches!(refused, Err(ConvertError::Modifier { field: Field::OpSel, .. })), "{refused:?}");
    let dpp = "v_add_f16_e64_dpp v0.l, v1.l, s2 op_sel:[0,1,0] quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf";
    let wanted = parse("v_add_f16_e64 v0.l, v1.l, s2 op_sel:[0,1,0]");
    assert_eq!(parse(dpp).reencode(Format::Vop3a, None), Ok(wanted));
}
