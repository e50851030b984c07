//! Makes instructions from an operation and its fields, whatever the target's opcode numbers and field positions are.

use crate::codec::Words;
use crate::decode::decode_words;
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::opcode::{Field, Format, Opcode};
use crate::operation::{Encoding, layout};
use crate::target::{OPERANDS, PLAIN, Target};

/// The reason why an instruction cannot be composed.
pub(crate) enum ComposeError {
    /// The target lacks the operation, or the operation cannot have these values in its fields.
    Lacks,
    /// The words do not decode.
    Decode(DecodeError),
    /// The target has no such scalar register, or no aligned pair begins there.
    Register(u8),
}

/// Makes the operation in its first format, with these values in its fields and zeros in the other fields.
pub(crate) fn compose(target: Target, opcode: Option<Opcode>, values: &[(Field, u32)]) -> Result<Inst, ComposeError> {
    let opcode = opcode.ok_or(ComposeError::Lacks)?;
    let Encoding { format, number } = opcode.encodings(target).next().ok_or(ComposeError::Lacks)?;
    let layout = layout(target, format).ok_or(ComposeError::Lacks)?;
    let mut words = Words::new(target, layout);
    for info in layout.fields.iter().filter(|info| !info.overlay) {
        let given = values.iter().find(|(field, _)| *field == info.field).map(|(_, value)| *value);
        let value = match info.fixed {
            Some(bits) => bits.into(),
            None if info.field == Field::Op => number.into(),
            None => given.unwrap_or(0),
        };
        // A value that does not fit loses its high bits here. The comparison below finds the difference.
        words.put_field(0, info, value);
    }
    if let Some((_, literal)) = values.iter().find(|(field, _)| *field == Field::Literal) {
        if let Some(word) = words.dwords.get_mut(usize::from(layout.bits / 32)) {
            *word = *literal;
        }
    }
    let inst = decode_words(target, &words.dwords).map_err(ComposeError::Decode)?;
    let has = |&(field, value): &(Field, u32)| inst.get(field) == Some(value);
    match inst.opcode() == opcode && values.iter().all(has) {
        true => Ok(inst),
        false => Err(ComposeError::Lacks),
    }
}

/// An operation with at most one operand, a number or a distance. Its word is in a table, so that a program which makes
/// no other instruction links none of the tables that [`compose`] reads.
#[derive(Clone, Copy)]
pub(crate) enum Plain {
    Branch,
    Nop,
    CodeEnd,
}

/// Makes the operation with a zero in its operand.
pub(crate) fn plain(target: Target, operation: Plain) -> Result<Inst, ComposeError> {
    decode_words(target, &[plain_word(target, operation)?]).map_err(ComposeError::Decode)
}

/// The word of the operation with a zero in its operand, the lower half of the word.
pub(crate) fn plain_word(target: Target, operation: Plain) -> Result<u32, ComposeError> {
    let word = PLAIN[target as usize].get(operation as usize).copied().unwrap_or(0);
    if word == 0 { Err(ComposeError::Lacks) } else { Ok(word) }
}

impl Inst {
    /// The instruction `s_nop 0`, one wait state in which nothing happens: it fills space between instructions on every
    /// target. The field `simm16` holds one less than the number of states.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Inst, Target};
    /// assert_eq!(Inst::nop(Target::Gfx942).unwrap().words(), [0xbf80_0000]);
    /// # }
    /// ```
    pub fn nop(target: Target) -> Option<Inst> {
        plain(target, Plain::Nop).ok()
    }
}

/// The operand code in `field` that announces a literal.
pub(crate) fn literal_code(target: Target, opcode: Option<Opcode>, field: Field) -> Result<u32, ComposeError> {
    let format = opcode.and_then(|opcode| opcode.encodings(target).next()).ok_or(ComposeError::Lacks)?.format;
    let extends = layout(target, format).map_or(&[][..], |layout| layout.extends);
    let code = extends.iter().find(|e| (e.field, e.format) == (field, Format::Literal));
    code.map(|e| u32::from(e.code)).ok_or(ComposeError::Lacks)
}

/// Refuses a number that is not a scalar register, or, with `pair`, that cannot begin an aligned pair.
pub(crate) fn check_scalar(target: Target, register: u8, pair: bool) -> Result<(), ComposeError> {
    let last = OPERANDS[target as usize].sgpr_last;
    let good = u16::from(register) + u16::from(pair) <= last && !(pair && register % 2 == 1);
    if good { Ok(()) } else { Err(ComposeError::Register(register)) }
}
