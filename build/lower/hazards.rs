//! The rules about hazards on one target, and the operations to which they apply.

use crate::build::check::hazards::{INDEXED, distance, matches};
use crate::build::lower::pages::position;
use crate::build::lower::{Operation, Target};
use crate::build::model::error::{Result, SourceLine};
use crate::build::model::hazards::*;
use crate::build::model::*;

/// The rules of a target, and the roles of each operation in them.
pub struct HazardTables<'a> {
    pub rows: Vec<HazardRow<'a>>,
    pub classes: Vec<HazardClass>,
    /// The class of each opcode index.
    pub class_of: Vec<usize>,
    /// The sides of instructions that end rules, or after which rules begin (`then_side`), each with its set of rows.
    pub enders: Vec<(u128, &'a Side)>,
    /// The kinds of operations that `upto` names: their number after the producer decides whether a wait ends a rule.
    pub counted: Vec<&'a str>,
    /// The bits of the waiting instruction's constant that matter.
    pub nop_mask: u16,
}

impl HazardTables<'_> {
    /// The bit of a kind in sets of the kinds in `counted`.
    pub fn counted_bit(&self, kind: &str) -> u16 {
        let place = self.counted.iter().position(|name| *name == kind);
        place.and_then(|n| 1u16.checked_shl(n as u32)).unwrap_or(0)
    }
}

/// A rule for one producer and one consumer.
#[derive(PartialEq)]
pub struct HazardRow<'a> {
    pub rule: &'a HazardRule,
    pub producer: &'a Side,
    pub consumer: &'a Side,
    pub distance: [(u8, u8); 5],
}

impl HazardRow<'_> {
    /// Whether all producers of the row are equal in everything but their age, so that only the latest one matters.
    pub fn is_about_latest(&self) -> bool {
        let HazardRule { then, then_side, again, counted, registers, ends, trans, lasts, times, unit, .. } = self.rule;
        let has_more = then.is_some() || then_side.is_some() || again.is_some() || *counted;
        let is_counted = trans.is_some() || lasts.is_some() || times.is_some() || unit == "event";
        let is_ended_alone = ends.iter().any(|side| side.over || side.upto.is_some());
        let [first, others @ ..] = &self.distance;
        registers.overlap == "-"
            && registers.differs.is_none()
            && !(has_more || is_counted || is_ended_alone)
            && others.iter().all(|distance| distance == first)
    }

    /// The bits of the kinds that the row's waits count (`upto`), 0 for a missing kind; `None` for more than two kinds.
    pub fn counts(&self, tables: &HazardTables) -> Option<[u16; 2]> {
        let waits = self.rule.ends.iter().filter_map(|side| side.upto.as_ref());
        let mut kinds: Vec<u16> = waits.map(|upto| tables.counted_bit(&upto.what)).filter(|bit| *bit != 0).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.resize(kinds.len().max(2), 0);
        kinds.try_into().ok()
    }
}

impl PartialEq for HazardRule {
    fn eq(&self, other: &HazardRule) -> bool {
        self.id == other.id
    }
}

impl PartialEq for Side {
    fn eq(&self, other: &Side) -> bool {
        std::ptr::eq(self, other)
    }
}

/// Roles of operations in the rules: sets of rows.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct HazardClass {
    pub produces: u128,
    pub consumes: u128,
    pub ends: u128,
    /// The rows for which the operation has to come between producer and consumer.
    pub arms: u128,
    /// The `HazardTables::enders` that the operation can be, as bits. Enders without conditions, operands and `upto`
    /// are left out, because `ends` has their rows.
    pub enders: u64,
    pub passes: (u8, u8),
    /// Properties, as `class::*` in src/table/hazards.rs.
    pub is: u16,
    /// The kinds of the operation among `HazardTables::counted`, as bits.
    pub counted: u16,
}

/// The greatest number of rows in a set.
const ROWS: usize = u128::BITS as usize;

pub fn tables<'a>(isa: &'a Isa, t: &Target) -> Result<HazardTables<'a>> {
    let name = &t.row.name;
    let all = &isa.hazards;
    let mut tables = HazardTables {
        rows: Vec::new(),
        classes: vec![HazardClass::default()],
        class_of: Vec::new(),
        enders: Vec::new(),
        counted: Vec::new(),
        nop_mask: all.nop.as_ref().and_then(|nop| nop.bits.of(name)).map_or(0, |bits| ((1u32 << bits) - 1) as u16),
    };
    for rule in &all.rules {
        tables.add(isa, name, rule)?;
    }
    for (_, side) in &tables.enders {
        if let Some(upto) = side.upto.as_ref().filter(|upto| upto.what != "valu") {
            position(&mut tables.counted, upto.what.as_str());
        }
    }
    let is_wrong =
        |row: &&HazardRow| row.counts(&tables).is_none_or(|counts| counts != [0; 2] && row.rule.unit != "event");
    if let Some(row) = tables.rows.iter().find(is_wrong) {
        return row.rule.at.err("waits count operations for rules of the unit `event` only, and at most of two kinds");
    }
    if let Some(row) = tables.rows.get(ROWS) {
        return row.rule.at.err(format!("{name} has more than {ROWS} rows of hazards"));
    }
    let kinds = Kinds::of(all, &tables, name);
    for operation in &t.operations {
        let class = match operation {
            Some(operation) => position(&mut tables.classes, kinds.class(t, operation, &tables.enders)),
            None => 0,
        };
        tables.class_of.push(class);
    }
    let too_many = tables.enders.len() > u64::BITS as usize || tables.counted.len() > u16::BITS as usize;
    if too_many || tables.classes.len() > u8::MAX.into() {
        return all.rules[0].at.err(format!("{name} has too many kinds of instructions"));
    }
    Ok(tables)
}

