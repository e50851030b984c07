//! Modifiers: methods of [`Code`] for the modifiers of the instruction. Each modifier is a trait of the instruction's
//! modifier set, with the positions of its bits. The sets are generated.

use super::{BuildError, Code, Given};
use crate::code::is_inside;
use crate::codec::SCALAR;
use crate::kind::{AddressShape, NONE};
use crate::opcode::Field;
use crate::value::Reg;

/// The fields and facts that determine the number of registers of an image address.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct AddressSize {
    pub(crate) field: Field,
    pub(crate) of: AddressShape,
    /// Positions of `dim` and `a16`, or `NONE`.
    pub(crate) dim: u8,
    pub(crate) a16: u8,
    /// Number of components in addition to coordinates and gradients.
    pub(crate) more: u8,
}

/// A field among the first four dwords: the lowest bits and the widths of its two pieces, the low part of the value
/// first. The second width is 0 if there is one piece.
pub(super) type Pieces = [(u8, u8); 2];

/// The values that a field can have if other fields have certain values.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub(crate) field: Field,
    pub(crate) at: Pieces,
    /// A bit for each run of `1 << shift` values.
    pub(crate) shift: u8,
    pub(crate) values: u128,
    /// Other fields, with a bit for each of some of their values. An instruction is limited only if each of these
    /// fields has one of its values.
    pub(crate) conditions: &'static [(Pieces, u128)],
}

