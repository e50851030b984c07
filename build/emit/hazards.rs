//! Writes the rules about hazards, as src/table/hazards.rs describes them.

use crate::build::check::hazards::{BEGIN, DIFFERS, FILES, MODES, OVERLAPS};
use crate::build::emit::camel;
use crate::build::lower::Target;
use crate::build::lower::hazards as lower;
use crate::build::lower::hazards::{HazardClass, HazardRow, hwreg, watched};
use crate::build::lower::pages::pages;
use crate::build::model::error::Result;
use crate::build::model::hazards::*;
use crate::build::model::*;
use crate::build::shared;
use crate::build::writer::{put, putln};

/// The rules that at least one target of the build has.
fn rules<'a>(isa: &'a Isa, targets: &[Target]) -> Vec<&'a HazardRule> {
    let has = |rule: &&HazardRule| targets.iter().any(|t| rule.distance.of(&t.row.name).is_some());
    isa.hazards.rules.iter().filter(has).collect()
}

/// Writes `HAZARD_RULES`, the texts about each rule.
pub fn rule_infos(w: &mut String, isa: &Isa, targets: &[Target]) -> Result<()> {
    let rules = rules(isa, targets);
    putln!(w, "pub(crate) static HAZARD_RULES: [RuleInfo; {}] = [", rules.len());
    for rule in rules {
        let has = |name: &str| rule.from.iter().any(|from| from == name);
        let certainty = match (has("manual"), has("llvm")) {
            (true, true) => "Agreed",
            (true, false) => "Manual",
            (false, true) => "Llvm",
            (false, false) if has("mesa") => "Mesa",
            (false, false) if has("reported") => "Reported",
            (false, false) => "Proposed",
        };
        let HazardRule { id, text, note, caution, source, .. } = rule;
        let has = |t: &&TargetRow| rule.distance.of(&t.name).is_some();
        let names: Vec<&str> = isa.targets.iter().filter(has).map(|t| t.name.as_str()).collect();
        let ends = isa.hazards.words(rule, &names)?;
        let mode = rule.when.as_ref().map_or("None".into(), |mode| format!("Some(Mode::{})", camel(mode)));
        let unit = camel(&rule.unit);
        put!(w, "RuleInfo {{ id: {id:?}, text: {text:?}, source: {source:?}, ");
        put!(w, "note: {note:?}, caution: {caution:?}, mode: {mode}, ends: {ends:?}, unit: Unit::{unit}, ");
        putln!(w, "certainty: Certainty::{certainty} }},");
    }
    putln!(w, "];");
    Ok(())
}

/// Writes `UNCHECKED`, the faults of these targets that no rule checks.
pub fn unchecked(w: &mut String, isa: &Isa, targets: &[Target]) {
    let of = |fault: &Unchecked| -> Vec<usize> {
        let has = |t: &Target| fault.there.of(&t.row.name) == Some(&1);
        targets.iter().enumerate().filter(|(_, t)| has(t)).map(|(n, _)| n).collect()
    };
    let faults: Vec<(&Unchecked, Vec<usize>)> =
        isa.hazards.unchecked.iter().map(|fault| (fault, of(fault))).filter(|(_, of)| !of.is_empty()).collect();
    putln!(w, "pub(crate) static UNCHECKED: [UncheckedInfo; {}] = [", faults.len());
    for (Unchecked { id, reason, .. }, targets) in faults {
        putln!(w, "UncheckedInfo {{ id: {id:?}, reason: {reason:?}, targets: &{targets:?} }},");
    }
    putln!(w, "];");
}

