//! Rules that tie several fields of a form together, derived from its operands: `Rule` in src/table/decode.rs.

use crate::build::kind::{AddressKind, ImageData, ImageKind, OffsetKind, OperandKind, RegisterKind};
use crate::build::lower::form::Form;
use crate::build::lower::sets::type_of;
use crate::build::lower::{NONE, OperandDesc, Target};
use crate::build::model::Piece;
use crate::build::model::error::{Result, SourceLine};
use crate::build::shared::{RuleKind, constraint_flags, image};

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

/// Adds the rules of a descriptor, and returns other properties of the words, as `constraint_flags::*`.
pub fn of(at: &SourceLine, t: &Target, form: &Form, desc: &OperandDesc, rules: &mut Vec<Rule>) -> Result<u8> {
    let field = Piece { lsb: desc.lsb, width: desc.width };
    let mut rules = Rules { at, t, form, desc, field, rules };
    match desc.kind {
        OperandKind::Address(kind) => rules.address(kind)?,
        OperandKind::Offset(kind) => rules.offset(kind)?,
        OperandKind::Register(kind) => return rules.register(kind),
        OperandKind::Image(ImageKind::Data { data, dmask, tfe, d16, .. }) => {
            return rules.image_data(data, (dmask, tfe, d16));
        }
        kind if kind.is_sized() => return Ok(constraint_flags::SIZED),
        _ => {}
    }
    Ok(0)
}

/// Adds the rules of a descriptor.
struct Rules<'a> {
    at: &'a SourceLine,
    t: &'a Target<'a>,
    form: &'a Form,
    desc: &'a OperandDesc,
    /// The descriptor's own field.
    field: Piece,
    rules: &'a mut Vec<Rule>,
}