/// A set of modifiers: see [`sets`](super::sets).
pub trait ModifierSet: Copy {
    /// The kind of image data, as `image::*`, and the lowest bits of dmask, tfe and d16, which determine the size of
    /// `vdata`. The first entry is 0 for instructions that are not image instructions.
    #[doc(hidden)]
    const IMAGE: [u8; 4] = [0; 4];
    /// The fields that determine the number of registers of an image address, if the tables have them.
    #[doc(hidden)]
    const ADDRESS: Option<AddressSize> = None;
    /// The values that modifiers can have if other fields have certain values.
    #[doc(hidden)]
    const LIMITS: &'static [Limit] = &[];
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident $trait:ident)*) => {
        $(
            /// Modifier sets with the modifier of this name.
            pub trait $trait: ModifierSet {
                /// Position of the modifier's bit.
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
    /// Marks the access as streaming.
    slc Slc
    /// Sets scope bit 0; atomics return the old value.
    sc0 Sc0
    /// Sets scope bit 1.
    sc1 Sc1
    /// Makes the access coherent with other devices.
    scc Scc
    /// Bypasses the cache of the shader array.
    dlc Dlc
    /// Marks the access as non-temporal.
    nt Nt
    /// Writes the data to LDS instead of registers.
    lds Lds
    /// Accesses the global data share instead of LDS.
    gds Gds
    /// Uses unnormalised coordinates.
    unorm Unorm
    /// States that the resource is an array.
    da Da
    /// States that the resource has 128 bits.
    r128 R128
    /// Uses 16-bit addresses.
    a16 A16
    /// Warns about the level of detail.
    lwe Lwe
    /// Uses 16-bit data.
    d16 D16
    /// Marks the last export of its kind.
    done Done
    /// Uses the exec mask as the valid mask.
    vm Vm
    /// Makes lanes with an out-of-range source read 0; without this modifier, such lanes are not written.
    bound_ctrl BoundCtrl
    /// Uses the upper half of the attribute.
    high High
    /// Takes the row of the export from m0.
    row_en RowEn
    /// Marks the memory as non-volatile.
    nv Nv
    /// Multiplies the index by the size of the data. Without an index in the address, this modifier is an error.
    scale_offset ScaleOffset
    /// States that the first matrix is the same as in the previous operation.
    matrix_a_reuse MatrixAReuse
    /// States that the second matrix is the same as in the previous operation.
    matrix_b_reuse MatrixBReuse
}

/// Modifier sets with the modifier `fi`.
pub trait Fi: ModifierSet {
    /// The lowest of the bits that `fi` replaces.
    const LSB: u8;
    /// Mask of the bits that `fi` replaces, and their new value: a bit of its own, or with DPP8 a part of the code that
    /// announces the dword.
    const BITS: (u64, u64) = (1, 1);
}
impl<M: Fi> Code<M> {
    /// Also reads disabled lanes.
    #[inline(always)]
    pub const fn fi(self) -> Self {
        self.with_bits(M::LSB, M::BITS.0, M::BITS.1)
    }
}

macro_rules! value {
    ($name:ident $trait:ident $doc:literal) => {
        /// Modifier sets with the modifier of this name.
        pub trait $trait: ModifierSet {
            /// The field's lowest bit.
            const LSB: u8;
            /// The field's width in bits.
            const WIDTH: u8;
        }
        impl<M: $trait> Code<M> {
            #[doc = $doc]
            /// Refuses a value that does not fit.
            #[inline(always)]
            pub const fn $name(self, value: u16) -> Self {
                self.number(Field::$trait, M::LSB, M::WIDTH, false, value as i64)
            }
        }
    };
}

value!(offset0 Offset0 "First offset, in elements.");
value!(offset1 Offset1 "Second offset, in elements.");
value!(cbsz Cbsz "Blocks of the first matrix that are broadcast.");
value!(abid Abid "Block of the first matrix that is broadcast.");
value!(blgp Blgp "Permutation of the lanes of the second matrix.");
value!(dfmt Dfmt "Data format: a constant of the target's module `dfmt`.");
value!(format Format "Data and number format: a constant of the target's module `buf_fmt`.");
value!(nfmt Nfmt "Number format: a constant of the target's module `nfmt`.");
value!(wait_exp WaitExp "Waits until `expcnt` is at most this; 0 by default.");
value!(wait_vdst WaitVdst "Waits until at most this many vector operations have yet to write their results; 0 by default.");
value!(wait_va_vdst WaitVaVdst "Waits until at most this many vector operations have yet to write their results; 0 by default.");
value!(wait_vm_vsrc WaitVmVsrc "Waits until vector memory operations have read their sources if 0, the default.");
value!(matrix_a_scale MatrixAScale "Half of the lanes that has the scales of the first matrix: a constant of the target's module `matrix_scale`.");
value!(matrix_b_scale MatrixBScale "Half of the lanes that has the scales of the second matrix: a constant of the target's module `matrix_scale`.");
value!(matrix_a_scale_fmt MatrixAScaleFmt "Format of the scales of the first matrix: a constant of the target's module `matrix_scale_fmt`.");
value!(matrix_b_scale_fmt MatrixBScaleFmt "Format of the scales of the second matrix: a constant of the target's module `matrix_scale_fmt`.");
value!(scale_sel ScaleSel "Scales that are used, among those in the register that holds them.");
value!(index_key IndexKey "Part of the indices in the third source that is used.");
value!(scope Scope "Scope of coherence: a constant of the target's module `scope`; the compute unit by default.");
value!(row_mask RowMask "Rows of 16 lanes that are written, one bit each; all rows by default.");
value!(bank_mask BankMask "Banks of 4 lanes that are written, one bit each; all banks by default.");

/// Modifier sets with an offset.
pub trait Offset: ModifierSet {
    /// The field's lowest bit.
    const LSB: u8;
    /// The field's width in bits.
    const WIDTH: u8;
    /// Whether the offset can be negative.
    const SIGNED: bool;
}
impl<M: Offset> Code<M> {
    /// Sets the offset in bytes. Refuses an offset that does not fit.
    #[inline(always)]
    pub const fn offset(self, bytes: i32) -> Self {
        self.number(Field::Offset, M::LSB, M::WIDTH, M::SIGNED, bytes as i64)
    }
}

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident $trait:ident)*) => {
        $(
            /// Modifier sets with the modifier of this name.
            pub trait $trait: ModifierSet {
                /// The field's lowest bit.
                const LSB: u8;
                /// The field's width in bits.
                const WIDTH: u8;
                /// The greatest valid value.
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
    /// Selects the part of the destination to write: a constant of the target's module `sdwa_sel`; the whole
    /// destination by default.
    dst_sel DstSel
    /// Selects the treatment of the rest of the destination: a constant of the target's module `dst_unused`; the rest
    /// is preserved by default.
    dst_unused DstUnused
    /// Selects the part of the first source: a constant of the target's module `sdwa_sel`; the whole source by default.
    src0_sel Src0Sel
    /// Selects the part of the second source: a constant of the target's module `sdwa_sel`; the whole source by
    /// default.
    src1_sel Src1Sel
}

macro_rules! sources {
    ($($(#[$doc:meta])* $name:ident $trait:ident $field:ident)*) => {
        $(
            /// Modifier sets with the modifier of this name for at least one source.
            pub trait $trait: ModifierSet {
                /// Position of the modifier's bit for each source; 255 for a source without one.
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
    /// Negates a source, counted from 0. Refuses a source that cannot be negated.
    neg Neg Neg
    /// Takes the absolute value of a source, counted from 0. Refuses a source that does not support it.
    abs Abs Abs
    /// Sign-extends a source, counted from 0. Refuses a source that cannot be extended.
    sext Sext Src0Sext
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident $trait:ident $field:ident)*) => {
        $(
            /// Modifier sets with the modifier of this name.
            pub trait $trait: ModifierSet {
                /// Position of each bit of the modifier; 255 if the instruction has no such bit.
                const BITS: [u8; 4];
                /// Whether some of these bits select the halves of registers that operands name.
                const HALVES: bool = false;
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
                        if M::HALVES && M::BITS[n as usize] != NONE && self.contradicts(M::BITS[n as usize], on == 1) {
                            return self.fail(BuildError::OtherHalf { operand: n });
                        } else if M::BITS[n as usize] != NONE {
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
    /// Selects halves: bit i is 1 for the upper half of source i, bit 3 for the upper half of the destination. An
    /// operand that is a half of a vector register sets its bit itself, and a value that contradicts it is refused.
    op_sel OpSel OpSel
    /// Selects the halves that produce the upper result: bit i is 1 for the upper half of source i.
    op_sel_hi OpSelHi OpSelHi
    /// Negates sources for the lower result: bit i negates source i.
    neg_lo NegLo Neg
    /// Negates sources for the upper result: bit i negates source i.
    neg_hi NegHi NegHi
}

/// Modifier sets with a byte of the source or the destination.
pub trait ByteSel: ModifierSet {
    /// Positions of the bits that select the byte, the low one first.
    const BITS: [u8; 2];
}
impl<M: ByteSel> Code<M> {
    /// Selects the byte of the source that is converted, or of the destination that is written. Refuses a value above
    /// 3.
    #[inline(always)]
    pub const fn byte_sel(self, byte: u8) -> Self {
        if byte > 3 {
            return self.out_of_range(Field::ByteSel, byte as i64, 0, 3);
        }
        self.flag(M::BITS[0], byte & 1 == 1).flag(M::BITS[1], byte & 2 == 2)
    }
}

/// Modifier sets with a temporal hint.
pub trait Th: ModifierSet {
    /// The field's lowest bit.
    const LSB: u8;
    /// The field's width in bits.
    const WIDTH: u8;
    /// The values that the operation can have: a bit for each.
    const VALUES: u8;
    /// For an atomic operation, whether it returns the old value, which the lowest bit of the hint decides; otherwise
    /// `None`.
    const RETURNS: Option<bool>;
}
impl<M: Th> Code<M> {
    /// Sets the temporal hint: a constant of the target's module `th_load`, `th_store` or `th_atomic`. With
    /// `SCOPE_SYS`, the hint can also be a constant of the module `th_load_system` or `th_store_system`.
    ///
    /// If an operation has a function whose name ends in `_rtn`, that function always sets bit 0, and the function
    /// without the suffix refuses a hint with bit 0. Refuses a value that does not fit, and a value that the operation
    /// cannot have: 7 for operations that load, sample or prefetch, 5 and 7 for atomic operations.
    #[inline(always)]
    pub const fn th(self, value: u16) -> Self {
        let value = match M::RETURNS {
            Some(true) => value | 1,
            Some(false) if value & 1 == 1 => {
                return self.fail(BuildError::Operand { field: Field::Th, given: Given::Int(value as i64) });
            }
            _ => value,
        };
        self.number(Field::Th, M::LSB, M::WIDTH, false, value as i64).among(
            Field::Th,
            M::LSB,
            M::WIDTH,
            M::VALUES as u128,
        )
    }
}

/// Modifier sets with an output modifier.
pub trait Omod: ModifierSet {
    /// The field's lowest bit.
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

/// Modifier sets with a truth table.
pub trait Bitop3: ModifierSet {
    /// The lowest bits of the table's three parts, highest part first. Each of the last two parts has three bits.
    const LSB: [u8; 3];
}
impl<M: Bitop3> Code<M> {
    /// Sets the truth table: bit `4 * src0 + 2 * src1 + src2` is the result for source bits with these values.
    #[inline(always)]
    pub const fn bitop3(self, table: u8) -> Self {
        let [high, middle, low] = M::LSB;
        let table = table as u64;
        self.put(high, table >> 6).put(middle, table >> 3 & 7).put(low, table & 7)
    }
}

/// Modifier sets of instructions that can return one more register, the fail status.
pub trait Tfe: ModifierSet {
    /// Position of the bit.
    const BIT: u8;
    /// Lowest bit of the data field, and size of the data in dwords. If the size depends on modifiers, the first is
    /// 255, and another check handles the size.
    const DATA: (u8, u8);
    /// Whether a run of registers must begin at an even register.
    const EVEN: bool;
    /// The number of vector registers that runs can reach.
    const VGPRS: u16;
}
impl<M: Tfe> Code<M> {
    /// Returns the fail status in the register after the data. Refuses data that ends at the last register, and a
    /// single odd register on targets that align tuples.
    #[inline(always)]
    pub const fn tfe(self) -> Self {
        let (lsb, dwords) = M::DATA;
        if lsb != NONE {
            let first = (self.bits >> lsb & 255) as u16;
            // A single register becomes a run of two; other data already begins at an even register.
            if !is_inside(first, dwords as u16 + 1, M::VGPRS) || M::EVEN && first & 1 == 1 {
                let given = Given::Reg(Reg::Vgpr(first));
                return self.fail(BuildError::Registers { field: Field::Vdata, given, dwords: dwords + 1 });
            }
        }
        self.put(M::BIT, 1)
    }
}

/// Modifier sets with a constant that is usually zero.
pub trait Simm16: ModifierSet {
    /// The field's lowest bit.
    const LSB: u8;
}
impl<M: Simm16> Code<M> {
    /// Sets the constant.
    #[inline(always)]
    pub const fn simm16(self, value: u16) -> Self {
        self.number(Field::Simm16, M::LSB, 16, false, value as i64)
    }
}

/// Modifier sets of scalar memory instructions that can add a constant to their register offset.
pub trait ScalarOffset: ModifierSet {
    /// Position of imm, of soffset_en and of offset, width of offset, and position of soffset. On targets without the
    /// bits imm and soffset_en, both parts are always added.
    const BITS: [u8; 5];
    /// Whether the constant can be negative.
    const SIGNED: bool = true;
    /// The code in soffset that means "no register", on targets without imm and soffset_en.
    const OFF: u64;
}
impl<M: ScalarOffset> Code<M> {
    /// Adds a constant, in bytes, to an offset in a register. Refuses a constant that does not fit, and an offset that
    /// is a constant or already contains one.
    #[inline(always)]
    pub const fn plus(mut self, bytes: i32) -> Self {
        const REGISTER: u64 = (1 << SCALAR) - 1;
        let [imm, soffset_en, offset, width, soffset] = M::BITS;
        let constant = ((1 << width) - 1) << offset;
        let alone = if imm == NONE {
            self.bits >> soffset & REGISTER == M::OFF || self.bits & constant != 0
        } else {
            self.bits >> imm & 1 == 1
        };
        if alone {
            return self.fail(BuildError::Unknown(Field::Soffset));
        }
        if imm == NONE {
            return self.number(Field::Offset, offset, width, M::SIGNED, bytes as i64);
        }
        let register = self.bits >> offset & REGISTER;
        self.bits &= !constant;
        self.number(Field::Offset, offset, width, true, bytes as i64)
            .put(soffset, register)
            .put(soffset_en, 1)
            .put(imm, 1)
    }
}

/// Modifier sets of exports that can pack two 16-bit values into a register.
pub trait Compr: ModifierSet {
    /// Position of the bit, and lowest bit of the first of the four sources.
    const BITS: (u8, u8);
}
impl<M: Compr> Code<M> {
    /// Packs two 16-bit values per register: the first two sources must be one register, and so must the last two.
    #[inline(always)]
    pub const fn compr(mut self) -> Self {
        let (bit, lsb) = M::BITS;
        // A source that is `off` has no register.
        let enabled = self.bits & 15;
        let sources = (self.bits >> lsb) as u32;
        let mut n = 0;
        let mut packed = 0;
        while n < 2 {
            let (first, second) = ((sources >> (16 * n)) as u8, (sources >> (16 * n + 8)) as u8);
            let register = match enabled >> (2 * n) & 3 {
                3 if first != second => {
                    let field = if n == 0 { Field::Vsrc1 } else { Field::Vsrc3 };
                    return self.fail(BuildError::Operand { field, given: Given::Reg(Reg::Vgpr(second as u16)) });
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
