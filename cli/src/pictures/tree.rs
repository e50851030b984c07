//! The tree of generations in the table of targets, with the operations that each of them added.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use amdgpu_explain::svg::{self, MARGIN, WIDTH, escape};
use amdgpu_isa::Opcode;

use crate::isa::Target;

const ROW: u32 = 54;
const INDENT: u32 = 26;
/// The distance of the text from the left edge of the box.
const TEXT: u32 = 98;
/// The width of a character of the small font, rounded up.
const LETTER: u32 = 7;

struct Generation {
    name: &'static str,
    label: &'static str,
    parent: Option<&'static str>,
    targets: Vec<Target>,
    operations: BTreeSet<&'static str>,
}

/// The generations that have targets in this build.
fn generations() -> Vec<Generation> {
    let table = include_str!("../../../isa/targets.isa");
    let rows = || table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let generation = |row: Vec<&'static str>| {
        let (name, label) = (*row.get(1)?, *row.get(2)?);
        let parent = row.iter().position(|word| *word == "from").and_then(|at| row.get(at + 1).copied());
        let is_here = |row: &Vec<&str>| row.first() == Some(&"target") && row.get(2) == Some(&name);
        let named = |row: Vec<&str>| Target::ALL.iter().copied().find(|target| Some(&target.name()) == row.get(1));
        let targets: Vec<Target> = rows().filter(is_here).filter_map(named).collect();
        let has = |opcode: &Opcode| targets.iter().any(|target| opcode.encodings(*target).next().is_some());
        let operations = Opcode::ALL.iter().filter(|opcode| has(opcode)).map(|opcode| opcode.name()).collect();
        (!targets.is_empty()).then_some(Generation { name, label, parent, targets, operations })
    };
    rows().filter(|row| row.first() == Some(&"gen")).filter_map(generation).collect()
}

pub fn draw() -> String {
    let all = generations();
    let mut body = String::new();
    let mut y = MARGIN;
    let roots = all.iter().filter(|one| parent(&all, one).is_none());
    for root in roots {
        branch(&mut body, &all, root, 0, &mut y);
    }
    svg::page(WIDTH, y + MARGIN / 2, "The generations, and what each added", &body)
}

/// The parent of a generation, if it is drawn.
fn parent<'a>(all: &'a [Generation], of: &Generation) -> Option<&'a Generation> {
    all.iter().find(|one| Some(one.name) == of.parent)
}

/// Draws a generation and its descendants. Returns the middle of its box.
fn branch(svg: &mut String, all: &[Generation], one: &Generation, depth: u32, y: &mut u32) -> u32 {
    let (x, top) = (MARGIN + depth * INDENT, *y);
    let targets = one.targets.iter().filter(|target| target.name() == target.processor());
    let targets = targets.map(|target| target.name()).collect::<Vec<_>>().join(" ");
    let (added, dropped) = match parent(all, one) {
        None => (one.operations.clone(), BTreeSet::new()),
        Some(parent) => (&one.operations - &parent.operations, &parent.operations - &one.operations),
    };
    let change = match parent(all, one) {
        None => format!("{} operations", added.len()),
        Some(_) => format!("{} operations: {} new, {} gone", one.operations.len(), added.len(), dropped.len()),
    };
    let mut examples: Vec<&str> = added.iter().step_by(added.len().div_ceil(4).max(1)).copied().collect();
    // The line beside the box shows as many operations as fit.
    let room = (WIDTH - MARGIN).saturating_sub(x + TEXT) / LETTER;
    while examples.join(", ").len() as u32 > room {
        examples.pop();
    }
    let tint = svg::tint(Some(depth as usize));
    // Writing to a String cannot fail.
    let _ = writeln!(
        svg,
        "<rect class=\"{tint}\" x=\"{x}\" y=\"{top}\" width=\"86\" height=\"40\" rx=\"6\"/>\
         <text class=\"title mid\" x=\"{}\" y=\"{}\">{}</text>",
        x + 43,
        top + 26,
        escape(one.label)
    );
    let _ = writeln!(
        svg,
        "<text x=\"{0}\" y=\"{1}\">{targets}<tspan class=\"faint\" dx=\"12\">{change}</tspan></text>\
         <text class=\"faint small\" x=\"{0}\" y=\"{2}\">{3}</text>",
        x + TEXT,
        top + 16,
        top + 33,
        escape(&examples.join(", "))
    );
    *y += ROW;
    let middle = top + 20;
    for child in all.iter().filter(|child| child.parent == Some(one.name)) {
        let to = branch(svg, all, child, depth + 1, y);
        let from = x + INDENT / 2;
        let _ = writeln!(
            svg,
            "<path class=\"frame\" d=\"M{from}.5 {}V{to}.5H{}\"/>",
            top + 40,
            MARGIN + (depth + 1) * INDENT
        );
    }
    middle
}
