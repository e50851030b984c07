//! Distances in code that a linker has written: they follow if the code changes.

use amdgpu_asm::elf::kinds;

use super::{Relocation, Section, Source, added};
use crate::error::{Error, Result};
use crate::isa::{AddressStep, Inst, KernelDescriptor, Operand, Reg, Target, Value, decode};

/// The most instructions from the one that reads its address to the one that finishes the address.
const NEAR: usize = 12;
/// The number of instructions after a finished address that are searched for a use of it.
const AFTER: usize = 64;

/// A number that an instruction adds to an address, or to half of one.
struct Part {
    /// The address of the instruction.
    address: u64,
    value: u64,
    /// The kind of relocation of its literal; none: it is part of the instruction.
    kind: Option<u32>,
}

/// The numbers that are added to an address.
struct Distance<'c> {
    parts: Vec<Part>,
    value: u64,
    /// What follows the last addition.
    rest: &'c [u8],
}

impl Source<'_> {
    /// Makes distances between places of the code, and from it to data, into symbols.
    ///
    /// # Errors
    /// Code reads its own address, and does something unknown with it.
    pub fn follow(&mut self, sections: &[Section<'_>]) -> Result<()> {
        for section in sections.iter().filter(|section| section.flags & 4 != 0) {
            let mut at = 0;
            while let Some(rest) = section.bytes.get(at..).filter(|rest| !rest.is_empty()) {
                let address = section.address.wrapping_add(at as u64);
                let target = self.target;
                let Ok(inst) = decode(target, rest) else {
                    at += 4;
                    continue;
                };
                if inst.reads_pc(address) {
                    let behind = rest.get(inst.len()..).unwrap_or(&[]);
                    let pc = address + inst.len() as u64;
                    let pair = written(&inst).ok_or_else(|| unknown(address))?;
                    let distance = distance(target, pair, pc, behind).ok_or_else(|| unknown(address))?;
                    self.relate(sections, section, (address, pc), pair, &distance)?;
                } else if inst.address_step() == Some(AddressStep::Jump) {
                    self.jump(section, address, &inst)?;
                }
                at += inst.len();
            }
        }
        self.entries(sections);
        Ok(())
    }

    /// The descriptors that no directives say: their distance to the code.
    fn entries(&mut self, sections: &[Section<'_>]) {
        let is_said = |n: usize| self.kernels.iter().any(|(descriptor, ..)| *descriptor == n);
        let mut places = Vec::new();
        for (_, symbol) in self.symbols.iter().enumerate().filter(|(n, _)| !is_said(*n)) {
            let Some(code) = symbol.name.strip_suffix(".kd") else { continue };
            let section = sections.iter().find(|section| Some(section.index) == symbol.section);
            let is_whole = symbol.size == KernelDescriptor::SIZE as u64;
            if let (Some(section), true, Some(_)) =
                (section, is_whole, self.symbols.iter().find(|other| other.name == code))
            {
                let offset = symbol.value.wrapping_sub(section.address) + KernelDescriptor::ENTRY as u64;
                let of = added(super::name(code), KernelDescriptor::ENTRY as i64);
                places.push((section.index, offset, Relocation { kind: kinds::REL64, of, is_made: true }));
            }
        }
        for (section, offset, place) in places {
            self.relocations.entry(section).or_default().entry(offset).or_insert(place);
        }
    }

    /// Relates the numbers to what they make the address of.
    fn relate(
        &mut self,
        sections: &[Section<'_>],
        section: &Section<'_>,
        (reader, pc): (u64, u64),
        pair: u8,
        distance: &Distance<'_>,
    ) -> Result<()> {
        let goal = pc.wrapping_add(distance.value);
        let all = self.relocations.entry(section.index).or_default();
        let is_loaded = |s: &&Section<'_>| s.flags & 2 != 0;
        let holds = |s: &&Section<'_>| (s.address..s.address + s.size).contains(&goal);
        // An address can be that of a section's end.
        let ends = |s: &&Section<'_>| s.address + s.size == goal;
        let loaded = || sections.iter().filter(is_loaded);
        let there = loaded().find(holds).or_else(|| loaded().find(ends)).ok_or_else(|| unknown(reader))?;
        // Between two places of code nothing else can be known to stay as far apart.
        if there.flags & 4 != 0 && goes_on(self.target, pair, distance.rest) {
            return Err(unknown(reader));
        }
        let moved_pc = self.edits.moved_inst(reader) + (pc - reader);
        for part in &distance.parts {
            let Some(kind) = part.kind else { continue };
            // The linker counts from the literal.
            let bias = (self.edits.moved_inst(part.address) + 4).wrapping_sub(moved_pc) as i64;
            let offset = self.edits.moved(goal).wrapping_sub(self.edits.moved(there.address)) as i64;
            let of = added(format!(".Lsection{}", there.index), offset + bias);
            all.insert(part.address - section.address + 4, Relocation { kind, of, is_made: true });
        }
        self.named.push(there.index);
        Ok(())
    }

    /// Whether a jump by a number of bytes can follow.
    fn jump(&self, section: &Section<'_>, address: u64, inst: &Inst) -> Result<()> {
        let goal = inst.branch_target(address).ok_or_else(|| unknown(address))?;
        if !(section.address..section.address + section.size).contains(&goal) {
            return Err(unknown(address));
        }
        let moved = inst.with_branch_target(self.edits.moved_inst(address), self.edits.moved(goal));
        let fails = |why| Error::input(format!("the jump at {address:#x} cannot follow: {why}"));
        moved.map(|_| ()).map_err(fails)
    }

    /// The instruction as it is where it comes to be: a jump by a number of bytes leads where it led.
    pub fn moved(&self, inst: Inst, address: u64) -> Inst {
        let goal = inst.branch_target(address).filter(|_| inst.address_step() == Some(AddressStep::Jump));
        let Some(goal) = goal.filter(|_| !self.edits.is_empty()) else { return inst };
        inst.with_branch_target(self.edits.moved_inst(address), self.edits.moved(goal)).unwrap_or(inst)
    }
}

fn unknown(address: u64) -> Error {
    Error::input(format!(
        "the code at {address:#x} reads its address and does something unknown with it, so no code can be moved"
    ))
}

/// The first scalar register that an instruction writes.
fn written(inst: &Inst) -> Option<u8> {
    inst.operands().filter(|operand| operand.access.writes()).find_map(|operand| register(&operand))
}

fn register(operand: &Operand) -> Option<u8> {
    match operand.value {
        Value::Reg(Reg::Sgpr(n)) => Some(n),
        _ => None,
    }
}

/// The register that an instruction adds a constant to, with that constant.
fn addition(inst: &Inst) -> Option<(u8, Operand)> {
    let mut operands = inst.operands();
    let (to, a, b) = (operands.next()?, operands.next()?, operands.next()?);
    let (from, number) = if register(&a).is_some() { (a, b) } else { (b, a) };
    let is_same = to.access.writes() && (register(&to), to.bits) == (register(&from), from.bits);
    Some((register(&to).filter(|_| is_same)?, number))
}

/// Whether an instruction replaces the upper bits of the high half with its sign, which leaves a near distance as it is.
fn extends(inst: &Inst, high: u8) -> bool {
    let is_step = matches!(inst.address_step(), Some(AddressStep::Sign8 | AddressStep::Sign16));
    is_step && inst.operands().take(2).all(|operand| register(&operand) == Some(high))
}

fn touches(inst: &Inst, pair: u8) -> bool {
    let touched = inst.reads() | inst.writes();
    touched.contains(Reg::Sgpr(pair)) || touched.contains(Reg::Sgpr(pair.saturating_add(1)))
}

/// What is added to the address in a pair of registers.
fn distance<'c>(target: Target, pair: u8, mut address: u64, mut rest: &'c [u8]) -> Option<Distance<'c>> {
    let high = pair.checked_add(1)?;
    let mut low: Option<Part> = None;
    for _ in 0..NEAR {
        let inst = decode(target, rest).ok()?;
        rest = rest.get(inst.len()..)?;
        let number = addition(&inst).and_then(|(to, number)| Some((to, number.value, inst.constant(&number)?)));
        match (inst.address_step(), number, low.take()) {
            (Some(AddressStep::Sum), Some((to, place, value)), None) if to == pair => {
                let kind = match place {
                    Value::Literal(_) => kinds::REL32_LO,
                    Value::Literal64 => kinds::REL64,
                    _ => return None,
                };
                return Some(Distance { parts: vec![Part { address, value, kind: Some(kind) }], value, rest });
            }
            (Some(AddressStep::Low), Some((to, Value::Literal(_), value)), None) if to == pair => {
                low = Some(Part { address, value, kind: Some(kinds::REL32_LO) });
            }
            (Some(AddressStep::High), Some((to, place, value)), Some(low)) if to == high => {
                let kind = match place {
                    Value::Literal(_) => Some(kinds::REL32_HI),
                    // The sign of a distance does not change.
                    Value::Int(_) => None,
                    _ => return None,
                };
                let sum = value << 32 | low.value;
                return Some(Distance { parts: vec![low, Part { address, value, kind }], value: sum, rest });
            }
            (_, _, before) if extends(&inst, high) => low = before,
            (_, _, before) => {
                let is_carry_lost = before.is_some() && inst.writes().contains(Reg::Scc);
                if touches(&inst, pair) || is_carry_lost {
                    return None;
                }
                low = before;
            }
        }
        let flags = inst.flags();
        if flags.is_terminator() || flags.is_branch() || flags.is_call() {
            return None;
        }
        address += inst.len() as u64;
    }
    None
}

/// Whether code computes with an address that is finished.
fn goes_on(target: Target, pair: u8, mut rest: &[u8]) -> bool {
    for _ in 0..AFTER {
        let Ok(inst) = decode(target, rest) else { return false };
        rest = rest.get(inst.len()..).unwrap_or(&[]);
        let flags = inst.flags();
        if flags.is_terminator() || flags.is_branch() || flags.is_call() {
            return false;
        }
        let reads = inst.reads();
        let is_read = reads.contains(Reg::Sgpr(pair)) || reads.contains(Reg::Sgpr(pair.saturating_add(1)));
        let is_scalar = |operand: Operand| operand.access.writes() && matches!(operand.value, Value::Reg(Reg::Sgpr(_)));
        let computes = !flags.is_compare() && inst.memory().next().is_none() && inst.operands().any(is_scalar);
        let copies = matches!(inst.address_step(), Some(AddressStep::Copy | AddressStep::Select));
        if is_read && computes && !copies {
            return true;
        }
        if inst.writes().contains(Reg::Sgpr(pair)) {
            return false;
        }
    }
    false
}
