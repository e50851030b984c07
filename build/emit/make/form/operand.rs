//! Adds the parameters of registers, addresses and offsets to a function.

use super::parameter::Slot;
use super::parts::Parts;
use super::{Form, descs_of, is_global};
use crate::build::emit::make::{Shared, operand};
use crate::build::kind::{AddressKind, ImageKind, OffsetKind, OperandKind, RegisterKind};
use crate::build::lower::{NONE, OperandDesc};
use crate::build::model::Access;
use crate::build::model::error::Result;
use crate::build::shared::class;

/// An operand whose value is chosen among several classes.
struct Choice<'a> {
    slot: &'a Slot<'a>,
    /// The rules of the target, as an expression.
    rules: &'a str,
    /// The classes of values that the operand accepts.
    mask: u16,
    /// The bit that selects AccVGPRs.
    acc: u8,
    /// Whether the operand uses the constant bus.
    on_bus: bool,
    /// The position of the operand, as an expression.
    place: String,
}

/// A parameter: its type, the call that encodes it, and the description of valid values for the tests.
struct Parameter {
    ty: String,
    call: String,
    test: String,
}

impl Choice<'_> {
    /// A call of a method that gets the target's rules, the place and the value, with further arguments before it.
    fn call(&self, method: &str, more: &str) -> String {
        format!(".{method}(&{}, &{}, {more}{})", self.rules, self.place, self.slot.name)
    }

    /// The type of an operand of `n` dwords.
    fn ty(&self, parts: &mut Parts, shared: &mut Shared, n: &str) -> String {
        const DATA: u16 = operand::VGPR | operand::AGPR;
        let Choice { mask, acc, .. } = *self;
        let kind = match mask {
            operand::VGPR => return format!("Vgpr<{n}>"),
            operand::AGPR => return format!("Agpr<{n}>"),
            DATA => {
                let known = parts.shared.get(&acc).cloned();
                let kind = known.unwrap_or_else(|| parts.generic("VectorData"));
                parts.shared.insert(acc, kind.clone());
                kind
            }
            _ if mask & operand::AGPR != 0 => {
                let of = parts.shared.get(&acc).cloned().unwrap_or("Any".into());
                parts.generic(&format!("MatrixOrConst<{of}>"))
            }
            _ => {
                let is_half = self.slot.desc.kind.is_half();
                let mask = if is_half { mask & !operand::VGPR | operand::HALF } else { mask };
                parts.generic(&operand::trait_name(&mut shared.traits, mask))
            }
        };
        format!("Op<{kind}, {n}>")
    }
}

