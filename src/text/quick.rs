//! The common instructions: their operands are registers and small numbers, whose texts stand in tables.

use super::Printer;
use super::imm::extend;
use super::operand::{aligned, tuple};
use super::out::{Out, SIZE, SLACK};
use crate::Inst;
use crate::common::MNEMONICS;
use crate::operand::{code, flag, value};
use crate::table::{ModifierWay, QuickOperand, QuickShape, Way, paged};
use crate::target::{ITEMS, OPERANDS, QUICK};

/// On bare metal bytes count more than time.
const SMALL: bool = cfg!(target_os = "none");

/// Prints an instruction of the common kind; false, and nothing is printed, if it is none.
#[inline(always)]
pub(super) fn print(inst: &Inst, out: &mut Out) -> bool {
    !SMALL && inst.form() == 0 && try_print(inst, out).is_some()
}

/// The place in the text is in a register: for all that the compiler knows, what is written could change a place in
/// memory.
#[inline(always)]
fn try_print(inst: &Inst, out: &mut Out) -> Option<()> {
    let t = QUICK[inst.target() as usize];
    let row = paged(t.pages, t.rows, inst.slot())?;
    let shape = t.shapes.get((row as usize >> 22).wrapping_sub(1))?;
    let bits = inst.bits();
    if bits & shape.marks != 0 {
        return None;
    }
    let name = row as usize & 0xffff;
    let name = MNEMONICS.as_bytes().get(name..name + 48)?.first_chunk::<48>()?;
    let operands = t.operands.get(shape.first.into()..usize::from(shape.first) + usize::from(shape.operands))?;
    *out.buffer.first_chunk_mut()? = *name;
    let mut at = row as usize >> 16 & 63;
    let suffix = SUFFIXES[usize::from(shape.suffix) % SUFFIXES.len()];
    put(&mut out.buffer, at, suffix.to_le_bytes());
    at += (suffix >> 56) as usize;
    let mut left = operands.iter();
    loop {
        let from = left.as_slice();
        let Some(operand) = left.next() else { break };
        let text = text(operand, bits);
        if text[15] == 0 {
            resume(inst, shape, from, at, out);
            return Some(());
        }
        put(&mut out.buffer, at, *text);
        at += usize::from(text[15]);
    }
    // The last comma is too much, or the blank behind the name.
    out.len = if operands.is_empty() { at - 1 } else { at - 2 };
    if bits & shape.loud != shape.quiet {
        modifiers(inst, shape, out);
    }
    Some(())
}

/// Goes on with operands of which the first has no text. Apart, so that there is nothing to keep for the others.
#[inline(never)]
fn resume(inst: &Inst, shape: &QuickShape, operands: &[QuickOperand], at: usize, out: &mut Out) {
    out.len = at;
    for operand in operands {
        let text = text(operand, inst.bits());
        if text[15] == 0 {
            other(inst, operand, out);
        } else {
            out.part(text, text[15].into());
        }
    }
    let comma = out.buffer.get(out.len.wrapping_sub(2)) == Some(&b',');
    out.len -= if comma { 2 } else { 1 };
    if inst.bits() & shape.loud != shape.quiet {
        modifiers(inst, shape, out);
    }
}

/// With its length in the last byte, which is zero if there is none.
#[inline(always)]
fn text(operand: &QuickOperand, bits: u64) -> &'static [u8; 16] {
    let mut number = (bits.rotate_right(operand.turn.into()) as u16 & operand.mask).wrapping_add(operand.add);
    if operand.way != Way::Text {
        number = other_text(operand, number, bits);
    }
    &TEXTS[usize::from(number) % TEXTS.len()]
}

#[inline(never)]
fn modifiers(inst: &Inst, shape: &QuickShape, out: &mut Out) {
    let first = usize::from(shape.modifiers);
    let p = Printer::new(inst);
    for modifier in QUICK[inst.target() as usize].modifiers.get(first..first + usize::from(shape.count)).unwrap_or(&[])
    {
        if inst.bits() & modifier.loud != modifier.quiet {
            let Some(item) = p.items.items.get(usize::from(modifier.item)) else { continue };
            out.part(&modifier.label, modifier.label[15].into());
            match modifier.way {
                ModifierWay::Flag => {}
                ModifierWay::Number => out.dec(value(item, inst)),
                ModifierWay::Signed => out.signed(extend(value(item, inst), item.width)),
                ModifierWay::List => out.bits(value(item, inst), item.used.into(), item.used),
                ModifierWay::Item => p.modifier(item, out),
            }
        }
    }
}

/// Puts bytes down; they are lost where there is no room, which never happens.
#[inline(always)]
fn put<const N: usize>(buffer: &mut [u8; SIZE + SLACK], at: usize, bytes: [u8; N]) {
    const { assert!(N <= SLACK) };
    // With this the compiler sees that there is room.
    if at < SIZE {
        if let Some(to) = buffer.get_mut(at..at + N) {
            to.copy_from_slice(&bytes);
        }
    }
}

/// The number of a text, for other ways than `Way::Text`. That of what has no text is past the last, or a constant.
#[inline(always)]
fn other_text(operand: &QuickOperand, number: u16, bits: u64) -> u16 {
    let bits = bits >> (operand.bit & 63);
    match operand.way {
        Way::AccText => number + (number & VECTOR & (bits as u16) << 8),
        Way::Address if bits & 127 == 127 => number + PAIR,
        Way::Address => number,
        _ => NO_TEXT,
    }
}