/// Writes `HazardTables` of one target.
pub fn tables(w: &mut String, isa: &Isa, targets: &[Target], t: &Target) -> Result<()> {
    let tables = lower::tables(isa, t)?;
    let rules = rules(isa, targets);
    put!(w, "pub(crate) static HAZARDS: HazardTables = HazardTables {{ rows: &[");
    for r in &tables.rows {
        let number = rules.iter().position(|rule| rule.id == r.rule.id).expect("the target has it");
        row(w, isa, t, (&tables, r), number);
    }
    put!(w, "], classes: &[");
    tables.classes.iter().for_each(|of| class(w, &tables, of));
    let (numbers, entries) = pages(&tables.class_of, <[usize]>::to_vec);
    put!(w, "], pages: &{numbers:?}, class_of: &{entries:?}, enders: &[");
    for (rows, of) in &tables.enders {
        let upto = of.upto.as_ref().map_or("None".into(), |Upto { high, low, what }| {
            let (mask, kind) = ((1u32 << (high - low + 1)) - 1, tables.counted_bit(what));
            format!("Some(Upto {{ lsb: {low}, mask: {mask:#x}, kind: {kind:#x} }})")
        });
        let (side, over, begins) = (side(isa, t, of), of.over, of.begins);
        put!(w, "Ender {{ rows: {rows:#x}, side: {side}, over: {over}, begins: {begins}, upto: {upto} }},");
    }
    let set = |of: &dyn Fn(&HazardRow) -> bool| {
        tables.rows.iter().enumerate().filter(|(_, row)| of(row)).fold(0u128, |set, (n, _)| set | 1 << n)
    };
    let events = set(&|row| row.rule.unit == "event");
    let waits = tables.enders.iter().filter(|(_, of)| of.upto.is_some());
    let waited = waits.fold(0u128, |set, (rows, _)| set | rows);
    let thens = set(&|row| row.rule.then.is_some() || row.rule.then_side.is_some());
    put!(w, "], ");
    put!(w, "directly: {:#x}, ", set(&|row| row.rule.directly));
    put!(w, "begin: {:#x}, ", set(&|row| row.producer.kind == BEGIN));
    let asking = set(&|row| row.producer.conditions.iter().any(|c| matches!(c, Condition::Seen)));
    for mode in MODES {
        put!(w, "{mode}: {:#x}, ", set(&|row| row.rule.when.as_deref() == Some(mode)));
    }
    for (name, wanted) in [("expert_on", true), ("expert_off", false)] {
        let there = |side: &&Side| side.conditions.iter().all(|c| lower::is_there(isa, &t.row.name, c));
        let sides = isa.hazards.expert.iter().filter(|(_, on, _)| *on == wanted).map(|(_, _, side)| side).filter(there);
        let sides: Vec<String> = sides.map(|of| side(isa, t, of)).collect();
        put!(w, "{name}: &[{}], ", sides.join(", "));
    }
    for (name, all) in [("seen", &isa.hazards.seen), ("counted", &isa.hazards.counted)] {
        let sides = watched(all, &t.row.name).into_iter().flat_map(|watched| &watched.sides);
        let sides: Vec<String> = sides.map(|of| side(isa, t, of)).collect();
        put!(w, "{name}: &[{}], ", sides.join(", "));
    }
    for (name, unit) in [("lasts_states", "states"), ("lasts_valu", "valu")] {
        // If a rule has two producers, the first one is further away from the consumer.
        let longest = |row: &HazardRow| {
            let most = row.distance.iter().map(|d| d.1).max().unwrap_or(0);
            if row.rule.unit == unit { most + row.rule.again.map_or(0, |n| n + 1) } else { 0 }
        };
        let mut numbers: Vec<u8> = tables.rows.iter().map(longest).chain([0]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let lasts: Vec<String> =
            numbers.iter().map(|n| format!("({n}, {:#x})", set(&|row| longest(row) > *n))).collect();
        put!(w, "{name}: &[{}], ", lasts.join(", "));
    }
    put!(w, "producers: {}, ", by_file(tables.rows.iter().map(|row| row.producer)));
    put!(w, "consumers: {}, ", by_file(tables.rows.iter().map(|row| row.consumer)));
    let how = watched(&isa.hazards.seen, &t.row.name).map_or("-", |watched| &watched.how);
    put!(w, "pairs: {}, until_written: {}, ", how == "pairs", how == "until written");
    put!(w, "again: {:#x}, asking: {asking:#x}", set(&|row| row.rule.again.is_some()));
    put!(w, ", latest: {:#x}", set(&|row| row.is_about_latest()));
    putln!(w, ", events: {events:#x}, waited: {waited:#x}, thens: {thens:#x}, nop: {:#x} }};", tables.nop_mask);
    Ok(())
}

/// Writes a `HazardRow`. `number` is the position of its rule among the rules of the build.
fn row(w: &mut String, isa: &Isa, t: &Target, (tables, row): (&lower::HazardTables, &HazardRow), number: usize) {
    let (less, most): (Vec<u8>, Vec<u8>) = row.distance.into_iter().unzip();
    let overlap = OVERLAPS.iter().position(|o| *o == row.rule.registers.overlap).unwrap_or(0);
    let overlap = ["None", "Share", "Same", "Other", "Hwreg", "Parity"][overlap];
    let differs = row.rule.registers.differs.as_deref();
    let differs = differs.and_then(|d| DIFFERS.iter().position(|o| *o == d)).map_or(0, |n| n + 1);
    let differs = DIFFER_NAMES[differs];
    let (producer, consumer) = (side(isa, t, row.producer), side(isa, t, row.consumer));
    let (unit, trans) = (camel(&row.rule.unit), row.rule.trans.unwrap_or(u8::MAX));
    let [lasts, times] = [row.rule.lasts, row.rule.times].map(|n| n.unwrap_or(u8::MAX));
    let (again, counted) = (row.rule.again, row.rule.counted);
    let field = row.rule.registers.field.as_ref().map_or("None".into(), |f| format!("Some(Field::{})", camel(f)));
    let counts = row.counts(tables).unwrap_or_default();
    put!(w, "HazardRow {{ rule: {number}, producer: {producer}, consumer: {consumer}, overlap: Overlap::{overlap}, ");
    put!(w, "differs: Differs::{differs}, unit: Unit::{unit}, trans: {trans}, lasts: {lasts}, times: {times}, ");
    put!(w, "again: {again:?}, counted: {counted}, distance: {less:?}, most: {most:?}, field: {field}, ");
    putln!(w, "counts: {counts:?} }},");
}

/// Writes a `HazardClass`.
fn class(w: &mut String, tables: &lower::HazardTables, class: &HazardClass) {
    let HazardClass { produces, consumes, ends, arms, enders, passes: (less, more), is, counted } = class;
    let own = tables.enders.iter().enumerate().filter(|(n, _)| enders >> n & 1 == 1);
    let may_end = own.fold(0u128, |all, (_, (rows, _))| all | rows);
    put!(w, "HazardClass {{ produces: {produces:#x}, consumes: {consumes:#x}, ends: {ends:#x}, arms: {arms:#x}, ");
    put!(
        w,
        "enders: {enders:#x}, may_end: {may_end:#x}, passes: [{less}, {more}], is: {is}, counted: {counted:#x} }},"
    );
}

/// The variants of `Differs` in src/table/hazards.rs: for no condition, and for each word of `DIFFERS`.
const DIFFER_NAMES: [&str; 4] = ["Nothing", "SameOp", "OtherOp", "Passes"];

/// The `ByFile` of one side of the rows, as source text.
fn by_file<'a>(sides: impl Iterator<Item = &'a Side> + Clone) -> String {
    let set = |is: &dyn Fn(&Side) -> bool| {
        sides.clone().enumerate().filter(|(_, side)| is(side)).fold(0u128, |set, (n, _)| set | 1 << n)
    };
    let any = set(&|side| side.operands.as_ref().is_none_or(|of| of.only.is_some()));
    let accesses = |is: &dyn Fn(&Operands) -> bool| {
        let of_file = |n: u8| set(&|side| side.operands.as_ref().is_some_and(|of| is(of) && files(of) >> n & 1 == 1));
        (0..8).map(|n| format!("{:#x}", of_file(n))).collect::<Vec<_>>().join(", ")
    };
    let (reads, writes) = (accesses(&|of| of.reads), accesses(&|of| of.writes));
    let conditional = set(&|side| side.conditions.iter().any(|condition| !matches!(condition, Condition::Seen)));
    let trailing = set(&|side| side.conditions.iter().any(|condition| matches!(condition, Condition::Form(_))));
    format!(
        "ByFile {{ any: {any:#x}, reads: [{reads}], writes: [{writes}], conditional: {conditional:#x}, \
         trailing: {trailing:#x} }}"
    )
}

