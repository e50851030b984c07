//! Encodes operands: the functions that the generated constructors call. For constant operands the compiler evaluates
//! everything here; for others only shifts and ors remain.

use super::modifiers::ModifierSet;
use super::op::{self, BufferAddress, Kind, Op, class};
use super::resolve::{LONG_KEY, Rules, bus_key, given, resolve, scalar_key};
use super::{BuildError, Code, Given};
use crate::code::{AGPR, AGPR_LAST, LITERAL, LITERAL64, VECTOR_LAST, VGPR, VGPR_LAST, is_inside, of_int, scalar_align};
use crate::codec::matrix_dwords_of;
use crate::error::FieldError;
use crate::opcode::Field;
use crate::table::{DataType, NONE};
use crate::value::Reg;

use core::marker::PhantomData;

/// The position of an operand, and the values that it accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub field: Field,
    pub lsb: u8,
    /// The code is `value << shift` + `add`.
    pub shift: u8,
    pub add: u16,
    pub allowed: u16,
    pub ty: DataType,
    /// The index of the dword that holds a literal.
    pub literal: u8,
    /// The number of scalars that the operation can read over the constant bus, if it reads this operand over that bus;
    /// otherwise 0.
    pub bus: u8,
    /// Whether a tuple may begin at an odd register even if the target aligns tuples.
    pub odd: bool,
    /// The bit that selects an AccVGPR.
    pub acc: u8,
}

impl Place {
    /// Whether the code is a vector register that the operand accepts.
    const fn is_vector(&self, code: u16) -> bool {
        let class = match code {
            VGPR..=VGPR_LAST => class::VGPR,
            AGPR..=AGPR_LAST => class::AGPR,
            _ => 0,
        };
        self.allowed & class != 0
    }
}

impl<M: ModifierSet> Code<M> {
    /// Starts an instruction with the given encoding bits, which include the opcode and modifiers' default values.
    #[inline(always)]
    pub(crate) const fn new(bits: u64, dwords: u8) -> Code<M> {
        Code {
            bits,
            high: 0,
            last: 0,
            dwords,
            data: 0,
            address: 0,
            error: None,
            bus: [0; 2],
            decided: 0,
            set: PhantomData,
        }
    }

    /// Starts an instruction of three or four dwords like `new`.
    #[inline(always)]
    pub(crate) const fn long(bits: u128, dwords: u8) -> Code<M> {
        Code { high: (bits >> 64) as u64, ..Code::new(bits as u64, dwords) }
    }

    /// Clears the bits of `mask` and sets those of `value`, both counted from bit `lsb`. Both have at most 32 bits.
    #[inline(always)]
    pub(super) const fn with_bits(mut self, lsb: u8, mask: u64, value: u64) -> Self {
        if lsb < 64 {
            self.bits = self.bits & !(mask << lsb) | value << lsb;
        } else {
            self.high = self.high & !(mask << (lsb & 63)) | value << (lsb & 63);
        }
        self
    }

    #[inline(always)]
    const fn is_set(&self, bit: u8) -> bool {
        let bits = if bit < 64 { self.bits } else { self.high };
        bits >> (bit & 63) & 1 == 1
    }

    #[inline(always)]
    pub(crate) const fn fail(mut self, error: BuildError) -> Self {
        if self.error.is_none() {
            self.error = Some(error);
        }
        self
    }

    /// Sets bits that are still zero.
    #[inline(always)]
    pub(crate) const fn put(self, lsb: u8, value: u64) -> Self {
        self.with_bits(lsb, 0, value)
    }

    /// Sets one bit to a value.
    #[inline(always)]
    pub(super) const fn flag(self, bit: u8, on: bool) -> Self {
        self.with_bits(bit, 1, on as u64)
    }

    /// Notes that the instruction implicitly reads the scalar with this code: vcc or m0.
    #[inline(always)]
    pub(crate) const fn reads(mut self, code: u64, dwords: usize) -> Self {
        self.bus[0] = scalar_key(code, dwords);
        self
    }

