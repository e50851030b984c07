//! Every row of the opcode tables in AMD's manuals is a row of this library's tables, with the same number and name,
//! and vice versa. For each exception a line of `docs/manual-errata.md` says which of the two is wrong; its bytes prove
//! it, and it covers exactly as many rows as it states.
#![cfg(all(feature = "all-targets", feature = "text"))]

mod page;
mod reserved;
mod table;

use amdgpu_isa::{Opcode, Target, decode};
use page::{Kind, Line, Page, Side, are_about};
use std::collections::{BTreeMap, BTreeSet};
use table::{Op, Table, space};

/// The manuals, each with its target.
const MANUALS: &[(&str, &str, &str)] = &[
    ("vega", "gfx900", include_str!("manuals/vega.txt")),
    ("vega7", "gfx906", include_str!("manuals/vega7.txt")),
    ("cdna1", "gfx908", include_str!("manuals/cdna1.txt")),
    ("cdna2", "gfx90a", include_str!("manuals/cdna2.txt")),
    ("cdna3", "gfx942", include_str!("manuals/cdna3.txt")),
    ("cdna4", "gfx950", include_str!("manuals/cdna4.txt")),
    ("rdna1", "gfx1010", include_str!("manuals/rdna1.txt")),
    ("rdna2", "gfx1030", include_str!("manuals/rdna2.txt")),
    ("rdna3", "gfx1100", include_str!("manuals/rdna3.txt")),
    ("rdna3.5", "gfx1150", include_str!("manuals/rdna3.5.txt")),
    ("rdna4", "gfx1200", include_str!("manuals/rdna4.txt")),
    ("cdna5", "gfx1250", include_str!("manuals/cdna5.txt")),
];

/// Manuals whose targets this library does not have yet. When a target is added, its line here must be deleted; the
/// test then reports the necessary corrections of the page.
const WAITING: &[(&str, &str)] = &[];

/// Targets without a manual here.
const WITHOUT_MANUAL: &[(&str, &str)] = &[
    ("gfx600", "the Southern Islands manual is not here; tests/gcn_pages.rs holds four of its formats"),
    ("gfx700", "the Sea Islands manual is not here; tests/gcn_pages.rs holds four of its formats"),
    ("gfx803", "the Volcanic Islands manual is not here; tests/gcn_pages.rs holds four of its formats"),
    ("gfx801", "as gfx803"),
    ("gfx810", "as gfx803"),
    ("gfx904", "no manual is about it alone: it is gfx900 but for three operations, which tests/targets.rs holds"),
    ("gfx9-generic", "what all Vega have: tests/targets.rs compares it with them"),
    ("gfx9-4-generic", "what CDNA3 and CDNA4 have: tests/targets.rs compares it with them"),
    ("gfx1011", "no manual is about it alone: ADDED holds its rows"),
    ("gfx1013", "no manual is about it alone: ADDED holds its rows"),
    ("gfx1251", "as gfx1250, with more forms of the same operations"),
    ("gfx1170", "AMD has published no manual of it: tests/newer.rs holds where it differs from gfx1150"),
    ("gfx1310", "AMD has published no manual of it: tests/newer.rs holds what LLVM 24 and LLVM 23 say"),
    ("gfx12-5-generic", "what all CDNA5 have: tests/newer.rs holds what it lacks"),
];

/// Processors of RDNA1 with operations that only the manual of RDNA2 prints: each has the rows of gfx1010 and, in
/// addition, exactly the rows of gfx1030 with these names.
const ADDED: &[(&str, &[&str])] = &[
    (
        "gfx1011",
        &[
            "v_dot2c_f32_f16",
            "v_dot4c_i32_i8",
            "v_dot2_f32_f16",
            "v_dot2_i32_i16",
            "v_dot2_u32_u16",
            "v_dot4_i32_i8",
            "v_dot4_u32_u8",
            "v_dot8_i32_i4",
            "v_dot8_u32_u4",
        ],
    ),
    ("gfx1013", &["image_msaa_load", "image_bvh_intersect_ray", "image_bvh64_intersect_ray"]),
];

fn target(name: &str) -> Option<Target> {
    Target::ALL.iter().copied().find(|t| t.name() == name)
}

/// The rows of this library.
fn ours(target: Target) -> BTreeSet<Op> {
    let rows = |op: &Opcode| {
        let op = *op;
        op.encodings(target).map(move |e| {
            let name = op.mnemonic(target, e.format).unwrap_or(op.name());
            (space(e.format.name()), e.number, name)
        })
    };
    let all = Opcode::ALL.iter().flat_map(rows).filter(|op| !op.0.starts_with("VOPD"));
    all.chain(firsts_and_seconds(target)).chain(long_firsts_and_seconds(target)).collect()
}

