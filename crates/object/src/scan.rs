//! Code objects and bundles anywhere in the bytes of a file.

use alloc::format;
use alloc::string::String;

use crate::error::{Container, ErrorKind};
use crate::nesting::Nesting;
use crate::{EM_AMDGPU, Part, Result, SkipReason, Visitor, bundles, elf, visit_part};

/// Visits the code objects and bundles that begin at any byte, in order. All tables of headers together may have at
/// most as many bytes as the file: `headers` is the rest of this number. Without the limit, each byte of a file could
/// be in thousands of tables.
pub fn visit(bytes: &[u8], nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    let (mut at, mut found, mut headers) = (0, false, bytes.len());
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let len = match rest {
            _ if elf::is_elf(rest) => code_object(rest, at, &mut headers, nesting, each)?,
            _ if bundles::begins(rest) => {
                let label = label(nesting, at);
                Some(bundles::one(rest, at, &label, Nesting { outer: &label, ..nesting }, each)?.0)
            }
            _ => None,
        };
        found |= len.is_some();
        at += len.unwrap_or(1);
    }
    if found { Ok(()) } else { each(Part::Skipped { label: "", reason: SkipReason::NothingFound }) }
}

/// The label of a code object or bundle that begins at the byte `at`.
fn label(nesting: Nesting<'_>, at: usize) -> String {
    format!("{:#x}", nesting.offset(at))
}

/// Visits the code object with which `bytes` begins, and returns the number of bytes to pass over; `None` if no code
/// object begins there.
fn code_object(
    bytes: &[u8],
    at: usize,
    headers: &mut usize,
    nesting: Nesting<'_>,
    each: &mut Visitor<'_>,
) -> Result<Option<usize>> {
    let Some(file) = elf::File::parse(bytes).ok().filter(|file| file.machine == EM_AMDGPU) else { return Ok(None) };
    let path = nesting.path(Container::CodeObject, at);
    let inside = nesting.inside(at, &path);
    let Some(left) = headers.checked_sub(file.size_of_headers()) else {
        inside.report(ErrorKind::elf(crate::ElfPart::File, crate::ElfFault::Overlap), each)?;
        return Ok(Some(4));
    };
    *headers = left;
    let Some(whole) = file.end().and_then(|end| bytes.get(..end)) else {
        // Other code objects may begin among the bytes that a cut-off code object claims, so only its magic number is
        // passed over.
        let end = file.end().unwrap_or(usize::MAX);
        inside.report(ErrorKind::ContainerCut { claimed: end as u64, len: bytes.len() }, each)?;
        return Ok(Some(4));
    };
    let visited = visit_part(whole, &label(nesting, at), inside, each);
    inside.contain(visited, each)?;
    // The end that a header states may be less than 4, the length of the magic number in bytes.
    Ok(Some(whole.len().max(4)))
}
