//! Ready-made texts of operands: `TEXTS` in src/text/texts.rs. Which operand has which, build/lower/fast_texts.rs says.

use std::collections::BTreeMap;

use crate::build::lower::codes::{Codes, Run};

/// Where the codes of scalar addresses and those of pairs begin.
pub const SADDRS: u16 = 0x300;
pub const PAIRS: u16 = 0x400;
/// Where numbers begin.
pub const NUMBERS: u16 = 0x700;
/// Where the codes of four registers begin, and of sixteen.
pub const QUADS: u16 = 0x800;
pub const SIXTEENS: u16 = 0xd00;
/// From a vector register to the accumulation register of its number.
pub const ACC: u16 = 0x100;
/// Where numbers in hexadecimal begin.
pub const HEX: u16 = 0xb00;
/// Where counters begin that are waited for: `lgkmcnt` alone, `lgkmcnt` behind another, `vmcnt`, and `vmcnt` that is at
/// its maximum at 15.
pub const WAITS: [u16; 4] = [0xc00, 0xc10, 0xc20, 0xc30];
/// The text of `off`, and the code of a scalar address that is printed so.
pub const OFF: u16 = SADDRS + NO_SADDR;
pub const NO_SADDR: u16 = 127;
/// That of what is not there, that of a blank, and one that is missing.
pub const EMPTY: u16 = 0xfff;
pub const BLANK: u16 = 0xffe;
pub const MISSING: u16 = 0x7ff;

/// All numbers, and bytes of each text.
const COUNT: u16 = 0x1000;
const SIZE: usize = 16;
/// In the place of the length of a text that is missing, as in src/text/texts.rs.
const NO_LENGTH: u8 = 0x40;

/// The texts, one behind the other: `s5, `, `v[4:5], ` and `-5, `, with their lengths in the last byte.
///
/// `last`: the last scalar register; `names`: of other codes, as one register and as two. Both are of all targets: what is
/// not the same on all of them has no text. `codes`: those of any target, of which only such as are the same on all are used.
pub fn all(last: u16, codes: &Codes, names: &BTreeMap<u16, (&str, &str)>) -> String {
    (0..COUNT).flat_map(|number| padded(text(number, last, codes, names))).map(char::from).collect()
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

/// The text of a number: an operand with what stands behind it, two bytes behind the last one.
fn text(number: u16, last: u16, codes: &Codes, names: &BTreeMap<u16, (&str, &str)>) -> Option<String> {
    let (section, n) = (number & !0xff, number & 0xff);
    let scalar = n <= last;
    // Scalar tuples begin at the aligned register, as LLVM prints them.
    let tuple = |file: &str, n: u16, count: u16| {
        let end = n + count - 1;
        (end < 256).then(|| format!("{file}[{n}:{end}]"))
    };
    let name = names.get(&n).copied();
    let place = |(first, last): Run| (first..=last).contains(&n).then(|| n - first);
    let operand = match section {
        _ if number == EMPTY => return Some(String::new()),
        _ if number == BLANK => return Some(" ".into()),
        _ if number == OFF => Some("off".into()),
        0 if scalar => Some(format!("s{n}")),
        SADDRS | PAIRS if scalar => tuple("s", n & !1, 2),
        QUADS if scalar => tuple("s", n & !3, 4),
        SIXTEENS if scalar => tuple("s", n & !3, 16),
        0 | PAIRS if place(codes.int).is_some() => place(codes.int).map(|n| n.to_string()),
        0 | PAIRS if place(codes.negative).is_some() => place(codes.negative).map(|n| format!("-{}", n + 1)),
        0 => name.map(|(one, _)| one.into()),
        SADDRS => name.filter(|_| n < codes.int.0).map(|(_, pair)| pair.into()),
        // Of a constant it depends on the type which of two names is that of a pair.
        PAIRS => name.filter(|(one, pair)| n < codes.int.0 || one == pair).map(|(_, pair)| pair.into()),
        0x100 => Some(format!("v{n}")),
        0x200 => Some(format!("a{n}")),
        0x500 => tuple("v", n, 2),
        0x600 => tuple("a", n, 2),
        0x900 => tuple("v", n, 4),
        0xa00 => tuple("a", n, 4),
        0xe00 => tuple("v", n, 16),
        0xf00 => tuple("a", n, 16),
        NUMBERS if n <= 64 => Some(n.to_string()),
        HEX => Some(format!("{n:#x}")),
        0xc00 => return counter(number & !15, n & 15),
        _ => None,
    };
    operand.filter(|text: &String| !text.is_empty()).map(|text| text + ", ")
}

/// What is waited for.
fn counter(which: u16, n: u16) -> Option<String> {
    let [alone, behind, _, whole] = WAITS;
    match n {
        // If all are at their maximum, all are printed.
        15 if which == alone => None,
        15 if which == behind => Some(" ".into()),
        15 if which == whole => Some(String::new()),
        _ if which == alone || which == behind => Some(format!("lgkmcnt({n})  ")),
        _ => WAITS.contains(&which).then(|| format!("vmcnt({n}) ")),
    }
}