/// The operations of VOPD. The manuals print the possible first operations in one table and the possible second ones in
/// another, and the numbers of both must be right. So these rows come from words and not from [`Opcode::encodings`],
/// which lists each operation once.
fn firsts_and_seconds(target: Target) -> Vec<Op> {
    const V_DUAL_MOV_B32: u16 = 8;
    let pair = |first: u16, second: u16| {
        let op = u32::from(first) << 22 | u32::from(second) << 17;
        // The first source of the first operation is v0, that of the second one v1, because the two must be in
        // different banks. The second sources are 0, as v_dual_mov_b32 requires. The last word is for operations with a
        // literal.
        let words = [0xc800_0100 | op, 0x0000_0101, 0];
        let inst = decode(target, &words.map(u32::to_le_bytes).concat()).ok();
        inst.filter(|inst| inst.format().name() == "VOPD")
    };
    let first = |n| Some(("VOPDX", n, pair(n, V_DUAL_MOV_B32)?.opcode().name()));
    let second = |n| Some(("VOPDY", n, pair(V_DUAL_MOV_B32, n)?.second_opcode()?.name()));
    (0..1 << 4).filter_map(first).chain((0..1 << 5).filter_map(second)).collect()
}

/// The operations of VOPD3, found like those of VOPD.
fn long_firsts_and_seconds(target: Target) -> Vec<Op> {
    const V_DUAL_MOV_B32: u16 = 8;
    let pair = |first: u16, second: u16| {
        let op = u32::from(first) << 18 | u32::from(second) << 12;
        let words = [0xcf00_0100 | op, 0x0000_0101, 0x0200_0000];
        let inst = decode(target, &words.map(u32::to_le_bytes).concat()).ok();
        inst.filter(|inst| inst.format().name() == "VOPD3")
    };
    let first = |n| Some(("VOPD3X", n, pair(n, V_DUAL_MOV_B32)?.opcode().name()));
    let second = |n| Some(("VOPD3Y", n, pair(V_DUAL_MOV_B32, n)?.second_opcode()?.name()));
    (0..1 << 6).filter_map(first).chain((0..1 << 6).filter_map(second)).collect()
}

/// A row that only the manual has, and the row that only this library has in its place.
type Difference = (Option<Op>, Option<Op>);

/// A manual, with the rows that only it or only this library has and that no line has explained yet.
struct Comparison {
    name: &'static str,
    target: Option<Target>,
    table: Table,
    ours: BTreeSet<Op>,
    theirs_alone: BTreeSet<Op>,
    ours_alone: BTreeSet<Op>,
}

impl Comparison {
    fn new(&(name, target_name, text): &(&'static str, &str, &'static str)) -> Comparison {
        let (table, target) = (Table::read(text), target(target_name));
        let theirs: BTreeSet<Op> = table.rows.keys().copied().collect();
        let ours = target.map_or_else(BTreeSet::new, ours);
        let theirs_alone = theirs.difference(&ours).copied().collect();
        let ours_alone = ours.difference(&theirs).copied().collect();
        Comparison { name, target, table, ours, theirs_alone, ours_alone }
    }

    /// Whether only this library has a row. For a target that the library lacks, every row counts that the manual
    /// lacks.
    fn is_ours_alone(&self, op: &Op) -> bool {
        if self.target.is_some() { self.ours_alone.contains(op) } else { !self.table.rows.contains_key(op) }
    }

    /// The differences that a line with these sides covers. A shift only covers rows that both sides have, the manual
    /// at one number and this library at the other.
    fn explained(&self, manual: Side, here: Side) -> Result<Vec<Difference>, String> {
        if let (Side::Shifted { to, add, from }, Side::Shifted { add: right, .. }) = (manual, here) {
            let rows = self.table.of(from).map(|(n, name)| ((to, n + add, name), (to, n + right, name)));
            let shifted = rows.filter(|(a, b)| self.theirs_alone.contains(a) && self.is_ours_alone(b));
            return Ok(shifted.map(|(a, b)| (Some(a), Some(b))).collect());
        }
        let row = |side| if let Side::Row(op) = side { Some(op) } else { None };
        let (theirs, ours) = (row(manual), row(here));
        match (theirs, ours) {
            (Some((format, number, name)), _) if !self.theirs_alone.contains(&(format, number, name)) => {
                Err(format!("{format} {number} {name} is no row that only the manual has"))
            }
            (_, Some((format, number, name))) if !self.is_ours_alone(&(format, number, name)) => {
                Err(format!("{format} {number} {name} is no row that only this library has"))
            }
            _ => Ok(vec![(theirs, ours)]),
        }
    }

