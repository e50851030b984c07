//! The only file of this test that knows the library: what it says about bytes, and its format layouts.
//!
//! TO CONNECT: until the library has a decoder, everything is refused here and there are no layouts.

use crate::words::{Extension, FormatLayout};

/// One target of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The library's name, and LLVM's `-mcpu`.
    pub name: &'static str,
    /// LLVM's `-mattr`.
    pub features: &'static str,
    /// `EF_AMDGPU_MACH` in the ELF header's flags.
    pub mach: u32,
}

/// The enabled targets.
pub fn targets() -> Vec<Target> {
    // TO CONNECT: amdgpu_isa::Target::ALL, those that LLVM can disassemble (gfx803 and later).
    vec![Target { name: "gfx942", features: "", mach: 0x4c }]
}

/// What the library says about bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(dead_code)] // TO CONNECT: remove
pub enum Ours {
    Inst {
        len: usize,
        text: String,
        format: &'static str,
    },
    /// The reason.
    Refused(String),
}

impl Ours {
    /// One line: `LEN text` or `ERR reason`.
    pub fn line(&self) -> String {
        match self {
            Ours::Inst { len, text, .. } => format!("{len} {text}"),
            Ours::Refused(reason) => format!("ERR {reason}"),
        }
    }
}

pub fn decode(_target: Target, _bytes: &[u8]) -> Ours {
    // TO CONNECT: match amdgpu_isa::decode(target, bytes) {
    //     Ok(inst) => Ours::Inst { len: inst.len(), text: inst.to_string(), format: inst.format().name() },
    //     Err(error) => Ours::Refused(error.to_string()),
    // }
    Ours::Refused("not connected".into())
}

/// Every format of the target, without extension dwords.
pub fn layouts(_target: Target) -> Vec<FormatLayout> {
    // TO CONNECT
    Vec::new()
}

/// Literal, SDWA, SDWAB, DPP: each with the source code that announces it and the formats that may have it.
pub fn extensions(_target: Target) -> Vec<Extension> {
    // TO CONNECT
    Vec::new()
}
