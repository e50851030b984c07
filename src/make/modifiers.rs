//! Modifiers: methods that [`Code`] has where the instruction has them. Each is a trait of the instruction's modifier set,
//! which says where the bits lie; the sets are generated.

use super::{BuildError, Code, Given};
use crate::codec::code::is_inside;
use crate::table::NONE;
use crate::{Field, Reg};

/// A set of modifiers; see [`sets`](super::sets).
pub trait ModifierSet: Copy {
    /// What image data are, as `image::*`, and the lowest bits of dmask, tfe and d16, from which the size of `vdata`
    /// follows. The first is 0 where the instruction is none of images.
    #[doc(hidden)]
    const IMAGE: [u8; 4] = [0; 4];
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident $trait:ident)*) => {
        $(
            /// The instruction has the modifier of this name.
            pub trait $trait: ModifierSet {
                /// Its bit.
                const BIT: u8;
            }
            impl<M: $trait> Code<M> {
                $(#[$doc])*
                #[inline(always)]
                pub const fn $name(self) -> Self {
                    self.put(M::BIT, 1)
                }
            }
        )*
    };
}

flags! {
    /// Clamps the result.
    clamp Clamp
    /// Bypasses the caches; atomics return the old value.
    glc Glc
    /// Streams.
    slc Slc
    /// Scope bit 0; atomics return the old value.
    sc0 Sc0
    /// Scope bit 1.
    sc1 Sc1
    /// Is coherent with other devices.
    scc Scc
    /// Permlane swaps: lanes that are switched off are read too.
    fi Fi
    /// Is not temporal.
    nt Nt
    /// The data goes to LDS.
    lds Lds
    /// Global data share, not LDS.
    gds Gds
    /// Coordinates are not normalised.
    unorm Unorm
    /// The resource is an array.
    da Da
    /// The resource has 128 bits.
    r128 R128
    /// 16-bit addresses.
    a16 A16
    /// Warns about the level of detail.
    lwe Lwe
    /// 16-bit data.
    d16 D16
    /// The last export of its kind.
    done Done
    /// The exec mask is the valid mask.
    vm Vm
    /// Lanes out of range read 0; else they are not written.
    bound_ctrl BoundCtrl
    /// The upper half of the attribute.
    high High
}

macro_rules! value {
    ($name:ident $trait:ident $doc:literal) => {
        /// The instruction has the modifier of this name.
        pub trait $trait: ModifierSet {
            /// Its lowest bit.
            const LSB: u8;
            /// Its width in bits.
            const WIDTH: u8;
        }
        impl<M: $trait> Code<M> {
            #[doc = $doc]
            /// A value that does not fit is an error.
            #[inline(always)]
            pub const fn $name(self, value: u16) -> Self {
                self.number(Field::$trait, M::LSB, M::WIDTH, false, value as i64)
            }
        }
    };
}

value!(offset0 Offset0 "First offset, in elements.");
value!(offset1 Offset1 "Second offset, in elements.");
value!(cbsz Cbsz "Which blocks of the first matrix are broadcast.");
value!(abid Abid "Which block of the first matrix is broadcast.");
value!(blgp Blgp "How lanes of the second matrix are permuted.");
value!(dfmt Dfmt "Data format: a constant of the target's module `dfmt`.");
value!(nfmt Nfmt "Number format: a constant of the target's module `nfmt`.");
value!(row_mask RowMask "Rows of 16 lanes that are written, a bit each; all if nothing is said.");
value!(bank_mask BankMask "Banks of 4 lanes that are written, a bit each; all if nothing is said.");