    /// Removes a line's differences from the remaining ones, and checks the line. Differences of a wrong line are
    /// removed too, because they would otherwise be reported one by one.
    fn apply(&mut self, line: &Line) -> Result<(), String> {
        let Kind::Difference { manual, here, rows } = line.kind else {
            return self.target.map_or(Ok(()), |target| line.decode(target).map(drop));
        };
        let explained = self.explained(manual, here)?;
        // If the library lacks the target, it is unknown which of the shifted rows the target has.
        let waits = self.target.is_none() && matches!(manual, Side::Shifted { .. });
        for (theirs, ours) in explained.iter().filter(|_| !waits) {
            self.theirs_alone.retain(|op| Some(*op) != *theirs);
            self.ours_alone.retain(|op| Some(*op) != *ours);
        }
        if explained.len() != rows && !(waits && explained.len() > rows) {
            return Err(format!("it is about {} rows", explained.len()));
        }
        let placed = |op: Op| line.place == "-" && !self.has_format(op.0) || self.table.is_at(&op, line.place);
        if !explained.iter().all(|(theirs, ours)| theirs.or(*ours).is_some_and(placed)) {
            return Err(format!("not all of its rows are at {}", line.place));
        }
        // For a row that only this library has, the bytes are an instruction. For a row that only the manual has, they
        // show the actual meaning of its number.
        let Some(target) = self.target else { return Ok(()) };
        let found = line.decode(target)?;
        let shown = |op: Op| are_about(&found, target, op.0, op.1);
        if !explained.iter().any(|(theirs, ours)| ours.or(*theirs).is_some_and(shown)) {
            return Err("the bytes show none of its rows".into());
        }
        Ok(())
    }

    fn has_format(&self, format: &str) -> bool {
        self.table.rows.keys().any(|op| op.0 == format)
    }

    /// The line of the manual in the first table of the page.
    fn counts(&self, target_name: &str) -> Vec<String> {
        let theirs: BTreeSet<Op> = self.table.rows.keys().copied().collect();
        let known = |n: usize| if self.target.is_some() { n.to_string() } else { "-".into() };
        vec![
            self.name.into(),
            target_name.into(),
            theirs.len().to_string(),
            self.table.ruled.to_string(),
            known(self.ours.len()),
            known(theirs.intersection(&self.ours).count()),
        ]
    }
}

