//! Answers each line of the input with a line.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::RecvTimeoutError;

use crate::error::{Error, Result};

/// The length of the longest line in bytes. Longer lines are answered with `ERR`, and need not fit in memory.
const MAX_LINE: usize = 1 << 20;
const CHUNK: usize = 64 * 1024;

/// Counts of the lines that were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub all: u64,
    /// The number of answers with `ERR`.
    pub errors: u64,
}

/// Passes each line of the input to `take`. After a pause in the input, and at its end, `take` gets `Pause`, because
/// the program that writes the input may wait for answers.
pub fn each(input: impl Read + Send + 'static, mut take: impl FnMut(Next) -> Result<()>) -> Result<()> {
    let (send, receive) = std::sync::mpsc::sync_channel(1024);
    std::thread::spawn(move || {
        let mut input = BufReader::with_capacity(CHUNK, input);
        loop {
            let mut line = Vec::new();
            let read = read_line(&mut input, &mut line);
            let next = match read {
                Ok(Line::End) => return,
                Ok(Line::Whole) => Ok(Some(line)),
                Ok(Line::TooLong) => Ok(None),
                Err(e) => Err(Error::input(format!("cannot read standard input: {e}"))),
            };
            let is_error = next.is_err();
            if send.send(next).is_err() || is_error {
                return;
            }
        }
    });
    loop {
        let next = match receive.recv_timeout(PAUSE) {
            Ok(next) => next,
            Err(RecvTimeoutError::Timeout) => {
                take(Next::Pause)?;
                match receive.recv() {
                    Ok(next) => next,
                    Err(_) => return Ok(()),
                }
            }
            Err(RecvTimeoutError::Disconnected) => return take(Next::Pause),
        };
        match next? {
            Some(line) => take(Next::Line(line))?,
            None => take(Next::TooLong)?,
        }
    }
}

/// The next part of the input.
pub enum Next {
    Line(Vec<u8>),
    TooLong,
    /// A pause in the input, or its end.
    Pause,
}

/// The time without a line that counts as a pause.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(100);

/// Calls `answer` for each line of the input. `answer` writes the answer, and returns whether it is not an error.
pub fn answer(
    input: impl Read,
    mut output: impl Write,
    mut answer: impl FnMut(&[u8], &mut Vec<u8>) -> bool,
) -> Result<Count> {
    let mut input = BufReader::with_capacity(CHUNK, input);
    let mut line = Vec::new();
    let mut out = Vec::with_capacity(2 * CHUNK);
    let mut count = Count::default();
    loop {
        // If no whole line is buffered, the next read may wait for a writer that itself waits for these answers.
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
            Line::Whole => count.errors += u64::from(!answer(&line, &mut out)),
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
