//! The library as the command uses it: its types, and the names of targets and features on the command line.

mod formula;
mod matrix;
pub mod tables;

use amdgpu_isa as lib;

pub use lib::addresses::{Addresses, Base, KnownAddress, scalars};
pub use lib::errors::Invalid;
pub use lib::facts::{AddressStep, Purpose, Space};
pub use lib::flow::{Banks, BanksBuilder};
pub use lib::kernel::{DescriptorPart, KernelDescriptor};
pub use lib::text::{ParseError, ParseErrorKind, Suggestion, TextBuffer};
pub use lib::{
    Access, Decoded, Decoder, Field, Filler, Format, Inst, Opcode, Operand, Target, Value, VgprMsb, decode, parse,
};
pub use matrix::{Operation, operations};

/// The size of the longest instruction of any generation in bytes.
pub const MAX_BYTES: usize = 20;

pub fn known_targets() -> String {
    Target::ALL.iter().map(|t| t.name()).collect::<Vec<_>>().join(", ")
}

/// The target with a name or an alias. The error message lists the known targets.
pub fn parse_target(name: &str) -> Result<Target, String> {
    name.parse::<Target>().map_err(|_| {
        format!("unknown target {:?}; this build knows {}", name.escape_debug().to_string(), known_targets())
    })
}

pub fn reencode(inst: &Inst, out: &mut [u8; MAX_BYTES]) -> Result<usize, String> {
    inst.encode(out).map_err(|e| e.to_string())
}

/// Whether the target has the wave size or the halves of registers that a feature of LLVM stands for.
pub fn is_mode_on(target: Target, feature: &str) -> bool {
    match feature {
        "real-true16" | "true16" => target.has_halves(),
        _ => wave_size(feature) == Some(target.wave_size()),
    }
}

/// The number of lanes in the name of a feature such as `wavefrontsize32`.
pub fn wave_size(feature: &str) -> Option<u16> {
    feature.strip_prefix("wavefrontsize")?.parse().ok()
}
