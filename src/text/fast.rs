//! Prints the common instructions, whose operands are registers and small numbers with ready-made texts.

use super::Printer;
use super::imm::extend;
use super::out::{LISTS, Out, SIZE, SLACK};
use super::texts::{MISSING, TEXTS, Text};
use crate::Inst;
use crate::common::MNEMONICS;
use crate::table::{FastSignature, ModifierWay};
use crate::target::FAST_TEXT;

/// Bytes of the longest name that this printer handles.
const NAME: usize = 32;

/// Each text ends with a comma and a space.
const END: usize = 2;

/// Prints an instruction. `None` if `long` must print it; the buffer's contents are then meaningless.
///
/// It prints most instructions, and does so without branches that depend on the kind or number of operands, because
/// such branches are often mispredicted. It copies a text for every possible operand, including the missing ones, whose
/// texts are empty. It calls other functions only at the end, so that no state needs to be saved.
#[inline(always)]
pub(super) fn print(inst: &Inst, bits: u64, out: &mut Out) -> Option<()> {
    let t = FAST_TEXT[inst.target() as usize];
    let row = *t.rows.get(inst.index_and_form())?;
    let mut number = row as usize >> 22;
    let signature = loop {
        let signature = t.signatures.get(number)?;
        if bits & signature.marks == signature.unmarked {
            break signature;
        }
        if !signature.another {
            return None;
        }
        number += 1;
    };
    let name = row as usize & 0xffff;
    let name = MNEMONICS.as_bytes().get(name..name + NAME)?.first_chunk::<NAME>()?;
    *out.buffer.first_chunk_mut()? = *name;
    put(&mut out.buffer, name_len(row), &signature.suffix);
    let (mut at, mut lengths) = (name_len(row) + suffix_len(signature), 0);
    for n in 0..FastSignature::TEXTS {
        let text = text(signature, n, bits);
        put(&mut out.buffer, at, text);
        lengths |= text[15];
        at += usize::from(text[15] & 15);
    }
    if lengths & MISSING != 0 {
        missing(inst, bits, signature, out);
    } else if signature.more {
        rest(inst, bits, signature, (FastSignature::TEXTS, at), out);
    } else {
        out.len = at - END;
        if bits & signature.loud != signature.quiet {
            modifiers(inst, bits, signature, out);
        }
    }
    Some(())
}

#[inline(always)]
fn name_len(row: u32) -> usize {
    row as usize >> 16 & 63
}

#[inline(always)]
fn suffix_len(signature: &FastSignature) -> usize {
    usize::from(signature.suffix[7] & 7)
}

/// The text of operand number `n`, with its length in the last byte.
#[inline(always)]
fn text(signature: &FastSignature, n: usize, bits: u64) -> &'static Text {
    let place =
        (bits.rotate_right(signature.turns[n].into()) as u16 & signature.masks[n]).wrapping_add(signature.adds[n]);
    &TEXTS.0[usize::from(place / 16)]
}

/// Prints all operands again, because one has no ready-made text. It looks up again where they begin, so that the
/// caller need not save it.
#[inline(never)]
fn missing(inst: &Inst, bits: u64, signature: &FastSignature, out: &mut Out) {
    let row = FAST_TEXT[inst.target() as usize].rows.get(inst.index_and_form()).copied().unwrap_or(0);
    rest(inst, bits, signature, (0, name_len(row) + suffix_len(signature)), out);
}

/// Prints the operands from number `first` on, starting at position `at`. Operands without a ready-made text are
/// printed from their descriptors.
#[inline(never)]
fn rest(inst: &Inst, bits: u64, signature: &FastSignature, (first, at): (usize, usize), out: &mut Out) {
    let p = Printer::new(inst);
    out.len = at;
    for (n, &number) in p.descs.list_of(inst.signature()).iter().enumerate().skip(first) {
        let Some(desc) = p.descs.descs.get(usize::from(number)).filter(|desc| desc.access.is_some()) else { break };
        if n < FastSignature::TEXTS {
            let text = text(signature, n, bits);
            if text[15] != MISSING {
                out.part(text, text[15].into());
                continue;
            }
        }
        if p.operand(desc, "", out) {
            out.literal(b", ");
        }
    }
    out.len -= END;
    if bits & signature.loud != signature.quiet {
        modifiers(inst, bits, signature, out);
    }
}

