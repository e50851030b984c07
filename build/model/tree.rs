//! The tree of generations: resolves the tables' cells for generations to a value for each target.
//!
//! A cell such as `gfx10=43` applies to that generation and all its descendants, down to the next cell.

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::*;

/// `gen gfx10 RDNA1 from gfx9 waves=32,64`: a generation.
#[derive(Debug)]
pub struct Generation {
    pub at: SourceLine,
    pub name: String,
    /// The common name: `RDNA1`.
    pub label: String,
    pub parent: Option<String>,
    pub traits: Vec<String>,
    /// `bus=1`: the number of different scalars that a vector operation can read over the constant bus; `None` for the
    /// parent's number.
    pub bus: Option<u8>,
    /// `waves=32,64`: the numbers of lanes that a wave can have, the default first; empty for the parent's numbers.
    pub waves: Vec<u8>,
}

/// A cell, and the generation or target from which on it applies (`node`); without a node, it applies wherever the
/// format exists.
#[derive(Debug, Clone)]
pub struct Entry<T> {
    pub node: Option<String>,
    /// The value; `None` if the row does not exist from here on.
    pub value: Option<T>,
    /// `104@xnack`: targets without the trait lack the value.
    pub needs: Option<String>,
}

/// The cells of a row.
#[derive(Debug, Clone)]
pub struct Cells<T> {
    pub entries: Vec<Entry<T>>,
    /// The value on each target that has the row: filled in by `resolve`.
    targets: Vec<(String, T)>,
}

impl<T> Default for Cells<T> {
    fn default() -> Self {
        Cells::new(Vec::new())
    }
}

impl<T> Cells<T> {
    pub fn new(entries: Vec<Entry<T>>) -> Self {
        Cells { entries, targets: Vec::new() }
    }

    /// Returns cells with already resolved values of targets.
    pub fn of_targets(targets: Vec<(String, T)>) -> Self {
        Cells { entries: Vec::new(), targets }
    }

    /// Whether no cell was written, and no target has a value.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.targets.is_empty()
    }

    pub fn of(&self, target: &str) -> Option<&T> {
        self.targets.iter().find(|(name, _)| name == target).map(|(_, value)| value)
    }
}

impl<T: Clone + PartialEq> Cells<T> {
    /// Fills in the value of each target. `there` has the generations that have the row's format.
    pub fn resolve(&mut self, at: &SourceLine, isa: &Tree, there: &[Entry<()>]) -> Result<()> {
        for entry in &self.entries {
            if let Some(needs) = entry.needs.as_ref().filter(|needs| !isa.targets.iter().any(|t| t.has(needs))) {
                return at.err(format!("no target has the trait {needs}"));
            }
        }
        self.refuse_repeats(at, isa, there)?;
        let cells = &*self;
        let of = |t: &TargetRow| {
            let value = cells.at(&isa.line(t), there, |needs| t.has(needs))?;
            Some((t.name.clone(), value.clone()))
        };
        self.targets = isa.targets.iter().filter_map(of).collect();
        if self.targets.is_empty() { at.err("no target has this row") } else { Ok(()) }
    }

    /// The value of the first node in `nodes` that has a cell. Each node in the list is followed by its parent.
    fn at(&self, nodes: &[&str], there: &[Entry<()>], has: impl Fn(&str) -> bool) -> Option<&T> {
        let format = nodes.iter().find_map(|&node| there.iter().find(|e| e.node.as_deref() == Some(node)));
        if format.and_then(|format| format.needs.as_ref()).is_some_and(|needs| !has(needs)) {
            return None;
        }
        // A cell without a node applies from the first generation with the format on.
        let first = nodes.iter().rfind(|&&node| has_format(there, node) == Some(true));
        let mut began = false;
        for &node in nodes {
            let mut here = self.entries.iter().filter(|e| e.node.as_deref() == Some(node)).peekable();
            if here.peek().is_some() {
                return here.find(|e| e.needs.as_ref().is_none_or(|n| has(n))).and_then(|e| e.value.as_ref());
            }
            match has_format(there, node) {
                Some(false) if !began => return None,
                Some(true) => began = true,
                _ => {}
            }
            if first == Some(&node) {
                let mut plain = self.entries.iter().filter(|e| e.node.is_none()).peekable();
                if plain.peek().is_some() {
                    return plain.find(|e| e.needs.as_ref().is_none_or(|n| has(n))).and_then(|e| e.value.as_ref());
                }
            }
        }
        None
    }