#[test]
fn manuals_and_tables_say_the_same_but_for_what_the_page_explains() {
    let page = Page::read().unwrap_or_else(|e| panic!("{e}"));
    let mut wrong = Vec::new();
    let mut all: BTreeMap<&str, Comparison> = MANUALS.iter().map(|m| (m.0, Comparison::new(m))).collect();
    for line in &page.lines {
        if !line.belongs() {
            wrong.push(format!("{}: it is none of what the section `{}` is about", line.at, line.section));
        }
        for name in &line.manuals {
            let Some(comparison) = all.get_mut(name) else {
                wrong.push(format!("{}: no manual is called {name}", line.at));
                continue;
            };
            if let Err(e) = comparison.apply(line) {
                wrong.push(format!("{}: {name}: {e}", line.at));
            }
        }
    }
    for (name, _, target, comparison) in MANUALS.iter().map(|m| (m.0, m.2, m.1, &all[m.0])) {
        let counts = comparison.counts(target);
        match page.counts.iter().find(|(_, cells)| cells[0] == name) {
            Some((at, cells)) if *cells != counts => wrong.push(format!("{at}: should be\n| {} |", counts.join(" | "))),
            Some(_) => {}
            None => wrong.push(format!("the page has no line | {} |", counts.join(" | "))),
        }
        if comparison.target.is_none() {
            continue;
        }
        for op @ (format, number, mnemonic) in &comparison.theirs_alone {
            let places = comparison.table.rows[op].join(" ");
            wrong.push(format!("{name}: {format} {number} {mnemonic} is in the manual ({places}) and not here"));
        }
        for (format, number, mnemonic) in &comparison.ours_alone {
            wrong.push(format!("{name}: {format} {number} {mnemonic} of {target} is not in the manual"));
        }
    }
    assert_eq!(page.counts.len(), MANUALS.len(), "a line of counts for each manual");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The tables say where each manual has the operations of a format.
#[test]
fn sources_of_formats_are_where_the_manual_has_their_operations() {
    let mut wrong = Vec::new();
    for &(name, target_name, text) in MANUALS {
        let Some(target) = target(target_name) else { continue };
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.contains(" = ")) {
            let Some((format, places)) = line.split_once(", ") else { continue };
            // The halves of dual instructions are two tables of one format.
            let format = space(format.strip_suffix(['X', 'Y']).filter(|f| f.starts_with("VOPD")).unwrap_or(format));
            for (section, number) in places.split("; ").filter_map(|place| place.split_once(" t")) {
                let number: u16 = number.split(' ').next().unwrap_or("").parse().expect("a table has a number");
                let is_there = |source: &str| {
                    let Some((place, tables)) = source.split_once(", table") else { return false };
                    let mut tables = tables.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u16>().ok());
                    let (first, last) = (tables.next(), tables.next_back());
                    // The chapter on instructions does not count as the place of a format. The rows of a section can be
                    // in one of its subsections.
                    place.ends_with(section) && (first..=last.max(first)).contains(&Some(number))
                };
                let is_chapter_of_formats = section.starts_with(chapter(name));
                let mut sources =
                    target.layouts().iter().filter(|l| space(l.format.name()) == format).map(|l| l.source());
                if is_chapter_of_formats && !sources.any(is_there) {
                    wrong.push(format!("{name}: {format} has a table {number} in {section}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The chapter on microcode formats.
fn chapter(manual: &str) -> &'static str {
    match manual {
        "cdna5" => "14.",
        "rdna3" | "rdna3.5" | "rdna4" => "15.",
        _ => "13.",
    }
}

/// Every target has either a manual here or a reason for its absence, never both.
#[test]
fn every_target_is_compared_or_has_a_reason() {
    for &(name, target_name, _) in MANUALS {
        let waiting = WAITING.iter().find(|w| w.0 == name);
        match (target(target_name), waiting) {
            (Some(_), Some((_, reason))) => panic!("{target_name} is there now: delete the line `{reason}` of WAITING"),
            (None, None) => panic!("{target_name} is gone, and {name} is compared with nothing"),
            _ => {}
        }
    }
    for (name, _) in WAITING {
        assert!(MANUALS.iter().any(|m| m.0 == *name), "no manual is called {name}");
    }
    for &target in Target::ALL {
        // Manuals do not distinguish wave sizes, and neither do words: both targets have the same rows, except that
        // VOPD needs waves of 32 lanes.
        if let Some(narrow) = target.with_wave_size(32).filter(|narrow| *narrow != target) {
            let mut rows = ours(narrow);
            rows.retain(|op| !op.0.starts_with("VOPD"));
            // LLVM 24: "instruction requires wavesize=32", for conversions with scales, lanes and transposing loads.
            if target.processor() == "gfx1310" {
                let wide = ours(target);
                assert!(rows.is_superset(&wide) && rows.len() == wide.len() + 52, "{} {}", rows.len(), wide.len());
                continue;
            }
            assert_eq!(ours(target), rows, "{target} has other rows than {narrow}");
            continue;
        }
        let manual = MANUALS.iter().any(|m| m.1 == target.name());
        let without = WITHOUT_MANUAL.iter().any(|w| w.0 == target.name());
        assert!(manual || without, "{target} is compared with no manual");
        assert!(!(manual && without), "{target} has a manual");
    }
    for (name, _) in WITHOUT_MANUAL {
        assert!(target(name).is_some(), "there is no {name}");
    }
}

#[test]
fn targets_with_added_operations_have_the_rows_of_two_manuals() {
    let rows = |name| ours(target(name).unwrap_or_else(|| panic!("there is no {name}")));
    let (first, second) = (rows("gfx1010"), rows("gfx1030"));
    for (name, added) in ADDED {
        assert!(WITHOUT_MANUAL.iter().any(|w| w.0 == *name), "{name} has a manual");
        for operation in *added {
            assert!(second.iter().any(|op| op.2 == *operation), "gfx1030 has no {operation}");
            assert!(!first.iter().any(|op| op.2 == *operation), "gfx1010 has {operation}");
        }
        let more = second.iter().filter(|op| added.contains(&op.2));
        assert_eq!(rows(name), first.iter().chain(more).copied().collect(), "{name}");
    }
}
