//! Tables for decoding and for `length`.

use super::*;
use crate::kind::AddressShape;
use crate::opcode::{Field, Format};
use crate::shared::FIRST_TRAILING_FORM;

/// Dwords of the longest instruction of any target.
pub(crate) const MAX_DWORDS: usize = 5;

/// The tables that `decode` reads. The fields are references, because the linker stores equal tables of different
/// targets once.
pub(crate) struct DecodeTables {
    /// The opcode space that the top nine bits of the first dword select; 0 if there is none.
    pub opcode_space_of: &'static [u8; 512],
    /// The opcode spaces. Entry 0 and the padding are [`NO_OPCODE_SPACE`].
    pub opcode_spaces: &'static [OpcodeSpace; OPCODE_SPACES],
    /// Pages of `constraints_of`.
    pub pages: &'static [u8],
    /// Index in `constraints` for each opcode index; 0 if there is no operation.
    pub constraints_of: &'static [BaseConstraintIndex],
    pub constraints: &'static [Constraints],
    /// Masks of bits of the first two dwords, for `Constraints::zeros` and `DecodeTables::ones`, and of the third and
    /// fourth dword, for `Wide`.
    pub zeros: &'static [u64],
    /// Group of each field value. Two values are in the same group if every set of `sets` has both or neither.
    pub code_groups: &'static [u8; 512],
    /// Sets of groups, one bit each. The first set holds all groups.
    pub sets: &'static [u64],
    /// Constraints of the SDWA form and of the DPP form; 0 if there is no such form.
    pub forms: &'static [[ConstraintIndex; 2]],
    /// More checks, for constraints with `constraint_flags::FURTHER`.
    pub more: &'static [(ConstraintIndex, &'static [Check])],
    /// The values that fields may have. A value is allowed if the bit `Check::bit` of the byte at `Check::first` plus
    /// the value is set. Eight sets share each byte.
    pub allowed: &'static [u8],
    /// Bits that must be one, for constraints with `constraint_flags::FURTHER`: an index in `zeros`.
    pub ones: &'static [(ConstraintIndex, u8)],
    /// A bit for each code that is a scalar register.
    pub scalars: &'static [u32; 16],
    /// The number of vector registers: a run must not extend beyond the last one.
    pub vgprs: u16,
    /// Rules that tie several fields together; the first list is empty.
    pub rules: &'static [&'static [Rule]],
    /// The dwords that can follow, sorted by their constraints.
    pub trailing: &'static [Trailing],
    /// Lists of trailing dwords. Each dword is an index in `announcers`, plus the form << 4.
    pub trailing_dwords: &'static [&'static [u8]],
    pub announcers: &'static [Announcer],
    /// For constraints with `constraint_flags::WIDE`, their index in `wides`. Constraints that this list lacks have the
    /// index 0.
    pub wide: &'static [(ConstraintIndex, u8)],
    pub wides: &'static [Wide],
    pub joined: &'static [Joined],
    /// The opcode indices with operands whose length depends on other fields, in ascending order.
    pub sized: &'static [u16],
    /// For each entry of `sized`, the number of its operands in `sized_operands`. Opcode indices with the same operands
    /// share a number.
    pub sized_numbers: &'static [u8],
    /// The operands whose length depends on other fields, for each number of `sized_numbers` and each form.
    pub sized_operands: &'static [SizedOperand],
    /// Descriptors that entries of `sized_operands` share.
    pub sized_shapes: &'static [OperandDesc],
    /// Base format and format of the trailing dword, for error messages.
    pub parts: &'static [(Format, Option<Format>)],
    /// The field of each bit of a format.
    pub fields: &'static [FieldMap],
}

/// The fields of a format in the order of their first bits. A field in two pieces is listed twice.
pub(crate) struct FieldMap {
    pub format: Format,
    pub dwords: u8,
    pub fields: &'static [(Field, u8)],
}

/// An operand whose length depends on other fields: an entry of `DecodeTables::sized_operands`.
pub(crate) struct SizedOperand {
    /// A number of `DecodeTables::sized_numbers`.
    pub number: u8,
    pub form: u8,
    /// Index in `DecodeTables::sized_shapes`, which has everything but the following fields.
    pub shape: u8,
    /// The shape of an image address.
    pub address: AddressShape,
    pub dwords: u8,
}

/// The dwords that can follow the base words.
pub(crate) struct Trailing {
    /// Constraints of the base form.
    pub constraints: BaseConstraintIndex,
    /// Index in `DecodeTables::trailing_dwords`.
    pub list: u8,
    /// Constraints of the first form that these dwords make. The constraints of the other forms follow.
    pub first: ConstraintIndex,
}

/// A dword that can follow the base words.
pub(crate) struct TrailingDword {
    /// Index in `DecodeTables::announcers`.
    pub announcer: usize,
    /// Form of the instruction with this dword; 0 for a literal, which does not make another form.
    pub form: u8,
    /// Constraints of the form; 0 for a literal.
    pub of: ConstraintIndex,
}

impl Trailing {
    /// The trailing dword of an entry of the list.
    pub(crate) fn dword(&self, announcer_and_form: u8) -> TrailingDword {
        let (announcer, form) = (usize::from(announcer_and_form % 16), announcer_and_form / 16);
        let of = self.first + ConstraintIndex::from(form.saturating_sub(FIRST_TRAILING_FORM));
        TrailingDword { announcer, form, of: if form == 0 { 0 } else { of } }
    }
}

