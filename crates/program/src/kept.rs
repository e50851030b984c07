//! Writes relocations that no loader reads: the relocations of an object for a linker, and relocations that a linker
//! has kept (`--emit-relocs`).

use amdgpu_object::elf::{self, wide};
use amdgpu_object::relocation_kinds::{Base, Formula, NONE, Part};

use crate::Error;
use crate::rewrite::Writer;

impl Writer<'_, '_> {
    /// Writes the relocations of a table that no loader reads, and the numbers that a linker has written for them in
    /// data. The numbers in code and descriptors have been written before.
    pub fn kept(&mut self, table: &elf::Section) -> Result<(), Error> {
        let layout = self.layout;
        let is_loaded = |section: &elf::Section| section.is_loaded();
        let data = layout.file.contents(table).bytes;
        let symbols = layout.sections.get(table.link).map_or(&[][..], |symbols| layout.file.contents(symbols).bytes);
        let in_memory = layout.sections.get(table.info).is_some_and(is_loaded);
        for (number, relocation) in layout.file.relocations(data).enumerate() {
            let at = table.offset + (number * wide::RELOCATION) as u64;
            let symbol = layout.file.symbol(symbols, relocation.symbol);
            let formula = Formula::of(relocation.kind);
            let place = match (in_memory, layout.code(table.info)) {
                (false, _) => relocation.address,
                // A branch's relocation is at the branch itself, after any instructions inserted at its label.
                (true, Some(code)) if formula.is_some_and(|formula| formula.part == Part::Dwords) => {
                    layout.inst(code, relocation.address)
                }
                (true, _) => layout.address_in(table.info, relocation.address),
            };
            let addend = match symbol {
                Some(symbol) => self.addend(&relocation, place, &symbol, table.info)?,
                None => relocation.addend,
            };
            self.field(at, wide::relocation::ADDRESS, place)?;
            self.field(at, wide::relocation::ADDEND, addend as u64)?;
            let formula = formula.filter(|formula| formula.base == Base::Symbol);
            let is_linked_data = in_memory && layout.code(table.info).is_none() && !layout.is_fixed;
            if let (Some(formula), Some(symbol), true) = (formula, symbol, is_linked_data) {
                let section = layout.sections.get(table.info).ok_or(Error::Layout)?;
                let offset = section.offset.wrapping_add(relocation.address.wrapping_sub(section.address));
                let bytes = layout.file.data(offset, formula.size as u64).bytes;
                let old = formula.value(symbol.address, relocation.addend, relocation.address).to_le_bytes();
                let new = formula.value(self.symbol(&symbol), addend, place).to_le_bytes();
                // A place that does not hold the linker's number stays unchanged.
                if old.get(..formula.size) == Some(bytes) {
                    self.put(offset, new.get(..formula.size).unwrap_or_default())?;
                }
            }
        }
        Ok(())
    }

    /// The new addend of a relocation, whose place is in the section with this number and gets the address `place`.
    fn addend(
        &self,
        relocation: &elf::Relocation,
        place: u64,
        symbol: &elf::Symbol,
        section: usize,
    ) -> Result<i64, Error> {
        let layout = self.layout;
        let in_memory = layout.sections.get(section).is_some_and(|section| section.is_loaded());
        let refused = || Error::Relocation { address: relocation.address };
        if relocation.kind == NONE {
            return Ok(relocation.addend);
        }
        let formula = Formula::of(relocation.kind).ok_or_else(refused)?;
        let moved = |from: u64, to: u64| to.wrapping_sub(from) as i64;
        let place_moved = moved(relocation.address, place);
        if let Some((old, new)) = self.numbers.get(&relocation.address).filter(|_| formula.is_relative) {
            let base_moved = match formula.base {
                Base::Symbol => moved(symbol.address, self.symbol(symbol)),
                Base::Entry => {
                    let base = old.wrapping_add(relocation.address).wrapping_sub(relocation.addend as u64);
                    moved(base, layout.address(base))
                }
            };
            let more = moved(*old, *new).wrapping_add(place_moved).wrapping_sub(base_moved);
            return Ok(relocation.addend.wrapping_add(more));
        }
        // The place of the table of addresses (GOT) in a linked file is not known.
        if formula.base == Base::Entry {
            let is_still = layout.is_fixed && place == relocation.address;
            return if is_still || !in_memory { Ok(relocation.addend) } else { Err(refused()) };
        }
        let goal = symbol.address.wrapping_add_signed(relocation.addend);
        let new_goal = self.beside(symbol, goal);
        let addend = moved(self.symbol(symbol), new_goal);
        // An addend can mean a place near the symbol, or a distance that is counted from a place near the relocation.
        // So the meaning of a relative relocation with an addend is not known, unless the relocation is that of a
        // branch.
        let is_plain = !formula.is_relative || formula.part == Part::Dwords || relocation.addend == 0;
        let value = |goal, place| formula.value(goal, 0, place);
        let is_same = addend == relocation.addend && value(new_goal, place) == value(goal, relocation.address);
        // The numbers in linked code stay as the linker wrote them.
        let is_open = is_plain && (layout.is_fixed || layout.code(section).is_none());
        match !in_memory || is_same || is_open {
            true => Ok(addend),
            false => Err(refused()),
        }
    }
}
