//! The table differences.txt: where LLVM inserts other waits than the library, each with the reason.

use std::cell::RefCell;
use std::collections::BTreeSet;

use amdgpu_isa::imm::Waitcnt;

use super::operations::Program;
use super::show;

pub struct Reasons {
    targets: Vec<&'static str>,
    lines: Vec<Vec<&'static str>>,
    used: RefCell<BTreeSet<usize>>,
}

impl Reasons {
    pub fn read(targets: &[&'static str]) -> Reasons {
        let lines =
            include_str!("differences.txt").lines().filter(|line| line.contains(" | ") && !line.starts_with('#'));
        let cells = |line: &'static str| {
            let (places, reason) = line.split_once(": ").expect("a difference has a reason");
            assert!(!reason.is_empty());
            let cells: Vec<&str> = places.split(" | ").collect();
            assert_eq!(cells.len(), 7, "{line}");
            cells
        };
        Reasons { targets: targets.to_vec(), lines: lines.map(cells).collect(), used: RefCell::default() }
    }

    /// Whether a line of the table explains why the waits before the instruction `before` of a program differ.
    pub fn explain(&self, target: &str, program: &Program, before: &str, ours: &Waitcnt, theirs: &Waitcnt) -> bool {
        let (ours, theirs) = (show(ours), show(theirs));
        let wanted = [target, program.shape, program.first, program.second, before, &ours, &theirs];
        let at =
            |name: &str| self.targets.iter().position(|t| *t == name).unwrap_or_else(|| panic!("no target {name}"));
        let is_one = |one: &str, wanted: &str| match one.split_once("..") {
            Some((first, last)) => (at(first)..=at(last)).contains(&at(wanted)),
            None => one == wanted,
        };
        let is = |n: usize, cell: &str, wanted: &str| match n {
            // Waits contain spaces, so their cells are not split.
            5.. => cell == wanted,
            _ => cell == "*" || cell.split(' ').any(|one| is_one(one, wanted)),
        };
        let fits =
            |cells: &Vec<&str>| cells.iter().zip(wanted).enumerate().all(|(n, (cell, wanted))| is(n, cell, wanted));
        let found = self.lines.iter().position(fits);
        self.used.borrow_mut().extend(found);
        found.is_some()
    }

    /// Lines that explained nothing.
    pub fn unused(&self) -> Vec<String> {
        let used = self.used.borrow();
        self.lines.iter().enumerate().filter(|(n, _)| !used.contains(n)).map(|(_, cells)| cells.join(" | ")).collect()
    }
}
