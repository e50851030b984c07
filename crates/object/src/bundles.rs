//! Bundles of any format, one after the other.

use crate::bundle;
use crate::compressed;
use crate::error::{Container, ErrorKind};
use crate::nesting::Nesting;
use crate::offload;
use crate::{Result, Visitor, is_known, visit_part};

pub fn is_any(bytes: &[u8]) -> bool {
    bytes.starts_with(bundle::MAGIC) || compressed::is_compressed(bytes) || bytes.starts_with(offload::MAGIC)
}

/// Visits consecutive bundles, as the linker puts them into `.hip_fatbin`: one for each translation unit,
/// padded with zeros to an alignment. After a damaged one, it looks for the next.
pub fn visit(bytes: &[u8], label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    let mut at = 0;
    let mut is_lost = false;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        if !is_any(rest) {
            if !is_lost {
                let (offset, is_decompressed) = (nesting.offset(at), nesting.is_decompressed);
                nesting.report(ErrorKind::NotABundle { offset, is_decompressed }, each)?;
            }
            match next(bytes, at) {
                Some(next) => at = next,
                None => return Ok(()),
            }
            is_lost = false;
            continue;
        }
        let container = match rest {
            _ if rest.starts_with(bundle::MAGIC) => Container::OffloadBundle,
            _ if rest.starts_with(offload::MAGIC) => Container::OffloadBinary,
            _ => Container::CompressedBundle,
        };
        let path = nesting.path(container, at);
        let inside = Nesting { depth: nesting.depth, ..nesting.inside(at, &path) };
        let mut end = 0;
        let visited = match rest {
            _ if rest.starts_with(bundle::MAGIC) => bundle::visit(rest, &mut end, inside, each),
            _ if rest.starts_with(offload::MAGIC) => offload::visit(rest, &mut end, inside, each),
            _ => decompress(rest, label, &mut end, inside, each),
        };
        is_lost = visited.is_err();
        inside.contain(visited, each)?;
        // Every bundle has at least its magic number.
        at += end.max(1);
        at += bytes.get(at..).unwrap_or_default().iter().take_while(|&&b| b == 0).count();
    }
    Ok(())
}

/// The beginning of another bundle after `at`.
fn next(bytes: &[u8], at: usize) -> Option<usize> {
    let begins = |&at: &usize| {
        bytes.get(at..).is_some_and(|rest| match rest.first() {
            Some(b'C') => compressed::is_likely(rest),
            Some(b'_') => rest.starts_with(bundle::MAGIC),
            _ => rest.starts_with(offload::MAGIC),
        })
    };
    (at + 1..bytes.len()).find(begins)
}

/// Visits a compressed bundle, or the part of it that can be decompressed.
fn decompress(bytes: &[u8], label: &str, end: &mut usize, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    if nesting.is_decompressed {
        return Err(ErrorKind::CompressedTwice.into());
    }
    let plain = compressed::decompress(bytes, end, nesting.budget)?;
    if let Some(damage) = plain.damage {
        nesting.report(damage, each)?;
        if !is_known(&plain.bytes) {
            return Ok(());
        }
    }
    let inside = Nesting { depth: nesting.depth + 1, base: 0, is_decompressed: true, ..nesting };
    visit_part(&plain.bytes, label, inside, each)
}
