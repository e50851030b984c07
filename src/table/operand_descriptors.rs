//! Operands and modifiers of forms: the positions of their bits, and how they are read and printed.

use core::fmt;

use super::*;
use crate::kind::{OperandKind, Position};
use crate::opcode::{Field, Format};
use crate::value::Access;

/// The signatures of forms, and the descriptors of their operands and modifiers.
pub(crate) struct DescTables {
    /// Pages of `signature_of`, each with the base that its entries are relative to.
    pub pages: &'static [(u8, u16)],
    /// Signature of each opcode index's base form.
    pub signature_of: &'static [u8],
    pub signatures: &'static [FormSignature],
    /// Signatures of the SDWA form and the DPP form, counted from one; 0 if there is no such form.
    pub forms: &'static [[u16; 2]],
    /// Other forms, sorted: the signature of the base form, the number of the form, and its own signature.
    pub others: &'static [(u16, u8, u16)],
    pub ignored: &'static [Ignored],
    pub lists: &'static [u16],
    pub descs: &'static [OperandDesc],
}

impl DescTables {
    #[inline]
    pub(crate) fn signature(&self, op_index: usize, form: u8) -> &FormSignature {
        // The numbers come from the tables of the same target, so the signature is always found.
        self.find(op_index, form).unwrap_or(&NO_SIGNATURE)
    }

    /// Index of the signature of an opcode index's base form.
    pub(crate) fn number(&self, op_index: usize) -> u16 {
        paged_from(self.pages, self.signature_of, op_index).unwrap_or(0)
    }

    #[inline]
    fn find(&self, op_index: usize, form: u8) -> Option<&FormSignature> {
        let number = paged_from(self.pages, self.signature_of, op_index)?;
        let signature = self.signatures.get(usize::from(number))?;
        match form {
            0 => Some(signature),
            1 | 2 => {
                let forms = self.forms.get(usize::from(signature.forms))?;
                let form = forms.get(usize::from(form) - 1)?;
                self.signatures.get(usize::from(form.checked_sub(1)?))
            }
            _ => {
                let found = self.others.binary_search_by_key(&(number, form), |o| (o.0, o.1)).ok()?;
                self.signatures.get(usize::from(self.others.get(found)?.2))
            }
        }
    }

    /// The signatures of an operation's forms with a trailing dword: SDWA and DPP first, then the others.
    pub(crate) fn forms(&self, op_index: usize) -> impl Iterator<Item = &FormSignature> {
        let number = paged_from(self.pages, self.signature_of, op_index);
        let base = number.and_then(|n| self.signatures.get(usize::from(n)));
        let pair = base.and_then(|s| self.forms.get(usize::from(s.forms))).copied().unwrap_or_default();
        let others = self.others_of(op_index).map(|(_, signature)| signature);
        let all = pair.into_iter().filter_map(|f| f.checked_sub(1)).chain(others);
        all.filter_map(|f| self.signatures.get(usize::from(f)))
    }

    /// The numbers and signatures of an operation's forms with a trailing dword other than SDWA and DPP.
    pub(crate) fn others_of(&self, op_index: usize) -> impl Iterator<Item = (u8, u16)> {
        let number = paged_from(self.pages, self.signature_of, op_index);
        self.others.iter().filter(move |o| Some(o.0) == number).map(|o| (o.1, o.2))
    }

    /// The indices of a signature's descriptors.
    #[inline]
    pub(crate) fn list_of(&self, signature: &FormSignature) -> &[u16] {
        let first = usize::from(signature.first);
        self.lists.get(first..first + usize::from(signature.descs)).unwrap_or(&[])
    }
}

#[cfg_attr(not(feature = "text"), allow(dead_code))]
pub(crate) struct FormSignature {
    pub format: Format,
    /// Suffix of the mnemonic: an index of `SUFFIXES` in text/mod.rs.
    pub suffix: u8,
    /// Format of the trailing dword, if this form has one.
    pub extension: Option<Format>,
    /// First descriptor index in `lists`.
    pub first: u16,
    pub descs: u8,
    /// The number of descriptors up to the last one that is not optional. All later descriptors are modifiers that the
    /// text may omit and that are zero if omitted.
    #[cfg(feature = "make")]
    pub needed: u8,
    /// Whether an operation with this signature reads a scalar that no field names, such as VCC.
    #[cfg(feature = "make")]
    pub implied: bool,
    /// A number that forms of all targets share if their formats and descriptors are equal.
    #[cfg(feature = "fast")]
    pub alike: u16,
    /// Index in `DescTables::forms`.
    pub forms: u8,
    /// Index in `DescTables::ignored`.
    pub ignored: u8,
}

/// The signature for an index that no table holds; never reached.
pub(crate) static NO_SIGNATURE: FormSignature = FormSignature {
    format: Format::Literal,
    suffix: 0,
    extension: None,
    first: 0,
    descs: 0,
    #[cfg(feature = "make")]
    needed: 0,
    #[cfg(feature = "make")]
    implied: false,
    #[cfg(feature = "fast")]
    alike: u16::MAX,
    forms: 0,
    ignored: 0,
};

/// An operand or a modifier: the position of its bits, and how they are read.
#[cfg_attr(not(feature = "text"), allow(dead_code))]
#[derive(PartialEq)]
pub(crate) struct OperandDesc {
    pub kind: OperandKind,
    pub field: Field,
    pub lsb: Position,
    /// Width of the value. Its low `lo_width` bits are at `lsb`, the other bits at `hi`.
    pub width: u8,
    pub hi: Position,
    pub lo_width: u8,
    /// Mask of the bits of the value that the operation uses.
    pub used_bits: u8,
    pub shift: u8,
    pub add: u16,
    pub ty: DataType,
    pub dwords: u8,
    /// The access to the operand; `None` for a modifier.
    pub access: Option<Access>,
    /// The bit that must be set for the operand to be written, or `NONE`.
    pub write_if_bit: Position,
}

/// The data type of an operand, which determines how constants are read and printed. Packed types hold two components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum DataType {
    /// Untyped bits; [`OperandSignature::bits`](crate::signature::OperandSignature::bits) gives their number.
    Bits,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    PkI16,
    PkF16,
    PkBf16,
    Bf16,
    PkI32,
    PkF32,
}

impl DataType {
    /// The name, such as `pk_f16`; `b` for bits.
    pub const fn name(self) -> &'static str {
        match self {
            DataType::Bits => "b",
            DataType::I16 => "i16",
            DataType::I32 => "i32",
            DataType::I64 => "i64",
            DataType::F16 => "f16",
            DataType::F32 => "f32",
            DataType::F64 => "f64",
            DataType::PkI16 => "pk_i16",
            DataType::PkF16 => "pk_f16",
            DataType::PkBf16 => "pk_bf16",
            DataType::Bf16 => "bf16",
            DataType::PkI32 => "pk_i32",
            DataType::PkF32 => "pk_f32",
        }
    }

    /// The width in bits of one value, including both components of a packed type; `None` for [`DataType::Bits`]. An
    /// operand, such as a matrix, can hold several values.
    pub const fn bits(self) -> Option<u16> {
        Some(match self {
            DataType::Bits => return None,
            DataType::I16 | DataType::F16 | DataType::Bf16 => 16,
            DataType::I32 | DataType::F32 | DataType::PkI16 | DataType::PkF16 | DataType::PkBf16 => 32,
            DataType::I64 | DataType::F64 | DataType::PkI32 | DataType::PkF32 => 64,
        })
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
