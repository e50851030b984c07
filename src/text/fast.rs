//! Printer of common instructions, whose operands are registers and small numbers with precomputed texts.

use super::Printer;
use super::imm::extend;
use super::out::{LISTS, Out, SIZE, SLACK};
use super::texts::{MISSING, TEXTS, Text};
use crate::inst::Inst;
use crate::opcode::MNEMONICS;
use crate::table::sizes::ANY_THIRD;
use crate::table::{FastSignature, FastText, ModifierWay, TextKind};
use crate::target::FAST_TEXT;

/// Length in bytes of the longest name that this printer handles.
const NAME: usize = 32;

/// Length of the separator after each text: a comma and a space.
const END: usize = 2;

/// Prints an instruction. Returns `None` if `print_from_descriptors` must print it instead; the buffer's contents are
/// then meaningless.
///
/// Most instructions are printed without branches that depend on the kind or number of operands, because such branches
/// are often mispredicted: a text is copied for every possible operand, and missing operands have empty texts. Other
/// functions are called only at the end, so that no state needs to be saved.
#[inline(always)]
pub(super) fn print(inst: &Inst, bits: u64, out: &mut Out) -> Option<()> {
    let t = FAST_TEXT[inst.target() as usize];
    let row = *t.rows.get(inst.index_and_form())?;
    if ANY_THIRD && signature_of(row) >= t.special {
        return print_special(inst, bits, row, out);
    }
    let (number, signature) = find(t, row, bits)?;
    put_name(row, signature, out)?;
    let (mut at, mut lengths) = (name_len(row) + suffix_len(signature), 0);
    for n in 0..FastSignature::TEXTS {
        let text = text(signature, n, bits);
        put(&mut out.buffer, at, text);
        lengths |= text[15];
        at += usize::from(text[15] & 15);
    }
    if signature.kind != TextKind::Operands {
        return print_more_operands(inst, bits, number, (at, lengths), out);
    } else if lengths & MISSING != 0 {
        print_with_gaps(inst, bits, signature, out);
    } else {
        out.len = at - END;
        if bits & signature.modifier_mask != signature.modifier_default {
            modifiers(inst, bits, signature, 0, out);
        }
    }
    Some(())
}

/// The index of the first signature of an entry of `FastText::rows`.
#[inline(always)]
fn signature_of(row: u32) -> usize {
    row as usize >> 22
}

/// Finds the first signature of a row that matches the instruction's bits. Returns its index and the signature.
#[inline(always)]
pub(super) fn find(t: &FastText, row: u32, bits: u64) -> Option<(usize, &FastSignature)> {
    let mut number = signature_of(row);
    loop {
        let signature = t.signatures.get(number)?;
        if bits & signature.match_mask == signature.match_value {
            return Some((number, signature));
        }
        if signature.next_delta == 0 {
            return None;
        }
        number += usize::from(signature.next_delta);
    }
}

/// Writes the name and its suffix to the start of the buffer.
#[inline(always)]
fn put_name(row: u32, signature: &FastSignature, out: &mut Out) -> Option<()> {
    *out.buffer.first_chunk_mut()? = *name(row)?;
    put(&mut out.buffer, name_len(row), &signature.suffix);
    Some(())
}

#[inline(always)]
fn name(row: u32) -> Option<&'static [u8; NAME]> {
    let name = row as usize & 0xffff;
    MNEMONICS.as_bytes().get(name..name + NAME)?.first_chunk()
}

/// Prints the operands and modifiers of an instruction after the first texts, which end at position `at`.
#[inline(never)]
fn print_more_operands(
    inst: &Inst,
    bits: u64,
    mut number: usize,
    (mut at, mut lengths): (usize, u8),
    out: &mut Out,
) -> Option<()> {
    let t = FAST_TEXT[inst.target() as usize];
    let first = t.signatures.get(number)?;
    let mut kind = first.kind;
    while matches!(kind, TextKind::MoreOperands | TextKind::MoreParts) {
        number += 1;
        let more = t.signatures.get(number)?;
        for n in 0..FastSignature::TEXTS {
            let text = text(more, n, bits);
            put(&mut out.buffer, at, text);
            lengths |= text[15];
            at += usize::from(text[15] & 15);
        }
        kind = more.kind;
    }
    match first.kind {
        TextKind::Parts | TextKind::MoreParts if lengths & MISSING != 0 => return None,
        _ if lengths & MISSING != 0 => print_with_gaps(inst, bits, first, out),
        TextKind::FirstOperands => print_remaining(inst, bits, first, (FastSignature::TEXTS, at), out),
        _ => {
            out.len = at - END;
            if bits & first.modifier_mask != first.modifier_default {
                modifiers(inst, bits, first, 0, out);
            }
        }
    }
    Some(())
}

/// Prints an instruction of three dwords, or a dual instruction.
#[inline(never)]
fn print_special(inst: &Inst, bits: u64, row: u32, out: &mut Out) -> Option<()> {
    let Some(second) = inst.second_index() else { return print_three_dwords(inst, bits, row, out) };
    let t = FAST_TEXT[inst.target() as usize];
    let second = *t.rows.get(second)?;
    let printed = print_half(t, row, bits, out).and_then(|()| {
        out.literal(b" :: ");
        print_half(t, second, bits, out)
    });
    if printed.is_none() {
        out.clear();
    }
    printed
}