    /// Checks that no cell repeats an inherited value, because rows only record changes.
    fn refuse_repeats(&self, at: &SourceLine, isa: &Tree, there: &[Entry<()>]) -> Result<()> {
        for entry in self.entries.iter().filter(|e| e.needs.is_none()) {
            let Some(node) = &entry.node else { continue };
            let without = Cells::new(self.entries.iter().filter(|e| e.node != entry.node).cloned().collect());
            let line = isa.line_of(node);
            // Cells with traits have no single inherited value.
            let inherited = || without.at(&line, there, |_| true);
            let traits = without.entries.iter().any(|e| e.needs.is_some());
            if !traits && inherited() == entry.value.as_ref() {
                return at.err(format!("the cell of {node} repeats the inherited value"));
            }
        }
        Ok(())
    }
}

/// Generations and targets.
pub struct Tree<'a> {
    pub generations: &'a [Generation],
    pub targets: &'a [TargetRow],
}

impl Tree<'_> {
    fn generation(&self, name: &str) -> Option<&Generation> {
        self.generations.iter().find(|g| g.name == name)
    }

    /// The target that a cell names, with the processor's default wave size.
    fn target(&self, node: &str) -> Option<&TargetRow> {
        self.targets.iter().find(|t| t.processor == node && !t.is_other_wave())
    }

    /// The target, its generation, and the generation's ancestors.
    fn line<'a>(&'a self, t: &'a TargetRow) -> Vec<&'a str> {
        let mut line = vec![t.processor.as_str()];
        line.extend(self.line_of(&t.from));
        line
    }

    fn line_of<'a>(&'a self, node: &'a str) -> Vec<&'a str> {
        if let (None, Some(t)) = (self.generation(node), self.target(node)) {
            return self.line(t);
        }
        let mut line = Vec::new();
        let mut next = self.generation(node);
        while let Some(generation) = next {
            line.push(generation.name.as_str());
            next = generation.parent.as_ref().and_then(|p| self.generation(p));
        }
        line
    }

    fn knows(&self, node: &str) -> bool {
        self.generation(node).is_some() || self.target(node).is_some()
    }

    /// The targets of a list such as `gfx6 gfx9=-`: those from gfx6 on, but before gfx9. A word can also be a trait,
    /// which stands for the targets that have it.
    pub fn targets_of(&self, at: &SourceLine, list: &[String]) -> Result<Vec<String>> {
        let is_trait = |word: &str| self.targets.iter().any(|t| t.has(word));
        if let Some(bad) = list.iter().map(|w| w.trim_end_matches("=-")).find(|w| !self.knows(w) && !is_trait(w)) {
            return at.err(format!("{bad} is not a generation or target"));
        }
        let is_there = |t: &&TargetRow| {
            let said = self.line(t).into_iter().find_map(|node| {
                let word = list.iter().find(|w| w.trim_end_matches("=-") == node)?;
                Some(!word.ends_with("=-"))
            });
            said.unwrap_or_else(|| list.iter().any(|word| t.has(word)))
        };
        Ok(self.targets.iter().filter(is_there).map(|t| t.name.clone()).collect())
    }
}

/// Whether the format begins at this node (`true`) or ends there (`false`); `None` if it does neither. A format that
/// ended can begin again at a later node, with the cells from before its end.
fn has_format(there: &[Entry<()>], node: &str) -> Option<bool> {
    there.iter().find(|e| e.node.as_deref() == Some(node)).map(|e| e.value.is_some())
}

