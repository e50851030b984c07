//! Checks of a file's sections before the file is changed or compared.

use alloc::string::String;

use amdgpu_object::elf::{self, File, Section};

use crate::Error;

/// Checks that the addresses in all sections can follow the code.
///
/// # Errors
/// [`Error::UnknownSection`]: a section is of a type that may hold addresses and is not read.
pub fn check_types(file: &File<'_>, sections: &[Section]) -> Result<(), Error> {
    let Some(section) = sections.iter().skip(1).find(|section| !is_understood(section)) else { return Ok(()) };
    let name = elf::text(file.section_names(sections), section.name).unwrap_or_default();
    Err(Error::UnknownSection { name: String::from_utf8_lossy(name).into_owned(), kind: section.kind })
}

/// Whether the addresses that a section may hold can follow the code.
fn is_understood(section: &Section) -> bool {
    let is_unread = [elf::SHT_CREL, elf::SHT_SYMTAB_SHNDX].contains(&section.kind);
    !is_unread && (section.has_known_type() || section.is_code() || !section.is_loaded())
}

/// Whether all tables of symbols and relocations together are at most as long as the file. Longer tables overlap, and
/// the same bytes would be read again and again.
pub fn are_apart(file: &File<'_>, sections: &[Section]) -> bool {
    let kinds = [elf::SHT_RELA, elf::SHT_RELR, elf::SHT_SYMTAB, elf::SHT_DYNSYM];
    let sizes = sections.iter().filter(|section| kinds.contains(&section.kind)).map(|section| section.size);
    sizes.fold(0, u64::saturating_add) <= file.bytes.len() as u64
}
