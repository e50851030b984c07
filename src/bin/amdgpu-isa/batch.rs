//! `batch`: a decoder on the other end of a pipe, for comparison with other decoders.
//!
//! One line in, one line out, in order:
//! ```text
//! gfx942<TAB>804180be              4<TAB>s_mov_b32 s0, ...<TAB>804180be
//! gfx942<TAB>ffffffff              ERR<TAB>the reason
//! ```
//! A malformed line is answered with `ERR` too, and does not stop the program.

mod features;

use std::io::{self, BufRead, BufReader, Read, Write};

use crate::error::{Error, Result};
use crate::hex;
use crate::isa::{self, Target};

/// Longest line in bytes. Longer ones are answered with `ERR`, and need not fit in memory.
const MAX_LINE: usize = 1 << 20;
const CHUNK: usize = 64 * 1024;

/// Counts of the lines that were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub all: u64,
    /// Those with `ERR`.
    pub errors: u64,
}

pub fn run(input: impl Read, mut output: impl Write) -> Result<Count> {
    let mut input = BufReader::with_capacity(CHUNK, input);
    let mut batch = Batch::default();
    let mut line = Vec::new();
    let mut out = Vec::with_capacity(2 * CHUNK);
    let mut count = Count::default();
    loop {
        // If no whole line is buffered, the next read may wait for a peer that itself waits for these answers.
        if out.len() >= CHUNK || !input.buffer().contains(&b'\n') {
            output.write_all(&out)?;
            output.flush()?;
            out.clear();
        }
        match read_line(&mut input, &mut line).map_err(|e| Error::input(format!("cannot read standard input: {e}")))? {
            Line::End => return Ok(count),
            Line::TooLong => {
                out.extend_from_slice(format!("ERR\tthe line is longer than {MAX_LINE} bytes").as_bytes());
                count.errors += 1;
            }
            Line::Whole => count.errors += u64::from(!batch.answer(&line, &mut out)),
        }
        count.all += 1;
        out.push(b'\n');
    }
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads a line without its end, which may be LF, CR LF, or the end of the input.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let mut too_long = false;
    let mut any = false;
    loop {
        let chunk = match input.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        any |= !chunk.is_empty();
        let newline = chunk.iter().position(|&b| b == b'\n');
        let part = chunk.get(..newline.unwrap_or(chunk.len())).unwrap_or(chunk);
        too_long |= line.len() + part.len() > MAX_LINE;
        if !too_long {
            line.extend_from_slice(part);
        }
        let (used, end) = (part.len() + usize::from(newline.is_some()), chunk.is_empty() || newline.is_some());
        input.consume(used);
        if end {
            break;
        }
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(match (any, too_long) {
        (false, _) => Line::End,
        (_, true) => Line::TooLong,
        _ => Line::Whole,
    })
}

/// State that is kept from one line to the next.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    /// The last target column and its meaning, because the column seldom changes.
    target: Option<(Vec<u8>, std::result::Result<Target, String>)>,
}

impl Batch {
    /// Whether the line holds an instruction.
    fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) -> bool {
        let start = out.len();
        let decoded = self.decode(line, out);
        if let Err(reason) = &decoded {
            out.truncate(start);
            out.extend_from_slice(b"ERR\t");
            out.extend_from_slice(reason.as_bytes());
        }
        decoded.is_ok()
    }

    fn decode(&mut self, line: &[u8], out: &mut Vec<u8>) -> std::result::Result<(), String> {
        let tab = line.iter().position(|&b| b == b'\t').ok_or("malformed line: expected target<TAB>hexbytes")?;
        let (target, digits) = (&line[..tab], &line[tab + 1..]);
        let target = self.target(target)?;
        hex::parse(digits, &mut self.bytes).map_err(|e| format!("malformed line: {e}"))?;
        let inst = isa::decode(target, &self.bytes).map_err(|e| e.to_string())?;
        // Writing to a Vec cannot fail.
        let _ = write!(out, "{}\t{inst}\t", inst.len());
        let mut again = [0; isa::MAX_BYTES];
        let length = isa::reencode(&inst, &mut again).map_err(|e| format!("decodes but does not encode: {e}"))?;
        hex::bytes(out, again.get(..length).unwrap_or(&again));
        Ok(())
    }

    fn target(&mut self, column: &[u8]) -> std::result::Result<Target, String> {
        match &self.target {
            Some((known, target)) if known == column => target.clone(),
            _ => {
                let target = features::parse(column);
                self.target = Some((column.to_vec(), target.clone()));
                target
            }
        }
    }
}
