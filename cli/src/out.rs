//! Output: a large buffer for a writer, which is reused, and colours.

use std::fmt;
use std::io::{self, Write};
use std::ops::{Deref, DerefMut};

use anstyle::{AnsiColor, Style};

pub const RED: Style = AnsiColor::Red.on_default().bold();
pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const LABEL: Style = AnsiColor::Yellow.on_default();
pub const NAME: Style = AnsiColor::Cyan.on_default();

/// The size of the pieces in which output is written. With pieces of this size there are few system calls, and memory
/// does not grow.
const CHUNK: usize = 64 * 1024;

/// A buffer of text, with or without colours.
pub struct Text {
    pub buf: Vec<u8>,
    pub color: bool,
}

impl Text {
    pub fn str(&mut self, s: &str) {
        self.bytes(s.as_bytes());
    }

    pub fn bytes(&mut self, s: &[u8]) {
        self.buf.extend_from_slice(s);
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

    /// Ends a line.
    pub fn newline(&mut self) {
        self.buf.push(b'\n');
    }
}

/// Lets `write!` format straight into the buffer.
impl fmt::Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.str(s);
        Ok(())
    }
}

/// A buffer for a writer.
pub struct Out<W: Write> {
    text: Text,
    sink: W,
}

impl<W: Write> Out<W> {
    pub fn new(sink: W, color: bool) -> Self {
        Out { text: Text { buf: Vec::with_capacity(CHUNK + 4096), color }, sink }
    }

    /// Ends a line. Writes the buffer if it has a whole piece.
    pub fn line(&mut self) -> io::Result<()> {
        self.text.newline();
        self.write_if_full()
    }

    /// Writes the buffer if it has a whole piece.
    pub fn write_if_full(&mut self) -> io::Result<()> {
        if self.text.buf.len() >= CHUNK { self.drain() } else { Ok(()) }
    }

    /// Writes text from elsewhere after the contents of the buffer.
    pub fn append(&mut self, made: &[u8]) -> io::Result<()> {
        self.drain()?;
        self.sink.write_all(made)
    }

    fn drain(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.text.buf)?;
        self.text.buf.clear();
        Ok(())
    }

    pub fn flush(&mut self) -> io::Result<()> {
        if !self.text.buf.is_empty() {
            self.drain()?;
        }
        self.sink.flush()
    }
}

impl<W: Write> Deref for Out<W> {
    type Target = Text;

    fn deref(&self) -> &Text {
        &self.text
    }
}

impl<W: Write> DerefMut for Out<W> {
    fn deref_mut(&mut self) -> &mut Text {
        &mut self.text
    }
}
