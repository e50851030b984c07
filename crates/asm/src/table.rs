//! The table of symbols, with the current position of the assembler.

use std::collections::HashMap;

use super::expr::Expr;
use super::flaw::Span;
use super::target::{Os, Processor};

/// The prefix of the names of the assembler's own symbols.
pub const OWN: &str = ".amdgcn.";

/// The assembler's own symbols for runtimes other than HSA's: each name, and the part after [`OWN`] of the name that
/// the symbol has for HSA.
const OTHERS: [(&str, &str); 5] = [
    (".option.machine_version_major", "gfx_generation_number"),
    (".option.machine_version_minor", "gfx_generation_minor"),
    (".option.machine_version_stepping", "gfx_generation_stepping"),
    (".kernel.vgpr_count", "next_free_vgpr"),
    (".kernel.sgpr_count", "next_free_sgpr"),
];

pub type SymbolId = usize;

#[derive(Clone, Debug)]
pub enum Def {
    Undefined,
    Label {
        section: usize,
        offset: u64,
    },
    Variable(Expr),
    /// A variable in a workgroup's memory, which the linker places.
    Shared {
        align: u64,
    },
    /// A variable that the linker places.
    Common {
        align: u64,
    },
}

#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: String,
    pub def: Def,
    /// The place of the definition, or else of the first mention.
    pub place: Span,
    pub size: Option<(Expr, Span)>,
    /// The type, `STT_`.
    pub kind: u8,
    /// The binding, `STB_`, if a directive states it.
    pub bind: Option<u8>,
    /// The visibility, `STV_`.
    pub visibility: u8,
    /// The position among the symbols of an object; `None` for a symbol that the object does not need. See
    /// [`Table::register`].
    pub order: Option<u32>,
    /// Whether the source gives the symbol a value.
    pub is_set: bool,
    /// Whether the source may give the symbol another value later.
    pub may_change: bool,
    /// Whether a statement before the definition names the symbol. If the symbol later gets another value, that
    /// statement keeps the value of this definition.
    pub is_named_above: bool,
    /// Whether the symbol is one of the assembler's own.
    pub is_own: bool,
    /// Whether the symbol is an alias (`.weakref`). The symbol that it stands for becomes weak if the source names it
    /// only through such aliases.
    pub is_weak_name: bool,
}

#[derive(Default)]
pub struct Table {
    all: Vec<Symbol>,
    names: HashMap<String, SymbolId>,
    /// Labels that are numbers: for each number, the last label and the next one.
    numbers: HashMap<String, (Option<SymbolId>, Option<SymbolId>)>,
    /// The current section, and the offset in this section.
    pub section: usize,
    pub offset: u64,
    pub target: Option<Processor>,
    /// The number of steps of the current evaluation.
    pub steps: std::cell::Cell<u32>,
    /// Whether the source contains the name of a symbol that counts registers.
    pub counts_registers: bool,
    /// The number of symbols and sections that have a position in the order of an object.
    registered: u32,
}

impl Table {
    pub fn get(&self, id: SymbolId) -> &Symbol {
        &self.all[id]
    }