impl Rules<'_> {
    fn add(&mut self, kind: RuleKind, field: Piece, n: u8, looks: &[(Piece, u8)]) {
        let look = |n: usize| looks.get(n).copied().filter(|(piece, _)| piece.lsb != NONE).unwrap_or(NOTHING);
        self.rules.push(Rule { kind, field, n, looks: std::array::from_fn(look) });
    }

    /// Checks that the bits at a position are a field of this width, in one piece.
    fn whole(&self, lsb: u8, width: u8) -> Result<Piece> {
        match self.form.has_piece(self.t, Piece { lsb, width }) {
            true => Ok(Piece { lsb, width }),
            false => {
                let kind = self.desc.kind.name().unwrap_or("?");
                self.at.err(format!("{kind} looks at {width} bits from bit {lsb}, which are not a field in one piece"))
            }
        }
    }

    fn address(&mut self, kind: AddressKind) -> Result<()> {
        match kind {
            // With both an index and an offset, the address is a register pair. A 64-bit address is also a pair, and
            // excludes index and offset.
            AddressKind::Buffer { offen, idxen, addr64 } => {
                self.whole(self.desc.lsb, 8)?;
                self.add(RuleKind::RegisterRun, self.field, 2, &[bit(offen, 1), bit(idxen, 1)]);
                if addr64 != NONE {
                    for other in [offen, idxen] {
                        self.add(
                            RuleKind::Forbidden,
                            Piece { lsb: addr64, width: 1 },
                            0,
                            &[bit(addr64, 1), bit(other, 1)],
                        );
                    }
                    self.add(RuleKind::RegisterRun, self.field, 2, &[bit(addr64, 1)]);
                }
            }
            // Without a scalar address, the vector address is a register pair.
            AddressKind::Global { saddr } => {
                self.add(
                    RuleKind::RegisterRun,
                    self.whole(self.desc.lsb, 8)?,
                    2,
                    &[(self.whole(saddr, 7)?, self.t.code.off as u8)],
                );
            }
            // The scalar address and the other address are either both present or both absent.
            AddressKind::Scalar { other, .. } if other != NONE => {
                let (this, other) = (self.field, Piece { lsb: other, ..self.field });
                self.add(RuleKind::Value, other, self.t.code.off as u8, &[(this, self.t.code.off as u8)]);
            }
            _ => {}
        }
        Ok(())
    }

    fn offset(&mut self, kind: OffsetKind) -> Result<()> {
        match kind {
            // In `Sum`, a register of the offset has a field of its own. In `Bytes`, the offset is a constant, or its
            // lowest bits are a register's code; a second register may have a field of its own.
            OffsetKind::Sum { soffset, .. } => self.add(RuleKind::Scalar, self.whole(soffset, 7)?, 0, &[]),
            OffsetKind::Bytes { imm, soffset_en, soffset } => {
                if soffset_en != NONE {
                    self.add(RuleKind::Scalar, self.whole(soffset, 7)?, 0, &[bit(soffset_en, 1)]);
                }
                if self.desc.split.0 != NONE || self.desc.width < 7 {
                    return self
                        .at
                        .err("smem_offset may be a register's code, for which its field has no room in one piece");
                }
                self.add(RuleKind::Scalar, Piece { width: 7, ..self.field }, 0, &[bit(imm, 0), bit(soffset_en, 0)]);
            }
            _ => {}
        }
        Ok(())
    }

    fn register(&mut self, kind: RegisterKind) -> Result<u8> {
        match kind {
            // Returned data has one more register for the fail status.
            RegisterKind::Data { tfe, .. } if self.desc.is_returned() && self.form.has_tfe(self.t, self.desc) => {
                self.add(
                    RuleKind::RegisterRun,
                    self.whole(self.desc.lsb, 8)?,
                    self.desc.dwords + 1,
                    &[bit(tfe, 1), bit(self.desc.write_if_bit, 1)],
                );
            }
            RegisterKind::Data { acc, lds, tfe } if self.form.names(self.t, "lds") => {
                // Data that a load writes to LDS has no accumulation registers and, in a buffer load, no fail status.
                // The rule forbids the bit that would select them.
                let kind = self
                    .form
                    .field(self.t, &self.desc.field)
                    .map(|(field, ..)| type_of(self.t, self.form, self.desc, field));
                let tfe = if kind.as_deref() == Some("flat_data") { NONE } else { tfe };
                let other = if acc == NONE { tfe } else { acc };
                if other != NONE {
                    self.add(RuleKind::Forbidden, Piece { lsb: other, width: 1 }, 0, &[bit(lds, 1), bit(other, 1)]);
                }
                // Only data that does not go to LDS needs the registers.
                if self.desc.dwords > 1 {
                    if self.form.has_tfe(self.t, self.desc) {
                        return self
                            .at
                            .err(format!("{}: with lds and tfe it may have one register only", self.desc.field));
                    }
                    self.add(RuleKind::RegisterRun, self.whole(self.desc.lsb, 8)?, self.desc.dwords, &[bit(lds, 0)]);
                }
                return Ok(constraint_flags::LDS);
            }
            // An instruction cannot have literals of 32 and of 64 bits.
            RegisterKind::Code { .. } if self.form.has_long_literals() => {
                let long = self.t.code.literal64 as u8;
                for other in self
                    .form
                    .trailing_dwords
                    .iter()
                    .filter(|d| d.first == self.t.code.literal64 && d.lsb != self.desc.lsb)
                {
                    let other = Piece { lsb: other.lsb, width: other.width };
                    let short = (self.field, self.t.code.literal as u8);
                    self.add(RuleKind::Forbidden, self.field, 0, &[short, (other, long)]);
                }
            }
            kind if kind.is_sized() => return Ok(constraint_flags::SIZED),
            _ => {}
        }
        Ok(0)
    }

    fn image_data(&mut self, data: ImageData, (dmask, tfe, d16): (u8, u8, u8)) -> Result<u8> {
        let (what, loads) = match data {
            ImageData::Components => (image::DATA, true),
            ImageData::Gather => (image::GATHER, true),
            ImageData::Atomic => (image::ATOMIC, false),
            ImageData::CompareAndSwap => (image::CMPSWAP, false),
        };
        let packs = loads && self.form.names(self.t, "d16") && !self.t.row.has("unpacked-d16");
        let n = what | if packs { image::D16 } else { 0 };
        self.add(
            RuleKind::Image,
            self.whole(self.desc.lsb, 8)?,
            n,
            &[(self.whole(dmask, 4)?, 0), bit(tfe, 0), bit(d16, 0)],
        );
        Ok(if packs { constraint_flags::D16 } else { 0 })
    }
}