    /// Notes that the instruction reads a scalar over the constant bus, which carries at most `limit` different ones.
    #[inline(always)]
    const fn on_bus(mut self, field: Field, limit: u8, key: u64) -> Self {
        if key == 0 || key == self.bus[0] {
        } else if self.bus[0] == 0 {
            self.bus[0] = key;
        } else if limit == 1 {
            return self.fail(BuildError::ConstantBus(field));
        } else if self.bus[1] == 0 {
            self.bus[1] = key;
        } else if self.bus[1] != key {
            return self.fail(BuildError::ConstantBus(field));
        }
        self
    }

    /// Sets the literal, which is the dword with this index.
    #[inline(always)]
    const fn literal(mut self, field: Field, dword: u8, literal: u32) -> Self {
        if self.dwords == dword {
            self.dwords += 1;
            self.with_bits(32 * dword, 0, literal as u64)
        } else if self.dwords != dword + 1 || self.dword(dword) != literal {
            self.fail(BuildError::TwoLiterals(field))
        } else {
            self
        }
    }

    /// Sets the literal of 64 bits, which begins with the dword of this index.
    #[inline(always)]
    const fn literal64(mut self, field: Field, dword: u8, literal: u64) -> Self {
        let (low, high) = (literal & 0xffff_ffff, literal >> 32);
        if self.dwords == dword {
            self.dwords += 2;
            self.with_bits(32 * dword, 0, low).with_bits(32 * dword + 32, 0, high)
        } else if self.dwords != dword + 2 || self.dword(dword) as u64 != low || self.dword(dword + 1) as u64 != high {
            self.fail(BuildError::TwoLiterals(field))
        } else {
            self
        }
    }

    #[inline(always)]
    const fn dword(&self, n: u8) -> u32 {
        (if n < 2 { self.bits } else { self.high } >> (32 * (n & 1))) as u32
    }

    /// Returns the code of an operand, after setting its literal and its AccVGPR bit.
    #[inline(always)]
    const fn take<K: Kind, const N: usize>(
        mut self,
        rules: &Rules,
        at: &Place,
        op: Op<K, N>,
    ) -> Result<(Self, u16), Self> {
        if op.code == op::INT && at.allowed & class::INT != 0 {
            // An inline integer is the same for every type, and is not read over the bus.
            if let Some(code) = of_int(op.value as i64) {
                return Ok((self, code));
            }
        }
        // If the kind alone determines the class, one or two comparisons suffice; only other operands are looked up.
        let (mut code, literal) = match K::CLASS {
            class::VGPR | class::AGPR => {
                let first = op.code % VGPR;
                if N > 1 && (!is_inside(first, N as u16, rules.vgprs) || rules.aligned && !at.odd && first & 1 == 1) {
                    let register = if op.code < op::AGPR { Reg::Vgpr(first) } else { Reg::Agpr(first as u8) };
                    let given = Given::Reg(register);
                    return Err(self.fail(BuildError::Registers { field: at.field, given, dwords: N as u8 }));
                }
                (op.code, 0)
            }
            class::SGPR => {
                let first = op.code - op::SGPR;
                // Calling `op::given` would give the same result, but would link more code.
                let given = Given::Reg(Reg::Sgpr(first as u8));
                if first > rules.sgpr_last {
                    return Err(self.fail(BuildError::Operand { field: at.field, given }));
                }
                if N > 1
                    && (first % scalar_align(N as u16) != 0 || first as usize + N - 1 > rules.sgpr_run_last as usize)
                {
                    return Err(self.fail(BuildError::Registers { field: at.field, given, dwords: N as u8 }));
                }
                (first, 0)
            }
            _ if at.odd && at.is_vector(op.code) && is_inside(op.code % VGPR, N as u16, rules.vgprs) => (op.code, 0),
            _ => match resolve(rules, at.field, at.allowed, at.ty, N as u16, op.code, op.value) {
                Ok(found) => found,
                Err(error) => return Err(self.fail(error)),
            },
        };
        if at.bus != 0 && K::CLASS != class::VGPR {
            self = match K::CLASS {
                class::SGPR => self.on_bus(at.field, at.bus, scalar_key(code as u64, N)),
                _ => self.on_bus(at.field, at.bus, bus_key(rules, code, literal, N)),
            };
        }
        if K::CLASS == 0 && code == LITERAL {
            self = self.literal(at.field, at.literal, literal as u32);
        }
        if K::CLASS == 0 && code == LITERAL64 && at.allowed & class::LITERAL64 != 0 {
            self = self.literal64(at.field, at.literal, literal);
        }
        if code >= VGPR && code <= AGPR_LAST {
            let is_acc = code >= op::AGPR;
            if at.acc != NONE {
                // No instruction has two AccVGPR bits at a distance of 64.
                let bit = 1u64 << (at.acc & 63);
                // Operands that share the bit must be of the same kind.
                if self.decided & bit != 0 && self.is_set(at.acc) != is_acc {
                    return Err(self.fail(BuildError::Operand { field: at.field, given: given(rules, code, 0) }));
                }
                self.decided |= bit;
                self = self.put(at.acc, is_acc as u64);
            }
            if is_acc {
                code -= op::AGPR - VGPR;
            }
        }
        Ok((self, code))
    }

