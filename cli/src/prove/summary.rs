//! The table below each pass.

use std::io::{self, Write};
use std::time::Duration;

use amdgpu_prove::{REASONS, Summary};

use crate::out::{BOLD, DIM, NAME, Out, RED};

/// Writes the counts of a pass and the first `faults` faults.
pub fn write<W: Write>(summary: &Summary, out: &mut Out<W>, time: Duration, faults: usize) -> io::Result<()> {
    let Summary { target, what, tally } = summary;
    out.styled(BOLD, &format!("{target}, {what}"));
    out.str(&format!(": {} words in {:.1} s", grouped(tally.words), time.as_secs_f64()));
    out.line()?;
    let heading = REASONS.map(|reason| format!("{reason:>18}")).concat();
    out.styled(DIM, &format!("  {:<12}{:>18}{heading}", "format", "instructions"));
    out.line()?;
    let names = target.layouts().iter().map(|layout| layout.format.name()).chain(["none of them"]);
    let mut sums = [0; 5];
    for (name, row) in names.zip(&tally.rows) {
        let [a, b, c, d] = row.refused;
        let cells = [row.instructions, a, b, c, d];
        sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
        if cells != [0; 5] {
            line(out, name, cells)?;
        }
    }
    line(out, "all", sums)?;
    out.str(&format!("  {} decoded with all fillings, {} printed; ", grouped(tally.decoded), grouped(tally.texts)));
    match tally.faults {
        0 => out.str("no fault"),
        n => out.styled(RED, &format!("{} faults, such as", grouped(n))),
    }
    out.line()?;
    out.str(&tally.lines(*target, faults));
    Ok(())
}

fn line<W: Write>(out: &mut Out<W>, name: &str, cells: [u64; 5]) -> io::Result<()> {
    out.str("  ");
    out.styled(NAME, &format!("{name:<12}"));
    for cell in cells {
        out.str(&format!("{:>18}", if cell == 0 { "-".into() } else { grouped(cell) }));
    }
    out.line()
}

/// A number with commas: 4294967296 becomes 4,294,967,296.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
