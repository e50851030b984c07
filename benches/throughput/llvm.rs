//! LLVM's disassembler on the first instructions of the code.

use crate::oracle::{Llvm, MAX_TEXT, find_library};
use crate::table::Done;
use amdgpu_isa::{Decoded, Decoder, Target};

/// LLVM is so slow that a few instructions are enough.
const INSTRUCTIONS: usize = 50_000;

pub struct Sample {
    llvm: Llvm,
    instructions: Vec<Vec<u8>>,
}

impl Sample {
    pub fn new(target: Target, code: &[u8]) -> Result<Sample, String> {
        let library = find_library()?;
        let cpu = target.name().split(':').next().unwrap_or_default();
        let features = if target.wave_size() == 64 && cpu != target.name() { "+wavefrontsize64" } else { "" };
        let llvm = Llvm::load(&library.to_string_lossy(), cpu, features)?;
        let once = Decoder::new(target, code)
            .filter_map(|Decoded { offset: at, inst: item }| code.get(at..at + item.ok()?.len()));
        let once: Vec<Vec<u8>> = once.map(<[u8]>::to_vec).collect();
        let instructions = once.iter().cycle().take(INSTRUCTIONS).cloned().collect();
        Ok(Sample { llvm, instructions })
    }

    pub fn run(&mut self) -> Done {
        let mut text = [0; MAX_TEXT];
        let mut bytes = 0;
        for instruction in &mut self.instructions {
            bytes += self.llvm.disassemble(instruction, &mut text) as u64;
        }
        Done { instructions: self.instructions.len() as u64, bytes }
    }
}
