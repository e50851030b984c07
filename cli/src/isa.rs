//! The tool's contact with the library: everything else in `cli/src/` goes through here.

mod matrix;
pub mod tables;

use amdgpu_isa as lib;

pub use lib::errors::Invalid;
pub use lib::facts::{AddressStep, Space};
pub use lib::kernel::{DescriptorError, KernelDescriptor, Registers};
pub use lib::text::{Integer, ParseError, ParseErrorKind, Suggestion, Symbols, TextBuffer, expression, parse_with};
pub use lib::{
    Access, Decoded, Decoder, Field, Format, Inst, Opcode, Operand, Reg, Target, Value, VgprMsb, decode, parse,
};
pub use matrix::{Operation, operations};

/// Size of the longest instruction of any generation in bytes.
pub const MAX_BYTES: usize = 20;

pub fn known_targets() -> String {
    Target::ALL.iter().map(|t| t.name()).collect::<Vec<_>>().join(", ")
}

/// Accepts a name or an alias. The error message lists the known ones.
pub fn parse_target(name: &str) -> Result<Target, String> {
    name.parse::<Target>().map_err(|_| {
        format!("unknown target {:?}; this build knows {}", name.escape_debug().to_string(), known_targets())
    })
}

pub fn reencode(inst: &Inst, out: &mut [u8; MAX_BYTES]) -> Result<usize, String> {
    inst.encode(out).map_err(|e| e.to_string())
}

/// Whether a feature that selects one of two meanings of the same words is on.
pub fn mode(target: Target, feature: &str) -> bool {
    wave_size(feature) == Some(target.wave_size())
}

/// The lanes that `wavefrontsize32` and its like name.
pub fn wave_size(feature: &str) -> Option<u16> {
    feature.strip_prefix("wavefrontsize")?.parse().ok()
}

/// The numbers of vector and scalar registers up to the last one that operands name.
pub fn registers(inst: &Inst) -> (u16, u16) {
    let (mut vector, mut scalar) = (0, 0);
    for operand in inst.operands() {
        let dwords = operand.bits.div_ceil(32);
        match operand.value {
            Value::Reg(lib::Reg::Vgpr(n) | lib::Reg::Agpr(n)) => vector = vector.max(u16::from(n) + dwords),
            Value::Reg(lib::Reg::Sgpr(n)) => scalar = scalar.max(u16::from(n) + dwords),
            _ => {}
        }
    }
    (vector, scalar)
}
