//! The operations of a target, by format and number.

use amdgpu_isa::facts::Flag;
use amdgpu_isa::layout::Layout;
use amdgpu_isa::signature::Signature;
use amdgpu_isa::{Field, Opcode, Target};
use serde::Serialize;

#[derive(Serialize)]
pub struct Map {
    format: &'static str,
    /// The place of the format in the manual.
    source: &'static str,
    bits: u8,
    /// The bits of the field `op`. The map has a cell for each value.
    op_bits: u8,
    fields: Vec<MapField>,
    operations: Vec<Operation>,
}

#[derive(Serialize)]
struct MapField {
    name: &'static str,
    pieces: Vec<(u8, u8)>,
    fixed: Option<u16>,
    about: &'static str,
}

#[derive(Serialize)]
struct Operation {
    number: u16,
    mnemonic: &'static str,
    /// The name that all targets share.
    opcode: &'static str,
    /// The operands and their types: `vdst:f32 src0:f32`.
    operands: String,
    flags: Vec<&'static str>,
    /// The dwords that can follow the instruction, such as SDWA and DPP.
    extensions: Vec<&'static str>,
}

pub fn all(target: Target) -> Vec<Map> {
    let mut signatures: Vec<Signature> = Opcode::ALL.iter().flat_map(|opcode| opcode.signatures(target)).collect();
    signatures.sort_by_key(|s| (s.format().name(), s.number(), s.opcode().name()));
    let map = |layout: &Layout| {
        let of_format: Vec<Signature> = signatures.iter().filter(|s| s.format() == layout.format).copied().collect();
        let same = |a: &Signature, b: &Signature| (a.number(), a.opcode()) == (b.number(), b.opcode());
        Map {
            format: layout.format.name(),
            source: layout.source(),
            bits: layout.bits,
            op_bits: layout.fields.iter().find(|f| f.field == Field::Op).map_or(0, |f| f.width + f.hi_width),
            fields: layout.fields.iter().filter(|f| !f.overlay).map(map_field).collect(),
            operations: of_format.chunk_by(same).filter_map(operation).collect(),
        }
    };
    let maps = target.layouts().iter().filter(|layout| !layout.extension).map(map);
    maps.filter(|map| !map.operations.is_empty()).collect()
}

fn map_field(info: &amdgpu_isa::layout::FieldInfo) -> MapField {
    let pieces = [(info.lsb, info.width), (info.hi, info.hi_width)].into_iter().filter(|(_, width)| *width > 0);
    MapField { name: info.field.name(), pieces: pieces.collect(), fixed: info.fixed, about: info.about() }
}

fn operation(forms: &[Signature]) -> Option<Operation> {
    let first = forms.first()?;
    let operands = first.operands().map(|o| match (o.ty.bits(), o.count()) {
        (None, _) => format!("{}:{}{}", o.field.name(), o.ty.name(), o.bits),
        (_, ..=1) => format!("{}:{}", o.field.name(), o.ty.name()),
        (_, count) => format!("{}:{}x{count}", o.field.name(), o.ty.name()),
    });
    Some(Operation {
        number: first.number(),
        mnemonic: first.mnemonic(),
        opcode: first.opcode().name(),
        operands: operands.collect::<Vec<_>>().join(" "),
        flags: first.flags().iter().map(Flag::name).collect(),
        extensions: forms.iter().filter_map(|s| s.extension()).map(|format| format.name()).collect(),
    })
}
