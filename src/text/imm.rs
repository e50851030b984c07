//! Printing of immediates and modifiers.

use super::Printer;
use super::out::Out;
use crate::code::floats::F32_BITS;
use crate::codec::{bits, flag, modifier_bits};
use crate::flags::Flags;
use crate::imm::{DelayAlu, Depctr, GprIdx, Hwreg, Imm, Sendmsg, Waitcnt};
use crate::kind::{ListStyle, ModifierKind, Notation, NumberKind, OperandKind, Position};
use crate::opcode::Field;
use crate::table::{Counter, DataType, OperandDesc};
use crate::target::IMMS;

fn name_of(table: &[(u16, &'static str)], value: u32) -> Option<&'static str> {
    table.iter().find(|e| u32::from(e.0) == value).map(|e| e.1)
}

fn named(out: &mut Out, table: &[(u16, &'static str)], value: u32) {
    match name_of(table, value) {
        Some(name) => out.str(name),
        None => out.dec(value),
    }
}

/// Sign-extends the low `width` bits.
pub(super) fn extend(value: u32, width: u8) -> i32 {
    let up = 32 - u32::from(width).clamp(1, 32);
    ((value << up) as i32) >> up
}

/// The bits of a modifier that the text of its list shows.
pub(super) fn shown_bits(style: ListStyle, desc: &OperandDesc) -> u8 {
    match style {
        ListStyle::All | ListStyle::Always => (1 << desc.width) - 1,
        // If the operation uses only bit 3 (the half of the destination), the list also shows bit 0 (the half of the
        // first source).
        ListStyle::Plain | ListStyle::NegLo | ListStyle::Neg | ListStyle::Ones => {
            desc.used_bits | u8::from(desc.used_bits == 1 << 3)
        }
    }
}

impl Printer<'_> {
    pub(super) fn immediate(&self, desc: &OperandDesc, value: u32, out: &mut Out) {
        let OperandKind::Number(kind) = desc.kind else { return out.dec(value) };
        match kind {
            NumberKind::Plain(notation) => match notation {
                Notation::Hex | Notation::Unsigned | Notation::Events => out.hex(value),
                // Small numbers are decimal, as in all operands that can be an inline constant.
                Notation::Int16 if value <= 64 => out.dec(value),
                Notation::Int16 => out.hex(value),
                Notation::SignedHex => out.signed_hex(extend(value, desc.width)),
                Notation::Endpgm => out.dec(value),
                Notation::Version => self.version(value, out),
            },
            NumberKind::Label => out.dec(value),
            NumberKind::Literal { .. } => self.mandatory_literal(desc, out),
            NumberKind::Attribute { channel } => {
                out.str("attr");
                out.dec(value);
                out.byte(b'.');
                out.byte([b'x', b'y', b'z', b'w'][bits(self.inst, channel, 2) as usize & 3]);
            }
            NumberKind::Choice(list) => self.named_or(self.text.names.of_number(list), list.unnamed(), value, out),
            NumberKind::Parts(kind) => self.parts(Imm::decode(self.inst.target(), kind, value as u16), value, out),
        }
    }

    /// Prints a literal that the operation always has. A literal with the value of an inline constant is printed as
    /// this constant, except in operations with a source that could be a literal, too.
    fn mandatory_literal(&self, desc: &OperandDesc, out: &mut Out) {
        let v = self.literal_value();
        if desc.ty != DataType::Bits {
            return out.hex(v);
        }
        match self.inline_float(&F32_BITS, v) {
            Some(code) => out.str(self.name(code, false)),
            None if (-16..=64).contains(&(v as i32)) => out.signed(v as i32),
            None => out.hex(v),
        }
    }

    /// Prints a constant that has parts; `value` is the whole constant.
    fn parts(&self, imm: Imm, value: u32, out: &mut Out) {
        match imm {
            Imm::Waitcnt(w) => self.waitcnt(w, out),
            Imm::Hwreg(h) => self.hwreg(h, out),
            Imm::Sendmsg(m) => self.sendmsg(m, value, out),
            Imm::GprIdx(g) if g.rest == 0 => self.gpr_idx(g, out),
            Imm::GprIdx(_) => out.hex(value),
            Imm::Depctr(d) if d.rest == 0 => self.depctr(d, out),
            Imm::Depctr(_) => out.hex(value),
            Imm::DelayAlu(d) => self.delay_alu(d, value, out),
        }
    }

    fn hwreg(&self, Hwreg { id, offset, size }: Hwreg, out: &mut Out) {
        out.str("hwreg(");
        named(out, self.text.names.hwreg, id.into());
        if (offset, size) != (0, 32) {
            out.str(", ");
            out.dec(offset.into());
            out.str(", ");
            out.dec(size.into());
        }
        out.byte(b')');
    }

    /// Prints names if the operation and the stream fit the message, or numbers otherwise.
    fn sendmsg(&self, Sendmsg { message, op, stream, rest }: Sendmsg, value: u32, out: &mut Out) {
        let operations = IMMS[self.inst.target() as usize].operations_of(message);
        let has_stream = operations.is_some_and(|row| row.has_stream(op));
        let op_name = name_of(self.text.names.sendmsg, message.into()).and_then(|name| match operations {
            Some(row) if row.accepts(op) && (has_stream || stream == 0) => {
                name_of(self.text.names.of_operations(row.list), op.into()).map(|op| (name, op))
            }
            None if op == 0 && stream == 0 => Some((name, "")),
            _ => None,
        });
        if op_name.is_none() && rest != 0 {
            return out.dec(value);
        }
        out.str("sendmsg(");
        match op_name {
            Some((name, op_name)) => {
                out.str(name);
                if !op_name.is_empty() {
                    out.str(", ");
                    out.str(op_name);
                }
                if has_stream {
                    out.str(", ");
                    out.dec(stream.into());
                }
            }
            None => {
                out.dec(message.into());
                for n in [op, stream] {
                    out.str(", ");
                    out.dec(n.into());
                }
            }
        }
        out.byte(b')');
    }

    /// Prints counters. Counters at their maximum, which do not wait, are omitted unless all are at their maximum.
    fn waitcnt(&self, wait: Waitcnt, out: &mut Out) {
        let all = wait.counters().is_empty();
        let max = |counter| if all { Waitcnt::max(self.inst.target(), counter) } else { None };
        let mut show = |counter: Counter, name: &[u8; 8], len| {
            if let Some(count) = wait.get(counter).or_else(|| max(counter)) {
                out.part(name, len);
                out.small(count);
                out.literal(b") ");
            }
        };
        show(Counter::Vmcnt, b"vmcnt(  ", 6);
        show(Counter::Expcnt, b"expcnt( ", 7);
        show(Counter::Lgkmcnt, b"lgkmcnt(", 8);
        out.len -= 1;
    }

    fn gpr_idx(&self, GprIdx { src0, src1, src2, dst, .. }: GprIdx, out: &mut Out) {
        let mut separator = "gpr_idx(";
        for (name, _) in [("SRC0", src0), ("SRC1", src1), ("SRC2", src2), ("DST", dst)].iter().filter(|x| x.1) {
            out.str(separator);
            out.str(name);
            separator = ",";
        }
        out.str(if separator == "," { ")" } else { "gpr_idx()" });
    }

    /// Prints the parts of the constant. Parts at their maximum, which do not wait, are omitted unless all are at their
    /// maximum.
    fn depctr(&self, wait: Depctr, out: &mut Out) {
        let all = wait.parts().iter().all(|(_, count)| count.is_none());
        let mut separator = "";
        for (part, count) in wait.parts() {
            let max = Depctr::max(self.inst.target(), part);
            let Some(count) = count.or(if all && max > 0 { Some(max) } else { None }) else { continue };
            out.str(separator);
            out.str("depctr_");
            out.str(part.name());
            out.byte(b'(');
            out.dec(count.into());
            out.byte(b')');
            separator = " ";
        }
    }

    /// Prints the parts of the constant. Parts that are zero have no meaning and are omitted; the text is `0` if all
    /// are zero.
    fn delay_alu(&self, DelayAlu { instid0, instskip, instid1, .. }: DelayAlu, value: u32, out: &mut Out) {
        let parts = [
            (Field::Instid0, instid0, self.text.names.instid),
            (Field::Instskip, instskip, self.text.names.instskip),
            (Field::Instid1, instid1, self.text.names.instid),
        ];
        if parts.iter().any(|(_, part, names)| name_of(names, (*part).into()).is_none()) {
            return out.hex(value);
        }
        let mut separator = "";
        for (field, part, names) in parts.into_iter().filter(|(_, part, _)| *part != 0) {
            out.str(separator);
            out.str(field.name());
            out.byte(b'(');
            named(out, names, part.into());
            out.byte(b')');
            separator = " | ";
        }
        if separator.is_empty() {
            out.byte(b'0');
        }
    }

    /// Prints a generation (the low byte) and the marks in the bits above it, as names joined by `|`. Each mark except
    /// the last adds a pair of parentheses.
    fn version(&self, value: u32, out: &mut Out) {
        let is_set = |mark: &&(u16, &str)| u8::try_from(mark.0).is_err() && value & u32::from(mark.0) != 0;
        let set = self.text.names.version.iter().filter(is_set);
        let rest = set.clone().fold(value, |rest, mark| rest & !u32::from(mark.0));
        let Ok(generation) = u8::try_from(rest) else { return out.hex(value) };
        (1..set.clone().count()).for_each(|_| out.byte(b'('));
        named(out, self.text.names.version, generation.into());
        for (n, (_, name)) in set.enumerate() {
            out.str(if n == 0 { "|" } else { ")|" });
            out.str(name);
        }
    }

    fn named_or(&self, table: &[(u16, &'static str)], invalid: &str, value: u32, out: &mut Out) {
        match name_of(table, value) {
            Some(name) => out.str(name),
            None => {
                out.str(invalid);
                out.dec(value);
            }
        }
    }

    pub(super) fn modifier(&self, desc: &OperandDesc, out: &mut Out) {
        let OperandKind::Modifier(kind) = desc.kind else { return };
        let v = modifier_bits(desc, self.inst);
        let number = |out: &mut Out| {
            self.label(desc, out);
            out.dec(v);
        };
        let hex = |out: &mut Out| {
            self.label(desc, out);
            out.hex(v);
        };
        let named = |names, out: &mut Out| {
            self.label(desc, out);
            named(out, names, v);
        };
        match kind {
            ModifierKind::Hidden => {}
            ModifierKind::Wait => number(out),
            ModifierKind::DppMask => hex(out),
            ModifierKind::Choice(list) if v != 0 || list.is_always_shown() => {
                named(self.text.names.of_modifier(list), out)
            }
            ModifierKind::Choice(_) => {}
            ModifierKind::DppCtrl => self.dpp_ctrl(v, out),
            ModifierKind::Dpp8 { code } => self.dpp8(code, v, out),
            ModifierKind::MtbufFormat { nfmt } => self.mtbuf_format(nfmt, v, out),
            // BUF_FMT_8_UNORM is the assembler's default, which the text omits.
            ModifierKind::BufferFormat if v != 1 => self.buf_fmt(v, out),
            ModifierKind::BufferFormat => {}
            ModifierKind::List(style) => {
                let used = u32::from(desc.used_bits);
                let is_shown = match style {
                    ListStyle::Plain | ListStyle::NegLo | ListStyle::Neg | ListStyle::All => v & used != 0,
                    ListStyle::Ones => v & used != used,
                    ListStyle::Always => true,
                };
                if is_shown {
                    self.list(style, desc, v, out);
                }
            }
            // The text omits all other modifiers if they are zero.
            _ if v == 0 => {}
            ModifierKind::Flag { .. } => {
                out.byte(b' ');
                out.str(desc.field.name());
            }
            ModifierKind::ByteSel => {
                out.literal(b" byte_sel:");
                out.dec(v);
            }
            ModifierKind::Named => number(out),
            ModifierKind::Dmask => hex(out),
            ModifierKind::Signed => {
                self.label(desc, out);
                out.signed(extend(v, desc.width));
            }
            ModifierKind::Bitop3 { .. } => {
                out.str(" bitop3:");
                if v <= 10 { out.signed(v as i32) } else { out.hex(v) }
            }
            ModifierKind::Omod => {
                out.byte(b' ');
                out.str(name_of(self.text.names.omod, v).unwrap_or(""));
            }
            ModifierKind::DppBound => out.str(" bound_ctrl:1"),
            ModifierKind::Swizzle => self.swizzle(v, out),
            ModifierKind::TemporalHint { scope } => self.temporal_hint(scope, desc, v, out),
        }
    }

    /// Prints ` name:`.
    fn label(&self, desc: &OperandDesc, out: &mut Out) {
        out.byte(b' ');
        out.str(desc.field.name());
        out.byte(b':');
    }

    fn list(&self, style: ListStyle, desc: &OperandDesc, value: u32, out: &mut Out) {
        match style {
            ListStyle::NegLo => out.literal(b" neg_lo:"),
            ListStyle::Neg => out.literal(b" neg:"),
            ListStyle::Plain | ListStyle::All | ListStyle::Ones | ListStyle::Always => self.label(desc, out),
        }
        out.bits(value, desc.used_bits.into(), shown_bits(style, desc));
    }

    fn dpp_ctrl(&self, value: u32, out: &mut Out) {
        out.byte(b' ');
        // Find the last entry that is not above the value. If it covers a run of values, `lane` is the position in the
        // run.
        let Some(&(first, name)) = self.text.names.dpp_ctrl.iter().rev().find(|e| u32::from(e.0) <= value) else {
            return;
        };
        out.str(name);
        let lane = value - u32::from(first);
        match name {
            "quad_perm" => {
                for lane in 0..4 {
                    out.str(if lane == 0 { ":[" } else { "," });
                    out.dec(value >> (2 * lane) & 3);
                }
                out.byte(b']');
            }
            "row_shl" | "row_shr" | "row_ror" => {
                out.byte(b':');
                out.dec(lane + 1);
            }
            "row_newbcast" | "row_share" | "row_xmask" => {
                out.byte(b':');
                out.dec(lane);
            }
            _ => {}
        }
    }

    /// Prints the source lane for each of eight lanes. Two codes announce the dword with these lanes; the even one
    /// means `fi:1`.
    fn dpp8(&self, code: Position, value: u32, out: &mut Out) {
        for lane in 0..8 {
            out.str(if lane == 0 { " dpp8:[" } else { "," });
            out.dec(value >> (3 * lane) & 7);
        }
        out.byte(b']');
        if !flag(self.inst, code) {
            out.str(" fi:1");
        }
    }

    /// Prints a temporal hint. Loads, stores and atomic operations have different names; the names of some values also
    /// depend on the scope.
    fn temporal_hint(&self, scope: Position, desc: &OperandDesc, value: u32, out: &mut Out) {
        /// The bit of an atomic operation's hint that makes it act in the caches of all scopes. The bit has a meaning
        /// only if the scope spans several shader engines.
        const CASCADE: u32 = 4;
        const SYSTEM: u32 = 3;
        let (flags, scope) = (Flags(self.inst.info().flags), bits(self.inst, scope, 2));
        self.label(desc, out);
        let t = &self.text.names;
        let (table, system) = match () {
            _ if flags.is_atomic() && value & CASCADE != 0 && scope < 2 => {
                out.str("TH_ATOMIC_");
                return out.hex(value);
            }
            _ if flags.is_atomic() => (t.th_atomic, &[][..]),
            _ if flags.is_store() => (t.th_store, t.th_store_system),
            _ => (t.th_load, t.th_load_system),
        };
        let name = name_of(if scope == SYSTEM { system } else { &[] }, value).or_else(|| name_of(table, value));
        // Bit 0 makes an atomic operation return the old value. Some names stand for both values of this bit.
        match name.or_else(|| name_of(table, value & !1).filter(|_| flags.is_atomic())) {
            Some(name) => out.str(name),
            None => out.hex(value),
        }
    }

    fn mtbuf_format(&self, nfmt: Position, dfmt: u32, out: &mut Out) {
        let nfmt = bits(self.inst, nfmt, 3);
        // BUF_DATA_FORMAT_8 and BUF_NUM_FORMAT_UNORM are the assembler's defaults, which the text omits.
        let (d, n) = (dfmt != 1, nfmt != 0);
        if !d && !n {
            return;
        }
        out.str(" format:[");
        if d {
            named(out, self.text.names.dfmt, dfmt);
        }
        if d && n {
            out.byte(b',');
        }
        if n {
            named(out, self.text.names.nfmt, nfmt);
        }
        out.byte(b']');
    }

    fn buf_fmt(&self, v: u32, out: &mut Out) {
        out.literal(b" format:");
        match name_of(self.text.names.buf_fmt, v) {
            Some(name) => {
                out.byte(b'[');
                out.str(name);
                out.byte(b']');
            }
            None => out.dec(v),
        }
    }

    /// Prints the offset of ds_swizzle_b32 as the mode that its bits hold.
    fn swizzle(&self, offset: u32, out: &mut Out) {
        out.str(" offset:");
        let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
        let mode = self.text.names.swizzle.iter().rev().find(|e| u32::from(e.0) <= offset).map_or("", |e| e.1);
        match mode {
            "FFT" => {
                out.str("swizzle(FFT,");
                out.dec(and);
            }
            "ROTATE" => {
                out.str("swizzle(ROTATE,");
                out.dec(offset >> 10 & 1);
                out.byte(b',');
                out.dec(or);
            }
            "QUAD_PERM" if offset <= 0x80ff => {
                out.str("swizzle(QUAD_PERM");
                for lane in 0..4 {
                    out.byte(b',');
                    out.dec(offset >> (2 * lane) & 3);
                }
            }
            "" => self.bitmask(and, or, xor, out),
            _ => return out.dec(offset),
        }
        out.byte(b')');
    }

    fn bitmask(&self, and: u32, or: u32, xor: u32, out: &mut Out) {
        let group = (!and & 31) + 1;
        if and == 31 && or == 0 && xor.is_power_of_two() {
            out.str("swizzle(SWAP,");
            return out.dec(xor);
        }
        if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
            out.str("swizzle(REVERSE,");
            return out.dec(xor + 1);
        }
        if group > 1 && group.is_power_of_two() && xor == 0 && or < group {
            out.str("swizzle(BROADCAST,");
            out.dec(group);
            out.byte(b',');
            return out.dec(or);
        }
        out.str("swizzle(BITMASK_PERM,\"");
        for bit in (0..5).rev() {
            // `of(0)` is the new value of a lane bit that was 0, and `of(1)` that of a lane bit that was 1.
            let of = |b: u32| ((b & (and >> bit)) | (or >> bit & 1)) ^ (xor >> bit & 1);
            out.byte(match (of(0) & 1, of(1) & 1) {
                (0, 0) => b'0',
                (1, 1) => b'1',
                (0, 1) => b'p',
                _ => b'i',
            });
        }
        out.byte(b'"');
    }
}
