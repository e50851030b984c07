//! Fast parser of instructions whose operands have precomputed texts. The parser uses the tables of the printer.
//!
//! Most lines of a program are such instructions. The text of an operand determines its index in the table, and the
//! index determines the bits of the words. Texts in another spelling than the printer's, and texts with errors, are
//! left to the parser that uses the descriptors.

mod dual;
mod operand;

use super::cursor::{Cursor, ends_operand};
use super::fill_unused;
use super::operation::spelling;
use crate::check::{bus_limit, bus_scalars, excluded, is_packed};
use crate::decode::decode_words;
use crate::form::Form;
use crate::inst::Inst;
use crate::kind::{ListStyle, ModifierKind, OperandKind};
use crate::opcode::{BUS, Format};
use crate::operation::{OpcodeEntry, layout};
use crate::shared::{flag, mnemonic_hash};
use crate::table::{FastSignature, FastText, ModifierWay, TextKind, TextNames};
use crate::target::{DESCS, FAST_TEXT, MNEMONICS_OF, OPS, TEXT, Target};
use crate::text::TextBuffer;
use crate::text::fast::{find, is_name};
use crate::text::out::LISTS;

use operand::Read;

/// Parses the operands after a mnemonic. Returns `None` if the text is not in the printer's spelling.
pub(super) fn parse(target: Target, cursor: Cursor, name: &[u8]) -> Option<Inst> {
    let tables = FAST_TEXT[target as usize];
    let (stem, suffix) = match name.split_last_chunk() {
        Some((stem, suffix @ (b"_e32" | b"_e64"))) => (stem, &suffix[..]),
        _ => (name, &[][..]),
    };
    let slots = MNEMONICS_OF[target as usize].slots;
    let mask = slots.len().wrapping_sub(1);
    let start = mnemonic_hash(stem) as usize;
    for n in 0..slots.len() {
        let op_index = slots.get((start + n) & mask)?.checked_sub(1)?;
        let (row, first) = (*tables.rows.get(usize::from(op_index))?, *tables.first.get(usize::from(op_index))?);
        if row == 0 {
            let opcode = OPS[target as usize].opcode(op_index.into())?;
            match spelling(target, op_index, opcode).as_bytes() == stem {
                true => return None,
                false => continue,
            }
        }
        let is_form = |signature: &FastSignature| suffix.is_empty() || signature.suffix.starts_with(suffix);
        if is_name(row, stem) && tables.signatures.get(row as usize >> 22).is_some_and(is_form) {
            let mut padded = [0; 128];
            let rest = cursor.rest();
            let len = rest.len().min(padded.len());
            if let (Some(to), Some(from)) = (padded.get_mut(..len), rest.get(..len)) {
                to.copy_from_slice(from);
            }
            let (names, start) = (&TEXT[target as usize].names, cursor.at);
            let parser = FastParser { tables, names, target, op_index, row, cursor, start, padded: &padded };
            return parser.instruction(first);
        }
    }
    None
}

/// An instruction whose mnemonic has been parsed.
struct FastParser<'t> {
    tables: &'static FastText,
    names: &'static TextNames,
    target: Target,
    op_index: u16,
    row: u32,
    /// The position after the mnemonic.
    cursor: Cursor<'t>,
    /// The first characters after the mnemonic, padded with zeros.
    padded: &'t [u8; 128],
    /// The position in the text of the first character of `padded`.
    start: usize,
}

impl<'t> FastParser<'t> {
    /// Parses the instruction. `first` is the first dword of the instruction without operands and modifiers.
    fn instruction(&self, first: u32) -> Option<Inst> {
        let format = DESCS[self.target as usize].signature(self.op_index.into(), 0).format;
        let base = match format {
            Format::Vopd => return self.dual(),
            _ if first == FastText::NO_FIRST => return None,
            // In these formats, bits are set that the text does not show.
            Format::Vop3p | Format::Vop3pMai | Format::Vbuffer => self.filled()?,
            _ => first.into(),
        };
        self.signatures(self.row).find_map(|(number, signature)| self.attempt(number, signature, base, format))
    }

