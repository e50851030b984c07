//! The library's targets and format layouts.

use amdgpu_isa::Target;
use amdgpu_isa::layout::{FieldInfo, Layout};
use amdgpu_llvm::{USUAL, disassembles, version};

use crate::words::{Extension, Field, FormatLayout, Piece};

/// The enabled targets that are compared with the version of LLVM: all that LLVM 22 knows; with a later version, the
/// targets that LLVM 22 lacks.
pub fn targets() -> Vec<Target> {
    let usual = version() == USUAL;
    known().into_iter().filter(|target| usual || !disassembles(USUAL, *target)).collect()
}

/// The enabled targets that the version of LLVM can disassemble.
pub fn known() -> Vec<Target> {
    let version = version();
    Target::ALL.iter().copied().filter(|target| disassembles(version, *target)).collect()
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
    target.layouts().iter().filter(|l| !l.extension).map(layout).collect()
}

/// The dwords after the base words (literal, SDWA, DPP and others), each with the value of a field that announces it
/// and the format that may have it.
pub fn extensions(target: Target) -> Vec<Extension> {
    let all = target.layouts();
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
