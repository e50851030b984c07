//! The diagram in a terminal. Each bit takes two columns, so a dword and its frame are 65 wide and fit 80.

use std::fmt::Write as _;
use std::io::{self, Write};

use amdgpu_explain::{Cell, Diagram};

use crate::out::{BOLD, DIM, NAME, Out, RED};

/// The number of columns inside the frame of a cell.
fn inside(width: u32) -> usize {
    2 * width as usize - 1
}

pub fn render(out: &mut Out<impl Write>, diagram: &Diagram) -> io::Result<()> {
    out.styled(BOLD, &diagram.title);
    out.line()?;
    out.styled(DIM, &diagram.subtitle);
    out.line()?;
    let keys = diagram.keys(|name, width| name.chars().count() <= inside(width));
    for (dword, word) in diagram.words.iter().enumerate() {
        let cells = diagram.cells(dword);
        out.line()?;
        ruler(out, dword, &cells)?;
        frame(out, &cells, ['┌', '┬', '┐'])?;
        bits(out, diagram, dword, &cells)?;
        _ = write!(out, "  {word:08x}");
        out.line()?;
        if !diagram.fields.is_empty() {
            names(out, diagram, &keys, &cells)?;
        }
        frame(out, &cells, ['└', '┴', '┘'])?;
    }
    legend(out, diagram, &keys)?;
    for (n, (about, fact)) in diagram.facts.iter().enumerate() {
        if n == 0 {
            out.line()?;
        }
        _ = write!(out, "{about:8} {fact}");
        out.line()?;
    }
    Ok(())
}

/// Writes the numbers of the first and the last bit of each cell vertically, because a bit is one column wide.
fn ruler(out: &mut Out<impl Write>, dword: usize, cells: &[Cell]) -> io::Result<()> {
    let last = 32 * dword + 31;
    for unit in [100, 10, 1].into_iter().filter(|&unit| unit <= last) {
        let mut line = String::new();
        for cell in cells {
            for bit in (cell.lsb..=cell.msb()).rev() {
                let number = bit as usize + 32 * dword;
                let shown = bit == cell.lsb || bit == cell.msb();
                _ = match shown && (number >= unit || unit == 1) {
                    true => write!(line, " {}", number / unit % 10),
                    false => write!(line, "  "),
                };
            }
        }
        out.styled(DIM, line.trim_end());
        out.line()?;
    }
    Ok(())
}

fn frame(out: &mut Out<impl Write>, cells: &[Cell], [left, middle, right]: [char; 3]) -> io::Result<()> {
    let mut line = String::from(left);
    for (i, cell) in cells.iter().enumerate() {
        if i > 0 {
            line.push(middle);
        }
        line.extend(std::iter::repeat_n('─', inside(cell.width)));
    }
    line.push(right);
    out.styled(DIM, &line);
    out.line()
}

fn bits(out: &mut Out<impl Write>, diagram: &Diagram, dword: usize, cells: &[Cell]) -> io::Result<()> {
    for cell in cells {
        out.styled(DIM, "│");
        let style = if cell.field.is_some() { BOLD } else { DIM };
        out.begin(style);
        for bit in (cell.lsb..=cell.msb()).rev() {
            out.str(if diagram.bit(dword, bit) { "1" } else { "0" });
            if bit > cell.lsb {
                out.str(" ");
            }
        }
        out.end(style);
    }
    out.styled(DIM, "│");
    Ok(())
}

fn names(out: &mut Out<impl Write>, diagram: &Diagram, keys: &[Option<char>], cells: &[Cell]) -> io::Result<()> {
    for cell in cells {
        let space = inside(cell.width);
        let field = cell.field.and_then(|i| Some((diagram.fields.get(i)?, keys.get(i).copied().flatten())));
        let name = match field {
            // A split field's name can fit in one piece and not in the other.
            Some((field, _)) if field.name.chars().count() <= space => field.name.clone(),
            Some((_, key)) => key.map_or(String::new(), String::from),
            None => String::new(),
        };
        out.styled(DIM, "│");
        out.begin(NAME);
        _ = write!(out, "{name:^space$}");
        out.end(NAME);
    }
    out.styled(DIM, "│");
    out.line()
}

fn legend(out: &mut Out<impl Write>, diagram: &Diagram, keys: &[Option<char>]) -> io::Result<()> {
    let name_width = diagram.fields.iter().map(|f| f.name.chars().count()).max().unwrap_or(0);
    let range_width = diagram.fields.iter().map(|f| Diagram::range(f).len()).max().unwrap_or(0);
    let value_width = diagram.fields.iter().map(|f| Diagram::value(f).len()).max().unwrap_or(0);
    if !diagram.fields.is_empty() {
        out.line()?;
    }
    for (field, key) in diagram.fields.iter().zip(keys) {
        _ = write!(out, "{} ", key.unwrap_or(' '));
        out.begin(NAME);
        _ = write!(out, "{:name_width$}", field.name);
        out.end(NAME);
        out.begin(DIM);
        _ = write!(out, "  {:>range_width$}", Diagram::range(field));
        out.end(DIM);
        // A value without a meaning ends the line, so it is not padded with blanks.
        _ = match field.meaning.as_str() {
            "" => write!(out, "  {}", Diagram::value(field)),
            meaning => write!(out, "  {:value_width$}  {meaning}", Diagram::value(field)),
        };
        out.line()?;
    }
    let stray = diagram.unnamed_set_bits();
    if !stray.is_empty() {
        let bits = stray.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        out.styled(RED, &format!("  set but in no field: {bits}"));
        out.line()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use amdgpu_explain::sample;

    fn text(diagram: &Diagram) -> String {
        let mut bytes = Vec::new();
        let mut out = Out::new(&mut bytes, false);
        render(&mut out, diagram).unwrap();
        out.flush().unwrap();
        drop(out);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn fits_eighty_columns_and_lines_up() {
        for diagram in (1..=5).map(sample::wide).chain([sample::vop3p()]) {
            let text = text(&diagram);
            assert!(text.lines().all(|l| l.chars().count() <= 80 && !l.ends_with(' ')), "{text}");
            let framed: Vec<_> = text.lines().filter(|l| l.starts_with(['┌', '│', '└'])).collect();
            assert_eq!(framed.len(), 4 * diagram.words.len());
            for line in framed {
                let frame = line.chars().take(65).collect::<Vec<_>>();
                assert!(matches!(frame.last(), Some('┐' | '│' | '┘')), "{line}");
            }
        }
    }

    #[test]
    fn narrow_fields_are_explained_below() {
        let text = text(&sample::vop3p());
        assert!(text.contains("│a│b│"), "{text}");
        assert!(text.contains("b op_sel_hi  14 60:59"), "{text}");
        assert!(text.contains("v_pk_fma_f16"), "{text}");
    }

    #[test]
    fn set_bits_without_a_name_are_pointed_out() {
        let mut diagram = sample::vop3p();
        diagram.fields.retain(|f| f.name != "src0");
        assert!(text(&diagram).contains("set but in no field: 32 40"));
    }
}
