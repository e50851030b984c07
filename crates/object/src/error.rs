//! Errors: the damage to a file, with the place of the damage.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Damage to a file or to a part of it: the part, its offset, and the reason.
///
/// `Display` writes one line without the name of the file. The line contains the names of parts as they are in the
/// file.
///
/// ```
/// use amdgpu_object::{Error, ErrorKind, Part};
/// let mut damage = Vec::new();
/// // A bundle that is cut off after its magic number.
/// let result = amdgpu_object::visit(b"__CLANG_OFFLOAD_BUNDLE__", None, |part| {
///     if let Part::Damaged(error) = part {
///         damage.push(error);
///     }
///     Ok::<(), Error>(())
/// });
/// assert!(result.is_ok());
/// assert!(matches!(damage[0].kind, ErrorKind::Truncated { needed: 8, left: 0, .. }));
/// assert!(damage[0].to_string().starts_with("offload bundle at 0x0: damaged or cut off: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The parts that contain the damage, from the outside in; empty if the damage concerns the file as a whole.
    pub path: Vec<Step>,
    /// The reason why the file or its part cannot be read.
    pub kind: ErrorKind,
}

/// A part of a file that contains the damage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The kind of the part.
    pub container: Container,
    /// The offset of the part's beginning in the file, or in the decompressed data, in bytes.
    pub offset: u64,
    /// Whether the offset refers to decompressed data.
    pub is_decompressed: bool,
}

/// A kind of container, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Container {
    /// A bundle of clang's that is not compressed.
    OffloadBundle,
    /// An offload binary of LLVM's newer driver.
    OffloadBinary,
    /// A compressed bundle.
    CompressedBundle,
    /// An archive, such as `ar` makes.
    Archive,
    /// An ELF file, or a program or library of Windows.
    Program,
    /// A member of an archive, with its name.
    Member(String),
    /// An entry of a bundle, with its id.
    Entry(String),
    /// A section of a host program, with its name.
    Section(String),
    /// A code object among other bytes.
    CodeObject,
}

/// The reason why a file or a part of it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file has no bytes.
    Empty,
    /// The bytes do not begin like a container that can be read.
    UnknownFormat,
    /// Containers are nested more deeply than real ones.
    TooDeep,
    /// The decompressed data would exceed the limit.
    TooMuch {
        /// The limit in bytes.
        limit: u64,
    },
    /// Other bytes are in the place where another bundle should begin.
    NotABundle {
        /// The offset of these bytes, as in a [`Step`].
        offset: u64,
        /// Whether the offset refers to decompressed data.
        is_decompressed: bool,
    },
    /// A compressed bundle is inside a compressed bundle.
    CompressedTwice,
    /// The archive is thin: it only names its members.
    ThinArchive,
    /// Other bytes are in the place of a member's header.
    NotAMember {
        /// The offset of these bytes, as in a [`Step`].
        offset: u64,
        /// Whether the offset refers to decompressed data.
        is_decompressed: bool,
    },
    /// The member goes beyond the end of the archive.
    MemberCut {
        /// The size that the member's header states.
        claimed: u64,
        /// The number of bytes that the archive has for the member.
        left: usize,
    },
    /// A table of a bundle ends too early.
    Truncated {
        /// The part of the table that is cut off.
        what: &'static str,
        /// The entry that the part belongs to, counted from 0, and the number of entries. `None` for the table itself.
        entry: Option<(u64, u64)>,
        /// The number of bytes that the part needs.
        needed: u64,
        /// The number of bytes that exist.
        left: usize,
    },
    /// The bytes of an entry go beyond the end of its container.
    EntryCut {
        /// The size that the table states for the entry.
        claimed: u64,
        /// The offset of the entry in the container.
        offset: u64,
        /// The size of the container.
        len: usize,
        /// The name of the container.
        of: &'static str,
    },
    /// The bytes of an entry belong to other entries, too.
    Overlap {
        /// The name for entries of this kind, such as `images`.
        of: &'static str,
    },
    /// The container ends inside its header.
    HeaderCut {
        /// The number of bytes that exist.
        len: usize,
    },
    /// The version of the container's format is not known.
    Version {
        /// The number in the header.
        version: u32,
        /// The versions that can be read.
        known: &'static str,
    },
    /// The container goes beyond the end of the file.
    ContainerCut {
        /// The size that the container's header states.
        claimed: u64,
        /// The number of bytes that exist.
        len: usize,
    },
    /// The method of compression is not known.
    Method {
        /// The number of the method.
        method: u16,
    },
    /// This build cannot decompress the method.
    NotInThisBuild {
        /// The feature of the package that decompresses it.
        feature: &'static str,
    },
    /// The compressed data is damaged.
    Compressed {
        /// The message from the decompressor.
        reason: String,
    },
    /// The size of the decompressed data differs from the size in the header.
    Size {
        /// The size in the header.
        promised: u64,
        /// The size of the data; `None` if it is more than promised.
        held: Option<u64>,
    },
    /// A part of an offload binary reaches beyond the end of the binary.
    Missing {
        /// The name of the part.
        what: &'static str,
    },
    /// An entry of an offload binary reaches beyond the end of the binary.
    MissingEntry {
        /// The number of the entry, counted from 0.
        number: u64,
        /// The number of entries in the header.
        count: u64,
    },
    /// The ELF header names no byte order.
    ByteOrder {
        /// The value in the header.
        order: u8,
    },
    /// The ELF header names neither 32 nor 64 bits.
    Class {
        /// The value in the header.
        class: u8,
    },
    /// A part of an ELF file is damaged.
    Elf {
        /// The damaged part.
        part: ElfPart,
        /// The fault of the part.
        fault: ElfFault,
    },
}

