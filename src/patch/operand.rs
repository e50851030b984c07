//! Changes an operand. Refuses an operand that would read back differently or would change another operand.

use super::PatchError;
use crate::code::VGPR;
use crate::codec::{EncodedOperand, Refused, Words, encode};
use crate::compare::same_operands;
use crate::error::FieldError;
use crate::inst::Inst;
use crate::kind::{OperandKind, RegisterKind};
use crate::opcode::Field;
use crate::value::{Operand, Value};

impl Inst {
    /// The instruction with another operand in a field: a register, a constant, a branch distance.
    ///
    /// The operand is given in the form in which [`Inst::operands`] yields it, and the result yields the same operand.
    /// Flags that belong to the operand are set too (AGPR or VGPR, scalar or vector in SDWA). The length does not
    /// change: a literal can only replace a literal. [`Value::Literal64`] stands for the instruction's literal.
    ///
    /// # Errors
    /// The field cannot hold the operand, another operand would change with it, or a tuple would be misaligned.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "text"))] {
    /// use amdgpu_isa::operands::InlineFloat;
    /// use amdgpu_isa::patch::PatchError;
    /// use amdgpu_isa::{Field, Reg, Target, Value, decode_words};
    /// let add = decode_words(Target::Gfx942, &[0x0204_0501]).unwrap(); // v_add_f32 v2, v1, v2
    /// let other = add.with_operand(Field::Src0, Value::Reg(Reg::Vgpr(9))).unwrap();
    /// assert_eq!(other.to_string(), "v_add_f32_e32 v2, v9, v2");
    /// let one = add.with_operand(Field::Src0, Value::Float(InlineFloat::One)).unwrap();
    /// assert_eq!(one.to_string(), "v_add_f32_e32 v2, 1.0, v2");
    ///
    /// let scalar = Value::Reg(Reg::Sgpr(3));
    /// let refused = PatchError::Operand { field: Field::Vsrc1, value: scalar };
    /// assert_eq!(add.with_operand(Field::Vsrc1, scalar), Err(refused));
    /// # }
    /// ```
    pub fn with_operand(&self, field: Field, value: Value) -> Result<Inst, PatchError> {
        let now = self.operands().find(|operand| operand.role == Some(field)).ok_or(PatchError::NoField(field))?;
        if now.value == value {
            return Ok(*self);
        }
        let place = self.locate(field).ok_or(PatchError::NoField(field))?;
        let refused = PatchError::Operand { field, value };
        let coded = match value {
            Value::Literal64 => self.literal64().map(EncodedOperand::Literal64),
            value => EncodedOperand::of(self.target(), value),
        };
        let coded = coded.ok_or(refused)?;
        let mut words = Words::of(self).ok_or(refused)?;
        match (self.descs().find(|desc| desc.field == field && desc.access.is_some()), coded) {
            // In an operand that a field names, vcc is encoded like any other register.
            (Some(desc), EncodedOperand::Vcc) if !desc.kind.is_named_or_vcc() => return Err(refused),
            (Some(desc), _) => {
                // The bit that selected a half has another meaning if the operand is a constant.
                if let OperandKind::Register(RegisterKind::HalfSelected { half, .. }) = desc.kind {
                    words.set(half, false);
                }
                encode(desc, coded.completed(desc, self), &mut words).map_err(|error| match (error, value) {
                    (Refused::Range { .. }, Value::Imm(n)) => {
                        FieldError { field, value: n.into(), width: desc.width }.into()
                    }
                    _ => refused,
                })?
            }
            // The second field of an offset, or a later field of an image address, holds a register.
            (None, EncodedOperand::Code(code)) => place.put(&mut words.dwords, (code % VGPR).into())?,
            _ => return Err(refused),
        }
        match (words.literal, value, self.locate(Field::Literal)) {
            // Only a literal could hold this constant.
            (Some(_), Value::Imm(n), _) => {
                return Err(FieldError { field, value: n.into(), width: place.width() }.into());
            }
            // The source's code only announces the literal; the dword after the base words holds it.
            (Some(literal), _, Some(trailing)) => trailing.put(&mut words.dwords, literal)?,
            _ => {}
        }
        let changed = self.of_words(&words.dwords)?;
        if changed.opcode() != self.opcode() {
            return Err(refused);
        }
        let same = |old: &Operand, new: &Operand| {
            let asked = old.role == Some(field);
            let (bits, expected) = if asked { (new.bits, value) } else { (old.bits, old.value) };
            (old.role, old.access, bits, expected) == (new.role, new.access, new.bits, new.value)
        };
        same_operands(self.operands(), changed.operands(), same).map_err(|difference| match difference {
            (Some(old), Some(new)) if (old.role, old.access) == (new.role, new.access) && old.role != Some(field) => {
                PatchError::Shared { field, other: old.role }
            }
            _ => refused,
        })?;
        match (self.check_alignment(), changed.check_alignment()) {
            (Ok(()), Err(rule)) => Err(PatchError::Rule(rule)),
            _ => Ok(changed),
        }
    }
}