    /// Encodes an operand that is a single code.
    #[inline(always)]
    pub(crate) const fn operand<K: Kind, const N: usize>(self, rules: &Rules, at: &Place, op: Op<K, N>) -> Self {
        match self.take(rules, at, op) {
            // The field has no room for the lowest bits of this code: `null` as an address on RDNA1 and RDNA2.
            Ok((code, value)) if value & ((1 << at.shift) - 1) != 0 => {
                code.fail(BuildError::Operand { field: at.field, given: given(rules, value, 0) })
            }
            Ok((code, value)) => code.put(at.lsb, ((value - at.add) >> at.shift) as u64),
            Err(code) => code,
        }
    }

    /// Encodes one half of a vector register, or a scalar or a constant. `selector` is the bit that selects the half.
    /// Without such a bit, bit 7 of the field selects the half, so that no register from v128 on can be named.
    #[inline(always)]
    pub(crate) const fn half<K: Kind, const N: usize>(
        mut self,
        rules: &Rules,
        at: &Place,
        selector: u8,
        op: Op<K, N>,
    ) -> Self {
        const UPPER: u16 = crate::codec::HALF;
        let high = op.code >= op::VGPR_HIGH && op.code <= op::VGPR_HIGH_LAST;
        let is_register = high || op.code >= VGPR && op.code <= VGPR_LAST;
        let whole = Op::<K, N>::new(if high { op.code - op::VGPR_HIGH + VGPR } else { op.code }, op.value);
        if selector == NONE {
            if is_register && whole.code & UPPER != 0 {
                return self.fail(BuildError::Operand { field: at.field, given: given(rules, op.code, 0) });
            }
            self = self.operand(rules, at, whole);
            return if high { self.put(at.lsb, UPPER as u64) } else { self };
        }
        self = self.operand(rules, at, whole);
        if is_register {
            self.decided |= 1 << (selector & 63);
            self = self.put(selector, high as u64);
        }
        self
    }

    /// Whether an operand has set this bit to another value than `on`.
    #[inline(always)]
    pub(super) const fn contradicts(&self, bit: u8, on: bool) -> bool {
        self.decided >> (bit & 63) & 1 == 1 && self.is_set(bit) != on
    }

    /// Encodes a source of an SDWA dword: a vector register, or a scalar, which sets the bit `scalar`.
    #[inline(always)]
    pub(crate) const fn sdwa<K: Kind, const N: usize>(
        self,
        rules: &Rules,
        at: &Place,
        scalar: u8,
        op: Op<K, N>,
    ) -> Self {
        match self.take(rules, at, op) {
            Ok((code, value)) if value >= VGPR => code.put(at.lsb, (value - VGPR) as u64),
            Ok((code, value)) => code.put(at.lsb, value as u64).put(scalar, 1),
            Err(code) => code,
        }
    }

    /// Encodes the destination of an SDWA compare: vcc, or a register in the field, which sets the bit `named`.
    #[inline(always)]
    pub(crate) const fn sdst_or_vcc<K: Kind, const N: usize>(
        self,
        rules: &Rules,
        at: &Place,
        named: u8,
        op: Op<K, N>,
    ) -> Self {
        match self.take(rules, at, op) {
            Ok((code, value)) if value == rules.vcc => code,
            Ok((code, value)) => code.put(at.lsb, value as u64).put(named, 1),
            Err(code) => code,
        }
    }

