//! Bundles of any format, one after the other.

use alloc::vec::Vec;

use crate::archive;
use crate::bundle;
use crate::compressed;
use crate::error::{Container, Error, ErrorKind};
use crate::nesting::{Budget, Nesting};
use crate::offload;
use crate::{Result, Visitor, is_known, visit_part};
use crate::{elf, pe};

pub fn is_any(bytes: &[u8]) -> bool {
    kind(bytes).is_some()
}

/// The kind of the bundle with which the bytes begin.
fn kind(bytes: &[u8]) -> Option<Container> {
    match bytes {
        _ if bytes.starts_with(bundle::MAGIC) => Some(Container::OffloadBundle),
        _ if bytes.starts_with(offload::MAGIC) => Some(Container::OffloadBinary),
        _ => compressed::is_compressed(bytes).then_some(Container::CompressedBundle),
    }
}

impl Container {
    /// The kind of container, or of file with code objects in it, with which the bytes begin.
    ///
    /// ```
    /// use amdgpu_object::Container;
    /// assert_eq!(Container::of(b"!<arch>\n"), Some(Container::Archive));
    /// assert_eq!(Container::of(b"text"), None);
    /// ```
    pub fn of(bytes: &[u8]) -> Option<Container> {
        match kind(bytes) {
            None if archive::is_archive(bytes) => Some(Container::Archive),
            None if elf::is_elf(bytes) || pe::is_pe(bytes) => Some(Container::Program),
            kind => kind,
        }
    }
}

/// Visits consecutive bundles, as the linker puts them into `.hip_fatbin`: one for each translation unit, padded with
/// zeros to an alignment. After a damaged bundle, the search for the next one goes byte by byte.
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
        let len;
        (len, is_lost) = one(rest, at, label, nesting, each)?;
        at += len;
        at += bytes.get(at..).unwrap_or_default().iter().take_while(|&&b| b == 0).count();
    }
    Ok(())
}

/// Visits the bundle with which `bytes` begins, at the offset `at` of the part that contains it. Returns the length of
/// the bundle and whether it is damaged as a whole.
pub fn one(
    bytes: &[u8],
    at: usize,
    label: &str,
    nesting: Nesting<'_>,
    each: &mut Visitor<'_>,
) -> Result<(usize, bool)> {
    let container = kind(bytes).unwrap_or(Container::CompressedBundle);
    let path = nesting.path(container, at);
    let inside = Nesting { depth: nesting.depth, ..nesting.inside(at, &path) };
    let mut end = 0;
    let visited = match bytes {
        _ if bytes.starts_with(bundle::MAGIC) => bundle::visit(bytes, &mut end, inside, each),
        _ if bytes.starts_with(offload::MAGIC) => offload::visit(bytes, &mut end, inside, each),
        _ => decompress(bytes, label, &mut end, inside, each),
    };
    let is_lost = visited.is_err();
    inside.contain(visited, each)?;
    // Every bundle has at least its magic number.
    Ok((end.max(1), is_lost))
}

/// The offset of the next bundle after `at`.
fn next(bytes: &[u8], at: usize) -> Option<usize> {
    (at + 1..bytes.len()).find(|&at| bytes.get(at..).is_some_and(begins))
}

/// Whether a bundle is likely to begin with these bytes, which are in the middle of arbitrary data.
pub fn begins(bytes: &[u8]) -> bool {
    match bytes.first() {
        Some(b'C') => compressed::is_likely(bytes),
        Some(b'_') => bytes.starts_with(bundle::MAGIC),
        _ => bytes.starts_with(offload::MAGIC),
    }
}

/// The decompressed bundle of a file that is one compressed bundle; `None` for a file that is anything else, or in
/// which more bytes follow the bundle. `max_decompressed` is as in [`visit`](crate::visit).
///
/// # Errors
/// The bundle is damaged, larger than `max_decompressed`, or compressed in a way that this build does not read.
pub fn unpack(file: &[u8], max_decompressed: Option<u64>) -> core::result::Result<Option<Vec<u8>>, Error> {
    if !compressed::is_compressed(file) {
        return Ok(None);
    }
    let (mut end, budget) = (0, Budget::new(file.len(), max_decompressed));
    let plain = compressed::decompress(file, &mut end, &budget)?;
    match plain.damage {
        Some(damage) => Err(damage.into()),
        None => Ok(Some(plain.bytes).filter(|_| end == file.len())),
    }
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

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::{Error, bundle, visit};

    /// The error of a visitor.
    #[derive(Debug, PartialEq)]
    struct Enough;

    impl From<Error> for Enough {
        fn from(_: Error) -> Enough {
            Enough
        }
    }

    #[test]
    fn a_visitor_ends_the_visit_of_all_bundles() {
        let object = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
        let id = b"hipv4-amdgcn-amd-amdhsa--gfx942";
        let mut one = bundle::MAGIC.to_vec();
        let start = one.len() + 4 * 8 + id.len();
        for number in [1, start, object.len(), id.len()] {
            one.extend((number as u64).to_le_bytes());
        }
        one.extend(id.iter().chain(object));
        let file = [one.clone(), one].concat();
        let visited = |last: usize| {
            let mut parts = Vec::new();
            let result = visit(&file, None, |_| {
                parts.push(());
                if parts.len() == last { Err(Enough) } else { Ok(()) }
            });
            (parts.len(), result)
        };
        assert_eq!(visited(0), (2, Ok(())));
        assert_eq!(visited(1), (1, Err(Enough)));
    }
}
