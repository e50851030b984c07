//! Turns one form of a row into a function, or into two if a flag affects the operands.

use std::collections::BTreeMap;

use crate::build::emit::camel;
use crate::build::emit::make::set::{self, Variant};
use crate::build::emit::make::{Shared, computes, documented, operand};
use crate::build::kind::{
    AddressKind, ImageKind, ModifierKind, ModifierList, Notation, NumberKind, NumberList, OffsetKind, OperandKind,
    RegisterKind,
};
use crate::build::lower::encoding::encoding;
use crate::build::lower::{Constraints, FormSignature, NONE, OperandDesc, Operation, Target};
use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::shared::{class, marks};
use crate::build::writer::put;

/// The set of values of a field that can only be zero.
const ZERO: Values = Values { shift: 0, set: 1 };

/// A function that makes an instruction.
pub struct Function {
    pub name: String,
    /// The generics, parameters and result.
    pub signature: String,
    pub text: String,
    /// The name of the function that encodes the operands, which functions that differ only in constant bits share.
    pub worker: String,
    /// The parameters for the tests: the name, and a description of valid values.
    pub parameters: Vec<(String, String)>,
    pub extension: String,
    /// The greatest number of dwords.
    pub dwords: u8,
}

/// The parts of a function under construction.
#[derive(Default)]
struct Parts {
    types: Vec<String>,
    constants: Vec<String>,
    /// The name and type of each parameter.
    parameters: Vec<(String, String)>,
    calls: String,
    tests: Vec<(String, String)>,
    /// The generic type of the operands that share an AccVGPR bit, for each such bit.
    shared: BTreeMap<u8, String>,
    /// Whether an operand can be a literal.
    literal: bool,
    /// Whether an operand can be a literal of 64 bits.
    long: bool,
    /// The number of dwords that can name registers of an image address.
    more: u8,
}

impl Parts {
    fn generic(&mut self, bound: &str) -> String {
        let name = char::from(b'A' + (self.types.len() + self.constants.len()) as u8).to_string();
        self.types.push(format!("{name}: {bound}"));
        name
    }

    fn parameter(&mut self, name: &str, ty: String, test: String) {
        self.parameters.push((name.into(), ty));
        self.tests.push((name.into(), test));
    }
}

/// The functions of an operation.
pub fn functions(
    (isa, meanings): (&Isa, &Meanings),
    t: &Target,
    operation: &Operation,
    number: u64,
    rules: &str,
    shared: &mut Shared,
) -> Result<Vec<Function>> {
    let base = &t.signatures[operation.signature - 1];
    let mut all = Vec::new();
    if t.formats[operation.format].def.dual.is_some() {
        return Ok(all);
    }
    let info = &t.infos[operation.info];
    let suffix = t.formats[operation.format].def.suffix.as_str();
    let name = if info.suffix && !suffix.is_empty() {
        format!("{}_{suffix}", operation.mnemonic)
    } else {
        operation.mnemonic.clone()
    };
    // A form of three dwords is named `v_add_f32_e64_dpp`, as in the text.
    let wide = t.formats[operation.format].def.bits == 64;
    let short = if wide { format!("{}_e64", operation.mnemonic) } else { operation.mnemonic.clone() };
    let numbered = base.numbered_trailing().map(|(dword, _)| dword.form);
    let extended = [base.sdwa, base.dpp].into_iter().chain(numbered).filter(|&form| form != 0);
    for form in std::iter::once(operation.signature).chain(extended) {
        let signature = &t.signatures[form - 1];
        // Dwords that name registers of an image address belong to the address.
        if form != operation.signature && descs_of(t, signature).any(|desc| desc.kind.is_image_address()) {
            continue;
        }
        let extension = signature.extension.filter(|_| form != operation.signature);
        // Compares with SDWA are named like other operations with SDWA.
        let extension =
            extension.map_or(String::new(), |e| t.formats[e].def.name.to_lowercase().replace("sdwab", "sdwa"));
        let name = if extension.is_empty() { name.clone() } else { format!("{short}_{extension}") };
        let descs: Vec<&OperandDesc> = descs_of(t, signature).collect();
        let constraints = &t.constraints[signature.constraints];
        let variants: &[(Variant, &str)] = if descs.iter().any(|i| i.is_returned()) {
            &[(Variant::Returns(false), ""), (Variant::Returns(true), "_rtn")]
        } else if constraints.marks & marks::LDS != 0 && descs.iter().any(|i| is_data(i)) {
            &[(Variant::Lds(false), ""), (Variant::Lds(true), "_lds")]
        } else {
            &[(Variant::Plain, "")]
        };
        for &(variant, ending) in variants {
            let form = Form {
                isa,
                meanings,
                t,
                operation,
                signature,
                constraints,
                descs: &descs,
                number,
                rules,
                extension: &extension,
                variant,
            };
            all.push(form.function(format!("{name}{ending}"), shared)?);
        }
    }
    Ok(all)
}

