//! Mnemonics, operands and modifiers parsed separately: each part of an instruction's text gives the instruction's
//! operation, operand or modifier.

use amdgpu_isa::signature::{DataType, Signature};
use amdgpu_isa::text::{MnemonicError, OperandText, signatures};
use amdgpu_isa::{Field, Format, Inst, Opcode, Operand, Target, Value, parse};

use super::Failures;
use crate::words::{Rng, encodings_to_try, is_tried, legal};

/// The parts of a text between commas outside brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (n, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(text[from..n].trim());
                from = n + 1;
            }
            _ => {}
        }
    }
    all.push(text[from..].trim());
    all
}

/// Whether the parsed text of an operand gives the instruction's operand.
fn is_same(inst: &Inst, ty: DataType, there: &Operand, text: &OperandText) -> bool {
    let is_half = ty.bits() == Some(16);
    match (there.value, text.value) {
        // The operand's text can give half of a literal that it shares with a wider operand.
        (Value::Literal(a), Value::Literal(b)) => a == b || is_half && a as u16 == b as u16,
        // The text of an integer can have the bits of an inline float.
        (Value::Float(a), Value::Literal(b)) => is_half && u32::from(a.to_f16_bits()) == b,
        (Value::Literal64, Value::Literal64) => inst.literal64() == text.literal64,
        (a, b) => a == b && there.bits == text.bits,
    }
}

/// Compares the parts of an instruction's text with the instruction. Returns how many parts were compared.
fn compare(inst: &Inst, form: &Signature, text: &str, failures: &mut Failures) -> usize {
    let (_, body) = text.split_once(' ').unwrap_or((text, ""));
    let there: Vec<Operand> = inst.operands().filter(|operand| operand.role.is_some()).collect();
    let texts = parts(body);
    let mut fail = |part: &str, what: String| {
        let class = format!("{} {:?}: {what}", inst.target(), inst.format());
        failures.add(class, format!("{part} in {text}"));
    };
    // Some texts show more or fewer operands than the instruction has: lists of registers, or omitted operands.
    if texts.len() != there.len() || body.is_empty() {
        return 0;
    }
    let mut count = 0;
    for (n, (part, operand)) in texts.iter().zip(&there).enumerate() {
        let field = operand.role.unwrap();
        let Some(signature) = form.operands().find(|other| other.field == field) else { continue };
        if n + 1 < texts.len() {
            match signature.parse(part) {
                Ok(found) if is_same(inst, signature.ty, operand, &found) => count += 1,
                Ok(found) => fail(part, format!("{field} is {:?}, not {:?}", operand.value, found)),
                Err(error) => fail(part, format!("{field}: {error}")),
            }
            continue;
        }
        // The part is the last operand, with the modifiers after it.
        let ends = part.match_indices(' ').map(|(at, _)| at).chain([part.len()]).collect::<Vec<_>>();
        let found = ends.iter().rev().find_map(|end| Some((*end, signature.parse(&part[..*end]).ok()?)));
        let Some((end, found)) = found else {
            fail(part, format!("{field} has no text"));
            continue;
        };
        if !is_same(inst, signature.ty, operand, &found) {
            fail(part, format!("{field} is {:?}, not {:?}", operand.value, found));
        }
        count += 1 + modifiers(inst, form, &part[end..], &mut fail);
    }
    count
}

fn modifiers(inst: &Inst, form: &Signature, text: &str, fail: &mut impl FnMut(&str, String)) -> usize {
    let mut count = 0;
    for word in text.split_whitespace() {
        let found = form.modifiers().find_map(|modifier| Some((modifier.field, modifier.parse(word).ok()?)));
        match found {
            // Some modifiers are printed as one word, which is not the text of any single modifier.
            None => {}
            // op_sel also selects the halves of registers, which are in the texts of operands.
            Some((Field::OpSel | Field::OpSelHi, _)) => {}
            // The value of a temporal hint also says whether the operation returns a value, and its text does not
            // always show that.
            Some((Field::Th, _)) => {}
            Some((field, value)) if inst.get(field).is_some_and(|there| there == value) => count += 1,
            Some((field, value)) => fail(word, format!("{field} is {:?}, not {value}", inst.get(field))),
        }
    }
    count
}

