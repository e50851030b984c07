//! Registers that are live, and registers that a function uses.

use alloc::vec;
use alloc::vec::Vec;

use super::order::set;
use super::{Exit, Flow};
use crate::inst::Inst;
use crate::registers::RegSet;
use crate::value::Reg;

/// The effect of a write to a vector register on the lanes that are switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lanes {
    /// The write replaces the whole register. Compilers assume this where every lane that executes the next read has
    /// also executed the write.
    Replaced,
    /// The lanes keep their values, which may be read after they are switched on again. So a write ends the life of a
    /// value only if EXEC is not written between the write and the next read. Registers are live longer than with
    /// `Replaced`; a register that is not live can be used in any case.
    Kept,
}

/// The registers that are live, for each block: see [`Flow::liveness`].
#[derive(Clone, Debug)]
pub struct Liveness<'f, 'c> {
    flow: &'f Flow<'c>,
    lanes: Lanes,
    /// The live registers before each block.
    before: Vec<Live>,
    /// All registers that have a name.
    all: RegSet,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Live {
    /// Live registers whose life any write ends.
    any: RegSet,
    /// Live vector registers that may be read in lanes that a write does not change.
    kept: RegSet,
}

impl Live {
    fn join(&mut self, other: &Live) {
        self.any |= other.any;
        self.kept |= other.kept;
    }

    /// Passes an instruction backwards: turns the registers that are live after it into those before it.
    fn pass(&mut self, inst: &Inst, lanes: Lanes) {
        let writes = inst.writes();
        if lanes == Lanes::Kept && writes.contains(Reg::Exec) {
            self.kept |= self.any.vectors();
        }
        self.any = (self.any - writes) | inst.reads();
    }

    fn set(&self) -> RegSet {
        self.any | self.kept
    }
}

impl Flow<'_> {
    /// Computes the live registers: registers whose values may be read before they are written.
    ///
    /// At a jump to an unknown address, at a return, at the end of the known code, and before a call of an unknown
    /// function, every register counts as live. A known function counts as reading all registers that it and its
    /// callees read or write, and as writing none.
    pub fn liveness(&self, lanes: Lanes) -> Liveness<'_, '_> {
        let all = self.everything();
        let nothing = RegSet::new(self.target());
        let none = Live { any: nothing, kept: nothing };
        let read_by_calls = self.read_by_calls();
        let mut live = Liveness { flow: self, lanes, before: vec![none; self.blocks().len()], all };
        for group in self.groups() {
            // The last block comes first. If the registers that are live before a block change, its predecessors are
            // visited again.
            let mut open: Vec<usize> = group;
            let mut is_open = vec![false; self.blocks().len()];
            open.iter().for_each(|n| set(&mut is_open, *n, true));
            while let Some(block) = open.pop() {
                set(&mut is_open, block, false);
                let mut now = live.after(block, read_by_calls.get(block).copied().flatten());
                let insts: Vec<Inst> = self.insts(block).map(|(_, inst)| inst).collect();
                insts.iter().rev().for_each(|inst| now.pass(inst, lanes));
                let Some(before) = live.before.get_mut(block).filter(|before| **before != now) else { continue };
                *before = now;
                for &other in self.predecessors(block) {
                    if let Some(is_open) = is_open.get_mut(other).filter(|is_open| !**is_open) {
                        *is_open = true;
                        open.push(other);
                    }
                }
            }
        }
        live
    }

    /// The registers that a function and its callees read or write. `first` is the function's first block.
    pub fn uses(&self, first: usize) -> RegSet {
        let mut all = RegSet::new(self.target());
        for block in self.reached(first) {
            self.insts(block).for_each(|(_, inst)| all |= inst.reads() | inst.writes());
        }
        all
    }

    /// The blocks of a function and of its callees. `first` is the function's first block.
    pub fn reached(&self, first: usize) -> Vec<usize> {
        let mut all = Vec::new();
        let mut seen = vec![false; self.blocks().len()];
        let mut open = vec![first];
        while let Some(block) = open.pop() {
            let Some(seen) = seen.get_mut(block).filter(|seen| !**seen) else { continue };
            *seen = true;
            all.push(block);
            open.extend(self.successors(block).iter().copied().chain(self.callee(block)));
        }
        all
    }

    /// For each block, the registers that a call at its end counts as reading; `None` if the block does not end in a
    /// call.
    fn read_by_calls(&self) -> Vec<Option<RegSet>> {
        let all = self.everything();
        let mut of_function: alloc::collections::BTreeMap<usize, RegSet> = alloc::collections::BTreeMap::new();
        (0..self.blocks().len())
            .map(|block| {
                self.blocks().get(block).filter(|block| matches!(block.exit, Exit::Call { .. }))?;
                let Some(callee) = self.callee(block) else { return Some(all) };
                Some(*of_function.entry(callee).or_insert_with(|| self.uses(callee)))
            })
            .collect()
    }

    fn everything(&self) -> RegSet {
        RegSet::everything(self.target())
    }
}

impl Liveness<'_, '_> {
    /// The live registers after the last instruction of a block.
    fn after(&self, block: usize, read_by_call: Option<RegSet>) -> Live {
        let nothing = RegSet::new(self.flow.target());
        let mut now = Live { any: nothing, kept: nothing };
        for next in self.flow.successors(block) {
            if let Some(before) = self.before.get(*next) {
                now.join(before);
            }
        }
        if let Some(read_by_call) = read_by_call {
            now.any |= read_by_call;
        }
        let exit = self.flow.blocks().get(block).map(|block| block.exit);
        if matches!(exit, Some(Exit::Indirect { .. } | Exit::Invalid(_) | Exit::Outside { .. })) {
            now.any |= self.all;
        }
        now
    }

    /// The registers that are live before a block.
    pub fn before(&self, block: usize) -> RegSet {
        self.before.get(block).map_or(RegSet::new(self.flow.target()), Live::set)
    }

    /// The registers that are live at an address in a block: before the first instruction at or after the address, or
    /// after the block's last instruction if there is none.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::flow::{Flow, Lanes};
    /// use amdgpu_isa::{Reg, Target};
    /// let words = [0xbe84_0005u32, 0x8006_0405, 0xbf81_0000]; // s_mov_b32 s4, s5; s_add_u32 s6, s5, s4; s_endpgm
    /// let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    /// let flow = Flow::new(Target::Gfx942, &code, 0, &[0]);
    /// let live = flow.liveness(Lanes::Replaced);
    /// assert!(live.before(0).contains(Reg::Sgpr(5)) && !live.before(0).contains(Reg::Sgpr(4)));
    /// assert!(live.at(0, 4).contains(Reg::Sgpr(4)) && live.at(0, 8).is_empty());
    /// # }
    /// ```
    pub fn at(&self, block: usize, address: u64) -> RegSet {
        let exit = self.flow.blocks().get(block).map(|block| block.exit);
        let read_by_call = matches!(exit, Some(Exit::Call { .. }))
            .then(|| self.flow.callee(block).map_or(self.all, |callee| self.flow.uses(callee)));
        let mut now = self.after(block, read_by_call);
        let insts: Vec<(u64, Inst)> = self.flow.insts(block).filter(|(at, _)| *at >= address).collect();
        insts.iter().rev().for_each(|(_, inst)| now.pass(inst, self.lanes));
        now.set()
    }
}
