//! Orders of blocks, loops, and the blocks of a function.

use alloc::vec;
use alloc::vec::Vec;

use super::Flow;

impl Flow<'_> {
    /// The blocks of a function, beginning with its first block. Each block comes after its predecessors, except at
    /// back edges of loops. Blocks of called functions are not included.
    pub fn function(&self, first: usize) -> Vec<usize> {
        self.after(&[first], false, &mut Marks::new(self.blocks().len())).0
    }

    /// The targets of back edges: blocks that a search through their function reaches again from themselves.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, flow::Flow};
    /// // s_nop 0; L: s_nop 0; s_cbranch_scc0 L; s_endpgm
    /// let words = [0xbf80_0000u32, 0xbf80_0000, 0xbf84_fffe, 0xbf81_0000];
    /// let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    /// let flow = Flow::new(Target::Gfx942, &code, 0, &[0]);
    /// assert_eq!(flow.loops(), [1]);
    /// # }
    /// ```
    pub fn loops(&self) -> Vec<usize> {
        self.after(self.entries(), false, &mut Marks::new(self.blocks().len())).1
    }

    /// Groups of blocks such that no edge or known call leaves a group, each in the order of [`Flow::function`]. A
    /// group is a function, or several functions that share blocks or call each other.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut group = self.union();
        for block in 0..self.blocks().len() {
            if let Some(callee) = self.callee(block) {
                group.join(block, callee);
            }
        }
        let mut entries: Vec<(usize, usize)> = self.entries().iter().map(|entry| (group.of(*entry), *entry)).collect();
        entries.sort_unstable();
        let mut marks = Marks::new(self.blocks().len());
        entries
            .chunk_by(|a, b| a.0 == b.0)
            .map(|of_group| {
                let entries: Vec<usize> = of_group.iter().map(|(_, entry)| *entry).collect();
                self.after(&entries, true, &mut marks).0
            })
            .collect()
    }

    /// The function of each block, as the index of one of its blocks; functions that share blocks count as one.
    pub(super) fn find_functions(&self) -> Vec<usize> {
        let mut group = self.union();
        (0..self.blocks().len()).map(|block| group.of(block)).collect()
    }

    fn union(&self) -> Union {
        let mut group = Union::new(self.blocks().len());
        for block in 0..self.blocks().len() {
            for to in self.successors(block) {
                group.join(block, *to);
            }
        }
        group
    }

    /// The blocks that paths from `entries` reach (with `calls` also through calls), and the targets of back edges
    /// among them. Blocks that are marked already are left out.
    fn after(&self, entries: &[usize], calls: bool, marks: &mut Marks) -> (Vec<usize>, Vec<usize>) {
        let mut order = Vec::new();
        let mut loops = Vec::new();
        // The path to the current block, with the number of visited successors of each block on it.
        let mut way: Vec<(usize, usize)> = Vec::new();
        for entry in entries.iter().rev() {
            if marks.of(*entry) != Some(Mark::New) {
                continue;
            }
            marks.set(*entry, Mark::OnWay);
            way.push((*entry, 0));
            while let Some((block, looked)) = way.last_mut() {
                // The successor visited last comes first in the order: a function comes before the code after its call.
                let successors = self.successors(*block);
                let callee = || self.callee(*block).filter(|_| calls && *looked == successors.len());
                let Some(next) = successors.get(*looked).copied().or_else(callee) else {
                    order.push(*block);
                    marks.set(*block, Mark::Seen);
                    way.pop();
                    continue;
                };
                *looked += 1;
                match marks.of(next) {
                    Some(Mark::OnWay) => loops.push(next),
                    Some(Mark::New) => {
                        marks.set(next, Mark::OnWay);
                        way.push((next, 0));
                    }
                    _ => {}
                }
            }
        }
        order.reverse();
        loops.sort_unstable();
        loops.dedup();
        (order, loops)
    }
}

/// The progress of a search at a block.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    /// A block on the path to the current one.
    OnWay,
    Seen,
}

struct Marks(Vec<Mark>);

impl Marks {
    fn new(len: usize) -> Marks {
        Marks(vec![Mark::New; len])
    }

    fn of(&self, block: usize) -> Option<Mark> {
        self.0.get(block).copied()
    }

    fn set(&mut self, block: usize, mark: Mark) {
        if let Some(place) = self.0.get_mut(block) {
            *place = mark;
        }
    }
}

/// A union-find structure: sets that can be joined.
struct Union(Vec<usize>);

impl Union {
    fn new(len: usize) -> Union {
        Union((0..len).collect())
    }

    /// The representative of the set of an element.
    fn of(&mut self, mut n: usize) -> usize {
        while let Some(&above) = self.0.get(n) {
            if above == n {
                break;
            }
            // Shorten the path for later searches.
            let top = self.0.get(above).copied().unwrap_or(above);
            set(&mut self.0, n, top);
            n = top;
        }
        n
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        set(&mut self.0, a.max(b), a.min(b));
    }
}

/// Replaces item `n`, if there is one.
pub(super) fn set<T>(items: &mut [T], n: usize, item: T) {
    if let Some(place) = items.get_mut(n) {
        *place = item;
    }
}