    /// The signatures of an entry of `FastText::rows`, with their indices.
    fn signatures(&self, row: u32) -> impl Iterator<Item = (usize, &'static FastSignature)> + use<> {
        let tables = self.tables;
        let mut next = Some(row as usize >> 22);
        core::iter::from_fn(move || {
            let number = next?;
            let signature = tables.signatures.get(number)?;
            next = (signature.next_delta != 0).then_some(number + usize::from(signature.next_delta));
            Some((number, signature))
        })
    }

    /// The words without operands, with the bits that are set in fields that the operation does not use.
    fn filled(&self) -> Option<u128> {
        let opcode = OPS[self.target as usize].opcode(self.op_index.into())?;
        let entry = OpcodeEntry::new(self.target, self.op_index);
        let form = Form::new(self.target, opcode, &entry, entry.signature)?;
        let mut words = form.start();
        if entry.signature.format == Format::Vop3p {
            // The text of a list shows only bits that the operation uses, but all bits of the field are set.
            for desc in
                form.descs().filter(|desc| desc.kind == OperandKind::Modifier(ModifierKind::List(ListStyle::Ones)))
            {
                words.put_value(desc, (1 << desc.width) - 1).ok()?;
            }
        }
        fill_unused(&form, form.descs(), &mut words);
        Some(words.dwords.iter().take(4).rev().fold(0, |all, &dword| all << 32 | u128::from(dword)))
    }

    /// Parses the text by `signature`, whose index is `number`. Returns `None` if the text needs another signature, or
    /// the parser that uses the descriptors.
    fn attempt(&self, number: usize, signature: &FastSignature, base: u128, format: Format) -> Option<Inst> {
        let mut cursor = self.cursor;
        let is_wide = number >= self.tables.special;
        let keep = !u128::from(signature.match_mask | signature.modifier_mask);
        let mut read = Read::new(
            base & keep | u128::from(signature.match_value | signature.modifier_default & signature.modifier_mask),
            is_wide,
        );
        self.operands(number, &mut cursor, &mut read)?;
        if !cursor.is_done() {
            self.modifiers(number, signature, cursor, &mut read)?;
        }
        self.accept(number, signature, &read, format)
    }

    /// Parses the operands of a signature.
    #[inline(always)]
    fn operands(&self, number: usize, cursor: &mut Cursor, read: &mut Read) -> Option<()> {
        for number in number.. {
            let entry = self.tables.signatures.get(number)?;
            let is_parts = matches!(entry.kind, TextKind::Parts | TextKind::MoreParts);
            for n in 0..FastSignature::TEXTS {
                match is_parts {
                    true => self.part(entry, n, cursor, read)?,
                    false => self.operand(entry, n, cursor, read)?,
                }
            }
            match entry.kind {
                TextKind::Operands | TextKind::Parts => break,
                TextKind::FirstOperands => return None,
                TextKind::MoreOperands | TextKind::MoreParts => {}
            }
        }
        (!read.is_any || read.is_last).then_some(())
    }

