//! Parses instructions whose operands have ready-made texts, by the tables from which they are printed.
//!
//! Most lines of a program are such. Each text of an operand says where the table would have it, and that place says which
//! bits the words need. Whatever is not as the printer writes it is left to the descriptors, errors too.

use super::cursor::Cursor;
use super::fill_unused;
use super::operation::{Rank, Suffix, all, stem};
use crate::codec::code::{FLOAT, FLOAT_LAST, VGPR, int_of, of_int};
use crate::codec::{Form, bus_limit, is_packed};
use crate::common::{BUS, OpcodeEntry};
use crate::shared::flag;
use crate::shared::texts::{ACC, HEX, NULL, NUMBERS, OFF, PAIRS, QUADS, SADDRS, SIXTEENS};
use crate::table::{FastSignature, FastText, ModifierWay, OperandType, TextKind, TextTables};
use crate::target::{DESCS, FAST_TEXT, TEXT};
use crate::text::TextBuffer;
use crate::text::fast::find;
use crate::text::out::LISTS;
use crate::text::texts::{MISSING, TEXTS};
use crate::{Format, Inst, Opcode, Target, decode_words};

/// Parses the operands behind a mnemonic. `None`: this is no instruction as the printer writes it.
pub(super) fn parse(target: Target, cursor: Cursor, name: &[u8]) -> Option<Inst> {
    let (name, suffix) = stem(name);
    let (opcode, op_index) = all(target, name).find(|&(_, op_index)| {
        let rank = || Rank::of(DESCS[target as usize].signature(op_index.into(), 0));
        match suffix {
            Suffix::None => true,
            Suffix::E32 => rank() == Rank::Short,
            Suffix::E64 => rank() == Rank::Long,
            _ => false,
        }
    })?;
    Quick::new(target, opcode, op_index, cursor)?.instruction()
}

/// An instruction of which a part has been parsed.
struct Quick<'t> {
    tables: &'static FastText,
    names: &'static TextTables,
    target: Target,
    form: Form,
    op_index: u16,
    row: u32,
    /// The words without operands.
    base: u128,
    /// Behind the mnemonic.
    cursor: Cursor<'t>,
}

/// How many texts an instruction can have.
const MOST: usize = 3 * FastSignature::TEXTS;

/// What the operands of a signature have made.
#[derive(Default)]
struct Read {
    bits: u128,
    /// The bits that `places` reads to find each operand's text again.
    places: [(u8, u16, u16); MOST],
    count: usize,
    /// Registers that could need the constant bus.
    scalars: u8,
    /// Vector registers that may have to begin at an even one do not.
    is_odd: bool,
    /// No comma followed the last operand.
    is_last: bool,
    /// Only what the printer writes shows that the text is right.
    is_printed: bool,
}

impl Read {
    /// Sets the bits that make an operand's text.
    fn set(&mut self, turn: u8, mask: u16, value: u16, is_wide: bool) {
        self.bits |= match is_wide {
            true => u128::from(value).rotate_left(turn.into()),
            false => u64::from(value).rotate_left(turn.into()).into(),
        };
        if let Some(place) = self.places.get_mut(self.count) {
            *place = (turn, mask, value);
            self.count += 1;
        }
    }
}

