//! Operands for a [`Builder`](super::Builder), which are as wide as the operand that they are given for.
//!
//! The functions of [`make`](super) with the same names return an [`Op`](super::Op), whose type has a width. A builder
//! takes operands of all widths, so the compiler cannot infer the width, and the caller must write it: `s::<2>(4)`. The
//! functions here need no width, and the builder does not compare widths.
//!
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::make::Builder;
//! use amdgpu_isa::make::args::*;
//! use amdgpu_isa::{Opcode, Target};
//!
//! let op = |opcode| Builder::new(Target::Gfx942, opcode);
//! let load = op(Opcode::GlobalLoadDwordx4).vdst(v(4)).vaddr(v(2)).saddr(off()).offset(16);
//! assert_eq!(load.build().unwrap().to_string(), "global_load_dwordx4 v[4:7], v[2:3], off offset:16");
//! let scale = op(Opcode::VMulF32).vdst(v(0)).src0(float(0.5)).src1(v(4));
//! assert_eq!(scale.build().unwrap().to_string(), "v_mul_f32_e32 v0, 0.5, v4");
//! let base = op(Opcode::SMovB64).sdst(s(2)).ssrc0(literal(1));
//! assert_eq!(base.build().unwrap().words(), [0xbe82_01ff, 1]);
//! # }
//! ```

use super::argument::Argument;
use super::op;
use crate::code::{AGPR, LITERAL, VGPR};

/// Scalar registers that begin at `first`: `s4`, `s[4:5]` and so on.
pub const fn s(first: u8) -> Argument {
    Argument::new(op::SGPR + first as u16, 0)
}

/// Vector registers that begin at `first`.
pub const fn v(first: u8) -> Argument {
    Argument::new(VGPR + first as u16, 0)
}

/// Accumulation registers that begin at `first`.
pub const fn a(first: u8) -> Argument {
    Argument::new(AGPR + first as u16, 0)
}

/// Trap handler temporaries that begin at `first`.
pub const fn ttmp(first: u8) -> Argument {
    Argument::new(op::TTMP + first as u16, 0)
}

/// An integer: an inline constant if there is one with its value, otherwise a literal.
pub const fn int(value: i64) -> Argument {
    Argument::new(op::INT, value as u64)
}

/// A floating-point number, rounded to the operand's width: an inline constant if there is one with its value,
/// otherwise a literal.
pub const fn float(value: f64) -> Argument {
    Argument::new(op::FLOAT, value.to_bits())
}

/// A literal dword, even if an inline constant has its value.
pub const fn literal(dword: u32) -> Argument {
    Argument::new(LITERAL, dword as u64)
}

/// A literal of 64 bits, even if a shorter constant has its value. Only CDNA5 has such literals, in operands of 64
/// bits.
pub const fn literal64(bits: u64) -> Argument {
    Argument::new(op::LONG, bits)
}

/// The inline integer with this value, -16 to 64. The builder refuses other values.
pub const fn inline(value: i8) -> Argument {
    let op = op::inline::<1>(value);
    Argument::new(op.code, op.value)
}

/// No register: `off`.
pub const fn off() -> Argument {
    Argument::new(op::OFF, 0)
}