/// The instruction has an offset.
pub trait Offset: ModifierSet {
    /// Its lowest bit.
    const LSB: u8;
    /// Its width in bits.
    const WIDTH: u8;
    /// It can be negative.
    const SIGNED: bool;
}
impl<M: Offset> Code<M> {
    /// The offset in bytes. One that does not fit is an error.
    #[inline(always)]
    pub const fn offset(self, bytes: i32) -> Self {
        self.number(Field::Offset, M::LSB, M::WIDTH, M::SIGNED, bytes as i64)
    }
}

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident $trait:ident)*) => {
        $(
            /// The instruction has the modifier of this name.
            pub trait $trait: ModifierSet {
                /// Its lowest bit.
                const LSB: u8;
                /// Its width in bits.
                const WIDTH: u8;
                /// The greatest value that means something.
                const MAX: u16;
            }
            impl<M: $trait> Code<M> {
                $(#[$doc])*
                #[inline(always)]
                pub const fn $name(self, value: u16) -> Self {
                    if value > M::MAX {
                        return self.out_of_range(Field::$trait, value as i64, 0, M::MAX as i64);
                    }
                    self.number(Field::$trait, M::LSB, M::WIDTH, false, value as i64)
                }
            }
        )*
    };
}

choices! {
    /// Part of the destination that is written: a constant of the target's module `sdwa_sel`; all of it if nothing is
    /// said.
    dst_sel DstSel
    /// What becomes of the rest of the destination: a constant of the target's module `dst_unused`; it is kept if nothing
    /// is said.
    dst_unused DstUnused
    /// Part of the first source: a constant of the target's module `sdwa_sel`; all of it if nothing is said.
    src0_sel Src0Sel
    /// Part of the second source: a constant of the target's module `sdwa_sel`; all of it if nothing is said.
    src1_sel Src1Sel
}