    /// Encodes a scalar address, or `off`.
    #[inline(always)]
    pub(crate) const fn saddr<K: Kind, const N: usize>(self, rules: &Rules, at: &Place, op: Op<K, N>) -> Self {
        match self.take(rules, at, op) {
            Ok((code, op::OFF)) => code.put(at.lsb, rules.off as u64),
            // This code means `off` here, and a register in other operands.
            Ok((code, value)) if value == rules.off => {
                code.fail(BuildError::Operand { field: at.field, given: given(rules, value, 0) })
            }
            Ok((code, value)) => code.put(at.lsb, value as u64),
            Err(code) => code,
        }
    }

    /// Encodes a global address: a pair of registers, or one register in addition to a scalar address.
    #[inline(always)]
    pub(crate) const fn global<K: Kind, const N: usize, S: Kind, const A: usize>(
        self,
        rules: &Rules,
        at: &Place,
        op: Op<K, N>,
        saddr: Op<S, A>,
    ) -> Self {
        let dwords = if saddr.code == op::OFF { 2 } else { 1 };
        if N != dwords {
            return self.fail(BuildError::Width { field: at.field, dwords: dwords as u8, given: N as u8 });
        }
        self.operand(rules, at, op)
    }

    /// Encodes a scratch address. `used` is the bit that enables the address; without that bit, the address is present
    /// if the scalar address is absent.
    #[inline(always)]
    pub(crate) const fn scratch<K: Kind, const N: usize, S: Kind, const A: usize>(
        self,
        rules: &Rules,
        at: &Place,
        used: u8,
        op: Op<K, N>,
        saddr: Op<S, A>,
    ) -> Self {
        let there = op.code != op::OFF;
        if used == NONE && there != (saddr.code == op::OFF) {
            return self.fail(BuildError::Operand { field: at.field, given: given(rules, op.code, op.value) });
        }
        match self.take(rules, at, op) {
            Ok((code, op::OFF)) => code,
            Ok((code, value)) if used == NONE => code.put(at.lsb, (value - VGPR) as u64),
            Ok((code, value)) => code.put(at.lsb, (value - VGPR) as u64).put(used, 1),
            Err(code) => code,
        }
    }

    /// Encodes a buffer address. `addr64` is the bit for a 64-bit address, if the target has it.
    #[inline(always)]
    pub(crate) const fn buffer(
        self,
        rules: &Rules,
        at: &Place,
        [offen, idxen, addr64]: [u8; 3],
        address: BufferAddress,
    ) -> Self {
        if address.addr64 && addr64 == NONE {
            return self.fail(BuildError::Unknown(Field::Addr64));
        }
        let op = Op::<op::kind::Vgpr, 2>::new(address.register, 0);
        let one = Op::<op::kind::Vgpr, 1>::new(address.register, 0);
        let code = match address.dwords() {
            2 => self.operand(rules, at, op),
            _ => self.operand(rules, at, one),
        };
        let code = code.put(offen, address.offen as u64).put(idxen, address.idxen as u64);
        if address.addr64 { code.put(addr64, 1) } else { code }
    }

    /// Encodes the offset of scalar memory: a constant, or a register. The constant is signed on targets that can add a
    /// second register. On targets without the bit `imm`, the register is in `soffset`.
    #[inline(always)]
    pub(crate) const fn smem_offset<K: Kind, const N: usize>(
        self,
        rules: &Rules,
        at: &Place,
        (imm, width, signed, soffset): (u8, u8, bool, u8),
        op: Op<K, N>,
    ) -> Self {
        let both = imm == NONE;
        if op.code == op::INT {
            let code = self.number(at.field, at.lsb, width, signed, op.value as i64);
            return if both { code.put(soffset, rules.off as u64) } else { code.put(imm, 1) };
        }
        match self.take(rules, at, op) {
            Ok((code, value)) if both && value == rules.off => {
                code.fail(BuildError::Operand { field: at.field, given: given(rules, value, 0) })
            }
            Ok((code, value)) => code.put(if both { soffset } else { at.lsb }, value as u64),
            Err(code) => code,
        }
    }

