//! Queries the effects of instructions: does a kernel wait for its loads before it uses the results, and how many of
//! its instructions could be shorter?
//!
//! `cargo run --example waits [-- FILE.co]`

use amdgpu_isa::facts::{Counter, RegSet};
use amdgpu_isa::imm::Imm;
use amdgpu_isa::{Decoded, Decoder, Inst};

#[path = "code_object/mod.rs"]
mod code_object;
use code_object::{Result, read};

/// The registers that pending loads will write, the oldest load first.
#[derive(Default)]
struct Pending {
    vector: Vec<RegSet>,
    scalar: Vec<RegSet>,
}

impl Pending {
    fn touched(&self, inst: &Inst) -> bool {
        let touched = inst.reads() | inst.writes();
        self.vector.iter().chain(&self.scalar).any(|loaded| loaded.intersects(&touched))
    }

    fn step(&mut self, inst: &Inst) {
        if let Some(Imm::Waitcnt(wait)) = inst.imm() {
            let counted = [(&mut self.vector, Counter::Vmcnt), (&mut self.scalar, Counter::Lgkmcnt)];
            for (list, counter) in counted {
                let left = wait.get(counter).map_or(list.len(), usize::from);
                list.drain(..list.len().saturating_sub(left));
            }
        }
        let counters = inst.counters();
        // A store raises the counter too, but writes no register.
        if counters.contains(Counter::Vmcnt) {
            self.vector.push(inst.writes());
        }
        if counters.contains(Counter::Lgkmcnt) {
            self.scalar.push(inst.writes());
        }
        // The code after this instruction is only reached by a branch.
        if inst.flags().no_fallthrough() {
            *self = Pending::default();
        }
    }
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or("tests/samples/gfx942/matmul.co".into());
    let bytes = std::fs::read(&path)?;
    let object = read(&bytes)?;
    for kernel in &object.kernels {
        let at = (kernel.address - object.text.address) as usize + object.text.offset;
        let (mut pending, mut accesses, mut shorter) = (Pending::default(), 0, 0);
        for Decoded { offset, inst } in Decoder::new(object.target, &bytes[at..][..kernel.size as usize]) {
            let inst = inst.map_err(|invalid| format!("{}+{offset:#x}: {}", kernel.name, invalid.error))?;
            if pending.touched(&inst) {
                return Err(format!("{}+{offset:#x}: {inst} does not wait", kernel.name).into());
            }
            pending.step(&inst);
            accesses += inst.memory().count();
            let swapped = inst.commuted().and_then(|swapped| swapped.shrink());
            let mut others = [inst.shrink(), swapped].into_iter().flatten();
            shorter += usize::from(others.any(|other| other.len() < inst.len()));
        }
        println!(
            "{}: {accesses} memory accesses, each waited for; {shorter} instructions could be shorter",
            kernel.name
        );
    }
    Ok(())
}