impl<'t> Quick<'t> {
    fn new(target: Target, opcode: Opcode, op_index: u16, cursor: Cursor<'t>) -> Option<Quick<'t>> {
        let tables = FAST_TEXT[target as usize];
        let row = *tables.rows.get(usize::from(op_index))?;
        let entry = OpcodeEntry::new(target, op_index)?;
        if entry.signature.format == Format::Vopd {
            return None;
        }
        let form = Form::new(target, opcode, &entry, entry.signature)?;
        let mut words = form.start();
        if entry.signature.format == Format::Vop3p {
            // Of a list, the text shows only the bits that the operation uses.
            for desc in form.descs().filter(|desc| desc.operand_type == OperandType::ListOnes) {
                words.desc(desc, (1 << desc.width) - 1).ok()?;
            }
        }
        fill_unused(&form, form.descs(), &mut words);
        let base = words.dwords.iter().take(4).rev().fold(0, |all, &dword| all << 32 | u128::from(dword));
        Some(Quick { tables, names: TEXT[target as usize], target, form, op_index, row, base, cursor })
    }

    fn instruction(&self) -> Option<Inst> {
        let mut number = self.row as usize >> 22;
        loop {
            let signature = self.tables.signatures.get(number)?;
            if let Some(inst) = self.attempt(number, signature) {
                return Some(inst);
            }
            if signature.another == 0 {
                return None;
            }
            number += usize::from(signature.another);
        }
    }

    /// Parses the text as one of this signature.
    fn attempt(&self, number: usize, signature: &FastSignature) -> Option<Inst> {
        let mut cursor = self.cursor;
        let is_wide = self.form.layout.bits > 64;
        let keep = !u128::from(signature.marks | signature.loud);
        let bits = self.base & keep | u128::from(signature.unmarked | signature.quiet & signature.loud);
        let mut read = Read { bits, ..Read::default() };
        let mut entry = signature;
        for next in number + 1.. {
            let is_parts = matches!(entry.kind, TextKind::Parts | TextKind::MoreParts);
            for n in 0..FastSignature::TEXTS {
                match is_parts {
                    true => self.part(entry, n, &mut cursor, &mut read)?,
                    false => self.operand(entry, n, is_wide, &mut cursor, &mut read)?,
                }
            }
            match entry.kind {
                TextKind::Operands | TextKind::Parts => break,
                TextKind::FirstOperands => return None,
                TextKind::MoreOperands | TextKind::MoreParts => entry = self.tables.signatures.get(next)?,
            }
        }
        if read.count > 0 && !read.is_last {
            return None;
        }
        if !cursor.is_done() {
            self.modifiers(signature, cursor, &mut read)?;
        }
        self.accept(number, signature, &read)
    }

    /// Parses part number `n` of a constant: the longest text that stands here, which may be empty.
    fn part(&self, entry: &FastSignature, n: usize, cursor: &mut Cursor<'t>, read: &mut Read) -> Option<()> {
        let (turn, mask, add) = (*entry.turns.get(n)?, *entry.masks.get(n)?, *entry.adds.get(n)?);
        if read.count == 0 {
            cursor.blank();
        }
        let rest = cursor.text.get(cursor.at..).unwrap_or(&[]);
        let (mut value, mut best) = (0u16, None);
        loop {
            let place = value.wrapping_add(add) / 16;
            let known = TEXTS.0.get(usize::from(place))?;
            if let Some(text) = known.get(..usize::from(known.last()? & 15)).filter(|_| known.last() != Some(&MISSING))
            {
                // The last text ends with what stands between operands.
                let is_last = || text.trim_ascii_end().strip_suffix(b",").unwrap_or(text.trim_ascii_end()) == rest;
                let is_longest = best.is_none_or(|(len, _)| text.len() > len);
                if is_longest && (rest.starts_with(text) || is_last()) {
                    best = Some((text.len(), value));
                }
            }
            value = value.wrapping_sub(mask) & mask;
            if value == 0 {
                break;
            }
        }
        let (len, value) = best?;
        cursor.at += len.min(rest.len());
        read.set(turn, mask, value, false);
        (read.is_last, read.is_printed) = (true, true);
        Some(())
    }

    /// Parses text number `n` of an entry.
    fn operand(
        &self,
        entry: &FastSignature,
        n: usize,
        is_wide: bool,
        cursor: &mut Cursor<'t>,
        read: &mut Read,
    ) -> Option<()> {
        let (turn, mask, add) = (*entry.turns.get(n)?, *entry.masks.get(n)?, *entry.adds.get(n)?);
        let fixed = TEXTS.0.get(usize::from(add / 16))?;
        // No text, or the blank in place of all operands.
        if mask == 0 && matches!(fixed.last(), Some(0 | 1)) {
            return Some(());
        }
        // Without a comma, two numbers could be one expression.
        if read.is_last {
            return None;
        }
        cursor.blank();
        let text = operand(cursor);
        if text.last() == Some(&b')') {
            return self.part(entry, n, cursor, read);
        }
        let is_it = |place: u16| {
            let known = TEXTS.0.get(usize::from(place))?;
            let len = usize::from(*known.last()? & 15).checked_sub(2)?;
            (known.get(..len)? == text).then_some(place.wrapping_mul(16).wrapping_sub(add))
        };
        let fits = |place: u16| is_it(place).filter(|value| value & !mask == 0);
        let value = if mask == 0 {
            read.scalars += 1;
            is_it(add / 16)?
        } else {
            let (code, places) = self.places(text)?;
            read.scalars += u8::from(code < VGPR && int_of(code).is_none() && !(FLOAT..=FLOAT_LAST).contains(&code));
            let found = places.into_iter().find_map(|section| fits(section.wrapping_add(code)));
            // The one register of ds_gws_init has to be even, too.
            let can_be_even = text.last() == Some(&b']') || self.form.signature.format == Format::Ds;
            read.is_odd |= code >= VGPR && code & 1 == 1 && can_be_even;
            // A name whose code differs between targets has no text.
            let is_name = || code < VGPR && text.first().is_some_and(u8::is_ascii_alphabetic);
            match found {
                Some(value) => value,
                None if is_name() => {
                    read.is_printed = true;
                    code.wrapping_mul(16) & mask
                }
                None => return None,
            }
        };
        read.set(turn, mask, value, is_wide);
        cursor.at += text.len();
        read.is_last = !cursor.eat(b',');
        Some(())
    }

    /// What the text of an operand names: its code or number, and the sections of the table that may have it.
    fn places(&self, text: &[u8]) -> Option<(u16, [u16; 3])> {
        let (&first, rest) = text.split_first()?;
        let file = match first {
            b's' => 0,
            b'v' => VGPR,
            b'a' => VGPR + ACC,
            _ => return self.constant(text, first),
        };
        let Some(numbers) = rest.strip_prefix(b"[") else {
            return match number(rest) {
                Some(n) => Some((file + n, [0; 3])),
                None => self.constant(text, first),
            };
        };
        let colon = numbers.iter().position(|&c| c == b':')?;
        let (from, to) = (number(numbers.get(..colon)?)?, number(numbers.get(colon + 1..numbers.len() - 1)?)?);
        let sections = match to.checked_sub(from)? {
            1 => [PAIRS, SADDRS, PAIRS],
            3 => [QUADS; 3],
            15 => [SIXTEENS; 3],
            _ => return None,
        };
        Some((file + from, sections))
    }

    /// The same for numbers and names.
    fn constant(&self, text: &[u8], first: u8) -> Option<(u16, [u16; 3])> {
        if let Some(hex) = text.strip_prefix(b"0x") {
            let digit = |all: u16, c: &u8| Some(all << 4 | char::from(*c).to_digit(16)? as u16);
            return (hex.len() < 3).then(|| hex.iter().try_fold(0, digit))?.map(|n| (n, [HEX; 3]));
        }
        if first.is_ascii_digit() || first == b'-' {
            if text.contains(&b'.') {
                let is_it = |code: &u16| TEXTS.0.get(usize::from(*code)).is_some_and(|known| known.starts_with(text));
                return (FLOAT..=FLOAT_LAST).find(is_it).map(|code| (code, [0, PAIRS, PAIRS]));
            }
            let n = number(text.strip_prefix(b"-").unwrap_or(text))?;
            let code = of_int(if first == b'-' { -i64::from(n) } else { n.into() });
            // A place in the section of numbers, seen from the code.
            let by_number = NUMBERS.wrapping_add(n).wrapping_sub(code.unwrap_or(0));
            return Some((code.unwrap_or(0), if code.is_some() { [0, PAIRS, by_number] } else { [by_number; 3] }));
        }
        match text {
            b"off" => Some((0, [OFF; 3])),
            b"null" => Some((0, [NULL; 3])),
            _ => {
                let named = |(_, one, pair): &&(u16, &str, &str)| one.as_bytes() == text || pair.as_bytes() == text;
                self.names.codes.iter().find(named).map(|&(code, ..)| (code, [0, PAIRS, SADDRS]))
            }
        }
    }

    /// Sets the bits of the modifiers, which stand in the order in which they are printed.
    fn modifiers(&self, signature: &FastSignature, mut cursor: Cursor<'t>, read: &mut Read) -> Option<()> {
        read.is_printed = true;
        for modifier in self.tables.modifiers.get(usize::from(signature.modifiers)..)? {
            if cursor.is_done() {
                break;
            }
            // The labels of further signatures follow.
            if modifier.loud & !signature.loud != 0 {
                return None;
            }
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
                ModifierWay::Flag => {
                    read.bits |= u128::from(modifier.loud);
                    cursor = after;
                    continue;
                }
                ModifierWay::Number => digits(&mut after)?,
                ModifierWay::List => {
                    let lists = LISTS.iter().skip(1 << (modifier.width & 3)).take(1 << (modifier.width & 3));
                    let mut texts = lists.map(|list| list.get(..usize::from(list[7])).unwrap_or(&[])).zip(0..);
                    texts.find(|(text, _)| after.eat_all(text))?.1
                }
                ModifierWay::Signed | ModifierWay::Third => {
                    let minus = after.eat(b'-');
                    let n = digits(&mut after)?;
                    mask & if minus { n.wrapping_neg() } else { n }
                }
                ModifierWay::Descriptor => return None,
            };
            if modifier.way == ModifierWay::Third {
                read.bits |= u128::from(value) << (64 + modifier.low[0]);
            } else {
                for [turn, piece] in [modifier.low, modifier.high] {
                    let place = |value: u32| u128::from((u64::from(value) & u64::from(piece)).rotate_left(turn.into()));
                    read.bits = read.bits & !place(mask) | place(value);
                }
            }
            cursor = after;
        }
        cursor.is_done().then_some(())
    }

