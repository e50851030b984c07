//! The rules about hazards on one target, and the operations to which they apply.

use crate::build::check::hazards::{distance, matches};
use crate::build::lower::Target;
use crate::build::lower::pages::position;
use crate::build::model::error::{Result, SourceLine};
use crate::build::model::hazards::*;
use crate::build::model::*;

/// The rules of a target, and the roles of each operation in them.
pub struct HazardTables<'a> {
    pub rows: Vec<HazardRow<'a>>,
    pub classes: Vec<HazardClass>,
    /// The class of each opcode index.
    pub class_of: Vec<usize>,
    /// The sides of instructions that end rules, or after which rules begin (`then over`), each with its set of rows.
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
    /// The `HazardTables::enders` that the operation can be, as bits, without those that have no conditions, operands
    /// or `upto`: their rows are in `ends`.
    pub enders: u64,
    pub passes: (u8, u8),
    /// Properties, as `class::*` in src/table/hazards.rs.
    pub is: u8,
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
    let there = |side: &&Side| side.conditions.iter().all(|c| is_there(isa, name, c));
    for rule in &all.rules {
        let Some(text) = rule.distance.of(name) else { continue };
        if (rule.counted || rule.times.is_some()) && watched(&all.counted, name).is_none() {
            return rule.at.err(format!("no `counted` says what {name} counts"));
        }
        let distance = distance(&rule.at, text)?;
        if distance.iter().all(|d| d.1 == 0) {
            continue;
        }
        let mut mask = 0;
        for producer in rule.producer.iter().filter(there) {
            for consumer in rule.consumer.iter().filter(there) {
                mask |= 1u128.checked_shl(tables.rows.len() as u32).unwrap_or(0);
                tables.rows.push(HazardRow { rule, producer, consumer, distance });
            }
        }
        for side in rule.ends.iter().chain(&rule.then_over).filter(there) {
            match tables.enders.iter_mut().find(|(_, other)| other.says_the_same(side)) {
                Some((rows, _)) => *rows |= mask,
                None => tables.enders.push((mask, side)),
            }
        }
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
    let kinds: Vec<&str> = all.kinds.iter().fold(Vec::new(), |mut names, kind| {
        position(&mut names, kind.name.as_str());
        names
    });
    let of_kind = |name: &str| kinds.iter().position(|k| *k == name).unwrap_or(usize::MAX);
    let sides =
        |of: fn(&HazardRow<'a>) -> &'a Side| tables.rows.iter().map(|row| of_kind(&of(row).kind)).collect::<Vec<_>>();
    let (producers, consumers) = (sides(|row| row.producer), sides(|row| row.consumer));
    let then = |row: &HazardRow| row.rule.then.as_ref().map_or(usize::MAX, |kind| of_kind(kind));
    let thens: Vec<usize> = tables.rows.iter().map(then).collect();
    let enders: Vec<usize> = tables.enders.iter().map(|(_, side)| of_kind(&side.kind)).collect();
    let [valu, trans, access] = ["valu", "trans", "access"].map(of_kind);
    let counted: Vec<usize> = tables.counted.iter().map(|kind| of_kind(kind)).collect();
    let numbered = numbered(all, &kinds, name);
    for operation in &t.operations {
        let Some(operation) = operation else {
            tables.class_of.push(0);
            continue;
        };
        let def = t.formats[operation.format].def;
        let flags = &t.infos[operation.info].flags;
        let is = kinds_of(&numbered, kinds.len(), &def.name, &operation.mnemonic, flags);
        let set = |kinds: &[usize]| {
            let holds = kinds.iter().enumerate().filter(|(_, kind)| is.get(**kind) == Some(&true));
            holds.fold(0u128, |set, (n, _)| set | 1 << n)
        };
        let row = def.rows.iter().find(|r| r.mnemonic == operation.mnemonic && r.opcode.of(name).is_some());
        let mut class = HazardClass {
            produces: set(&producers),
            arms: set(&thens),
            consumes: set(&consumers),
            counted: set(&counted) as u16,
            passes: row.and_then(|row| row.passes.as_ref()?.of(name).copied()).unwrap_or((0, 0)),
            is: u8::from(is.get(valu) == Some(&true)) | u8::from(is.get(trans) == Some(&true)) << 1,
            ..HazardClass::default()
        };
        let watches = |all: &[Watched]| {
            let mut sides = watched(all, name).into_iter().flat_map(|watched| &watched.sides);
            sides.any(|side| is.get(of_kind(&side.kind)) == Some(&true))
        };
        let turns = |(_, _, side): &(SourceLine, bool, Side)| is.get(of_kind(&side.kind)) == Some(&true);
        class.is |= u8::from(is.get(access) == Some(&true)) << 7;
        class.is |= u8::from(all.expert.iter().any(turns)) << 6;
        class.is |= u8::from(watches(&all.seen)) << 3 | u8::from(watches(&all.counted)) << 4;
        class.is |= u8::from(all.nop.as_ref().is_some_and(|nop| nop.mnemonic == operation.mnemonic)) << 2;
        for (n, (rows, side)) in tables.enders.iter().enumerate().filter(|(n, _)| is.get(enders[*n]) == Some(&true)) {
            if side.conditions.is_empty() && side.operands.is_none() && side.upto.is_none() {
                class.ends |= rows;
            } else {
                class.enders |= 1 << n;
            }
        }
        tables.class_of.push(position(&mut tables.classes, class));
    }
    let too_many = tables.enders.len() > u64::BITS as usize || tables.counted.len() > u16::BITS as usize;
    if too_many || tables.classes.len() > u8::MAX.into() {
        return all.rules[0].at.err(format!("{name} has too many kinds of instructions"));
    }
    Ok(tables)
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
    /// The number of another kind.
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
