//! The diagram as a picture: one self-contained SVG that suits light and dark pages.

use std::fmt::Write as _;

use crate::{Cell, Diagram};

/// The width of a bit in pixels.
pub const BIT: u32 = 27;
/// The width of the margin around a picture in pixels.
pub const MARGIN: u32 = 24;
/// The width of a picture in pixels.
pub const WIDTH: u32 = 32 * BIT + 2 * MARGIN;
const BOX: u32 = 48;
const ROW: u32 = 20;
/// The advance of one character of the monospaced font of 12 pixels, rounded up.
const CHAR: u32 = 8;

/// The hues in degrees. Neighbours differ clearly, and fields take them in turn.
const HUES: [u32; 8] = [210, 35, 140, 275, 0, 180, 55, 320];

/// The style sheet. It follows the reader's colour scheme; a renderer without media queries gets the light one.
const STYLE: &str = "
svg { --ink: #1c2430; --faint: #66707f; --card: #ffffff; --line: #c4cbd4; --none: #eef0f3 }
@media (prefers-color-scheme: dark) {
svg { --ink: #e6eaf0; --faint: #98a2b0; --card: #171b21; --line: #454d59; --none: #232932 }
}
text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1c2430; fill: var(--ink) }
.title { font-size: 16px; font-weight: bold }
.long { font-size: 12px }
.faint { fill: #66707f; fill: var(--faint) }
.small { font-size: 10px }
.mid { text-anchor: middle }
.end { text-anchor: end }
.card { fill: #ffffff; fill: var(--card) }
.none { fill: #eef0f3; fill: var(--none) }
.frame { fill: none; stroke: #c4cbd4; stroke: var(--line) }
";

/// A picture of diagrams, one below the other.
pub fn render(diagrams: &[Diagram]) -> String {
    let mut body = String::new();
    let mut y = MARGIN;
    for diagram in diagrams {
        y = one(&mut body, diagram, y) + MARGIN;
    }
    let label = diagrams.iter().map(|d| d.title.as_str()).collect::<Vec<_>>().join("; ");
    page(WIDTH, y, &label, &body)
}

/// A picture with the parts that all pictures have: the card and the colours.
pub fn page(width: u32, height: u32, label: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{}\">\n<style>{}{STYLE}</style>\n\
         <rect class=\"card\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n{body}</svg>\n",
        escape(label),
        tints()
    )
}

/// The colours of the fields: translucent, so that they suit light and dark backgrounds.
fn tints() -> String {
    HUES.iter()
        .enumerate()
        .map(|(i, hue)| format!("\n.f{i} {{ fill: hsl({hue}, 75%, 50%); fill-opacity: .26 }}"))
        .collect()
}

/// The style class of a field by its number; `None` for bits without a field.
pub fn tint(field: Option<usize>) -> String {
    field.map_or("none".into(), |i| format!("f{}", i % HUES.len()))
}

/// Draws a diagram at `y`. Returns the lower end of the drawing.
fn one(svg: &mut String, diagram: &Diagram, mut y: u32) -> u32 {
    let long = if diagram.title.chars().count() > 85 { " long" } else { "" };
    let title = escape(&diagram.title);
    let _ = writeln!(svg, "<text class=\"title{long}\" x=\"{MARGIN}\" y=\"{}\">{title}</text>", y + 14);
    let _ = writeln!(svg, "<text class=\"faint\" x=\"{MARGIN}\" y=\"{}\">{}</text>", y + 34, escape(&diagram.subtitle));
    y += 46;
    let keys = diagram.keys(fits);
    for (dword, word) in diagram.words.iter().enumerate() {
        let right = WIDTH - MARGIN;
        let _ = writeln!(
            svg,
            "<text class=\"faint small\" x=\"{MARGIN}\" y=\"{0}\">dword {dword}</text>\
             <text class=\"faint small end\" x=\"{right}\" y=\"{0}\">{word:08X}</text>",
            y + 10
        );
        y += 28;
        for cell in diagram.cells(dword) {
            draw_cell(svg, diagram, &keys, dword, &cell, y);
        }
        y += BOX + 10;
    }
    y = legend(svg, diagram, &keys, y + 6);
    let stray = diagram.unnamed_set_bits();
    if !stray.is_empty() {
        let bits = stray.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{}\">set but in no field: {bits}</text>", y + 14);
        y += ROW;
    }
    y
}

/// Whether a name fits in a cell of `bits` bits.
pub fn fits(name: &str, bits: u32) -> bool {
    name.chars().count() as u32 * CHAR <= bits * BIT - 4
}

fn draw_cell(svg: &mut String, diagram: &Diagram, keys: &[Option<char>], dword: usize, cell: &Cell, y: u32) {
    let column = |bit: u32| MARGIN + (31 - bit) * BIT;
    let (x, width) = (column(cell.msb()), cell.width * BIT);
    let class = tint(cell.field);
    let _ = writeln!(
        svg,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\"/>\
         <rect class=\"frame\" x=\"{x}.5\" y=\"{y}.5\" width=\"{width}\" height=\"{BOX}\"/>"
    );
    let first = 32 * dword as u32;
    let ends = if cell.width == 1 { vec![cell.lsb] } else { vec![cell.msb(), cell.lsb] };
    for bit in ends {
        let _ = write!(
            svg,
            "<text class=\"faint small mid\" x=\"{}\" y=\"{}\">{}</text>",
            column(bit) + BIT / 2,
            y - 4,
            first + bit
        );
    }
    if let Some((field, key)) = cell.field.and_then(|i| Some((diagram.fields.get(i)?, keys.get(i)?))) {
        let name = match key {
            _ if fits(&field.name, cell.width) => escape(&field.name),
            key => key.map_or(String::new(), String::from),
        };
        let _ = write!(svg, "<text class=\"mid\" x=\"{}\" y=\"{}\">{name}</text>", x + width / 2, y + 19);
    }
    for bit in cell.lsb..=cell.msb() {
        let digit = u8::from(diagram.bit(dword, bit));
        let faint = if digit == 0 { " faint" } else { "" };
        let _ =
            write!(svg, "<text class=\"mid{faint}\" x=\"{}\" y=\"{}\">{digit}</text>", column(bit) + BIT / 2, y + 39);
    }
    svg.push('\n');
}

/// Draws the table below the bits: every field with its bits, value and meaning.
fn legend(svg: &mut String, diagram: &Diagram, keys: &[Option<char>], mut y: u32) -> u32 {
    let width =
        |f: &dyn Fn(&crate::FieldView) -> usize| diagram.fields.iter().map(f).max().unwrap_or(0) as u32 * CHAR + 24;
    let name_x = MARGIN + 44;
    let range_x = name_x + width(&|f| f.name.chars().count());
    let value_x = range_x + width(&|f| Diagram::range(f).len());
    let meaning_x = value_x + width(&|f| Diagram::value(f).len());
    for (i, (field, key)) in diagram.fields.iter().zip(keys).enumerate() {
        let base = y + 14;
        let _ = writeln!(
            svg,
            "<rect class=\"{}\" x=\"{MARGIN}\" y=\"{}\" width=\"14\" height=\"14\" rx=\"3\"/>\
             <text class=\"mid\" x=\"{}\" y=\"{base}\">{}</text>\
             <text x=\"{name_x}\" y=\"{base}\">{}</text><text class=\"faint\" x=\"{range_x}\" y=\"{base}\">{}</text>\
             <text x=\"{value_x}\" y=\"{base}\">{}</text><text x=\"{meaning_x}\" y=\"{base}\">{}</text>",
            tint(Some(i)),
            y + 3,
            MARGIN + 28,
            key.map_or(String::new(), String::from),
            escape(&field.name),
            Diagram::range(field),
            Diagram::value(field),
            escape(&field.meaning)
        );
        y += ROW;
    }
    y
}

/// The text as XML has it, with reserved characters escaped.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML does not allow control characters, not even escaped.
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_picture_is_well_formed_and_complete() {
        let svg = render(&[sample::vop3p(), sample::wide(5)]);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("op_sel_hi:[0,1,1] &lt;&amp;&gt;"));
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        // There is a digit for each bit of the 2 + 5 dwords.
        let digits = svg.matches(">0</text>").count() + svg.matches(">1</text>").count();
        assert!(digits >= 7 * 32, "{digits}");
        assert!(!svg.contains("http://") || svg.matches("http://").count() == 1, "only the namespace");
    }
}
