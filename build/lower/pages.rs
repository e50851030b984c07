//! Tables by opcode index, in pages, because few indices have an operation, and neighbouring entries are often equal.

pub use crate::build::shared::PAGE;

/// The index of each page, and the entries of the distinct pages. `change` removes differences that are stored
/// elsewhere, so that pages become equal.
pub fn pages<T: Clone + PartialEq>(all: &[T], change: impl Fn(&[T]) -> Vec<T>) -> (Vec<u8>, Vec<T>) {
    let mut entries: Vec<Vec<T>> = Vec::new();
    let numbers = all.chunks(PAGE).map(|page| {
        let page = change(page);
        let at = entries.iter().position(|other| *other == page).unwrap_or_else(|| {
            entries.push(page);
            entries.len() - 1
        });
        u8::try_from(at).expect("no target has so many different pages")
    });
    (numbers.collect(), entries.concat())
}

/// The position of consecutive entries in a list, and their number. Appends them if the list does not contain them.
pub fn run<T: Clone + PartialEq>(list: &mut Vec<T>, entries: &[T]) -> (usize, usize) {
    let there = list.windows(entries.len().max(1)).position(|run| run == entries);
    let first = there.unwrap_or_else(|| {
        let end = list.len();
        list.extend_from_slice(entries);
        end
    });
    (first, entries.len())
}

/// The position of an entry in a list. Appends it if the list does not contain it.
pub fn position<T: PartialEq>(list: &mut Vec<T>, entry: T) -> usize {
    list.iter().position(|other| *other == entry).unwrap_or_else(|| {
        list.push(entry);
        list.len() - 1
    })
}

/// The position of an entry as a byte. Appends it if the list does not contain it.
pub fn number<T: PartialEq>(list: &mut Vec<T>, value: T) -> u8 {
    position(list, value).min(255) as u8
}
