//! From the bytes of a file to the machine code inside: what kind of container is it, and what is in it.
//!
//! Nothing here believes a header. Offsets are checked against the bytes that exist, parts of a
//! container may not overlap (so that a small file cannot name the same bytes a million times), and
//! decompression stops at a limit that follows from the size of the compressed data.

mod bundle;
mod compressed;
mod elf;
mod host;
mod mach;
mod offload;

use std::borrow::Cow;
use std::fmt;

use crate::error::{Error, Result};

/// Machine code for one target.
pub struct Image<'a> {
    /// Where inside the file it was found, such as the entry's id in a bundle. Empty for a plain code object.
    pub label: &'a str,
    /// `None` when the code object does not say.
    pub target: Option<TargetId>,
    pub sections: Vec<Section<'a>>,
}

pub struct Section<'a> {
    pub name: Cow<'a, str>,
    pub address: u64,
    pub bytes: &'a [u8],
    /// Sorted by address.
    pub symbols: Vec<Symbol<'a>>,
}

#[derive(Debug)]
pub struct Symbol<'a> {
    pub name: Cow<'a, str>,
    pub address: u64,
    pub kind: SymbolKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A kernel descriptor (`NAME.kd`) names it as entry point.
    Kernel,
    Function,
    Other,
}

/// A processor and those of its features that are pinned: `gfx942:sramecc+:xnack-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetId {
    pub processor: String,
    /// In alphabetical order, as LLVM writes them.
    pub features: Vec<(String, bool)>,
}

impl TargetId {
    pub fn parse(text: &str) -> Self {
        let mut parts = text.split(':');
        let processor = parts.next().unwrap_or("").to_string();
        let mut features: Vec<_> = parts
            .filter_map(|p| {
                p.strip_suffix('+').map(|n| (n.into(), true)).or(p.strip_suffix('-').map(|n| (n.into(), false)))
            })
            .collect();
        features.sort();
        TargetId { processor, features }
    }

    /// What a code object says of itself, completed by what its entry in the bundle says: old code objects
    /// may not know their target, and the entry may pin features that the code object leaves open.
    fn merge(own: Option<Self>, entry: Option<Self>) -> Option<Self> {
        match (own, entry) {
            (Some(mut own), Some(entry)) if own.processor == entry.processor => {
                for (name, on) in entry.features {
                    if own.features.iter().all(|(n, _)| *n != name) {
                        own.features.push((name, on));
                    }
                }
                own.features.sort();
                Some(own)
            }
            (own, entry) => own.or(entry),
        }
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.processor)?;
        self.features.iter().try_for_each(|(name, on)| write!(f, ":{name}{}", if *on { '+' } else { '-' }))
    }
}

/// What a container holds, in the order of the file.
pub enum Found<'a> {
    Image(Image<'a>),
    /// Something for the GPU, or for this place, that is not machine code.
    Skipped {
        label: &'a str,
        reason: String,
    },
}

/// Called for each part. Parts are handed out one by one so that only one decompressed bundle is in memory.
pub type Visitor<'v> = dyn FnMut(Found<'_>) -> Result<()> + 'v;

/// Finds all machine code in `bytes`.
pub fn visit(bytes: &[u8], each: &mut Visitor<'_>) -> Result<()> {
    if bytes.is_empty() {
        return Err(Error::input("the file is empty"));
    }
    visit_part(bytes, "", Nesting::default(), each)
}

/// How deep we are. Real files hold at most fat binary -> compressed bundle -> bundle -> code object.
#[derive(Clone, Copy, Default)]
struct Nesting {
    depth: u8,
    decompressed: bool,
}

impl Nesting {
    const MAX_DEPTH: u8 = 5;

    fn deeper(self) -> Self {
        Nesting { depth: self.depth + 1, ..self }
    }
}