    /// Decodes the words. What the printer would write for them has to be the text.
    fn accept(&self, number: usize, signature: &FastSignature, read: &Read) -> Option<Inst> {
        let dwords: [u32; 4] = core::array::from_fn(|n| (read.bits >> (32 * n)) as u32);
        let inst = decode_words(self.target, dwords.get(..usize::from(self.form.layout.bits / 32))?).ok()?;
        let (found, _) = find(self.tables, self.row, inst.bits())?;
        if inst.index_and_form() != usize::from(self.op_index) || found != number {
            return None;
        }
        let is_wide = self.form.layout.bits > 64;
        let same = |&(turn, mask, value): &(u8, u16, u16)| {
            let turned = match is_wide {
                true => read.bits.rotate_right(turn.into()) as u16,
                false => (read.bits as u64).rotate_right(turn.into()) as u16,
            };
            turned & mask == value
        };
        if !read.places.iter().take(read.count).all(same) {
            return None;
        }
        match read.is_printed {
            false if inst.bits() & signature.loud != signature.quiet => return None,
            false => {}
            true => {
                let mut printed = TextBuffer::new();
                let printed = printed.print(&inst);
                let behind = printed.iter().position(|&c| c == b' ').unwrap_or(printed.len());
                let mut cursor = self.cursor;
                if !cursor.eat_all(printed.get(behind..)?.trim_ascii_start()) || !cursor.is_done() {
                    return None;
                }
            }
        }
        // An operation can read vcc or m0 without showing it.
        let most = read.scalars + 1;
        let uses_bus = BUS.get(inst.format() as usize).is_some_and(|bus| *bus) && most > bus_limit(&inst);
        let is_odd = read.is_odd && inst.target().aligned_vgprs();
        let can_break = uses_bus || is_odd || inst.info().flags & const { flag("mfma") } != 0 || is_packed(&inst);
        (!can_break || inst.check().is_ok()).then_some(inst)
    }
}

