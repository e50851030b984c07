//! The bits of each format of a target.

use std::fmt::Write as _;

use amdgpu_explain::svg::{self, BIT, MARGIN, WIDTH, escape, fits};
use amdgpu_isa::layout::{FieldInfo, Layout};

use crate::isa::Target;

const BOX: u32 = 26;

pub fn draw(target: Target) -> String {
    let mut body = String::new();
    let mut y = MARGIN;
    for layout in target.layouts() {
        y = one(&mut body, layout, y) + MARGIN / 2;
    }
    svg::page(WIDTH, y + MARGIN / 2, &format!("The microcode formats of {target}"), &body)
}

/// The field that a bit belongs to, with its index.
fn owner(layout: &Layout, bit: u32) -> Option<(usize, &'static FieldInfo)> {
    let holds = |low: u8, width: u8| (u32::from(low)..u32::from(low) + u32::from(width)).contains(&bit);
    let fields = layout.fields.iter().enumerate().filter(|(_, field)| !field.overlay);
    fields.into_iter().find(|(_, field)| holds(field.lsb, field.width) || holds(field.hi, field.hi_width))
}

/// Draws a format at `y`. Returns the lower end of the drawing.
fn one(svg: &mut String, layout: &Layout, mut y: u32) -> u32 {
    let kind = if layout.extension { "follows other formats" } else { "" };
    // Writing to a String cannot fail.
    let _ = writeln!(
        svg,
        "<text class=\"title\" x=\"{MARGIN}\" y=\"{0}\">{1}</text><text class=\"faint end\" x=\"{2}\" y=\"{0}\">{3} bits {kind}</text>",
        y + 14,
        escape(layout.format.name()),
        WIDTH - MARGIN,
        layout.bits
    );
    y += 38;
    for dword in 0..u32::from(layout.bits) / 32 {
        let mut narrow = Vec::new();
        let mut bit = 32;
        while bit > 0 {
            let msb = bit - 1;
            let field = owner(layout, 32 * dword + msb);
            while bit > 0 && owner(layout, 32 * dword + bit - 1) == field {
                bit -= 1;
            }
            cell(svg, dword, (msb, bit), field, y, &mut narrow);
        }
        y += BOX + 4;
        if !narrow.is_empty() {
            let _ = writeln!(
                svg,
                "<text class=\"faint small\" x=\"{MARGIN}\" y=\"{}\">{}</text>",
                y + 9,
                escape(&narrow.join(", "))
            );
            y += 14;
        }
        y += 16;
    }
    y - 4
}

/// Draws the bits `msb` to `lsb` of a dword. A name that does not fit is on the line below.
fn cell(
    svg: &mut String,
    dword: u32,
    (msb, lsb): (u32, u32),
    field: Option<(usize, &FieldInfo)>,
    y: u32,
    narrow: &mut Vec<String>,
) {
    let (x, width) = (MARGIN + (31 - msb) * BIT, (msb - lsb + 1) * BIT);
    let (high, low) = (32 * dword + msb, 32 * dword + lsb);
    let place = if high == low { high.to_string() } else { format!("{high}:{low}") };
    let fixed = field.and_then(|(_, field)| Some((field.fixed?, field)));
    let name = field.map_or("", |(_, field)| field.field.name());
    let about = field.map_or("", |(_, field)| field.about());
    let class = if fixed.is_some() { "none".into() } else { svg::tint(field.map(|(index, _)| index)) };
    let _ = writeln!(
        svg,
        "<g><title>{name} {place} {}</title><rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\"/>\
         <rect class=\"frame\" x=\"{x}.5\" y=\"{y}.5\" width=\"{width}\" height=\"{BOX}\"/>",
        escape(about)
    );
    for end in if high == low { vec![low] } else { vec![high, low] } {
        let column = MARGIN + (31 - end % 32) * BIT + BIT / 2;
        let _ = write!(svg, "<text class=\"faint small mid\" x=\"{column}\" y=\"{}\">{end}</text>", y - 4);
    }
    if let Some((value, field)) = fixed {
        for bit in lsb..=msb {
            let at = 32 * dword + bit;
            let in_low = (u32::from(field.lsb)..u32::from(field.lsb) + u32::from(field.width)).contains(&at);
            let from =
                if in_low { at - u32::from(field.lsb) } else { at - u32::from(field.hi) + u32::from(field.width) };
            let column = MARGIN + (31 - bit) * BIT + BIT / 2;
            let _ = write!(svg, "<text class=\"mid\" x=\"{column}\" y=\"{}\">{}</text>", y + 18, value >> from & 1);
        }
    } else if fits(name, msb - lsb + 1) {
        let _ = write!(svg, "<text class=\"mid\" x=\"{}\" y=\"{}\">{name}</text>", x + width / 2, y + 18);
    } else {
        narrow.push(format!("{place} {name}"));
    }
    svg.push_str("</g>\n");
}
