//! Resolves an operand to its code: its class, whether its registers exist, and which constant has its value.

use super::error::{BuildError, Given};
use super::op::{self, class};
use crate::code::floats::F64_BITS;
use crate::code::*;
use crate::codec::inline_constant::{Number, constant, long_literal};
use crate::kind::NumberList;
use crate::opcode::{Field, Special};
use crate::table::DataType;
use crate::value::{Reg, find};

/// The operand codes of a target, and its rules for register tuples.
pub(crate) struct Rules {
    pub sgpr_last: u16,
    /// The last code that a run of scalar registers can have. The run may end in vcc.
    pub sgpr_run_last: u16,
    /// The number of vector registers that runs can reach.
    pub vgprs: u16,
    pub ttmp_first: u16,
    pub ttmp_last: u16,
    pub vcc: u16,
    /// The code of the null register, which stands for any number of registers and is not read over the constant bus;
    /// `u16::MAX` if the target has none.
    pub null: u16,
    /// The code that means "no scalar address".
    pub off: u16,
    /// The code of each `Special`, or 255 if the target lacks it.
    pub specials: &'static [u8],
    /// The class of each code below the vector registers, counted from 1, or 0 for a code without a class; and the bit
    /// `PAIR`.
    pub classes: [u8; VGPR as usize],
    /// Whether vector tuples must begin at even registers.
    pub aligned: bool,
    /// Export targets and interpolation parameters that exist, one bit each.
    pub exp_targets: [u64; 1],
    pub interp_params: [u64; 1],
}

/// Marks codes that can be operands of 64 bits.
const PAIR: u8 = 0x80;

impl Rules {
    /// The values of a list that exist on the target, one bit each.
    pub(super) const fn members(&self, list: NumberList) -> [u64; 1] {
        match list {
            NumberList::ExportTarget => self.exp_targets,
            NumberList::InterpParam => self.interp_params,
        }
    }

    /// The class of a code; 0 if the code is unused on this target.
    #[inline]
    const fn class(&self, code: u16) -> u16 {
        match code {
            0..VGPR => match self.classes[code as usize] & !PAIR {
                0 => 0,
                n => 1 << (n - 1),
            },
            VGPR..=VGPR_LAST => class::VGPR,
            AGPR..=AGPR_LAST => class::AGPR,
            op::OFF => class::OFF,
            _ => 0,
        }
    }

    /// The code of a special register's number, if the target has it.
    #[inline]
    pub(crate) const fn special(&self, number: u16) -> Option<u16> {
        let n = (number - op::SPECIAL) as usize;
        if n < self.specials.len() && self.specials[n] as u16 != LITERAL { Some(self.specials[n] as u16) } else { None }
    }

    /// Whether an operand that allows these classes can be a literal of 64 bits.
    const fn takes_long(&self, allowed: u16) -> bool {
        allowed & class::LITERAL64 != 0 && self.class(LITERAL64) == class::LITERAL64
    }

    /// Whether a run of `n` dwords that begins at a code exists and is aligned.
    #[inline]
    const fn is_run(&self, class: u16, code: u16, n: u16) -> bool {
        match class {
            _ if n <= 1 || code == self.null => true,
            class::VGPR | class::AGPR => is_inside(code % VGPR, n, self.vgprs) && !(self.aligned && code % 2 == 1),
            class::SGPR => code % scalar_align(n) == 0 && code + n - 1 <= self.sgpr_run_last,
            class::TTMP => (code - self.ttmp_first) % scalar_align(n) == 0 && code + n - 1 <= self.ttmp_last,
            class::LITERAL | class::LITERAL64 => n == 2,
            class::INT | class::FLOAT | class::OFF => true,
            _ => n == 2 && self.classes[(code % VGPR) as usize] & PAIR != 0,
        }
    }
}

impl Rules {
    /// The code of a run of `n` scalar or vector registers that exists and is aligned, or of a special register or an
    /// inline constant; `None` for anything else.
    #[inline]
    pub(super) const fn plain(&self, code: u16, n: u16) -> Option<u16> {
        match code {
            VGPR..=VGPR_LAST if self.is_run(class::VGPR, code, n) => Some(code),
            op::SGPR..=0x6ff if code - op::SGPR <= self.sgpr_last => {
                let code = code - op::SGPR;
                if self.is_run(class::SGPR, code, n) { Some(code) } else { None }
            }
            0..LITERAL64 if self.is_run(self.class(code), code, n) && self.class(code) != 0 => Some(code),
            _ => None,
        }
    }

    /// The code and the literal of a number, which is an integer or a float as `code` states.
    #[inline]
    pub(super) const fn constant(&self, ty: DataType, n: u16, code: u16, value: u64) -> Option<(u16, u32)> {
        let number = if code == op::FLOAT { Number::Float(value) } else { Number::Int(value as i64) };
        constant(ty, n, number, self.class(FLOAT_LAST) == class::FLOAT)
    }
}

