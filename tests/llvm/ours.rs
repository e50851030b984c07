//! The only file of this test that uses the library: its answers about bytes, and its format layouts.

use amdgpu_isa::layout::{FieldInfo, Layout};

use crate::words::{Extension, Field, FormatLayout, Piece};

/// One target of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The library's name.
    pub name: &'static str,
    /// LLVM's `-mcpu`.
    pub processor: &'static str,
    /// LLVM's `-mattr`.
    pub features: &'static str,
    /// `EF_AMDGPU_MACH` in the ELF header's flags.
    pub mach: u32,
    /// Lanes of a wave.
    pub lanes: u16,
}

/// The enabled targets that are compared with the version of LLVM: all that LLVM 22 knows; with a later one, those that
/// came later.
pub fn targets() -> Vec<Target> {
    let usual = crate::oracle::is_usual();
    known().into_iter().filter(|target| usual || !is_known(target.processor, 22)).collect()
}

/// Whether a version of LLVM knows the processor.
pub fn is_known(processor: &str, version: u32) -> bool {
    version > 22 || !crate::assembler::NEWER.contains(&processor)
}

/// The enabled targets that the version of LLVM can disassemble: all but the first two generations and those that it
/// does not know.
pub fn known() -> Vec<Target> {
    let version = crate::oracle::version();
    let known = amdgpu_isa::Target::ALL.iter().filter(|t| is_known(t.processor(), version));
    let known = known.filter(|t| !t.name().starts_with("gfx6") && !t.name().starts_with("gfx7"));
    known
        .map(|t| Target {
            name: t.name(),
            processor: t.processor(),
            features: features(t),
            mach: t.mach(),
            lanes: t.wave_size(),
        })
        .collect()
}

/// From RDNA3 on, halves of registers have their own names; on some targets LLVM only knows them with this feature.
fn features(target: &amdgpu_isa::Target) -> &'static str {
    match (target.processor().starts_with("gfx1"), target.wave_size()) {
        (true, 64) => "+real-true16,+wavefrontsize64",
        (true, _) => "+real-true16",
        _ => "",
    }
}

/// The library's answer about bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// Bytes of the instruction.
    pub fn len(&self) -> Option<usize> {
        match self {
            Ours::Inst { len, .. } => Some(*len),
            Ours::Refused(_) => None,
        }
    }

    /// One line: `LEN text` or `ERR reason`.
    pub fn line(&self) -> String {
        match self {
            Ours::Inst { len, text, .. } => format!("{len} {text}"),
            Ours::Refused(reason) => format!("ERR {reason}"),
        }
    }
}

pub fn library(target: Target) -> amdgpu_isa::Target {
    target.name.parse().expect("the name came from the library")
}

pub fn decode(target: Target, bytes: &[u8]) -> Ours {
    match amdgpu_isa::decode(library(target), bytes) {
        Ok(inst) => Ours::Inst { len: inst.len(), text: inst.to_string(), format: inst.format().name() },
        Err(error) => Ours::Refused(error.to_string()),
    }
}

fn fields(layout: &Layout) -> Vec<Field> {
    let plain = |f: &&FieldInfo| f.fixed.is_none() && f.field.name() != "op" && f.field.name() != "reserved";
    layout.fields.iter().filter(plain).map(|f| Field { name: f.field.name().into(), pieces: pieces(f) }).collect()
}

fn pieces(f: &FieldInfo) -> Vec<Piece> {
    let mut pieces = vec![Piece { lsb: f.lsb.into(), width: f.width.into() }];
    if f.hi_width > 0 {
        pieces.push(Piece { lsb: f.hi.into(), width: f.hi_width.into() });
    }
    pieces
}

/// Every format of the target, without extension dwords.
pub fn layouts(target: Target) -> Vec<FormatLayout> {
    let layout = |l: &Layout| {
        let (mut mask, mut value) = (0, 0);
        for f in l.fields {
            if let Some(fixed) = f.fixed {
                mask |= ((1u128 << f.width) - 1) << f.lsb;
                value |= u128::from(fixed) << f.lsb;
            }
        }
        let op = l.fields.iter().find(|f| f.field.name() == "op").map(pieces).unwrap_or_default();
        let name = l.format.name().into();
        FormatLayout { name, bits: l.bits.into(), fixed: (mask, value), op, fields: fields(l) }
    };
    library(target).layouts().iter().filter(|l| !l.extension).map(layout).collect()
}

/// Literal, SDWA, SDWAB, DPP: each with the source code that announces it and the format that may have it.
pub fn extensions(target: Target) -> Vec<Extension> {
    let all = library(target).layouts();
    let extension =
        |base: &Layout, &amdgpu_isa::layout::Extension { field, code, format, .. }: &amdgpu_isa::layout::Extension| {
            let layout = all.iter().find(|l| l.format == format).expect("announced formats exist");
            Extension {
                name: format.name().into(),
                bases: vec![base.format.name().into()],
                field: field.name().into(),
                code: code.into(),
                fields: fields(layout),
            }
        };
    all.iter().flat_map(|base| base.extends.iter().map(move |e| extension(base, e))).collect()
}
