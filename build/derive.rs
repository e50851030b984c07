//! Targets that are like another (`=gfx803` in `isa/targets.isa`), and cells that hold only with a trait (`104@xnack`).

use crate::build::error::Result;
use crate::build::model::*;

/// Gives each target that is like another the cells of that one, and takes away what its traits do not allow.
pub fn all(isa: &mut Isa) -> Result<()> {
    let Isa { targets, codes, enums, formats, .. } = isa;
    for t in targets.iter() {
        let Some(base) = &t.like else { continue };
        if !targets.iter().any(|other| &other.name == base && other.like.is_none()) {
            return t.at.err(format!("{} is like {base}, which is no target of its own", t.name));
        }
    }
    for code in codes {
        code.range.derive(&code.at, targets)?;
    }
    for value in enums.iter_mut().flat_map(|e| &mut e.values) {
        value.value.derive(&value.at, targets)?;
    }
    for format in formats {
        for field in &mut format.fields {
            field.bits.derive(&field.at, targets)?;
        }
        for counts in &mut format.counts {
            counts.cells.derive(&counts.at, targets)?;
        }
        for row in &mut format.rows {
            row.opcode.derive(&row.at, targets)?;
        }
        let lists = format.reads.iter_mut().map(|r| &mut r.1).chain([&mut format.bare]);
        let extends = format.extends.iter_mut().map(|e| &mut e.targets);
        let replaces = format.replaces.iter_mut().map(|r| &mut r.targets);
        for list in lists.chain(extends).chain(replaces) {
            list.extend(likes(targets, list));
        }
        for literal in &mut format.literal {
            if let Some((_, list)) = literal.split_once('@') {
                let list: Vec<String> = list.split(',').map(str::to_string).collect();
                literal.extend(likes(targets, &list).iter().map(|t| format!(",{t}")));
            }
        }
    }
    Ok(())
}

/// The targets that are like one of a list.
fn likes(targets: &[TargetRow], list: &[String]) -> Vec<String> {
    let like = |t: &&TargetRow| t.like.as_ref().is_some_and(|base| list.contains(base) && !list.contains(&t.name));
    targets.iter().filter(like).map(|t| t.name.clone()).collect()
}

impl<T: Clone> Cells<T> {
    fn derive(&mut self, at: &crate::build::error::Place, targets: &[TargetRow]) -> Result<()> {
        for t in targets {
            let base = t.like.as_ref().and_then(|b| self.columns.iter().position(|c| c == b));
            if let Some(base) = base.filter(|_| !self.columns.contains(&t.name)) {
                self.columns.push(t.name.clone());
                self.cells.push(self.cells[base].clone());
                self.only.push(self.only[base].clone());
            }
        }
        for ((column, cell), only) in self.columns.iter().zip(&mut self.cells).zip(&self.only) {
            let Some(name) = only else { continue };
            if !targets.iter().any(|t| t.has(name)) {
                return at.err(format!("no target has the trait {name}"));
            }
            if !targets.iter().any(|t| &t.name == column && t.has(name)) {
                *cell = None;
            }
        }
        Ok(())
    }
}
