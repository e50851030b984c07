//! Operands of constructors, and their kinds.

use core::marker::PhantomData;

use crate::code::{VGPR, of_int};
use crate::opcode::Special;
use crate::value::Reg;

pub(crate) use crate::code::{AGPR, LITERAL};
pub(crate) use crate::shared::class;

/// The first of the codes above those of the hardware and of accumulation registers. These codes are resolved when the
/// operand for which they are given is known.
pub(crate) const INT: u16 = 0x400;
pub(crate) const FLOAT: u16 = 0x401;
pub(crate) const OFF: u16 = 0x402;
/// A literal of 64 bits. The hardware's code is not used, because it has another meaning on some targets.
pub(crate) const LONG: u16 = 0x403;

/// Kinds of operands: the types that an [`Op`] is marked with.
pub mod kind {
    use super::class;

    macro_rules! kinds {
        ($($(#[$doc:meta])* $name:ident $class:expr;)*) => {
            $($(#[$doc])* #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct $name;
            impl super::Kind for $name {
                const CLASS: u16 = $class;
            })*
        };
    }
    kinds! {
        /// Scalar registers.
        Sgpr class::SGPR;
        /// Vector registers.
        Vgpr class::VGPR;
        /// The lower or the upper half of a vector register.
        Half class::VGPR;
        /// Accumulation registers.
        Agpr class::AGPR;
        /// Trap handler temporaries.
        Ttmp 0;
        /// `vcc`, `flat_scratch`, `xnack_mask`, `tba`, `tma`, and their halves.
        Sys 0;
        /// `exec` and its halves.
        Exec 0;
        /// `m0`.
        M0 0;
        /// Sources that can only be read: `src_shared_base`, `src_scc`, ...
        ReadOnly 0;
        /// `src_lds_direct`.
        Lds 0;
        /// A constant: an inline constant if there is one with its value, otherwise a literal.
        Const 0;
        /// An inline constant.
        Inline 0;
        /// A literal, even if an inline constant has its value.
        Literal 0;
        /// A literal of 64 bits, even if a shorter one has its value.
        Literal64 0;
        /// No register.
        Off 0;
        /// Any of these kinds, chosen at run time. An operand that the instruction does not accept is an error.
        Any 0;
    }
}

/// A kind of operand; see [`kind`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of operand",
    label = "use a type of `amdgpu_isa::make::kind`"
)]
pub trait Kind: Copy {
    /// The class of all operands of this kind, if they need no further checks; otherwise 0.
    #[doc(hidden)]
    const CLASS: u16;
}

/// An operand of `N` dwords. Its kind is a type, so that a constructor accepts only the operands that the instruction
/// can have.
///
/// A constant takes the width of the operand that it is given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op<K, const N: usize> {
    pub(crate) code: u16,
    pub(crate) value: u64,
    kind: PhantomData<K>,
}

/// A run of `N` scalar registers; made by [`s`].
pub type Sgpr<const N: usize> = Op<kind::Sgpr, N>;
/// A run of `N` vector registers; made by [`v`].
pub type Vgpr<const N: usize> = Op<kind::Vgpr, N>;
/// One half of a vector register; made by [`Vgpr::l`] and [`Vgpr::h`].
pub type Half = Op<kind::Half, 1>;
/// A run of `N` accumulation registers; made by [`a`].
pub type Agpr<const N: usize> = Op<kind::Agpr, N>;

impl<K, const N: usize> Op<K, N> {
    #[inline(always)]
    pub(crate) const fn new(code: u16, value: u64) -> Op<K, N> {
        Op { code, value, kind: PhantomData }
    }

    /// The operand, with a kind that is known only at run time.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{gfx942, make::*};
    /// for x in [v(1).any(), s(1).any(), float(0.5).any()] {
    ///     assert!(gfx942::v_add_f32_e32(v(0), x, v(2)).words().is_ok());
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub const fn any(self) -> Op<kind::Any, N> {
        Op::new(self.code, self.value)
    }
}

/// `N` scalar registers, starting at `first`. `s::<2>(4)` is `s[4:5]`.
///
/// The constructor of the instruction checks that the registers exist on the target and are aligned.
#[inline(always)]
pub const fn s<const N: usize>(first: u8) -> Sgpr<N> {
    Op::new(SGPR + first as u16, 0)
}

