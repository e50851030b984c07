//! What is given to a [`Builder`](super::Builder) for an operand.

use super::op::{self, Op, code_of};
use crate::codec::code;
use crate::{Reg, Value};

/// An operand, a constant or the value of a modifier. Made from an [`Op`], a [`Reg`], a number, or the [`Value`] of a
/// decoded operand.
///
/// Integers and floats take the inline constant of that value if there is one, else a literal;
/// [`literal`](super::literal) and [`inline`](super::inline) force one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    pub(super) code: u16,
    pub(super) value: u64,
    /// 0: as many as the operand has.
    pub(super) dwords: u8,
}

impl Argument {
    pub(super) const ZERO: Argument = Argument::new(op::INT, 0);

    pub(super) const fn new(code: u16, value: u64) -> Argument {
        Argument { code, value, dwords: 0 }
    }

    pub(super) fn integer(self) -> Option<i64> {
        (self.code == op::INT).then_some(self.value as i64)
    }
}

impl<K: op::Kind, const N: usize> From<Op<K, N>> for Argument {
    fn from(op: Op<K, N>) -> Argument {
        let constant = matches!(op.code, code::INT..=code::LITERAL | op::INT..=op::OFF);
        Argument { code: op.code, value: op.value, dwords: if constant { 0 } else { N as u8 } }
    }
}

impl From<Reg> for Argument {
    fn from(reg: Reg) -> Argument {
        Argument::new(code_of(reg), 0)
    }
}

impl From<Value> for Argument {
    fn from(value: Value) -> Argument {
        match value {
            Value::Reg(reg) => reg.into(),
            Value::Int(n) => op::inline::<1>(n).into(),
            Value::Float(code) => Argument::new(code.into(), 0),
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
            fn from(n: $ty) -> Argument {
                Argument::new(op::INT, i64::from(n) as u64)
            }
        })*
    };
}
integers! { i32 u32 i64 bool }

impl From<f64> for Argument {
    fn from(n: f64) -> Argument {
        Argument::new(op::FLOAT, n.to_bits())
    }
}

impl From<f32> for Argument {
    fn from(n: f32) -> Argument {
        f64::from(n).into()
    }
}
