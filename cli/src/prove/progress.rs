//! A progress line, if stderr is a terminal.

use std::io::{IsTerminal, Write};
use std::time::Instant;

use amdgpu_prove::Progress;

use crate::out::NAME;

const WIDTH: u64 = 30;

/// The progress line of one pass.
pub struct Bar {
    pub started: Instant,
    is_terminal: bool,
}

impl Bar {
    pub fn new() -> Bar {
        Bar { started: Instant::now(), is_terminal: std::io::stderr().is_terminal() }
    }

    pub fn show(&self, Progress { what, done, total }: Progress<'_>) {
        if self.is_terminal {
            let total = total.max(1);
            let bar = "#".repeat((WIDTH * done / total) as usize);
            let spent = self.started.elapsed().as_secs_f64();
            let left = if done == 0 { 0.0 } else { spent * (total - done) as f64 / done as f64 };
            let percent = 100 * done / total;
            let (on, off) = (NAME.render(), NAME.render_reset());
            let width = WIDTH as usize;
            // `anstream` omits colours where they are not wanted. A failure here cannot be reported.
            let mut err = anstream::stderr();
            let _ = write!(err, "\r{what} {on}[{bar:.<width$}]{off} {percent:3} %, {left:.0} s left \x1b[K");
            let _ = err.flush();
        }
    }

    pub fn clear(&self) {
        if self.is_terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
