//! Finds, at the end of a source, the symbols that the source names.

use std::collections::BTreeSet;

use amdgpu_object::elf::{SHF_MERGE, SHF_TLS};

use super::assembler::Assembler;
use super::expr::{Expr, TOP};
use super::table::{Def, SymbolId};

impl Assembler {
    /// Finds symbols that are named only through weak names (`.weakref`).
    pub fn find_weak(&mut self) {
        if !self.table.all().iter().any(|symbol| symbol.is_weak_name) {
            return;
        }
        let mut uses = vec![(false, false); self.table.all().len()];
        for fixup in self.sections.iter().flat_map(|section| &section.fixups) {
            let mut open = vec![(&fixup.expr, false)];
            while let Some((expr, is_weak)) = open.pop() {
                match expr {
                    Expr::Int(_) => {}
                    Expr::Unary(_, of) => open.push((of, is_weak)),
                    Expr::Binary(_, parts, _) => open.extend([(&parts.0, is_weak), (&parts.1, is_weak)]),
                    Expr::Call(_, of) => open.extend(of.iter().map(|of| (of, is_weak))),
                    Expr::Symbol(id, _) => match &self.table.get(*id).def {
                        Def::Variable(Expr::Symbol(of, _)) if self.table.get(*id).is_weak_name => {
                            uses[*of].0 = true;
                        }
                        _ => uses[*id].1 = true,
                    },
                }
            }
        }
        self.weak = uses.into_iter().map(|(is_weak, is_strong)| is_weak && !is_strong).collect();
    }

    /// Whether relocations, expressions or versions name each symbol.
    pub fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.table.all().len()];
        let fixups = self.sections.iter().flat_map(|section| &section.fixups).map(|fixup| &fixup.expr);
        let asked = self.relocations.iter().filter_map(|asked| asked.expr.as_ref());
        for version in &self.versions {
            // If the source does not define a symbol, the object has no versions of the symbol except the default one.
            let is_defined = !matches!(self.table.get(version.of).def, Def::Undefined);
            let is_default = version.name.contains("@@") && !version.name.contains("@@@");
            needed[version.of] |= is_defined || is_default;
        }
        for expr in fixups.chain(asked) {
            for (id, _) in self.table.linear(expr, TOP).map(|linear| linear.terms).unwrap_or_default() {
                needed[id] = true;
            }
        }
        needed
    }

    /// Whether a relocation has to name a local symbol itself: a linker moves the contents of the symbol's section, so
    /// an offset in the section could become wrong.
    pub fn keeps_symbol(&self, id: SymbolId, addend: i64) -> bool {
        let symbol = self.table.get(id);
        let Def::Label { section, .. } = symbol.def else { return false };
        let flags = self.sections.get(section).map_or(0, |section| section.flags);
        !symbol.name.is_empty() && (flags & SHF_TLS != 0 || flags & SHF_MERGE != 0 && addend != 0)
    }

    /// Finds the local symbols that relocations have to name themselves.
    pub fn find_kept(&mut self) {
        let mut kept = BTreeSet::new();
        for (index, section) in self.sections.iter().enumerate() {
            for fixup in &section.fixups {
                let Ok(mut linear) = self.table.linear(&fixup.expr, TOP) else { continue };
                self.count_from_here(&mut linear, fixup.offset, index);
                if let [(id, 1)] = linear.terms[..] {
                    if self.keeps_symbol(id, linear.constant) {
                        kept.insert(id);
                    }
                }
            }
        }
        for expr in self.relocations.iter().filter(|asked| asked.names_hidden).filter_map(|asked| asked.expr.as_ref()) {
            kept.extend(
                self.table.linear(expr, TOP).map(|linear| linear.terms).unwrap_or_default().iter().map(|term| term.0),
            );
        }
        self.kept = kept;
    }
}
