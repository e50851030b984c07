//! Relocations whose addends are in their places (`SHT_REL`), as in objects for PAL and Mesa. For a change, an object
//! gets tables with addends, and afterwards its own tables again.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use amdgpu_object::elf::wide::{self, section_header};
use amdgpu_object::elf::{self, File, Section};
use amdgpu_object::relocation_kinds::{Formula, NONE, Part};

use crate::Error;

/// The object with addends in all tables of relocations. The new tables follow the end of the object; the old ones stay
/// in their places, without a header.
///
/// # Errors
/// The object is damaged, or the addend of a relocation is not known.
pub fn with_addends(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
    let file = File::parse(bytes)?;
    let (sections, _) = file.sections();
    let tables = tables(&file, &sections);
    if file.kind != elf::ET_REL || !file.is_64 || !file.is_little || tables.is_empty() {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut out = bytes.to_vec();
    for (number, table) in tables {
        let target = sections.get(table.info).ok_or(Error::Layout)?;
        let start = out.len().next_multiple_of(8);
        out.resize(start, 0);
        for relocation in file.short_relocations(file.contents(&table).bytes) {
            let refused = Error::Relocation { address: relocation.address };
            let addend = match (relocation.kind, Formula::of(relocation.kind)) {
                (NONE, _) => 0,
                (_, Some(formula)) => {
                    let at = target.offset.saturating_add(relocation.address);
                    let place = file.data(at, formula.size as u64);
                    if place.missing.is_some() {
                        return Err(refused);
                    }
                    // A place in a section that is not loaded, such as a table for debuggers, becomes zero, so that the
                    // addend is only in the new table. A layout fills the places in memory.
                    if !target.is_loaded() {
                        put(&mut out, at, [0; 8].get(..formula.size).unwrap_or_default())?;
                    }
                    formula.addend_at(place.bytes)
                }
                _ => return Err(refused),
            };
            let info = u64::from(relocation.symbol) << 32 | u64::from(relocation.kind);
            let entry = [relocation.address, info, addend as u64];
            out.extend(entry.iter().flat_map(|number| number.to_le_bytes()));
        }
        let size = out.len() - start;
        header(&mut out, &file, number, (elf::SHT_RELA, start as u64, size as u64, wide::RELOCATION as u64))?;
    }
    Ok(Cow::Owned(out))
}

/// The changed object `new` with the tables that the object `plain` has. `old` is `plain` with addends.
///
/// # Errors
/// An object is damaged, or an addend does not fit in its place.
pub fn without_addends(plain: &[u8], old: &[u8], mut new: Vec<u8>) -> Result<Vec<u8>, Error> {
    let (plain, old) = (File::parse(plain)?, File::parse(old)?);
    let (before, long) = (plain.sections().0, old.sections().0);
    let tables = tables(&plain, &before);
    let copy = new.clone();
    let made = File::parse(&copy)?;
    let (after, _) = made.sections();
    let Some((first, _)) = tables.first() else { return Ok(new) };
    let moved = |number: usize| Some(after.get(number)?.offset.wrapping_sub(long.get(number)?.offset));
    let end = moved(*first).ok_or(Error::Layout)?.wrapping_add(plain.bytes.len() as u64);
    // A table has moved by the same distance as the contents that follow it in the file.
    let mut anchors: Vec<(u64, u64)> = alloc::vec![(plain.bytes.len() as u64, end)];
    anchors.push((plain.section_header(0), made.section_header(0)));
    for (number, section) in before.iter().enumerate().skip(1) {
        let has_bytes = section.kind != elf::SHT_NOBITS && section.size > 0;
        let is_table = tables.binary_search_by_key(&number, |(table, _)| *table).is_ok();
        if let (true, false, Some(to)) = (has_bytes, is_table, after.get(number)) {
            anchors.push((section.offset, to.offset));
        }
    }
    anchors.sort_unstable();
    for (number, table) in &tables {
        let table_end = table.offset.saturating_add(table.size);
        let next = anchors.partition_point(|(from, _)| *from < table_end);
        let (from, to) = anchors.get(next).ok_or(Error::Layout)?;
        let start = to.wrapping_sub(from.wrapping_sub(table.offset));
        let target = after.get(table.info).ok_or(Error::Layout)?;
        let contents = made.contents(after.get(*number).ok_or(Error::Layout)?).bytes;
        for (n, relocation) in made.relocations(contents).enumerate() {
            let info = u64::from(relocation.symbol) << 32 | u64::from(relocation.kind);
            let at = start + (n * wide::SHORT_RELOCATION) as u64;
            put(&mut new, at, &relocation.address.to_le_bytes())?;
            put(&mut new, at + 8, &info.to_le_bytes())?;
            let Some(formula) = Formula::of(relocation.kind) else { continue };
            let bytes = relocation.addend.to_le_bytes();
            let bytes = bytes.get(..formula.size).unwrap_or_default();
            if formula.addend_at(bytes) != relocation.addend {
                return Err(Error::Relocation { address: relocation.address });
            }
            if formula.part != Part::Dwords {
                put(&mut new, target.offset.saturating_add(relocation.address), bytes)?;
            }
        }
        header(&mut new, &made, *number, (elf::SHT_REL, start, table.size, wide::SHORT_RELOCATION as u64))?;
    }
    new.truncate(usize::try_from(end).map_err(|_| Error::Layout)?);
    Ok(new)
}

/// The tables without addends that do more than name symbols, with their numbers.
fn tables(file: &File<'_>, sections: &[Section]) -> Vec<(usize, Section)> {
    let has_effect =
        |table: &Section| file.short_relocations(file.contents(table).bytes).any(|relocation| relocation.kind != NONE);
    let all = sections.iter().copied().enumerate();
    all.filter(|(_, table)| table.kind == elf::SHT_REL && has_effect(table)).collect()
}

/// Writes four fields of a section's header: the type, the offset, the size, and the length of an entry.
fn header(
    out: &mut [u8],
    file: &File<'_>,
    number: usize,
    (kind, offset, size, entry): (u32, u64, u64, u64),
) -> Result<(), Error> {
    let at = file.section_header(number);
    put(out, at + section_header::KIND as u64, &kind.to_le_bytes())?;
    for (field, value) in
        [(section_header::OFFSET, offset), (section_header::SIZE, size), (section_header::ENTRY, entry)]
    {
        put(out, at + field as u64, &value.to_le_bytes())?;
    }
    Ok(())
}

fn put(out: &mut [u8], at: u64, bytes: &[u8]) -> Result<(), Error> {
    let at = usize::try_from(at).map_err(|_| Error::Layout)?;
    let to = at.checked_add(bytes.len()).and_then(|end| out.get_mut(at..end)).ok_or(Error::Layout)?;
    to.copy_from_slice(bytes);
    Ok(())
}
