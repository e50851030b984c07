//! Programs and libraries of Windows (PE files) with GPU code inside: HIP puts its offload bundles into the section
//! `.hip_fat`, a name cut to the eight bytes that PE files allow.

use crate::error::{Container, ErrorKind};
use crate::nesting::Nesting;
use crate::{Part, Result, SkipReason, Visitor, bundles};

/// The section with bundles. (`.hipFatB` has only pointers into it, for the runtime.)
const SECTION: &[u8; 8] = b".hip_fat";

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    let field = bytes.get(at..)?.first_chunk::<N>()?;
    usize::try_from(field.iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))).ok()
}

/// The offset of the PE header, which follows a program for DOS.
fn header(bytes: &[u8]) -> Option<usize> {
    let at = bytes.starts_with(b"MZ").then(|| number::<4>(bytes, 0x3c))??;
    bytes.get(at..)?.starts_with(b"PE\0\0").then_some(at)
}

pub fn is_pe(bytes: &[u8]) -> bool {
    header(bytes).is_some()
}

/// The headers of the sections: 40 bytes each, after the PE header of 24 bytes and an optional header.
fn headers(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let table = header(bytes).and_then(|at| {
        let (count, optional) = (number::<2>(bytes, at + 6)?, number::<2>(bytes, at + 20)?);
        let from = at.checked_add(24)?.checked_add(optional)?;
        Some(bytes.get(from..)?.chunks_exact(40).take(count))
    });
    table.into_iter().flatten()
}

/// Visits the GPU code of a program.
pub fn visit(bytes: &[u8], label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    let mut found = false;
    for header in headers(bytes).filter(|header| header.starts_with(SECTION)) {
        found = true;
        // The size in memory, the size in the file, which can include padding, and the place in the file.
        let (Some(used), Some(size), Some(from)) =
            (number::<4>(header, 8), number::<4>(header, 16), number::<4>(header, 20))
        else {
            continue;
        };
        let path = nesting.path(Container::Section(".hip_fat".into()), from);
        let inside = nesting.inside(from, &path);
        let len = if used == 0 { size } else { used.min(size) };
        let data = bytes.get(from..).unwrap_or_default();
        if data.len() < len {
            inside.report(ErrorKind::ContainerCut { claimed: len as u64, len: data.len() }, each)?;
        }
        let result = bundles::visit(data.get(..len).unwrap_or(data), label, inside, each);
        inside.contain(result, each)?;
    }
    if found { Ok(()) } else { each(Part::Skipped { label, reason: SkipReason::Host }) }
}
