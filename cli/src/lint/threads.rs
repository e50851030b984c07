//! Work on all cores.

use std::io;
use std::thread;

/// Does work on pieces of a list on all cores, and takes the results in the order of the list. Only a few pieces are
/// worked on at a time, so that few results are in memory.
pub fn in_order<T: Sync, R: Send>(
    list: &[T],
    work: impl Fn(&[T]) -> R + Sync,
    take: &mut dyn FnMut(R) -> io::Result<()>,
) -> io::Result<()> {
    const PIECES: usize = 8;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let piece = list.len().div_ceil(cores * PIECES).max(1);
    let work = &work;
    let pieces: Vec<&[T]> = list.chunks(piece).collect();
    for together in pieces.chunks(cores) {
        let results: Vec<R> = thread::scope(|scope| {
            let (last, others) = together.split_last().expect("a chunk is never empty");
            let started: Vec<_> = others.iter().map(|piece| scope.spawn(move || work(piece))).collect();
            let own = work(last);
            let others = started.into_iter().map(|thread| thread.join().expect("a thread that checks does not panic"));
            let mut all: Vec<R> = others.collect();
            all.push(own);
            all
        });
        results.into_iter().try_for_each(&mut *take)?;
    }
    Ok(())
}