/// A part of an ELF file that can be damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElfPart {
    /// The file as a whole.
    File,
    /// The headers of sections, at an offset of the file.
    SectionHeaders(u64),
    /// The headers of segments, at an offset of the file.
    ProgramHeaders(u64),
    /// A section by its name.
    Section(String),
    /// A segment with code.
    CodeSegment,
    /// A table of symbols, at an offset of the file.
    Symbols(u64),
}

/// The fault of a part of an ELF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElfFault {
    /// The file header is incomplete.
    Header {
        /// The size of the file in bytes.
        len: usize,
    },
    /// Entries of a table have this size in bytes, which is too small for their contents.
    EntrySize(usize),
    /// Bytes go beyond the end of the file.
    Cut {
        /// The number of bytes that the part should have.
        size: u64,
        /// The offset of the part's first byte in the file.
        offset: u64,
        /// The size of the file in bytes.
        len: usize,
    },
    /// The table of names is missing.
    NoNames,
    /// Names of symbols begin outside of the table of names.
    NamesOutside {
        /// The number of such names.
        count: u64,
    },
    /// All names together are longer than the file could hold.
    NamesTooLong,
    /// A section overlaps other sections.
    Overlap,
    /// The file has further faults, which are not reported.
    More,
}

impl Error {
    /// The error with the steps of `path` before its own steps. `path` leads to the part in which the error was found.
    #[must_use]
    pub(crate) fn within(mut self, mut path: Vec<Step>) -> Error {
        path.append(&mut self.path);
        Error { path, ..self }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error { path: Vec::new(), kind }
    }
}

impl ErrorKind {
    pub(crate) fn elf(part: ElfPart, fault: ElfFault) -> ErrorKind {
        ErrorKind::Elf { part, fault }
    }
}

