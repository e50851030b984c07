//! Printing and parsing are inverses, too: the library parses its texts to the same words. `tests/parse.rs` checks this
//! for some words of each operation, and `prove` for the words that it prints.

use amdgpu_isa::text::ParseError;
use amdgpu_isa::{Field, Format, Inst, Value};

/// Checks the instruction to which a text was parsed. Instructions that break a rule (`Inst::check`) may be refused.
pub fn check(inst: &Inst, parsed: &Result<Inst, ParseError>) -> Result<(), &'static str> {
    match (parsed, inst.check()) {
        (Ok(parsed), Ok(())) if parsed.words() == inst.words() => Ok(()),
        (Ok(parsed), Ok(())) if is_another_length(inst, parsed) || is_the_same(inst, parsed) => Ok(()),
        (Ok(_), Ok(())) => Err("its text parses to other words"),
        // The text shows an aligned tuple, even if the words have another first register.
        (Ok(parsed), Err(_)) if parsed.words() != inst.words() => Ok(()),
        (Ok(_), Err(_)) => Err("its text parses although it breaks a rule"),
        (Err(_), Ok(())) => Err("its text does not parse"),
        (Err(_), Err(_)) => Ok(()),
    }
}

/// Whether the parsed words differ in their length only, because they are VOPD instead of VOPD3.
fn is_another_length(inst: &Inst, parsed: &Inst) -> bool {
    let shorter = inst.format() == Format::Vopd3 && parsed.format() == Format::Vopd;
    shorter && parsed.to_string() == inst.to_string()
}

/// The beginning of a permutation of lanes in text.
const SWIZZLE: &str = "swizzle(";

fn keeps_literal(inst: &Inst, parsed: &Inst) -> bool {
    let literal = inst.get(Field::Literal);
    literal.is_some() && literal == parsed.get(Field::Literal)
}

/// Whether the two instructions differ only in 16-bit sources. The text shows the lower half of their literal, which
/// the parser reads as an inline constant of the same value, while another source keeps the literal.
fn has_its_half(inst: &Inst, parsed: &Inst) -> bool {
    // The text does not show bits that have no effect.
    let inst = &inst.canonical();
    let Some(half) = inst.get(Field::Literal).map(|literal| literal as u16) else { return false };
    let mut fields = inst.fields().map(|held| held.info.field).filter(|field| inst.get(*field) != parsed.get(*field));
    let alike = inst.format() == parsed.format() && inst.len() == parsed.len() && inst.words() != parsed.words();
    let value = |inst: &Inst, field| inst.operands().find(|operand| operand.role == Some(field)).map(|o| o.value);
    alike
        && keeps_literal(inst, parsed)
        && fields.all(|field| match (value(inst, field), value(parsed, field)) {
            (Some(Value::Literal(_)), Some(Value::Int(number))) => i16::from(number) as u16 == half,
            _ => false,
        })
}

/// Whether the two instructions differ only in bits that the text does not show and that have no effect.
pub fn is_the_same(inst: &Inst, parsed: &Inst) -> bool {
    if parsed.opcode() != inst.opcode() {
        return false;
    }
    // The text does not show the filler.
    let inst = &inst.with_filler(inst.target().filler());
    // The text of these fields is empty, whatever they hold: `off`, no result, no second scalar, halves of constants.
    let is_hidden = |field: &Field| inst.field_text(*field).to_string().is_empty();
    let differs = |field: &Field| inst.get(*field) != parsed.get(*field) && !is_hidden(field);
    let text = inst.to_string();
    if parsed.to_string() != text {
        // As in LLVM, the text has the lower half of a literal without `lit`, even if it is also an inline constant.
        let halves = [inst, parsed].map(|inst| inst.get(Field::Literal).map(|literal| literal >> 16));
        let dropped = inst.literal64().is_none() && matches!(halves, [Some(1..), None | Some(0)]);
        if dropped || has_its_half(inst, parsed) {
            return true;
        }
        // Two bit masks can mean the same permutation of lanes.
        let lanes = |inst: &Inst| inst.operands().map(|o| o.value).collect::<Vec<_>>();
        return text.contains(SWIZZLE) && lanes(inst) == lanes(parsed);
    }
    // As in LLVM, operations without operands have no suffix that shows their encoding.
    if !text.contains(' ') {
        return true;
    }
    let mut fields: Vec<Field> = inst.fields().map(|held| held.info.field).filter(differs).collect();
    // The text shows a constant, but not its encoding: inline, or a literal of 32 or 64 bits.
    let is_source =
        |field: &Field| matches!(field, Field::Src0 | Field::Src1 | Field::Src2 | Field::Ssrc0 | Field::Ssrc1);
    let is_offset = |field: &Field| matches!(field, Field::Imm | Field::Offset);
    let is_constant = |field: &Field| is_source(field) || is_offset(field) || *field == Field::Literal;
    if inst.get(Field::Literal).is_some() && parsed.len() != inst.len() && fields.iter().all(is_constant) {
        return true;
    }
    if !inst.is_canonical() {
        return true;
    }
    fields.retain(|field| match field {
        // The bit for a returned value is not in the text if the hint is for all caches.
        Field::Th => !text.contains("th:TH_ATOMIC_CASCADE"),
        // If an export has none of its four parts, it does not matter whether they are halves.
        Field::Compr => !text.contains("off, off, off, off"),
        // The register of a part that an export leaves out has no effect.
        Field::Vsrc0 | Field::Vsrc1 | Field::Vsrc2 | Field::Vsrc3 if inst.get(Field::En).is_some() => {
            !text.contains("off")
        }
        // An assembler sets the bits of sources that the operation lacks.
        Field::OpSelHi => inst.field_text(*field).to_string() != parsed.field_text(*field).to_string(),
        // The field of `off`, or of the vcc of SDWA, can have any value.
        Field::Vaddr | Field::Addr if text.contains(" off,") => false,
        Field::Sdst if inst.extension() == Some(Format::Sdwab) => false,
        // A 16-bit operand does not read the other half of a literal.
        Field::Literal => inst.get(Field::Literal).unwrap() as u16 != parsed.get(Field::Literal).unwrap() as u16,
        // Some bits belong to no part of the constant.
        Field::Simm16 | Field::Ssrc0 => inst.imm().is_none(),
        // The rotation of ds_swizzle has bits without a meaning.
        Field::Offset | Field::Offset0 | Field::Offset1 if text.contains(SWIZZLE) => false,
        // A register that is the only offset can be in either of two fields.
        Field::Offset => inst.format() != Format::Smem,
        _ => true,
    });
    fields.is_empty()
}
