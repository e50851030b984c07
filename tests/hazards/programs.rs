//! The programs of tests/hazards/programs.txt, and the distances of tests/hazards/distances.tsv.

use std::collections::BTreeMap;

use amdgpu_isa::{Inst, Target, parse};

/// A distance: the one on which sources agree, and the safe one. `EVENT` means that no number is enough.
pub type Distance = (u8, u8);
pub const EVENT: u8 = u8::MAX;

/// Distances by rule and target.
pub struct Distances {
    pub targets: Vec<&'static str>,
    of: BTreeMap<(&'static str, &'static str), Distance>,
}

pub struct Program {
    pub rule: &'static str,
    pub target: &'static str,
    pub producer: &'static str,
    pub consumer: &'static str,
}

impl Distances {
    pub fn read() -> Distances {
        let mut lines = include_str!("distances.tsv").lines().filter(|line| !line.starts_with('#'));
        let targets: Vec<&str> = lines.next().unwrap().split('\t').skip(1).collect();
        let mut of = BTreeMap::new();
        for line in lines {
            let (rule, cells) = line.split_once('\t').unwrap();
            for (target, cell) in targets.iter().zip(cells.split('\t')).filter(|(_, cell)| *cell != "-") {
                let number = |text: &str| if text == "E" { EVENT } else { text.parse().unwrap() };
                let (agreed, most) = cell.split_once('/').unwrap_or((cell, cell));
                of.insert((rule, *target), (number(agreed), number(most)));
            }
        }
        Distances { targets, of }
    }

    /// The distance of a rule on a target; 0 if no source has one.
    pub fn of(&self, rule: &str, target: &str) -> Distance {
        self.of.get(&(rule, target)).copied().unwrap_or((0, 0))
    }

    /// The pairs of a rule and a target that has it.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.of.iter().filter(|(_, distance)| distance.1 != 0).map(|(place, _)| *place)
    }
}

/// LLVM's machine IR of instructions, by target and text: the lines `TARGET | TEXT | MACHINE IR` of a file.
pub fn machine_ir(lines: &'static str) -> BTreeMap<(&'static str, &'static str), &'static str> {
    let lines = lines.lines().filter(|line| line.contains(" | ") && !line.starts_with('#'));
    let columns = lines.map(|line| {
        let [target, text, mir] = line.splitn(3, " | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        ((target, text), mir)
    });
    columns.collect()
}

/// All programs, each for each of its targets.
pub fn programs(targets: &[&'static str]) -> Vec<Program> {
    let mut all = Vec::new();
    for line in include_str!("programs.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [rule, range, producer, consumer] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        let at = |name| targets.iter().position(|t| *t == name).unwrap_or_else(|| panic!("{name} in {line}"));
        all.extend(targets[at(first)..=at(last)].iter().map(|target| Program { rule, target, producer, consumer }));
    }
    all
}

impl Program {
    pub fn instructions(&self, target: Target) -> Result<[Inst; 2], String> {
        let read =
            |text| parse(target, text).map_err(|error| format!("{} {}: {text}: {error}", self.rule, self.target));
        Ok([read(self.producer)?, read(self.consumer)?])
    }
}