/// `N` vector registers, starting at `first`. `v::<4>(8)` is `v[8:11]`.
#[inline(always)]
pub const fn v<const N: usize>(first: u8) -> Vgpr<N> {
    Op::new(VGPR + first as u16, 0)
}

impl Vgpr<1> {
    /// The lower half of the register: `v(5).l()` is `v5.l`.
    ///
    /// Operands of 16 bits in vector registers are halves from RDNA3 on. The encodings of 32 bits can name only the
    /// halves of v0 to v127.
    #[inline(always)]
    pub const fn l(self) -> Half {
        Op::new(self.code, 0)
    }

    /// The upper half of the register: `v(5).h()` is `v5.h`.
    #[inline(always)]
    pub const fn h(self) -> Half {
        Op::new(VGPR_HIGH + self.code % VGPR, 0)
    }
}

/// `N` accumulation registers, starting at `first`. `a::<16>(0)` is `a[0:15]`.
#[inline(always)]
pub const fn a<const N: usize>(first: u8) -> Agpr<N> {
    Op::new(AGPR + first as u16, 0)
}

/// An integer: an inline constant if there is one with its value, otherwise a literal.
///
/// The value need not be one of the inline integers -16 to 64: `int(0x3f800000)` is 1.0 in a 32-bit operand.
#[inline(always)]
pub const fn int<const N: usize>(value: i64) -> Op<kind::Const, N> {
    Op::new(INT, value as u64)
}

/// A floating-point number, rounded to the operand's width: an inline constant if there is one with its value,
/// otherwise a literal.
#[inline(always)]
pub const fn float<const N: usize>(value: f64) -> Op<kind::Const, N> {
    Op::new(FLOAT, value.to_bits())
}

/// A literal dword, even if an inline constant has its value.
#[inline(always)]
pub const fn literal<const N: usize>(dword: u32) -> Op<kind::Literal, N> {
    Op::new(LITERAL, dword as u64)
}

/// A literal of 64 bits, even if a shorter constant has its value. Only CDNA5 has such literals, in operands of 64
/// bits.
#[inline(always)]
pub const fn literal64<const N: usize>(bits: u64) -> Op<kind::Literal64, N> {
    Op::new(LONG, bits)
}

/// The inline integer with this value, -16 to 64. The constructor of the instruction refuses other values.
#[inline(always)]
pub const fn inline<const N: usize>(value: i8) -> Op<kind::Inline, N> {
    Op::new(
        match of_int(value as i64) {
            Some(code) => code,
            None => NO_INLINE,
        },
        value as i64 as u64,
    )
}

/// No register: `off`.
#[inline(always)]
pub const fn off<const N: usize>() -> Op<kind::Off, N> {
    Op::new(OFF, 0)
}

/// A register that is chosen at run time. The register takes the width of the operand that it is given for.
impl<const N: usize> From<Reg> for Op<kind::Any, N> {
    fn from(reg: Reg) -> Self {
        Op::new(code_of(reg), 0)
    }
}

/// The code of a register. Registers that no field can name get codes that no target accepts.
#[inline]
pub(crate) const fn code_of(reg: Reg) -> u16 {
    match reg {
        Reg::Vgpr(n) if n < VGPR => VGPR + n,
        // No field holds the upper bits of this register's number.
        Reg::Vgpr(_) => NO_CODE + 5,
        Reg::Agpr(n) => AGPR + n as u16,
        Reg::Sgpr(n) => SGPR + n as u16,
        Reg::Ttmp(n) => TTMP + n as u16,
        Reg::Special(special) => SPECIAL + special as u16,
        Reg::Vcc => SPECIAL + Special::VccLo as u16,
        Reg::M0 => SPECIAL + Special::M0 as u16,
        Reg::Exec => SPECIAL + Special::ExecLo as u16,
        Reg::Scc => NO_CODE,
        Reg::Mode => NO_CODE + 1,
        Reg::FlatScratch => NO_CODE + 2,
        Reg::XnackMask => NO_CODE + 3,
        Reg::TrapStatus => NO_CODE + 4,
        Reg::VgprHigh(n) => VGPR_HIGH + n as u16,
    }
}