#[inline(never)]
fn modifiers(inst: &Inst, bits: u64, signature: &FastSignature, out: &mut Out) {
    let t = FAST_TEXT[inst.target() as usize];
    // Bits of the modifiers that are not printed yet.
    let mut rest = bits & signature.loud ^ signature.quiet;
    let mut number = usize::from(signature.modifiers);
    while rest != 0 {
        let Some(modifier) = t.modifiers.get(number) else { break };
        number += 1;
        if rest & modifier.loud == 0 {
            continue;
        }
        rest &= !modifier.loud;
        if modifier.way == ModifierWay::Descriptor {
            desc_modifier(inst, modifier.desc, out);
            continue;
        }
        out.part(&modifier.label, modifier.label[15].into());
        let piece = |[turn, mask]: [u16; 2]| bits.rotate_right(turn.into()) as u16 & mask;
        let value = piece(modifier.low) | piece(modifier.high);
        match modifier.way {
            ModifierWay::List => {
                let list = &LISTS[usize::from(value | 1 << (modifier.width & 3)) % LISTS.len()];
                out.part(list, list[7].into());
            }
            ModifierWay::Number => out.dec(value.into()),
            ModifierWay::Signed => out.signed(extend(value.into(), modifier.width)),
            ModifierWay::Flag | ModifierWay::Descriptor => {}
        }
    }
}

/// Prints a modifier from its descriptor.
#[inline(never)]
fn desc_modifier(inst: &Inst, desc: u16, out: &mut Out) {
    let p = Printer::new(inst);
    if let Some(desc) = p.descs.descs.get(usize::from(desc)) {
        p.modifier(desc, out);
    }
}

/// Copies bytes into the buffer. It would drop them if there were no room, which never happens.
#[inline(always)]
fn put<const N: usize>(buffer: &mut [u8; SIZE + SLACK], at: usize, bytes: &[u8; N]) {
    const { assert!(N <= SLACK) };
    // This lets the compiler see that there is room.
    if at < SIZE {
        if let Some(to) = buffer.get_mut(at..at + N) {
            to.copy_from_slice(bytes);
        }
    }
}

#[cfg(all(test, has_target))]
mod tests {
    use crate::{Target, TextBuffer, decode_words};

    /// The fast text equals the text printed from the descriptors, which is the text without the feature `fast`.
    #[test]
    fn texts_are_those_of_the_descriptors() {
        let mut state = 1u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 16) as u32
        };
        let (mut at_once, mut by_descs) = (TextBuffer::new(), TextBuffer::new());
        let mut seen = 0;
        let mut same = |target, words: [u32; 3]| {
            let Ok(inst) = decode_words(target, &words) else { return };
            at_once.print(&inst);
            by_descs.print_small(&inst);
            assert_eq!(at_once.as_str(), by_descs.as_str(), "{target} {words:08x?}");
            seen += 1;
        };
        for &target in Target::ALL {
            // Constants, including all that wait for one or two counters.
            for op in 0..128 {
                for constant in (0..0x1000).chain(0xc000..0xd000) {
                    same(target, [0xbf80_0000 | op << 16 | constant, 0, 0]);
                }
            }
            for n in 0..300_000 {
                let (any, few) = (random(), random() & random() & random());
                let first = match n % 3 {
                    0 => any,
                    // Formats of two dwords, and literals.
                    1 => any & 0x03ff_ffff | 0xc000_0000 | few & 0x3c00_0000,
                    _ => any | if any & 1 == 0 { 0xff } else { 0xff00 },
                };
                // Many fields of the second dword are zero, or mean "no scalar address".
                let second = match n % 5 {
                    0 => random(),
                    1 => few,
                    2 => random() & 0x00ff_00ff,
                    3 => random() & 0xff80_ffff | 0x007f_0000,
                    _ => random() & 0x1fff_ffff | 0x1800_0000,
                };
                same(target, [first, second, few]);
            }
        }
        assert!(seen > 200_000, "{seen}");
    }
}
