//! Finds the machine code in the bytes of a file: recognises the container, and visits its contents.
//!
//! No header is trusted. Offsets are checked against the existing bytes, parts of a container may not
//! overlap (so that a small file cannot name the same bytes a million times), and decompression stops
//! at a limit for the whole file: the caller's, or one that follows from the file's size. Damage to one part is reported,
//! and does not hide the others.

mod archive;
mod bundle;
mod code_object;
mod compressed;
mod elf;
mod host;
mod kernel_code;
mod notes;
mod offload;
mod places;

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use crate::error::{Error, Result};
pub use amdgpu_object::TargetId;
pub use elf::EM_AMDGPU;
pub use places::{Argument, Places, Relocation};

/// Machine code for one target.
pub struct Image<'a> {
    /// Its location in the file, such as the entry's id in a bundle. Empty for a plain code object.
    pub label: &'a str,
    /// `None` if the code object does not state it.
    pub target: Option<TargetId>,
    pub sections: Vec<Section<'a>>,
    /// What its addresses stand for.
    pub places: Places<'a>,
    /// Something that its reader should know.
    pub note: Option<String>,
}

pub struct Section<'a> {
    pub name: Cow<'a, str>,
    pub address: u64,
    pub bytes: &'a [u8],
    /// Sorted by address.
    pub symbols: Vec<Symbol<'a>>,
    /// Of an object that is not linked yet; sorted by address.
    pub relocations: Arc<[Relocation]>,
}

#[derive(Debug)]
pub struct Symbol<'a> {
    pub name: Cow<'a, str>,
    pub address: u64,
    /// In bytes; 0 if it is not known.
    pub size: u64,
    pub kind: SymbolKind,
    /// Lanes of a wave, if the file has a descriptor: the kernel's own, or that of the kernel before it, or of the first one.
    pub lanes: Option<u16>,
    /// The kernel's descriptor, of code objects from version 3 on.
    pub descriptor: Option<[u8; 64]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A kernel descriptor (`NAME.kd`) names it as its entry point.
    Kernel,
    Function,
    Other,
}

/// What to do with bare machine code.
pub const BARE: &str = "for bare machine code use `--raw --target TARGET`";

/// A part of a container.
pub enum Found<'a> {
    Image(Image<'a>),
    /// Contents for the GPU, or in the place of such contents, that are not machine code.
    Skipped {
        label: &'a str,
        reason: String,
    },
    /// What is wrong with a part of the file, and where it is. The other parts are still visited.
    Damaged(Error),
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
///
/// # Errors
/// What is wrong with the file as a whole, or the error of `each`. Damage to parts of it is given to `each`.
pub fn visit(bytes: &[u8], max_unpacked: Option<u64>, each: &mut Visitor<'_>) -> Result<()> {
    if bytes.is_empty() {
        return Err(Error::input("the file is empty"));
    }
    let limit = max_unpacked.unwrap_or(usual_limit(bytes.len()));
    let budget = Budget { limit, left: Cell::new(limit), is_usual: max_unpacked.is_none() };
    visit_part(
        bytes,
        "",
        Nesting { depth: 0, base: 0, decompressed: false, path: "", outer: "", budget: &budget },
        each,
    )
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

/// The place of a part in the file.
#[derive(Clone, Copy)]
struct Nesting<'a> {
    depth: u8,
    /// Where the part begins in the file, or in the decompressed data.
    base: u64,
    decompressed: bool,
    /// The parts that it is in, for messages.
    path: &'a str,
    /// The member of an archive that it is in, for labels.
    outer: &'a str,
    budget: &'a Budget,
}

impl<'a> Nesting<'a> {
    /// Real files have at most archive -> host object -> section -> compressed bundle -> bundle -> code object.
    const MAX_DEPTH: u8 = 7;

    fn inside<'b>(self, at: usize, path: &'b str) -> Nesting<'b>
    where
        'a: 'b,
    {
        Nesting { depth: self.depth + 1, base: self.base.saturating_add(at as u64), path, ..self }
    }

    /// Where a byte of the part is, for messages.
    fn offset(self, at: usize) -> String {
        let at = self.base.saturating_add(at as u64);
        format!("{at:#x}{}", if self.decompressed { " of the decompressed data" } else { "" })
    }

    /// The path of a part inside of this one.
    fn part(self, what: &str, at: usize) -> String {
        let colon = if self.path.is_empty() { "" } else { ": " };
        format!("{}{colon}{what} at {}", self.path, self.offset(at))
    }

    /// The label of an entry.
    fn label(self, id: &str) -> String {
        if self.outer.is_empty() { id.into() } else { format!("{}: {id}", self.outer) }
    }

    fn report(self, error: Error, each: &mut Visitor<'_>) -> Result<()> {
        self.contain(Err(error), each)
    }

    /// Reports damage, so that other parts are still visited. Only errors of `each` itself are passed on.
    fn contain(self, result: Result<()>, each: &mut Visitor<'_>) -> Result<()> {
        match result {
            Err(error @ (Error::Input(_) | Error::TooMuch { .. })) => {
                each(Found::Damaged(if self.path.is_empty() { error } else { error.within(self.path) }))
            }
            other => other,
        }
    }
}

