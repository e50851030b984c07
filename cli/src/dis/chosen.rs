//! `--kernel`: the code with a certain name.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::escape;
use amdgpu_object::{Section, SymbolKind};

/// The parts of a section that have the name. Each ends after the size of its symbol, or at the next function. If parts
/// overlap, only the first one is taken, so that a file cannot make the listing repeat its code.
pub fn parts<'a>(section: &Section<'a>, name: &str) -> Vec<Section<'a>> {
    let symbols = &section.symbols;
    let (mut parts, mut shown) = (Vec::new(), section.address);
    for (symbol, range) in section.extents().filter(|(symbol, _)| escape::name(symbol.name.as_bytes()) == name) {
        let range = range.filter(|_| symbol.address >= shown);
        let Some(bytes) = range.and_then(|range| section.bytes.get(range)).filter(|bytes| !bytes.is_empty()) else {
            continue;
        };
        let stop = symbol.address.saturating_add(bytes.len() as u64);
        shown = stop;
        let first = symbols.partition_point(|other| other.address < symbol.address);
        let last = symbols.partition_point(|other| other.address < stop);
        let inside = symbols.get(first..last).unwrap_or_default().to_vec();
        let mut part = Section::new(section.name, symbol.address, bytes);
        (part.symbols, part.relocations) = (inside, section.relocations.clone());
        parts.push(part);
    }
    parts
}

/// The number of bytes at the beginning of a name that are compared with another name.
const LONGEST_NAME: usize = 64;
/// The number of similar names that a message offers.
const OFFERED: usize = 5;

/// The existing names that are most similar to an unknown one.
pub struct Near {
    name: String,
    has_seen: bool,
    /// The most similar names: the distance of each, whether it is not the name of a kernel, and the name.
    best: BTreeSet<(usize, bool, String)>,
}

impl Near {
    /// A search for names like `name`, which is compared in escaped form, like the names of symbols.
    pub fn new(name: &str) -> Self {
        Near { name: escape::name(name.as_bytes()).into_owned(), has_seen: false, best: BTreeSet::new() }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether there was code with other names.
    pub fn has_seen(&self) -> bool {
        self.has_seen
    }

    pub fn see(&mut self, sections: &[Section<'_>]) {
        self.has_seen = true;
        for symbol in sections.iter().flat_map(|section| &section.symbols) {
            let name = escape::name(symbol.name.as_bytes());
            let distance = match !self.name.is_empty() && name.contains(self.name.as_str()) {
                true => 0,
                false => distance(cut(&self.name), cut(&name)),
            };
            // Names that are not similar are offered, too, if no better ones exist.
            let distance = if distance * 3 <= self.name.len() { distance } else { LONGEST_NAME };
            let other = symbol.kind != SymbolKind::Kernel;
            let is_better = self.best.last().is_none_or(|(far, last, _)| (distance, other) < (*far, *last));
            if is_better || self.best.len() < OFFERED {
                self.best.insert((distance, other, escape::short(symbol.name.as_bytes())));
                if self.best.len() > OFFERED {
                    self.best.pop_last();
                }
            }
        }
    }

    pub fn message(&self) -> String {
        let is_similar = self.best.first().is_some_and(|(distance, ..)| *distance < LONGEST_NAME);
        let offered = self.best.iter().filter(|(distance, ..)| !is_similar || *distance < LONGEST_NAME);
        let names: Vec<&str> = offered.map(|(.., name)| name.as_str()).collect();
        let hint: Cow<'_, str> = match (names.is_empty(), is_similar) {
            (true, _) => "no code has a name".into(),
            (_, true) => format!("similar: {}", names.join(", ")).into(),
            _ if names.len() == 1 => format!("there is {}", names.concat()).into(),
            _ => format!("there are {}", names.join(", ")).into(),
        };
        format!("no kernel or function is named {}; {hint}", escape::short(self.name.as_bytes()))
    }
}

fn cut(name: &str) -> &[u8] {
    name.as_bytes().get(..LONGEST_NAME).unwrap_or(name.as_bytes())
}

/// The number of bytes that have to be changed, added or removed to turn one text into the other.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
