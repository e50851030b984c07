//! `batch`: a decoder at the end of a pipe, for comparison with other decoders. `asm --lines` is an assembler at the
//! end of a pipe.
//!
//! Each line of the input gets one line of output, in order:
//! ```text
//! gfx942<TAB>804180be              4<TAB>s_mov_b32 s0, ...<TAB>804180be
//! gfx942<TAB>ffffffff              ERR<TAB>the reason
//! gfx942<TAB>s_mov_b32 s0, s1      010080be
//! gfx942<TAB>s_mov_b32 s0, v1      ERR<TAB>15<TAB>the reason
//! ```
//! A malformed line is answered with `ERR` too, and does not stop the program.

mod features;

use std::io::{Read, Write};

use amdgpu_explain::hex;

use crate::error::Result;
use crate::isa::{self, Filler, Target};
use crate::lines::{self, Count};

/// Answers lines of words with texts.
pub fn run(input: impl Read, output: impl Write) -> Result<Count> {
    let mut batch = Batch::default();
    lines::answer(input, output, |line, out| batch.answer(line, out, Batch::decode))
}

/// Answers lines of texts with words. `filler`: the value for sources that an operation lacks; `None`: the usual
/// one of the processor.
pub fn assemble(input: impl Read, output: impl Write, filler: Option<Filler>) -> Result<Count> {
    let mut batch = Batch { filler, ..Batch::default() };
    lines::answer(input, output, |line, out| batch.answer(line, out, Batch::assemble))
}

/// The end of an error message: where the instruction exists, or which name or encoding was perhaps meant.
fn hint(target: Target, text: &str, error: &isa::ParseError) -> String {
    let place = if error.kind == isa::ParseErrorKind::Mnemonic { format!(" on {target}") } else { String::new() };
    match isa::Suggestion::for_error(target, text, error) {
        isa::Suggestion { elsewhere: Some(other), .. } => format!("{place}; {other} has it"),
        isa::Suggestion { nearest: Some(name), .. } => format!("{place}; {name} is similar"),
        isa::Suggestion { encodings, .. } if !encodings.is_empty() => format!("{place}; possible with{encodings}"),
        _ => place,
    }
}

/// The length of the labels at the beginning of a text.
fn labels(text: &str) -> usize {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '@');
    let mut rest = text;
    loop {
        let name = rest.trim_start();
        let after = name.trim_start_matches(is_name);
        match after.trim_start().strip_prefix(':') {
            Some(statement) if after.len() < name.len() => rest = statement,
            _ => return text.len() - rest.len(),
        }
    }
}

/// A target, and the usual filler of the processor; or the reason why the column names none.
type Named = std::result::Result<(Target, Filler), String>;

/// The state that is kept from one line to the next.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    /// The last target column and its meaning, kept because the column rarely changes.
    target: Option<(Vec<u8>, Named)>,
    /// The filler that is asked for; `None`: the usual one of the processor.
    filler: Option<Filler>,
}

impl Batch {
    /// Answers a line. Returns whether the answer is not an error.
    fn answer(
        &mut self,
        line: &[u8],
        out: &mut Vec<u8>,
        convert: impl Fn(&mut Batch, &[u8], &mut Vec<u8>) -> std::result::Result<(), String>,
    ) -> bool {
        let start = out.len();
        let decoded = convert(self, line, out);
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
        let (target, _) = self.target(target)?;
        hex::parse(digits, &mut self.bytes).map_err(|e| format!("malformed line: {e}"))?;
        let inst = isa::decode(target, &self.bytes).map_err(|e| e.to_string())?;
        // Writing to a Vec cannot fail.
        let _ = write!(out, "{}\t{inst}\t", inst.len());
        let mut again = [0; isa::MAX_BYTES];
        let length = isa::reencode(&inst, &mut again).map_err(|e| format!("decodes but does not encode: {e}"))?;
        hex::bytes(out, again.get(..length).unwrap_or(&again));
        Ok(())
    }

    fn assemble(&mut self, line: &[u8], out: &mut Vec<u8>) -> std::result::Result<(), String> {
        let tab = line.iter().position(|&b| b == b'\t').ok_or("1\tmalformed line: expected target<TAB>text")?;
        let (target, filler) = self.target(&line[..tab]).map_err(|reason| format!("1\t{reason}"))?;
        let text = std::str::from_utf8(&line[tab + 1..]).map_err(|e| format!("{}\tnot UTF-8", e.valid_up_to() + 1))?;
        let inst = isa::parse(target, text).or_else(|error| {
            let labels = if error.kind == isa::ParseErrorKind::Mnemonic { labels(text) } else { 0 };
            let (text, error) = match text.get(labels..).filter(|_| labels > 0) {
                Some(rest) => match isa::parse(target, rest) {
                    Ok(inst) => return Ok(inst),
                    Err(error) => (rest, error),
                },
                None => (text, error),
            };
            let column = labels + error.span.start as usize + 1;
            Err(format!("{column}\t{error}{}", hint(target, text, &error)))
        })?;
        let inst = inst.with_filler(self.filler.unwrap_or(filler));
        inst.words().iter().for_each(|word| hex::bytes(out, &word.to_le_bytes()));
        Ok(())
    }

    fn target(&mut self, column: &[u8]) -> Named {
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