/// Copies the common name, traits, wave sizes and the constant bus limit from generations to targets, and the names and
/// numbers of processors to the targets that they decode like. Then makes a target for each wave size.
pub fn targets(isa: &mut Isa) -> Result<()> {
    let generations = &isa.generations;
    for (n, g) in generations.iter().enumerate() {
        let Some(parent) = &g.parent else { continue };
        if !generations[..n].iter().any(|before| before.name == *parent) {
            return g.at.err(format!("{} comes from {parent}, which no line above declares", g.name));
        }
    }
    for t in &mut isa.targets {
        let Some(generation) = generations.iter().find(|g| g.name == t.from) else {
            return t.at.err(format!("{} is of {}, which is not a generation", t.name, t.from));
        };
        t.generation = generation.label.clone();
        let mut next = Some(generation);
        let mut bus = None;
        t.waves = Vec::new();
        while let Some(g) = next {
            bus = bus.or(g.bus);
            if t.waves.is_empty() {
                t.waves.clone_from(&g.waves);
            }
            t.traits.extend(g.traits.iter().filter(|x| !t.lacks.contains(x)).cloned());
            next = g.parent.as_ref().and_then(|p| generations.iter().find(|g| g.name == *p));
        }
        t.bus = match bus {
            Some(bus) => bus,
            None => return generation.at.err(format!("{} lacks bus=NUMBER", generation.name)),
        };
    }
    for p in &isa.processors {
        let Some(like) = &p.target else { continue };
        let Some(target) = isa.targets.iter_mut().find(|t| t.processor == *like) else {
            return p.at.err(format!("{} decodes like {like}, which is not a target", p.name));
        };
        target.mach.push(p.mach);
        target.aliases.extend((p.name != *like).then(|| p.name.clone()));
        target.aliases.extend(p.aliases.iter().cloned());
    }
    each_wave_size(&mut isa.targets);
    Ok(())
}

/// Splits each target into one for each size that its waves can have.
fn each_wave_size(targets: &mut Vec<TargetRow>) {
    *targets = targets
        .drain(..)
        .flat_map(|mut t| {
            t.several_waves = t.waves.len() > 1;
            let others: Vec<TargetRow> = t.waves.iter().skip(1).map(|&lanes| t.with_wave(lanes)).collect();
            t.waves.truncate(1);
            t.traits.push(format!("wave{}", t.lanes()));
            std::iter::once(t).chain(others).collect::<Vec<_>>()
        })
        .collect();
}

/// Resolves every row of every table for each target.
pub fn resolve(isa: &mut Isa) -> Result<()> {
    let Isa {
        generations,
        targets,
        codes,
        enums,
        registers,
        synonyms,
        formats,
        counters,
        events,
        waits,
        hazards,
        directives,
        kernel,
        manuals,
        ..
    } = isa;
    let tree = Tree { generations, targets };
    let everywhere: Vec<Entry<()>> = generations.iter().filter(|g| g.parent.is_none()).map(|g| on(&g.name)).collect();
    for code in codes {
        code.range.resolve(&code.at, &tree, &everywhere)?;
    }
    for row in directives {
        row.bits.resolve(&row.at, &tree, &everywhere)?;
    }
    let parts = registers.iter_mut().flat_map(|register| &mut register.parts);
    for value in enums.iter_mut().flat_map(|e| &mut e.values).chain(kernel).chain(parts) {
        value.value.resolve(&value.at, &tree, &everywhere)?;
    }
    for counter in counters {
        counter.max.resolve(&counter.at, &tree, &everywhere)?;
    }
    for event in events {
        event.raises.resolve(&event.at, &tree, &everywhere)?;
    }
    for wait in waits {
        if let Some(there) = &mut wait.there {
            there.resolve(&wait.at, &tree, &everywhere)?;
        }
    }
    hazards.resolve(&tree, &everywhere)?;
    for synonym in synonyms {
        synonym.means.resolve(&synonym.at, &tree, &everywhere)?;
    }
    let manual = |t: &TargetRow| {
        let named = |node: &String| manuals.iter().find(|(_, of, _)| of == node).map(|(_, _, name)| name);
        named(&t.processor).or_else(|| named(&t.from)).unwrap_or(&t.generation).clone()
    };
    for format in formats {
        format.resolve(&tree, &everywhere)?;
        let places = &format.source.places;
        let text = |t: &TargetRow| Some((t.name.clone(), format!("{} ISA{}", manual(t), places.of(&t.name)?)));
        format.source.places = Cells::of_targets(targets.iter().filter_map(text).collect());
    }
    Ok(())
}

