//! Distances in code that a linker has written: they follow if the code changes.

use super::{Relocation, Section, Source, added};
use crate::asm::finish::kinds;
use crate::error::{Error, Result};
use crate::isa::{Inst, KernelDescriptor, Reg, Target, Value, decode};

/// How many instructions behind `s_getpc_b64` its address is finished.
const NEAR: usize = 12;

/// A half of an address that an instruction adds a number to.
struct Half {
    /// The address of the instruction.
    address: u64,
    value: u32,
    is_literal: bool,
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
                let behind = rest.get(inst.len()..).unwrap_or(&[]);
                if inst.mnemonic() == "s_getpc_b64" {
                    let [low, high] = halves(target, &inst, address, behind).ok_or_else(|| unknown(address))?;
                    self.relate(sections, section, address + inst.len() as u64, &low, &high)?;
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

    /// Relates both halves to what they are the address of.
    fn relate(
        &mut self,
        sections: &[Section<'_>],
        section: &Section<'_>,
        pc: u64,
        low: &Half,
        high: &Half,
    ) -> Result<()> {
        let goal = pc.wrapping_add(u64::from(high.value) << 32 | u64::from(low.value));
        let all = self.relocations.entry(section.index).or_default();
        let place = |half: &Half| half.address - section.address + 4;
        let there = sections.iter().find(|s| s.flags & 2 != 0 && (s.address..=s.address + s.size).contains(&goal));
        let there = there.ok_or_else(|| unknown(pc - 4))?;
        let moved_pc = self.edits.moved_inst(pc - 4) + 4;
        for (half, kind) in
            [(low, kinds::REL32_LO), (high, kinds::REL32_HI)].into_iter().filter(|(half, _)| half.is_literal)
        {
            // The linker counts from the literal.
            let bias = (self.edits.moved_inst(half.address) + 4).wrapping_sub(moved_pc) as i64;
            let offset = self.edits.moved(goal).wrapping_sub(self.edits.moved(there.address)) as i64;
            let of = added(format!(".Lsection{}", there.index), offset + bias);
            all.insert(place(half), Relocation { kind, of, is_made: true });
        }
        self.named.push(there.index);
        Ok(())
    }
}

fn unknown(address: u64) -> Error {
    Error::input(format!(
        "the code at {address:#x} reads its address and does something unknown with it, so no code can be moved"
    ))
}

fn is_add(inst: &Inst) -> bool {
    inst.mnemonic().starts_with("s_add")
}

/// What adds a distance to the halves of an address.
fn halves(target: Target, getpc: &Inst, address: u64, mut rest: &[u8]) -> Option<[Half; 2]> {
    let first = getpc.operands().find_map(|operand| match operand.value {
        Value::Reg(Reg::Sgpr(n)) => Some(n),
        _ => None,
    })?;
    let mut address = address + getpc.len() as u64;
    let mut found = [None, None];
    for _ in 0..NEAR {
        let inst = decode(target, rest).ok()?;
        let mut operands = inst.operands();
        let operands = [operands.next(), operands.next(), operands.next()];
        let values = operands.map(|operand| operand.map(|operand| (operand.value, operand.bits)));
        let half = [first, first + 1].iter().position(|reg| values[0] == Some((Value::Reg(Reg::Sgpr(*reg)), 32)));
        match (half, values) {
            (Some(n), [Some((to, _)), Some((a, _)), Some((Value::Literal(value), _))]) if to == a && is_add(&inst) => {
                found[n] = Some(Half { address, value, is_literal: true });
            }
            // The sign of a distance does not change.
            (Some(1), [Some((to, _)), Some((a, _)), Some((Value::Int(value), _))]) if to == a && is_add(&inst) => {
                found[1] = Some(Half { address, value: value as u32, is_literal: false });
            }
            // The upper half is extended to its sign.
            (Some(1), _) if inst.mnemonic() == "s_sext_i32_i16" => {}
            _ => {
                let touched = inst.reads() | inst.writes();
                if touched.contains(Reg::Sgpr(first)) || touched.contains(Reg::Sgpr(first + 1)) {
                    return None;
                }
            }
        }
        if let [Some(_), Some(_)] = found {
            let [low, high] = found;
            return low.zip(high).map(|(low, high)| [low, high]);
        }
        if inst.flags().is_terminator() || inst.flags().is_branch() {
            return None;
        }
        address += inst.len() as u64;
        rest = rest.get(inst.len()..)?;
    }
    None
}
