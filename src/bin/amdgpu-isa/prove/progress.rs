//! A progress line, if stderr is a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::out::NAME;

const WIDTH: u64 = 30;

pub struct Progress {
    what: String,
    total: u64,
    started: Instant,
    terminal: bool,
}

impl Progress {
    pub fn new(what: &str, total: u64) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        Progress { what: what.into(), total: total.max(1), started: Instant::now(), terminal }
    }

    /// Shows the progress, and pauses.
    pub fn show(&mut self, done: u64) {
        if self.terminal {
            let full = "#".repeat((WIDTH * done / self.total) as usize);
            let spent = self.started.elapsed().as_secs_f64();
            let left = if done == 0 { 0.0 } else { spent * (self.total - done) as f64 / done as f64 };
            let percent = 100 * done / self.total;
            let (on, off) = (NAME.render(), NAME.render_reset());
            let width = WIDTH as usize;
            // `anstream` omits colours where they are not wanted. A failure cannot be reported anywhere.
            let mut err = anstream::stderr();
            let _ = write!(err, "\r{} {on}[{full:.<width$}]{off} {percent:3} %, {left:.0} s left \x1b[K", self.what);
            let _ = err.flush();
        }
        // Short enough that a short run does not wait for it.
        let pause = if self.started.elapsed() < Duration::from_secs(1) { 5 } else { 200 };
        std::thread::sleep(Duration::from_millis(pause));
    }

    pub fn clear(&mut self) {
        if self.terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