    /// Encodes the offset of scalar memory on GCN 1.0 and 1.1, in dwords: a constant of eight bits, a register, or a
    /// literal.
    #[inline(always)]
    pub(crate) const fn smrd_offset<K: Kind, const N: usize>(
        self,
        rules: &Rules,
        at: &Place,
        imm: u8,
        op: Op<K, N>,
    ) -> Self {
        if op.code == op::INT {
            let value = op.value as i64;
            if value >= 0 && value <= 255 {
                return self.put(at.lsb, value as u64).put(imm, 1);
            }
            if at.allowed & class::LITERAL == 0 || value < 0 || value > u32::MAX as i64 {
                return self.out_of_range(at.field, value, 0, 255);
            }
            return self.put(at.lsb, LITERAL as u64).literal(at.field, at.literal, value as u32);
        }
        match self.take(rules, at, op) {
            Ok((code, value)) => code.put(at.lsb, value as u64),
            Err(code) => code,
        }
    }

    /// Encodes an export source; `enabled` is the bit that enables the source.
    #[inline(always)]
    pub(crate) const fn export<K: Kind, const N: usize>(
        self,
        rules: &Rules,
        at: &Place,
        enabled: u8,
        op: Op<K, N>,
    ) -> Self {
        match self.take(rules, at, op) {
            Ok((code, op::OFF)) => code,
            Ok((code, value)) => code.put(at.lsb, (value - VGPR) as u64).put(enabled, 1),
            Err(code) => code,
        }
    }

    /// Encodes a literal that is always present, in the second dword. `bus` is as in [`Place`].
    #[inline(always)]
    pub(crate) const fn constant(self, field: Field, literal: u32, bus: u8) -> Self {
        self.constant_at(field, 1, literal, bus)
    }

    /// Encodes a literal that is always present, in the dword with this index.
    #[inline(always)]
    pub(super) const fn constant_at(self, field: Field, dword: u8, literal: u32, bus: u8) -> Self {
        let code = if bus != 0 { self.on_bus(field, bus, 1 << 32 | literal as u64) } else { self };
        code.literal(field, dword, literal)
    }

    /// Encodes a literal of 64 bits that is always present, from the second dword on. `bus` is as in [`Place`].
    #[inline(always)]
    pub(crate) const fn constant64(self, field: Field, literal: u64, bus: u8) -> Self {
        let code = if bus != 0 { self.on_bus(field, bus, LONG_KEY) } else { self };
        code.literal64(field, 1, literal)
    }

    /// Encodes image data. Its size is checked when all modifiers are known.
    #[inline(always)]
    pub(crate) const fn image<K: Kind, const N: usize>(mut self, rules: &Rules, at: &Place, op: Op<K, N>) -> Self {
        self.data = N as u8;
        self.operand(rules, at, op)
    }

    /// Encodes a matrix whose size depends on the format of its elements: formats 0 and 1 have 8 bits, 2 and 3 have 6
    /// bits, and 4 has 4 bits. With elements of 8 bits, the matrix has `most` registers.
    #[inline(always)]
    pub(crate) const fn matrix<K: Kind, const N: usize>(
        self,
        rules: &Rules,
        at: &Place,
        (most, format): (u16, u16),
        op: Op<K, N>,
    ) -> Self {
        if format > 4 {
            return self.out_of_range(at.field, format as i64, 0, 4);
        }
        let dwords = matrix_dwords_of(format as u32, most) as usize;
        if N != dwords {
            return self.fail(BuildError::Width { field: at.field, dwords: dwords as u8, given: N as u8 });
        }
        self.operand(rules, at, op)
    }

    /// Checks that image data has as many registers as dmask, tfe and d16 (at these bits) require.
    pub(crate) const fn image_data(self, [what, dmask, tfe, d16]: [u8; 4]) -> Self {
        let tfe = tfe != NONE && self.bits >> tfe & 1 == 1;
        let d16 = d16 != NONE && self.bits >> d16 & 1 == 1;
        let dmask = self.bits >> dmask & 15;
        let dwords = crate::constraint::image::image_data_dwords(what, dmask as u16, tfe, d16) as u8;
        if self.data != dwords {
            return self.fail(BuildError::Width { field: Field::Vdata, dwords, given: self.data });
        }
        self
    }

    /// Checks that the register in these bits is even.
    pub(crate) const fn even(self, rules: &Rules, field: Field, lsb: u8, acc: u8) -> Self {
        let (register, is_acc) = (self.bits >> lsb & VECTOR_LAST as u64, self.is_set(acc));
        if register & 1 == 0 {
            return self;
        }
        let file = if is_acc { AGPR } else { VGPR };
        self.fail(BuildError::Registers { field, given: given(rules, register as u16 + file, 0), dwords: 1 })
    }

