//! Symbols whose values depend on themselves.

use std::collections::HashSet;

use super::assembler::Assembler;
use super::expr::Expr;
use super::flaw::Flaw;
use super::table::{Def, SymbolId, Table};

/// Steps of a walk through the values of symbols.
enum Step<'t> {
    Enter(&'t Expr),
    Leave(SymbolId),
}

impl Table {
    /// The first symbol of a cycle to which an expression leads; `None` if it leads to none. `good` are the symbols
    /// that are known to lead to no cycle.
    fn cycle(&self, expr: &Expr, good: &mut HashSet<SymbolId>) -> Option<SymbolId> {
        let (mut open, mut entered) = (vec![Step::Enter(expr)], HashSet::new());
        while let Some(step) = open.pop() {
            let expr = match step {
                Step::Enter(expr) => expr,
                Step::Leave(id) => {
                    good.insert(id);
                    continue;
                }
            };
            match expr {
                Expr::Int(_) => {}
                Expr::Unary(_, of) => open.push(Step::Enter(of)),
                Expr::Binary(_, parts, _) => open.extend([Step::Enter(&parts.1), Step::Enter(&parts.0)]),
                Expr::Call(_, of) => open.extend(of.iter().rev().map(Step::Enter)),
                Expr::Symbol(id, _) => {
                    let Def::Variable(value) = &self.get(*id).def else { continue };
                    if good.contains(id) || self.get(*id).is_weak_name {
                        continue;
                    }
                    if !entered.insert(*id) {
                        return Some(*id);
                    }
                    open.extend([Step::Leave(*id), Step::Enter(value)]);
                }
            }
        }
        None
    }
}

impl Assembler {
    /// Reports values that depend on themselves: at the first symbol of each cycle, and at each place or symbol that
    /// needs the value of such a symbol. The values then become 0, so that no other error follows.
    pub fn break_cycles(&mut self) {
        let mut good = HashSet::new();
        for section in 0..self.sections.len() {
            let mut kept = Vec::new();
            for fixup in std::mem::take(&mut self.sections[section].fixups) {
                match self.table.cycle(&fixup.expr, &mut good) {
                    Some(id) => {
                        self.break_cycle(id);
                        self.fault(Flaw::new(fixup.place, MESSAGE));
                    }
                    None => kept.push(fixup),
                }
            }
            self.sections[section].fixups = kept;
        }
        for id in 0..self.table.all().len() {
            let symbol = self.table.get(id);
            let Def::Variable(value) = &symbol.def else { continue };
            if symbol.is_weak_name {
                continue;
            }
            if let Some(first) = self.table.cycle(value, &mut good) {
                self.break_cycle(first);
                self.break_cycle(id);
            }
        }
    }

    /// Reports a symbol, and sets its value to 0, so that it is reported only once.
    fn break_cycle(&mut self, id: SymbolId) {
        let symbol = self.table.get_mut(id);
        let place = symbol.place;
        if !matches!(std::mem::replace(&mut symbol.def, Def::Variable(Expr::Int(0))), Def::Variable(Expr::Int(0))) {
            self.fault(Flaw::new(place, MESSAGE));
        }
    }
}

const MESSAGE: &str = "a symbol's value depends on itself";
