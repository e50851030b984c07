//! Printing of registers and constants.

use super::Printer;
use super::out::Out;
use crate::code::floats::{F16_BITS, F32_BITS, F64_BITS};
use crate::code::{
    AGPR, FLOAT, FLOAT_LAST, INT, INT_LAST, LITERAL, NEGATIVE, NEGATIVE_LAST, VGPR, VGPR_LAST, aligned, int_of, of_int,
};
use crate::codec::code::*;
use crate::codec::{Address, EncodedOperand, code_in, flag, is_conditional, read, value};
use crate::kind::{AddressKind, NONE, Notation, NumberKind, OffsetKind, OperandKind, RegisterKind, Signs};
use crate::table::{DataType, OperandDesc};
use crate::value::Access;
use crate::vgpr_msb::VgprMsb;

impl Printer<'_> {
    /// Prints the most common operands: a register or a small number without decoration. For other operands, prints
    /// nothing and returns `false`.
    #[inline(always)]
    pub(super) fn plain(&self, desc: &OperandDesc, separator: &str, out: &mut Out) -> bool {
        let inst = self.inst;
        let OperandKind::Register(RegisterKind::Code { signs }) = desc.kind else { return false };
        if desc.write_if_bit != NONE || signs != Signs::ABSENT && signs.positions().iter().any(|&bit| flag(inst, bit)) {
            return false;
        }
        let code = code_in(desc, inst);
        let (file, first) = match code {
            VGPR.. if self.msb != VgprMsb::ENTRY => return false,
            VGPR.. => (b'v', code - VGPR),
            _ if self.is_run(code, desc.dwords.into()) => (b's', aligned(code, desc.dwords.into())),
            INT..=INT_LAST => {
                separate(separator, out);
                out.small((code - INT) as u8);
                return true;
            }
            _ => return false,
        };
        separate(separator, out);
        tuple(file, first, desc.dwords.into(), out);
        true
    }

    /// Prints a separator and an operand; prints nothing and returns `false` if the text omits the operand.
    pub(super) fn operand(&self, desc: &OperandDesc, separator: &str, out: &mut Out) -> bool {
        let inst = self.inst;
        if is_conditional(desc) && desc.access == Some(Access::Write) && !flag(inst, desc.write_if_bit) {
            return false;
        }
        if let Some(address) = Address::of(desc) {
            separate(separator, out);
            self.image_address(address, out);
            return true;
        }
        let coded = read(desc, inst);
        match desc.kind {
            OperandKind::Second => {
                out.str(" :: ");
                out.str(inst.second_opcode().map_or("", |op| op.name()));
                return true;
            }
            OperandKind::Number(NumberKind::Plain(Notation::Endpgm)) if value(desc, inst) == 0 => return false,
            OperandKind::Address(AddressKind::Scalar { is_silent: true, .. })
                if matches!(coded, Some((EncodedOperand::Off, _))) =>
            {
                return false;
            }
            // Data that goes to LDS has no register.
            OperandKind::Register(_) if coded.is_none() => return false,
            _ => {}
        }
        separate(separator, out);
        match (desc.kind, coded) {
            (OperandKind::Offset(kind), Some((coded, dwords))) => self.scalar_offset(kind, desc, (coded, dwords), out),
            // A double that is always a literal is printed as its upper half if only the lower half is zero.
            (OperandKind::Number(_), Some((EncodedOperand::Literal64(bits), _)))
                if desc.ty == DataType::F64 && bits != 0 && bits as u32 == 0 =>
            {
                out.hex((bits >> 32) as u32)
            }
            (OperandKind::Number(_), Some((EncodedOperand::Literal64(bits), _))) => self.literal64(desc.ty, bits, out),
            (OperandKind::Number(_), _) | (_, None) => self.immediate(desc, value(desc, inst), out),
            (_, Some((coded, dwords))) => self.register_or_constant(desc, (coded, dwords), out),
        }
        true
    }

    fn register_or_constant(&self, desc: &OperandDesc, (coded, dwords): (EncodedOperand, u16), out: &mut Out) {
        let code = match coded {
            EncodedOperand::Literal(_) => LITERAL,
            EncodedOperand::Literal64(bits) => return self.literal64(desc.ty, bits, out),
            EncodedOperand::Code(code) | EncodedOperand::High(code) => code,
            EncodedOperand::Vcc => vcc(self.inst.target()),
            // The only other value here is an absent address.
            _ => return out.literal(b"off"),
        };
        match desc.kind.signs() {
            Some(signs) => self.source(desc, signs, code, out),
            None => {
                self.code(code, dwords, desc.ty, out);
                self.number(desc, code, dwords, "", out);
            }
        }
    }

    /// Prints an offset of scalar memory: a constant, a register, or a register and `offset:`.
    fn scalar_offset(
        &self,
        kind: OffsetKind,
        desc: &OperandDesc,
        (coded, dwords): (EncodedOperand, u16),
        out: &mut Out,
    ) {
        let register = |code, out: &mut Out| self.code(code, dwords, desc.ty, out);
        match (kind, coded) {
            (OffsetKind::Sum { is_shown: true, .. }, EncodedOperand::Soffset(code)) => {
                register(code, out);
                out.literal(b" offset:0x0");
            }
            // If there is neither a register nor a constant, the text shows the register null, as LLVM's text does.
            (OffsetKind::Sum { is_shown: false, .. }, EncodedOperand::Number(0)) => {
                register(off(self.inst.target()), out)
            }
            (OffsetKind::Dwords { .. }, EncodedOperand::Number(n)) => out.hex(n as u32),
            (_, EncodedOperand::Number(n)) => out.signed_hex(n as i32),
            (_, EncodedOperand::Literal(dword)) => out.hex(dword),
            (_, EncodedOperand::RegisterPlusOffset(code, n)) => {
                register(code, out);
                out.str(" offset:");
                out.signed_hex(n as i32);
            }
            (_, EncodedOperand::Code(code) | EncodedOperand::Soffset(code)) => register(code, out),
            // Other values do not occur as offsets.
            _ => {}
        }
    }

    /// Prints an image address: one register or run, or a list of them in brackets.
    fn image_address(&self, address: Address<'_>, out: &mut Out) {
        let list = address.part(self.inst, 1).is_some();
        for (n, part) in address.parts(self.inst).enumerate() {
            match n {
                0 if list => out.byte(b'['),
                0 => {}
                _ => out.literal(b", "),
            }
            tuple(b'v', part.register, part.dwords, out);
        }
        if list {
            out.byte(b']');
        }
    }

    /// Prints a source with its negation, absolute value or sign extension.
    fn source(&self, desc: &OperandDesc, signs: Signs, code: u16, out: &mut Out) {
        let [neg, abs, sext] = signs.positions().map(|bit| flag(self.inst, bit));
        if !(neg || abs || sext) {
            return self.register(desc, code, out);
        }
        let constant = match code {
            LITERAL => !self.is_inline(desc.ty, desc.dwords.into()),
            INT..=NEGATIVE_LAST | FLOAT..=FLOAT_LAST => true,
            _ => false,
        };
        // -1 and neg(1) are different operands.
        let call = neg && !abs && constant;
        match (neg, call) {
            (true, true) => out.str("neg("),
            (true, false) => out.byte(b'-'),
            _ => {}
        }
        if abs {
            out.byte(b'|');
        }
        if sext {
            out.str("sext(");
        }
        self.register(desc, code, out);
        if sext {
            out.byte(b')');
        }
        if abs {
            out.byte(b'|');
        }
        if call {
            out.byte(b')');
        }
    }

    /// Prints the register or constant of an operand code, and the half of the register that the operand uses.
    fn register(&self, desc: &OperandDesc, code: u16, out: &mut Out) {
        self.code(code, desc.dwords.into(), desc.ty, out);
        let mut half = "";
        if desc.kind.is_half() && code >= VGPR {
            let high = matches!(read(desc, self.inst), Some((EncodedOperand::High(_), _)));
            half = if high { ".h" } else { ".l" };
        }
        out.str(half);
        self.number(desc, code, desc.dwords.into(), half, out);
    }

    /// Prints the numbers of registers beyond v255 as a comment, if the upper bits are known.
    fn number(&self, desc: &OperandDesc, code: u16, dwords: u16, half: &str, out: &mut Out) {
        if self.msb == VgprMsb::ENTRY || !(VGPR..=VGPR_LAST).contains(&code) {
            return;
        }
        if let Some(upper @ 1..) = self.msb.upper(self.inst, desc.field) {
            let first = u32::from(upper) << 8 | u32::from(code - VGPR);
            out.str(if dwords == 1 { " /*v" } else { " /*v[" });
            out.dec(first);
            if dwords > 1 {
                out.byte(b':');
                out.dec(first + u32::from(dwords) - 1);
                out.byte(b']');
            }
            out.str(half);
            out.str("*/");
        }
    }

    /// Prints the register or constant that an operand code stands for.
    pub(super) fn code(&self, code: u16, dwords: u16, ty: DataType, out: &mut Out) {
        let t = self.operands;
        // The number of a scalar tuple's first register is rounded down to its alignment, as in LLVM's text and in the
        // hardware.
        match code {
            AGPR.. => tuple(b'a', code - AGPR, dwords, out),
            VGPR.. => tuple(b'v', code - VGPR, dwords, out),
            LITERAL => self.literal(ty, dwords, out),
            INT..=INT_LAST => out.dec(u32::from(code - INT)),
            NEGATIVE..=NEGATIVE_LAST => out.signed(int_of(code).unwrap_or(0).into()),
            _ if self.is_run(code, dwords) => tuple(b's', aligned(code, dwords), dwords, out),
            _ if code <= t.sgpr_last => self.run_into_vcc(aligned(code, dwords), dwords, out),
            _ if code >= t.ttmp_first && code <= t.ttmp_last => {
                out.literal(b"ttm");
                tuple(b'p', aligned(code - t.ttmp_first, dwords), dwords, out);
            }
            _ => {
                // A packed pair takes 32-bit constants.
                let packed = matches!(ty, DataType::PkF32 | DataType::PkI32) && code >= FLOAT;
                let wide = dwords == 2 && !packed || matches!(ty, DataType::F64 | DataType::I64);
                out.str(self.name(code, wide));
            }
        }
    }

    /// Whether the registers from `code` on are all numbered scalar registers, so that the run does not end in vcc.
    #[inline(always)]
    fn is_run(&self, code: u16, dwords: u16) -> bool {
        aligned(code, dwords) + dwords <= self.operands.sgpr_last + 1
    }

    /// Prints scalar registers that end in vcc: `[s104,s105,vcc_lo,vcc_hi]`.
    #[cold]
    fn run_into_vcc(&self, first: u16, dwords: u16, out: &mut Out) {
        for code in first..first + dwords {
            out.byte(if code == first { b'[' } else { b',' });
            if self.is_run(code, 1) { tuple(b's', code, 1, out) } else { out.str(self.name(code, false)) }
        }
        out.byte(b']');
    }

    /// Prints a literal. The text is `lit(...)` where an assembler would otherwise choose another encoding: an inline
    /// constant of the same value, which is shorter, or a literal of 64 bits.
    fn literal(&self, ty: DataType, dwords: u16, out: &mut Out) {
        let v = self.literal_value();
        // The literal of a double is its upper half. An assembler would read a small number as an integer, which is an
        // inline constant.
        let small = ty == DataType::F64 && v != 0 && of_int(v.into()).is_some();
        if small && has_literal64(self.inst.target()) {
            return out.hex64(u64::from(v) << 32);
        }
        if small || self.is_inline(ty, dwords) || self.would_grow(ty, dwords) {
            out.str("lit(");
            out.hex(v);
            out.byte(b')');
        } else {
            // LLVM does not print the upper half for 16-bit operands, where it has no effect.
            out.hex(if matches!(ty, DataType::F16 | DataType::I16) { v & 0xffff } else { v });
        }
    }

    /// Prints a literal of 64 bits: a double as the inline float that it equals, if any, and `lit64(...)` where an
    /// assembler would otherwise choose an inline integer or a literal of 32 bits.
    fn literal64(&self, ty: DataType, bits: u64, out: &mut Out) {
        let small = of_int(bits as i64).is_some();
        if !small && ty == DataType::F64 {
            if let Some(code) = self.inline_float(&F64_BITS, bits) {
                return out.str(self.name(code, true));
            }
        }
        // Short values are numbers of 32 bits (an assembler reads such a number as the upper half of a double) and
        // doubles whose lower half is zero.
        let is_double = ty == DataType::F64;
        let short = bits >> 32 == 0 || is_double && (i32::try_from(bits as i64).is_ok() || bits as u32 == 0);
        let long = small || short;
        if long {
            out.str("lit64(");
        }
        out.hex64(bits);
        if long {
            out.byte(b')');
        }
    }

    /// Whether an assembler makes a literal of 64 bits from the literal's number. An assembler does so in an operand of
    /// 64 bits if the highest of the 32 bits is set, unless the operand is a double: then the number is the upper half
    /// of the double.
    fn would_grow(&self, ty: DataType, dwords: u16) -> bool {
        let can_hold = || dwords == 2 && ty != DataType::F64 && self.inst.words().len() == 2;
        has_literal64(self.inst.target()) && self.literal_value() >> 31 == 1 && can_hold()
    }

    /// Whether an inline constant has the value of the literal.
    fn is_inline(&self, ty: DataType, dwords: u16) -> bool {
        let v = self.literal_value();
        let small = |n: i32| of_int(n.into()).is_some();
        let wide = ty == DataType::I64 || dwords == 2 && ty == DataType::Bits;
        match ty {
            DataType::F64 => v == 0 || F64_BITS.contains(&(u64::from(v) << 32)),
            _ if wide => of_int(v.into()).is_some(),
            DataType::F16 => small(i32::from(v as u16 as i16)) || self.is_inline_float(&F16_BITS, v as u16),
            DataType::PkF16 => small(v as i32) || u16::try_from(v).is_ok_and(|v| self.is_inline_float(&F16_BITS, v)),
            // A bf16 is the upper half of a float.
            DataType::Bf16 => small(i32::from(v as u16 as i16)) || F32_BITS.iter().any(|x| x >> 16 == v & 0xffff),
            DataType::PkBf16 => small(v as i32) || F32_BITS.iter().any(|x| x >> 16 == v),
            _ => small(v as i32) || self.is_inline_float(&F32_BITS, v),
        }
    }

    /// Whether the target has an inline constant with these bits: some targets lack 1/(2*pi).
    fn is_inline_float<T: PartialEq>(&self, all: &[T], bits: T) -> bool {
        self.inline_float(all, bits).is_some()
    }

    /// The code of the inline constant with these bits.
    pub(super) fn inline_float<T: PartialEq>(&self, all: &[T], bits: T) -> Option<u16> {
        let code = FLOAT + all.iter().position(|x| *x == bits)? as u16;
        self.text.code_at.get(usize::from(code)).is_some_and(|number| *number != 0).then_some(code)
    }

    pub(super) fn literal_value(&self) -> u32 {
        self.inst.last_dword()
    }

    /// The name of a code that is not a plain register or integer.
    pub(super) fn name(&self, code: u16, wide: bool) -> &'static str {
        if code == INT {
            return "0";
        }
        let number = self.text.code_at[usize::from(code) % self.text.code_at.len()];
        let entry = self.text.names.codes.get(usize::from(number).wrapping_sub(1));
        entry.map_or("?", |c| if wide { c.2 } else { c.1 })
    }
}

#[inline(always)]
fn separate(separator: &str, out: &mut Out) {
    match separator.len() {
        0 => {}
        1 => out.byte(b' '),
        _ => out.literal(b", "),
    }
}

/// Prints `v5` or `v[4:7]`.
#[inline(always)]
fn tuple(file: u8, first: u16, dwords: u16, out: &mut Out) {
    if dwords == 1 {
        out.byte(file);
        return out.small(first as u8);
    }
    out.literal(&[file, b'[']);
    out.small(first as u8);
    out.byte(b':');
    // Decoding refuses tuples that reach past the last register.
    out.dec(u32::from(first + dwords) - 1);
    out.byte(b']');
}