macro_rules! sources {
    ($($(#[$doc:meta])* $name:ident $trait:ident $field:ident)*) => {
        $(
            /// The instruction has the modifier of this name for some source.
            pub trait $trait: ModifierSet {
                /// Its bit for each source, or 255.
                const BITS: [u8; 3];
            }
            impl<M: $trait> Code<M> {
                $(#[$doc])*
                #[inline(always)]
                pub const fn $name(self, source: u8) -> Self {
                    if source > 2 || M::BITS[source as usize] == NONE {
                        return self.fail(BuildError::NoModifier { field: Field::$field, source });
                    }
                    self.put(M::BITS[source as usize], 1)
                }
            }
        )*
    };
}

sources! {
    /// Negates a source, counted from 0. One that cannot be negated is an error.
    neg Neg Neg
    /// Takes the absolute value of a source, counted from 0. One of which it cannot be taken is an error.
    abs Abs Abs
    /// Sign extends a source, counted from 0. One that cannot be extended is an error.
    sext Sext Src0Sext
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident $trait:ident $field:ident)*) => {
        $(
            /// The instruction has the modifier of this name.
            pub trait $trait: ModifierSet {
                /// The bit of the words that each of its bits is, or 255.
                const BITS: [u8; 4];
            }
            impl<M: $trait> Code<M> {
                $(#[$doc])*
                #[inline(always)]
                pub const fn $name(mut self, bits: u8) -> Self {
                    let mut n = 0;
                    if bits > 15 {
                        return self.fail(BuildError::Unknown(Field::$field));
                    }
                    while n < 4 {
                        let on = bits >> n & 1;
                        if M::BITS[n as usize] != NONE {
                            self = self.flag(M::BITS[n as usize], on == 1);
                        } else if on == 1 {
                            return self.fail(BuildError::Unknown(Field::$field));
                        }
                        n += 1;
                    }
                    self
                }
            }
        )*
    };
}

lists! {
    /// Which halves are meant: bit i is 1 for the upper half of source i, bit 3 for that of the destination.
    op_sel OpSel OpSel
    /// Which halves the upper result is made from: bit i is 1 for the upper half of source i.
    op_sel_hi OpSelHi OpSelHi
    /// Bit i negates source i for the lower result.
    neg_lo NegLo Neg
    /// Bit i negates source i for the upper result.
    neg_hi NegHi NegHi
}

/// The instruction has an output modifier.
pub trait Omod: ModifierSet {
    /// Its lowest bit.
    const LSB: u8;
}
impl<M: Omod> Code<M> {
    /// Doubles the result.
    #[inline(always)]
    pub const fn mul2(self) -> Self {
        self.number(Field::Omod, M::LSB, 2, false, 1)
    }

    /// Multiplies the result by four.
    #[inline(always)]
    pub const fn mul4(self) -> Self {
        self.number(Field::Omod, M::LSB, 2, false, 2)
    }

    /// Halves the result.
    #[inline(always)]
    pub const fn div2(self) -> Self {
        self.number(Field::Omod, M::LSB, 2, false, 3)
    }
}

/// The instruction has a truth table.
pub trait Bitop3: ModifierSet {
    /// The lowest bits of its parts, of which the last two have three bits, from the high bits down.
    const LSB: [u8; 3];
}
impl<M: Bitop3> Code<M> {
    /// What the result is where the sources have these bits: bit `4 * src0 + 2 * src1 + src2`.
    #[inline(always)]
    pub const fn bitop3(self, table: u8) -> Self {
        let [high, middle, low] = M::LSB;
        let table = table as u64;
        self.put(high, table >> 6).put(middle, table >> 3 & 7).put(low, table & 7)
    }
}

/// The instruction can return one register more, the fail status.
pub trait Tfe: ModifierSet {
    /// The bit.
    const BIT: u8;
    /// Lowest bit of the data field, and its dwords; 255: whatever follows from the registers is checked elsewhere.
    const DATA: (u8, u8);
}
impl<M: Tfe> Code<M> {
    /// Returns the fail status behind the data. Data up to the last register is an error.
    #[inline(always)]
    pub const fn tfe(self) -> Self {
        let (lsb, dwords) = M::DATA;
        if lsb != NONE {
            let first = (self.bits >> lsb & 255) as u16;
            if !is_inside(first, dwords as u16 + 1) {
                let given = Given::Reg(Reg::Vgpr(first as u8));
                return self.fail(BuildError::Registers { field: Field::Vdata, given, dwords: dwords + 1 });
            }
        }
        self.put(M::BIT, 1)
    }
}

/// The instruction has a constant that is mostly zero.
pub trait Simm16: ModifierSet {
    /// Its lowest bit.
    const LSB: u8;
}
impl<M: Simm16> Code<M> {
    /// The constant.
    #[inline(always)]
    pub const fn simm16(self, value: u16) -> Self {
        self.number(Field::Simm16, M::LSB, 16, false, value as i64)
    }
}

/// A scalar memory instruction whose register offset can have a constant added.
pub trait ScalarOffset: ModifierSet {
    /// The places of the fields: imm, soffset_en, offset, its width, soffset.
    const BITS: [u8; 5];
}
impl<M: ScalarOffset> Code<M> {
    /// Adds a constant, in bytes, to an offset in a register. One that does not fit is an error, and so is a second one.
    #[inline(always)]
    pub const fn plus(mut self, bytes: i32) -> Self {
        let [imm, soffset_en, offset, width, soffset] = M::BITS;
        if self.bits >> imm & 1 == 1 {
            return self.fail(BuildError::Unknown(Field::Soffset));
        }
        let register = self.bits >> offset & 127;
        self.bits &= !(((1 << width) - 1) << offset);
        self.number(Field::Offset, offset, width, true, bytes as i64)
            .put(soffset, register)
            .put(soffset_en, 1)
            .put(imm, 1)
    }
}

/// An export that can put two values of 16 bits in a register.
pub trait Compr: ModifierSet {
    /// The bit, and the lowest bit of the first of four sources.
    const BITS: (u8, u8);
}
impl<M: Compr> Code<M> {
    /// Two 16-bit values a register: the first two sources are one register, and the last two.
    #[inline(always)]
    pub const fn compr(mut self) -> Self {
        let (bit, lsb) = M::BITS;
        // A source that is off has no register of its own.
        let enabled = self.bits & 15;
        let sources = (self.bits >> lsb) as u32;
        let mut n = 0;
        let mut packed = 0;
        while n < 2 {
            let (first, second) = ((sources >> (16 * n)) as u8, (sources >> (16 * n + 8)) as u8);
            let register = match enabled >> (2 * n) & 3 {
                3 if first != second => {
                    let field = if n == 0 { Field::Vsrc1 } else { Field::Vsrc3 };
                    return self.fail(BuildError::Operand { field, given: Given::Reg(Reg::Vgpr(second)) });
                }
                2 => second,
                _ => first,
            };
            packed |= (register as u64) << (8 * n);
            n += 1;
        }
        self.bits = self.bits & !(0xffff_ffff << lsb) | packed << lsb;
        self.put(bit, 1)
    }
}
