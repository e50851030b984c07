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
    /// A code object: machine code for one target.
    Image(Image<'a>),
    /// Contents without machine code for an AMD GPU, in a place where such code is expected.
    Skipped {
        /// The location of the part in the file, such as the entry's id in a bundle. Empty for the file itself.
        label: &'a str,
        /// The reason why the part is passed over.
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
    /// A code object of 32 bits (for GPUs before GCN) or with the high byte first, and the target that it names.
    Bits32(Option<TargetId>),
    /// A code object without code.
    NoCode,
    /// An entry whose id is longer than this number of bytes.
    IdTooLong(usize),
    /// An entry whose id is not plain text.
    IdNotText,
    /// An entry whose id does not name an AMD GPU.
    OtherDevice,
    /// A host program that refers to HIP code objects, but contains none.
    HostWithPointers,
    /// A host program without code for a GPU.
    Host,
    /// A file in which neither a code object nor a bundle begins anywhere.
    NothingFound,
}

/// Machine code for one target: a code object.
#[non_exhaustive]
pub struct Image<'a> {
    /// The location of the code object in the file, such as the entry's id in a bundle, after the name of an archive's
    /// member, which is cut after 256 characters. Empty for a plain code object.
    pub label: &'a str,
    /// The offset of the code object's beginning in the file, in bytes; `None` if it was compressed.
    pub offset: Option<u64>,
    /// All bytes of the code object; for bare code, the code.
    pub bytes: &'a [u8],
    /// The processor and its features; `None` if the code object does not state it.
    pub target: Option<TargetId>,
    /// The number of the processor (`EF_AMDGPU_MACH`), if this library does not know it.
    pub unknown_processor: Option<u8>,
    /// The sections that contain code.
    pub sections: Vec<Section<'a>>,
    /// The meaning of the addresses of the code object.
    pub addresses: AddressMap<'a>,
    /// The version of the generic processor, if this library knows only older versions.
    pub newer: Option<NewerVersion>,
    /// The metadata for the runtime, a document in MessagePack, which may be damaged; `None` if there is none.
    pub metadata: Option<&'a [u8]>,
    /// Whether the code object has a kernel.
    pub has_kernels: bool,
    /// Whether the code object is for the HSA runtime, which runs kernels and functions that they call, but no shaders.
    pub is_hsa: bool,
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
    /// The section's name, such as `.text`; `(segment)` for a segment of a file that has lost its section headers.
    pub name: Name<'a>,
    /// The address of the first byte; 0 in an object that is not linked.
    pub address: u64,
    /// The contents as the file has them.
    pub bytes: &'a [u8],
    /// The symbols, sorted by address, then by name.
    pub symbols: Vec<Symbol<'a>>,
    /// The places that a linker has to fill in, sorted by address; empty if the file is linked.
    pub relocations: Arc<[Relocation<'a>]>,
    /// The contents as [`Section::code`] returns them, if they differ from `bytes`.
    pub(crate) filled: Option<Vec<u8>>,
}

/// The address that [`Section::code`] gives to everything outside of the section.
pub(crate) const FAR: u64 = 1 << 46 | FAR_BELOW;
/// The lower half of [`FAR`], for code that adds only this half. Sections are shorter than half of it.
const FAR_BELOW: u64 = 1 << 30;

/// A name for an address of a section.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Symbol<'a> {
    /// The symbol's name.
    pub name: Name<'a>,
    /// The symbol's address.
    pub address: u64,
    /// The size in bytes; 0 if it is not known.
    pub size: u64,
    /// The kind of the named thing.
    pub kind: SymbolKind,
    /// The lanes of a wave, as the file states them for the kernel itself, else for the last kernel before the symbol,
    /// else for the first kernel; `None` if the file states none.
    pub lanes: Option<u16>,
    /// The kernel's descriptor, in code objects of version 3 and later.
    pub descriptor: Option<KernelDescriptor>,
}

/// The kind of thing that a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A kernel: a kernel descriptor, such as `NAME.kd`, or the metadata of a PAL pipeline names it as an entry point.
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
    /// The number of the relocation's kind, `R_AMDGPU_…`.
    pub kind: u32,
    /// The name of the symbol, or of the section.
    pub symbol: Name<'a>,
    /// The number that is added to the symbol's address.
    pub addend: i64,
}

impl<'a> Image<'a> {
    /// An image of bare machine code at an address, without a container.
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
            metadata: None,
            has_kernels: false,
            is_hsa: false,
        }
    }

    /// The kernels of all sections.
    pub fn kernels(&self) -> impl Iterator<Item = &Symbol<'a>> {
        let symbols = self.sections.iter().flat_map(|section| &section.symbols);
        symbols.filter(|symbol| symbol.kind == SymbolKind::Kernel)
    }

    /// The names of the code object's tables of lines and of frames for debuggers, which become wrong when code
    /// changes.
    pub fn debug_tables(&self) -> impl Iterator<Item = &'static str> + use<'a> {
        let sections = elf::File::parse(self.bytes).ok().map(|file| (file.sections().0, file));
        let has = move |name: &&str| {
            sections.as_ref().is_some_and(|(sections, file)| {
                let names = file.section_names(sections);
                let is_it = |section: &elf::Section| elf::text(names, section.name) == Some(name.as_bytes());
                sections.iter().any(|section| section.size > 0 && is_it(section))
            })
        };
        [".debug_line", ".debug_frame", ".eh_frame"].into_iter().filter(has)
    }

    /// The offset of a section's bytes in the image's bytes, for programs that change code. `None` if the section is
    /// not a part of the image's bytes.
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
    /// A section of code at an address, without symbols.
    pub fn new(name: Name<'a>, address: u64, bytes: &'a [u8]) -> Section<'a> {
        Section { name, address, bytes, symbols: Vec::new(), relocations: Arc::from([]), filled: None }
    }

    /// The contents of the section. In an object for a linker, calls and branches within the section have their
    /// distances, as if the object were linked. Branches to other sections stay unchanged, and all other places that
    /// the linker fills in get an address for which [`Section::is_elsewhere`] is true.
    pub fn code(&self) -> &[u8] {
        self.filled.as_deref().unwrap_or(self.bytes)
    }

    /// Whether an address that [`Section::code`] computes stands for a place that only the linker knows.
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
