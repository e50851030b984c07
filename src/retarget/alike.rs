//! Conversion of an instruction whose form has the same operands and modifiers, in the same bits, on both targets.
//!
//! The bits of the format and of the opcode are those of the target. All other bits are copied if they have the same
//! meaning on the target.

use super::{RetargetError, follows, names, translate};
use crate::check::{RuleError, excluded};
use crate::codec::code::{neither, off};
use crate::codec::{SCALAR, access, bits, code_in, descs, flag, modifier, modifier_bits, read};
use crate::decode::canonical::{filled, unused};
use crate::decode::decode_words;
use crate::form::start_of;
use crate::inst::Inst;
use crate::kind::{AddressKind, NONE, NumberKind, OffsetKind, OperandKind, RegisterKind};
use crate::operation::{OpcodeEntry, scalar_limit};
use crate::table::OperandDesc;
use crate::target::Target;
use crate::value::Operand;

/// The instruction as the target's operation `entry`, if the descriptors are equal and all operands and modifiers have
/// the same codes on the target. `None` otherwise: the caller then looks for the partner of each operand, and converts
/// the instruction or finds the error.
pub(super) fn retarget(from: &Inst, target: Target, entry: &OpcodeEntry) -> Option<Result<Inst, RetargetError>> {
    let (here, signature) = (from.target(), from.signature());
    if from.form() != 0 || signature.alike != entry.signature.alike {
        return None;
    }
    let both = Both::new(from, target);
    if !descs(here, signature).all(|desc| both.is_same(desc)) {
        return None;
    }
    let start = start_of(target, signature.format);
    let others = from.bits() & !(start.own | unused(here, signature));
    let bits = start.with_op(start.number(target, entry)) | others | filled(target, entry.signature);
    let mut words = from.padded_words();
    [words[0], words[1]] = [bits as u32, (bits >> 32) as u32];
    let made = decode_words(target, words.get(..from.words().len())?).ok()?;
    let is_it = made.op_index() == usize::from(entry.op_index) && made.form() == 0 && made.len() == from.len();
    if !is_it || !made.is_canonical() || !keep_the_same(from, &made) {
        return None;
    }
    let made = made.filled_as(from);
    debug_assert!(have_same_operands(from, &made), "{from:?} and {made:?}");
    Some(if can_break_others(from, &made) { follows(from, made) } else { is_allowed(from, made) })
}

/// Whether both instructions keep the same parts of their destinations, which are the first operands. The descriptors
/// do not state these parts.
fn keep_the_same(from: &Inst, made: &Inst) -> bool {
    let is_written = |operand: &Operand| operand.access.writes();
    from.operands().take_while(is_written).eq(made.operands().take_while(is_written))
}

/// Whether both instructions have the same operands, except those that no field names.
fn have_same_operands(from: &Inst, made: &Inst) -> bool {
    let named = |operand: &Operand| operand.role.is_some();
    from.operands().filter(named).eq(made.operands().filter(named))
}

/// Whether an instruction with the same operands as `from` can break rules that `from` follows. The rule about the
/// values of a field does not count.
fn can_break_others(from: &Inst, made: &Inst) -> bool {
    let (here, there) = (from.target(), made.target());
    let (flags, flags_there) = (from.info().flags, made.info().flags);
    flags != flags_there
        || there.aligned_vgprs() && !here.aligned_vgprs()
        || there.low_scalars() && !here.low_scalars()
        || scalar_limit(there, flags_there) < scalar_limit(here, flags)
}

/// Fails if a field of the new instruction has a value that its operation cannot have, and the old one follows all
/// rules.
fn is_allowed(from: &Inst, made: Inst) -> Result<Inst, RetargetError> {
    match excluded(&made) {
        Some((field, value, allowed)) if from.check().is_ok() => {
            Err(RetargetError::Rule(RuleError::Value { field, value, allowed }))
        }
        _ => Ok(made),
    }
}

/// An instruction, and the target for which it is converted.
struct Both<'a> {
    from: &'a Inst,
    here: Target,
    there: Target,
    /// The last code of the scalar registers that both targets have.
    scalars: u16,
    /// Whether the same codes mean an absent address on both targets.
    is_off: bool,
}

impl Both<'_> {
    fn new(from: &Inst, there: Target) -> Both<'_> {
        let here = from.target();
        let scalars = names::last_scalar(here).min(names::last_scalar(there));
        let is_off = off(here) == off(there) && neither(here) == neither(there);
        Both { from, here, there, scalars, is_off }
    }

    /// Whether the bits of an operand or of a modifier mean the same on the target, if they are allowed there.
    #[inline]
    fn is_same(&self, desc: &OperandDesc) -> bool {
        use RegisterKind::{Agpr, AgprOrConstant, Code, Data, Half, HalfSelected, Matrix, Vector};
        match desc.kind {
            _ if desc.access.is_none() => self.is_same_modifier(desc),
            OperandKind::Register(
                Code { .. }
                | Half { .. }
                | HalfSelected { .. }
                | Agpr
                | AgprOrConstant
                | Vector { .. }
                | Matrix { .. }
                | Data { .. },
            ) => self.is_same_code(desc),
            // The other registers of a compressed export, and of an offset that is a constant alone, mean nothing.
            OperandKind::Address(AddressKind::ExportSource { compr, .. }) if flag(self.from, compr) => false,
            OperandKind::Offset(OffsetKind::Bytes { imm, soffset_en, soffset }) => {
                flag(self.from, imm)
                    && !flag(self.from, soffset_en)
                    && (soffset == NONE || bits(self.from, soffset, SCALAR) == 0)
            }
            // A scalar address can be absent with two codes.
            OperandKind::Address(AddressKind::Scalar { .. }) if code_in(desc, self.from) == neither(self.here) => false,
            OperandKind::Address(_) => self.is_off && self.is_same_code(desc),
            OperandKind::Number(NumberKind::Literal { .. } | NumberKind::Label | NumberKind::Plain(_)) => true,
            _ => self.is_same_operand(desc),
        }
    }

    fn is_same_modifier(&self, desc: &OperandDesc) -> bool {
        if !names::can_differ(desc) {
            return true;
        }
        let bits = modifier_bits(desc, self.from);
        modifier(desc, self.from) < 0 || names::value(self.here, self.there, Some(desc), desc.field, bits) == Some(bits)
    }

    /// Whether the code in the field means the same register or constant on both targets.
    #[inline]
    fn is_same_code(&self, desc: &OperandDesc) -> bool {
        let code = code_in(desc, self.from);
        code <= self.scalars || names::is_everywhere(code) || names::code(self.here, self.there, code) == Some(code)
    }

    #[inline(never)]
    fn is_same_operand(&self, desc: &OperandDesc) -> bool {
        if let OperandKind::Image(_) | OperandKind::Second = desc.kind {
            return false;
        }
        let coded = access(desc, self.from).and_then(|_| Some(read(desc, self.from)?.0));
        // The bits of an operand that the instruction lacks mean nothing.
        let Some(coded) = coded else { return true };
        self.is_off && translate((self.from, desc), (self.there, desc), coded) == Ok(coded)
    }
}
