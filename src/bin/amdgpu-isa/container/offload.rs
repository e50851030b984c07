//! LLVM offload binaries, which `clang-offload-packager` writes and clang's newer driver keeps in the section
//! `.llvm.offloading` of object files. Each holds one image; several can follow each other.
//!
//! ```text
//! header: 10 FF 10 AD  version:u32  size:u64  entry_offset:u64  entry_size:u64
//! entry:  kind:u16 producer:u16 flags:u32  strings_offset:u64 strings:u64  image_offset:u64 image_size:u64
//! string: key_offset:u64  value_offset:u64                            (texts end with a zero byte)
//! ```

use std::borrow::Cow;

use super::{Nesting, TargetId, Visitor, visit_as, visit_part};
use crate::error::{Error, Result};
use crate::escape;

const MAGIC: &[u8] = b"\x10\xff\x10\xad";

pub fn is_offload(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

fn cut() -> Error {
    Error::input("cut off or damaged: it refers to bytes that it does not have")
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64> {
    let end = at.checked_add(8).ok_or_else(cut)?;
    let field = bytes.get(at..end).and_then(|b| b.try_into().ok()).ok_or_else(cut)?;
    Ok(u64::from_le_bytes(field))
}

fn usize_at(bytes: &[u8], at: usize) -> Result<usize> {
    usize::try_from(u64_at(bytes, at)?).map_err(|_| cut())
}

fn text_at(bytes: &[u8], at: usize) -> Result<&str> {
    let tail = bytes.get(at..).ok_or_else(cut)?;
    let end = tail.iter().take(256).position(|&b| b == 0).ok_or_else(cut)?;
    match escape::name(&tail[..end]) {
        Cow::Borrowed(text) => Ok(text),
        Cow::Owned(_) => Err(Error::input("damaged: a name in it is not text")),
    }
}

/// Visits the image of the offload binary that `bytes` begins with. Returns how many bytes belong to it.
pub fn visit(bytes: &[u8], nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<usize> {
    let version = bytes.get(4..8).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes).ok_or_else(cut)?;
    if version != 1 {
        return Err(Error::input(format!("version {version} is not known; 1 is")));
    }
    let size = usize_at(bytes, 8)?;
    let bytes = bytes.get(..size).ok_or_else(cut)?;
    let entry = bytes.get(usize_at(bytes, 16)?..).ok_or_else(cut)?;
    let (strings, count) = (usize_at(entry, 8)?, u64_at(entry, 16)?);
    let (offset, length) = (usize_at(entry, 24)?, usize_at(entry, 32)?);
    let image = offset.checked_add(length).and_then(|end| bytes.get(offset..end)).ok_or_else(cut)?;
    let mut table = bytes.get(strings..).ok_or_else(cut)?;
    let (mut triple, mut arch) = ("", "");
    // The loop ends with the bytes, whatever `count` claims.
    for _ in 0..count {
        let (key, value) = (text_at(bytes, usize_at(table, 0)?)?, usize_at(table, 8)?);
        match key {
            "triple" => triple = text_at(bytes, value)?,
            "arch" => arch = text_at(bytes, value)?,
            _ => {}
        }
        table = table.get(16..).ok_or_else(cut)?;
    }
    if triple.starts_with("amdgcn") && !image.is_empty() {
        let id = format!("{triple}--{arch}");
        let target = (!arch.is_empty()).then(|| TargetId::parse(arch));
        visit_as(target, each, |each| visit_part(image, &id, nesting.deeper(), each))
            .map_err(|e| e.within(&format!("entry {id}")))?;
    }
    Ok(size)
}
