//! Turns the tables into the data of one target: opcode spaces, operations, signatures, constraints, checks and operand
//! descriptors. `src/table.rs` explains these terms.

pub mod cases;
pub mod codes;
pub mod decode;
pub mod encoding;
pub mod facts;
pub mod fast_decode;
pub mod fast_operands;
pub mod fast_texts;
pub mod form;
pub mod hazards;
pub mod kept;
pub mod layout;
pub mod lengths;
#[cfg(any(feature = "meaning", test))]
pub mod meaning;
pub mod operands;
pub mod pages;
pub mod rows;
pub mod rules;
pub mod sets;

use std::collections::BTreeMap;

use crate::build::check::layout_assumptions;
use crate::build::lower::codes::Codes;
use crate::build::lower::rows::{Pool, rows};
use crate::build::lower::rules::Rule;
use crate::build::model::error::Result;
use crate::build::model::*;

pub use crate::build::kind::NONE;
use crate::build::kind::OperandKind;
use crate::build::shared::FIRST_TRAILING_FORM;
pub use crate::build::shared::trailing;

/// The data of one target.
pub struct Target<'a> {
    pub row: &'a TargetRow,
    pub formats: Vec<LFormat<'a>>,
    pub opcode_spaces: Vec<OpcodeSpace>,
    /// The opcode space for each value of the top nine bits of the first dword, counted from one; 0 if there is none.
    pub lut: Vec<u8>,
    pub operations: Vec<Option<Operation>>,
    pub signatures: Vec<FormSignature>,
    pub constraints: Vec<Constraints>,
    pub checks: Vec<Check>,
    pub sets: Vec<[u32; 16]>,
    pub descs: Vec<OperandDesc>,
    pub desc_lists: Vec<u16>,
    pub infos: Vec<Info>,
    pub codes: Vec<&'a CodeRow>,
    pub code: Codes,
}

pub struct LFormat<'a> {
    pub def: &'a Format,
    pub fields: Vec<(&'a Field, Bits)>,
    pub opcode_space: usize,
}

/// Formats that share encoding bits and opcode numbers.
pub struct OpcodeSpace {
    pub name: String,
    pub base: usize,
    /// The number of opcode indices.
    pub size: usize,
    pub dwords: u8,
    pub fixed: Vec<(Bits, u64)>,
    pub op: Piece,
    /// A second opcode field: FLAT's segment, the high part of a split opcode, or the opcode of a second operation.
    pub high_op: Option<Piece>,
    pub high_op_is: HighOp,
    pub formats: Vec<usize>,
}

impl OpcodeSpace {
    /// The opcode index of the second operation's opcode 0, if each instruction is two operations. First and second
    /// operations have separate indices.
    pub fn second_op_base(&self) -> Option<usize> {
        (self.high_op_is == HighOp::Second && self.high_op.is_some()).then(|| self.base + (1 << self.op.width))
    }

    /// Whether the high part of the opcode is in the second dword.
    pub fn ends_in_second_dword(&self) -> bool {
        self.high_op.is_some_and(|s| s.lsb >= 32)
    }

    /// Whether the first two dwords are an instruction of another opcode space, which the next two dwords turn into an
    /// instruction of this space.
    pub fn is_joined(&self) -> bool {
        self.op.lsb >= 64
    }

    /// For a joined opcode space, the fixed bits of the first two dwords and of the third: their masks, and their
    /// values.
    pub fn joint(&self) -> [(u64, u32); 2] {
        let part = |bits: u128| (bits as u64, (bits >> 64) as u32);
        let value = |(bits, value): &(Bits, u64)| u128::from(*value) << bits.pieces[0].lsb;
        let (masks, values) = (self.fixed.iter().map(|f| f.0.mask()), self.fixed.iter().map(value));
        [part(masks.fold(0, |all, m| all | m)), part(values.fold(0, |all, v| all | v))]
    }
}

/// The meaning of the second opcode field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HighOp {
    /// More encoding bits, of formats that share opcode numbers.
    Encoding,
    /// The high part of the opcode.
    Opcode,
    /// The opcode of the second of two operations.
    Second,
}

#[derive(Clone, Debug)]
pub struct Operation {
    pub mnemonic: String,
    /// The spelling in the target's text, if it differs from the mnemonic.
    pub spelling: Option<String>,
    pub format: usize,
    /// The number of the signature in the target's list, counted from one.
    pub signature: usize,
    pub info: usize,
}

