//! The parts of sections, which `.subsection` begins. The parts are joined at the end of the source. Only then are
//! their offsets known, so the source is read again if its contents depend on these offsets.

use std::collections::HashMap;

use super::assembler::{Assembler, FixupKind, Section, SectionIdentity};
use super::table::Def;

impl Assembler {
    /// Puts the parts of each section one after the other, in the order of their numbers.
    pub fn join_parts(&mut self) {
        if self.sections.iter().all(|section| section.identity.part == 0) {
            return;
        }
        let whole = |identity: &SectionIdentity| SectionIdentity { part: 0, ..identity.clone() };
        // The number of each part, after the number of the first part of the same section. Sections stay in the order
        // in which they first occur.
        let mut order: Vec<(usize, usize)> = Vec::new();
        let mut firsts = HashMap::new();
        for (index, section) in self.sections.iter().enumerate() {
            let first = *firsts.entry((section.name.clone(), whole(&section.identity))).or_insert(index);
            order.push((first, index));
        }
        order.sort_by_key(|(first, index)| (*first, self.sections[*index].identity.part));
        let mut joined: Vec<Section> = Vec::new();
        let mut moved = vec![(0, 0); self.sections.len()];
        let mut last = None;
        for (first, index) in order {
            let mut part = self.sections[index].clone();
            let is_more = last == Some(first);
            last = Some(first);
            let base = if is_more { joined.last().map_or(0, |all| all.len) } else { 0 };
            self.found.bases.insert((part.name.clone(), part.identity.clone()), base);
            moved[index] = (joined.len() - usize::from(is_more), base);
            for fixup in &mut part.fixups {
                fixup.offset += base;
                if let FixupKind::Distance { from, .. } = &mut fixup.kind {
                    *from += base;
                }
            }
            match joined.last_mut().filter(|_| is_more) {
                Some(all) => {
                    all.align = all.align.max(part.align);
                    all.data.extend(part.data);
                    all.len += part.len;
                    all.fixups.extend(part.fixups);
                }
                None => {
                    part.identity.part = 0;
                    joined.push(part);
                }
            }
        }
        self.sections = joined;
        self.number_sections();
        let there = |section: &mut usize, offset: &mut u64| {
            let (new, base) = moved.get(*section).copied().unwrap_or_default();
            (*section, *offset) = (new, *offset + base);
        };
        for symbol in self.table.all_mut() {
            if let Def::Label { section, offset } = &mut symbol.def {
                there(section, offset);
            }
        }
        self.kernels.iter_mut().for_each(|kernel| there(&mut kernel.section, &mut kernel.offset));
        self.relocations.iter_mut().for_each(|relocation| there(&mut relocation.section, &mut 0));
        self.debug.join(&moved);
        if let Some(spans) = &mut self.spans {
            let mut all: Vec<Vec<_>> = vec![Vec::new(); self.sections.len()];
            for (index, spans) in spans.iter().enumerate() {
                let (new, base) = moved.get(index).copied().unwrap_or_default();
                if let Some(all) = all.get_mut(new) {
                    all.extend(spans.iter().map(|(offset, span)| (offset + base, *span)));
                }
            }
            all.iter_mut().for_each(|spans| spans.sort_by_key(|(offset, _)| *offset));
            *spans = all;
        }
        self.table.section = 0;
    }
}
