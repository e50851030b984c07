//! Code objects as [`visit`](crate::visit) finds them: sections with code, their symbols, and the meaning of addresses.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use amdgpu_isa::kernel::KernelDescriptor;

use crate::{AddressMap, Error, Name, TargetId, elf};

/// A part of a file, as [`visit`](crate::visit) finds it.
#[non_exhaustive]
pub enum Part<'a> {
    /// Machine code for one target.
    Image(Image<'a>),
    /// Contents that are not machine code, although they are for the GPU or in the place of such contents.
    Skipped {
        /// Its location in the file, such as the entry's id in a bundle. Empty for the file itself.
        label: &'a str,
        /// The reason.
        reason: SkipReason,
    },
    /// Damage to a part of the file. The other parts are still visited.
    Damaged(Error),
}

/// The reason why a part of a file is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// LLVM bitcode.
    Bitcode,
    /// A code object of 32 bits, which is for GPUs before GCN, and the target that it names.
    Bits32(Option<TargetId>),
    /// A code object without code.
    NoCode,
    /// The id of an entry is longer than this, in bytes.
    IdTooLong(usize),
    /// The id of an entry is not plain text.
    IdNotText,
    /// The id of an entry does not name an AMD GPU.
    OtherDevice,
    /// A host program refers to HIP code objects, and has none.
    HostWithPointers,
    /// A host program without code for a GPU.
    Host,
    /// Neither a code object nor a bundle begins anywhere in the file.
    NothingFound,
}

/// Machine code for one target: a code object.
#[non_exhaustive]
pub struct Image<'a> {
    /// Its location in the file, such as the entry's id in a bundle, after the name of an archive's member. Empty for a
    /// plain code object. Names of members are cut after 256 characters.
    pub label: &'a str,
    /// The offset of its beginning in the file, in bytes; `None` if it was compressed.
    pub offset: Option<u64>,
    /// All bytes of the code object; for bare code, the code.
    pub bytes: &'a [u8],
    /// The processor and its features; `None` if the code object does not state it.
    pub target: Option<TargetId>,
    /// The number of its processor (`EF_AMDGPU_MACH`), if this library does not know it.
    pub unknown_processor: Option<u8>,
    /// The sections with code that are not empty.
    pub sections: Vec<Section<'a>>,
    /// The addresses of the code object.
    pub addresses: AddressMap<'a>,
    /// The version of its generic processor, if this library knows only older ones.
    pub newer: Option<NewerVersion>,
    /// Whether one of its sections has a kernel.
    pub has_kernels: bool,
}

/// The version of the generic processor that code is for, and the newest that this library knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewerVersion {
    /// The version that the code object states.
    pub version: u32,
    /// The newest version known here.
    pub known: u32,
}

/// A section with code.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Section<'a> {
    /// Its name, such as `.text`; `(segment)` if a file has lost its sections.
    pub name: Name<'a>,
    /// The address of its first byte; 0 in an object that is not linked.
    pub address: u64,
    /// Its contents.
    pub bytes: &'a [u8],
    /// Its symbols, sorted by address, then by name.
    pub symbols: Vec<Symbol<'a>>,
    /// The places that a linker has to fill in, sorted by address; empty if the file is linked.
    pub relocations: Arc<[Relocation<'a>]>,
    /// Its contents as [`Section::code`] has them, if they differ.
    pub(crate) filled: Option<Vec<u8>>,
}

/// The address, in [`Section::code`], of everything that is outside of the section.
pub(crate) const FAR: u64 = 1 << 46 | FAR_BELOW;
/// Its lower half: code may add only that. No section is as long as half of it.
const FAR_BELOW: u64 = 1 << 30;

/// A name for an address of a section.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Symbol<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// Its address.
    pub address: u64,
    /// The size in bytes; 0 if it is not known.
    pub size: u64,
    /// The kind of the named thing.
    pub kind: SymbolKind,
    /// The lanes of a wave, if the file has a descriptor: the kernel's own, else that of the kernel before it, else the
    /// first one.
    pub lanes: Option<u16>,
    /// The kernel's descriptor, of code objects from version 3 on.
    pub descriptor: Option<KernelDescriptor>,
}

/// The kind of thing that a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A kernel: a kernel descriptor (`NAME.kd`) names it as its entry point.
    Kernel,
    /// A function.
    Function,
    /// Something else, such as a label.
    Other,
}