/// The text of the operand here: up to a comma or a blank.
fn operand<'t>(cursor: &Cursor<'t>) -> &'t [u8] {
    let rest = cursor.text.get(cursor.at..).unwrap_or(&[]);
    let len = rest.iter().position(|c| matches!(c, b',' | b' ' | b'\t' | b'\n' | b'\r')).unwrap_or(rest.len());
    rest.get(..len).unwrap_or(&[])
}

/// A number of up to three digits.
fn number(text: &[u8]) -> Option<u16> {
    let digit = |all: u16, &c: &u8| c.is_ascii_digit().then(|| 10 * all + u16::from(c - b'0'));
    (1..=3).contains(&text.len()).then(|| text.iter().try_fold(0, digit))?
}

/// A number of up to eight digits here.
fn digits(cursor: &mut Cursor) -> Option<u32> {
    let word = cursor.word();
    let digit = |all: u32, &c: &u8| c.is_ascii_digit().then(|| 10 * all + u32::from(c - b'0'));
    cursor.at += word.len();
    (1..=8).contains(&word.len()).then(|| word.iter().try_fold(0, digit))?
}

#[cfg(all(test, has_target))]
mod tests {
    use super::*;
    use crate::text::parse::{NoSymbols, described};

    /// What the tables of texts make of a text, the descriptors make of it, too.
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
                // The first bits are the encoding; each of its values has the same share.
                let first = n << 23 | random() >> 9;
                let Ok(inst) = decode_words(target, &[first, random() & random(), random(), 0, 0]) else { continue };
                let mut buffer = TextBuffer::new();
                let mut text = [b' '; 256];
                let len = buffer.print(&inst).len();
                if let Some(place) = text.get_mut(..len) {
                    place.copy_from_slice(buffer.as_bytes());
                }
                for change in [false, true] {
                    if change {
                        let place = random() as usize % len.max(1);
                        text[place] = CHANGES[random() as usize % CHANGES.len()];
                    }
                    let text = core::str::from_utf8(&text[..len]).unwrap();
                    let mut cursor = Cursor::new(text);
                    let name = cursor.name();
                    cursor.at += name.len();
                    printed += u32::from(!change);
                    let Some(quick) = parse(target, cursor, name) else { continue };
                    parsed += u32::from(!change);
                    let slow = described(target, cursor, 0, name, &NoSymbols);
                    assert_eq!(slow.map(|inst| inst.words().to_vec()), Ok(quick.words().to_vec()), "{target} {text}");
                }
            }
        }
        assert!(parsed > printed / 3, "{parsed} of {printed}");
    }
}