/// The codes of the first trap handler temporary and the first scalar register. These codes are not the hardware's,
/// because a number past the last register must not become another register, and generations have different codes for
/// the first trap handler temporary.
pub(crate) const TTMP: u16 = 0x500;
pub(crate) const SGPR: u16 = 0x600;
/// The code of the first special register, in the order of `Special`, which all generations share.
pub(crate) const SPECIAL: u16 = 0x700;
/// The first code of registers that no field can name, and the code of values without an inline constant. No target
/// accepts these codes.
pub(super) const NO_CODE: u16 = 0x7e0;
pub(super) const NO_INLINE: u16 = 0x7ff;
/// Codes of the upper halves of vector registers. The code of a lower half is the code of its register.
pub(crate) const VGPR_HIGH: u16 = 0x800;
pub(crate) const VGPR_HIGH_LAST: u16 = 0x8ff;

/// `N` trap handler temporaries, starting at `first`.
#[inline(always)]
pub const fn ttmp<const N: usize>(first: u8) -> Op<kind::Ttmp, N> {
    Op::new(TTMP + first as u16, 0)
}

/// The address of a buffer instruction: an index, an offset, both, or a 64-bit address in vector registers; or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferAddress {
    pub(crate) register: u16,
    pub(crate) offen: bool,
    pub(crate) idxen: bool,
    pub(crate) addr64: bool,
}

impl BufferAddress {
    /// No register: `off`.
    pub const OFF: BufferAddress = BufferAddress { register: VGPR, offen: false, idxen: false, addr64: false };

    pub(crate) const fn dwords(self) -> u8 {
        if self.addr64 { 2 } else { self.offen as u8 + self.idxen as u8 }
    }
}

/// A buffer address with an offset in a register.
pub const fn offen(offset: Vgpr<1>) -> BufferAddress {
    BufferAddress { register: offset.code, offen: true, ..BufferAddress::OFF }
}

/// A buffer address with an index in a register.
pub const fn idxen(index: Vgpr<1>) -> BufferAddress {
    BufferAddress { register: index.code, idxen: true, ..BufferAddress::OFF }
}

/// A buffer address with an index in the first register and an offset in the second.
pub const fn bothen(index_and_offset: Vgpr<2>) -> BufferAddress {
    BufferAddress { register: index_and_offset.code, offen: true, idxen: true, ..BufferAddress::OFF }
}

/// A 64-bit buffer address. Only GCN 1.0 and 1.1 have it.
pub const fn addr64(address: Vgpr<2>) -> BufferAddress {
    BufferAddress { register: address.code, addr64: true, ..BufferAddress::OFF }
}

/// Data in vector or accumulation registers. Operands of one instruction that share the selecting bit must have the
/// same kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not allowed here",
    label = "pass vector registers, `v(n)`, or accumulation registers, `a(n)`"
)]
pub trait VectorData: Kind {}
impl VectorData for kind::Vgpr {}
impl VectorData for kind::Agpr {}
impl VectorData for kind::Any {}

/// A matrix in registers of the kind `D`, or a constant.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not allowed beside a result in `{D}`",
    label = "pass registers of the kind that the result has, or a constant: `int(n)`, `float(x)`, `inline(n)`"
)]
pub trait MatrixOrConst<D>: Kind {}
impl<D> MatrixOrConst<D> for kind::Const {}
impl<D> MatrixOrConst<D> for kind::Inline {}
impl<D> MatrixOrConst<D> for kind::Any {}
impl MatrixOrConst<kind::Vgpr> for kind::Vgpr {}
impl MatrixOrConst<kind::Agpr> for kind::Agpr {}

/// The scalar base of a global address whose vector part has `N` dwords: `off` if the vector part is a pair, a scalar
/// base if the vector part is one register.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not allowed beside an address of {N} registers",
    label = "pass `off()` beside a pair of vector registers, or scalar registers, `s(n)`, beside one"
)]
pub trait GlobalBase<const N: usize>: Kind {}
impl GlobalBase<2> for kind::Off {}
impl GlobalBase<1> for kind::Sgpr {}
impl GlobalBase<1> for kind::Sys {}
impl GlobalBase<1> for kind::Ttmp {}
impl GlobalBase<1> for kind::Exec {}
impl GlobalBase<1> for kind::Any {}
impl GlobalBase<2> for kind::Any {}
