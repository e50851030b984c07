//! The forms of instructions that are longer than one dword: operations with each dword that may follow their base
//! words, and words of each form from which the sweeps start.

use amdgpu_isa::layout::FieldInfo;
use amdgpu_isa::{Field, Format, Inst, Opcode, Target};

use super::check::Words;
use super::words::{self, Announced, Filling, Rng, pieces};

/// Starting words of each form.
const FILLINGS: usize = 6;

/// Wide modifiers. All other fields of their width are offsets and constants.
const WIDE_MODIFIERS: [&str; 1] = ["dpp_ctrl"];

/// An operation in one of its forms.
pub struct Form {
    /// All fields without a fixed value. Their bits count from the start of the instruction.
    pub fields: Vec<FieldInfo>,
    /// Those of the fields that name registers or constants.
    pub operands: Vec<FieldInfo>,
    /// Those of the fields that are flags, selects and other small values.
    pub modifiers: Vec<FieldInfo>,
    /// Words that decode, the simplest first; never empty.
    pub fillings: Vec<Words>,
}

/// Every form of more than one dword, of every operation.
pub fn forms(target: Target) -> Vec<Form> {
    let mut rng = Rng(target.mach().into());
    words::encodings(target).into_iter().flat_map(|encoding| of_encoding(target, encoding, &mut rng)).collect()
}

fn of_encoding(target: Target, encoding: (Format, u16, Opcode), rng: &mut Rng) -> Vec<Form> {
    let base = words::layout(target, encoding.0);
    let announced = base.extends.iter().map(Some);
    // `None` is also the form of an operation that always has a literal.
    let forms = std::iter::once(None).chain(announced).map(|behind| form(target, encoding, behind, rng));
    forms.flatten().collect()
}

fn form(
    target: Target,
    (format, number, opcode): (Format, u16, Opcode),
    behind: Option<&Announced>,
    rng: &mut Rng,
) -> Option<Form> {
    let base = words::layout(target, format);
    let announced = |inst: &Inst| {
        let holds = |e: &&Announced| {
            base.fields.iter().any(|f| f.field == e.field && value(f, inst.words()) == u32::from(e.code))
        };
        base.extends.iter().find(holds)
    };
    let mut found: Vec<Inst> = Vec::new();
    for round in 0..FILLINGS * 6 {
        let filling = match round {
            0 => Filling::Zero,
            1 => Filling::Vgprs,
            _ if round % 2 == 0 => Filling::Typical,
            _ => Filling::Random,
        };
        let mut words = words::attempt(target, base, number, behind, filling, rng);
        let Some(inst) = words::repair(target, &mut words, rng) else { continue };
        let operation = inst.opcode() == opcode || inst.second_opcode() == Some(opcode);
        let same = inst.format() == format && operation && announced(&inst) == behind;
        if same && inst.len() > 4 && !found.contains(&inst) {
            found.push(inst);
        }
        if found.len() == FILLINGS {
            break;
        }
    }
    let extension = found.first()?.extension();
    let fillings = found.iter().map(padded).collect();
    let given =
        |f: &&FieldInfo| f.fixed.is_some() || f.field == Field::Op || behind.is_some_and(|b| b.field == f.field);
    let mut fields: Vec<FieldInfo> = base.fields.iter().filter(|f| !given(f)).copied().collect();
    if let Some(extension) = extension {
        fields.extend(words::layout(target, extension).fields.iter().map(|f| moved(f, base.bits)));
    }
    let named = |f: &FieldInfo| found.iter().flat_map(Inst::operands).any(|operand| operand.role == Some(f.field));
    let operands = fields.iter().filter(|f| (5..=9).contains(&width(f)) && named(f)).copied().collect();
    let small = |f: &&FieldInfo| width(f) <= 4 || WIDE_MODIFIERS.contains(&f.field.name());
    let modifiers = fields.iter().filter(|f| small(f) && !f.overlay && f.field.name() != "reserved");
    Some(Form { operands, modifiers: modifiers.copied().collect(), fields, fillings })
}

fn padded(inst: &Inst) -> Words {
    let mut words = [0; 5];
    words.iter_mut().zip(inst.words()).for_each(|(to, from)| *to = *from);
    words
}

/// A field of a dword that begins at bit `first`, with its bits counted from the start of the instruction.
fn moved(field: &FieldInfo, first: u8) -> FieldInfo {
    let hi = if field.hi_width > 0 { field.hi + first } else { field.hi };
    let mut shifted = *field;
    (shifted.lsb, shifted.hi) = (field.lsb + first, hi);
    shifted
}

pub fn width(field: &FieldInfo) -> u8 {
    field.width + field.hi_width
}

fn value(field: &FieldInfo, words: &[u32]) -> u32 {
    let mut width = 0;
    pieces(field).fold(0, |value, piece| {
        let part = piece.get(words) << width;
        width += piece.width;
        value | part
    })
}

/// How many values of a field to try, and a function for the n-th of them. Wide fields are constants and offsets: all
/// their values are tried with the first filling, and a thousand with each other one. For a whole dword, the values of
/// its halves are tried.
pub fn values(field: &FieldInfo, first_filling: bool) -> (u64, impl Fn(u64) -> u32) {
    let width = width(field);
    let (count, step) = match (width, first_filling) {
        (0..=12, _) | (13..=24, true) => (1 << width, 1),
        // The factor is odd, so that no bit stays the same.
        (13..=24, false) => (1 << 10, (1 << (width - 10)) - 1),
        (_, true) => (2 << 16, 1),
        _ => (2 << 10, 63),
    };
    (count, move |number| match width {
        0..=24 => (number * step) as u32,
        _ => ((number / 2 * step) as u32 & 0xffff) << (number % 2 * 16),
    })
}
