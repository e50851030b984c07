//! The lengths of the parts of 64-bit files, and the offsets of the fields in them that programs change.

/// The length of the header of a file.
pub const FILE_HEADER: usize = 64;
/// The length of the header of a section.
pub const SECTION_HEADER: usize = 64;
/// The length of the header of a segment.
pub const SEGMENT_HEADER: usize = 56;
/// The length of a symbol.
pub const SYMBOL: usize = 24;
/// The length of a relocation with an addend.
pub const RELOCATION: usize = 24;
/// The length of a relocation without an addend.
pub const SHORT_RELOCATION: usize = 16;
/// The length of an entry of the table that a loader reads.
pub const DYNAMIC: usize = 16;

/// The offsets of fields in the header of a file.
pub mod file_header {
    /// The kind of file.
    pub const KIND: usize = 16;
    /// The address at which execution begins.
    pub const ENTRY: usize = 24;
    /// The offset of the headers of segments in the file.
    pub const SEGMENTS: usize = 32;
    /// The offset of the headers of sections in the file.
    pub const SECTIONS: usize = 40;
}

/// The offsets of fields in the header of a section.
pub mod section_header {
    /// The type of the section.
    pub const KIND: usize = 4;
    /// The flags of the section.
    pub const FLAGS: usize = 8;
    /// The address of the first byte.
    pub const ADDRESS: usize = 16;
    /// The offset of the first byte in the file.
    pub const OFFSET: usize = 24;
    /// The size in bytes.
    pub const SIZE: usize = 32;
    /// The length of an entry of a table.
    pub const ENTRY: usize = 56;
}

/// The offsets of fields in the header of a segment.
pub mod segment_header {
    /// The offset of the first byte in the file.
    pub const OFFSET: usize = 8;
    /// The address of the first byte.
    pub const ADDRESS: usize = 16;
    /// The physical address of the first byte.
    pub const PHYSICAL: usize = 24;
    /// The number of bytes in the file.
    pub const SIZE: usize = 32;
    /// The number of bytes in memory.
    pub const MEMORY_SIZE: usize = 40;
}

/// The offsets of fields in a symbol.
pub mod symbol {
    /// The address.
    pub const ADDRESS: usize = 8;
    /// The size in bytes.
    pub const SIZE: usize = 16;
}

/// The offsets of fields in a relocation.
pub mod relocation {
    /// The address of the place.
    pub const ADDRESS: usize = 0;
    /// The addend.
    pub const ADDEND: usize = 16;
}

/// The offset of the value in an entry of the table that a loader reads.
pub const DYNAMIC_VALUE: usize = 8;