fn descs_of<'a>(t: &'a Target, signature: &FormSignature) -> impl Iterator<Item = &'a OperandDesc> {
    let numbers = &t.desc_lists[signature.descs.0..signature.descs.0 + signature.descs.1];
    numbers.iter().map(|&n| &t.descs[usize::from(n)])
}

fn is_data(desc: &OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Register(RegisterKind::Data { .. }))
}

fn is_global(desc: &&OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Address(AddressKind::Global { .. }))
}

struct Form<'a> {
    isa: &'a Isa,
    meanings: &'a Meanings,
    t: &'a Target<'a>,
    operation: &'a Operation,
    signature: &'a FormSignature,
    constraints: &'a Constraints,
    descs: &'a [&'a OperandDesc],
    number: u64,
    rules: &'a str,
    extension: &'a str,
    variant: Variant,
}

impl Form<'_> {
    fn function(&self, name: String, shared: &mut Shared) -> Result<Function> {
        let Form { t, operation, signature, constraints, descs, .. } = *self;
        let def = t.formats[operation.format].def;
        // A modifier that can have no effect on the operation has no method.
        let is_free = |desc: &&&OperandDesc| self.values(&desc.field) != Some(ZERO);
        let settable: Vec<&OperandDesc> = descs.iter().filter(is_free).copied().collect();
        let modifiers = set::set(t, constraints, &settable, self.variant, &|field| self.values(field), &|field| {
            self.excluding(field)
        })?;
        let set = set::name(shared, &camel(&format!("{}_{}", def.name, self.extension)), &modifiers);
        let mut parts = Parts::default();
        let info = &t.infos[operation.info];
        let vector = match () {
            _ if !def.bus => 0,
            _ if info.flags.iter().any(|flag| flag == "one_scalar") => 1,
            _ => t.row.bus,
        };
        // Implicit reads use the constant bus, too. No operation has two implicit reads.
        for code in t.codes.iter().filter(|c| vector != 0 && ["vcc_lo", "m0"].contains(&c.name.as_str())) {
            if info.reads.iter().any(|r| *r == code.name || Some(r) == code.pair.as_ref()) {
                let (first, _) = code.range.of(&t.row.name).expect("those of the target");
                let dwords = if code.name == "m0" { 1 } else { t.row.lanes() / 32 };
                put!(parts.calls, ".reads({first}, {dwords})");
            }
        }
        for desc in descs.iter().copied() {
            let before = parts.tests.len();
            self.desc(desc, vector, &mut parts, shared)?;
            // A set whose bits stand for runs of values limits the width instead: see `set::free_width`.
            let small = self.values(&desc.field).filter(|values| values.shift == 0);
            if let (Some(Values { set, .. }), Some((_, test))) = (small, parts.tests.get_mut(before)) {
                let (field, lsb, width) = (super::field(&desc.field), desc.lsb, desc.width);
                put!(parts.calls, ".among({field}, {lsb}, {width}, {set:#x})");
                put!(test, " {set}");
            }
            let is_even = t.row.has("aligned-vgprs") && info.flags.iter().any(|flag| flag == "even");
            match desc.kind {
                OperandKind::Register(RegisterKind::Vector { acc }) if is_even => {
                    let field = super::field(&desc.field);
                    put!(parts.calls, ".even(&{}, {field}, {}, {acc})", self.rules, desc.lsb);
                }
                _ => {}
            }
        }
        // Only these formats need the check: LLVM accepts any registers in WMMA.
        let format = t.formats[operation.format].def.name.as_str();
        if ["VOP3P-MAI", "VOP3PX"].contains(&format) && info.flags.iter().any(|flag| flag == "mfma") {
            let of = |name: &str| descs.iter().find(|i| i.field == name && i.access.is_some());
            if let (Some(written), Some(added)) = (of("vdst").filter(|i| i.dwords > 4), of("src2")) {
                let field = super::field(&added.field);
                put!(parts.calls, ".apart({field}, {}, {}, {})", written.lsb, added.lsb, written.dwords);
            }
        }
        let extended = !self.extension.is_empty();
        let mut bits = encoding(t, operation.format, self.number) | constraints.value | modifiers.defaults;
        bits |= u128::from(t.row.filler(signature.fillers));
        if let (true, Some(behind)) = (extended, signature.extension) {
            let format = &t.formats[behind].def.name;
            let e = def.extends.iter().find(|e| e.is_of(&t.row.name) && &e.format == format).expect("the form has it");
            let (_, at) = t.formats[operation.format].fields.iter().find(|(f, _)| f.name == e.field).expect("checked");
            bits |= u128::from(e.code) << at.pieces[0].lsb;
        }
        let dwords = def.bits / 32 + u8::from(extended);
        let (of_bits, new) = match dwords {
            3.. => ("u128", format!("Code::long(bits, {dwords})")),
            _ => ("u64", format!("Code::new(bits, {dwords})")),
        };

        let generics: Vec<String> = parts.types.iter().chain(&parts.constants).cloned().collect();
        let generics = if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) };
        let list: Vec<String> = parts.parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let result = format!("Code<sets::{set}>");
        let key = format!("{generics}(bits: {of_bits}, {}) -> {result} {{ {new}{} }}", list.join(", "), parts.calls);
        let worker = shared
            .signatures
            .name("f", key, |name, key| format!("#[inline(always)]\npub(crate) const fn {name}{key}\n"));
        let rust_signature = format!("{generics}({}) -> {result}", list.join(", "));
        let names: Vec<&str> = parts.parameters.iter().map(|p| p.0.as_str()).collect();
        let body = format!(
            "{worker}({})",
            std::iter::once(format!("{bits:#x}"))
                .chain(names.iter().map(|n| n.to_string()))
                .collect::<Vec<_>>()
                .join(", ")
        );

        let mut doc = format!("`{name} {}`", names.join(", ")).replace(" `", "`");
        let behind = if extended {
            format!(" with {}", t.formats[signature.extension.expect("it has one")].def.name)
        } else {
            String::new()
        };
        let spelled = operation.spelling.as_ref().map_or(String::new(), |s| format!(" Spelled `{s}` on some targets."));
        put!(
            doc,
            ": {}{behind}, opcode {}.{spelled}\n\nSource: {}.",
            def.name,
            self.number,
            def.source.text(&t.row.name)
        );
        let methods: Vec<&str> = modifiers.methods.iter().map(|m| set::method(m)).collect();
        if !methods.is_empty() {
            put!(doc, " Modifiers: `{}`.", methods.join("`, `"));
        }
        doc.push_str(&computes(self.meanings, t, operation));
        let mut function = Function {
            name,
            signature: rust_signature,
            text: String::new(),
            worker,
            parameters: parts.tests,
            extension: self.extension.to_string(),
            dwords: dwords + if parts.long { 2 } else { parts.literal.into() } + parts.more,
        };
        function.text = documented(&function, &doc, &body);
        Ok(function)
    }

    /// The values that a field of the operation can have; `None` for all values.
    fn values(&self, field: &str) -> Option<Values> {
        let def = self.t.formats[self.operation.format].def;
        def.values_of(field, &self.operation.mnemonic, &self.t.row.name)
    }

    /// The lowest bit, the width and the value of another field that leaves only zero to a field of the operation.
    fn excluding(&self, field: &str) -> Option<[u8; 3]> {
        let format = &self.t.formats[self.operation.format];
        let only = format.def.only_of(field, &self.operation.mnemonic, &self.t.row.name)?;
        let [(other, values)] = &only.conditions[..] else { return None };
        let value = Some(values.set.trailing_zeros()).filter(|_| values.set.is_power_of_two())?;
        let (_, at) = format.fields.iter().find(|(field, _)| field.name == *other)?;
        Some([at.pieces[0].lsb, at.pieces[0].width, value as u8])
    }

    fn desc(&self, desc: &OperandDesc, vector: u8, parts: &mut Parts, shared: &mut Shared) -> Result<()> {
        let Form { t, constraints, rules, .. } = *self;
        // A number with fewer bits than its field has zeros above it, so it has no sign.
        let free = set::free_width(self.constraints, self.values(&desc.field), desc);
        let is_unsigned = free != desc.width;
        let desc = &OperandDesc { width: free, ..desc.clone() };
        let name = desc.field.to_lowercase();
        let field = super::field(&desc.field);
        let (lsb, width, kind_name) = (desc.lsb, desc.width, desc.kind.name().unwrap_or("?"));
        let number = |parts: &mut Parts, name: &str, field: &str, lsb: u8, width: u8, ty: &str, kind: &str| {
            let signed = ty == "i16";
            put!(parts.calls, ".number({field}, {lsb}, {width}, {signed}, {name} as i64)");
            parts.parameter(name, ty.into(), format!("{kind} {width}"));
        };
        if desc.access.is_none() {
            let is_matrix = |i: &&OperandDesc| matches!(i.kind, OperandKind::Register(RegisterKind::Matrix { .. }));
            let OperandKind::Modifier(kind) = desc.kind else { return Ok(()) };
            match kind {
                ModifierKind::Dmask => number(parts, &name, &field, lsb, width, "u16", "dmask"),
                ModifierKind::Choice(ModifierList::Dim) => number(parts, &name, &field, lsb, width, "u16", "dim"),
                ModifierKind::Named
                    if ["cbsz", "blgp"].contains(&name.as_str()) && self.descs.iter().any(is_matrix) =>
                {
                    number(parts, &name, &field, lsb, width, "u16", "format");
                }
                ModifierKind::Choice(ModifierList::MatrixFormat) if self.descs.iter().any(is_matrix) => {
                    let (high, low_width) = desc.split;
                    let call = match high {
                        NONE => format!(".number({field}, {lsb}, {width}, false, {name} as i64)"),
                        _ => format!(".split({field}, [{lsb}, {low_width}, {high}], {width}, {name})"),
                    };
                    parts.calls += &call;
                    parts.parameter(&name, "u16".into(), format!("format {width}"));
                }
                ModifierKind::DppCtrl => {
                    let run = |(first, n): (usize, usize)| t.checks[first..first + n].iter();
                    let check = run(constraints.checks).chain(run(constraints.high_checks)).find(|c| c.lsb == lsb);
                    let Some(check) = check else { return t.row.at.err("dpp_ctrl takes all values") };
                    let words = t.sets[check.set];
                    let set: Vec<u64> = words.chunks(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect();
                    put!(parts.calls, ".member({field}, {lsb}, &{set:?}, {name})");
                    parts.parameter(&name, "u16".into(), format!("member {set:?}"));
                }
                ModifierKind::Dpp8 { .. } => {
                    put!(parts.calls, ".lanes({field}, {lsb}, {name})");
                    parts.parameter(&name, "[u8; 8]".into(), "lanes".into());
                }
                _ => {}
            }
            return Ok(());
        }
        let reads = desc.access != Some(Access::Write);
        match desc.kind {
            OperandKind::Register(RegisterKind::Vcc) | OperandKind::Number(NumberKind::Plain(Notation::Endpgm)) => {
                return Ok(());
            }
            OperandKind::Number(NumberKind::Literal { .. }) if desc.dwords == 2 => {
                parts.long = true;
                put!(parts.calls, ".constant64({field}, {name}, {})", if reads { vector } else { 0 });
                parts.parameter(&name, "u64".into(), "dwords 64".into());
                return Ok(());
            }
            OperandKind::Number(NumberKind::Literal { .. }) => {
                parts.literal = true;
                put!(parts.calls, ".constant({field}, {name}, {})", if reads { vector } else { 0 });
                parts.parameter(&name, "u32".into(), "dword 32".into());
                return Ok(());
            }
            OperandKind::Number(number) if width == 16 && number.has_both_signs() => {
                put!(parts.calls, ".number16({field}, {lsb}, {name})");
                parts.parameter(&name, "i32".into(), format!("{kind_name} 16"));
                return Ok(());
            }
            OperandKind::Number(NumberKind::Label) => {
                number(parts, &name, &field, lsb, width, "i16", "label");
                return Ok(());
            }
            OperandKind::Number(NumberKind::Choice(list)) => {
                let set = match list {
                    NumberList::ExportTarget => "exp_targets",
                    NumberList::InterpParam => "interp_params",
                };
                put!(parts.calls, ".member({field}, {lsb}, &{rules}.{set}, {name})");
                parts.parameter(&name, "u16".into(), format!("{kind_name} {width}"));
                return Ok(());
            }
            OperandKind::Number(NumberKind::Parts(_)) => {
                let imm = operand::imm(&mut shared.signatures, self.isa, t, kind_name)?;
                put!(parts.calls, ".imm({field}, {lsb}, {width}, {name}.encode_in(&{imm}))");
                parts.parameter(&name, format!("crate::imm::{}", camel(kind_name)), format!("{kind_name} {width}"));
                return Ok(());
            }
            OperandKind::Number(NumberKind::Plain(Notation::SignedHex)) => {
                put!(parts.calls, ".number({field}, {lsb}, {width}, {}, {name} as i64)", !is_unsigned);
                let kind = if is_unsigned { "hex" } else { "signed_hex" };
                parts.parameter(&name, "i32".into(), format!("{kind} {width}"));
                return Ok(());
            }
            // Named bits are passed as a number.
            OperandKind::Number(NumberKind::Plain(Notation::Unsigned | Notation::Events)) => {
                number(parts, &name, &field, lsb, width, "u16", "hex");
                return Ok(());
            }
            OperandKind::Number(NumberKind::Plain(_)) => {
                number(parts, &name, &field, lsb, width, "u16", kind_name);
                return Ok(());
            }
            OperandKind::Number(NumberKind::Attribute { channel }) => {
                number(parts, &name, &field, lsb, width, "u16", "attr");
                number(parts, "attrchan", "Field::Attrchan", channel, 2, "u16", "chan");
                return Ok(());
            }
            _ => {}
        }
        match self.variant {
            Variant::Returns(false) if desc.is_returned() => return Ok(()),
            Variant::Lds(true) if is_data(desc) => return Ok(()),
            _ => {}
        }
        if desc.kind.is_image_address() {
            let at = self.t.formats[self.operation.format].fields.iter().find(|(field, _)| field.name == "nsa");
            let nsa = at.map_or(NONE, |(_, bits)| bits.pieces[0].lsb);
            let forms = self.signature.numbered_trailing().filter(|(dword, _)| dword.form != 0);
            let lists = forms.flat_map(|(dword, _)| descs_of(t, &t.signatures[dword.form - 1]));
            let named = lists.filter(|desc| desc.kind.is_image_address()).map(|desc| desc.kind);
            // If no further dwords name registers, the base words name them.
            let count = |kind: &OperandKind| match kind {
                OperandKind::Image(ImageKind::Address { fields, .. }) => fields.count(),
                _ => 0,
            };
            let longest = named.max_by_key(count).unwrap_or(desc.kind);
            if nsa != NONE {
                parts.more = (count(&longest) - 1).div_ceil(4);
            }
            let place = operand::address_place(&mut shared.signatures, constraints, desc, longest, nsa, t.vgprs());
            put!(parts.calls, ".image_address(&{place}, {name})");
            parts.parameter(&name, "ImageAddress".into(), "address".into());
            return Ok(());
        }
        let mask = operand::allowed(t, constraints, desc)?;
        parts.literal |= mask & class::LITERAL != 0;
        parts.long |= mask & class::LITERAL64 != 0;
        let bus = if reads && mask & operand::BUS != 0 { vector } else { 0 };
        let base = t.formats[self.operation.format].def.bits / 32;
        let acc = if mask & operand::AGPR == 0 { NONE } else { desc.kind.acc() };
        let odd =
            desc.access == Some(Access::Write) && t.infos[self.operation.info].flags.iter().any(|flag| flag == "odd");
        let place = operand::place(&mut shared.signatures, desc, mask, [base, bus], odd, acc);
        let n = desc.dwords;
        let call = |method: &str, more: &str| format!(".{method}(&{rules}, &{place}, {more}{name})");
        // The description for the tests states the classes of operands and the type of constants.
        let mut test = format!("op {mask} {} {n} {} {}", kind_name, bus != 0, desc.ty);
        let mut ty = |parts: &mut Parts, n: &str| -> String {
            const DATA: u16 = operand::VGPR | operand::AGPR;
            match mask {
                operand::VGPR => format!("Vgpr<{n}>"),
                operand::AGPR => format!("Agpr<{n}>"),
                DATA => {
                    let known = parts.shared.get(&acc).cloned();
                    let kind = known.unwrap_or_else(|| parts.generic("VectorData"));
                    parts.shared.insert(acc, kind.clone());
                    format!("Op<{kind}, {n}>")
                }
                _ if mask & operand::AGPR != 0 => {
                    let of = parts.shared.get(&acc).cloned().unwrap_or("Any".into());
                    let kind = parts.generic(&format!("MatrixOrConst<{of}>"));
                    format!("Op<{kind}, {n}>")
                }
                _ => {
                    let mask = if desc.kind.is_half() { mask & !operand::VGPR | operand::HALF } else { mask };
                    let bound = operand::trait_name(&mut shared.traits, mask);
                    let kind = parts.generic(&bound);
                    format!("Op<{kind}, {n}>")
                }
            }
        };
        let (ty, call) = match desc.kind {
            // The half is selected by bit 7 of the field, or by a bit of op_sel.
            OperandKind::Register(kind @ (RegisterKind::Half { .. } | RegisterKind::HalfSelected { .. })) => {
                let high = if let RegisterKind::HalfSelected { half, .. } = kind { half } else { NONE };
                let what = if mask == operand::VGPR { "half" } else { "half_or" };
                // The index of the bit of op_sel, or 4 if there is none.
                let op_sel = self.descs.iter().find(|i| i.field == "op_sel").filter(|_| high != NONE);
                let selector = op_sel.map_or(4, |i| high - i.lsb);
                test = format!("{what} {mask} half {n} {} {} {selector}", bus != 0, desc.ty);
                let ty = if mask == operand::VGPR { "Half".into() } else { ty(parts, "1") };
                (ty, call("half", &format!("{high}, ")))
            }
            OperandKind::Image(ImageKind::Data { .. }) => {
                parts.constants.push("const W: usize".into());
                test = format!("image {kind_name}");
                (ty(parts, "W"), call("image", ""))
            }
            OperandKind::Register(RegisterKind::Matrix { format, .. }) => {
                // The two matrices have separate lengths.
                let length = if desc.field == "src0" { "L" } else { "R" };
                let format = self.descs.iter().find(|i| i.access.is_none() && i.lsb == format);
                let format = format.expect("a matrix has a format").field.to_lowercase();
                parts.constants.push(format!("const {length}: usize"));
                test = format!("matrix {mask} acc_sized {n} false b");
                (ty(parts, length), call("matrix", &format!("({n}, {format}), ")))
            }
            OperandKind::Register(RegisterKind::Sdwa { scalar, .. }) => {
                let tail = format!("{scalar}, ");
                (ty(parts, &n.to_string()), call("sdwa", &tail))
            }
            OperandKind::Register(RegisterKind::NamedOrVcc { named }) => {
                let tail = format!("{named}, ");
                (ty(parts, &n.to_string()), call("sdst_or_vcc", &tail))
            }
            OperandKind::Register(_) => (ty(parts, &n.to_string()), call("operand", "")),
            OperandKind::Address(AddressKind::Global { .. }) => {
                parts.constants.push("const N: usize".into());
                test = "global".into();
                ("Vgpr<N>".into(), format!(".global(&{rules}, &{place}, {name}, saddr)"))
            }
            OperandKind::Address(AddressKind::Scratch { sve, .. }) => {
                test = format!("scratch {}", u8::from(sve != NONE));
                (ty(parts, "1"), format!(".scratch(&{rules}, &{place}, {sve}, {name}, saddr)"))
            }
            OperandKind::Address(AddressKind::Scalar { .. }) if self.descs.iter().any(is_global) => {
                let bound = operand::trait_name(&mut shared.traits, mask);
                let kind = parts.generic(&format!("{bound} + GlobalBase<N>"));
                test = format!("saddr {mask} {n}");
                (format!("Op<{kind}, {n}>"), call("saddr", ""))
            }
            OperandKind::Address(AddressKind::Scalar { .. }) => {
                test = format!("saddr {mask} {n}");
                (ty(parts, &n.to_string()), call("saddr", ""))
            }
            OperandKind::Address(AddressKind::Buffer { offen, idxen, addr64 }) => {
                test = format!("buffer {}", u8::from(addr64 != NONE));
                ("BufferAddress".into(), format!(".buffer(&{rules}, &{place}, [{offen}, {idxen}, {addr64}], {name})"))
            }
            OperandKind::Offset(OffsetKind::Dwords { imm }) => {
                test = format!("smrd {mask}");
                let tail = format!("{imm}, ");
                (ty(parts, "1"), call("smrd_offset", &tail))
            }
            OperandKind::Offset(kind @ (OffsetKind::Bytes { .. } | OffsetKind::Sum { .. })) => {
                let imm = if let OffsetKind::Bytes { imm, .. } = kind { imm } else { NONE };
                let signed = kind.is_signed() && !is_unsigned;
                test = format!("smem {width} {signed}");
                let tail = format!("({imm}, {width}, {signed}, {}), ", kind.soffset());
                (ty(parts, "1"), call("smem_offset", &tail))
            }
            OperandKind::Address(AddressKind::ExportSource { enable, .. }) => {
                test = "export".into();
                let tail = format!("{enable}, ");
                (ty(parts, "1"), call("export", &tail))
            }
            kind => unreachable!("{kind:?} is refused by `allowed`"),
        };
        parts.calls += &call;
        parts.parameter(&name, ty, test);
        Ok(())
    }
}