    pub fn get_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.all[id]
    }

    pub fn all(&self) -> &[Symbol] {
        &self.all
    }

    pub fn all_mut(&mut self) -> &mut [Symbol] {
        &mut self.all
    }

    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.names.get(name).copied()
    }

    fn push(&mut self, name: &str, def: Def, place: Span) -> SymbolId {
        let name = name.to_string();
        let symbol = Symbol {
            name,
            def,
            place,
            size: None,
            kind: 0,
            bind: None,
            visibility: 0,
            order: None,
            is_set: false,
            may_change: false,
            is_named_above: false,
            is_own: false,
            is_weak_name: false,
        };
        self.all.push(symbol);
        self.all.len() - 1
    }

    /// Takes the next position in the order of an object's symbols. The symbols of sections are among them.
    pub fn next_order(&mut self) -> u32 {
        self.registered += 1;
        self.registered
    }

    /// Gives a symbol the next position in the order, if it has none. A symbol gets its position when it is defined,
    /// when a value or an instruction names it, or when a directive describes it. A directive that only computes with
    /// it, such as `.if` or `.size`, gives it no position.
    pub fn register(&mut self, id: SymbolId) {
        if self.all[id].order.is_none() {
            self.all[id].order = Some(self.next_order());
        }
    }

    /// Gives the symbols of an expression positions in the order.
    pub fn register_all(&mut self, expr: &Expr) {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            match expr {
                Expr::Int(_) => {}
                Expr::Symbol(id, _) => self.register(*id),
                Expr::Unary(_, of) => open.push(of),
                Expr::Binary(_, parts, _) => open.extend([&parts.1, &parts.0]),
                Expr::Call(_, of) => open.extend(of.iter().rev()),
            }
        }
    }

    /// Returns the symbol of a name. Adds the symbol if there is none.
    pub fn id(&mut self, name: &str, place: Span) -> SymbolId {
        if let Some(id) = self.names.get(name) {
            return *id;
        }
        let own = self.own(name);
        let is_own = own.is_some();
        let id = self.push(name, own.map_or(Def::Undefined, Def::Variable), place);
        self.all[id].is_own = is_own;
        self.names.insert(name.to_string(), id);
        id
    }

    /// Returns the symbol for a name that gets a value. If the name has a value that may change, statements above keep
    /// the old value, and the name gets a new symbol if they need this.
    pub fn id_again(&mut self, name: &str, place: Span) -> SymbolId {
        let id = self.id(name, place);
        let symbol = &self.all[id];
        let (Def::Variable(value), true) = (&symbol.def, symbol.may_change || symbol.is_own || name.starts_with(OWN))
        else {
            return id;
        };
        if matches!(value, Expr::Int(_)) && !symbol.is_named_above {
            (self.all[id].def, self.all[id].order) = (Def::Undefined, None);
            return id;
        }
        let new = Symbol { def: Def::Undefined, order: None, is_named_above: false, ..symbol.clone() };
        self.all[id].name.clear();
        self.all.push(new);
        self.names.insert(name.to_string(), self.all.len() - 1);
        self.all.len() - 1
    }

    /// Simplifies the sum of a number and a symbol that has since got another value, so that the source cannot name its
    /// earlier value any more. If the earlier value is itself a sum of a symbol and a number, the result is the sum of
    /// that symbol and both numbers. So a variable that counts up from a label is never more than one step away from
    /// the label. Any other expression is returned unchanged.
    pub fn joined(&self, expr: Expr) -> Expr {
        let sum = |expr: &Expr| match expr {
            Expr::Symbol(of, None) => Some((*of, 0)),
            Expr::Binary(sign @ ("+" | "-"), parts, _) => match **parts {
                (Expr::Symbol(of, None), Expr::Int(n)) => Some((of, if *sign == "-" { n.wrapping_neg() } else { n })),
                _ => None,
            },
            _ => None,
        };
        let joined = || {
            let (of, more) = sum(&expr)?;
            let old = self.get(of);
            let Def::Variable(value) = &old.def else { return None };
            let is_unseen = old.name.is_empty() && old.bind.unwrap_or(0) == 0;
            let (base, number) = sum(value).filter(|_| is_unseen)?;
            Some((Expr::Symbol(base, None), Expr::Int(number.wrapping_add(more))))
        };
        joined().map_or(expr.clone(), |parts| Expr::Binary("+", Box::new(parts), 1))
    }

    /// The section and the offset of a label, or of a variable that is a place.
    pub fn location(&self, id: SymbolId) -> Option<(usize, u64)> {
        match &self.get(id).def {
            Def::Label { section, offset } => Some((*section, *offset)),
            Def::Variable(value) => match self.place(&self.linear(value, super::expr::TOP - 1).ok()?)? {
                (Some(section), offset) => Some((section, offset as u64)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The initial value of one of the assembler's own symbols. Their names depend on the runtime.
    fn own(&self, name: &str) -> Option<Expr> {
        let target = self.target?;
        let name = match target.os {
            Os::Hsa => name.strip_prefix(OWN)?,
            _ => OTHERS.iter().find(|(other, _)| *other == name)?.1,
        };
        let [major, minor, stepping] = self.generation()?;
        Some(Expr::Int(match name {
            "gfx_generation_number" => major,
            "gfx_generation_minor" => minor,
            "gfx_generation_stepping" => stepping,
            "next_free_vgpr" | "next_free_sgpr" => 0,
            _ => return None,
        }))
    }

    /// The three numbers in the processor's name: 9, 4 and 2 of `gfx942`.
    pub fn generation(&self) -> Option<[i64; 3]> {
        let number = self.target?.processor.name().strip_prefix("gfx")?;
        let (major, last) = number.split_at_checked(number.len().checked_sub(2)?)?;
        let digit = |n: usize| last.chars().nth(n)?.to_digit(16).map(i64::from);
        Some([major.parse().ok()?, digit(0)?, digit(1)?])
    }

    /// The symbols that count the used vector and scalar registers.
    pub fn counts(&mut self) -> [SymbolId; 2] {
        let is_hsa = self.target.is_none_or(|target| target.os == Os::Hsa);
        let names = match is_hsa {
            true => [".amdgcn.next_free_vgpr", ".amdgcn.next_free_sgpr"],
            false => [".kernel.vgpr_count", ".kernel.sgpr_count"],
        };
        names.map(|name| self.id(name, Span::default()))
    }

    /// Adds a label without a name for the current place.
    pub fn here(&mut self) -> SymbolId {
        let def = Def::Label { section: self.section, offset: self.offset };
        self.push("", def, Span::default())
    }

    /// The symbol that `1b` or `1f` means.
    pub fn numbered(&mut self, digits: &str, is_back: bool) -> Option<SymbolId> {
        let key = digits.trim_start_matches('0').to_string();
        let (last, next) = self.numbers.get(&key).copied().unwrap_or_default();
        if is_back {
            return last;
        }
        let id = match next {
            Some(id) => id,
            None => self.push("", Def::Undefined, Span::default()),
        };
        self.numbers.insert(key, (last, Some(id)));
        Some(id)
    }

    /// Defines a label that is a number.
    pub fn define_number(&mut self, digits: &str) {
        let key = digits.trim_start_matches('0').to_string();
        let here = Def::Label { section: self.section, offset: self.offset };
        let next = self.numbers.get(&key).and_then(|(_, next)| *next);
        let id = match next {
            Some(id) => {
                self.all[id].def = here;
                id
            }
            None => self.push("", here, Span::default()),
        };
        self.numbers.insert(key, (Some(id), None));
    }
}