/// Prints one operation of a dual instruction.
#[inline(always)]
fn print_half(t: &FastText, row: u32, bits: u64, out: &mut Out) -> Option<()> {
    let (_, signature) = find(t, row, bits)?;
    out.part(name(row)?, name_len(row));
    out.part(&signature.suffix, suffix_len(signature));
    let mut lengths = 0;
    for n in 0..FastSignature::TEXTS {
        let text = text(signature, n, bits);
        out.part(text, usize::from(text[15] & 15));
        lengths |= text[15];
    }
    out.len -= END;
    (lengths & MISSING == 0).then_some(())
}

/// Prints an instruction of three dwords. Its texts are in one signature or two. The signature after the first one has
/// the mask of the modifiers in the third dword, even if it has no texts.
#[inline(always)]
fn print_three_dwords(inst: &Inst, bits: u64, row: u32, out: &mut Out) -> Option<()> {
    let t = FAST_TEXT[inst.target() as usize];
    let (number, signature) = find(t, row, bits)?;
    let more = t.signatures.get(number + 1)?;
    put_name(row, signature, out)?;
    let third = inst.word(2);
    let all = u128::from(bits) | u128::from(third) << 64;
    let (mut at, mut lengths) = (name_len(row) + suffix_len(signature), 0);
    let mut texts = |signature: &FastSignature| {
        for n in 0..FastSignature::TEXTS {
            let text = text_at(signature, n, all.rotate_right(signature.rotations[n].into()) as u16);
            put(&mut out.buffer, at, text);
            lengths |= text[15];
            at += usize::from(text[15] & 15);
        }
    };
    texts(signature);
    if signature.kind == TextKind::MoreOperands {
        texts(more);
    }
    if lengths & MISSING != 0 {
        return None;
    }
    out.len = at - END;
    let third = third & more.modifier_mask as u32;
    if bits & signature.modifier_mask != signature.modifier_default || third != 0 {
        modifiers(inst, bits, signature, third, out);
    }
    Some(())
}

/// Whether the operation of a row has this name.
#[inline(always)]
pub(super) fn is_name(row: u32, name: &[u8]) -> bool {
    let at = row as usize & 0xffff;
    row != 0 && MNEMONICS.as_bytes().get(at..at + name_len(row)) == Some(name)
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
    text_at(signature, n, bits.rotate_right(signature.rotations[n].into()) as u16)
}

/// The text of operand number `n`, from the rotated words.
#[inline(always)]
fn text_at(signature: &FastSignature, n: usize, turned: u16) -> &'static Text {
    let place = (turned & signature.masks[n]).wrapping_add(signature.adds[n]);
    &TEXTS.0[usize::from(place / 16)]
}

/// Prints all operands again, because one has no precomputed text. The start of the operands is computed again, so that
/// the caller need not save it.
#[inline(never)]
fn print_with_gaps(inst: &Inst, bits: u64, signature: &FastSignature, out: &mut Out) {
    let row = FAST_TEXT[inst.target() as usize].rows.get(inst.index_and_form()).copied().unwrap_or(0);
    print_remaining(inst, bits, signature, (0, name_len(row) + suffix_len(signature)), out);
}

/// Prints the operands from number `first` on, starting at position `at`. Operands without a precomputed text are
/// printed from their descriptors.
#[inline(never)]
fn print_remaining(inst: &Inst, bits: u64, signature: &FastSignature, (first, at): (usize, usize), out: &mut Out) {
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
    if bits & signature.modifier_mask != signature.modifier_default {
        modifiers(inst, bits, signature, 0, out);
    }
}

/// Prints the modifiers. `third`: the bits of modifiers in the third dword.
#[inline(never)]
fn modifiers(inst: &Inst, bits: u64, signature: &FastSignature, mut third: u32, out: &mut Out) {
    let t = FAST_TEXT[inst.target() as usize];
    // Bits of the modifiers that are not printed yet.
    let mut rest = bits & signature.modifier_mask ^ signature.modifier_default;
    let mut number = usize::from(signature.modifiers);
    while rest != 0 || ANY_THIRD && third != 0 {
        let Some(modifier) = t.modifiers.get(number) else { break };
        number += 1;
        if rest & modifier.mask == 0 && (!ANY_THIRD || third & modifier.third == 0) {
            continue;
        }
        rest &= !modifier.mask;
        third &= !modifier.third;
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
            ModifierWay::Third if ANY_THIRD => {
                let value = inst.word(2) >> (modifier.low[0] & 31);
                out.signed(extend(value, modifier.width));
            }
            ModifierWay::Flag | ModifierWay::Descriptor | ModifierWay::Third => {}
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

/// Copies bytes into the buffer, which always has room for them.
#[inline(always)]
fn put<const N: usize>(buffer: &mut [u8; SIZE + SLACK], at: usize, bytes: &[u8; N]) {
    const { assert!(N <= SLACK) };
    // The condition tells the compiler that there is room.
    if at < SIZE {
        if let Some(to) = buffer.get_mut(at..at + N) {
            to.copy_from_slice(bytes);
        }
    }
}

#[cfg(all(test, has_target))]
mod tests {
    use crate::decode::decode_words;
    use crate::target::Target;
    use crate::text::TextBuffer;

    /// Test that the fast path prints the same text as the code without the feature `fast`, which reads the
    /// descriptors.
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
            // Test constants, including all waits for one or two counters.
            for op in 0..128 {
                for constant in (0..0x1000).chain(0xc000..0xd000) {
                    same(target, [0xbf80_0000 | op << 16 | constant, 0, 0]);
                }
            }
            for n in 0..300_000 {
                let (any, few) = (random(), random() & random() & random());
                let first = match n % 3 {
                    0 => any,
                    // This arm makes formats of two dwords; the next arm makes literals.
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
