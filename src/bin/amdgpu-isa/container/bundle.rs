//! Clang offload bundles: a table of entries, one for each target, and then their bytes.
//!
//! ```text
//! "__CLANG_OFFLOAD_BUNDLE__"  count:u64  { offset:u64 size:u64 idlen:u64 id }*count  ...bytes of the entries
//! ```

use std::borrow::Cow;

use super::{Nesting, TargetId, Visitor, visit_as, visit_part};
use crate::error::{Error, Result};
use crate::escape;

const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The listing shows the id of the entry with each section of an image. Longer ids exist only in files made to waste
/// time.
const MAX_ID: usize = 1024;

/// The id of an entry, if it can be shown unchanged.
pub fn entry_id(bytes: &[u8]) -> Option<&str> {
    match escape::name(bytes) {
        Cow::Borrowed(id) if id.len() <= MAX_ID => Some(id),
        _ => None,
    }
}

/// Entry ids are `kind-triple-[environment-]target`; kinds other than `host` are for a GPU.
pub fn is_device(id: &str) -> bool {
    id.contains("amdgcn") && !id.starts_with("host-")
}

/// `hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+` -> `gfx942:sramecc+`.
pub fn target_of(id: &str) -> Option<&str> {
    // The name of a target can contain dashes (`gfx9-4-generic`), so look for its beginning.
    id.find("-gfx").map(|at| &id[at + 1..])
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64, what: &str) -> Result<&'a [u8]> {
        let end = usize::try_from(count).ok().and_then(|n| self.at.checked_add(n));
        let part = end.and_then(|end| self.bytes.get(self.at..end)).ok_or_else(|| {
            Error::input(format!("cut off: {what} needs {count} bytes, {} are left", self.bytes.len() - self.at))
        })?;
        self.at += part.len();
        Ok(part)
    }

    fn u64(&mut self, what: &str) -> Result<u64> {
        let bytes = self.take(8, what)?.try_into().unwrap_or([0; 8]);
        Ok(u64::from_le_bytes(bytes))
    }
}

/// Visits the entries of the bundle that `bytes` begins with. Returns how many bytes belong to it.
pub fn visit(bytes: &[u8], nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<usize> {
    let mut header = Reader { bytes, at: MAGIC.len() };
    let count = header.u64("the number of entries")?;
    let mut end = 0usize;
    let mut total = 0usize;
    let mut entries = Vec::new();
    // The loop ends with the bytes, whatever `count` claims.
    for i in 0..count {
        let offset = header.u64("an entry's offset")?;
        let size = header.u64("an entry's size")?;
        let length = header.u64("the length of an entry's id")?;
        let id = header.take(length, "an entry's id")?;
        let id = entry_id(id)
            .ok_or_else(|| Error::input(format!("the id of entry {i} is not text, or longer than {MAX_ID} bytes")))?;
        let range = usize::try_from(offset).ok().zip(usize::try_from(size).ok());
        let range = range.and_then(|(from, size)| Some(from..from.checked_add(size)?));
        let data = range.clone().and_then(|r| bytes.get(r)).ok_or_else(|| {
            Error::input(format!(
                "cut off: entry {id} claims {size} bytes at {offset:#x}, the bundle has {:#x} bytes",
                bytes.len()
            ))
        })?;
        end = end.max(range.map_or(0, |r| r.end));
        total = total.saturating_add(data.len());
        entries.push((id, data));
    }
    if total > bytes.len() {
        return Err(Error::input("damaged: its entries overlap"));
    }
    for (id, data) in entries {
        // Skip host entries, and empty entries of targets without code in this translation unit.
        if data.is_empty() || !is_device(id) {
            continue;
        }
        visit_as(target_of(id).map(TargetId::parse), each, |each| visit_part(data, id, nesting.deeper(), each))
            .map_err(|e| e.within(&format!("entry {id}")))?;
    }
    Ok(end.max(header.at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_targets() {
        assert_eq!(target_of("hip-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"), Some("gfx942:sramecc+:xnack-"));
        assert_eq!(target_of("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic"), Some("gfx9-4-generic"));
        assert_eq!(target_of("openmp-amdgcn-amd-amdhsa-gfx906"), Some("gfx906"));
        assert!(!is_device("host-x86_64-unknown-linux--"));
        assert!(is_device("hipv4-amdgcn-amd-amdhsa--gfx942"));
    }
}
