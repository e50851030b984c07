//! The tables of a target: formats, operations with their operands, and the names of numbers. docs/isa-json.md
//! describes these structs as JSON.

use amdgpu_isa::facts::Flag;
use amdgpu_isa::layout::Extension;
use amdgpu_isa::meaning::OperandData;
use amdgpu_isa::signature::{CodeSet, OperandSignature, Signature, Takes};
use amdgpu_isa::{Access, Format, Opcode};
use serde::Serialize;

use super::Target;
use super::formula::Tree;

#[derive(Serialize)]
pub struct Tables {
    pub name: &'static str,
    pub generation: &'static str,
    pub elf_machines: &'static [u32],
    pub aliases: &'static [&'static str],
    pub wave_size: u16,
    pub dual_banks: Option<DualBanks>,
    pub formats: Vec<Layout>,
    pub operand_codes: Vec<CodeRun>,
    /// Sets of operand codes, each a list of runs. Operands refer to them by index.
    pub code_sets: Vec<Vec<(u16, u16)>>,
    pub enumerations: Vec<Enumeration>,
    pub operations: Vec<Operation>,
}

/// The numbers of register banks, and the exceptions to the rule that two operations of one instruction use different
/// banks.
#[derive(Serialize)]
pub struct DualBanks {
    pub sources: u16,
    pub others: u16,
    pub moves: bool,
    pub equal: bool,
}

#[derive(Serialize)]
pub struct Layout {
    pub name: &'static str,
    pub bits: u8,
    pub extension: bool,
    pub source: &'static str,
    pub fields: Vec<Field>,
    pub extends: Vec<Extends>,
}

#[derive(Serialize)]
pub struct Field {
    pub name: &'static str,
    pub pieces: Vec<Piece>,
    pub fixed: Option<u16>,
    pub overlay: bool,
    pub about: &'static str,
}

#[derive(Serialize)]
pub struct Piece {
    pub lsb: u8,
    pub width: u8,
}

#[derive(Serialize)]
pub struct Extends {
    pub field: &'static str,
    pub code: u16,
    pub format: &'static str,
}

#[derive(Serialize)]
pub struct CodeRun {
    pub first: u16,
    pub last: u16,
    pub name: &'static str,
    pub pair: Option<&'static str>,
}

#[derive(Serialize)]
pub struct Enumeration {
    pub name: &'static str,
    pub values: Vec<EnumValue>,
}

#[derive(Serialize)]
pub struct EnumValue {
    pub value: u16,
    pub name: &'static str,
}

/// An operation in a format.
#[derive(Serialize)]
pub struct Operation {
    pub name: &'static str,
    /// The number of the operation on all targets.
    pub id: u16,
    pub mnemonic: &'static str,
    pub format: &'static str,
    pub number: u16,
    pub meaning: Option<Meaning>,
    /// The operation with swapped sources.
    pub swapped: Option<&'static str>,
    pub passes: Option<[u8; 2]>,
    /// The places that the operation can have in a dual instruction: `x`, `y` or both.
    pub halves: Option<Vec<&'static str>>,
    pub forms: Vec<Form>,
}

/// The meaning of an operation: its result as a formula or a sentence.
#[derive(Serialize)]
pub struct Meaning {
    pub text: &'static str,
    pub tree: Tree,
}

#[derive(Serialize)]
pub struct Form {
    pub extension: Option<&'static str>,
    pub operands: Vec<Operand>,
    pub modifiers: Vec<Modifier>,
    pub implicit: Vec<Implicit>,
    pub scalar_limit: Option<u8>,
    pub flags: Vec<&'static str>,
}

#[derive(Serialize)]
pub struct Operand {
    pub field: &'static str,
    #[serde(rename = "type")]
    pub ty: &'static str,
    pub count: u16,
    pub data: Data,
    pub bits: u16,
    pub most_bits: u16,
    pub access: &'static str,
    pub returned: Option<&'static str>,
    pub optional: bool,
    /// The kinds of values that the operand accepts.
    pub takes: Vec<&'static str>,
    pub codes: usize,
    pub first: u16,
    pub scale: u8,
    pub immediate: Option<Immediate>,
    pub scalar_alignment: u8,
    pub vector_alignment: u8,
    pub others: Vec<&'static str>,
}

/// The data that the operation reads or writes in an operand.
#[derive(Serialize)]
pub struct Data {
    #[serde(rename = "type")]
    pub ty: String,
    pub count: u16,
    pub stated: bool,
}

#[derive(Serialize)]
pub struct Immediate {
    pub kind: &'static str,
    pub bits: u8,
    pub min: i32,
    pub max: i32,
}

#[derive(Serialize)]
pub struct Modifier {
    pub field: &'static str,
    pub bits: u8,
    pub signed: bool,
    pub mask: u32,
    /// The runs of valid values; `None`: all values are valid.
    pub values: Option<Vec<(u32, u32)>>,
}

#[derive(Serialize)]
pub struct Implicit {
    pub register: String,
    pub bits: u16,
    pub access: &'static str,
    pub when: Option<&'static str>,
}

pub fn tables(target: Target) -> Tables {
    let mut sets = Vec::new();
    let operations = operations(target, &mut sets);
    let runs = |set: &CodeSet| set.ranges().collect();
    Tables {
        name: target.name(),
        generation: target.generation(),
        elf_machines: target.machs(),
        aliases: target.aliases(),
        wave_size: target.wave_size(),
        dual_banks: target.dual_banks().map(|banks| DualBanks {
            sources: banks.sources,
            others: banks.others,
            moves: banks.moves,
            equal: banks.equal,
        }),
        formats: target.layouts().iter().map(layout).collect(),
        operand_codes: target.operand_codes().map(code_run).collect(),
        code_sets: sets.iter().map(runs).collect(),
        enumerations: target.enumerations().map(enumeration).collect(),
        operations,
    }
}

