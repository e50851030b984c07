//! Arguments of a [`Builder`](super::Builder).

use super::error::{BuildError, Given};
use super::op::{self, Op, code_of};
use super::resolve::{Rules, given};
use crate::imm::{DelayAlu, Depctr, GprIdx, Hwreg, Imm, Sendmsg, Waitcnt};
use crate::opcode::Special;
use crate::target::Target;
use crate::value::{Reg, Value};

/// An operand, a constant or the value of a modifier. An `Argument` is made from an [`Op`], a [`Reg`], a number, or the
/// [`Value`] of a decoded operand.
///
/// Integers and floats become the inline constant of that value if there is one, otherwise a literal;
/// [`literal`](super::args::literal) and [`inline`](super::args::inline) force one or the other. The functions of
/// [`args`](super::args) make arguments without a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Argument {
    pub(super) code: u16,
    pub(super) value: u64,
    /// Width in dwords; 0 if it is the width of the operand.
    pub(super) dwords: u8,
}

impl Argument {
    pub(super) const ZERO: Argument = Argument::new(op::INT, 0);

    #[inline(always)]
    pub(super) const fn new(code: u16, value: u64) -> Argument {
        Argument { code, value, dwords: 0 }
    }

    /// The argument in the form that errors show.
    pub(super) const fn given(self, rules: &Rules) -> Given {
        given(rules, self.code, self.value)
    }

    /// The argument with the target's code for a special register.
    #[inline(always)]
    pub(super) fn on(self, rules: &Rules) -> Argument {
        match self.code {
            op::SPECIAL..=0x7df => Argument { code: rules.special(self.code).unwrap_or(self.code), ..self },
            _ => self,
        }
    }

    pub(super) fn integer(self) -> Option<i64> {
        (self.code == op::INT).then_some(self.value as i64)
    }
}

impl<K: op::Kind, const N: usize> From<Op<K, N>> for Argument {
    #[inline(always)]
    fn from(op: Op<K, N>) -> Argument {
        const READ_ONLY: u16 = op::SPECIAL + Special::WRITTEN as u16;
        let constant =
            matches!(op.code, crate::code::INT..=crate::code::LITERAL | op::INT..=op::LONG | READ_ONLY..=0x7df);
        Argument { code: op.code, value: op.value, dwords: if constant { 0 } else { N as u8 } }
    }
}

impl From<Reg> for Argument {
    #[inline(always)]
    fn from(reg: Reg) -> Argument {
        Argument::new(code_of(reg), 0)
    }
}

impl From<Value> for Argument {
    #[inline]
    fn from(value: Value) -> Argument {
        match value {
            Value::Reg(reg) => reg.into(),
            Value::Int(n) => op::inline::<1>(n).into(),
            Value::Float(float) => Argument::new(float.code(), 0),
            // A `Literal64` lacks its value, so it becomes a register that no field names, which no operand accepts.
            Value::Literal64 => Argument::new(code_of(Reg::Scc), 0),
            Value::Literal(dword) => op::literal::<1>(dword).into(),
            Value::Imm(n) => n.into(),
            Value::Label(n) => i32::from(n).into(),
            Value::Off => Argument::new(op::OFF, 0),
        }
    }
}

macro_rules! integers {
    ($($ty:ty)*) => {
        $(impl From<$ty> for Argument {
            #[inline(always)]
            fn from(n: $ty) -> Argument {
                Argument::new(op::INT, i64::from(n) as u64)
            }
        })*
    };
}
integers! { i8 u8 i16 u16 i32 u32 i64 bool }

impl From<f64> for Argument {
    #[inline(always)]
    fn from(n: f64) -> Argument {
        Argument::new(op::FLOAT, n.to_bits())
    }
}

impl From<f32> for Argument {
    #[inline(always)]
    fn from(n: f32) -> Argument {
        f64::from(n).into()
    }
}

/// Values that can be given to a [`Builder`](super::Builder): a register, a run of them ([`Op`]), a number, the
/// [`Value`] of a decoded operand, a constant with parts ([`Waitcnt`], [`Hwreg`], [`Sendmsg`], [`GprIdx`], [`Depctr`],
/// [`DelayAlu`]), or an [`Argument`] made from one of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an operand nor a value of a modifier",
    label = "pass a register, a number or a constant",
    note = "registers are `s(4)`, `v(0)`, ... of `amdgpu_isa::make::args`, or a `Reg`; numbers are integers of up to 64 bits \
            (not `usize` or `u64`), `f32` and `f64`; constants are `Waitcnt`, `Hwreg`, `Sendmsg`, `GprIdx`, `Depctr`, \
            `DelayAlu` and `Imm`"
)]
pub trait ToArgument {
    /// Converts the value for the target.
    ///
    /// # Errors
    /// A part of a constant does not fit.
    #[doc(hidden)]
    fn to_argument(self, target: Target) -> Result<Argument, BuildError>;
}

macro_rules! arguments {
    ($([$($generic:tt)*] $ty:ty;)*) => {
        $(impl<$($generic)*> ToArgument for $ty {
            #[inline(always)]
            fn to_argument(self, _: Target) -> Result<Argument, BuildError> {
                Ok(self.into())
            }
        })*
    };
}
arguments! {
    [] Argument; [K: op::Kind, const N: usize] Op<K, N>; [] Reg; [] Value; [] f32; [] f64;
    [] i8; [] u8; [] i16; [] u16; [] i32; [] u32; [] i64; [] bool;
}

macro_rules! constants {
    ($($ty:ident)*) => {
        $(impl ToArgument for $ty {
            fn to_argument(self, target: Target) -> Result<Argument, BuildError> {
                Ok(self.encode(target)?.into())
            }
        })*
    };
}
constants! { Waitcnt Hwreg Sendmsg GprIdx Depctr DelayAlu Imm }
