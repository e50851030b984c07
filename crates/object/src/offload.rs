//! LLVM offload binaries, which `llvm-offload-binary` writes and clang's newer driver keeps in the section
//! `.llvm.offloading` of object files. Several binaries can follow each other.
//!
//! ```text
//! header: 10 FF 10 AD  version:u32  size:u64  entries_offset:u64  v1: entry_size:u64  v2: count:u64
//! entry:  kind:u16 producer:u16 flags:u32  strings_offset:u64 strings:u64  image_offset:u64 image_size:u64
//! string: key_offset:u64  value_offset:u64  v2: value_size:u64        (texts end with a zero byte)
//! ```
//! Version 1 holds one image, and is the only version that LLVM 22 writes and reads; LLVM's development branch has
//! version 2.

use alloc::format;
use alloc::vec::Vec;

use crate::error::{Container, ErrorKind};
use crate::name::shortened;
use crate::nesting::Nesting;
use crate::{Part, Result, SkipReason, TargetId, Visitor, bundle, is_amdgpu, visit_as, visit_part};

pub const MAGIC: &[u8] = b"\x10\xff\x10\xad";

const ENTRY: usize = 40;
const HEADER: usize = 32;

fn cut(what: &'static str) -> ErrorKind {
    ErrorKind::Missing { what }
}

fn u64_at(bytes: &[u8], at: usize, what: &'static str) -> Result<u64, ErrorKind> {
    let field = at.checked_add(8).and_then(|end| bytes.get(at..end)?.try_into().ok());
    field.map(u64::from_le_bytes).ok_or_else(|| cut(what))
}

fn usize_at(bytes: &[u8], at: usize, what: &'static str) -> Result<usize, ErrorKind> {
    usize::try_from(u64_at(bytes, at, what)?).map_err(|_| cut(what))
}

fn text_at(bytes: &[u8], at: usize) -> Result<&[u8], ErrorKind> {
    let tail = bytes.get(at..).ok_or_else(|| cut("a text"))?;
    let end = tail.iter().take(256).position(|&b| b == 0).ok_or_else(|| cut("the end of a text"))?;
    Ok(tail.get(..end).unwrap_or_default())
}

/// The texts of an entry that name its target.
#[derive(Default)]
struct Names<'a> {
    triple: &'a [u8],
    arch: &'a [u8],
}

fn names<'a>(bytes: &'a [u8], entry: &[u8], width: usize) -> Result<Names<'a>, ErrorKind> {
    let (strings, count) = (usize_at(entry, 8, "an entry")?, u64_at(entry, 16, "an entry")?);
    let mut table = bytes.get(strings..).ok_or_else(|| cut("the table of texts"))?;
    let mut names = Names::default();
    // The loop ends with the bytes, whatever `count` claims.
    for _ in 0..count {
        let key = text_at(bytes, usize_at(table, 0, "a key")?)?;
        let value = usize_at(table, 8, "a value")?;
        match key {
            b"triple" => names.triple = text_at(bytes, value)?,
            b"arch" => names.arch = text_at(bytes, value)?,
            _ => {}
        }
        table = table.get(width..).ok_or_else(|| cut("the table of texts"))?;
    }
    Ok(names)
}

/// Visits the images of the offload binary that `bytes` begins with. Sets `end`, even if the binary is damaged, to the
/// number of bytes that belong to the binary, as far as this is known.
pub fn visit(bytes: &[u8], end: &mut usize, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    *end = MAGIC.len();
    let version = bytes.get(4..8).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let version = version.ok_or(cut("its version"))?;
    let size = usize_at(bytes, 8, "its size")?;
    if (HEADER..=bytes.len()).contains(&size) {
        *end = size;
    }
    if ![1, 2].contains(&version) {
        return Err(ErrorKind::Version { version, known: "1 and 2" }.into());
    }
    let mut broken = Ok(());
    if size > bytes.len() {
        broken = Err(ErrorKind::ContainerCut { claimed: size as u64, len: bytes.len() }.into());
    }
    let bytes = bytes.get(..size).unwrap_or(bytes);
    let entries = usize_at(bytes, 16, "the place of its entries")?;
    let count = if version == 1 { 1 } else { u64_at(bytes, 24, "the number of its entries")? };
    // The rest of two limits: images that overlap would be shown again and again, and their texts would be read again
    // and again.
    let (mut left, mut texts) = (bytes.len(), bytes.len());
    for number in 0..count {
        let at = usize::try_from(number).ok().and_then(|n| n.checked_mul(ENTRY)?.checked_add(entries));
        let entry = at.and_then(|at| bytes.get(at..)?.get(..ENTRY));
        let Some(entry) = entry else {
            return Err(ErrorKind::MissingEntry { number, count }.into());
        };
        // All tables of texts together may not be longer than the binary: real entries have a handful of texts.
        texts = match usize_at(entry, 16, "an entry")?.checked_mul(16).and_then(|used| texts.checked_sub(used)) {
            Some(texts) => texts,
            None => return Err(cut("a table with so many texts").into()),
        };
        nesting.contain(image(bytes, entry, version, &mut left, nesting, each), each)?;
    }
    broken
}