fn layout(layout: &amdgpu_isa::layout::Layout) -> Layout {
    let field = |f: &amdgpu_isa::layout::FieldInfo| {
        let pieces = [(f.lsb, f.width), (f.hi, f.hi_width)].into_iter().filter(|(_, width)| *width > 0);
        Field {
            name: f.field.name(),
            pieces: pieces.map(|(lsb, width)| Piece { lsb, width }).collect(),
            fixed: f.fixed,
            overlay: f.overlay,
            about: f.about(),
        }
    };
    let extends = layout.extends.iter().map(|&Extension { field, code, format, .. }| Extends {
        field: field.name(),
        code,
        format: format.name(),
    });
    Layout {
        name: layout.format.name(),
        bits: layout.bits,
        extension: layout.extension,
        source: layout.source(),
        fields: layout.fields.iter().map(field).collect(),
        extends: extends.collect(),
    }
}

fn code_run(run: amdgpu_isa::signature::CodeRun) -> CodeRun {
    let pair = Some(run.pair).filter(|pair| !pair.is_empty());
    CodeRun { first: run.first, last: run.last, name: run.name, pair }
}

fn enumeration(all: amdgpu_isa::signature::Enumeration) -> Enumeration {
    let values = all.values.iter().map(|&(value, name)| EnumValue { value, name }).collect();
    Enumeration { name: all.name, values }
}

/// All operations, sorted by format and then by number.
fn operations(target: Target, sets: &mut Vec<CodeSet>) -> Vec<Operation> {
    let signatures = Opcode::ALL.iter().flat_map(|op| op.signatures(target));
    let mut signatures: Vec<Signature> = signatures.collect();
    signatures.sort_by_key(|s| (s.format().name(), s.number()));
    let same = |a: &Signature, b: &Signature| (a.format(), a.number()) == (b.format(), b.number());
    let operation = |forms: &[Signature]| {
        let first = forms.first()?;
        Some(Operation {
            name: first.opcode().name(),
            id: first.opcode().number(),
            mnemonic: first.mnemonic(),
            format: first.format().name(),
            number: first.number(),
            meaning: first.opcode().meaning(target).map(|text| Meaning { text, tree: Tree::of(text) }),
            swapped: first.flags().is_commutable().then(|| first.opcode().swapped().name()),
            passes: first.passes(),
            halves: first.halves().map(|can| {
                let names = [("x", can[0]), ("y", can[1])];
                names.into_iter().filter(|(_, can)| *can).map(|(name, _)| name).collect()
            }),
            forms: forms.iter().map(|s| form(s, sets)).collect(),
        })
    };
    signatures.chunk_by(same).filter_map(operation).collect()
}

fn form(signature: &Signature, sets: &mut Vec<CodeSet>) -> Form {
    let modifier = |m: amdgpu_isa::signature::ModifierSignature| Modifier {
        field: m.field.name(),
        bits: m.bits,
        signed: m.signed,
        mask: m.mask,
        values: m.ranges().map(Iterator::collect),
    };
    let implicit = |i: amdgpu_isa::signature::ImplicitSignature| Implicit {
        register: i.reg.to_string(),
        bits: i.bits,
        access: access(i.access),
        when: i.when.map(|field| field.name()),
    };
    Form {
        extension: signature.extension().map(Format::name),
        operands: signature.operands().zip(signature.data()).map(|(o, data)| operand(&o, data, sets)).collect(),
        modifiers: signature.modifiers().map(modifier).collect(),
        implicit: signature.implicit().map(implicit).collect(),
        scalar_limit: signature.scalar_limit(),
        flags: signature.flags().iter().map(Flag::name).collect(),
    }
}

fn operand(o: &OperandSignature, data: OperandData, sets: &mut Vec<CodeSet>) -> Operand {
    let codes = sets.iter().position(|set| *set == o.takes.codes).unwrap_or_else(|| {
        sets.push(o.takes.codes);
        sets.len() - 1
    });
    let mut others: Vec<&str> = o.others().map(|field| field.name()).collect();
    others.sort_unstable();
    others.dedup();
    Operand {
        field: o.field.name(),
        ty: o.ty.name(),
        count: o.count(),
        data: Data {
            ty: data.ty.map_or_else(|| format!("b{}", data.bits), |ty| ty.to_string()),
            count: data.count,
            stated: data.stated,
        },
        bits: o.bits,
        most_bits: o.most_bits,
        access: access(o.access),
        returned: o.returned.map(|field| field.name()),
        optional: o.optional,
        takes: takes(&o.takes),
        codes,
        first: o.first,
        scale: o.scale,
        immediate: o.takes.immediate.map(|imm| Immediate {
            kind: imm.kind.name(),
            bits: imm.bits,
            min: imm.min,
            max: imm.max,
        }),
        scalar_alignment: o.scalar_alignment(),
        vector_alignment: o.vector_alignment(),
        others,
    }
}

fn takes(takes: &Takes) -> Vec<&'static str> {
    let all = [
        ("sgpr", takes.sgprs()),
        ("ttmp", takes.ttmps()),
        ("special", takes.specials()),
        ("vgpr", takes.vgprs()),
        ("vgpr_high", takes.halves),
        ("agpr", takes.agprs()),
        ("int", takes.ints()),
        ("float", takes.floats()),
        ("literal", takes.literal()),
        ("literal64", takes.literal64()),
        ("vcc", takes.vcc),
        ("off", takes.off),
        ("immediate", takes.immediate.is_some()),
    ];
    all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

fn access(access: Access) -> &'static str {
    match access {
        Access::Read => "r",
        Access::Write => "w",
        Access::ReadWrite => "rw",
    }
}