/// The facts of a row about its operation, apart from operands.
#[derive(Default, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Info {
    pub reads: Vec<String>,
    pub writes: Vec<String>,
    pub flags: Vec<String>,
    /// Whether the mnemonic is printed with the encoding's suffix, because the target has the operation in two
    /// encodings.
    pub suffix: bool,
    pub respelled: bool,
    /// Whether an operand is a branch distance, or is added to the address of the code.
    pub label: bool,
    /// The operation's step in computing an address.
    pub address: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FormSignature {
    pub format: usize,
    pub constraints: usize,
    pub descs: (usize, usize),
    /// The format of the dword that may follow the base words.
    pub extension: Option<usize>,
    pub suffix: u8,
    pub ignored: u128,
    /// The ignored bits of sources that the operation does not have.
    pub unused: u64,
    /// The values that assemblers write to these sources: up to LLVM 22, and from LLVM 23 on.
    pub fillers: [u64; 2],
    pub sdwa: usize,
    pub dpp: usize,
    /// Dwords that may follow the base words and for which `trailing` has no flag.
    pub trailing_dwords: Vec<TrailingDword>,
}

impl FormSignature {
    /// The trailing dwords, each with the number of the form that it makes; 0 for a literal, which does not make
    /// another form.
    pub fn numbered_trailing(&self) -> impl Iterator<Item = (&TrailingDword, u8)> {
        self.trailing_dwords.iter().scan(FIRST_TRAILING_FORM - 1, |last, f| {
            *last += u8::from(f.form != 0);
            Some((f, if f.form == 0 { 0 } else { *last }))
        })
    }
}

/// A dword that follows the base words if a field holds one of these codes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TrailingDword {
    pub lsb: u8,
    pub width: u8,
    pub first: u16,
    pub last: u16,
    /// The number of dwords that follow.
    pub dwords: u8,
    /// The signature of the form that the dword makes, counted from one; 0 for a literal, which does not make another
    /// form.
    pub form: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Constraints {
    pub mask: u128,
    pub value: u128,
    pub checks: (usize, usize),
    /// The checks of fields after the first 64 bits.
    pub high_checks: (usize, usize),
    /// The dwords that can follow, as `trailing::*` in src/shared.rs.
    pub trailing: u8,
    /// The flags, as `constraint_flags::*` in src/shared.rs.
    pub flags: u8,
    pub rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Check {
    pub field: String,
    pub lsb: u8,
    pub width: u8,
    pub hi: u8,
    pub shift: u8,
    pub add: u16,
    pub set: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OperandDesc {
    pub kind: OperandKind,
    pub field: String,
    pub lsb: u8,
    pub width: u8,
    pub split: (u8, u8),
    /// The mask of the bits of the value that the operation uses.
    pub used_bits: u8,
    pub shift: u8,
    pub add: u16,
    pub ty: String,
    pub dwords: u8,
    pub access: Option<Access>,
    /// The bit that makes the operation return a value: the operand is only written, or only exists, if the bit is set.
    pub write_if_bit: u8,
}

/// The trait of targets on which runs of scalar registers may end in vcc.
const VCC_IN_RUNS: &str = "vcc-in-runs";

impl Target<'_> {
    /// The code of the last scalar register.
    pub fn sgpr_last(&self) -> u16 {
        let range = self.codes.iter().find(|c| c.class == "sgpr").and_then(|c| c.range.of(&self.row.name));
        range.map_or(0, |&(_, last)| last)
    }

    /// The greatest code with which a run of scalar registers can end.
    pub fn sgpr_run_last(&self) -> u16 {
        if self.row.has(VCC_IN_RUNS) { self.code.vcc + 1 } else { self.sgpr_last() }
    }

    /// The number of vector registers that runs of registers can contain; operand codes exist only for the first 256.
    pub fn vgprs(&self) -> u16 {
        if self.row.has("vgprs-1024") { 1024 } else { self.code.vgpr.1 - self.code.vgpr.0 + 1 }
    }
}

impl OperandDesc {
    /// Whether the operand is a destination that exists only if the operation returns a value.
    pub fn is_returned(&self) -> bool {
        self.access == Some(Access::Write) && self.write_if_bit != NONE
    }
}

pub fn target<'a>(isa: &'a Isa, row: &'a TargetRow) -> Result<Target<'a>> {
    let mut t = Target {
        row,
        formats: Vec::new(),
        opcode_spaces: Vec::new(),
        lut: vec![0; 512],
        operations: Vec::new(),
        signatures: Vec::new(),
        constraints: Vec::new(),
        checks: Vec::new(),
        sets: Vec::new(),
        descs: Vec::new(),
        desc_lists: Vec::new(),
        infos: Vec::new(),
        codes: isa.codes.iter().filter(|c| c.range.of(&row.name).is_some()).collect(),
        code: Codes::of(isa, &row.name),
    };
    if t.row.has(VCC_IN_RUNS) && t.code.vcc != t.sgpr_last() + 1 {
        return row.at.err("vcc-in-runs: vcc does not follow the last scalar register");
    }
    formats(isa, &mut t)?;
    opcode_spaces(&mut t)?;
    lut(&mut t)?;
    let mut pool = Pool::default();
    for f in 0..t.opcode_spaces.len() {
        for i in t.opcode_spaces[f].formats.clone() {
            rows(isa, &mut t, &mut pool, i)?;
        }
    }
    layout_assumptions::counts(&t)?;
    suffixes(&mut t);
    Ok(t)
}

fn formats<'a>(isa: &'a Isa, t: &mut Target<'a>) -> Result<()> {
    for def in &isa.formats {
        let fields: Vec<_> = def.fields.iter().filter_map(|f| f.bits.of(&t.row.name).map(|b| (f, b.clone()))).collect();
        if fields.is_empty() {
            continue;
        }
        let mut seen = 0u128;
        for (f, b) in &fields {
            if !isa.operand_types.iter().any(|k| k.name == f.operand_type) && !["enc", "op"].contains(&&*f.operand_type)
            {
                return f.at.err(format!("unknown operand type `{}`", f.operand_type));
            }
            if b.mask().checked_shr(def.bits.into()).is_some_and(|m| m != 0) {
                return f.at.err(format!("field {} reaches past bit {}", f.name, def.bits - 1));
            }
            if (f.operand_type == "enc") != b.fixed.is_some() && f.operand_type != "reserved" {
                return f.at.err("fixed bits are of operand type `enc` or `reserved`, and bits of `enc` are fixed");
            }
            if b.pieces.iter().any(|p| p.lsb < 64 && p.lsb + p.width > 64) {
                return f.at.err(format!("field {} lies across bit 64, where the library cannot read it", f.name));
            }
            if f.overlay {
                if b.mask() & !seen != 0 {
                    return f.at.err(format!("overlay {} lies over no other field", f.name));
                }
                continue;
            }
            if b.mask() & seen != 0 {
                return f.at.err(format!("field {} overlaps another", f.name));
            }
            seen |= b.mask();
        }
        let all = if def.bits == 128 { u128::MAX } else { (1u128 << def.bits) - 1 };
        if seen != all {
            let gap = (!seen & all).trailing_zeros();
            return def.at.err(format!("bit {gap} of {} is in no field", def.name));
        }
        if def.source.place(&t.row.name).is_empty() {
            return def.at.err(format!("format {} lacks a source on {}", def.name, t.row.name));
        }
        t.formats.push(LFormat { def, fields, opcode_space: usize::MAX });
    }
    Ok(())
}