/// The bits of the register files of operands.
fn files(of: &Operands) -> u8 {
    of.files.iter().fold(0, |set, file| set | 1 << FILES.iter().position(|f| f == file).unwrap_or(7))
}

fn side(isa: &Isa, t: &Target, side: &Side) -> String {
    let conditions = side.conditions.iter().map(|c| condition(isa, t, c));
    let conditions: Vec<String> = conditions.map(|c| format!("Condition::{c}")).collect();
    let operands = match &side.operands {
        None => "None".to_string(),
        Some(of @ Operands { reads, writes, only, fields, wider_than, narrower_than, .. }) => {
            let only = only.as_ref().map_or("None".into(), |name| match name[1..].parse::<u8>() {
                Ok(n) => format!("Some(Reg::Sgpr({n}))"),
                Err(_) => format!("Some(Reg::Special(Special::{}))", camel(name)),
            });
            let files = files(of);
            let has = |name: &str| fields.is_empty() || fields.iter().any(|f| f == name);
            let (named, implicit) = (has("*"), has("-"));
            let list: Vec<String> = fields
                .iter()
                .filter(|f| !["*", "-"].contains(&f.as_str()))
                .map(|f| format!("Field::{}", camel(f)))
                .collect();
            format!(
                "Some(Accessed {{ reads: {reads}, writes: {writes}, files: {files}, only: {only}, named: {named}, \
                 implicit: {implicit}, fields: &[{}], wider_than: {wider_than}, narrower_than: {narrower_than} }})",
                list.join(", ")
            )
        }
    };
    format!("Side {{ conditions: &[{}], operands: {operands} }}", conditions.join(", "))
}

fn condition(isa: &Isa, t: &Target, condition: &Condition) -> String {
    match condition {
        Condition::Form(name) => format!("Form(Format::{})", camel(name)),
        Condition::Flag(name) => format!("Flag({:#x})", shared::flag(name)),
        Condition::Bits(field, mask, true) => format!("AnyBit(Field::{}, {mask:#x})", camel(field)),
        Condition::Bits(field, mask, false) => format!("NoBit(Field::{}, {mask:#x})", camel(field)),
        Condition::Value(field, value, true) => format!("Is(Field::{}, {value})", camel(field)),
        Condition::Value(field, value, false) => format!("IsNot(Field::{}, {value})", camel(field)),
        Condition::NoRegister(field) => format!("NoRegister(Field::{})", camel(field)),
        Condition::Hwreg(name, bit) => {
            let number = hwreg(isa, &t.row.name, name).unwrap_or(crate::build::kind::NONE);
            format!("Hwreg({number}, {})", bit.unwrap_or(crate::build::kind::NONE))
        }
        Condition::Dwords(n) => format!("Dwords({n})"),
        Condition::Seen => "Seen".into(),
        Condition::Own => "Own".into(),
        Condition::Result => "Result".into(),
    }
}