    /// Parses the modifiers, which must be in the order in which they are printed, and sets their bits.
    fn modifiers(
        &self,
        number: usize,
        signature: &FastSignature,
        mut cursor: Cursor<'t>,
        read: &mut Read,
    ) -> Option<()> {
        read.has_modifiers = true;
        // Bits of the modifiers that have not been read yet; a modifier with other bits belongs to the next signature.
        let mut rest = signature.modifier_mask;
        let third = self.tables.signatures.get(number + 1).filter(|_| number >= self.tables.special);
        let mut rest_of_third = third.map_or(0, |entry| entry.modifier_mask as u32);
        for modifier in self.tables.modifiers.get(usize::from(signature.modifiers)..)? {
            if cursor.is_done() {
                break;
            }
            if rest == 0 && rest_of_third == 0 || modifier.mask & !rest != 0 || modifier.third & !rest_of_third != 0 {
                return None;
            }
            (rest, rest_of_third) = (rest & !modifier.mask, rest_of_third & !modifier.third);
            if modifier.way == ModifierWay::Descriptor {
                continue;
            }
            let label = modifier.label.get(1..usize::from(modifier.label[15]))?;
            let mut after = cursor;
            if !after.eat_all(label) {
                continue;
            }
            let mask = (1u32.checked_shl(modifier.width.into())?).wrapping_sub(1);
            let value = match modifier.way {
                ModifierWay::Flag => 1,
                ModifierWay::Number => digits(&mut after).filter(|n| *n <= mask)?,
                ModifierWay::List => {
                    let lists = LISTS.iter().skip(1 << (modifier.width & 3)).take(1 << (modifier.width & 3));
                    let mut texts = lists.map(|list| list.get(..usize::from(list[7])).unwrap_or(&[])).zip(0..);
                    texts.find(|(text, _)| after.eat_all(text))?.1
                }
                ModifierWay::Signed | ModifierWay::Third => {
                    let minus = after.eat(b'-');
                    let n = digits(&mut after).filter(|n| *n <= (mask >> 1) + u32::from(minus))?;
                    mask & if minus { n.wrapping_neg() } else { n }
                }
                ModifierWay::Descriptor => return None,
            };
            // The name or number must end here.
            if !ends_operand(after.peek()) {
                return None;
            }
            match modifier.way {
                ModifierWay::Flag => read.put(modifier.mask.into(), modifier.mask.into())?,
                ModifierWay::Third => {
                    let place = |value: u32| u128::from(value) << (64 + modifier.low[0]);
                    read.put(place(mask), place(value))?;
                }
                _ => {
                    for [turn, piece] in [modifier.low, modifier.high] {
                        let place =
                            |value: u32| u128::from((u64::from(value) & u64::from(piece)).rotate_left(turn.into()));
                        read.put(place(mask), place(value))?;
                    }
                }
            }
            read.shown |= modifier.mask;
            cursor = after;
        }
        cursor.is_done().then_some(())
    }

    /// Whether the printer writes the same text after the mnemonic.
    fn is_text_of(&self, inst: &Inst) -> bool {
        let mut printed = TextBuffer::new();
        let printed = printed.print(inst);
        let end = printed.iter().position(|&c| c == b' ').unwrap_or(printed.len());
        let mut cursor = self.cursor;
        printed.get(end..).is_some_and(|text| cursor.eat_all(text.trim_ascii_start())) && cursor.is_done()
    }

    /// Decodes the words, and accepts the instruction if it breaks no rule and the printer would write the same text
    /// for it. The tables guarantee the same text unless `read.is_printed` is set: then the instruction is printed and
    /// compared.
    fn accept(&self, number: usize, signature: &FastSignature, read: &Read, format: Format) -> Option<Inst> {
        let mut dwords: [u32; 4] = core::array::from_fn(|n| (read.bits >> (32 * n)) as u32);
        let inst = match read.literal {
            None => {
                let inst = decode_words(self.target, &dwords).ok()?;
                let is_found = || find(self.tables, self.row, inst.bits()).is_some_and(|(found, _)| found == number);
                if inst.index_and_form() != usize::from(self.op_index) || !read.is_printed && !is_found() {
                    return None;
                }
                inst
            }
            Some(literal) => {
                let at = usize::from(layout(self.target, format)?.bits / 32);
                *dwords.get_mut(at)? = literal;
                let inst = decode_words(self.target, &dwords).ok()?;
                if inst.op_index() != usize::from(self.op_index) || inst.words().len() != at + 1 {
                    return None;
                }
                inst
            }
        };
        let inst = inst.filled();
        match read.is_printed {
            false if !read.has_modifiers && inst.bits() & signature.modifier_mask != signature.modifier_default => {
                return None;
            }
            // The operands or the operation demand modifiers that the text does not show.
            false if (inst.bits() ^ signature.modifier_default) & signature.modifier_mask & !read.shown != 0 => {
                return None;
            }
            false => {}
            true if !self.is_text_of(&inst) => return None,
            true => {}
        }
        let flags = inst.info().flags;
        // An operation can read vcc or m0 without showing it in its text.
        let uses_bus = BUS.get(format as usize).is_some_and(|bus| *bus)
            && read.scalars >= bus_limit(&inst)
            && bus_scalars(&inst) > bus_limit(&inst);
        let is_odd = || inst.target().aligned_vgprs() && (read.is_odd_tuple || flags & const { flag("even") } != 0);
        let can_break = uses_bus || read.is_odd && is_odd() || flags & const { flag("mfma") } != 0 || is_packed(&inst);
        let follows_rules = if can_break { inst.check().is_ok() } else { excluded(&inst).is_none() };
        follows_rules.then_some(inst)
    }
}

