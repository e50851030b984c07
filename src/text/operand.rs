//! Registers and constants.

use super::Printer;
use super::out::Out;
use crate::operand::{SmemOffset, code, flag, global_addr_dwords, sdwa_code, smem_offset, value};
use crate::table::{Item, Kind, NONE, Ty};

impl Printer<'_> {
    /// Prints an operand behind a separator; false if the instruction has it not.
    pub(super) fn operand(&self, item: &Item, separator: &str, out: &mut Out) -> bool {
        let inst = self.inst;
        let conditional = item.cond != NONE && item.kind != Kind::SdwaSrc;
        if conditional && item.access == 2 && !flag(inst, item.cond) {
            return false;
        }
        if item.kind == Kind::LdsData && flag(inst, item.aux[1]) {
            return false;
        }
        out.str(separator);
        let dwords = u16::from(item.dwords);
        match item.kind {
            Kind::Code => self.source(item, code(item, inst), out),
            Kind::SdwaSrc => self.source(item, sdwa_code(item, inst), out),
            Kind::Agpr => tuple(b'a', code(item, inst) & 255, dwords, out),
            Kind::Acc | Kind::LdsData => match code(item, inst) {
                c @ 256.. if flag(inst, item.aux[0]) => tuple(b'a', c & 255, dwords, out),
                c => self.code(c, dwords, item.ty, out),
            },
            Kind::SdstOrVcc if flag(inst, item.aux[0]) => self.code(code(item, inst), dwords, item.ty, out),
            Kind::SdstOrVcc | Kind::Vcc => out.str("vcc"),
            Kind::BufVaddr => match u16::from(flag(inst, item.aux[0])) + u16::from(flag(inst, item.aux[1])) {
                0 => out.str("off"),
                n => self.code(code(item, inst), n, item.ty, out),
            },
            Kind::GlobalAddr => self.code(code(item, inst), global_addr_dwords(item, inst), item.ty, out),
            Kind::ScratchAddr if !flag(inst, item.aux[0]) => out.str("off"),
            Kind::ScratchAddr => self.code(code(item, inst), dwords, item.ty, out),
            Kind::Saddr => match code(item, inst) {
                127 => out.str("off"),
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

    /// A source with its sign, absolute value or sign extension.
    fn source(&self, item: &Item, code: u16, out: &mut Out) {
        let [neg, abs, sext] = item.aux.map(|bit| flag(self.inst, bit));
        let constant = (128..=248).contains(&code) && !(209..240).contains(&code) || code == 255;
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
        self.code(code, u16::from(item.dwords), item.ty, out);
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

    /// What an operand code names.
    pub(super) fn code(&self, code: u16, dwords: u16, ty: Ty, out: &mut Out) {
        let t = self.operands;
        // Scalar tuples begin at the aligned register, as LLVM prints them and hardware reads them.
        let aligned = |n: u16| n & !(dwords.next_power_of_two().min(4) - 1);
        match code {
            256.. => tuple(b'v', code & 255, dwords, out),
            255 => self.literal(ty, out),
            128..=192 => out.dec(u32::from(code) - 128),
            193..=208 => out.signed(192 - i32::from(code)),
            240..=248 if matches!(ty, Ty::I16 | Ty::PkI16) => out.hex(F16_BITS[usize::from(code - 240) % 9]),
            _ if code <= t.sgpr_last => tuple(b's', aligned(code), dwords, out),
            _ if code >= t.ttmp_first && code <= t.ttmp_last => {
                out.str("ttm");
                tuple(b'p', aligned(code - t.ttmp_first), dwords, out);
            }
            _ => {
                let wide = dwords == 2 && ty != Ty::PkF32 && ty != Ty::PkI32 || ty == Ty::F64;
                let entry = self.text.codes.iter().find(|c| c.0 == code);
                out.str(entry.map_or("?", |c| if wide { c.2 } else { c.1 }));
            }
        }
    }

    fn literal(&self, ty: Ty, out: &mut Out) {
        let value = self.inst.words().last().copied().unwrap_or(0);
        // A 16-bit operand shows the half that counts.
        out.hex(if matches!(ty, Ty::F16 | Ty::I16) { value & 0xffff } else { value });
    }
}

/// Bits of 0.5 -0.5 1.0 -1.0 2.0 -2.0 4.0 -4.0 1/(2*pi) as 16-bit floats, codes 240 to 248: integer operands show these.
const F16_BITS: [u32; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];

/// `v5` or `v[4:7]`
fn tuple(file: u8, first: u16, dwords: u16, out: &mut Out) {
    out.byte(file);
    if dwords == 1 {
        out.dec(first.into());
        return;
    }
    out.byte(b'[');
    out.dec(first.into());
    out.byte(b':');
    out.dec(u32::from(first + dwords) - 1);
    out.byte(b']');
}
