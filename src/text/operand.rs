//! Registers and constants.

use super::Printer;
use super::out::Out;
use crate::Access;
use crate::operand::{
    SmemOffset, buf_vaddr_dwords, code, exp_source, flag, global_addr_dwords, half, image_address_part, matrix_dwords,
    mimg_item_dwords, scratch_addr_used, sdwa_code, smem_offset, smrd_offset, tfe, value, vdsty,
};
use crate::table::{Item, Kind, NONE, Ty};

impl Printer<'_> {
    /// Prints what most operands are: a register or a small number and nothing around it. False, and nothing is
    /// printed, if this is something else.
    #[inline(always)]
    pub(super) fn plain(&self, item: &Item, separator: &str, out: &mut Out) -> bool {
        let inst = self.inst;
        let bare = item.aux == [NONE; 4] || !item.aux.iter().any(|&bit| flag(inst, bit));
        if item.kind != Kind::Code || item.cond != NONE || !bare {
            return false;
        }
        let code = code(item, inst);
        let (file, first) = match code {
            256.. => (b'v', code & 255),
            _ if code <= self.operands.sgpr_last => (b's', aligned(code, item.dwords.into())),
            128..=192 => {
                separate(separator, out);
                out.small((code - 128) as u8);
                return true;
            }
            _ => return false,
        };
        separate(separator, out);
        tuple(file, first, item.dwords.into(), out);
        true
    }

    /// Prints an operand behind a separator; false if the instruction has it not.
    pub(super) fn operand(&self, item: &Item, separator: &str, out: &mut Out) -> bool {
        let inst = self.inst;
        let conditional = item.cond != NONE && item.kind != Kind::SdwaSrc;
        if conditional && item.access == Some(Access::Write) && !flag(inst, item.cond) {
            return false;
        }
        let absent = match item.kind {
            Kind::BufData => flag(inst, item.aux[1]) && inst.has_lds(),
            Kind::Endpgm => value(item, inst) == 0,
            Kind::Second => {
                out.str(" :: ");
                out.str(inst.second_opcode().map_or("", |op| op.name()));
                return true;
            }
            _ => false,
        };
        if absent {
            return false;
        }
        separate(separator, out);
        let dwords = u16::from(item.dwords);
        match item.kind {
            Kind::Code => self.source(item, code(item, inst), out),
            Kind::SdwaSrc => self.source(item, sdwa_code(item, inst), out),
            Kind::Agpr => tuple(b'a', code(item, inst) & 255, dwords, out),
            Kind::BufData if flag(inst, item.aux[0]) => tuple(b'a', code(item, inst) & 255, dwords, out),
            Kind::BufData => tuple(b'v', code(item, inst) & 255, dwords + u16::from(tfe(item, inst)), out),
            Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap => {
                let file = if flag(inst, item.aux[3]) { b'a' } else { b'v' };
                tuple(file, code(item, inst) & 255, mimg_item_dwords(item, inst), out);
            }
            Kind::ExpSrc => match exp_source(item, inst) {
                Some(c) => self.code(c, 1, item.ty, out),
                None => out.literal(b"off"),
            },
            Kind::SmrdOffset => match smrd_offset(item, inst) {
                SmemOffset::Reg(255) => out.hex(self.literal_value()),
                SmemOffset::Reg(c) => self.code(c, 1, item.ty, out),
                SmemOffset::Imm(n) | SmemOffset::Both(_, n) => out.hex(n as u32),
            },
            Kind::AccSized => {
                let file = if flag(inst, item.aux[0]) { b'a' } else { b'v' };
                tuple(file, code(item, inst) & 255, matrix_dwords(item, inst), out);
            }
            Kind::AgprOrConst => match code(item, inst) {
                c @ 256.. => tuple(b'a', c & 255, dwords, out),
                c => self.code(c, dwords, item.ty, out),
            },
            Kind::Acc => match code(item, inst) {
                c @ 256.. if flag(inst, item.aux[0]) => tuple(b'a', c & 255, dwords, out),
                c => self.code(c, dwords, item.ty, out),
            },
            Kind::SdstOrVcc if flag(inst, item.aux[0]) => self.code(code(item, inst), dwords, item.ty, out),
            Kind::SdstOrVcc | Kind::Vcc if dwords == 1 => out.literal(b"vcc_lo"),
            Kind::SdstOrVcc | Kind::Vcc => out.literal(b"vcc"),
            Kind::Half | Kind::HalfSel => self.source(item, half(item, inst).0, out),
            Kind::Vdsty => tuple(b'v', vdsty(item, inst) & 255, dwords, out),
            Kind::ImgAddr | Kind::ImgAddrGrad => self.image_address(item, out),
            Kind::BufVaddr => match buf_vaddr_dwords(item, inst) {
                0 => out.literal(b"off"),
                n => self.code(code(item, inst), n, item.ty, out),
            },
            Kind::GlobalAddr => self.code(code(item, inst), global_addr_dwords(item, inst), item.ty, out),
            Kind::ScratchAddr if !scratch_addr_used(item, inst) => out.literal(b"off"),
            Kind::ScratchAddr => self.code(code(item, inst), dwords, item.ty, out),
            Kind::Saddr => match code(item, inst) {
                127 => out.literal(b"off"),
                c => self.code(c, dwords, item.ty, out),
            },
            Kind::SmemOffset => match smem_offset(item, inst) {
                SmemOffset::Imm(n) => out.signed_hex(n),
                SmemOffset::Reg(c) => self.code(c, 1, item.ty, out),
                SmemOffset::Both(c, n) => {
                    self.code(c, 1, item.ty, out);
                    out.str(" offset:");
                    out.signed_hex(n);
                }
            },
            _ => self.immediate(item, value(item, inst), out),
        }
        true
    }

    /// One register or run, or a list of them in brackets.
    fn image_address(&self, item: &Item, out: &mut Out) {
        let part = |n| image_address_part(item, self.inst, n);
        let list = part(1).is_some();
        for (n, part) in (0..5).map_while(part).enumerate() {
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

    /// A source with its sign, absolute value or sign extension.
    fn source(&self, item: &Item, code: u16, out: &mut Out) {
        let [neg, abs, sext, _] = item.aux.map(|bit| flag(self.inst, bit));
        if !(neg || abs || sext) {
            return self.register(item, code, out);
        }
        let constant = match code {
            255 => !self.is_inline(item.ty, item.dwords.into()),
            _ => (128..=248).contains(&code) && !(209..240).contains(&code),
        };
        // -1 and neg(1) are two things.
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
        self.register(item, code, out);
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

    /// What an operand code names, with the half of the register that is meant.
    fn register(&self, item: &Item, code: u16, out: &mut Out) {
        self.code(code, item.dwords.into(), item.ty, out);
        if matches!(item.kind, Kind::Half | Kind::HalfSel) && code >= 256 {
            out.str(if half(item, self.inst).1 { ".h" } else { ".l" });
        }
    }

    /// What an operand code names.
    pub(super) fn code(&self, code: u16, dwords: u16, ty: Ty, out: &mut Out) {
        let t = self.operands;
        // Scalar tuples begin at the aligned register, as LLVM prints them and hardware reads them.
        let aligned = |n: u16| aligned(n, dwords);
        match code {
            256.. => tuple(b'v', code & 255, dwords, out),
            255 => self.literal(ty, dwords, out),
            128..=192 => out.dec(u32::from(code) - 128),
            193..=208 => out.signed(192 - i32::from(code)),
            240..=248 if ty == Ty::I16 => out.hex(F16_BITS[usize::from(code - 240) % 9]),
            _ if code <= t.sgpr_last => tuple(b's', aligned(code), dwords, out),
            _ if code >= t.ttmp_first && code <= t.ttmp_last => {
                out.literal(b"ttm");
                tuple(b'p', aligned(code - t.ttmp_first), dwords, out);
            }
            _ => {
                // A packed pair takes 32-bit constants.
                let packed = matches!(ty, Ty::PkF32 | Ty::PkI32) && code >= 240;
                let wide = dwords == 2 && !packed || ty == Ty::F64;
                out.str(self.name(code, wide));
            }
        }
    }

    /// A literal that an inline constant could hold is printed as `lit(...)`: an assembler would else choose the
    /// constant, which is shorter.
    fn literal(&self, ty: Ty, dwords: u16, out: &mut Out) {
        let v = self.literal_value();
        if ty == Ty::F64 {
            // The literal is the upper half of the number.
            if let Some(i) = F64_HIGH.iter().position(|&x| x == v) {
                return out.str(self.name(if i == 8 { 128 } else { 240 + i as u16 }, true));
            }
        }
        if self.is_inline(ty, dwords) {
            out.str("lit(");
            out.hex(v);
            out.byte(b')');
        } else {
            // Of 16 bits LLVM drops the upper half, which does not count.
            out.hex(if matches!(ty, Ty::F16 | Ty::I16) { v & 0xffff } else { v });
        }
    }

    /// The literal is the value of an inline constant.
    fn is_inline(&self, ty: Ty, dwords: u16) -> bool {
        let v = self.literal_value();
        let small = |n: i32| (-16..=64).contains(&n);
        let wide = dwords == 2 && matches!(ty, Ty::B | Ty::I64);
        match ty {
            Ty::F64 => false,
            _ if wide => v <= 64,
            Ty::F16 => small(i32::from(v as u16 as i16)) || self.is_inline_float(&F16_BITS, v & 0xffff),
            Ty::PkF16 => small(v as i32) || self.is_inline_float(&F16_BITS, v),
            // A bf16 is the upper half of a float.
            Ty::Bf16 => small(i32::from(v as u16 as i16)) || F32_BITS.iter().any(|x| x >> 16 == v & 0xffff),
            Ty::PkBf16 => small(v as i32) || F32_BITS.iter().any(|x| x >> 16 == v),
            _ => small(v as i32) || self.is_inline_float(&F32_BITS, v),
        }
    }

    /// The target has an inline constant with these bits: not each has 1/(2*pi).
    fn is_inline_float(&self, all: &[u32; 9], bits: u32) -> bool {
        self.inline_float(all, bits).is_some()
    }

    /// Its code.
    pub(super) fn inline_float(&self, all: &[u32; 9], bits: u32) -> Option<u16> {
        let code = 240 + all.iter().position(|&x| x == bits)? as u16;
        (self.text.code_at[usize::from(code)] != 0).then_some(code)
    }

    pub(super) fn literal_value(&self) -> u32 {
        self.inst.words().last().copied().unwrap_or(0)
    }

    /// The name of a code that is no plain register or integer.
    pub(super) fn name(&self, code: u16, wide: bool) -> &'static str {
        if code == 128 {
            return "0";
        }
        let number = self.text.code_at[usize::from(code) % 256];
        let entry = self.text.codes.get(usize::from(number).wrapping_sub(1));
        entry.map_or("?", |c| if wide { c.2 } else { c.1 })
    }
}

/// Bits of the constants 240 to 248 as 32-bit floats.
pub(super) const F32_BITS: [u32; 9] = [
    0x3f00_0000,
    0xbf00_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0xc000_0000,
    0x4080_0000,
    0xc080_0000,
    0x3e22_f983,
];

/// Upper halves of the constants 240 to 247 and of zero as 64-bit floats; their lower halves are zero.
const F64_HIGH: [u32; 9] =
    [0x3fe0_0000, 0xbfe0_0000, 0x3ff0_0000, 0xbff0_0000, 0x4000_0000, 0xc000_0000, 0x4010_0000, 0xc010_0000, 0];

/// Bits of 0.5 -0.5 1.0 -1.0 2.0 -2.0 4.0 -4.0 1/(2*pi) as 16-bit floats, codes 240 to 248: integer operands show these.
const F16_BITS: [u32; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];

#[inline(always)]
fn separate(separator: &str, out: &mut Out) {
    match separator.len() {
        0 => {}
        1 => out.byte(b' '),
        _ => out.literal(b", "),
    }
}

/// The first register of a scalar tuple.
#[inline(always)]
fn aligned(n: u16, dwords: u16) -> u16 {
    match dwords {
        0 | 1 => n,
        2 => n & !1,
        _ => n & !3,
    }
}

/// `v5` or `v[4:7]`
#[inline(always)]
fn tuple(file: u8, first: u16, dwords: u16, out: &mut Out) {
    if dwords == 1 {
        out.byte(file);
        return out.small(first as u8);
    }
    out.literal(&[file, b'[']);
    out.small(first as u8);
    out.byte(b':');
    // A tuple that reached past the last register would have been refused.
    out.dec(u32::from(first + dwords) - 1);
    out.byte(b']');
}