/// Operations in four dwords whose first two dwords are an instruction of their own (VOP3PX).
pub(crate) struct Joined {
    /// Masks of the fixed bits: of the first two dwords, and of the third.
    pub masks: (u64, u32),
    pub values: (u64, u32),
    /// Opcode index of opcode 0; the opcode is in the third dword.
    pub base: u16,
    pub shift: u8,
    pub op_mask: u16,
}

impl Joined {
    /// The opcode, if the arguments are the first two dwords and the third dword of an operation of this kind.
    pub(crate) fn opcode(&self, first: u64, third: u32) -> Option<u16> {
        let holds = (first & self.masks.0, third & self.masks.1) == self.values;
        holds.then(|| (third >> (self.shift & 31)) as u16 & self.op_mask)
    }
}

/// Demands of constraints on the third and fourth dword.
pub(crate) struct Wide {
    pub checks: &'static [Check],
    /// Indices in `DecodeTables::zeros`: masks of the bits that must be zero, that must be one, and that are ignored.
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
    pub high_op_field: u8,
    /// Index in `CHECKED_FIELDS`, which has the positions of four checked fields.
    pub checked: u8,
    /// Width of the opcode in bits, including the part in the second field.
    pub op_bits: u8,
    /// If each instruction is two operations: the opcode index of the second operation's opcode 0; the second opcode
    /// field then holds that operation's opcode. 0: each instruction is one operation. `IN_SECOND_DWORD`: each
    /// instruction is one operation, and the second opcode field is in the second dword.
    pub second_op_base: u16,
}

impl OpcodeSpace {
    /// Whether each instruction is two operations.
    pub fn is_dual(&self) -> bool {
        self.second_op_base != 0 && self.second_op_base != IN_SECOND_DWORD
    }
}

/// The value of `OpcodeSpace::second_op_base` if the second opcode field is in the second dword.
pub(crate) const IN_SECOND_DWORD: u16 = u16::MAX;

/// An opcode space without operations. Its base is past the last page, so no look-up finds an operation.
pub(crate) const NO_OPCODE_SPACE: OpcodeSpace =
    OpcodeSpace { base: 0xfff0, op_mask: 0, op_shift: 0, high_op_field: 0, checked: 0, op_bits: 0, second_op_base: 0 };

/// Demands on the words of an instruction.
#[derive(Clone, Copy)]
pub(crate) struct Constraints {
    /// The flags, as `constraint_flags::*`.
    pub flags: u8,
    /// Index in `DecodeTables::rules`.
    pub rules: u8,
    /// For each checked field of the opcode space, the index in `DecodeTables::sets` of the set that must
    /// hold the group of the field's value.
    pub sets: [u8; 4],
    /// Index in `DecodeTables::zeros`.
    pub zeros: u8,
    /// The dwords that can follow, as `trailing::*`, and whether the base words are two.
    pub trailing: u8,
    /// Index in `DecodeTables::forms`.
    pub forms: u8,
    /// Index in `DecodeTables::parts`.
    pub parts: u8,
}

/// A rule that ties several fields: if the fields in `looks` have these values, `field` must satisfy `kind`.
pub(crate) struct Rule {
    pub kind: RuleKind,
    /// The field that the error names.
    pub field: Bits,
    pub n: u8,
    /// The fields that decide whether the rule applies, and the value of each. An unused entry has no bits and the
    /// value zero. For `RuleKind::Image`: the fields `dmask`, `tfe` and `d16`, which may have any value.
    pub looks: [(Bits, u8); 3],
}

/// A run of bits in one dword: its lowest bit, counted from the first dword, and its width, at most 15.
#[derive(Clone, Copy)]
pub(crate) struct Bits(pub u8, pub u8);

/// The tables that `length` reads.
pub(crate) struct LengthTables {
    /// For each value of the top nine bits of the first dword: the length, as far as these bits determine it, as
    /// `length::*`.
    pub entries: [u8; 512],
    /// Operations that take fewer trailing dwords than others with the same top nine bits.
    pub others: &'static [Other],
    /// Opcode spaces in which codes in any of several fields announce more dwords.
    pub lists: &'static [LengthList],
    /// Operations in four dwords, with a bit for each valid opcode.
    pub joined: &'static [(Joined, &'static [u8])],
}

pub(crate) struct LengthList {
    /// Number of dwords of the base words.
    pub dwords: u8,
    /// Whether the two dwords after the base words can make them another operation: one of `LengthTables::joined`.
    pub joined: bool,
    /// Lowest bit of the opcode.
    pub op_shift: u8,
    pub op_width: u8,
    /// The codes that announce more dwords. The first entry that the words match determines how many dwords follow.
    pub announcers: &'static [Announcer],
    /// Runs of opcodes: the first opcode, and a bit for each announcer that applies; an operation ignores the fields of
    /// the other announcers. Without runs, all announcers apply to all operations.
    pub runs: &'static [(u16, u8)],
}

/// A field and a run of codes in it that announce more dwords.
pub(crate) struct Announcer {
    pub first: u16,
    /// Number of codes after the first.
    pub more: u8,
    pub lsb: u8,
    pub width: u8,
    pub dwords: u8,
}

impl Announcer {
    /// Whether the lowest bits of a value are one of the codes of this announcer.
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
    /// Mask of this set's bit in each byte of `DecodeTables::allowed`; `first` is the index of the byte for value 0.
    pub bit: u8,
    pub mask: u16,
    pub first: u16,
}
