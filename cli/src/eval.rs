//! `eval`: the result of an instruction for given registers.

use std::io::{self, BufWriter, Write};

use amdgpu_eval::Evaluator;
use amdgpu_eval::lines::{Line, answers};

use crate::error::Result;
use crate::lines::{self, Count, Next};

/// Answer lines of instructions and registers with the registers that the instructions write
///
/// A line is `target<TAB>hexbytes<TAB>mode<TAB>lane<TAB>inputs`: the mode as `round=ne,denorm=keep,wave=32`, `-` as the
/// lane of a scalar operation, inputs as `src0=3f800000;vdst.old=0;exec=ffffffff` by the names of fields, in
/// hexadecimal. The answer is `field=hex` for each result, or `ERR<TAB>reason`. Consecutive lines of one instruction
/// with ascending lanes are one wave. A wave is answered when it is complete, when another instruction follows, or
/// after a tenth of a second without a line.
#[derive(clap::Args)]
pub struct Args {
    /// Read lines from stdin
    #[arg(long, required = true)]
    lines: bool,
}

pub fn run(args: &Args) -> Result<Count> {
    debug_assert!(args.lines);
    let mut eval = Eval { evaluator: Evaluator::default(), wave: Vec::new(), count: Count::default() };
    let mut out = BufWriter::new(io::stdout().lock());
    lines::each(io::stdin(), |next| {
        match next {
            Next::Line(line) => eval.take(&line, &mut out)?,
            Next::TooLong => eval.refuse("the line is too long", &mut out)?,
            Next::Pause => {
                eval.answer(&mut out)?;
                out.flush()?;
            }
        }
        Ok(())
    })?;
    out.flush()?;
    Ok(eval.count)
}

/// The evaluator, and the lines of one wave, which are not answered yet.
struct Eval {
    evaluator: Evaluator,
    wave: Vec<Line>,
    count: Count,
}

impl Eval {
    fn take(&mut self, line: &[u8], out: &mut impl Write) -> io::Result<()> {
        let line = match std::str::from_utf8(line) {
            Ok(text) => Line::read(text),
            Err(_) => Err("the line is not UTF-8".into()),
        };
        let line = match line {
            Ok(line) => line,
            Err(reason) => return self.refuse(&reason, out),
        };
        if self.wave.last().is_some_and(|before| !line.continues(before)) {
            self.answer(out)?;
        }
        let waits = line.has_lane() && !line.is_last() && self.evaluator.needs_wave(&line.inst);
        self.wave.push(line);
        if waits { Ok(()) } else { self.answer(out) }
    }

    fn refuse(&mut self, reason: &str, out: &mut impl Write) -> io::Result<()> {
        self.answer(out)?;
        self.count.all += 1;
        self.count.errors += 1;
        writeln!(out, "ERR\t{reason}")
    }

    /// Answers the lines of the wave.
    fn answer(&mut self, out: &mut impl Write) -> io::Result<()> {
        for answer in answers(&mut self.evaluator, &self.wave) {
            self.count.all += 1;
            match answer {
                Ok(text) => writeln!(out, "{text}")?,
                Err(reason) => {
                    self.count.errors += 1;
                    writeln!(out, "ERR\t{reason}")?;
                }
            }
        }
        self.wave.clear();
        Ok(())
    }
}
