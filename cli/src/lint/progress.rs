//! A progress line, on a terminal, for checks that take longer than two seconds.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const FIRST: Duration = Duration::from_secs(2);
const NEXT: Duration = Duration::from_millis(250);

#[derive(Default)]
struct State {
    file: String,
    done: usize,
    all: usize,
    is_visible: bool,
    is_over: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// The progress line, which disappears when it is dropped.
pub struct Progress {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// A writer that removes the progress line before its output.
pub struct Hiding<W> {
    sink: W,
    shared: Arc<Shared>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn hide(&mut self) {
        if self.is_visible {
            self.is_visible = false;
            // A failure cannot be reported anywhere.
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    /// Shows the line. `seconds`: the time since the beginning.
    fn show(&mut self, seconds: u64) {
        self.is_visible = true;
        let State { file, done, all, .. } = self;
        let mut stderr = io::stderr();
        let _ = write!(stderr, "\r{file}: {done} of {all} parts checked in {seconds} s\x1b[K");
        let _ = stderr.flush();
    }
}

impl Progress {
    pub fn new() -> Progress {
        let shared = Arc::<Shared>::default();
        if !io::stderr().is_terminal() {
            return Progress { shared, thread: None };
        }
        let of = shared.clone();
        let thread = thread::spawn(move || {
            let started = Instant::now();
            let (mut state, mut pause) = (of.lock(), FIRST);
            while !state.is_over {
                let (next, time) = of.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner);
                state = next;
                if time.timed_out() && !state.is_over {
                    state.show(started.elapsed().as_secs());
                    pause = NEXT;
                }
            }
            state.hide();
        });
        Progress { shared, thread: Some(thread) }
    }

    /// Begins a file. `name` is shown as it is, so the caller has to escape it.
    pub fn file(&self, name: &str) {
        let mut state = self.shared.lock();
        (state.file, state.done, state.all) = (name.into(), 0, 0);
    }

    /// Adds work that was not known before.
    pub fn more(&self, count: usize) {
        self.shared.lock().all += count;
    }

    /// Adds work that is done.
    pub fn done(&self, count: usize) {
        self.shared.lock().done += count;
    }

    /// Writes a line to stderr in place of the progress line.
    pub fn say(&self, line: &str) {
        let mut state = self.shared.lock();
        state.hide();
        let _ = writeln!(anstream::stderr(), "{line}");
    }

    pub fn hiding<W>(&self, sink: W) -> Hiding<W> {
        Hiding { sink, shared: self.shared.clone() }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread that draws the line does not matter.
            let _ = thread.join();
        }
    }
}

impl<W: Write> Write for Hiding<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The progress line is not drawn again while the lock is held.
        let mut state = self.shared.lock();
        state.hide();
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
