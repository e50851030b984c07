//! LLVM's disassembler on the first instructions of the code, and its assembler on the library's texts of the code.

use crate::table::Done;
use amdgpu_isa::{Decoded, Decoder, Target};
use amdgpu_llvm::{Llvm, MAX_TEXT, features, find_library};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// The number of instructions for LLVM, which is so slow that a few are enough.
const INSTRUCTIONS: usize = 50_000;

pub struct Sample {
    llvm: Llvm,
    instructions: Vec<Vec<u8>>,
}

impl Sample {
    pub fn new(target: Target, code: &[u8]) -> Result<Sample, String> {
        let library = find_library()?;
        let (cpu, features) = (target.processor(), features(target));
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

/// The number of lines: so many that the start of the process, which takes as long as some 5,000 lines, matters little.
const LINES: usize = 200_000;

/// LLVM's assembler: `llvm-mc-22 -filetype=obj` on a file.
pub struct Assembler {
    target: Target,
    file: PathBuf,
}

impl Assembler {
    /// An assembler for a target. Removes the texts that it refuses from `texts`, because refused texts take a
    /// different time.
    pub fn new(target: Target, texts: &mut Vec<String>) -> Result<Assembler, String> {
        let file = std::env::temp_dir().join(format!("throughput-{}-{target}.s", std::process::id()));
        let assembler = Assembler { target, file };
        let refused = assembler.refused(texts.iter())?;
        let mut line = 0;
        texts.retain(|_| {
            line += 1;
            !refused.contains(&line)
        });
        println!("{} texts are left out, which LLVM's assembler refuses; {} remain", refused.len(), texts.len());
        match assembler.refused(texts.iter().cycle().take(LINES))?.first() {
            None => Ok(assembler),
            Some(line) => Err(format!("{}:{line}: refused, and not before", assembler.file.display())),
        }
    }

    /// Writes the file. Returns the numbers of the lines that the assembler refuses.
    fn refused<'a>(&self, texts: impl Iterator<Item = &'a String>) -> Result<BTreeSet<usize>, String> {
        let lines: String = texts.flat_map(|text| [text, "\n"]).collect();
        std::fs::write(&self.file, lines).map_err(|e| format!("{}: {e}", self.file.display()))?;
        let output = self.command().output();
        let output =
            output.map_err(|e| format!("llvm-mc-22: {e}; install the Debian package llvm-22, or use --no-llvm"))?;
        let messages = String::from_utf8_lossy(&output.stderr);
        let place = format!("{}:", self.file.display());
        let errors = messages.lines().filter(|message| message.contains(": error: "));
        Ok(errors.filter_map(|message| message.strip_prefix(&place)?.split(':').next()?.parse().ok()).collect())
    }

    fn command(&self) -> Command {
        let (cpu, features) = (self.target.processor(), features(self.target));
        let mut command = Command::new("llvm-mc-22");
        command.args(["-triple=amdgcn-amd-amdhsa", "-filetype=obj", "-o", "/dev/null"]);
        command.arg(format!("-mcpu={cpu}")).arg(format!("-mattr={features}")).arg(&self.file);
        command
    }

    pub fn run(&self) -> Done {
        let bytes = std::fs::metadata(&self.file).map_or(0, |data| data.len());
        let done = self.command().status().is_ok_and(|status| status.success());
        Done { instructions: if done { LINES as u64 } else { 0 }, bytes }
    }
}

impl Drop for Assembler {
    fn drop(&mut self) {
        // An error is ignored: the system removes temporary files at some time.
        _ = std::fs::remove_file(&self.file);
    }
}