impl<'a> HazardTables<'a> {
    /// Adds a row for each producer and consumer of a rule, if the target has the rule.
    fn add(&mut self, isa: &'a Isa, target: &str, rule: &'a HazardRule) -> Result<()> {
        let Some(text) = rule.distance.of(target) else { return Ok(()) };
        if (rule.counted || rule.times.is_some()) && watched(&isa.hazards.counted, target).is_none() {
            return rule.at.err(format!("no `counted` says what {target} counts"));
        }
        let distance = distance(&rule.at, text)?;
        if distance.iter().all(|d| d.1 == 0) {
            return Ok(());
        }
        let there = |side: &&Side| side.conditions.iter().all(|c| is_there(isa, target, c));
        let mut mask = 0;
        for producer in rule.producer.iter().filter(there) {
            for consumer in rule.consumer.iter().filter(there) {
                mask |= 1u128.checked_shl(self.rows.len() as u32).unwrap_or(0);
                self.rows.push(HazardRow { rule, producer, consumer, distance });
            }
        }
        for side in rule.ends.iter().chain(&rule.then_side).filter(there) {
            match self.enders.iter_mut().find(|(_, other)| other.has_same_text(side)) {
                Some((rows, _)) => *rows |= mask,
                None => self.enders.push((mask, side)),
            }
        }
        Ok(())
    }
}

/// The kinds of instructions, and their numbers in each place that can name a kind: `usize::MAX` where none is named.
struct Kinds<'a> {
    hazards: &'a Hazards,
    target: &'a str,
    names: Vec<&'a str>,
    numbered: Vec<Numbered<'a>>,
    /// The kinds of the rows' producers and consumers, and of the operations that have to come between them.
    producers: Vec<usize>,
    consumers: Vec<usize>,
    thens: Vec<usize>,
    /// The kinds of `HazardTables::enders` and `HazardTables::counted`.
    enders: Vec<usize>,
    counted: Vec<usize>,
}

impl<'a> Kinds<'a> {
    fn of(hazards: &'a Hazards, tables: &HazardTables<'a>, target: &'a str) -> Kinds<'a> {
        let names: Vec<&str> = hazards.kinds.iter().fold(Vec::new(), |mut names, kind| {
            position(&mut names, kind.name.as_str());
            names
        });
        let number = |name: &str| number_of(&names, name);
        let rows = || tables.rows.iter();
        Kinds {
            hazards,
            target,
            producers: rows().map(|row| number(&row.producer.kind)).collect(),
            consumers: rows().map(|row| number(&row.consumer.kind)).collect(),
            thens: rows().map(|row| row.rule.then.as_ref().map_or(usize::MAX, |kind| number(kind))).collect(),
            enders: tables.enders.iter().map(|(_, side)| number(&side.kind)).collect(),
            counted: tables.counted.iter().map(|kind| number(kind)).collect(),
            numbered: numbered(hazards, &names, target),
            names,
        }
    }

    /// The class of an operation.
    fn class(&self, t: &Target, operation: &Operation, enders: &[(u128, &Side)]) -> HazardClass {
        let Kinds { hazards, target, .. } = *self;
        let def = t.formats[operation.format].def;
        let flags = &t.infos[operation.info].flags;
        let is = kinds_of(&self.numbered, self.names.len(), &def.name, &operation.mnemonic, flags);
        let is_of = |kind: &str| is.get(number_of(&self.names, kind)) == Some(&true);
        let set = |kinds: &[usize]| {
            let holds = kinds.iter().enumerate().filter(|(_, kind)| is.get(**kind) == Some(&true));
            holds.fold(0u128, |set, (n, _)| set | 1 << n)
        };
        let row = def.rows.iter().find(|r| r.mnemonic == operation.mnemonic && r.opcode.of(target).is_some());
        let watches = |all: &[Watched]| {
            let mut sides = watched(all, target).into_iter().flat_map(|watched| &watched.sides);
            sides.any(|side| is_of(&side.kind))
        };
        let turns = |(_, _, side): &(SourceLine, bool, Side)| is_of(&side.kind);
        let indexes = |what: usize| hazards.indexed.iter().any(|(_, of, kind)| *of == INDEXED[what] && is_of(kind));
        let is_nop = hazards.nop.as_ref().is_some_and(|nop| nop.mnemonic == operation.mnemonic);
        let properties = [
            (1, is_of("valu")),
            (1 << 1, is_of("trans")),
            (1 << 2, is_nop),
            (1 << 3, watches(&hazards.seen)),
            (1 << 4, watches(&hazards.counted)),
            (1 << 5, indexes(0)),
            (1 << 6, hazards.expert.iter().any(turns)),
            (1 << 7, is_of("access")),
            (1 << 8, indexes(1)),
            (1 << 9, indexes(2)),
        ];
        let mut class = HazardClass {
            produces: set(&self.producers),
            arms: set(&self.thens),
            consumes: set(&self.consumers),
            counted: set(&self.counted) as u16,
            passes: row.and_then(|row| row.passes.as_ref()?.of(target).copied()).unwrap_or((0, 0)),
            is: properties.iter().filter(|(_, holds)| *holds).map(|(bit, _)| bit).sum(),
            ..HazardClass::default()
        };
        for (n, (rows, side)) in enders.iter().enumerate() {
            if is.get(self.enders[n]) != Some(&true) {
                continue;
            }
            if side.conditions.is_empty() && side.operands.is_none() && side.upto.is_none() {
                class.ends |= rows;
            } else {
                class.enders |= 1 << n;
            }
        }
        class
    }
}

/// The number of a kind, or `usize::MAX` if there is no such kind.
fn number_of(kinds: &[&str], name: &str) -> usize {
    kinds.iter().position(|kind| *kind == name).unwrap_or(usize::MAX)
}

/// Whether the target has the hardware register that the condition names, if it names one.
pub fn is_there(isa: &Isa, target: &str, condition: &Condition) -> bool {
    match condition {
        Condition::Hwreg(name, _) => hwreg(isa, target, name).is_some(),
        _ => true,
    }
}

/// The statement that holds for a target.
pub fn watched<'a>(all: &'a [Watched], target: &str) -> Option<&'a Watched> {
    all.iter().find(|watched| watched.there.of(target) == Some(&1))
}