/// A place in code that a linker fills in.
#[derive(Clone, Copy, Debug)]
pub struct Relocation<'a> {
    /// The address of the place.
    pub address: u64,
    /// The number of its kind, `R_AMDGPU_…`.
    pub kind: u32,
    /// The name of the symbol, or of the section.
    pub symbol: Name<'a>,
    /// The number that is added to the symbol's address.
    pub addend: i64,
}

impl<'a> Image<'a> {
    /// Bare machine code at an address, without a container.
    pub fn bare(target: TargetId, address: u64, bytes: &'a [u8]) -> Image<'a> {
        let mut section = Section::new(Name::from("(raw)"), address, bytes);
        section.relocations = Arc::from([]);
        Image {
            label: "",
            offset: Some(0),
            bytes,
            target: Some(target),
            unknown_processor: None,
            sections: Vec::from([section]),
            addresses: AddressMap::default(),
            newer: None,
            has_kernels: false,
        }
    }

    /// The kernels of all sections.
    pub fn kernels(&self) -> impl Iterator<Item = &Symbol<'a>> {
        let symbols = self.sections.iter().flat_map(|section| &section.symbols);
        symbols.filter(|symbol| symbol.kind == SymbolKind::Kernel)
    }

    /// Whether it has a table of lines for debuggers (`.debug_line`), which does not follow when code changes.
    pub fn has_lines(&self) -> bool {
        let Ok(file) = elf::File::parse(self.bytes) else { return false };
        let (sections, _) = file.sections();
        let names = file.section_names(&sections);
        let is_lines = |section: &elf::Section| elf::text(names, section.name) == Some(b".debug_line");
        sections.iter().any(|section| section.size > 0 && is_lines(section))
    }

    /// The offset of a section's bytes in those of the image, at which a program that changes code finds them. `None`
    /// if they are not among the image's bytes.
    ///
    /// ```
    /// use amdgpu_object::{Error, Part};
    /// let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
    /// amdgpu_object::visit(file, None, |part| {
    ///     if let Part::Image(image) = part {
    ///         let text = &image.sections[0];
    ///         let (image_at, text_at) = (image.offset.unwrap() as usize, image.offset_of(text).unwrap());
    ///         assert!(file[image_at + text_at..].starts_with(text.bytes));
    ///     }
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn offset_of(&self, section: &Section<'_>) -> Option<usize> {
        let at = (section.bytes.as_ptr() as usize).checked_sub(self.bytes.as_ptr() as usize)?;
        self.bytes.get(at..)?.get(..section.bytes.len()).map(|_| at)
    }
}

impl<'a> Section<'a> {
    /// Code at an address, without symbols.
    pub fn new(name: Name<'a>, address: u64, bytes: &'a [u8]) -> Section<'a> {
        Section { name, address, bytes, symbols: Vec::new(), relocations: Arc::from([]), filled: None }
    }

    /// Its contents. In an object for a linker, calls and branches within the section have their distances, as if it
    /// were linked. Branches to other sections stay, and all other places that the linker fills in lead far away.
    pub fn code(&self) -> &[u8] {
        self.filled.as_deref().unwrap_or(self.bytes)
    }

    /// Whether an address to which [`Section::code`] leads is that of a place which only the linker knows.
    pub fn is_elsewhere(&self, address: u64) -> bool {
        self.filled.is_some() && address >= FAR_BELOW / 2
    }
}

impl fmt::Display for NewerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NewerVersion { version, known } = self;
        write!(
            f,
            "for version {version} of its generic processor, of which only version {known} and older are known here"
        )
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SkipReason::Bitcode => f.write_str("LLVM bitcode, which has no machine code yet"),
            SkipReason::Bits32(target) => {
                let of = target.as_ref().map_or_else(String::new, |id| alloc::format!(" for {id}"));
                write!(f, "a code object{of} of 32 bits: it has no GCN code")
            }
            SkipReason::NoCode => f.write_str("the code object has no executable section"),
            SkipReason::IdTooLong(most) => write!(f, "skipped, because its id is longer than {most} bytes"),
            SkipReason::IdNotText => f.write_str("skipped, because its id is not text"),
            SkipReason::OtherDevice => f.write_str("skipped, because its id names no AMD GPU"),
            SkipReason::HostWithPointers => f.write_str(
                "a host program that refers to HIP code objects but does not hold them: `.hip_fatbin` is missing or empty",
            ),
            SkipReason::Host => f.write_str(
                "a host program without GPU code: it has neither a section `.hip_fatbin` (`.hip_fat` on Windows) nor \
                 `.llvm.offloading`",
            ),
            SkipReason::NothingFound => f.write_str("neither a code object nor a bundle begins anywhere in the file"),
        }
    }
}
