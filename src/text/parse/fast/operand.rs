//! Parser of the texts of operands, which finds the bits for them.

use super::FastParser;
use crate::code::{FLOAT, FLOAT_LAST, INT, LITERAL, VGPR, of_int};
use crate::shared::texts::{ACC, BLANK, EMPTY, HEX, NULL, NUMBERS, OFF, PAIRS, QUADS, SADDRS, SIXTEENS};
use crate::table::FastSignature;
use crate::text::parse::cursor::{Cursor, ends_operand};
use crate::text::texts::{MISSING, TEXTS, Text};

/// The section of numbers without a text. Added to the code of the number zero, it gives an index beyond the table.
const NONE: u16 = u16::MAX - INT;

/// The result of parsing the operands of a signature.
#[derive(Clone)]
pub(super) struct Read {
    pub bits: u128,
    /// The bits that operands have set or cleared.
    decided: u128,
    pub literal: Option<u32>,
    /// Whether the positions of operands are rotations of 128 bits, not of 64.
    is_wide: bool,
    /// Whether the text has at least one operand.
    pub is_any: bool,
    /// The number of scalars that the operands read or write.
    pub scalars: u8,
    /// Whether a vector operand that may have to begin at an even register begins at an odd one.
    pub is_odd: bool,
    /// Whether a vector operand of several registers begins at an odd one.
    pub is_odd_tuple: bool,
    /// Whether the last operand was not followed by a comma, so that no other operand may follow.
    pub is_last: bool,
    /// Whether the text has modifiers.
    pub has_modifiers: bool,
    /// The bits of the modifiers that the text shows.
    pub shown: u64,
    /// Whether the result must be printed, and compared with the text, before it is accepted.
    pub is_printed: bool,
}

impl Read {
    pub fn new(bits: u128, is_wide: bool) -> Read {
        Read {
            bits,
            decided: 0,
            literal: None,
            is_wide,
            is_any: false,
            scalars: 0,
            is_odd: false,
            is_odd_tuple: false,
            is_last: false,
            has_modifiers: false,
            shown: 0,
            is_printed: false,
        }
    }

    /// Sets the bits of `mask` to an operand's `value`. Returns `None` if another operand or the operation needs
    /// another value there.
    fn set(&mut self, turn: u8, mask: u16, value: u16) -> Option<()> {
        let is_free = if self.is_wide {
            let (mask, value) = (u128::from(mask).rotate_left(turn.into()), u128::from(value).rotate_left(turn.into()));
            let changed = (self.bits ^ value) & mask & (self.bits | self.decided);
            self.bits |= value;
            self.decided |= mask;
            changed == 0
        } else {
            let (mask, value) = (u64::from(mask).rotate_left(turn.into()), u64::from(value).rotate_left(turn.into()));
            let changed = (self.bits as u64 ^ value) & mask & (self.bits as u64 | self.decided as u64);
            self.bits |= u128::from(value);
            self.decided |= u128::from(mask);
            changed == 0
        };
        self.is_any = true;
        is_free.then_some(())
    }

    /// Sets the bits of `mask` to those of `value`. Returns `None` if an operand needs another value there.
    pub fn mark(&mut self, mask: u128, value: u128) -> Option<()> {
        let open = mask & !self.decided;
        self.bits = self.bits & !open | value & open;
        (self.bits & mask == value).then_some(())
    }

    /// Stores bits of a modifier. Returns `None` if an operand needs another value there.
    pub fn put(&mut self, mask: u128, value: u128) -> Option<()> {
        let bits = self.bits & !mask | value;
        ((self.bits ^ bits) & self.decided == 0).then(|| self.bits = bits)
    }
}

/// The next characters of the text, padded with zeros. They have the size of an entry of the table of texts.
type Ahead = [u8; 16];

/// A possible meaning of an operand's text.
struct Meaning {
    /// The length of the text.
    len: usize,
    /// The code of the register or constant, or the number.
    code: u16,
    /// Whether the operand is a scalar register.
    is_scalar: bool,
    /// The sections of the table of texts that may contain the text.
    sections: [u16; 3],
}