fn on(node: &str) -> Entry<()> {
    Entry { node: Some(node.to_string()), value: Some(()), needs: None }
}

impl Token {
    fn resolve(&mut self, at: &SourceLine, tree: &Tree) -> Result<()> {
        let lists = match self {
            Token::Operand { kept, only, .. } => vec![kept, only],
            Token::Modifier { only, .. } => vec![only],
            _ => Vec::new(),
        };
        for list in lists.into_iter().filter(|list| !list.is_empty()) {
            *list = tree.targets_of(at, list)?;
        }
        Ok(())
    }
}

impl Format {
    fn resolve(&mut self, tree: &Tree, everywhere: &[Entry<()>]) -> Result<()> {
        let there = self.generations.clone();
        let there = if there.is_empty() { everywhere } else { &there };
        if !self.source.places.is_empty() {
            self.source.places.resolve(&self.at, tree, there)?;
        }
        for field in &mut self.fields {
            field.bits.resolve(&field.at, tree, there)?;
        }
        for counts in self.counts.iter_mut().chain(&mut self.counters) {
            counts.cells.resolve(&counts.at, tree, there)?;
        }
        for unused in &mut self.unused {
            unused.values.resolve(&unused.at, tree, there)?;
        }
        for only in &mut self.only {
            only.values.resolve(&only.at, tree, there)?;
        }
        for takes in &mut self.takes {
            takes.add.resolve(&takes.at, tree, there)?;
        }
        if let Some((at, rows)) = &mut self.counted {
            rows.resolve(at, tree, there)?;
        }
        for row in &mut self.rows {
            row.opcode.resolve(&row.at, tree, there)?;
            if let Some(passes) = &mut row.passes {
                passes.resolve(&row.at, tree, there)?;
            }
            for token in &mut row.tokens {
                token.resolve(&row.at, tree)?;
            }
        }
        for (_, tokens) in &mut self.macros {
            for token in tokens {
                token.resolve(&self.at, tree)?;
            }
        }
        for reads in self.reads.iter_mut().filter(|r| !r.1.is_empty()) {
            reads.1 = tree.targets_of(&self.at, &reads.1)?;
        }
        for e in self.extends.iter_mut().filter(|e| !e.targets.is_empty()) {
            e.targets = tree.targets_of(&e.at, &e.targets)?;
        }
        for r in self.replaces.iter_mut().filter(|r| !r.targets.is_empty()) {
            r.targets = tree.targets_of(&r.at, &r.targets)?;
        }
        // Besides generations and targets, the list contains names of extensions.
        let (nodes, mut bare): (Vec<_>, Vec<_>) =
            self.bare.drain(..).partition(|name| tree.knows(name.trim_end_matches("=-")));
        bare.extend(tree.targets_of(&self.at, &nodes)?);
        self.bare = bare;
        for literal in &mut self.literal {
            if let Some((field, list)) = literal.split_once('@') {
                let list: Vec<String> = list.split(',').map(str::to_string).collect();
                *literal = format!("{field}@{}", tree.targets_of(&self.at, &list)?.join(","));
            }
        }
        Ok(())
    }
}