/// The code (AccVGPRs from 512 on) and the literal of an operand, if one of the `allowed` classes contains it.
#[inline]
pub(crate) const fn resolve(
    rules: &Rules,
    field: Field,
    allowed: u16,
    ty: DataType,
    n: u16,
    code: u16,
    value: u64,
) -> Result<(u16, u64), BuildError> {
    let (code, literal) = match code {
        op::INT | op::FLOAT => {
            let number = if code == op::FLOAT { Number::Float(value) } else { Number::Int(value as i64) };
            match rules.constant(ty, n, code, value) {
                Some((code, literal)) => (code, literal as u64),
                None => match long_literal(ty, n, number) {
                    Some(bits) if rules.takes_long(allowed) => (LITERAL64, bits),
                    _ => return Err(BuildError::Constant(field)),
                },
            }
        }
        op::LONG if rules.takes_long(allowed) => (LITERAL64, value),
        op::LONG => return Err(BuildError::NoLiteral { field, format: None }),
        op::TTMP..=0x5ff if code - op::TTMP <= rules.ttmp_last - rules.ttmp_first => {
            (code - op::TTMP + rules.ttmp_first, 0)
        }
        op::SGPR..=0x6ff if code - op::SGPR <= rules.sgpr_last => (code - op::SGPR, 0),
        op::SPECIAL..=0x7df => match rules.special(code) {
            Some(code) => (code, 0),
            None => (code, 0),
        },
        _ => (code, value),
    };
    let class = rules.class(code);
    if class & allowed == 0 {
        return Err(match class {
            class::LITERAL | class::LITERAL64 => BuildError::NoLiteral { field, format: None },
            _ => BuildError::Operand { field, given: given(rules, code, value) },
        });
    }
    if !rules.is_run(class, code, n) {
        return Err(BuildError::Registers { field, given: given(rules, code, value), dwords: n as u8 });
    }
    Ok((code, literal))
}

/// A bit in the key of a read of more than one register over the constant bus.
const RUN: u64 = 1 << 40;

/// The key of a read of a literal of 64 bits. An instruction has at most one such literal.
pub(crate) const LONG_KEY: u64 = u64::MAX;

/// The key of a read of scalar registers over the constant bus. Equal keys are one read, as src/check/bus.rs counts
/// them.
#[inline(always)]
pub(crate) const fn scalar_key(code: u64, dwords: usize) -> u64 {
    (code + 1) | if dwords > 1 { RUN } else { 0 }
}

/// The key of a read over the constant bus; 0 if the code is not read over the bus. Two reads with equal keys are one
/// read.
#[inline]
pub(crate) const fn bus_key(rules: &Rules, code: u16, literal: u64, dwords: usize) -> u64 {
    let class = rules.class(code);
    if class & class::BUS == 0 || code == rules.null {
        0
    } else if code == LITERAL {
        // A literal that is read with 32 bits and with 64 bits is read twice.
        1 << 32 | literal | if dwords > 1 { RUN } else { 0 }
    } else if class == class::LITERAL64 {
        LONG_KEY
    } else {
        // Read-only registers have one name for all widths.
        scalar_key(code as u64, if class == class::RO { 1 } else { dwords })
    }
}

/// An operand in the form that errors show. Its code may be resolved for a target or not; `rules` are the target's.
#[cold]
pub(crate) const fn given(rules: &Rules, code: u16, value: u64) -> Given {
    let n = (code % VGPR) as u8;
    Given::Reg(match code {
        0..INT if code <= rules.sgpr_last => Reg::Sgpr(n),
        0..INT if code >= rules.ttmp_first && code <= rules.ttmp_last => Reg::Ttmp((code - rules.ttmp_first) as u8),
        FLOAT..=FLOAT_LAST => {
            return Given::Float { bits: F64_BITS[(code - FLOAT) as usize % F64_BITS.len()] };
        }
        LITERAL => return Given::Literal(value as u32),
        0..VGPR => match (int_of(code), find(rules.specials, code)) {
            (Some(n), _) => return Given::Int(n as i64),
            (None, Some(special)) => Reg::Special(special),
            (None, None) => return Given::Int(code as i64),
        },
        VGPR..=VGPR_LAST => Reg::Vgpr(code - VGPR),
        AGPR..=AGPR_LAST => Reg::Agpr(n),
        op::INT | op::LONG | op::NO_INLINE => return Given::Int(value as i64),
        op::FLOAT => return Given::Float { bits: value },
        op::TTMP..=0x5ff => Reg::Ttmp(n),
        op::SGPR..=0x6ff => Reg::Sgpr(n),
        op::SPECIAL..=0x7df => Reg::Special(Special::ALL[(code - op::SPECIAL) as usize % Special::ALL.len()]),
        0x7e1 => Reg::Mode,
        0x7e2 => Reg::FlatScratch,
        0x7e3 => Reg::XnackMask,
        0x7e4 => Reg::TrapStatus,
        0x7e5 => Reg::Vgpr(VGPR),
        op::NO_CODE => Reg::Scc,
        op::VGPR_HIGH..=op::VGPR_HIGH_LAST => Reg::VgprHigh(n),
        _ => return Given::Off,
    })
}
