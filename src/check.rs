//! Rules beyond decoding: instructions that an assembler refuses although every field holds a valid value.

mod banks;
mod bus;
mod only;
mod overlap;
mod packed;

use core::fmt;

use crate::code::aligned;
use crate::codec::code::meaning;
use crate::inst::Inst;
use crate::opcode::Field;
use crate::operand::code_of;
use crate::shared::flag;
use crate::value::{Operand, Reg, Value};

pub use banks::DualBanks;
pub(crate) use banks::banks;
#[cfg(feature = "make")]
pub(crate) use banks::{Freedom, Port, Ports, conflict};
#[cfg(feature = "text")]
pub(crate) use bus::limit as bus_limit;
pub(crate) use bus::reads as bus_reads;
#[cfg(all(feature = "text", feature = "fast"))]
pub(crate) use bus::scalars as bus_scalars;
#[cfg(feature = "make")]
pub(crate) use bus::{has_bus, is_implied as bus_is_implied};
pub use only::Allowed;
pub(crate) use only::excluded;
#[cfg(feature = "make")]
pub(crate) use only::has_only;
#[cfg(feature = "text")]
pub(crate) use only::limits;
#[cfg(feature = "arbitrary")]
pub(crate) use only::smallest;
#[cfg(feature = "make")]
pub(crate) use overlap::can_overlap;
pub(crate) use overlap::overlap;
#[cfg(feature = "text")]
pub(crate) use packed::is_packed;
use packed::upper_half;

/// The rule that an instruction breaks; see [`Inst::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleError {
    /// A tuple of scalar registers does not begin at a multiple of 2 (64 bits) or 4 (wider). The hardware reads, and
    /// the text shows, the tuple that begins at the next lower multiple.
    MisalignedScalar {
        /// The field that names the tuple.
        field: Field,
        /// The first register of the tuple.
        register: Reg,
    },
    /// A tuple of vector registers does not begin at an even register, or the single register of some GWS operations is
    /// odd. Only some targets have this rule.
    MisalignedVector {
        /// The field that names the tuple.
        field: Field,
        /// The first register of the tuple.
        register: Reg,
    },
    /// The third source of a matrix operation of CDNA (MFMA) shares some but not all of the destination's registers. It
    /// may share all or none of them; if the operation writes at most four registers, it may also share some. The
    /// matrix operations of RDNA and CDNA5 (WMMA, SWMMAC) accept any registers.
    Overlap {
        /// The field of the source.
        field: Field,
    },
    /// `op_sel` or `op_sel_hi` selects the upper register of a scalar source in a packed operation on floats of 32
    /// bits, on CDNA5: the hardware reads the lower one for both floats.
    UpperHalf {
        /// The field of the source.
        field: Field,
    },
    /// A vector operation reads more scalar registers and literals than the constant bus carries.
    ConstantBus {
        /// Number of different scalars that the operation reads.
        reads: u8,
        /// Number of different scalars that the operation can read on the target.
        limit: u8,
    },
    /// A field has a value that decodes, but with which the operation is of no use: a `dmask` with two bits for an
    /// image gather, which returns one component, or `tfe` for a store, which returns nothing. Assemblers refuse such
    /// values.
    Value {
        /// The field.
        field: Field,
        /// The value of the field.
        value: u32,
        /// The values that the field can have in the operation.
        allowed: Allowed,
    },
    /// The two operations of a dual instruction (VOPD) use vector registers of the same bank. The numbers of their
    /// destinations must differ in bit 0, or in VOPD3 the destinations must not overlap. The numbers of their first
    /// sources must differ in bits 1:0, and so must those of their second sources. The numbers of the registers that
    /// products are added to (a destination, or the second source of `v_dual_fmamk_f32`) must differ in bit 0, or in
    /// VOPD3 in bits 1:0. [`DualBanks`] has the exceptions of some targets.
    Banks {
        /// The operand of the first operation.
        x: Field,
        /// The operand of the second operation.
        y: Field,
    },
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RuleError::MisalignedScalar { field, register } | RuleError::MisalignedVector { field, register } => {
                write!(f, "{field}: {register} is misaligned")
            }
            RuleError::Overlap { field } => write!(f, "{field} overlaps a part of the destination"),
            RuleError::UpperHalf { field } => {
                write!(f, "{field} is a scalar, of which only the lower register is read")
            }
            RuleError::ConstantBus { reads, limit } => {
                write!(f, "{reads} different scalars are read, and the constant bus carries {limit}")
            }
            RuleError::Value { field, value, allowed } => {
                write!(f, "{field} of the operation cannot be {value:#x}, only {allowed}")
            }
            RuleError::Banks { x, y } => write!(f, "{x} and {y} are in one bank"),
        }
    }
}