    /// Checks that two runs of registers of one file are the same or have no register in common. The code of the second
    /// run may be that of a constant.
    pub(crate) const fn apart(self, field: Field, written: u8, added: u8, dwords: u8) -> Self {
        let (written, added) = (self.bits_from(written) & VECTOR_LAST, self.bits_from(added) & VGPR_LAST);
        if added < VGPR || added - VGPR == written || (added - VGPR).abs_diff(written) >= dwords as u16 {
            return self;
        }
        self.fail(BuildError::Overlap(field))
    }

    /// The 16 bits from bit `lsb` on.
    pub(super) const fn bits_from(&self, lsb: u8) -> u16 {
        (if lsb < 64 { self.bits >> lsb } else { self.high >> (lsb & 63) }) as u16
    }

    #[inline(always)]
    pub(crate) const fn out_of_range(self, field: Field, value: i64, min: i64, max: i64) -> Self {
        self.fail(BuildError::Range { field, value, min, max })
    }

    /// Sets a number in a field, replacing the old value.
    #[inline(always)]
    pub(crate) const fn number(self, field: Field, lsb: u8, width: u8, signed: bool, value: i64) -> Self {
        let (min, max) = match signed {
            true => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
            false => (0, (1i64 << width) - 1),
        };
        if value < min || value > max {
            return self.out_of_range(field, value, min, max);
        }
        let mask = (1u64 << width) - 1;
        self.with_bits(lsb, mask, value as u64 & mask)
    }

    /// Checks that a field has one of the values that the operation can have; `values` has a bit for each.
    #[inline(always)]
    pub(crate) const fn among(self, field: Field, lsb: u8, width: u8, values: u128) -> Self {
        let value = self.bits_from(lsb) & (u16::MAX >> (16 - width));
        if (value as u32) < u128::BITS && values >> value & 1 == 1 {
            return self;
        }
        self.fail(BuildError::Excluded { field, value: value as u32 })
    }

    /// Sets a number in a field whose high bits, from `width` on, begin at `high`.
    #[inline(always)]
    pub(crate) const fn split(self, field: Field, [lsb, width, high]: [u8; 3], all: u8, value: u16) -> Self {
        if value >> all != 0 {
            return self.out_of_range(field, value as i64, 0, (1 << all) - 1);
        }
        self.with_bits(lsb, (1 << width) - 1, (value & ((1 << width) - 1)) as u64).with_bits(
            high,
            (1 << (all - width)) - 1,
            (value >> width) as u64,
        )
    }

    /// Sets a constant with parts, given as its encoding or as the error for the part that does not fit.
    #[inline(always)]
    pub(crate) const fn imm(self, field: Field, lsb: u8, width: u8, encoded: Result<u16, FieldError>) -> Self {
        match encoded {
            Ok(value) => self.number(field, lsb, width, false, value as i64),
            Err(error) => self.fail(BuildError::Value(error)),
        }
    }

    /// Sets a constant of 16 bits, signed or unsigned.
    #[inline(always)]
    pub(crate) const fn number16(self, field: Field, lsb: u8, value: i32) -> Self {
        if value < -0x8000 || value > 0xffff {
            return self.out_of_range(field, value as i64, -0x8000, 0xffff);
        }
        self.put(lsb, value as u16 as u64)
    }

    /// Sets the lane that each of eight lanes reads.
    #[inline(always)]
    pub(crate) const fn lanes(mut self, field: Field, lsb: u8, lanes: [u8; 8]) -> Self {
        let mut n = 0;
        while n < 8 {
            self = self.number(field, lsb + 3 * n, 3, false, lanes[n as usize] as i64);
            n += 1;
        }
        self
    }

    /// Sets a value from a set, which has one bit for each value.
    #[inline(always)]
    pub(crate) const fn member(self, field: Field, lsb: u8, set: &[u64], value: u16) -> Self {
        let at = value as usize / 64;
        if at >= set.len() || set[at] >> (value % 64) & 1 == 0 {
            return self.fail(BuildError::Operand { field, given: Given::Int(value as i64) });
        }
        self.put(lsb, value as u64)
    }
}
