//! Rules that tie several fields of a form together, derived from its operands: `Rule` in src/table/decode.rs.

use crate::build::kind::{AddressKind, ImageData, ImageKind, OffsetKind, OperandKind, RegisterKind};
use crate::build::lower::form::Form;
use crate::build::lower::sets::type_of;
use crate::build::lower::{NONE, OperandDesc, Target};
use crate::build::model::Piece;
use crate::build::model::error::{Result, SourceLine};
use crate::build::shared::{RuleKind, image, marks};

/// A rule. The fields are given as (lowest bit, width), from the layout of the target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    pub kind: RuleKind,
    /// The field whose value the rule restricts.
    pub field: Piece,
    pub n: u8,
    /// The rule applies if these fields have these values; a width of 0 means no field.
    pub looks: [(Piece, u8); 3],
}

const NOTHING: (Piece, u8) = (Piece { lsb: 0, width: 0 }, 0);

/// The condition that a bit has a value.
fn bit(lsb: u8, value: u8) -> (Piece, u8) {
    (Piece { lsb, width: 1 }, value)
}

/// Adds the rules of a descriptor, and returns other properties of the words, as `marks::*`.
pub fn of(at: &SourceLine, t: &Target, form: &Form, desc: &OperandDesc, rules: &mut Vec<Rule>) -> Result<u8> {
    let field = Piece { lsb: desc.lsb, width: desc.width };
    // Checks that the bits at a position are a field of this width, in one piece.
    let whole = |lsb: u8, width: u8| match form.has_piece(t, Piece { lsb, width }) {
        true => Ok(Piece { lsb, width }),
        false => {
            let kind = desc.kind.name().unwrap_or("?");
            at.err(format!("{kind} looks at {width} bits from bit {lsb}, which are not a field in one piece"))
        }
    };
    let mut add = |kind: RuleKind, field: Piece, n: u8, looks: &[(Piece, u8)]| {
        let look = |n: usize| looks.get(n).copied().filter(|(piece, _)| piece.lsb != NONE).unwrap_or(NOTHING);
        rules.push(Rule { kind, field, n, looks: std::array::from_fn(look) });
    };
    match desc.kind {
        // With both an index and an offset, the address is a register pair. A 64-bit address is also a pair, and
        // excludes index and offset.
        OperandKind::Address(AddressKind::Buffer { offen, idxen, addr64 }) => {
            whole(desc.lsb, 8)?;
            add(RuleKind::RegisterRun, field, 2, &[bit(offen, 1), bit(idxen, 1)]);
            if addr64 != NONE {
                for other in [offen, idxen] {
                    add(RuleKind::Forbidden, Piece { lsb: addr64, width: 1 }, 0, &[bit(addr64, 1), bit(other, 1)]);
                }
                add(RuleKind::RegisterRun, field, 2, &[bit(addr64, 1)]);
            }
        }
        // Without a scalar address, the vector address is a register pair.
        OperandKind::Address(AddressKind::Global { saddr }) => {
            add(RuleKind::RegisterRun, whole(desc.lsb, 8)?, 2, &[(whole(saddr, 7)?, t.code.off as u8)]);
        }
        // The offset is a constant, or its lowest bits are a register's code; another register may have a field of its
        // own.
        OperandKind::Offset(OffsetKind::Sum { soffset, .. }) => add(RuleKind::Scalar, whole(soffset, 7)?, 0, &[]),
        OperandKind::Offset(OffsetKind::Bytes { imm, soffset_en, soffset }) => {
            if soffset_en != NONE {
                add(RuleKind::Scalar, whole(soffset, 7)?, 0, &[bit(soffset_en, 1)]);
            }
            if desc.split.0 != NONE || desc.width < 7 {
                return at.err("smem_offset may be a register's code, for which its field has no room in one piece");
            }
            add(RuleKind::Scalar, Piece { width: 7, ..field }, 0, &[bit(imm, 0), bit(soffset_en, 0)]);
        }
        // Returned data has one more register for the fail status.
        OperandKind::Register(RegisterKind::Data { tfe, .. }) if desc.is_returned() && form.has_tfe(t, desc) => {
            add(RuleKind::RegisterRun, whole(desc.lsb, 8)?, desc.dwords + 1, &[bit(tfe, 1), bit(desc.write_if_bit, 1)]);
        }
        OperandKind::Register(RegisterKind::Data { acc, lds, tfe }) if form.names(t, "lds") => {
            // Data that a load writes to LDS has no accumulation registers and, in a buffer load, no fail status: one
            // bit has either meaning.
            let kind = form.field(t, &desc.field).map(|(field, ..)| type_of(t, form, desc, field));
            let tfe = if kind.as_deref() == Some("flat_data") { NONE } else { tfe };
            let other = if acc == NONE { tfe } else { acc };
            if other != NONE {
                add(RuleKind::Forbidden, Piece { lsb: other, width: 1 }, 0, &[bit(lds, 1), bit(other, 1)]);
            }
            // Only data that does not go to LDS needs the registers.
            if desc.dwords > 1 {
                if form.has_tfe(t, desc) {
                    return at.err(format!("{}: with lds and tfe it may have one register only", desc.field));
                }
                add(RuleKind::RegisterRun, whole(desc.lsb, 8)?, desc.dwords, &[bit(lds, 0)]);
            }
            return Ok(marks::LDS);
        }
        OperandKind::Image(ImageKind::Data { data, dmask, tfe, d16, .. }) => {
            let (what, loads) = match data {
                ImageData::Components => (image::DATA, true),
                ImageData::Gather => (image::GATHER, true),
                ImageData::Atomic => (image::ATOMIC, false),
                ImageData::CompareAndSwap => (image::CMPSWAP, false),
            };
            let packs = loads && form.names(t, "d16") && !t.row.has("unpacked-d16");
            let n = what | if packs { image::D16 } else { 0 };
            add(RuleKind::Image, whole(desc.lsb, 8)?, n, &[(whole(dmask, 4)?, 0), bit(tfe, 0), bit(d16, 0)]);
            return Ok(if packs { marks::D16 } else { 0 });
        }
        // The scalar address and the other address are either both present or both absent.
        OperandKind::Address(AddressKind::Scalar { other, .. }) if other != NONE => {
            let (this, other) = (field, Piece { lsb: other, ..field });
            add(RuleKind::Value, other, t.code.off as u8, &[(this, t.code.off as u8)]);
        }
        // An instruction cannot have literals of 32 and of 64 bits.
        OperandKind::Register(RegisterKind::Code { .. }) if form.has_long_literals() => {
            let long = t.code.literal64 as u8;
            for other in form.trailing_dwords.iter().filter(|d| d.first == t.code.literal64 && d.lsb != desc.lsb) {
                let other = Piece { lsb: other.lsb, width: other.width };
                let short = (field, t.code.literal as u8);
                add(RuleKind::Forbidden, field, 0, &[short, (other, long)]);
            }
        }
        kind if kind.is_sized() => return Ok(marks::SIZED),
        _ => {}
    }
    Ok(0)
}
