//! Writes the file of a linked code object.

use std::collections::HashMap;

use amdgpu_object::elf::wide::SYMBOL;
use amdgpu_object::elf::{ET_DYN, SHF_MERGE, SHT_STRTAB, SHT_SYMTAB, SHT_SYMTAB_SHNDX};
use object::elf::{STB_LOCAL, STV_HIDDEN, STV_PROTECTED};

use super::{Chunk, DYNAMIC, Layout};
use crate::elf::{EntrySection, File, Header, Identity, Names, Segment, SymbolEntry, symbol_table};
use crate::object::sorted;
use crate::resolve::{DefinedIn, Image, Symbol};

/// The table of symbols that no loader reads.
struct Symbols<'a> {
    /// The symbols of the image in the table.
    kept: Vec<&'a Symbol>,
    /// The symbols of `kept` as they are in the file, where hidden symbols are local.
    hidden: Vec<Symbol>,
    /// The numbers of the symbols in the order of the file, local symbols first.
    order: Vec<usize>,
    locals: usize,
}

impl<'a> Symbols<'a> {
    fn of(image: &'a Image) -> Symbols<'a> {
        let hide = |symbol: &Symbol| {
            let is_hidden =
                symbol.visibility != STV_PROTECTED && symbol.visibility != 0 && symbol.at != DefinedIn::Undefined;
            Symbol { bind: if is_hidden { STB_LOCAL } else { symbol.bind }, ..symbol.clone() }
        };
        // Names of places in merged sections are only for the linker, so they are left out.
        let is_kept = |symbol: &&Symbol| match symbol.at {
            DefinedIn::Section(n) => !symbol.name.starts_with(".L") || image.sections[n].section.flags & SHF_MERGE == 0,
            _ => true,
        };
        let kept: Vec<&Symbol> = image.symbols.iter().filter(is_kept).collect();
        let hidden: Vec<Symbol> = kept.iter().copied().map(hide).collect();
        let order = sorted(&hidden);
        let locals = order.iter().filter(|n| hidden[**n].is_local()).count();
        Symbols { kept, hidden, order, locals }
    }

    /// The entries of the table: the local symbols, `_DYNAMIC`, which is at the start of section `own` and has its
    /// address, and the other symbols.
    fn entries(&self, own: u32, address: u64, layout: &Layout) -> Vec<SymbolEntry> {
        let (info, other, section) = (STB_LOCAL << 4, STV_HIDDEN, EntrySection::Number(own));
        let dynamic = SymbolEntry { name: 0, info, other, section, value: address, size: 0 };
        let mut all: Vec<SymbolEntry> = self.order.iter().map(|n| layout.entry(&self.hidden[*n])).collect();
        all.insert(self.locals, dynamic);
        all
    }

    /// The bytes of the table of names, which are sorted, or else in the linker's order. Fills in the names of the
    /// entries.
    fn name(&self, entries: &mut [SymbolEntry], is_sorted: bool) -> Result<Vec<u8>, String> {
        // The number of the entry of each symbol.
        let mut numbers = vec![0; self.hidden.len()];
        for (at, n) in self.order.iter().enumerate() {
            numbers[*n] = if at < self.locals { at } else { at + 1 };
        }
        // A linker adds the names of the local symbols of its inputs, of their other symbols, and its own.
        let inputs = sorted(&self.kept).into_iter().map(|n| (numbers[n], self.hidden[n].name.as_str()));
        let (numbers, names): (Vec<usize>, Vec<&str>) = inputs.chain([(self.locals, "_DYNAMIC")]).unzip();
        let Names { bytes, offsets } = if is_sorted { Names::sorted(&names)? } else { Names::in_order(&names)? };
        numbers.into_iter().zip(offsets).for_each(|(n, offset)| entries[n].name = offset);
        Ok(bytes)
    }
}

/// The bytes of the file. `strip` leaves out the symbol table that no loader reads.
pub fn write(
    image: &Image,
    chunks: &[Chunk],
    segments: &[Segment],
    layout: &Layout,
    strip: bool,
) -> Result<Vec<u8>, String> {
    let made = chunks.iter().enumerate().filter(|(_, chunk)| chunk.is_made());
    let numbers: HashMap<&str, u32> = made.map(|(n, chunk)| (chunk.name.as_str(), n as u32 + 1)).collect();
    let mut headers: Vec<(&str, Header)> =
        chunks.iter().map(|chunk| (chunk.name.as_str(), chunk.header(&numbers))).collect();
    let mut contents = Vec::new();
    let names = Header { kind: SHT_STRTAB, align: 1, ..Header::default() };
    let mut symbol_names = None;
    if !strip {
        let symbols = Symbols::of(image);
        let own = numbers.get(DYNAMIC).copied().unwrap_or(1);
        let address = chunks.get(own as usize - 1).map_or(0, |chunk| chunk.address);
        let mut entries = symbols.entries(own, address, layout);
        symbol_names = Some(symbols.name(&mut entries, image.sorted_names)?);
        let (table, long_numbers) = symbol_table(&entries);
        let number = headers.len() as u32 + 1;
        // The next sections are the numbers of sections, if there are any, the names of sections, and those of symbols.
        let (link, info) = (number + 2 + u32::from(long_numbers.is_some()), symbols.locals as u32 + 2);
        let header = Header { kind: SHT_SYMTAB, align: 8, entry: SYMBOL as u64, link, info, ..Header::default() };
        headers.push((".symtab", header));
        contents.push(table);
        if let Some(numbers) = long_numbers {
            let header = Header { kind: SHT_SYMTAB_SHNDX, align: 4, entry: 4, link: number, ..Header::default() };
            headers.push((".symtab_shndx", header));
            contents.push(numbers);
        }
    }
    headers.push((".shstrtab", names));
    let of_names = headers.len() as u32;
    headers.extend(symbol_names.is_some().then_some((".strtab", names)));
    let all: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let Names { bytes, offsets } = if image.sorted_names { Names::sorted(&all)? } else { Names::unique(&all)? };
    contents.push(bytes);
    contents.extend(symbol_names);

    let mut file = File::new(segments);
    for chunk in chunks {
        file.pad_until(chunk.offset);
        file.put(&chunk.data);
    }
    for ((_, header), bytes) in headers.iter_mut().skip(chunks.len()).zip(contents) {
        (header.offset, header.len) = (file.align(header.align), bytes.len() as u64);
        file.put(&bytes);
    }
    let headers: Vec<(u32, Header)> = offsets.into_iter().zip(headers).map(|(name, (_, of))| (name, of)).collect();
    let Image { abi, abi_version, flags, .. } = *image;
    Ok(file.finish(&headers, of_names, &Identity { abi, abi_version, kind: ET_DYN, flags }))
}
