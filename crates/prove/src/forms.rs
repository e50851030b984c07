//! The forms of instructions: operations in their base words alone, and with each dword that may follow these. Each
//! form has words from which the sweeps start.

use amdgpu_isa::layout::FieldInfo;
use amdgpu_isa::{DecodingClass, Field, Format, Inst, Opcode, Target, TiedBits};

use crate::check::Words;
use crate::words::{self, Announced, FieldBits, Filling, Rng, pieces};

/// The number of starting words of each form.
const FILLINGS: usize = 6;

/// Wide fields that are modifiers. All other fields of their width are offsets and constants.
const WIDE_MODIFIERS: [&str; 1] = ["dpp_ctrl"];

/// An operation in one of its forms.
pub struct Form {
    /// All fields without a fixed value. Their bits count from the start of the instruction.
    pub fields: Vec<FieldInfo>,
    /// The fields that name registers or constants.
    pub operands: Vec<FieldInfo>,
    /// The fields that are flags, selects and other small values.
    pub modifiers: Vec<FieldInfo>,
    /// The fields of each rule that ties several fields, with the values of each field to try.
    pub ties: Vec<Vec<(FieldBits, Vec<u32>)>>,
    /// Words that decode, the simplest first; never empty.
    pub fillings: Vec<Words>,
    pub layout: Layout,
    class: DecodingClass,
    signatures: [u16; 2],
    /// The length in bytes.
    length: usize,
}

/// The formats of the base words and of the dword after them, and the field and the code that announce that dword.
pub type Layout = (Format, Option<Format>, Option<(Field, u16)>);

pub type Class<'a> = (Layout, DecodingClass, Option<[u16; 2]>, &'a [FieldInfo], &'a [FieldInfo]);

impl Form {
    /// Whether the instructions of the form have one dword. [`Pass::Words`](crate::Pass::Words) decodes all of them.
    pub fn is_a_dword(&self) -> bool {
        self.length == 4
    }

    /// The class of the form. Forms of one class are decoded in the same way, and their products of fields are the same
    /// words, apart from the opcode. If all products are printed, these forms are also printed in the same way.
    pub fn class(&self) -> Class<'_> {
        let signatures = self.is_a_dword().then_some(self.signatures);
        (self.layout, self.class, signatures, &self.operands, &self.modifiers)
    }
}

/// Every form of every operation.
pub fn forms(target: Target) -> Vec<Form> {
    let mut rng = Rng(target.mach().into());
    words::encodings(target).into_iter().flat_map(|encoding| of_encoding(target, encoding, &mut rng)).collect()
}

fn of_encoding(target: Target, encoding: (Format, u16, Opcode), rng: &mut Rng) -> Vec<Form> {
    let base = words::layout(target, encoding.0);
    let announced = base.extends.iter().map(Some);
    // An operation without an announced dword can still be longer than its base words, because some operations always
    // have a literal.
    let all = [(None, false), (None, true)].into_iter().chain(announced.map(|announced_dword| (announced_dword, true)));
    all.filter_map(|(announced_dword, is_longer)| form(target, encoding, announced_dword, is_longer, rng)).collect()
}

fn form(
    target: Target,
    (format, number, opcode): (Format, u16, Opcode),
    announced_dword: Option<&Announced>,
    is_longer: bool,
    rng: &mut Rng,
) -> Option<Form> {
    let base = words::layout(target, format);
    let is_longer = |inst: &Inst| (inst.len() * 8 > base.bits.into()) == is_longer;
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
        let mut words = words::attempt(target, base, number, announced_dword, filling, rng);
        let Some(inst) = words::repair(target, &mut words, rng) else { continue };
        let operation = inst.opcode() == opcode || inst.second_opcode() == Some(opcode);
        let same = inst.format() == format && operation && announced(&inst) == announced_dword;
        if same && is_longer(&inst) && !found.contains(&inst) {
            found.push(inst);
        }
        if found.len() == FILLINGS {
            break;
        }
    }
    let first = found.first()?;
    let extension = first.extension();
    let fillings = found.iter().map(padded).collect();
    let given = |f: &&FieldInfo| {
        f.fixed.is_some() || f.field == Field::Op || announced_dword.is_some_and(|b| b.field == f.field)
    };
    let mut fields: Vec<FieldInfo> = base.fields.iter().filter(|f| !given(f)).copied().collect();
    if let Some(extension) = extension {
        fields.extend(words::layout(target, extension).fields.iter().map(|f| moved(f, base.bits)));
    }
    let named = |f: &FieldInfo| found.iter().flat_map(Inst::operands).any(|operand| operand.role == Some(f.field));
    let operands = fields.iter().filter(|f| (5..=9).contains(&width(f)) && named(f)).copied().collect();
    let small = |f: &&FieldInfo| width(f) <= 4 || WIDE_MODIFIERS.contains(&f.field.name());
    let modifiers = fields.iter().filter(|f| small(f) && !f.overlay && f.field.name() != "reserved");
    let ties = amdgpu_isa::tied(first).map(|runs| tie(&runs));
    Some(Form {
        operands,
        modifiers: modifiers.copied().collect(),
        fields,
        ties: ties.collect(),
        fillings,
        layout: (format, extension, announced_dword.map(|b| (b.field, b.code))),
        class: DecodingClass::of(first),
        signatures: DecodingClass::signatures(first),
        length: first.len(),
    })
}

/// The values to try for the bits that a rule restricts: all values of the first bits, and of other bits if they are at
/// most four. Of more bits, the value with which the rule compares them, and all values that differ from it in one bit.
fn tie(runs: &[TiedBits]) -> Vec<(FieldBits, Vec<u32>)> {
    let values = |(n, &(lsb, width, value)): (usize, &TiedBits)| {
        let value = u32::from(value);
        let values = match (n, width) {
            (0, _) | (_, 0..=4) => (0..1 << width).collect(),
            _ => std::iter::once(value).chain((0..width).map(|bit| value ^ 1 << bit)).collect(),
        };
        (FieldBits { lsb, width }, values)
    };
    runs.iter().enumerate().filter(|(_, run)| run.1 > 0).map(values).collect()
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

/// The value of a field in words.
pub fn value(field: &FieldInfo, words: &[u32]) -> u32 {
    let mut width = 0;
    pieces(field).fold(0, |value, piece| {
        let part = piece.get(words) << width;
        width += piece.width;
        value | part
    })
}

/// The bits of a field, the lowest first.
pub fn bits(field: &FieldInfo) -> impl Iterator<Item = u8> {
    pieces(field).flat_map(|FieldBits { lsb, width }| lsb..lsb + width)
}
