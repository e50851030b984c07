//! Contestants, their times, and the printed table.

use std::time::Instant;

/// The result of one run.
pub struct Done {
    pub instructions: u64,
    pub bytes: u64,
}

type Run<'a> = Box<dyn FnMut() -> Done + 'a>;

struct Row<'a> {
    name: String,
    run: Run<'a>,
    seconds: Vec<f64>,
    done: Done,
}

#[derive(Default)]
pub struct Table<'a> {
    rows: Vec<Row<'a>>,
}

/// The rows with which the other rows are compared: the heading of the column, and the name of the row.
const BASES: [(&str, &str); 7] = [
    ("floor", "floor: hand-written length scan"),
    ("memcpy", "memcpy"),
    ("LLVM", "LLVM: decode + text"),
    ("llvm-mc", "llvm-mc: text to an object"),
    ("iced", "iced-x86: decode"),
    ("iced+info", "iced-x86: decode + info"),
    ("iced+text", "iced-x86: decode + fast formatter"),
];

impl<'a> Table<'a> {
    pub fn row(&mut self, name: &str, run: impl FnMut() -> Done + 'a) {
        self.rows.push(Row {
            name: name.into(),
            run: Box::new(run),
            seconds: Vec::new(),
            done: Done { instructions: 0, bytes: 0 },
        });
    }

    pub fn run(&mut self, rounds: usize) {
        // The first round warms up caches and pages, and does not count.
        for round in 0..=rounds {
            for row in &mut self.rows {
                let start = Instant::now();
                row.done = (row.run)();
                if round > 0 {
                    row.seconds.push(start.elapsed().as_secs_f64());
                }
            }
        }
        self.rows.iter_mut().for_each(|row| row.seconds.sort_by(f64::total_cmp));
    }

    pub fn print(&self) {
        println!(
            "columns on the right: nanoseconds per instruction in relation to those of the row named (memcpy: per byte)"
        );
        print!("{:36} {:>9} {:>9} {:>9}  ", "", "M inst/s", "MB/s", "ns/inst");
        BASES.iter().for_each(|(heading, _)| print!(" {heading:>9}"));
        println!();
        for row in &self.rows {
            let seconds = row.median();
            let (instructions, bytes) = (row.done.instructions as f64, row.done.bytes as f64);
            print!(
                "{:36} {:>9} {:>9}",
                row.name,
                or_dash(instructions / seconds / 1e6),
                or_dash(bytes / seconds / 1e6)
            );
            print!(" {:>9}  ", or_dash(row.per_instruction() * 1e9));
            for (_, name) in BASES {
                let base = self.rows.iter().find(|r| r.name == name);
                let ratio = base.map_or(f64::NAN, |base| match name {
                    "memcpy" => (seconds / bytes) / (base.median() / base.done.bytes as f64),
                    _ => row.per_instruction() / base.per_instruction(),
                });
                print!(" {:>9}", or_dash(ratio));
            }
            println!();
        }
        println!();
    }
}

impl Row<'_> {
    fn median(&self) -> f64 {
        self.seconds[self.seconds.len() / 2]
    }

    fn per_instruction(&self) -> f64 {
        self.median() / self.done.instructions as f64
    }
}

/// A number with about three digits; `-` for zero and for values that are not finite.
fn or_dash(x: f64) -> String {
    match x {
        _ if !x.is_finite() || x == 0.0 => "-".into(),
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 10.0 => format!("{x:.1}"),
        x if x >= 0.1 => format!("{x:.2}"),
        _ => format!("{x:.4}"),
    }
}