fn visit_part(bytes: &[u8], label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    if nesting.depth > Nesting::MAX_DEPTH {
        return Err(Error::input("containers are nested too deeply"));
    }
    if elf::is_elf(bytes) {
        let file = elf::File::parse(bytes)?;
        match file.machine {
            elf::EM_AMDGPU => code_object::visit(&file, label, nesting, each),
            _ => host::visit(&file, label, false, nesting, each),
        }
    } else if is_bundle(bytes) {
        visit_bundles(bytes, label, nesting, each)
    } else if archive::is_archive(bytes) {
        archive::visit(bytes, Nesting { outer: label, ..nesting }, each)
    } else if is_bitcode(bytes) {
        each(Found::Skipped { label, reason: "LLVM bitcode, which has no machine code yet".into() })
    } else {
        Err(Error::input(format!("neither an ELF file, an archive nor a bundle of clang's; {BARE}")))
    }
}

/// Whether the bytes are a container or something that can be in one.
fn is_known(bytes: &[u8]) -> bool {
    elf::is_elf(bytes) || is_bundle(bytes) || archive::is_archive(bytes) || is_bitcode(bytes)
}

fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b")
}

fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(bundle::MAGIC) || compressed::is_compressed(bytes) || bytes.starts_with(offload::MAGIC)
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
/// padded with zeros to an alignment. After a damaged one, it looks for the next.
fn visit_bundles(bytes: &[u8], label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    let mut at = 0;
    let mut is_lost = false;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        if !is_bundle(rest) {
            if !is_lost {
                let what = format!("{} should hold another offload bundle but does not", nesting.offset(at));
                nesting.report(Error::input(what), each)?;
            }
            match next_bundle(bytes, at) {
                Some(next) => at = next,
                None => return Ok(()),
            }
            is_lost = false;
            continue;
        }
        let what = match rest {
            _ if rest.starts_with(bundle::MAGIC) => "offload bundle",
            _ if rest.starts_with(offload::MAGIC) => "offload binary",
            _ => "compressed bundle",
        };
        let path = nesting.part(what, at);
        let inside = Nesting { path: &path, base: nesting.base.saturating_add(at as u64), ..nesting };
        let mut end = 0;
        let visited = match rest {
            _ if rest.starts_with(bundle::MAGIC) => bundle::visit(rest, &mut end, inside, each),
            _ if rest.starts_with(offload::MAGIC) => offload::visit(rest, &mut end, inside, each),
            _ => decompress(rest, label, &mut end, inside, each),
        };
        is_lost = visited.is_err();
        inside.contain(visited, each)?;
        // Every bundle has at least its magic number.
        at += end.max(1);
        at += bytes.get(at..).unwrap_or_default().iter().take_while(|&&b| b == 0).count();
    }
    Ok(())
}
/// Where another bundle begins after `at`.
fn next_bundle(bytes: &[u8], at: usize) -> Option<usize> {
    let begins = |&at: &usize| {
        bytes.get(at..).is_some_and(|rest| match rest.first() {
            Some(b'C') => compressed::is_likely(rest),
            Some(b'_') => rest.starts_with(bundle::MAGIC),
            _ => rest.starts_with(offload::MAGIC),
        })
    };
    (at + 1..bytes.len()).find(begins)
}

/// Visits a compressed bundle, or what can be decompressed of it.
fn decompress(bytes: &[u8], label: &str, end: &mut usize, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    if nesting.decompressed {
        return Err(Error::input("a compressed bundle inside a compressed bundle"));
    }
    let plain = compressed::decompress(bytes, end, nesting.budget)?;
    if let Some(damage) = plain.damage {
        nesting.report(damage, each)?;
        if !is_known(&plain.bytes) {
            return Ok(());
        }
    }
    let inside = Nesting { depth: nesting.depth + 1, base: 0, decompressed: true, ..nesting };
    visit_part(&plain.bytes, label, inside, each)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error has the limit, and the place in the chain that reached it.
    #[test]
    fn the_limit_is_a_kind_of_error() {
        let packed = b"\x78\x9c\x03\x00\x00\x00\x00\x01";
        let mut bundle = b"CCOB\x03\x00\x00\x00".to_vec();
        for field in [32 + packed.len() as u64, 100, 0] {
            bundle.extend(field.to_le_bytes());
        }
        bundle.extend(packed);
        let visited = |limit| {
            let mut damage = Vec::new();
            let result = visit(&bundle, Some(limit), &mut |found| {
                if let Found::Damaged(error) = found {
                    damage.push(error.within("file"));
                }
                Ok(())
            });
            assert!(result.is_ok());
            damage
        };
        match &visited(99)[..] {
            [Error::TooMuch { place, limit: 99 }] => assert_eq!(place, "file: compressed bundle at 0x0"),
            other => panic!("{other:?}"),
        }
        // The header states more bytes than the bundle has, which is another error.
        assert!(matches!(visited(100)[..], [Error::Input(_)]));
    }
}