/// What has no text of its own, and a comma behind it.
#[inline(never)]
fn other(inst: &Inst, operand: &QuickOperand, out: &mut Out) {
    let target = inst.target() as usize;
    let Some(item) = ITEMS[target].items.get(usize::from(operand.item)) else { return };
    let p = Printer::new(inst);
    let dwords = u16::from(item.dwords);
    match operand.way {
        Way::Constant => p.immediate(item, value(item, inst), out),
        Way::Item => {
            if !p.operand(item, "", out) {
                return;
            }
        }
        _ => match code(item, inst) {
            code @ 256.. if operand.way == Way::AccTuple && flag(inst, operand.bit) => {
                tuple(b'a', code & 255, dwords, out)
            }
            code @ 256.. => tuple(b'v', code & 255, dwords, out),
            code if code <= OPERANDS[target].sgpr_last => tuple(b's', aligned(code, dwords), dwords, out),
            code => p.code(code, dwords, item.ty, out),
        },
    }
    out.literal(b", ");
}

/// What stands behind a mnemonic.
static SUFFIXES: [u64; 4] = [short(b" "), short(b"_e32 "), short(b"_e64 "), short(b" ")];

/// `s5, `, `v[4:5], ` and `-5, ` by operand codes, with their lengths in the last byte; that is 0 where a code is
/// something else, or not the same on all targets. One after the other:
///
/// * the codes of single registers, and accumulation registers behind the vector registers;
/// * scalar addresses, which are pairs;
/// * the codes of pairs, and pairs of accumulation registers.
static TEXTS: [[u8; 16]; 0x800] = {
    let mut all = [[0; 16]; 0x800];
    let mut number = 0;
    while number < all.len() {
        let (n, text) = (number & 255, Text::new());
        let text = match number >> 8 {
            0 | 4 if n >= 128 => text.constant(n),
            0 if n <= SCALAR_LAST => text.register(b's', n),
            1 => text.register(b'v', n),
            2 => text.register(b'a', n),
            3 if n == 127 => text.word(b"off"),
            3 | 4 if n <= SCALAR_LAST => text.pair(b's', n & !1),
            0 if n == 106 => text.word(b"vcc_lo"),
            0 if n == 107 => text.word(b"vcc_hi"),
            0 if n == 126 => text.word(b"exec_lo"),
            0 if n == 127 => text.word(b"exec_hi"),
            3 | 4 if n == 106 => text.word(b"vcc"),
            4 if n == 126 => text.word(b"exec"),
            5 if n < 255 => text.pair(b'v', n),
            6 if n < 255 => text.pair(b'a', n),
            _ => text,
        };
        all[number] = text.comma();
        number += 1;
    }
    all
};

/// The number of no text.
const NO_TEXT: u16 = 0x7ff;
/// What is added to the number of a register's text for that of a pair.
const PAIR: u16 = 0x400;
/// The bit that the numbers of vector registers have, and scalar ones have not.
const VECTOR: u16 = 0x100;

/// Scalar registers that every target has.
const SCALAR_LAST: usize = 101;

/// A text under construction, for tables that are made when the library is compiled.
#[derive(Clone, Copy)]
struct Text([u8; 16], usize);

impl Text {
    const fn new() -> Text {
        Text([0; 16], 0)
    }

    const fn byte(mut self, byte: u8) -> Text {
        self.0[self.1] = byte;
        self.1 += 1;
        self
    }

    const fn word(mut self, word: &[u8]) -> Text {
        let mut n = 0;
        while n < word.len() {
            self = self.byte(word[n]);
            n += 1;
        }
        self
    }

    const fn number(self, n: usize) -> Text {
        let text = if n >= 100 { self.byte(b'0' + (n / 100) as u8) } else { self };
        let text = if n >= 10 { text.byte(b'0' + (n / 10 % 10) as u8) } else { text };
        text.byte(b'0' + (n % 10) as u8)
    }

    const fn register(self, file: u8, n: usize) -> Text {
        self.byte(file).number(n)
    }

    const fn pair(self, file: u8, n: usize) -> Text {
        self.byte(file).byte(b'[').number(n).byte(b':').number(n + 1).byte(b']')
    }

    /// What a constant's code stands for; nothing for other codes.
    const fn constant(self, code: usize) -> Text {
        match code {
            128..=192 => self.number(code - 128),
            193..=208 => self.byte(b'-').number(code - 192),
            240 => self.word(b"0.5"),
            241 => self.word(b"-0.5"),
            242 => self.word(b"1.0"),
            243 => self.word(b"-1.0"),
            244 => self.word(b"2.0"),
            245 => self.word(b"-2.0"),
            246 => self.word(b"4.0"),
            247 => self.word(b"-4.0"),
            _ => self,
        }
    }

    /// With a comma behind it, and its length; nothing if there is nothing.
    const fn comma(self) -> [u8; 16] {
        if self.1 == 0 {
            return [0; 16];
        }
        let mut text = self.byte(b',').byte(b' ');
        text.0[15] = text.1 as u8;
        text.0
    }
}

/// A text with its length in the last byte.
const fn short(text: &[u8]) -> u64 {
    let mut all = [0; 8];
    let mut n = 0;
    while n < text.len() {
        all[n] = text[n];
        n += 1;
    }
    all[7] = n as u8;
    u64::from_le_bytes(all)
}
