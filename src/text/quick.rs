//! The common instructions: their operands are registers and small numbers, whose texts stand in tables.

use super::Printer;
use super::imm::extend;
use super::operand::{aligned, tuple};
use super::out::{DECIMAL, Out, SIZE, SLACK};
use super::texts::{NO_TEXT, PAIR, TEXTS, VECTOR};
use crate::common::MNEMONICS;
use crate::operand::{code, flag, value};
use crate::table::{ModifierWay, QuickOperand, QuickShape, SMALL, Way, paged};
use crate::target::generated::{OTHER, SCALAR_LAST};
use crate::target::{ITEMS, OPERANDS, QUICK};
use crate::{Inst, Waitcnt};

/// Bytes of the longest name that is printed in this way.
const NAME: usize = 32;

/// Prints an instruction of the common kind; false, and nothing is printed, if it is none.
#[inline(always)]
pub(super) fn print(inst: &Inst, bits: u64, out: &mut Out) -> bool {
    !SMALL && inst.form() == 0 && try_print(inst, bits, out).is_some()
}

/// The place in the text is in a register: for all that the compiler knows, what is written could change a place in
/// memory. Nothing is called but at the end, so that nothing need be kept.
#[inline(always)]
fn try_print(inst: &Inst, bits: u64, out: &mut Out) -> Option<()> {
    let t = QUICK[inst.target() as usize];
    let row = paged(t.pages, t.rows, inst.slot())?;
    let shape = t.shapes.get((row as usize >> 22).wrapping_sub(1))?;
    if bits & shape.marks != 0 {
        return None;
    }
    let name = row as usize & 0xffff;
    let name = MNEMONICS.as_bytes().get(name..name + NAME)?.first_chunk::<NAME>()?;
    let operands = t.operands.get(shape.first.into()..usize::from(shape.first) + usize::from(shape.operands))?;
    *out.buffer.first_chunk_mut()? = *name;
    let mut at = row as usize >> 16 & 63;
    put(&mut out.buffer, at, shape.suffix.to_le_bytes());
    at += (shape.suffix >> 56) as usize;
    let mut left = operands.iter();
    loop {
        let from = left.as_slice();
        let Some(operand) = left.next() else { break };
        let number = number(operand, bits);
        let text = match TEXTS.get(number) {
            Some(text) => text,
            None => {
                unlikely();
                match operand.way {
                    Way::AccText | Way::Address => text(operand, bits),
                    Way::Waitcnt => {
                        waitcnt(inst, at, out);
                        return Some(());
                    }
                    _ => {
                        let Some(len) = long_tuple(operand, number, bits, at, out) else {
                            resume(inst, shape, from, at, out);
                            return Some(());
                        };
                        at += len;
                        continue;
                    }
                }
            }
        };
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

/// What leads here is moved out of the way of what mostly happens.
#[cold]
#[inline(always)]
fn unlikely() {}

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

/// The number of the text, and `OTHER` more for ways other than `Way::Text`.
#[inline(always)]
fn number(operand: &QuickOperand, bits: u64) -> usize {
    let field = bits.rotate_right(operand.turn.into()) as u32 & u32::from(operand.mask);
    (field + u32::from(operand.add)) as usize
}

/// With its length in the last byte, which is zero if there is none.
#[inline(always)]
fn text(operand: &QuickOperand, bits: u64) -> &'static [u8; 16] {
    let number = number(operand, bits);
    let behind = bits >> (operand.bit & 63);
    let number = match operand.way {
        Way::Text | Way::Number => number.min(NO_TEXT),
        Way::AccText => number - OTHER + (number & VECTOR & (behind as usize) << 8),
        Way::Address if behind & 127 == 127 => number - OTHER + PAIR,
        Way::Address => number - OTHER,
        _ => NO_TEXT,
    };
    &TEXTS[number % TEXTS.len()]
}

/// Puts more than two registers down, and a comma, and returns their length; `None` if it is something else.
#[inline(always)]
fn long_tuple(operand: &QuickOperand, number: usize, bits: u64, at: usize, out: &mut Out) -> Option<usize> {
    let code = number.wrapping_sub(OTHER);
    let vector = code & VECTOR != 0;
    let first = if vector { code as u8 } else { code as u8 & !3 };
    let file = match operand.way {
        Way::AccTuple if vector && bits >> (operand.bit & 63) & 1 == 1 => b'a',
        Way::Tuple | Way::AccTuple if vector => b'v',
        Way::Tuple | Way::AccTuple if code <= SCALAR_LAST.into() => b's',
        _ => return None,
    };
    let last = first.wrapping_add(operand.dwords.wrapping_sub(1));
    let room = out.buffer.get_mut(at..)?.first_chunk_mut::<SLACK>()?;
    room[..2].copy_from_slice(&[file, b'[']);
    room[2..6].copy_from_slice(&DECIMAL[usize::from(first)]);
    let at = 2 + usize::from(DECIMAL[usize::from(first)][3] & 3);
    room[at] = b':';
    room[at + 1..at + 5].copy_from_slice(&DECIMAL[usize::from(last)]);
    let at = at + 1 + usize::from(DECIMAL[usize::from(last)][3] & 3);
    room[at..at + 4].copy_from_slice(b"],  ");
    Some(at + 3)
}

/// The counters that are waited for: the only operand of its operation.
#[inline(never)]
fn waitcnt(inst: &Inst, at: usize, out: &mut Out) {
    out.len = at;
    Printer::new(inst).waitcnt(Waitcnt::decode(inst.target(), inst.bits() as u16), out);
}

#[inline(never)]
fn modifiers(inst: &Inst, shape: &QuickShape, out: &mut Out) {
    let first = usize::from(shape.modifiers);
    let p = Printer::new(inst);
    let all = QUICK[inst.target() as usize].modifiers.get(first..first + usize::from(shape.count));
    for modifier in all.unwrap_or(&[]) {
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

/// What has no text of its own, and a comma behind it.
#[inline(never)]
fn other(inst: &Inst, operand: &QuickOperand, out: &mut Out) {
    let target = inst.target() as usize;
    let Some(item) = ITEMS[target].items.get(usize::from(operand.item)) else { return };
    let p = Printer::new(inst);
    let dwords = u16::from(item.dwords);
    match operand.way {
        Way::Number | Way::Constant | Way::Waitcnt => p.immediate(item, value(item, inst), out),
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
