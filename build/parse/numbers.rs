//! Numbers and bit ranges.

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::{Bits, Piece};

/// Reads a number, or a run of numbers such as `257-271`. Returns the first and the last number.
pub fn run(at: &SourceLine, s: &str) -> Result<(u32, u32)> {
    let (a, b) = s.split_once('-').unwrap_or((s, s));
    let (a, b) = (number(at, a)?, number(at, b)?);
    if a > b { at.err(format!("bad range {s}")) } else { Ok((a, b)) }
}

/// Reads a decimal or hexadecimal number.
pub fn number(at: &SourceLine, s: &str) -> Result<u32> {
    let n = match s.strip_prefix("0x") {
        Some(h) => u32::from_str_radix(h, 16),
        None => s.parse(),
    };
    n.map_err(|_| at.error(format!("`{s}` is not a number")))
}

/// Reads a number that is at most `max`.
pub fn up_to(at: &SourceLine, s: &str, max: u32) -> Result<u32> {
    match number(at, s)? {
        n if n > max => at.err(format!("`{s}` is more than {max}")),
        n => Ok(n),
    }
}

/// Reads bits such as `7:0`, `25`, `16~`, `14,60:59` (high part first) or `31:30=10`.
pub fn bits(at: &SourceLine, s: &str) -> Result<Bits> {
    let (s, ignored) = match s.strip_suffix('~') {
        Some(s) => (s, true),
        None => (s, false),
    };
    let (range, fixed) = match s.split_once('=') {
        Some((r, v)) => (r, Some(v)),
        None => (s, None),
    };
    let mut pieces = Vec::new();
    for part in range.split(',') {
        let (hi, lo) = part.split_once(':').unwrap_or((part, part));
        let (hi, lo) = (number(at, hi)?, number(at, lo)?);
        if lo > hi || hi > 127 || hi - lo > 31 {
            return at.err(format!("bad bit range `{part}`"));
        }
        let piece = Piece { lsb: lo as u8, width: (hi - lo + 1) as u8 };
        if pieces.iter().any(|p: &Piece| p.lsb < piece.lsb + piece.width && piece.lsb < p.lsb + p.width) {
            return at.err(format!("the pieces of `{s}` overlap"));
        }
        pieces.push(piece);
    }
    pieces.reverse();
    let mut b = Bits { pieces, fixed: None, ignored };
    if let Some(v) = fixed {
        let value = u64::from_str_radix(v, 2).map_err(|_| at.error(format!("`{v}` is not a binary number")))?;
        if v.len() != usize::from(b.width()) {
            return at.err(format!("`{v}` has {} digits for {} bits", v.len(), b.width()));
        }
        b.fixed = Some(value);
    }
    Ok(b)
}