impl FastParser<'_> {
    /// Parses part number `n` of a constant, whose text is the longest one that matches here, and may be empty.
    pub(super) fn part(&self, entry: &FastSignature, n: usize, cursor: &mut Cursor, read: &mut Read) -> Option<()> {
        let (turn, mask, add) = (*entry.rotations.get(n)?, *entry.masks.get(n)?, *entry.adds.get(n)?);
        if mask == 0 && add == EMPTY * 16 {
            return Some(());
        }
        if !read.is_any {
            cursor.blank();
        }
        let rest = cursor.rest();
        let ahead: &Ahead = self.padded.get(cursor.at - self.start..)?.first_chunk()?;
        let (mut value, mut best) = (0u16, None);
        loop {
            let place = value.wrapping_add(add) / 16;
            let known = TEXTS.0.get(usize::from(place))?;
            let len = usize::from(known[15] & 15);
            // Most texts differ in the first characters.
            let several = len.min(rest.len()).min(8);
            let can_be = several == 0 || (low(ahead) ^ low(known)) << (64 - 8 * several) == 0;
            if let Some(text) = known.get(..len).filter(|_| can_be && known[15] != MISSING) {
                // The table's text of the last part ends with a separator, which the parsed text lacks.
                let is_last = || {
                    if rest.ends_with(b",") {
                        return false;
                    }
                    let after = text.len().checked_sub(rest.len()).filter(|after| *after <= 2);
                    let tail = after.and_then(|_| text.strip_prefix(rest));
                    tail.is_some_and(|tail| tail.iter().all(|c| matches!(c, b',' | b' ')))
                };
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
        read.set(turn, mask, value)?;
        read.is_last = true;
        // If this part is empty, all parts can be. The printer then writes something else.
        read.is_printed |= len == 0;
        Some(())
    }

    /// Parses the operand whose text is number `n` of an entry.
    #[inline(always)]
    pub(super) fn operand(&self, entry: &FastSignature, n: usize, cursor: &mut Cursor, read: &mut Read) -> Option<()> {
        let (turn, mask, add) = (*entry.rotations.get(n)?, *entry.masks.get(n)?, *entry.adds.get(n)?);
        // The entry has no text here, or only the blank that replaces all operands.
        if mask == 0 && add >= BLANK * 16 {
            return Some(());
        }
        // Two operands without a comma between them could be one expression.
        if read.is_last {
            return None;
        }
        cursor.blank();
        let ahead: &Ahead = self.padded.get(cursor.at - self.start..)?.first_chunk()?;
        let value = if mask == 0 {
            read.scalars += 1;
            let known = TEXTS.0.get(usize::from(add / 16))?;
            let len = len_of(known);
            cursor.at += len;
            (is_at(ahead, known, len) && ends_operand(ahead[len % 16])).then_some(0)?
        } else {
            let Some(Meaning { len, code, is_scalar, sections }) = self.meaning(ahead) else {
                // The operand may be a constant of several parts.
                return if ahead.contains(&b'(') { self.part(entry, n, cursor, read) } else { None };
            };
            cursor.at += len;
            read.scalars += u8::from(is_scalar);
            if code >= VGPR && code & 1 == 1 {
                read.is_odd = true;
                read.is_odd_tuple |= ahead[(len - 1) % 16] == b']';
            }
            let fits = |section: u16| {
                let place = section.wrapping_add(code);
                let value = place.wrapping_mul(16).wrapping_sub(add);
                (value & !mask == 0 && is_at(ahead, TEXTS.0.get(usize::from(place))?, len)).then_some(value)
            };
            match sections.into_iter().find_map(fits) {
                Some(value) => value,
                None => self.other(ahead.get(..len)?, code, (turn, mask, add), read)?,
            }
        };
        read.set(turn, mask, value)?;
        read.is_last = !cursor.eat(b',');
        Some(())
    }

    /// The value of an operand without a precomputed text. The result is printed later and compared with the text.
    fn other(&self, text: &[u8], code: u16, (turn, mask, add): (u8, u16, u16), read: &mut Read) -> Option<u16> {
        read.is_printed = true;
        let hex = text.strip_prefix(b"0x");
        let number = |digits: &[u8], radix| {
            let digit = |all: u32, c: &u8| Some(all * radix + char::from(*c).to_digit(radix)?);
            (1..=8).contains(&digits.len()).then(|| digits.iter().try_fold(0, digit))?
        };
        match text.first()? {
            // A name whose code differs between targets has no precomputed text.
            first if first.is_ascii_alphabetic() => (code < VGPR).then_some(code.wrapping_mul(16) & mask),
            // Only small constants of scalar operations have precomputed texts.
            _ if add / 16 == NUMBERS || add / 16 == HEX => {
                let all = hex.map_or_else(|| number(text, 10), |hex| number(hex, 16))?;
                // The rotation leaves four bits free below the index of a text.
                let (lsb, width) = match (turn.wrapping_add(4) % 64, read.is_wide) {
                    (0, false) => (0, 16),
                    (32, false) => (32, 20),
                    _ => return None,
                };
                let above = all & !u32::from(mask >> 4);
                read.bits |= u128::from(above) << lsb;
                (all >> width == 0).then_some((all as u16).wrapping_mul(16) & mask)
            }
            _ => {
                let literal = number(hex?, 16)?;
                read.scalars += 1;
                let is_other = read.literal.replace(literal).is_some_and(|other| other != literal);
                let value = (LITERAL * 16).wrapping_sub(add);
                (!is_other && value & !mask == 0).then_some(value)
            }
        }
    }

    /// The meaning of the operand at the start of a text: a register or a run of registers, otherwise a constant.
    /// `None` if no precomputed text has this operand.
    #[inline(always)]
    fn meaning(&self, ahead: &Ahead) -> Option<Meaning> {
        let file = match ahead[0] {
            b's' => 0,
            b'v' => VGPR,
            b'a' => VGPR + ACC,
            _ => return self.constant(ahead),
        };
        let is_scalar = file == 0;
        if ahead[1] != b'[' {
            let (n, len) = decimal(ahead, 1);
            return match len > 1 && ends_operand(ahead[len % 16]) {
                true => Some(Meaning { len, code: file.wrapping_add(n), is_scalar, sections: [0; 3] }),
                false => self.constant(ahead),
            };
        }
        let (from, colon) = decimal(ahead, 2);
        let (to, end) = decimal(ahead, colon + 1);
        if [ahead[colon % 16], ahead[end % 16]] != *b":]" || !ends_operand(ahead[(end + 1) % 16]) {
            return None;
        }
        let sections = match to.checked_sub(from)? {
            1 => [PAIRS, SADDRS, PAIRS],
            3 => [QUADS; 3],
            15 => [SIXTEENS; 3],
            _ => return None,
        };
        Some(Meaning { len: end + 1, code: file.wrapping_add(from), is_scalar, sections })
    }

    /// The meaning of a number or a name.
    fn constant(&self, ahead: &Ahead) -> Option<Meaning> {
        let len = ahead.iter().position(|&c| ends_operand(c))?;
        let text = ahead.get(..len)?;
        let first = *text.first()?;
        let meaning = |code, sections| Some(Meaning { len, code, is_scalar: false, sections });
        if let Some(hex) = text.strip_prefix(b"0x") {
            let digit = |all: u16, c: &u8| Some(all << 4 | char::from(*c).to_digit(16)? as u16);
            return match hex.len() {
                0..3 => meaning(hex.iter().try_fold(0, digit)?, [HEX; 3]),
                _ => meaning(INT, [NONE; 3]),
            };
        }
        if first.is_ascii_digit() || first == b'-' {
            if text.contains(&b'.') {
                let is_it = |code: &u16| TEXTS.0.get(usize::from(*code)).is_some_and(|known| known.starts_with(text));
                return (FLOAT..=FLOAT_LAST).find(is_it).and_then(|code| meaning(code, [0, PAIRS, PAIRS]));
            }
            let (n, end) = decimal(ahead, usize::from(first == b'-'));
            if end != len {
                return None;
            }
            let code = of_int(if first == b'-' { -i64::from(n) } else { n.into() });
            // The section in which the number itself is the index, relative to the code.
            let by_number = NUMBERS.wrapping_add(n).wrapping_sub(code.unwrap_or(0));
            return meaning(code.unwrap_or(0), if code.is_some() { [0, PAIRS, by_number] } else { [by_number; 3] });
        }
        match text {
            b"off" => meaning(0, [OFF; 3]),
            b"null" => meaning(0, [NULL; 3]),
            _ => {
                let named = |(_, one, pair): &&(u16, &str, &str)| one.as_bytes() == text || pair.as_bytes() == text;
                let found = self.names.codes.iter().find(named);
                found.map(|&(code, ..)| Meaning { len, code, is_scalar: true, sections: [0, PAIRS, SADDRS] })
            }
        }
    }
}

/// The length of a text without the separator after it.
fn len_of(known: &Text) -> usize {
    usize::from(known[15] & 15).saturating_sub(2)
}

/// The first eight characters of a text.
#[inline(always)]
fn low(text: &Text) -> u64 {
    u128::from_le_bytes(*text) as u64
}

/// Whether the next characters are the text of a table entry, without its separator, and have this length.
#[inline(always)]
fn is_at(ahead: &Ahead, known: &Text, len: usize) -> bool {
    let high = |text: &Text| (u128::from_le_bytes(*text) >> 64) as u64;
    // Ignore the bytes after the text.
    let last = |different: u64| different << ((8 * len).wrapping_neg() % 64) == 0;
    len_of(known) == len
        && match len {
            0 => false,
            1..=8 => last(low(ahead) ^ low(known)),
            _ => low(ahead) == low(known) && last(high(ahead) ^ high(known)),
        }
}

/// A number of up to five digits, and its end. Larger numbers have no precomputed text.
#[inline(always)]
fn decimal(ahead: &Ahead, start: usize) -> (u16, usize) {
    let (mut all, mut at) = (0u32, start);
    while at < start + 5 {
        let digit = ahead[at % 16].wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        all = 10 * all + u32::from(digit);
        at += 1;
    }
    (all as u16, at)
}
