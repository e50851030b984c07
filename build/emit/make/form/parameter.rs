//! Adds the parameters of modifiers and numbers to a function.

use super::parts::Parts;
use super::{Form, is_data, modifier_set};
use crate::build::emit::camel;
use crate::build::emit::make::form::Variant;
use crate::build::emit::make::{Shared, field, operand};
use crate::build::kind::{ModifierKind, ModifierList, Notation, NumberKind, NumberList, OperandKind, RegisterKind};
use crate::build::lower::{NONE, OperandDesc};
use crate::build::model::Access;
use crate::build::model::error::Result;
use crate::build::writer::put;

/// An operand or modifier that becomes a parameter.
pub struct Slot<'a> {
    /// The descriptor, with as many bits as the values of the field need.
    pub desc: &'a OperandDesc,
    /// Whether the field has more bits than `desc`. The additional bits are zero, so a number has no sign.
    pub is_unsigned: bool,
    /// The name of the parameter.
    pub name: &'a str,
    /// The field, as a variant of `Field`.
    pub field: &'a str,
    /// The name of the operand's kind, for the tests.
    pub kind: &'a str,
}

impl Slot<'_> {
    /// Adds the parameter for a number of up to 16 bits. `kind` is the name of its kind, for the tests.
    fn number(&self, parts: &mut Parts, ty: &str, kind: &str) {
        let Slot { name, field, desc: OperandDesc { lsb, width, .. }, .. } = self;
        put!(parts.calls, ".number({field}, {lsb}, {width}, {}, {name} as i64)", ty == "i16");
        parts.parameter(name, ty.into(), format!("{kind} {width}"));
    }
}

