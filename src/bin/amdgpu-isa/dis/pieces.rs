//! A section's listing is made in pieces, by all cores, and written in order.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};
use std::thread;

use crate::out::{Out, Text};

/// Calls `make` for the numbers below `count`, and writes what each puts down in the order of the numbers.
///
/// Each core writes what it has made, when it is its turn: then it is still in that core's cache. So there is never more
/// in memory than a piece for each core.
///
/// # Errors
/// The first of `make` or of the writer, in that order; what comes before it has been written.
pub fn in_order(
    out: &mut Out<impl Write + Send>,
    count: usize,
    make: impl Fn(usize, &mut Text) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let cores = thread::available_parallelism().map_or(1, |n| n.get()).min(count);
    let color = out.color;
    let line = Line { turn: Mutex::new(Turn { number: 0, result: Ok(out) }), changed: Condvar::new() };
    let next = AtomicUsize::new(0);
    let work = || {
        let _end = End(&line);
        let mut text = Text { buf: Vec::new(), color };
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= count {
                return;
            }
            text.buf.clear();
            let made = make(number, &mut text);
            if !line.write(number, made.map(|()| &*text.buf)) {
                return;
            }
        }
    };
    thread::scope(|scope| {
        (1..cores).for_each(|_| _ = scope.spawn(work));
        work();
    });
    // A core that has panicked has been passed on by now.
    line.turn.into_inner().map_or_else(|_| Ok(()), |turn| turn.result.map(|_| ()))
}

/// Where cores wait for their turn to write.
struct Line<'a, W: Write> {
    turn: Mutex<Turn<'a, W>>,
    changed: Condvar,
}

struct Turn<'a, W: Write> {
    /// The piece that is written next.
    number: usize,
    /// Where to; or why it is over.
    result: io::Result<&'a mut Out<W>>,
}

impl<W: Write> Line<'_, W> {
    /// Writes a piece in its turn, or says that none is written any more.
    fn write(&self, number: usize, made: io::Result<&[u8]>) -> bool {
        let Ok(turn) = self.turn.lock() else { return false };
        let turn = self.changed.wait_while(turn, |turn| turn.number != number && turn.result.is_ok());
        let Ok(mut turn) = turn else { return false };
        let Ok(out) = &mut turn.result else { return false };
        let written = made.and_then(|made| out.append(made));
        turn.number += 1;
        if let Err(error) = written {
            turn.result = Err(error);
        }
        self.changed.notify_all();
        turn.result.is_ok()
    }
}

/// What a core leaves behind. If it panics, the others do not wait for its piece.
struct End<'a, 'b, W: Write>(&'a Line<'b, W>);

impl<W: Write> Drop for End<'_, '_, W> {
    fn drop(&mut self) {
        if thread::panicking() {
            if let Ok(mut turn) = self.0.turn.lock() {
                turn.result = Err(io::Error::other("a piece could not be made"));
            }
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut out = Out::new(&mut bytes, false);
        out.str("first ");
        in_order(&mut out, count, |number, text| {
            text.str(&format!("{number} "));
            Ok(())
        })
        .unwrap();
        out.str("last");
        out.flush().unwrap();
        bytes
    }

    #[test]
    fn pieces_come_in_order() {
        for count in [0, 1, 2, 3, 50] {
            let numbers: String = (0..count).map(|n| format!("{n} ")).collect();
            assert_eq!(String::from_utf8(made(count)).unwrap(), format!("first {numbers}last"));
        }
    }

    /// Who waits for the piece that never comes must not wait for ever.
    #[test]
    fn a_panic_ends_it() {
        let result = std::panic::catch_unwind(|| {
            let mut out = Out::new(Vec::new(), false);
            in_order(&mut out, 100, |number, _| if number == 3 { panic!("no") } else { Ok(()) })
        });
        assert!(result.is_err());
    }

    #[test]
    fn an_error_ends_it_behind_what_came_before() {
        let mut bytes = Vec::new();
        let mut out = Out::new(&mut bytes, false);
        let result = in_order(&mut out, 100, |number, text| {
            text.str(&format!("{number} "));
            if number == 3 { Err(io::Error::other("no")) } else { Ok(()) }
        });
        assert_eq!(result.unwrap_err().to_string(), "no");
        out.flush().unwrap();
        assert_eq!(bytes, b"0 1 2 ");
    }
}
