//! A section's listing is made in pieces, by all cores, and written in order.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::out::{Out, Text};

/// Pieces of a core that are made but not yet written. With the size of a piece it bounds the memory.
const AHEAD: usize = 4;

/// Calls `make` for the numbers below `count`, and writes what each puts down in the order of the numbers.
///
/// # Errors
/// The first of `make` or of the writer, in that order; what comes before it has been written.
pub fn in_order(
    out: &mut Out<impl Write>,
    count: usize,
    make: impl Fn(usize, &mut Text) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let cores = thread::available_parallelism().map_or(1, |n| n.get()).min(count);
    if cores <= 1 {
        return (0..count).try_for_each(|number| {
            make(number, out)?;
            out.pass()
        });
    }
    let color = out.color;
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores)
            .map(|first| {
                let (made, finished) = sync_channel(AHEAD);
                let (back, empty) = channel();
                let make = &make;
                scope.spawn(move || work((first..count).step_by(cores), color, make, &made, &empty));
                (finished, back)
            })
            .collect();
        // When this returns early, the workers find nobody to send to.
        (0..count).try_for_each(|number| take(&workers[number % cores], out))
    })
}

type Made = io::Result<Vec<u8>>;

fn take((finished, back): &(Receiver<Made>, Sender<Vec<u8>>), out: &mut Out<impl Write>) -> io::Result<()> {
    // A worker that is gone has panicked, which the scope passes on.
    let Ok(made) = finished.recv() else { return Ok(()) };
    let made = made?;
    out.append(&made)?;
    // To be filled again; the worker may have no piece left.
    let _ = back.send(made);
    Ok(())
}

fn work(
    numbers: impl Iterator<Item = usize>,
    color: bool,
    make: &(impl Fn(usize, &mut Text) -> io::Result<()> + Sync),
    made: &SyncSender<Made>,
    empty: &Receiver<Vec<u8>>,
) {
    for number in numbers {
        let mut text = Text { buf: empty.try_recv().unwrap_or_default(), color };
        text.buf.clear();
        let result = make(number, &mut text);
        if made.send(result.map(|()| text.buf)).is_err() {
            return;
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
