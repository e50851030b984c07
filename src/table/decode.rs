//! What decoding and `length` need.

use super::*;
use crate::kind::AddressShape;
use crate::shared::FIRST_TRAILING_FORM;

/// What `decode` needs. The linker stores equal tables of different targets once, which is why these are references.
pub(crate) struct DecodeTables {
    /// Opcode space selected by the top nine bits of the first dword; 0: none.
    pub opcode_space_of: &'static [u8; 512],
    /// Entry 0 and the padding are [`NO_OPCODE_SPACE`].
    pub opcode_spaces: &'static [OpcodeSpace; OPCODE_SPACES],
    /// Pages of `constraints_of`.
    pub pages: &'static [u8],
    /// Index in `constraints` for each opcode index; 0: there is no operation.
    pub constraints_of: &'static [BaseConstraintIndex],
    pub constraints: &'static [Constraints],
    /// Masks: bits of the first two dwords that must be zero, for `Constraints::zeros`, and those of `Wide`.
    pub zeros: &'static [u64],
    /// Group of each field value. Two values are in the same group if every set of `sets` has both or neither.
    pub code_groups: &'static [u8; 512],
    /// Sets of groups, one bit each. The first set holds all groups.
    pub sets: &'static [u64],
    /// Constraints of the SDWA form and of the DPP form; 0: there is no such form.
    pub forms: &'static [[ConstraintIndex; 2]],
    /// More checks, for constraints with `marks::FURTHER`.
    pub more: &'static [(ConstraintIndex, &'static [Check])],
    /// Which values a field may have: one bit of the byte at `Check::first` plus the value. Eight sets share each byte.
    pub allowed: &'static [u8],
    /// Bits that must be one, for constraints with that mark: which of `zeros`.
    pub ones: &'static [(ConstraintIndex, u8)],
    /// Codes that are scalar registers.
    pub scalars: &'static [u32; 16],
    /// Rules that tie several fields together; the first list is empty.
    pub rules: &'static [&'static [Rule]],
    /// Sorted by their constraints.
    pub trailing: &'static [Trailing],
    /// Lists of trailing dwords: each as which of `announcers`, and the form << 4.
    pub trailing_dwords: &'static [&'static [u8]],
    pub announcers: &'static [Announcer],
    /// Which of `wides` constraints with that mark have, if it is not the first.
    pub wide: &'static [(ConstraintIndex, u8)],
    pub wides: &'static [Wide],
    pub joined: &'static [Joined],
    /// The opcode indices with operands whose length other fields determine, in order.
    pub sized: &'static [u16],
    /// For each of these a number that many share.
    pub sized_numbers: &'static [u8],
    /// These operands, for each form of these numbers.
    pub sized_operands: &'static [SizedOperand],
    /// What they have in common.
    pub sized_shapes: &'static [OperandDesc],
    /// Base format and format of the trailing dword, for error messages.
    pub parts: &'static [(Format, Option<Format>)],
    /// Which field each bit of a format belongs to.
    pub fields: &'static [FieldMap],
}

/// The fields of a format in the order of their first bits. A field in two pieces is listed twice.
pub(crate) struct FieldMap {
    pub format: Format,
    pub dwords: u8,
    pub fields: &'static [(Field, u8)],
}

/// An operand whose length other fields determine: an entry of `DecodeTables::sized_operands`.
pub(crate) struct SizedOperand {
    /// As in `DecodeTables::sized_numbers`.
    pub number: u8,
    pub form: u8,
    /// Which of `DecodeTables::sized_shapes` it is, apart from these:
    pub shape: u8,
    /// Of an image address.
    pub address: AddressShape,
    pub dwords: u8,
}

/// Dwords that can follow the base words.
pub(crate) struct Trailing {
    /// Those of a base form.
    pub constraints: BaseConstraintIndex,
    /// Which of `DecodeTables::trailing_dwords`.
    pub list: u8,
    /// Constraints of the first form that they make. Those of its other forms follow.
    pub first: ConstraintIndex,
}

/// A dword that can follow the base words.
pub(crate) struct TrailingDword {
    /// Which of `DecodeTables::announcers`.
    pub announcer: usize,
    /// Form of the instruction with this dword; 0: a literal, which makes no other form.
    pub form: u8,
    /// Constraints of the form.
    pub of: ConstraintIndex,
}

impl Trailing {
    /// One of their list.
    pub(crate) fn dword(&self, announcer_and_form: u8) -> TrailingDword {
        let (announcer, form) = (usize::from(announcer_and_form % 16), announcer_and_form / 16);
        let of = self.first + ConstraintIndex::from(form.saturating_sub(FIRST_TRAILING_FORM));
        TrailingDword { announcer, form, of: if form == 0 { 0 } else { of } }
    }
}

/// Operations in four dwords whose first two dwords are an instruction of their own.
pub(crate) struct Joined {
    /// Fixed bits: of the first two dwords, and of the third.
    pub masks: (u64, u32),
    pub values: (u64, u32),
    /// Opcode index of opcode 0; the opcode is in the third dword.
    pub base: u16,
    pub shift: u8,
    pub op_mask: u16,
}