impl Form<'_> {
    /// Adds the parameter of an operand or modifier, unless it is implicit or optional.
    pub fn parameter(&self, desc: &OperandDesc, parts: &mut Parts, shared: &mut Shared) -> Result<()> {
        let free = modifier_set::free_width(self.constraints, self.values_of(desc), desc);
        let slot = Slot {
            desc: &OperandDesc { width: free, ..desc.clone() },
            is_unsigned: free != desc.width,
            name: &desc.field.to_lowercase(),
            field: &field(&desc.field),
            kind: desc.kind.name().unwrap_or("?"),
        };
        match desc.kind {
            OperandKind::Modifier(kind) if desc.access.is_none() => self.modifier(&slot, kind, parts),
            _ if desc.access.is_none() => Ok(()),
            OperandKind::Register(RegisterKind::Vcc) => Ok(()),
            OperandKind::Number(number) => self.number(&slot, number, parts, shared),
            _ if self.variant == Variant::Returns(false) && desc.is_returned() => Ok(()),
            _ if self.variant == Variant::Lds(true) && is_data(desc) => Ok(()),
            _ if desc.kind.is_image_address() => {
                self.image_address(&slot, parts, shared);
                Ok(())
            }
            _ => self.operand(&slot, parts, shared),
        }
    }

    /// Adds the parameter of a modifier that has no default.
    fn modifier(&self, slot: &Slot, kind: ModifierKind, parts: &mut Parts) -> Result<()> {
        let Form { t, constraints, .. } = *self;
        let Slot { name, field, desc, .. } = slot;
        let (lsb, width) = (desc.lsb, desc.width);
        let is_matrix = |i: &&OperandDesc| matches!(i.kind, OperandKind::Register(RegisterKind::Matrix { .. }));
        match kind {
            ModifierKind::Dmask => slot.number(parts, "u16", "dmask"),
            ModifierKind::Choice(ModifierList::Dim) => slot.number(parts, "u16", "dim"),
            ModifierKind::Named if ["cbsz", "blgp"].contains(name) && self.descs.iter().any(is_matrix) => {
                slot.number(parts, "u16", "format");
            }
            ModifierKind::Choice(ModifierList::MatrixFormat) if self.descs.iter().any(is_matrix) => {
                match desc.split {
                    (NONE, _) => put!(parts.calls, ".number({field}, {lsb}, {width}, false, {name} as i64)"),
                    (high, low_width) => {
                        put!(parts.calls, ".split({field}, [{lsb}, {low_width}, {high}], {width}, {name})");
                    }
                }
                parts.parameter(name, "u16".into(), format!("format {width}"));
            }
            ModifierKind::DppCtrl => {
                let run = |(first, n): (usize, usize)| t.checks[first..first + n].iter();
                let check = run(constraints.checks).chain(run(constraints.high_checks)).find(|c| c.lsb == lsb);
                let Some(check) = check else { return t.row.at.err("dpp_ctrl takes all values") };
                let words = t.sets[check.set];
                let set: Vec<u64> = words.chunks(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect();
                put!(parts.calls, ".member({field}, {lsb}, &{set:?}, {name})");
                parts.parameter(name, "u16".into(), format!("member {set:?}"));
            }
            ModifierKind::Dpp8 { .. } => {
                put!(parts.calls, ".lanes({field}, {lsb}, {name})");
                parts.parameter(name, "[u8; 8]".into(), "lanes".into());
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds the parameter of a number.
    fn number(&self, slot: &Slot, number: NumberKind, parts: &mut Parts, shared: &mut Shared) -> Result<()> {
        let Slot { name, field, kind, desc, is_unsigned } = *slot;
        let (lsb, width) = (desc.lsb, desc.width);
        let bus = if desc.access != Some(Access::Write) { self.bus() } else { 0 };
        match number {
            NumberKind::Plain(Notation::Endpgm) => {}
            NumberKind::Literal { .. } if desc.dwords == 2 => {
                parts.long = true;
                put!(parts.calls, ".constant64({field}, {name}, {bus})");
                parts.parameter(name, "u64".into(), "dwords 64".into());
            }
            NumberKind::Literal { .. } => {
                parts.literal = true;
                put!(parts.calls, ".constant({field}, {name}, {bus})");
                parts.parameter(name, "u32".into(), "dword 32".into());
            }
            _ if width == 16 && number.has_both_signs() => {
                put!(parts.calls, ".number16({field}, {lsb}, {name})");
                parts.parameter(name, "i32".into(), format!("{kind} 16"));
            }
            NumberKind::Label => slot.number(parts, "i16", "label"),
            NumberKind::Choice(list) => {
                let set = match list {
                    NumberList::ExportTarget => "exp_targets",
                    NumberList::InterpParam => "interp_params",
                };
                put!(parts.calls, ".member({field}, {lsb}, &{}.{set}, {name})", self.rules);
                parts.parameter(name, "u16".into(), format!("{kind} {width}"));
            }
            NumberKind::Parts(_) => {
                let imm = operand::imm(&mut shared.signatures, self.isa, self.t, kind)?;
                put!(parts.calls, ".imm({field}, {lsb}, {width}, {name}.encode_in(&{imm}))");
                parts.parameter(name, format!("crate::imm::{}", camel(kind)), format!("{kind} {width}"));
            }
            NumberKind::Plain(Notation::SignedHex) => {
                put!(parts.calls, ".number({field}, {lsb}, {width}, {}, {name} as i64)", !is_unsigned);
                let kind = if is_unsigned { "hex" } else { "signed_hex" };
                parts.parameter(name, "i32".into(), format!("{kind} {width}"));
            }
            // Named bits are passed as a number.
            NumberKind::Plain(Notation::Unsigned | Notation::Events) => slot.number(parts, "u16", "hex"),
            NumberKind::Plain(_) => slot.number(parts, "u16", kind),
            NumberKind::Attribute { channel } => {
                slot.number(parts, "u16", "attr");
                let desc = &OperandDesc { lsb: channel, width: 2, ..desc.clone() };
                let channel = Slot { desc, name: "attrchan", field: "Field::Attrchan", ..*slot };
                channel.number(parts, "u16", "chan");
            }
        }
        Ok(())
    }
}