/// The number of a hardware register.
pub fn hwreg(isa: &Isa, target: &str, name: &str) -> Option<u8> {
    let table = isa.enums.iter().find(|e| e.name == "hwreg")?;
    table.values.iter().find(|v| v.name == name)?.value.of(target)?.parse().ok()
}

/// A kind on a target: its number, and the terms that must all hold.
struct Numbered<'a> {
    number: usize,
    terms: Vec<Numbers<'a>>,
}

/// A `Term` that does not depend on the target.
enum Numbers<'a> {
    Formats(&'a [String]),
    Flag(&'a String, bool),
    /// Whether the operation is of another kind, by the kind's number (`true`), or is not (`false`).
    Is(usize, bool),
    /// Names without `*`; and the patterns with `*`, each with the part before the `*`.
    Names(Vec<&'a str>, Vec<(&'a str, &'a str)>),
}

/// The kinds of a target. A kind refers only to kinds before it.
fn numbered<'a>(all: &'a Hazards, names: &[&str], target: &str) -> Vec<Numbered<'a>> {
    let number = |name: &str| names.iter().position(|other| *other == name);
    let term = |term: &'a Term| match term {
        Term::Any | Term::Only(_) => None,
        Term::Formats(formats) => Some(Numbers::Formats(formats)),
        Term::Flag(name, wanted) => Some(Numbers::Flag(name, *wanted)),
        Term::Is(name, wanted) => Some(Numbers::Is(number(name).unwrap_or(usize::MAX), *wanted)),
        Term::Names(patterns) => {
            let (some, whole): (Vec<&str>, _) = patterns.iter().map(String::as_str).partition(|p| p.contains('*'));
            let start = |pattern: &'a str| (pattern.split('*').next().unwrap_or(pattern), pattern);
            Some(Numbers::Names(whole, some.into_iter().map(start).collect()))
        }
    };
    let is_left_out = |term: &Term| matches!(term, Term::Only(targets) if !targets.iter().any(|t| t == target));
    let kinds = all.kinds.iter().filter(|kind| !kind.terms.iter().any(is_left_out));
    let kind = |kind: &'a Kind| {
        let number = number(&kind.name).expect("it is one of the names");
        Numbered { number, terms: kind.terms.iter().filter_map(term).collect() }
    };
    kinds.map(kind).collect()
}

/// Whether an operation is of a kind, for each kind.
fn kinds_of(kinds: &[Numbered], count: usize, format: &str, mnemonic: &str, flags: &[String]) -> Vec<bool> {
    let mut is = vec![false; count];
    for Numbered { number, terms } in kinds {
        is[*number] = is[*number]
            || terms.iter().all(|term| match term {
                Numbers::Formats(formats) => formats.iter().any(|f| f == format),
                Numbers::Flag(name, wanted) => flags.contains(name) == *wanted,
                Numbers::Is(number, wanted) => (is.get(*number) == Some(&true)) == *wanted,
                Numbers::Names(whole, some) => {
                    let fits = |(start, all): &(&str, &str)| mnemonic.starts_with(start) && matches(all, mnemonic);
                    whole.contains(&mnemonic) || some.iter().any(fits)
                }
            });
    }
    is
}