/// Reads a number of up to eight digits that does not begin with a zero, which would make it octal.
fn digits(cursor: &mut Cursor) -> Option<u32> {
    let word = cursor.word();
    if word.len() > 1 && word.first() == Some(&b'0') {
        return None;
    }
    let digit = |all: u32, &c: &u8| c.is_ascii_digit().then(|| 10 * all + u32::from(c - b'0'));
    cursor.at += word.len();
    (1..=8).contains(&word.len()).then(|| word.iter().try_fold(0, digit))?
}

#[cfg(all(test, has_target))]
mod tests {
    use super::*;
    use crate::text::parse::{NoSymbols, described};

    /// A change that the test makes to a printed text.
    #[derive(Clone, Copy, PartialEq)]
    enum Change {
        None,
        /// One character is replaced.
        Character,
        /// The last two words are swapped.
        Order,
        /// The last word is doubled.
        Twice,
        /// The last word but one is dropped.
        Fewer,
        /// A blank is removed.
        Blank,
    }

    /// Test that the descriptors give the same result for each text that the fast path accepts.
    #[test]
    fn both_ways_make_the_same() {
        const CHANGES: &[u8] = b"0123456789vsa[]:,. -|";
        let mut state = 1u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 16) as u32
        };
        let (mut printed, mut parsed) = (0, 0);
        for &target in Target::ALL {
            for n in 0..40_000u32 {
                // The first bits, which hold the encoding, have each value equally often.
                let first = n << 23 | random() >> 9;
                let Ok(inst) = decode_words(target, &[first, random() & random(), random(), 0, 0]) else { continue };
                let mut buffer = TextBuffer::new();
                let mut text = [b' '; 256];
                let len = buffer.print(&inst).len();
                if let Some(place) = text.get_mut(..len) {
                    place.copy_from_slice(buffer.as_bytes());
                }
                let original = text;
                for change in
                    [Change::None, Change::Character, Change::Order, Change::Twice, Change::Fewer, Change::Blank]
                {
                    let place = random() as usize % len.max(1);
                    let mut words = original[..len].rsplit(|c| *c == b' ');
                    let (last, before) = (words.next().unwrap(), words.next().unwrap_or(&[]));
                    text = original;
                    let mut len = len;
                    match change {
                        Change::None => {}
                        Change::Character => text[place] = CHANGES[random() as usize % CHANGES.len()],
                        Change::Order => {
                            let start = len.saturating_sub(last.len() + 1 + before.len());
                            text[start..start + last.len()].copy_from_slice(last);
                            text[start + last.len()] = b' ';
                            text[len - before.len()..len].copy_from_slice(before);
                        }
                        Change::Twice => {
                            text[len + 1..=len + last.len()].copy_from_slice(last);
                            len += 1 + last.len();
                        }
                        Change::Fewer => {
                            let start = len.saturating_sub(last.len() + 1 + before.len());
                            text.copy_within(len - last.len()..len, start);
                            len = start + last.len();
                        }
                        Change::Blank => {
                            if let Some(blank) = original[place..len].iter().position(|c| *c == b' ') {
                                text.copy_within(place + blank + 1..len, place + blank);
                                len -= 1;
                            }
                        }
                    }
                    let text = core::str::from_utf8(&text[..len]).unwrap();
                    let mut cursor = Cursor::new(text);
                    let name = cursor.name();
                    cursor.at += name.len();
                    printed += u32::from(change == Change::None);
                    let Some(fast) = parse(target, cursor, name) else { continue };
                    parsed += u32::from(change == Change::None);
                    let slow = described(target, cursor, 0, name, &NoSymbols);
                    assert_eq!(slow.map(|inst| inst.words().to_vec()), Ok(fast.words().to_vec()), "{target} {text}");
                }
            }
        }
        assert!(parsed > printed / 3, "{parsed} of {printed}");
    }
}