fn visit_part(bytes: &[u8], label: &str, nesting: Nesting, each: &mut Visitor<'_>) -> Result<()> {
    if nesting.depth > Nesting::MAX_DEPTH {
        return Err(Error::input("containers are nested too deeply"));
    }
    if bytes.starts_with(b"\x7fELF") {
        if elf::is_amdgpu(bytes)? { each(elf::image(bytes, label)?) } else { host::visit(bytes, label, nesting, each) }
    } else if bundle::is_bundle(bytes) || compressed::is_compressed(bytes) || offload::is_offload(bytes) {
        visit_bundles(bytes, label, nesting, each)
    } else if bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b") {
        each(Found::Skipped { label, reason: "LLVM bitcode, which has no machine code yet".into() })
    } else {
        Err(Error::input(
            "neither an ELF file nor a bundle of clang's; for bare machine code use `--raw --target TARGET`",
        ))
    }
}

/// Visits an entry that says which target its images are for.
fn visit_as(
    entry: Option<TargetId>,
    each: &mut Visitor<'_>,
    visit: impl FnOnce(&mut Visitor<'_>) -> Result<()>,
) -> Result<()> {
    visit(&mut |found| {
        each(match found {
            Found::Image(image) => {
                let target = TargetId::merge(image.target, entry.clone());
                Found::Image(Image { target, ..image })
            }
            skipped => skipped,
        })
    })
}

/// Bundles one after the other, as the linker leaves them in `.hip_fatbin`: one for each translation unit,
/// padded with zeros up to an alignment.
fn visit_bundles(bytes: &[u8], label: &str, nesting: Nesting, each: &mut Visitor<'_>) -> Result<()> {
    let mut rest = bytes;
    loop {
        let at = bytes.len() - rest.len();
        let used = if bundle::is_bundle(rest) {
            bundle::visit(rest, nesting, each).map_err(|e| e.within(&format!("offload bundle at {at:#x}")))?
        } else if offload::is_offload(rest) {
            offload::visit(rest, nesting, each).map_err(|e| e.within(&format!("offload binary at {at:#x}")))?
        } else if compressed::is_compressed(rest) {
            if nesting.decompressed {
                return Err(Error::input("a compressed bundle inside a compressed bundle"));
            }
            let (plain, used) =
                compressed::decompress(rest).map_err(|e| e.within(&format!("compressed bundle at {at:#x}")))?;
            let nesting = Nesting { decompressed: true, ..nesting.deeper() };
            visit_part(&plain, label, nesting, each)
                .map_err(|e| e.within(&format!("inside the compressed bundle at {at:#x}")))?;
            used
        } else {
            return Err(Error::input(format!("offset {at:#x} should hold another offload bundle but does not")));
        };
        let tail = rest.get(used..).unwrap_or_default();
        match tail.iter().position(|&b| b != 0) {
            // `used` is never zero: every header has a size.
            Some(zeros) if used > 0 => rest = &tail[zeros..],
            _ => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_ids_print_as_llvm_writes_them() {
        let id = TargetId::parse("gfx942:xnack-:sramecc+");
        assert_eq!(id.to_string(), "gfx942:sramecc+:xnack-");
        assert_eq!(TargetId::parse("gfx600").to_string(), "gfx600");
    }

    #[test]
    fn a_code_object_knows_better_than_its_entry() {
        let merge = |own, entry| TargetId::merge(Some(TargetId::parse(own)), Some(TargetId::parse(entry)));
        let shown = |id: Option<TargetId>| id.map(|id| id.to_string());
        assert_eq!(shown(merge("gfx942:xnack-", "gfx942:sramecc+:xnack+")).as_deref(), Some("gfx942:sramecc+:xnack-"));
        assert_eq!(shown(merge("gfx90a", "gfx942:xnack+")).as_deref(), Some("gfx90a"));
        assert_eq!(shown(TargetId::merge(None, Some(TargetId::parse("gfx942")))).as_deref(), Some("gfx942"));
    }
}
