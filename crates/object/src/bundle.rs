//! Clang offload bundles: a table of entries, one for each target, and then their bytes.
//!
//! ```text
//! "__CLANG_OFFLOAD_BUNDLE__"  count:u64  { offset:u64 size:u64 idlen:u64 id }*count  ...bytes of the entries
//! ```

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Container, ErrorKind};
use crate::name::shortened;
use crate::nesting::Nesting;
use crate::{Part, Result, SkipReason, TargetId, Visitor, is_amdgpu, visit_as, visit_part};

pub const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

/// The length of the longest id that is accepted, in bytes. The listing repeats the id for each section of an image,
/// and longer ids exist only in files made to waste time.
pub const MAX_ID: usize = 1024;

/// The meaning of an entry's id.
pub enum Id<'a> {
    Host,
    /// The id of an entry for an AMD GPU.
    Device(&'a str),
    /// The id of an entry for another device, or an id that cannot be read: the text that is shown, and the reason why
    /// the entry is skipped.
    Unknown(String, SkipReason),
}

/// Reads the id of an entry, `kind-triple-[environment-]target`. Kinds other than `host` are for a GPU.
pub fn read_id(bytes: &[u8]) -> Id<'_> {
    let unknown = |reason: SkipReason| Id::Unknown(shortened(bytes), reason);
    let id = match core::str::from_utf8(bytes) {
        Ok(id) if id.len() > MAX_ID => return unknown(SkipReason::IdTooLong(MAX_ID)),
        Ok(id) if is_plain(id) => id,
        _ => return unknown(SkipReason::IdNotText),
    };
    match id.split_once('-') {
        Some(("host", _)) => Id::Host,
        Some((_, triple)) if is_amdgpu(triple) => Id::Device(id),
        _ => unknown(SkipReason::OtherDevice),
    }
}

/// Whether an id has only characters that are allowed in ids.
pub fn is_plain(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Extracts the target id: `hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+` -> `gfx942:sramecc+`.
pub fn target_of(id: &str) -> Option<TargetId> {
    id.split_once('-').and_then(|(_, triple)| TargetId::in_triple(triple))
}

/// The error for a table that is cut off.
struct Short {
    what: &'static str,
    needed: u64,
    left: usize,
}

impl Short {
    /// The error about an entry, given by its number and the number of entries, or about the table itself.
    fn of(self, entry: Option<(u64, u64)>) -> ErrorKind {
        ErrorKind::Truncated { what: self.what, entry, needed: self.needed, left: self.left }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64, what: &'static str) -> Result<&'a [u8], Short> {
        let end = usize::try_from(count).ok().and_then(|n| self.at.checked_add(n));
        let part = end.and_then(|end| self.bytes.get(self.at..end)).ok_or_else(|| {
            let left = self.bytes.len() - self.at;
            Short { what, needed: count, left }
        })?;
        self.at += part.len();
        Ok(part)
    }

    fn u64(&mut self, what: &'static str) -> Result<u64, Short> {
        let bytes = self.take(8, what)?.try_into().unwrap_or([0; 8]);
        Ok(u64::from_le_bytes(bytes))
    }
}

/// An entry of the table.
pub struct Entry<'a> {
    pub id: &'a [u8],
    /// The offset of the entry's bytes in the bundle.
    pub offset: u64,
    pub size: u64,
    /// The offset, in the bundle, of the table's row for the entry.
    pub at: usize,
}

fn entry<'a>(table: &mut Reader<'a>) -> Result<Entry<'a>, Short> {
    let at = table.at;
    let offset = table.u64("an entry's offset")?;
    let size = table.u64("an entry's size")?;
    let length = table.u64("the length of an entry's id")?;
    Ok(Entry { offset, size, id: table.take(length, "an entry's id")?, at })
}

