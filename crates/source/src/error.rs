//! The error of this package.

use std::fmt;

use amdgpu_object::ErrorKind;

/// The reason why a file has no source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The file is not an ELF file: code objects in containers have to be taken out first.
    NoElf,
    /// The file is an ELF file that cannot be read, or some of whose bytes are missing.
    Elf(ErrorKind),
    /// The file has addresses of 32 bits, or the high byte of numbers first.
    Format,
    /// A part of the file has no name that is a text, does not exist although another part names it, or is a part of too
    /// many others.
    Lacking(&'static str),
    /// The file is for another machine than AMD's GPUs.
    OtherMachine,
    /// The file is for a processor that this build does not know.
    UnknownProcessor {
        /// The number of the processor in `e_flags`.
        number: u8,
        /// The name of the processor, if the number is a known one.
        name: Option<&'static str>,
    },
    /// The file has no table of sections.
    NoSections,
    /// The relocations are in a compact form, which this package does not read.
    CompactRelocations,
    /// The section with this name is compressed.
    Compressed(String),
    /// The code object has this ABI version, which no directive states.
    Version(u8),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoElf => f.write_str("the file is not one code object"),
            Error::Elf(why) => why.fmt(f),
            Error::Format => f.write_str("not a code object: it needs addresses of 64 bits, and the low byte of numbers first"),
            Error::Lacking(what) => write!(f, "the code object is damaged: {what}"),
            Error::OtherMachine => f.write_str("this is not a code object of an AMD GPU"),
            Error::UnknownProcessor { number, name } => {
                write!(f, "the code object is for processor {number:#x}")?;
                if let Some(name) = name {
                    write!(f, " ({name})")?;
                }
                f.write_str(", which this build does not know")
            }
            Error::NoSections => f.write_str(
                "the file has no table of sections (`llvm-objcopy --strip-sections` takes it away), which a source needs",
            ),
            Error::CompactRelocations => f.write_str(
                "the relocations are in a compact form (`--crel`), which cannot be read: make the file without this option",
            ),
            Error::Compressed(name) => {
                write!(f, "the section {name} is compressed: unpack it first, with `llvm-objcopy --decompress-debug-sections`")
            }
            Error::Version(_) => f.write_str("only code objects of versions 4 to 6 have a source"),
        }
    }
}

impl std::error::Error for Error {}
