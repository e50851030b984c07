//! Replaces a code object in a file.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;

use crate::bundle::{self, Entry};
use crate::{archive, code_object, elf, offload};

/// The file with another code object, of the same processor, in place of the code object that begins at an offset, as
/// [`Image::offset`](crate::Image::offset) gives it. A file that is one code object becomes the other one. Later
/// entries of a bundle move by a multiple of their alignment, unless there is room before them; later members of an
/// archive move, and the archive's table of symbols is adapted. A compressed bundle has to be
/// [unpacked](crate::unpack()) first.
///
/// # Errors
/// The place cannot take another size, as in host programs, no code object begins at the offset, or the new bytes are
/// not a code object of the same processor.
///
/// ```
/// use amdgpu_object::{Refusal, replace};
/// let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
/// assert_eq!(replace(file, 0, file).unwrap(), file);
/// assert_eq!(replace(file, 4, file).unwrap_err().reason, Refusal::Place);
/// assert_eq!(replace(file, 0, b"text").unwrap_err().reason, Refusal::NotCode);
/// ```
pub fn replace(file: &[u8], offset: u64, new: &[u8]) -> Result<Vec<u8>, CannotReplace> {
    let refused = |reason: Refusal| CannotReplace { offset: Some(offset), reason };
    let old = usize::try_from(offset).ok().and_then(|at| file.get(at..)).and_then(code_object::at_beginning);
    let old = old.ok_or_else(|| refused(Refusal::Place))?;
    let is_whole = |file: &elf::File<'_>| file.sections().1.is_none() && file.segments().1.is_none();
    let other = code_object::at_beginning(new).filter(is_whole).ok_or_else(|| refused(Refusal::NotCode))?;
    match (code_object::processor(&old), code_object::processor(&other)) {
        (Some(stated), new) if new.as_ref() != Some(&stated) => Err(refused(Refusal::Processor { stated, new })),
        _ => put(file, offset, new).ok_or_else(|| refused(Refusal::Place)),
    }
}

/// The file in which the bytes `new` replace the code object at an offset; `None` if the file does not allow another
/// size there, or no code object begins there.
pub(crate) fn put(file: &[u8], offset: u64, new: &[u8]) -> Option<Vec<u8>> {
    if offset == 0 && elf::is_elf(file) {
        return Some(new.to_vec());
    }
    let at = usize::try_from(offset).ok()?;
    if archive::is_archive(file) {
        return archive::replace(file, at, new);
    }
    if file.starts_with(offload::MAGIC) {
        return offload::replace(file, at, new);
    }
    let (start, entries) = bundle_around(file, at)?;
    let from = at.checked_sub(start)? as u64;
    let entry = entries.iter().find(|entry| entry.offset == from && entry.size > 0)?;
    let align = alignment(start, &entries);
    let size = usize::try_from(entry.size).ok()?;
    let old = i64::try_from(entry.size).ok()?;
    let grows = i64::try_from(new.len()).ok()?.checked_sub(old)?;
    let end = at.checked_add(size)?;
    // Zeros between this entry and the next one are room for it.
    let next = entries.iter().filter(|other| other.offset > from && other.size > 0).map(|other| other.offset).min();
    let next = next.and_then(|next| start.checked_add(usize::try_from(next).ok()?));
    let is_room = |next: &usize| file.get(end..*next).is_some_and(|room| room.iter().all(|byte| *byte == 0));
    let room = next.filter(is_room).and_then(|next| next.checked_sub(at.checked_add(new.len())?));
    // Later entries stay aligned. The last entry, at the end of the file, needs no padding.
    let is_last = entries.iter().all(|other| other.offset <= from) && end == file.len();
    let (shift, zeros) = match room {
        Some(room) => (0, room),
        None if is_last => (grows, 0),
        None => {
            let steps = grows.div_euclid(align).checked_add(i64::from(grows.rem_euclid(align) > 0))?;
            let shift = steps.checked_mul(align)?;
            (shift, usize::try_from(shift.checked_sub(grows)?).ok()?)
        }
    };
    let mut out = file.get(..at)?.to_vec();
    out.extend_from_slice(new);
    out.resize(out.len().checked_add(zeros)?, 0);
    out.extend_from_slice(file.get(if room.is_some() { next? } else { end }..)?);
    for other in &entries {
        let moved = if other.offset > from { other.offset.checked_add_signed(shift)? } else { other.offset };
        let size = if other.offset == from && other.size > 0 { new.len() as u64 } else { other.size };
        let field = start.checked_add(other.at)?;
        out.get_mut(field..field.checked_add(8)?)?.copy_from_slice(&moved.to_le_bytes());
        out.get_mut(field.checked_add(8)?..field.checked_add(16)?)?.copy_from_slice(&size.to_le_bytes());
    }
    Some(out)
}