fn opcode_spaces(t: &mut Target) -> Result<()> {
    for i in 0..t.formats.len() {
        if !t.formats[i].def.extension {
            let space = opcode_space(t, i)?;
            t.opcode_spaces[space].formats.push(i);
            t.formats[i].opcode_space = space;
        }
    }
    Ok(())
}

/// The number of a format's opcode space, which is added unless the format shares the space of an earlier one.
fn opcode_space(t: &mut Target, format: usize) -> Result<usize> {
    let LFormat { def, fields, .. } = &t.formats[format];
    let def = *def;
    let encoding = fields.iter().filter(|(f, _)| f.operand_type == "enc");
    let fixed: Vec<(Bits, u64)> = encoding.filter_map(|(_, b)| b.fixed.map(|v| (b.clone(), v))).collect();
    let (op, op_high) = opcode_pieces(fields);
    let Some((enc, further)) = fixed.split_first() else {
        return def.at.err(format!("format {} has no encoding bits", def.name));
    };
    // A piece has to end within the first three dwords.
    let placed = |p: &Piece| p.lsb + p.width <= 96;
    let all_placed = fixed.iter().all(|(b, _)| b.pieces.len() == 1 && placed(&b.pieces[0]));
    if op.lsb >= 64 && placed(&op) && all_placed && def.shares.is_none() && op_high.is_none() {
        return Ok(add_opcode_space(t, def, fixed, op, (None, HighOp::Opcode)));
    }
    let within = |p: &Piece, low: u8| p.lsb >= low && p.lsb + p.width <= 32;
    if enc.0.pieces.len() > 1 || !within(&enc.0.pieces[0], 23) {
        return def.at.err("the first encoding field must lie in bits 31:23");
    }
    let high_op = further.first().map(|(b, _)| b.pieces[0]).or(op_high);
    let high_op_is = match (further.first(), &def.dual) {
        (Some(_), _) => HighOp::Encoding,
        (None, None) => HighOp::Opcode,
        (None, Some(_)) => HighOp::Second,
    };
    if def.dual.is_some() && op_high.is_none() {
        return def.at.err("a format with `dual` has an opcode in two pieces, that of the second operation first");
    }
    if further.len() + usize::from(op_high.is_some()) > 1 || further.iter().any(|(b, _)| b.pieces.len() > 1) {
        return def.at.err("more than one further encoding field, or a split one, is not supported yet");
    }
    let in_second = |p: &Piece| p.lsb >= 32 && p.lsb + p.width <= 64 && high_op_is == HighOp::Opcode;
    if !within(&op, 0) || high_op.is_some_and(|p| !within(&p, 0) && !in_second(&p)) {
        return def.at.err("the opcode must lie in the first dword, or its high part in the second");
    }
    let Some(name) = &def.shares else {
        return Ok(add_opcode_space(t, def, vec![enc.clone()], op, (high_op, high_op_is)));
    };
    let Some(number) = t.opcode_spaces.iter().position(|space| &space.name == name) else {
        return def.at.err(format!("shares {name}, which is not an earlier format"));
    };
    let space = &t.opcode_spaces[number];
    if space.op != op || space.high_op != high_op || space.fixed[0] != *enc || space.dwords != def.bits / 32 {
        return def.at.err(format!("encoding or opcode bits differ from those of {name}"));
    }
    Ok(number)
}