impl core::error::Error for RuleError {}

impl Inst {
    /// Checks the rules beyond decoding: alignment of registers, the constant bus, the third source of a matrix
    /// operation, scalar sources of packed operations, the banks of the registers that two operations in one
    /// instruction use, and values of fields that are of no use to the operation.
    ///
    /// # Errors
    /// The first rule that is broken.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::check::RuleError;
    /// use amdgpu_isa::{Field, Reg, Target, decode};
    /// // v_mov_b64_e32 v[254:255], v[5:6]
    /// let inst = decode(Target::Gfx942, &[0x05, 0x71, 0xfc, 0x7f]).unwrap();
    /// assert_eq!(inst.check(), Err(RuleError::MisalignedVector { field: Field::Src0, register: Reg::Vgpr(5) }));
    /// # }
    /// ```
    pub fn check(&self) -> Result<(), RuleError> {
        self.check_alignment()?;
        if let Some(field) = overlap(self) {
            return Err(RuleError::Overlap { field });
        }
        if let Some((x, y)) = banks(self) {
            return Err(RuleError::Banks { x, y });
        }
        if let Some(field) = upper_half(self) {
            return Err(RuleError::UpperHalf { field });
        }
        if let Some((field, value, allowed)) = excluded(self) {
            return Err(RuleError::Value { field, value, allowed });
        }
        let bus = bus_reads(self);
        match bus.count > bus.limit {
            true => Err(RuleError::ConstantBus { reads: bus.count, limit: bus.limit }),
            false => Ok(()),
        }
    }

    pub(crate) fn check_alignment(&self) -> Result<(), RuleError> {
        let facts = self.info().flags;
        let (even, odd) = (facts & const { flag("even") } != 0, facts & const { flag("odd") } != 0);
        let aligned_vgprs = self.target().aligned_vgprs();
        let broken = |operand: Operand| {
            let (field, Value::Reg(reg), dwords) = (operand.role?, operand.value, operand.bits / 32) else {
                return None;
            };
            // With the flag `odd`, the data that the operation writes may begin at an odd register, but the address
            // may not.
            let even_tuples = aligned_vgprs && !(odd && operand.access.writes());
            match reg {
                Reg::Vgpr(n) if even_tuples && n % 2 == 1 => Some(RuleError::MisalignedVector { field, register: reg }),
                Reg::Agpr(n) if even_tuples && n % 2 == 1 => Some(RuleError::MisalignedVector { field, register: reg }),
                Reg::Sgpr(_) | Reg::Ttmp(_) => {
                    // The operand holds the aligned register, so the code in the field is compared. A code is aligned
                    // if its register is, because register files begin at aligned codes.
                    let code = code_of(self, field).filter(|code| aligned(*code, dwords) != *code)?;
                    let Value::Reg(register) = meaning(self.target(), code, 1) else { return None };
                    Some(RuleError::MisalignedScalar { field, register })
                }
                _ => None,
            }
        };
        let mut first = None;
        // `for_each` is faster than `for`.
        self.operands().for_each(|operand| {
            if (operand.bits >= 64 || even) && first.is_none() {
                first = broken(operand);
            }
        });
        first.map_or(Ok(()), Err)
    }
}