/// A code object that cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotReplace {
    /// The offset of the code object, as [`Image::offset`](crate::Image::offset) gives it.
    pub offset: Option<u64>,
    /// The reason.
    pub reason: Refusal,
}

/// The reason why a code object cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The file around the code object does not allow another size, or no code object begins at the offset.
    Place,
    /// The new bytes are not a whole code object.
    NotCode,
    /// The new code object is for another processor than the one in the file.
    Processor {
        /// The processor of the code object in the file.
        stated: String,
        /// The processor of the new code object; `None` if it states none.
        new: Option<String>,
    },
}

impl fmt::Display for CannotReplace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Refusal::Place => f.write_str(
                "a code object can be replaced only as the whole file, or in a bundle, an offload binary or an archive",
            ),
            Refusal::NotCode => f.write_str("the new bytes are not a whole code object"),
            Refusal::Processor { stated, new } => {
                let new = new.as_deref().unwrap_or("no stated processor");
                write!(f, "the new code object is for {new}, and the one in the file for {stated}")
            }
        }
    }
}

impl core::error::Error for CannotReplace {}

/// The file with several code objects replaced. `changes` has the old offset of each, as
/// [`Image::offset`](crate::Image::offset) gives it, and its new bytes, in any order.
///
/// # Errors
/// [`replace`] refuses one of the replacements, or a change has no offset because the code object was compressed.
///
/// ```
/// use amdgpu_object::replace_all;
/// let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
/// assert_eq!(replace_all(file, vec![(Some(0), file.to_vec())]).unwrap(), file);
/// assert_eq!(replace_all(file, vec![(None, file.to_vec())]).unwrap_err().offset, None);
/// ```
pub fn replace_all(file: &[u8], mut changes: Vec<(Option<u64>, Vec<u8>)>) -> Result<Vec<u8>, CannotReplace> {
    // The code objects are replaced from the last to the first, so that earlier ones keep their offsets.
    changes.sort_by_key(|(offset, _)| Reverse(*offset));
    changes.iter().try_fold(file.to_vec(), |file, (offset, new)| {
        let offset = offset.ok_or(CannotReplace { offset: None, reason: Refusal::Place })?;
        replace(&file, offset, new)
    })
}

/// The bundle, among several in a file, that holds the byte at an offset: the bundle's own offset, and its entries.
fn bundle_around(file: &[u8], at: usize) -> Option<(usize, Vec<Entry<'_>>)> {
    let mut start = 0;
    while let Some(rest) = file.get(start..).filter(|rest| rest.starts_with(bundle::MAGIC)) {
        let entries = bundle::entries(rest)?;
        let end =
            entries.iter().filter(|entry| entry.size > 0).map(|entry| entry.offset.saturating_add(entry.size)).max();
        let end = start.checked_add(usize::try_from(end?).ok()?)?;
        if at < end {
            return Some((start, entries));
        }
        let padding = file.get(end..)?.iter().take_while(|byte| **byte == 0).count();
        start = end.checked_add(padding)?;
    }
    None
}

/// The largest power of two, up to a page, that divides the offsets of all entries.
fn alignment(start: usize, entries: &[Entry<'_>]) -> i64 {
    const PAGE: u64 = 0x1000;
    let all = entries.iter().filter(|entry| entry.size > 0).fold(PAGE, |all, entry| all | entry.offset | start as u64);
    1 << all.trailing_zeros()
}