#[test]
fn parts_of_texts_are_those_of_instructions() {
    let mut rng = Rng(23);
    let mut failures = Failures::default();
    for &target in Target::ALL {
        let (mut all, mut compared) = (0, 0);
        for encoding in encodings_to_try(target).into_iter().filter(|e| is_tried(target, e.2, 6)) {
            for inst in legal(target, encoding, 4, &mut rng) {
                // The second operation of a dual instruction has a text of its own.
                let text = inst.to_string();
                if text.contains("::") {
                    continue;
                }
                // The parsed instruction lacks the bits that the text does not show.
                let Ok(inst) = parse(target, &text) else { continue };
                let mnemonic = text.split(' ').next().unwrap();
                match Opcode::parse(target, mnemonic) {
                    Ok(opcode) if opcode == inst.opcode() => {}
                    Err(MnemonicError::Ambiguous(a, b)) if [a, b].contains(&inst.opcode()) => {}
                    other => failures.add(format!("{target}: a mnemonic is {other:?}"), text.clone()),
                }
                let extension =
                    inst.extension().filter(|format| !matches!(format, Format::Literal | Format::Literal64));
                let is_form = |form: &Signature| {
                    (form.opcode(), form.format()) == (inst.opcode(), inst.format()) && form.extension() == extension
                };
                let Some(form) = signatures(target, mnemonic).find(is_form) else {
                    failures.add(format!("{target} {:?} {extension:?}: no form", inst.format()), text);
                    continue;
                };
                all += 1;
                compared += usize::from(compare(&inst, &form, &text, &mut failures) > 0);
            }
        }
        assert!(compared * 10 > all * 7, "{target}: {compared} of {all} were compared");
    }
    failures.report();
}

/// A name belongs to one operation, except for the names listed here.
#[test]
fn few_mnemonics_are_ambiguous() {
    let mut found = std::collections::BTreeSet::new();
    for &target in Target::ALL {
        for (.., opcode) in encodings_to_try(target) {
            for form in opcode.signatures(target) {
                if let Err(error) = Opcode::parse(target, form.mnemonic()) {
                    found.insert((form.mnemonic(), error.to_string()));
                }
            }
        }
    }
    assert_eq!(Vec::from_iter(found), AMBIGUOUS);
}

const AMBIGUOUS: [(&str, String); 0] = [];

#[test]
#[cfg(feature = "gfx942")]
fn parts_that_are_refused_have_a_place() {
    let add = signatures(Target::Gfx942, "v_add_f32_e64").next().unwrap();
    let source = add.operands().nth(1).unwrap();
    let refused = [
        ("", "", "src0 is missing"),
        ("  v[1:2] ", "v[1:2]", "src0: 1 register expected, not 2"),
        ("v1, v2", "v2", "unexpected"),
        ("v1 clamp", "clamp", "unexpected"),
        ("|v1", "", "`|` expected"),
        ("v256", "v256", "the last such register is v255"),
        ("off", "off", "only an address or the source of an export can be off"),
    ];
    for (text, part, message) in refused {
        let error = source.parse(text).expect_err(text);
        let span = error.span.start as usize..error.span.end as usize;
        assert_eq!((text.get(span), error.to_string().as_str()), (Some(part), message), "{text:?}");
    }
    // This form has no room for a literal, and its source cannot be an accumulation register.
    assert!(source.parse("0x12345").is_err() && source.parse("a1").is_err() && source.parse("sext(v1)").is_err());
    let clamp = add.modifiers().find(|modifier| modifier.field == Field::Clamp).unwrap();
    assert_eq!((clamp.parse("clamp"), clamp.parse("noclamp")), (Ok(1), Ok(0)));
    assert!(clamp.parse("").is_err() && clamp.parse("clamp clamp").is_err() && clamp.parse("mul:2").is_err());
    assert_eq!(signatures(Target::Gfx942, "v_add_f31").count(), 0);
    assert_eq!(Opcode::parse(Target::Gfx942, "v_mov_b32_e63"), Err(MnemonicError::Unknown));
    assert_eq!(Opcode::parse(Target::Gfx942, " S_Nop "), Ok(Opcode::SNop));
}

/// An operand parsed by itself keeps its signs and its size: half a register has signs, and a literal can be the upper
/// half of a double.
#[test]
fn an_operand_has_its_signs_and_its_size() {
    let source = |target: &str, name: &str, text: &str| {
        let form = signatures(target.parse().ok()?, name).next().expect(name);
        let source = form.operands().find(|operand| operand.field == Field::Src0).expect(name);
        Some(source.parse(text).expect(text))
    };
    if let Some(half) = source("gfx1100", "v_add_f16_e64", "-|v1.l|") {
        assert!(half.neg && half.abs && half.bits == 16, "{half:?}");
    }
    if let Some(double) = source("gfx1250", "v_add_f64_e64", "0x4010400000000000") {
        assert_eq!((double.value, double.bits), (Value::Literal(0x4010_4000), 64));
    }
}