/// A file of offload binaries in which other bytes replace the image at an offset. `None` if no image begins there, or
/// if the image is not the last part of its binary or belongs to two entries.
pub fn replace(file: &[u8], at: usize, new: &[u8]) -> Option<Vec<u8>> {
    /// The alignment of a binary's total size, in bytes.
    const ALIGN: usize = 8;
    let mut start = 0;
    loop {
        let binary = file.get(start..).filter(|rest| rest.starts_with(MAGIC))?;
        let size = usize_at(binary, 8, "its size").ok()?;
        let binary = binary.get(..size).filter(|binary| binary.len() >= HEADER)?;
        if at >= start + size {
            let after = start + size;
            start = after + file.get(after..)?.iter().take_while(|byte| **byte == 0).count();
            continue;
        }
        let is_many = binary.get(4..8) == Some(&2u32.to_le_bytes());
        let entries = usize_at(binary, 16, "the place of its entries").ok()?;
        let count = if is_many { usize_at(binary, 24, "the number of its entries").ok()? } else { 1 };
        let image = |entry: usize| {
            let (offset, size) = (usize_at(binary, entry + 24, "its image"), usize_at(binary, entry + 32, "its image"));
            Some((entry, offset.ok()?, size.ok()?))
        };
        let all = (0..count).map_while(|n| image(n.checked_mul(ENTRY)?.checked_add(entries)?));
        let all = all.filter(|(_, _, size)| *size > 0);
        // Two entries may have the same image.
        let mut last = None;
        for (entry, offset, old) in all {
            match last {
                Some((_, other, _)) if other > offset => {}
                Some((_, other, _)) if other == offset => return None,
                _ => last = Some((entry, offset, old)),
            }
        }
        let (entry, offset, old) = last?;
        let is_last = offset.checked_add(old)?.checked_next_multiple_of(ALIGN)? >= size;
        if start.checked_add(offset)? != at || !is_last {
            return None;
        }
        let mut out = file.get(..at)?.to_vec();
        out.extend_from_slice(new);
        out.resize(start + (out.len() - start).next_multiple_of(ALIGN), 0);
        let size_now = (out.len() - start) as u64;
        for (field, number) in [(8, size_now), (entry + 32, new.len() as u64)] {
            out.get_mut(start + field..)?.get_mut(..8)?.copy_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(file.get(start + size..)?);
        return Some(out);
    }
}

fn image(
    bytes: &[u8],
    entry: &[u8],
    version: u32,
    left: &mut usize,
    nesting: Nesting<'_>,
    each: &mut Visitor<'_>,
) -> Result<()> {
    // A string of version 2 may or may not state the size of its value, so it has 24 or 16 bytes. The first layout with
    // which the texts can be read is taken.
    let widths: &[usize] = if version == 1 { &[16] } else { &[24, 16] };
    let read = |&width: &usize| names(bytes, entry, width);
    let names =
        widths.iter().map(read).reduce(|first, second| first.or(second)).unwrap_or_else(|| Err(cut("a text")))?;
    let (offset, size) = (u64_at(entry, 24, "its image")?, u64_at(entry, 32, "its image")?);
    if size == 0 {
        return Ok(());
    }
    let plain = |text| core::str::from_utf8(text).ok().filter(|text| bundle::is_plain(text));
    let (Some(triple), Some(arch)) = (plain(names.triple), plain(names.arch)) else {
        let id = shortened(&[names.triple, b"--", names.arch].concat());
        return each(Part::Skipped { label: &nesting.label(&id), reason: SkipReason::IdNotText });
    };
    let id = format!("{triple}--{arch}");
    if !is_amdgpu(triple) {
        return each(Part::Skipped { label: &nesting.label(&id), reason: SkipReason::OtherDevice });
    }
    let from = usize::try_from(offset).unwrap_or(usize::MAX);
    let path = nesting.path(Container::Entry(id.clone()), from);
    let inside = nesting.inside(from, &path);
    let rest = bytes.get(from..).unwrap_or_default();
    let data = usize::try_from(size).ok().and_then(|size| rest.get(..size));
    if data.is_none() {
        let (len, of) = (bytes.len(), "offload binary");
        inside.report(ErrorKind::EntryCut { claimed: size, offset, len, of }, each)?;
    }
    let data = data.unwrap_or(rest);
    let Some(after) = left.checked_sub(data.len()) else {
        return inside.report(ErrorKind::Overlap { of: "images" }, each);
    };
    *left = after;
    if data.is_empty() {
        return Ok(());
    }
    let target = match arch {
        "" => TargetId::in_triple(triple),
        arch => Some(TargetId::parse(arch)),
    };
    let label = nesting.label(&id);
    let result = visit_as(target, each, |each| visit_part(data, &label, inside, each));
    inside.contain(result, each)
}
