//! Finds the machine code in the bytes of a file: recognises the container, and visits its contents.
//!
//! No header is trusted. Offsets are checked against the existing bytes, parts of a container may not
//! overlap (so that a small file cannot name the same bytes a million times), and decompression stops
//! at a limit for the whole file: the caller's, or one that follows from the file's size.

mod bundle;
mod compressed;
mod elf;
mod host;
mod mach;
mod offload;

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use crate::error::{Error, Result};

/// Machine code for one target.
pub struct Image<'a> {
    /// Its location in the file, such as the entry's id in a bundle. Empty for a plain code object.
    pub label: &'a str,
    /// `None` if the code object does not state it.
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
    /// Lanes of a wave, if the file has a descriptor: the kernel's own, or that of the kernel before it, or of the first one.
    pub lanes: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A kernel descriptor (`NAME.kd`) names it as its entry point.
    Kernel,
    Function,
    Other,
}

/// A processor and its pinned features: `gfx942:sramecc+:xnack-`.
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

    /// The target id of a code object, completed by that of its entry in the bundle: old code objects may
    /// not state their target, and the entry may pin features that the code object leaves open.
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

/// A part of a container.
pub enum Found<'a> {
    Image(Image<'a>),
    /// Contents for the GPU, or in the place of such contents, that are not machine code.
    Skipped {
        label: &'a str,
        reason: String,
    },
}

/// Called for each part, in the order of the file. Parts come one by one, so that only one decompressed bundle is in
/// memory.
pub type Visitor<'v> = dyn FnMut(Found<'_>) -> Result<()> + 'v;

/// The default limit on decompressed bytes for this many compressed ones. It applies to a single bundle, so that the
/// bundle fits in memory, and to all bundles of a file together, so that a chain of them ends. Real bundles grow five-
/// to twentyfold (many similar targets); files made to fill the memory, or to keep the tool busy, grow more.
fn usual_limit(compressed: usize) -> u64 {
    const FLOOR: u64 = 64 << 20;
    const PER_BYTE: u64 = 256;
    (compressed as u64).saturating_mul(PER_BYTE).saturating_add(FLOOR)
}

/// Finds all machine code in `bytes`. All decompressed data together may have `max_unpacked` bytes.
pub fn visit(bytes: &[u8], max_unpacked: Option<u64>, each: &mut Visitor<'_>) -> Result<()> {
    if bytes.is_empty() {
        return Err(Error::input("the file is empty"));
    }
    let limit = max_unpacked.unwrap_or(usual_limit(bytes.len()));
    let budget = Budget { limit, left: Cell::new(limit), is_usual: max_unpacked.is_none() };
    visit_part(bytes, "", Nesting { depth: 0, decompressed: false, budget: &budget }, each)
}

/// How many bytes compressed bundles may still decompress to.
struct Budget {
    limit: u64,
    left: Cell<u64>,
    /// The caller has set no limit, so the default applies.
    is_usual: bool,
}

impl Budget {
    /// Takes the decompressed size that a bundle's header states from the budget, before decompression. The bundle
    /// never gives more bytes. `compressed` is the size of the bundle.
    fn spend(&self, bytes: u64, compressed: usize) -> Result<()> {
        let too_much = |limit| Error::TooMuch { place: String::new(), limit };
        let most = usual_limit(compressed);
        if self.is_usual && bytes > most {
            return Err(too_much(most));
        }
        self.left.set(self.left.get().checked_sub(bytes).ok_or_else(|| too_much(self.limit))?);
        Ok(())
    }
}

/// Limits the time for names of an ELF file: reading a name takes time proportional to its length, and a damaged table
/// can make every name as long as the file.
struct NameBudget(usize);

impl NameBudget {
    /// Longest name in bytes. Longer names exist only in files made to waste time.
    const MAX_NAME: usize = 64 * 1024;

    fn of(file: &[u8]) -> Self {
        NameBudget(file.len().saturating_mul(4))
    }

    /// The name, or its beginning.
    fn spend<'a>(&mut self, name: &'a [u8]) -> Result<&'a [u8]> {
        self.0 = self
            .0
            .checked_sub(name.len())
            .ok_or_else(|| Error::input("the ELF file is damaged: its names are longer than the file could hold"))?;
        Ok(&name[..name.len().min(Self::MAX_NAME)])
    }
}

/// The nesting depth. Real files have at most fat binary -> compressed bundle -> bundle -> code object.
#[derive(Clone, Copy)]
struct Nesting<'a> {
    depth: u8,
    decompressed: bool,
    budget: &'a Budget,
}

impl Nesting<'_> {
    const MAX_DEPTH: u8 = 5;

    fn deeper(self) -> Self {
        Nesting { depth: self.depth + 1, ..self }
    }
}

fn visit_part(bytes: &[u8], label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
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

/// Visits an entry that states the target of its images.
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

/// Visits consecutive bundles, as the linker puts them into `.hip_fatbin`: one for each translation unit,
/// padded with zeros to an alignment.
fn visit_bundles(bytes: &[u8], label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
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
            let (plain, used) = compressed::decompress(rest, nesting.budget)
                .map_err(|e| e.within(&format!("compressed bundle at {at:#x}")))?;
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

    /// The error has the limit, and the place in the chain that reached it.
    #[test]
    fn the_limit_is_a_kind_of_error() {
        let packed = b"\x78\x9c\x03\x00\x00\x00\x00\x01";
        let mut bundle = b"CCOB\x03\x00\x00\x00".to_vec();
        for field in [32 + packed.len() as u64, 100, 0] {
            bundle.extend(field.to_le_bytes());
        }
        bundle.extend(packed);
        let visited = |limit| visit(&bundle, Some(limit), &mut |_| Ok(())).map_err(|e| e.within("file"));
        match visited(99) {
            Err(Error::TooMuch { place, limit: 99 }) => assert_eq!(place, "file: compressed bundle at 0x0"),
            other => panic!("{other:?}"),
        }
        // The header states more bytes than the bundle has, which is another error.
        assert!(matches!(visited(100), Err(Error::Input(_))));
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
