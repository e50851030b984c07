//! Another operand in a field. Each kind of field is written as src/operand.rs reads it; what then reads back as
//! something else, or changes another operand, is refused.

use super::PatchError;
use crate::table::{Item, Kind, NONE};
use crate::target::OPERANDS;
use crate::{Field, FieldError, Inst, Operand, Reg, Value};

/// How a field and the flag beside it are to be set.
struct Bits {
    value: u32,
    /// A bit counted from the start of the instruction, and what it shall be.
    flag: Option<(u8, bool)>,
}

impl From<u32> for Bits {
    fn from(value: u32) -> Bits {
        Bits { value, flag: None }
    }
}

impl Inst {
    /// The instruction with another operand in the place that a field names: a register, a constant, a branch distance.
    ///
    /// The operand is given as [`Inst::operands`] gives it, and reads back so. Flags that belong to it are set with it
    /// (AGPR or VGPR, scalar or vector in SDWA), but the length stays: a literal can only come where one is.
    ///
    /// # Errors
    /// The field cannot hold it, another operand would change with it, or a tuple would be misaligned.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "text"))] {
    /// use amdgpu_isa::{Field, InlineFloat, PatchError, Reg, Target, Value, decode_words};
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
        let bits = self.bits_for(field, value)?.ok_or(refused)?;
        let mut words = self.padded_words();
        place.put(&mut words, bits.value)?;
        if let Some((bit, on)) = bits.flag {
            let Some(word) = words.get_mut(usize::from(bit / 32)) else { return Err(refused) };
            let mask = 1 << (bit % 32);
            *word = if on { *word | mask } else { *word & !mask };
        }
        // A source only says that there is a literal; the dword behind the base words holds it.
        if let (Value::Literal(literal), Some(behind)) = (value, self.locate(Field::Literal)) {
            behind.put(&mut words, literal)?;
        }
        let changed = self.of_words(&words)?;
        if changed.opcode() != self.opcode() {
            return Err(refused);
        }
        self.compare(&changed, field, value)?;
        match (self.check_alignment(), changed.check_alignment()) {
            (Ok(()), Err(rule)) => Err(PatchError::Rule(rule)),
            _ => Ok(changed),
        }
    }

    /// That the operand is what was asked, and the others are what they were.
    fn compare(&self, changed: &Inst, field: Field, value: Value) -> Result<(), PatchError> {
        let refused = PatchError::Operand { field, value };
        let (mut before, mut after) = (self.operands(), changed.operands());
        loop {
            let (old, new): (Operand, Operand) = match (before.next(), after.next()) {
                (Some(old), Some(new)) => (old, new),
                (None, None) => return Ok(()),
                _ => return Err(refused),
            };
            if old.role != new.role || old.access != new.access {
                return Err(refused);
            }
            if old.role == Some(field) {
                if new.value != value {
                    return Err(refused);
                }
            } else if old.bits != new.bits || old.value != new.value {
                return Err(PatchError::Shared { field, other: old.role });
            }
        }
    }

    /// What a field must hold to be read as an operand; `None` if there is nothing like that.
    fn bits_for(&self, field: Field, value: Value) -> Result<Option<Bits>, PatchError> {
        let Some(item) = self.items().find(|item| item.field == field && item.access.is_some()) else {
            // The second field of an offset, or a further one of an image address, holds a register.
            let code = code(self, value).map(|code| Bits::from(u32::from(code & 255)));
            return Ok(code);
        };
        let number = |n: i32| match u32::try_from(n) {
            Ok(n) => Ok(Some(n.into())),
            Err(_) => Err(FieldError { field, value: n.into(), width: item.width }),
        };
        Ok(match (item.kind, value) {
            (Kind::Label, Value::Label(distance)) => Some(u32::from(distance as u16).into()),
            (Kind::Literal, Value::Literal(literal)) => Some(literal.into()),
            (Kind::SmemOffset, Value::Imm(n)) if item.aux[1] != NONE => {
                let unused = 32 - u32::from(item.width.clamp(1, 32));
                if n << unused >> unused != n {
                    return Err(FieldError { field, value: n.into(), width: item.width }.into());
                }
                Some(((n as u32) << unused >> unused).into())
            }
            (kind, Value::Imm(n)) if kind.is_number() || matches!(kind, Kind::SmemOffset | Kind::SmrdOffset) => {
                number(n)?
            }
            // What says "none" among the codes.
            (Kind::Saddr, Value::Off) => Some(127.into()),
            (Kind::SdstOrVcc, Value::Reg(Reg::Vcc)) => {
                let bits = self.get(field).unwrap_or(0);
                Some(Bits { value: bits, flag: Some((item.aux[0], false)) })
            }
            _ => code(self, value).and_then(|code| of_code(item, value, code)),
        })
    }
}

/// The operand code of a value.
fn code(inst: &Inst, value: Value) -> Option<u16> {
    let tables = OPERANDS[inst.target() as usize];
    Some(match value {
        Value::Reg(Reg::Sgpr(n)) if u16::from(n) <= tables.sgpr_last => n.into(),
        Value::Reg(Reg::Ttmp(n)) => tables.ttmp_first + u16::from(n),
        Value::Reg(Reg::Special(special)) => special.code(inst.target())?.into(),
        Value::Reg(Reg::Vgpr(n) | Reg::VgprHigh(n) | Reg::Agpr(n)) => 256 + u16::from(n),
        Value::Int(n @ 0..=64) => 128 + n as u16,
        Value::Int(n @ -16..=-1) => 192 + u16::from(n.unsigned_abs()),
        Value::Float(float) => float.code(),
        Value::Literal(_) => 255,
        _ => return None,
    })
}

/// How a kind of field holds an operand code.
fn of_code(item: &Item, value: Value, code: u16) -> Option<Bits> {
    let above = |code: u16| code.checked_sub(item.add).map(|n| u32::from(n >> item.shift));
    let high = matches!(value, Value::Reg(Reg::VgprHigh(_)));
    let with = |bit: u8, on: bool, value: Option<u32>| {
        let flag = (bit != NONE).then_some((bit, on));
        value.map(|value| Bits { value, flag })
    };
    match item.kind {
        Kind::SdwaSrc => with(item.cond, code < 256, Some((code & 255).into())),
        // A constant says nothing of the flag, which another operand may have too.
        Kind::Acc | Kind::AccSized if code < 256 => above(code).map(Bits::from),
        Kind::Acc | Kind::AccSized | Kind::BufData => {
            with(item.aux[0], matches!(value, Value::Reg(Reg::Agpr(_))), above(code))
        }
        Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap => {
            with(item.aux[3], matches!(value, Value::Reg(Reg::Agpr(_))), above(code))
        }
        Kind::SdstOrVcc => with(item.aux[0], true, above(code)),
        Kind::Half => above(code | u16::from(high) << 7).map(Bits::from),
        Kind::HalfSel => with(item.aux[3], high, above(code)),
        Kind::Vdsty => code.checked_sub(item.add).map(|n| u32::from(n >> 1).into()),
        _ => above(code).map(Bits::from),
    }
}