impl Form<'_> {
    /// Adds the parameter of an image address.
    pub fn image_address(&self, slot: &Slot, parts: &mut Parts, shared: &mut Shared) {
        let t = self.t;
        let at = t.formats[self.operation.format].fields.iter().find(|(field, _)| field.name == "nsa");
        let nsa = at.map_or(NONE, |(_, bits)| bits.pieces[0].lsb);
        let forms = self.signature.numbered_trailing().filter(|(dword, _)| dword.form != 0);
        let lists = forms.flat_map(|(dword, _)| descs_of(t, &t.signatures[dword.form - 1]));
        let named = lists.filter(|desc| desc.kind.is_image_address()).map(|desc| desc.kind);
        let count = |kind: &OperandKind| match kind {
            OperandKind::Image(ImageKind::Address { fields, .. }) => fields.count(),
            _ => 0,
        };
        // If no further dwords name registers, the base words name them.
        let longest = named.max_by_key(count).unwrap_or(slot.desc.kind);
        if nsa != NONE {
            parts.more = (count(&longest) - 1).div_ceil(4);
        }
        let signatures = &mut shared.signatures;
        let place = operand::address_place(signatures, self.constraints, slot.desc, longest, nsa, t.vgprs());
        parts.calls += &format!(".image_address(&{place}, {})", slot.name);
        parts.parameter(slot.name, "ImageAddress".into(), "address".into());
    }

    /// Adds the parameter of a register, an address of several forms, or an offset.
    pub fn operand(&self, slot: &Slot, parts: &mut Parts, shared: &mut Shared) -> Result<()> {
        let desc = slot.desc;
        let mask = operand::allowed(self.t, self.constraints, desc)?;
        parts.literal |= mask & class::LITERAL != 0;
        parts.long |= mask & class::LITERAL64 != 0;
        let is_written = desc.access == Some(Access::Write);
        let bus = if !is_written && mask & operand::BUS != 0 { self.bus() } else { 0 };
        let base = self.t.formats[self.operation.format].def.bits / 32;
        let acc = if mask & operand::AGPR == 0 { NONE } else { desc.kind.acc() };
        let odd = is_written && self.is_flagged("odd");
        let place = operand::place(&mut shared.signatures, desc, mask, [base, bus], odd, acc);
        let choice = Choice { slot, rules: self.rules, mask, acc, on_bus: bus != 0, place };
        let Parameter { ty, call, test } = match desc.kind {
            OperandKind::Register(kind) => self.register(&choice, kind, parts, shared),
            OperandKind::Address(kind) => self.address(&choice, kind, parts, shared),
            OperandKind::Offset(kind) => offset(&choice, kind, parts, shared),
            OperandKind::Image(ImageKind::Data { .. }) => {
                parts.constants.push("const W: usize".into());
                let ty = choice.ty(parts, shared, "W");
                Parameter { ty, call: choice.call("image", ""), test: format!("image {}", slot.kind) }
            }
            kind => unreachable!("{kind:?} is refused by `allowed`"),
        };
        parts.calls += &call;
        parts.parameter(slot.name, ty, test);
        Ok(())
    }

    fn register(&self, choice: &Choice, kind: RegisterKind, parts: &mut Parts, shared: &mut Shared) -> Parameter {
        let (desc, mask, on_bus) = (choice.slot.desc, choice.mask, choice.on_bus);
        let n = desc.dwords;
        // The description states the classes of operands and the type of constants.
        let test = format!("op {mask} {} {n} {on_bus} {}", choice.slot.kind, desc.ty);
        match kind {
            // The half is selected by bit 7 of the field, or by a bit of op_sel.
            RegisterKind::Half { .. } | RegisterKind::HalfSelected { .. } => {
                let high = if let RegisterKind::HalfSelected { half, .. } = kind { half } else { NONE };
                let what = if mask == operand::VGPR { "half" } else { "half_or" };
                // The index of the bit of op_sel, or 4 if there is none.
                let op_sel = self.descs.iter().find(|i| i.field == "op_sel").filter(|_| high != NONE);
                let selector = op_sel.map_or(4, |i| high - i.lsb);
                let test = format!("{what} {mask} half {n} {on_bus} {} {selector}", desc.ty);
                let ty = if mask == operand::VGPR { "Half".into() } else { choice.ty(parts, shared, "1") };
                Parameter { ty, call: choice.call("half", &format!("{high}, ")), test }
            }
            RegisterKind::Matrix { format, .. } => {
                // The two matrices have separate lengths.
                let length = if desc.field == "src0" { "L" } else { "R" };
                let format = self.descs.iter().find(|i| i.access.is_none() && i.lsb == format);
                let format = format.expect("a matrix has a format").field.to_lowercase();
                parts.constants.push(format!("const {length}: usize"));
                let ty = choice.ty(parts, shared, length);
                let call = choice.call("matrix", &format!("({n}, {format}), "));
                Parameter { ty, call, test: format!("matrix {mask} acc_sized {n} false b") }
            }
            _ => {
                let call = match kind {
                    RegisterKind::Sdwa { scalar, .. } => choice.call("sdwa", &format!("{scalar}, ")),
                    RegisterKind::NamedOrVcc { named } => choice.call("sdst_or_vcc", &format!("{named}, ")),
                    _ => choice.call("operand", ""),
                };
                Parameter { ty: choice.ty(parts, shared, &n.to_string()), call, test }
            }
        }
    }

    fn address(&self, choice: &Choice, kind: AddressKind, parts: &mut Parts, shared: &mut Shared) -> Parameter {
        let Choice { rules, mask, ref place, slot: &Slot { name, desc, .. }, .. } = *choice;
        let n = desc.dwords;
        match kind {
            AddressKind::Global { .. } => {
                parts.constants.push("const N: usize".into());
                let call = format!(".global(&{rules}, &{place}, {name}, saddr)");
                Parameter { ty: "Vgpr<N>".into(), call, test: "global".into() }
            }
            AddressKind::Scratch { sve, .. } => {
                let test = format!("scratch {}", u8::from(sve != NONE));
                let call = format!(".scratch(&{rules}, &{place}, {sve}, {name}, saddr)");
                Parameter { ty: choice.ty(parts, shared, "1"), call, test }
            }
            AddressKind::Scalar { .. } => {
                let is_global = self.descs.iter().any(is_global);
                let ty = if is_global {
                    let bound = operand::trait_name(&mut shared.traits, mask);
                    let kind = parts.generic(&format!("{bound} + GlobalBase<N>"));
                    format!("Op<{kind}, {n}>")
                } else {
                    choice.ty(parts, shared, &n.to_string())
                };
                Parameter { ty, call: choice.call("saddr", ""), test: format!("saddr {mask} {n}") }
            }
            AddressKind::Buffer { offen, idxen, addr64 } => {
                let test = format!("buffer {}", u8::from(addr64 != NONE));
                let call = format!(".buffer(&{rules}, &{place}, [{offen}, {idxen}, {addr64}], {name})");
                Parameter { ty: "BufferAddress".into(), call, test }
            }
            AddressKind::ExportSource { enable, .. } => {
                let call = choice.call("export", &format!("{enable}, "));
                Parameter { ty: choice.ty(parts, shared, "1"), call, test: "export".into() }
            }
        }
    }
}

fn offset(choice: &Choice, kind: OffsetKind, parts: &mut Parts, shared: &mut Shared) -> Parameter {
    let ty = choice.ty(parts, shared, "1");
    let (call, test) = match kind {
        OffsetKind::Dwords { imm } => {
            (choice.call("smrd_offset", &format!("{imm}, ")), format!("smrd {}", choice.mask))
        }
        OffsetKind::Bytes { .. } | OffsetKind::Sum { .. } => {
            let Slot { desc: OperandDesc { width, .. }, is_unsigned, .. } = choice.slot;
            let imm = if let OffsetKind::Bytes { imm, .. } = kind { imm } else { NONE };
            let signed = kind.is_signed() && !is_unsigned;
            let more = format!("({imm}, {width}, {signed}, {}), ", kind.soffset());
            (choice.call("smem_offset", &more), format!("smem {width} {signed}"))
        }
    };
    Parameter { ty, call, test }
}
