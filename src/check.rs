//! Rules beyond decoding: what an assembler refuses although every field holds something that exists.

use core::fmt;

use crate::operand::code_of;
use crate::{Field, Inst, Reg, Special, Value};

/// A rule that an instruction breaks; see [`Inst::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleError {
    /// A tuple of scalar registers does not begin at a multiple of 2 (64 bits) or 4 (wider). Hardware reads the
    /// aligned tuple, and text shows that one.
    MisalignedScalar {
        /// The field that names the tuple.
        field: Field,
        /// The code of its first register.
        code: u16,
    },
    /// A tuple of vector registers does not begin at an even register, on a target that asks for it.
    MisalignedVector {
        /// The field that names the tuple.
        field: Field,
        /// The number of its first register.
        register: u8,
    },
    /// A vector operation reads more scalar registers and literals than the constant bus carries.
    ConstantBus {
        /// How many different ones it reads.
        reads: u8,
        /// How many the target can.
        limit: u8,
    },
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RuleError::MisalignedScalar { field, code } => write!(f, "{field}: scalar code {code} is misaligned"),
            RuleError::MisalignedVector { field, register } => write!(f, "{field}: register {register} is misaligned"),
            RuleError::ConstantBus { reads, limit } => {
                write!(f, "{reads} different scalars are read, and the constant bus carries {limit}")
            }
        }
    }
}

impl core::error::Error for RuleError {}

/// Up to gfx9 one scalar goes over the bus.
const BUS_LIMIT: u8 = 1;

impl Inst {
    /// Checks the rules beyond decoding: alignment of register tuples, and the constant bus.
    ///
    /// # Errors
    /// The first rule that is broken.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Field, RuleError, Target, decode};
    /// // v_mov_b64_e32 v[254:255], v[5:6]
    /// let inst = decode(Target::Gfx942, &[0x05, 0x71, 0xfc, 0x7f]).unwrap();
    /// assert_eq!(inst.check(), Err(RuleError::MisalignedVector { field: Field::Src0, register: 5 }));
    /// # }
    /// ```
    pub fn check(&self) -> Result<(), RuleError> {
        self.check_alignment()?;
        if self.format().name().starts_with("VOP") {
            self.check_bus()?;
        }
        Ok(())
    }

    pub(crate) fn check_alignment(&self) -> Result<(), RuleError> {
        for operand in self.operands() {
            let (Some(field), Value::Reg(reg), dwords) = (operand.role, operand.value, operand.bits / 32) else {
                continue;
            };
            if dwords < 2 {
                continue;
            }
            match reg {
                Reg::Vgpr(register) | Reg::Agpr(register) if self.target().aligned_vgprs() && register % 2 == 1 => {
                    return Err(RuleError::MisalignedVector { field, register });
                }
                Reg::Sgpr(_) | Reg::Ttmp(_) => {
                    // Register files begin at multiples of four.
                    let align = dwords.next_power_of_two().min(4);
                    match code_of(self, field) {
                        Some(code) if code & align.wrapping_sub(1) != 0 => {
                            return Err(RuleError::MisalignedScalar { field, code });
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_bus(&self) -> Result<(), RuleError> {
        let scalar = |value: &Value| {
            let bus = matches!(
                value,
                Value::Literal(_) | Value::Reg(Reg::Sgpr(_) | Reg::Ttmp(_) | Reg::Special(_) | Reg::Vcc | Reg::M0)
            );
            bus
        };
        let mut reads = 0u8;
        for (i, operand) in self.operands().enumerate() {
            if !operand.access.reads() || !scalar(&operand.value) {
                continue;
            }
            // The same scalar twice is read once; vcc and its halves share a code.
            let same = |other: &Value| bus_key(other) == bus_key(&operand.value);
            let before = self.operands().take(i).any(|o| o.access.reads() && scalar(&o.value) && same(&o.value));
            reads += u8::from(!before);
        }
        match reads > BUS_LIMIT {
            true => Err(RuleError::ConstantBus { reads, limit: BUS_LIMIT }),
            false => Ok(()),
        }
    }
}

/// What makes two reads over the bus the same read.
fn bus_key(value: &Value) -> (u8, u32) {
    match *value {
        Value::Reg(Reg::Sgpr(n)) => (0, n.into()),
        Value::Reg(Reg::Ttmp(n)) => (1, n.into()),
        Value::Reg(Reg::Vcc) => (2, Special::VccLo as u32),
        Value::Reg(Reg::M0) => (2, Special::M0 as u32),
        Value::Reg(Reg::Special(special)) => (2, special as u32),
        Value::Literal(v) => (3, v),
        _ => (4, 0),
    }
}
