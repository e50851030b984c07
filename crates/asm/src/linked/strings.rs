//! The tables of strings of a file with symbols, as `ld.lld` lays them out: names are in the order in which they were
//! added, and no name is a part of another one.

use std::collections::HashMap;

use amdgpu_object::elf::wide::file_header::SECTIONS as HEADERS;
use amdgpu_object::elf::wide::section_header::{OFFSET, SIZE};
use amdgpu_object::elf::wide::{SECTION_HEADER as SECTION, SYMBOL};

/// Writes the tables of strings of a file anew. The last section of a file without symbols is the names of sections.
/// The last three sections of a file with symbols are the table of symbols, the names of sections, and the names of
/// symbols. The headers of sections are at the end of the file. `order` has the numbers of the symbols in the order in
/// which their names are added, if the file has symbols.
pub fn in_order(mut file: Vec<u8>, order: Option<impl Iterator<Item = usize>>) -> Vec<u8> {
    let start = long(&file, HEADERS) as usize;
    let mut headers = file.split_off(start);
    let offset = |headers: &[u8], header: usize| long(headers, header + OFFSET) as usize;
    let name = |file: &[u8], table: usize, at: u32| {
        let text = &file[table + at as usize..];
        text.iter().take_while(|byte| **byte != 0).copied().collect::<Vec<u8>>()
    };
    let [symbols, with_symbols, last] = [3, 2, 1].map(|back| headers.len() - back * SECTION);
    // The names of sections are in the last section but one, if the file has symbols.
    let of_sections = if order.is_some() { with_symbols } else { last };
    let old = offset(&headers, of_sections);
    // A name that several sections have is in the table once. A name that several symbols have is in the table once for
    // each symbol.
    let (mut section_names, mut starts) = (vec![0], HashMap::new());
    for header in (SECTION..headers.len()).step_by(SECTION) {
        let name = name(&file, old, word(&headers, header));
        let start = *starts.entry(name).or_insert_with_key(|name| add(&mut section_names, name));
        put(&mut headers, header, &start.to_le_bytes());
    }
    let mut tables = vec![(of_sections, section_names)];
    if let Some(order) = order {
        let (symbols, old, mut symbol_names) = (offset(&headers, symbols), offset(&headers, last), vec![0]);
        for n in order {
            let at = symbols + n * SYMBOL;
            let name = name(&file, old, word(&file, at));
            let start = if name.is_empty() { 0 } else { add(&mut symbol_names, &name) };
            put(&mut file, at, &start.to_le_bytes());
        }
        tables.push((last, symbol_names));
    }
    file.truncate(old);
    for (header, names) in tables {
        put(&mut headers, header + OFFSET, &(file.len() as u64).to_le_bytes());
        put(&mut headers, header + SIZE, &(names.len() as u64).to_le_bytes());
        file.extend(names);
    }
    file.resize(file.len().next_multiple_of(8), 0);
    let start = file.len() as u64;
    put(&mut file, HEADERS, &start.to_le_bytes());
    file.extend(headers);
    file
}

/// Adds a name to a table, and returns the offset at which the name begins, in bytes.
fn add(table: &mut Vec<u8>, name: &[u8]) -> u32 {
    let start = table.len() as u32;
    table.extend(name);
    table.push(0);
    start
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}