/// An offset, and whether it refers to decompressed data.
struct Offset(u64, bool);

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}{}", self.0, if self.1 { " of the decompressed data" } else { "" })
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Container::OffloadBundle => f.write_str("offload bundle"),
            Container::OffloadBinary => f.write_str("offload binary"),
            Container::CompressedBundle => f.write_str("compressed bundle"),
            Container::Archive => f.write_str("archive"),
            Container::Program => f.write_str("program"),
            Container::Member(name) => write!(f, "member {name}"),
            Container::Entry(id) => write!(f, "entry {id}"),
            Container::Section(name) => write!(f, "section {name}"),
            Container::CodeObject => f.write_str("code object"),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.container, Offset(self.offset, self.is_decompressed))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.iter().try_for_each(|step| write!(f, "{step}: "))?;
        self.kind.fmt(f)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ErrorKind as Kind;
        match self {
            Kind::Empty => f.write_str("the file is empty"),
            Kind::UnknownFormat => f.write_str("neither an ELF file, an archive nor a bundle of clang's"),
            Kind::TooDeep => f.write_str("containers are nested too deeply"),
            Kind::TooMuch { limit } => write!(f, "decompressing it would go beyond the limit of {limit} bytes"),
            Kind::NotABundle { offset, is_decompressed } => {
                let offset = Offset(*offset, *is_decompressed);
                write!(f, "{offset} should hold another offload bundle but does not")
            }
            Kind::CompressedTwice => f.write_str("a compressed bundle inside a compressed bundle"),
            Kind::ThinArchive => f.write_str("a thin archive, which holds no code itself: give its members"),
            Kind::NotAMember { offset, is_decompressed } => {
                let offset = Offset(*offset, *is_decompressed);
                write!(f, "damaged: there is no header of a member at {offset}")
            }
            Kind::MemberCut { claimed, left } => write!(f, "cut off: it claims {claimed} bytes, and {left} are left"),
            Kind::Truncated { what, entry, needed, left } => {
                if let Some((number, count)) = entry {
                    write!(f, "entry {number} of {count}: ")?;
                }
                write!(f, "damaged or cut off: {what} needs {needed} bytes, and {left} are left")
            }
            Kind::EntryCut { claimed, offset, len, of } => {
                write!(f, "cut off: it claims {claimed:#x} bytes at {offset:#x} of the {of}, which has {len:#x}")
            }
            Kind::Overlap { of } => write!(f, "damaged: its bytes overlap those of other {of}"),
            Kind::HeaderCut { len } => write!(f, "cut off inside its header, at {len} bytes"),
            Kind::Version { version, known } => write!(f, "version {version} is not known; {known} are"),
            Kind::ContainerCut { claimed, len } => {
                write!(f, "cut off: it claims {claimed} bytes, and {len} are there")
            }
            Kind::Method { method } => {
                write!(f, "compression method {method} is not known; 0 (zlib) and 1 (zstd) are")
            }
            Kind::NotInThisBuild { feature } => {
                write!(f, "its compression cannot be read, as this build is without the feature {feature}")
            }
            Kind::Compressed { reason } => write!(f, "cannot decompress: {reason}"),
            Kind::Size { promised, held: Some(held) } => {
                write!(f, "damaged: it promises {promised} bytes and holds {held}")
            }
            Kind::Size { promised, held: None } => write!(f, "damaged: it promises {promised} bytes and holds more"),
            Kind::Missing { what } => write!(f, "cut off or damaged: {what} is not in it"),
            Kind::MissingEntry { number, count } => {
                write!(f, "cut off or damaged: entry {number} of {count} is not in it")
            }
            Kind::ByteOrder { order } => write!(f, "the ELF header names no byte order, but {order}"),
            Kind::Class { class } => write!(f, "the ELF header names neither 32 nor 64 bits, but {class}"),
            Kind::Elf { part, fault } => elf(f, part, fault),
        }
    }
}

fn elf(f: &mut fmt::Formatter<'_>, part: &ElfPart, fault: &ElfFault) -> fmt::Result {
    f.write_str("the ELF file is damaged or cut off: ")?;
    // The text of an overlap continues the name of the section. The text of every other fault follows a colon.
    let colon = if *fault == ElfFault::Overlap { "" } else { ": " };
    match part {
        ElfPart::File => Ok(()),
        ElfPart::SectionHeaders(offset) => write!(f, "the section headers at {offset:#x}{colon}"),
        ElfPart::ProgramHeaders(offset) => write!(f, "the program headers at {offset:#x}{colon}"),
        ElfPart::Section(name) => write!(f, "section {name}{colon}"),
        ElfPart::CodeSegment => write!(f, "an executable segment{colon}"),
        ElfPart::Symbols(offset) => write!(f, "symbols at {offset:#x}{colon}"),
    }?;
    match fault {
        ElfFault::Header { len } => write!(f, "its header is incomplete, the file has {len} bytes"),
        ElfFault::EntrySize(size) => write!(f, "headers of {size} bytes are too small"),
        ElfFault::Cut { size, offset, len } => {
            write!(f, "{size} bytes are claimed at {offset:#x}, and the file has {len:#x}")
        }
        ElfFault::NoNames => f.write_str("there is no table of names"),
        ElfFault::NamesOutside { count } => write!(f, "{count} have names outside of the table of names"),
        ElfFault::NamesTooLong => f.write_str("its names are longer than the file could hold"),
        ElfFault::Overlap if *part == ElfPart::File => f.write_str("its sections overlap"),
        ElfFault::Overlap => f.write_str(" overlaps others"),
        ElfFault::More => f.write_str("there are more faults than are reported"),
    }
}

impl core::error::Error for Error {}

impl core::error::Error for ErrorKind {}
