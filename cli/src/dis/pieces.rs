//! Makes a section's listing in pieces on all cores, and writes the pieces in order.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, OnceLock};
use std::thread;

use crate::out::{Out, Text};

/// The number of bytes of a piece that a core holds until its turn comes. The listing of most pieces is shorter.
const HELD: usize = 4 << 20;

/// The number of cores to use. Asking the system takes longer than listing a small section, so the answer is kept.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, |n| n.get()))
}

/// The text that a core makes.
pub struct Page<'a> {
    pub text: Text,
    /// A function that waits for the turn of the piece, and writes the text.
    write: &'a dyn Fn(&[u8]) -> io::Result<()>,
}

impl Page<'_> {
    /// Writes the text if it is long. The caller calls this after each line, because a piece can have any length.
    ///
    /// # Errors
    /// The listing has ended, because the writer or another core failed; `Turn::result` has that error.
    #[inline]
    pub fn line(&mut self) -> io::Result<()> {
        if self.text.buf.len() < HELD { Ok(()) } else { self.write_if_full() }
    }

    #[cold]
    fn write_if_full(&mut self) -> io::Result<()> {
        (self.write)(&self.text.buf)?;
        self.text.buf.clear();
        Ok(())
    }
}

/// Calls `make` for the numbers below `count`, and writes the resulting texts in the order of the numbers.
///
/// Each core writes its own text when its turn comes, while the text is still in its cache. So each core has at most
/// one piece in memory, and of a long piece at most `HELD` bytes and a line.
///
/// # Errors
/// The first error of `make` or of the writer, in the order of the numbers; all text before it has been written.
pub fn in_order(
    out: &mut Out<impl Write + Send>,
    count: usize,
    make: impl Fn(usize, &mut Page<'_>) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let cores = cores().min(count);
    let color = out.color;
    let line = Line { turn: Mutex::new(Turn { number: 0, result: Ok(out) }), changed: Condvar::new() };
    let next = AtomicUsize::new(0);
    let work = || {
        let _end = End(&line);
        let mut buf = Vec::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= count {
                return;
            }
            buf.clear();
            let write = |made: &[u8]| line.write(number, Ok(made), false);
            let mut page = Page { text: Text { buf, color }, write: &write };
            let made = make(number, &mut page);
            buf = page.text.buf;
            if line.write(number, made.map(|()| &*buf), true).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        // If the system starts no more threads, the work is only slower.
        (1..cores).for_each(|_| _ = thread::Builder::new().spawn_scoped(scope, work));
        work();
    });
    // If a core had panicked, the scope would have panicked, too.
    line.turn.into_inner().map_or_else(|_| Ok(()), |turn| turn.result.map(|_| ()))
}

/// The queue in which cores wait for their turn to write.
struct Line<'a, W: Write> {
    turn: Mutex<Turn<'a, W>>,
    changed: Condvar,
}

struct Turn<'a, W: Write> {
    /// The number of the piece that is written next.
    number: usize,
    /// The output, or the error that ended it.
    result: io::Result<&'a mut Out<W>>,
}

impl<W: Write> Line<'_, W> {
    /// Writes a part of a piece in the piece's turn. The last part ends the turn.
    ///
    /// # Errors
    /// An error has ended the output: it is in `Turn::result`.
    fn write(&self, number: usize, made: io::Result<&[u8]>, is_last: bool) -> io::Result<()> {
        let over = || io::Error::other("the listing has ended");
        let turn = self.turn.lock().map_err(|_| over())?;
        let turn = self.changed.wait_while(turn, |turn| turn.number != number && turn.result.is_ok());
        let mut turn = turn.map_err(|_| over())?;
        let Ok(out) = &mut turn.result else { return Err(over()) };
        let written = made.and_then(|made| out.append(made));
        turn.number += usize::from(is_last);
        if let Err(error) = written {
            turn.result = Err(error);
        }
        self.changed.notify_all();
        turn.result.as_ref().map(|_| ()).map_err(|_| over())
    }
}

/// A guard that ends the output with an error if a core panics, so that other cores do not wait for the piece of this
/// one.
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
        in_order(&mut out, count, |number, page| {
            page.text.str(&format!("{number} "));
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

    /// Each piece is many times longer than the part that may be in memory.
    #[test]
    fn long_pieces_are_not_held() {
        struct Sink {
            longest: usize,
            all: Vec<(usize, u8)>,
        }
        impl Write for Sink {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.longest = self.longest.max(bytes.len());
                for &byte in bytes {
                    match self.all.last_mut() {
                        Some((count, last)) if *last == byte => *count += 1,
                        _ => self.all.push((1, byte)),
                    }
                }
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        const LINE: usize = HELD / 7;
        let mut sink = Sink { longest: 0, all: Vec::new() };
        let mut out = Out::new(&mut sink, false);
        in_order(&mut out, 4, |number, page| {
            (0..100).try_for_each(|_| {
                page.text.bytes(&[number as u8; LINE]);
                page.line()
            })
        })
        .unwrap();
        out.flush().unwrap();
        assert_eq!(sink.all, [0, 1, 2, 3].map(|number| (100 * LINE, number)));
        assert!(sink.longest <= HELD + LINE, "{} bytes", sink.longest);
    }

    /// An error of the writer ends a piece in its middle, and is reported.
    #[test]
    fn a_full_disk_ends_a_long_piece() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let lines = AtomicUsize::new(0);
        let result = in_order(&mut Out::new(Full, false), 1, |_, page| {
            (0..100).try_for_each(|_| {
                lines.fetch_add(1, Relaxed);
                page.text.bytes(&[0; HELD]);
                page.line()
            })
        });
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(lines.into_inner(), 1);
    }

    /// A core must not wait for ever for a piece that never comes.
    #[test]
    fn a_panic_ends_it() {
        let result = std::panic::catch_unwind(|| {
            let mut out = Out::new(Vec::new(), false);
            in_order(&mut out, 100, |number, _| if number == 3 { panic!("no") } else { Ok(()) })
        });
        assert!(result.is_err());
    }

    #[test]
    fn an_error_ends_it_after_what_came_before() {
        let mut bytes = Vec::new();
        let mut out = Out::new(&mut bytes, false);
        let result = in_order(&mut out, 100, |number, page| {
            page.text.str(&format!("{number} "));
            if number == 3 { Err(io::Error::other("no")) } else { Ok(()) }
        });
        assert_eq!(result.unwrap_err().to_string(), "no");
        out.flush().unwrap();
        assert_eq!(bytes, b"0 1 2 ");
    }
}