/// The low and the high piece of the opcode field. A format with a single operation has no opcode field.
fn opcode_pieces(fields: &[(&Field, Bits)]) -> (Piece, Option<Piece>) {
    let none = Piece { lsb: 0, width: 0 };
    let pieces = fields.iter().find(|(f, _)| f.operand_type == "op").map_or(&[][..], |(_, b)| &b.pieces);
    match pieces {
        // Another check refuses a third piece.
        [op, high, ..] => (*op, Some(*high)),
        [op] => (*op, None),
        [] => (none, None),
    }
}

/// Adds an opcode space after all others. Returns its number.
fn add_opcode_space(
    t: &mut Target,
    def: &Format,
    fixed: Vec<(Bits, u64)>,
    op: Piece,
    (high_op, high_op_is): (Option<Piece>, HighOp),
) -> usize {
    let base = t.opcode_spaces.last().map_or(0, |space| space.base + space.size);
    let size = match (high_op_is, high_op) {
        (HighOp::Second, Some(second)) => (1 << op.width) + (1 << second.width),
        _ => 1usize << (op.width + high_op.map_or(0, |piece| piece.width)),
    };
    let (name, dwords, formats) = (def.name.clone(), def.bits / 32, Vec::new());
    t.opcode_spaces.push(OpcodeSpace { name, base, size, dwords, fixed, op, high_op, high_op_is, formats });
    t.operations.resize(base + size, None);
    t.opcode_spaces.len() - 1
}

/// Assigns the values of the top nine bits to opcode spaces. The most specific encoding wins: the encoding bits of SOP1
/// also match those of SOP2.
fn lut(t: &mut Target) -> Result<()> {
    for top in 0..512u32 {
        let word = u128::from(top) << 23;
        let mut best: Option<(u32, usize)> = None;
        for (i, f) in t.opcode_spaces.iter().enumerate().filter(|(_, f)| !f.is_joined()) {
            let (bits, value) = &f.fixed[0];
            let piece = bits.pieces[0];
            if (word & bits.mask()) >> piece.lsb != u128::from(*value) {
                continue;
            }
            let n = bits.mask().count_ones();
            if best.is_none_or(|(m, _)| n > m) {
                best = Some((n, i));
            }
        }
        t.lut[top as usize] = best.map_or(0, |(_, i)| i as u8 + 1);
    }
    for (i, f) in t.opcode_spaces.iter().enumerate() {
        if !f.is_joined() && !t.lut.contains(&(i as u8 + 1)) {
            return t.row.at.err(format!("the encoding bits of {} are hidden by another format", f.name));
        }
    }
    Ok(())
}

/// Marks the operations whose mnemonic is printed with `_e32` or `_e64`: the operations that the target has in both
/// encodings.
fn suffixes(t: &mut Target) {
    let mut widths: BTreeMap<String, u8> = BTreeMap::new();
    let vector = |t: &Target, s: &Operation| match t.formats[s.format].def.suffix.as_str() {
        "e32" => 1,
        "e64" => 2,
        _ => 0,
    };
    for s in t.operations.iter().flatten() {
        *widths.entry(s.mnemonic.clone()).or_default() |= vector(t, s);
    }
    for i in 0..t.operations.len() {
        let Some(s) = &t.operations[i] else { continue };
        if vector(t, s) != 0 && widths[&s.mnemonic] == 3 {
            let info = Info { suffix: true, ..t.infos[s.info].clone() };
            let n = t.infos.iter().position(|x| *x == info).unwrap_or_else(|| {
                t.infos.push(info);
                t.infos.len() - 1
            });
            t.operations[i].as_mut().expect("is some").info = n;
        }
    }
}
