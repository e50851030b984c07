//! Precomputed texts of operands: `TEXTS` in src/text/texts.rs. build/lower/fast_texts.rs assigns them to operands.

use std::collections::BTreeMap;

use crate::build::lower::codes::{Codes, Run};

pub use crate::build::shared::texts::*;

/// The first index for each counter to wait for: `lgkmcnt` alone, `lgkmcnt` after another counter, `vmcnt`, `vmcnt`
/// with a maximum of 15, and `expcnt`.
pub const WAITS: [u16; 5] = [0xc00, 0xc10, 0xc20, 0xc30, 0xc40];
/// The first index of the names of instructions to wait for (`s_delay_alu`), and the first index of the numbers of
/// instructions to skip between two of them.
pub const INSTIDS: u16 = 0x780;
pub const INSTSKIPS: u16 = 0x790;
/// The first index of the texts before, between and after the names of `s_delay_alu`.
pub const DELAYS: u16 = 0x798;
const DELAY_TEXTS: [&str; 4] = ["instid0(", ") | instskip(", ") | instid1(", "), "];
/// The first index of the names of the parts of `s_waitcnt_depctr`, each with a parenthesis, in the order of the table;
/// and the index of a zero with the text after it.
pub const DEPCTRS: u16 = 0x7a0;
pub const DEPCTR_ZERO: u16 = 0x7b0;
/// The index of a missing text.
pub const MISSING: u16 = 0x7ff;

/// The number of texts, and the size of each in bytes.
const COUNT: u16 = 0x1000;
const SIZE: usize = 16;
/// The value that marks a missing text in place of its length, as in src/text/texts.rs.
const NO_LENGTH: u8 = 0x40;

/// All texts in order: `s5, `, `v[4:5], ` and `-5, `, with their lengths in the last byte.
///
/// `last` is the last scalar register, and `names` are the names of other codes, as one register and as two. The
/// register and the names are common to all targets: a code that differs between targets has no text. `codes` are the
/// codes of any target; only the common ones are used. `named` has the texts of named parts of constants, by index.
pub fn all(last: u16, codes: &Codes, names: &BTreeMap<u16, (&str, &str)>, named: &BTreeMap<u16, String>) -> String {
    let text = |number| named.get(&number).cloned().or_else(|| text(number, last, codes, names));
    (0..COUNT).flat_map(|number| padded(text(number))).map(char::from).collect()
}

fn padded(text: Option<String>) -> [u8; SIZE] {
    let mut all = [0; SIZE];
    match text.filter(|text| text.len() < SIZE) {
        Some(text) => {
            all[..text.len()].copy_from_slice(text.as_bytes());
            all[SIZE - 1] = text.len() as u8;
        }
        None => all[SIZE - 1] = NO_LENGTH,
    }
    all
}

/// The text with a number: an operand, followed by the two bytes of the separator.
fn text(number: u16, last: u16, codes: &Codes, names: &BTreeMap<u16, (&str, &str)>) -> Option<String> {
    let (section, n) = (number & !0xff, number & 0xff);
    let scalar = n <= last;
    // The number of a scalar tuple's first register is rounded down to its alignment, as in LLVM's text.
    let run = |file: &str, n: u16, count: u16, last: u16| {
        let end = n + count - 1;
        (end <= last).then(|| format!("{file}[{n}:{end}]"))
    };
    let tuple = |file: &str, n: u16, count: u16| run(file, n, count, 255);
    // Runs that end in vcc have no precomputed text.
    let scalars = |n: u16, count: u16| run("s", n, count, last);
    let name = names.get(&n).copied();
    let place = |(first, last): Run| (first..=last).contains(&n).then(|| n - first);
    let operand = match section {
        _ if number == EMPTY => return Some(String::new()),
        _ if number == BLANK => return Some(" ".into()),
        _ if number == OFF => Some("off".into()),
        _ if number == NULL => Some("null".into()),
        _ if (DELAYS..DELAYS + 4).contains(&number) => return Some(DELAY_TEXTS[usize::from(number - DELAYS)].into()),
        _ if number == DEPCTR_ZERO => return Some("0), ".into()),
        0 if scalar => Some(format!("s{n}")),
        SADDRS | PAIRS if scalar => scalars(n & !1, 2),
        QUADS if scalar => scalars(n & !3, 4),
        SIXTEENS if scalar => scalars(n & !3, 16),
        0 | PAIRS if place(codes.int).is_some() => place(codes.int).map(|n| n.to_string()),
        0 | PAIRS if place(codes.negative).is_some() => place(codes.negative).map(|n| format!("-{}", n + 1)),
        0 => name.map(|(one, _)| one.into()),
        SADDRS => name.filter(|_| n < codes.int.0).map(|(_, pair)| pair.into()),
        // The type of a constant determines which of its two names is right for a pair.
        PAIRS => name.filter(|(one, pair)| n < codes.int.0 || one == pair).map(|(_, pair)| pair.into()),
        0x100 => Some(format!("v{n}")),
        0x200 => Some(format!("a{n}")),
        0x500 => tuple("v", n, 2),
        0x600 => tuple("a", n, 2),
        0x900 => tuple("v", n, 4),
        0xa00 => tuple("a", n, 4),
        0xe00 => tuple("v", n, 16),
        0xf00 => tuple("a", n, 16),
        NUMBERS if n < 128 => Some(n.to_string()),
        HEX => Some(format!("{n:#x}")),
        0xc00 => return counter(number & !15, n & 15),
        _ => None,
    };
    operand.filter(|text: &String| !text.is_empty()).map(|text| text + ", ")
}

/// The text of a counter to wait for.
fn counter(which: u16, n: u16) -> Option<String> {
    let [alone, after, _, whole, expcnt] = WAITS;
    match n {
        // If all counters are at their maximum, all of them are printed.
        15 if which == alone => None,
        15 if which == after => Some(" ".into()),
        15 if which == whole => Some(String::new()),
        7 if which == expcnt => Some(String::new()),
        0..7 if which == expcnt => Some(format!("expcnt({n}) ")),
        _ if which == expcnt => None,
        _ if which == alone || which == after => Some(format!("lgkmcnt({n})  ")),
        _ => WAITS.contains(&which).then(|| format!("vmcnt({n}) ")),
    }
}
