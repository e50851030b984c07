//! The numbers of all operations of a target, with the holes between them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use amdgpu_explain::svg::{self, BIT, MARGIN, WIDTH, escape};
use amdgpu_isa::{Format, Opcode};

use crate::isa::Target;

const CELL: u32 = 14;

pub fn draw(target: Target) -> String {
    let mut formats: BTreeMap<&str, (Format, BTreeMap<u16, &str>)> = BTreeMap::new();
    for opcode in Opcode::ALL {
        for encoding in opcode.encodings(target) {
            let name = opcode.mnemonic(target, encoding.format).unwrap_or(opcode.name());
            let (_, numbers) = formats.entry(encoding.format.name()).or_insert((encoding.format, BTreeMap::new()));
            numbers.insert(encoding.number, name);
        }
    }
    let mut body = String::new();
    let mut y = MARGIN;
    for (index, (format, numbers)) in formats.values().enumerate() {
        y = one(&mut body, index, format.name(), numbers, y) + MARGIN;
    }
    svg::page(WIDTH, y, &format!("The opcodes of {target}"), &body)
}

/// Draws the operations of a format at `y`, with a row for each 32 numbers. Returns the lower end of the drawing.
fn one(svg: &mut String, index: usize, format: &str, numbers: &BTreeMap<u16, &str>, mut y: u32) -> u32 {
    let last = numbers.keys().last().copied().unwrap_or(0);
    // Writing to a String cannot fail.
    let _ = writeln!(
        svg,
        "<text class=\"title\" x=\"{MARGIN}\" y=\"{0}\">{format}</text>\
         <text class=\"faint end\" x=\"{1}\" y=\"{0}\">{2} operations, 0 to {last}</text>",
        y + 14,
        WIDTH - MARGIN,
        numbers.len()
    );
    y += 24;
    let mut rows: Vec<u16> = numbers.keys().map(|number| number / 32).collect();
    rows.dedup();
    let mut before = None;
    for row in rows {
        // A gap shows where rows without any operation are left out.
        if before.is_some_and(|before| before + 1 != row) {
            y += CELL / 2;
        }
        before = Some(row);
        let _ = write!(
            svg,
            "<text class=\"faint small end\" x=\"{}\" y=\"{}\">{}</text>",
            MARGIN - 3,
            y + 11,
            u32::from(row) * 32
        );
        for column in 0..32 {
            let number = row * 32 + column;
            let x = MARGIN + u32::from(column) * BIT;
            let (class, title) = match numbers.get(&number) {
                Some(name) => (svg::tint(Some(index)), format!("{number} {}", escape(name))),
                None => ("none".into(), format!("{number}")),
            };
            let _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\"><title>{title}</title></rect>",
                BIT - 1,
                CELL - 1
            );
        }
        svg.push('\n');
        y += CELL;
    }
    y
}
