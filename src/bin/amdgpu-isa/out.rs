//! Output: one big reused buffer in front of a writer, and the colours.

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

pub const RED: Style = AnsiColor::Red.on_default().bold();
pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const LABEL: Style = AnsiColor::Yellow.on_default();
pub const NAME: Style = AnsiColor::Cyan.on_default();

/// Flushing in pieces of this size keeps the number of system calls low and the memory constant.
const CHUNK: usize = 64 * 1024;

pub struct Out<W: Write> {
    pub buf: Vec<u8>,
    color: bool,
    sink: W,
}

impl<W: Write> Out<W> {
    pub fn new(sink: W, color: bool) -> Self {
        Out { buf: Vec::with_capacity(CHUNK + 4096), color, sink }
    }

    pub fn str(&mut self, s: &str) {
        self.buf.extend_from_slice(s.as_bytes());
    }

    pub fn begin(&mut self, style: Style) {
        if self.color {
            // Writing to a Vec cannot fail.
            let _ = write!(self.buf, "{}", style.render());
        }
    }

    pub fn end(&mut self, style: Style) {
        if self.color {
            let _ = write!(self.buf, "{}", style.render_reset());
        }
    }

    pub fn styled(&mut self, style: Style, s: &str) {
        self.begin(style);
        self.str(s);
        self.end(style);
    }

    /// Ends a line; passes the buffer on when it is full enough.
    pub fn line(&mut self) -> io::Result<()> {
        self.buf.push(b'\n');
        if self.buf.len() >= CHUNK { self.drain() } else { Ok(()) }
    }

    fn drain(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.buf)?;
        self.buf.clear();
        Ok(())
    }

    pub fn flush(&mut self) -> io::Result<()> {
        if !self.buf.is_empty() {
            self.drain()?;
        }
        self.sink.flush()
    }
}

/// Lets `write!` format straight into the buffer.
impl<W: Write> fmt::Write for Out<W> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.str(s);
        Ok(())
    }
}