impl Joined {
    /// The opcode, if these are the first dwords and the third of such an operation.
    pub(crate) fn opcode(&self, first: u64, third: u32) -> Option<u16> {
        let holds = (first & self.masks.0, third & self.masks.1) == self.values;
        holds.then(|| (third >> (self.shift & 31)) as u16 & self.op_mask)
    }
}

/// What constraints demand of the third and fourth dword.
pub(crate) struct Wide {
    pub checks: &'static [Check],
    /// Bits that must be zero, that must be one, and that are ignored: which of `DecodeTables::zeros`.
    pub zeros: u8,
    pub ones: u8,
    pub ignored: u8,
}

#[derive(Clone, Copy)]
pub(crate) struct OpcodeSpace {
    /// Opcode index of opcode 0.
    pub base: u16,
    pub op_mask: u16,
    pub op_shift: u8,
    /// A second field that extends the opcode at its upper end: its lowest bit, and its width << 5.
    pub seg: u8,
    /// Which of `CHECKED_FIELDS`.
    pub checked: u8,
    /// Width of the opcode in bits, with the part in the second field.
    pub op_bits: u8,
    /// If each instruction is two operations: the opcode index of the second operation's opcode 0. The second field
    /// then holds its opcode. 0: each instruction is one operation. `IN_SECOND_DWORD`: the same, and the second field
    /// lies in the second dword.
    pub second: u16,
}

/// No opcode index: see `OpcodeSpace::second`.
pub(crate) const IN_SECOND_DWORD: u16 = u16::MAX;

/// Padding. Its base is past the last page, so every look-up finds no operation.
pub(crate) const NO_OPCODE_SPACE: OpcodeSpace =
    OpcodeSpace { base: 0xfff0, op_mask: 0, op_shift: 0, seg: 0, checked: 0, op_bits: 0, second: 0 };

/// What the words of an instruction must satisfy.
#[derive(Clone, Copy)]
pub(crate) struct Constraints {
    /// As `marks::*`.
    pub marks: u8,
    /// Which of `DecodeTables::rules`.
    pub rules: u8,
    /// For each checked field of the opcode space: which of `DecodeTables::sets` its value must be in.
    pub sets: [u8; 4],
    /// Which of `DecodeTables::zeros`.
    pub zeros: u8,
    /// Which dwords can follow, as `trailing::*`, and whether the base words are two.
    pub trailing: u8,
    /// Which of `DecodeTables::forms`.
    pub forms: u8,
    /// Which of `DecodeTables::parts`.
    pub parts: u8,
}

/// A rule that ties several fields: if the fields in `looks` have these values, `field` must satisfy `kind`.
pub(crate) struct Rule {
    pub kind: RuleKind,
    /// The field that the error names.
    pub field: Bits,
    pub n: u8,
    /// The fields looked at, and the value of each. An unused entry has no bits and the value zero.
    pub looks: [(Bits, u8); 3],
}

/// A run of bits in one dword: its lowest bit, counted from the first dword, and its width, at most 15.
#[derive(Clone, Copy)]
pub(crate) struct Bits(pub u8, pub u8);

/// What `length` needs.
pub(crate) struct LengthTables {
    /// What the top nine bits of the first dword reveal about the length, as `length::*`.
    pub entries: [u8; 512],
    /// Operations that take fewer trailing dwords than others with the same nine bits.
    pub others: &'static [Other],
    /// Operations that codes in other places make longer, too.
    pub lists: &'static [LengthList],
    /// Operations in four dwords, with a bit for each valid opcode.
    pub joined: &'static [(Joined, &'static [u8])],
}

pub(crate) struct LengthList {
    /// Dwords of the base words.
    pub dwords: u8,
    /// Whether two dwords after them can make them another operation: one of `LengthTables::joined`.
    pub joined: bool,
    /// Where the opcode is.
    pub op_shift: u8,
    pub op_width: u8,
    /// The first one that the words match says how many dwords follow.
    pub announcers: &'static [Announcer],
    /// From each of these opcodes on, operations have the announcers with these bits, for they ignore the fields of the
    /// others. Without runs, all have all.
    pub runs: &'static [(u16, u8)],
}

/// Dwords follow if a field has one of these codes.
pub(crate) struct Announcer {
    pub first: u16,
    /// How many more codes there are after the first.
    pub more: u8,
    pub lsb: u8,
    pub width: u8,
    pub dwords: u8,
}

impl Announcer {
    /// Whether the lowest bits are one of the codes.
    pub(crate) fn is_in(&self, bits: u32) -> bool {
        let value = bits & ((1 << (self.width & 15)) - 1);
        value.wrapping_sub(self.first.into()) <= self.more.into()
    }
}

pub(crate) struct Other {
    pub mask: u32,
    pub value: u32,
    pub trailing: u8,
}

/// A field whose value must be in a set.
pub(crate) struct Check {
    pub lsb: u8,
    /// A one-bit field that extends the value at its upper end, or `NONE`.
    pub hi: u8,
    /// The bit of each byte of `allowed` that this set has; `first` is the byte for the value zero.
    pub bit: u8,
    pub mask: u16,
    pub first: u16,
}
