//! A report on a code object: the registers that the instructions of each kernel access.
//!
//! `cargo run --example registers [-- FILE.co]`

use amdgpu_isa::{Decoded, Decoder, Operand, Reg, Value};
use std::fmt;

#[path = "code_object/mod.rs"]
pub mod code_object;
use code_object::{CodeObject, Kernel, Result, read};

/// The used registers: for each file, the highest number plus one.
#[derive(Debug, Default, PartialEq)]
pub struct Used {
    pub sgprs: u16,
    pub vgprs: u16,
    pub agprs: u16,
    /// The names of registers such as vcc and m0.
    pub others: Vec<String>,
}

impl Used {
    fn operand(&mut self, operand: &Operand, text: impl Fn() -> String) {
        let Value::Reg(reg) = operand.value else { return };
        let count = operand.bits.div_ceil(32);
        let highest = |n: u8| u16::from(n) + count;
        match reg {
            Reg::Sgpr(n) => self.sgprs = self.sgprs.max(highest(n)),
            Reg::Vgpr(n) => self.vgprs = self.vgprs.max(n + count),
            Reg::VgprHigh(n) => self.vgprs = self.vgprs.max(highest(n)),
            Reg::Agpr(n) => self.agprs = self.agprs.max(highest(n)),
            Reg::Vcc => self.other("vcc"),
            Reg::M0 => self.other("m0"),
            Reg::FlatScratch => self.other("flat_scratch"),
            // The name is the text of the operand: vcc_lo, flat_scratch, ttmp0, ...
            Reg::Special(_) | Reg::Ttmp(_) => self.other(&text()),
            // Every kernel has exec, scc and the modes.
            _ => {}
        }
    }

    fn other(&mut self, name: &str) {
        // Halves of a register count as the whole register. EXEC is always used.
        let name = name.strip_suffix("_lo").or(name.strip_suffix("_hi")).unwrap_or(name);
        if name != "exec" && !name.starts_with("src_") && !self.others.iter().any(|other| other == name) {
            self.others.push(name.to_string());
            self.others.sort();
        }
    }
}

impl fmt::Display for Used {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:5} {:5} {:5}  {}", self.sgprs, self.vgprs, self.agprs, self.others.join(" "))
    }
}

/// The registers that the instructions of a kernel access.
pub fn used(object: &CodeObject, bytes: &[u8], kernel: &Kernel) -> Result<Used> {
    let at = (kernel.address - object.text.address) as usize + object.text.offset;
    let mut all = Used::default();
    for Decoded { offset, inst } in Decoder::new(object.target, &bytes[at..][..kernel.size as usize]) {
        let inst = inst.map_err(|invalid| format!("{}+{offset:#x}: {}", kernel.name, invalid.error))?;
        for operand in inst.operands() {
            all.operand(&operand, || operand.role.map_or(String::new(), |field| inst.field_text(field).to_string()));
        }
    }
    Ok(all)
}

#[allow(dead_code)] // tests/registers.rs has a main of its own.
fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or("tests/samples/gfx942/matmul.co".into());
    let bytes = std::fs::read(&path)?;
    let object = read(&bytes)?;
    println!("{path}, for {}\n{:24} SGPRs VGPRs AGPRs  others", object.target, "kernel");
    for kernel in &object.kernels {
        println!("{:24} {}", kernel.name, used(&object, &bytes, kernel)?);
    }
    Ok(())
}