/// The entries of the bundle that `bytes` begins with; `None` if the bundle's table is damaged.
pub fn entries(bytes: &[u8]) -> Option<Vec<Entry<'_>>> {
    let mut table = Reader { bytes, at: MAGIC.len() };
    let count = table.u64("the number of entries").ok()?;
    // This stops where `bytes` ends, even if `count` claims more entries.
    (0..count).map(|_| entry(&mut table).ok()).collect()
}

/// Visits the entries of the bundle that `bytes` begins with. Sets `end`, even if the bundle is damaged, to the number
/// of bytes that belong to the bundle, as far as this is known.
pub fn visit(bytes: &[u8], end: &mut usize, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    let mut table = Reader { bytes, at: MAGIC.len() };
    *end = table.at;
    let count = table.u64("the number of entries").map_err(|short| short.of(None))?;
    // The number of bytes that entries may still claim. Without a limit, entries that overlap could show the same bytes
    // again and again.
    let mut left = bytes.len();
    let mut entries = Vec::new();
    let mut broken = Ok(());
    // The loop stops where `bytes` ends, even if `count` claims more entries.
    for number in 0..count {
        *end = table.at.max(*end);
        match entry(&mut table) {
            Ok(entry) => entries.push(entry),
            Err(short) => {
                broken = Err(short.of(Some((number, count))).into());
                break;
            }
        }
    }
    *end = table.at.max(*end);
    for Entry { id, offset, size, .. } in entries {
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = bytes.get(from..).unwrap_or_default();
        let data = usize::try_from(size).ok().and_then(|size| rest.get(..size));
        // Entries for the host, and for targets without code in this translation unit, are empty.
        if size > 0 {
            *end = (*end).max(from.saturating_add(data.unwrap_or(rest).len()).min(bytes.len()));
        }
        let id = match read_id(id) {
            Id::Host => continue,
            _ if size == 0 => continue,
            Id::Device(id) => id,
            Id::Unknown(shown, reason) => {
                each(Part::Skipped { label: &nesting.label(&shown), reason })?;
                continue;
            }
        };
        let path = nesting.path(Container::Entry(id.into()), from);
        let inside = nesting.inside(from, &path);
        if data.is_none() {
            let (len, of) = (bytes.len(), "bundle");
            inside.report(ErrorKind::EntryCut { claimed: size, offset, len, of }, each)?;
        }
        let data = data.unwrap_or(rest);
        let Some(after) = left.checked_sub(data.len()) else {
            inside.report(ErrorKind::Overlap { of: "entries" }, each)?;
            continue;
        };
        left = after;
        if !data.is_empty() {
            let label = nesting.label(id);
            let result = visit_as(target_of(id), each, |each| visit_part(data, &label, inside, each));
            inside.contain(result, each)?;
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn ids_name_targets() {
        for (id, target) in [
            ("hip-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", "gfx942:sramecc+:xnack-"),
            ("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", "gfx9-4-generic"),
            ("openmp-amdgcn-amd-amdhsa-gfx906", "gfx906"),
            ("hip-amdgpu9.42-amd-amdhsa", "gfx942"),
            ("hipv4-amdgpu9.42-amd-amdhsa--", "gfx942"),
            ("hipv4-amdgpu-amd-amdhsa--gfx942:xnack+", "gfx942:xnack+"),
        ] {
            assert_eq!(target_of(id).map(|id| id.to_string()).as_deref(), Some(target), "{id}");
            assert!(matches!(read_id(id.as_bytes()), Id::Device(device) if device == id), "{id}");
        }
        assert!(matches!(read_id(b"host-x86_64-unknown-linux--"), Id::Host));
        for unknown in [
            &b"hip-nvptx64-nvidia-cuda"[..],
            b"amdgcn",
            b"",
            b"hip-amdgcn\xff",
            &[b'a'; 2000],
            b"hip-amdgcn-amd-amdhsa--gfx942\x1b",
        ] {
            assert!(matches!(read_id(unknown), Id::Unknown(shown, _) if shown.len() <= 1024), "{unknown:?}");
        }
    }
}
