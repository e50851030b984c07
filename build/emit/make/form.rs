//! Turns one form of a row into a function, or into two if a flag affects the operands.
//!
//! `parts.rs` collects the parameters of a function and the calls that encode them; `parameter.rs` adds those of a
//! modifier or number, and `operand.rs` those of a register, address or offset.

mod operand;
mod parameter;
mod parts;

use crate::build::emit::camel;
use crate::build::emit::make::modifier_set::{self, Variant};
use crate::build::emit::make::{Shared, documented};
use crate::build::kind::{AddressKind, OffsetKind, OperandKind, RegisterKind};
use crate::build::lower::encoding::encoding;
use crate::build::lower::{Constraints, FormSignature, LFormat, OperandDesc, Operation, Target};
use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::shared::constraint_flags;
use crate::build::writer::put;
use parts::Parts;

/// The set of values of a field that can only be zero.
const ZERO: Values = Values { shift: 0, set: 1 };

/// A function that makes an instruction.
pub struct Function {
    pub name: String,
    /// The generics, parameters and result.
    pub signature: String,
    /// The methods of the function's result, as source text for a list.
    pub modifiers: String,
    pub text: String,
    /// The name of the function that encodes the operands. Functions that differ only in constant bits share it.
    pub worker: String,
    /// The parameters for the tests: the name, and a description of valid values.
    pub parameters: Vec<(String, String)>,
    pub extension: String,
    /// The greatest number of dwords.
    pub dwords: u8,
}

/// The functions of an operation.
pub fn functions(
    (isa, computes): (&Isa, &str),
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
        // Dwords that name registers of an image address are part of the address, and do not make another function.
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
        } else if constraints.flags & constraint_flags::LDS != 0 && descs.iter().any(|i| is_data(i)) {
            &[(Variant::Lds(false), ""), (Variant::Lds(true), "_lds")]
        } else {
            &[(Variant::Plain, "")]
        };
        for &(variant, ending) in variants {
            let form = Form {
                isa,
                computes,
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
    computes: &'a str,
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
        let Form { t, operation, constraints, descs, .. } = *self;
        let def = t.formats[operation.format].def;
        // A modifier that must be zero in the operation has no method.
        let is_free = |desc: &&&OperandDesc| self.values(&desc.field) != Some(ZERO);
        let settable: Vec<&OperandDesc> = descs.iter().filter(is_free).copied().collect();
        let limits = self.limits(&settable);
        let modifiers =
            modifier_set::of(t, constraints, &settable, self.variant, &|field| self.values(field), &limits)?;
        let set = modifier_set::name(shared, &camel(&format!("{}_{}", def.name, self.extension)), &modifiers);
        let parts = self.parts(shared)?;
        let dwords = def.bits / 32 + u8::from(!self.extension.is_empty());
        let generics = parts.generics();
        let list = parts.list();
        let result = format!("Code<sets::{set}>");
        let (of_bits, new) = match dwords {
            3.. => ("u128", format!("Code::long(bits, {dwords})")),
            _ => ("u64", format!("Code::new(bits, {dwords})")),
        };
        let key = format!("{generics}(bits: {of_bits}, {list}) -> {result} {{ {new}{} }}", parts.calls);
        let worker = shared
            .signatures
            .name("f", key, |name, key| format!("#[inline(always)]\npub(crate) const fn {name}{key}\n"));
        let names = parts.names();
        let bits = format!("{:#x}", self.bits(modifiers.defaults));
        let arguments: Vec<&str> = std::iter::once(bits.as_str()).chain(names.iter().copied()).collect();
        let body = format!("{worker}({})", arguments.join(", "));
        let methods: Vec<&str> = modifiers.methods.iter().map(|m| modifier_set::method(m)).collect();
        let doc = self.doc(&name, &names, &methods);
        let mut function = Function {
            name,
            signature: format!("{generics}({list}) -> {result}"),
            modifiers: if methods.is_empty() { "none".into() } else { format!("`{}`", methods.join("`, `")) },
            text: String::new(),
            worker,
            dwords: dwords + parts.literal_dwords() + parts.more,
            parameters: parts.tests,
            extension: self.extension.to_string(),
        };
        function.text = documented(&function, &doc, &body);
        Ok(function)
    }

    /// The parameters, and the calls that encode them.
    fn parts(&self, shared: &mut Shared) -> Result<Parts> {
        let Form { t, operation, descs, rules, .. } = *self;
        let mut parts = Parts::default();
        self.read_implicitly(&mut parts);
        let is_even = t.row.has("aligned-vgprs") && self.is_flagged("even");
        for desc in descs.iter().copied() {
            let before = parts.tests.len();
            self.parameter(desc, &mut parts, shared)?;
            // A set whose bits stand for runs of values limits the width instead: see `modifier_set::free_width`.
            let small = self.values(&desc.field).filter(|values| values.shift == 0);
            let (field, lsb, width) = (super::field(&desc.field), desc.lsb, desc.width);
            if let (Some(Values { set, .. }), Some((_, test))) = (small, parts.tests.get_mut(before)) {
                put!(parts.calls, ".among({field}, {lsb}, {width}, {set:#x})");
                put!(test, " {set}");
            }
            match desc.kind {
                OperandKind::Register(RegisterKind::Vector { acc }) if is_even => {
                    put!(parts.calls, ".even(&{rules}, {field}, {lsb}, {acc})");
                }
                _ => {}
            }
        }
        if t.formats[operation.format].def.apart && self.is_flagged("mfma") {
            let of = |name: &str| descs.iter().find(|i| i.field == name && i.access.is_some());
            if let (Some(written), Some(added)) = (of("vdst").filter(|i| i.dwords > 4), of("src2")) {
                let field = super::field(&added.field);
                put!(parts.calls, ".apart({field}, {}, {}, {})", written.lsb, added.lsb, written.dwords);
            }
        }
        Ok(parts)
    }

    /// Adds the calls that count implicit reads, because these also use the constant bus. No operation has two implicit
    /// reads.
    fn read_implicitly(&self, parts: &mut Parts) {
        let t = self.t;
        let info = &t.infos[self.operation.info];
        let has_bus = self.bus() != 0;
        for code in t.codes.iter().filter(|c| has_bus && ["vcc_lo", "m0"].contains(&c.name.as_str())) {
            if info.reads.iter().any(|r| *r == code.name || Some(r) == code.pair.as_ref()) {
                let (first, _) = code.range.of(&t.row.name).expect("those of the target");
                let dwords = if code.name == "m0" { 1 } else { t.row.lanes() / 32 };
                put!(parts.calls, ".reads({first}, {dwords})");
            }
        }
    }

    /// The number of values that the constant bus carries; 0 if the format does not use it.
    fn bus(&self) -> u8 {
        match () {
            _ if !self.t.formats[self.operation.format].def.bus => 0,
            _ if self.is_flagged("one_scalar") => 1,
            _ => self.t.row.bus,
        }
    }

    /// Whether the operation has a flag.
    fn is_flagged(&self, name: &str) -> bool {
        self.t.infos[self.operation.info].flags.iter().any(|flag| flag == name)
    }

    /// The constant bits: the opcode, fixed bits, the selection of the extension, and the defaults of modifiers.
    fn bits(&self, defaults: u128) -> u128 {
        let Form { t, operation, signature, constraints, .. } = *self;
        let mut bits = encoding(t, operation.format, self.number) | constraints.value | defaults;
        bits |= u128::from(t.row.filler(signature.fillers));
        if let Some(extension) = self.extended_by() {
            let def = t.formats[operation.format].def;
            let e = def.extends.iter().find(|e| e.is_of(&t.row.name) && e.format == extension.name);
            let e = e.expect("the form has it");
            let (_, at) = t.formats[operation.format].fields.iter().find(|(f, _)| f.name == e.field).expect("checked");
            bits |= u128::from(e.code) << at.pieces[0].lsb;
        }
        bits
    }

    /// The format of the dword after the base words, if it belongs to the function's name.
    fn extended_by(&self) -> Option<&Format> {
        let extension = self.signature.extension.filter(|_| !self.extension.is_empty())?;
        Some(self.t.formats[extension].def)
    }

    /// The doc comment of the function with this name and these parameters and modifiers.
    fn doc(&self, name: &str, parameters: &[&str], modifiers: &[&str]) -> String {
        let Form { t, operation, .. } = *self;
        let def = t.formats[operation.format].def;
        let mut doc = format!("`{name} {}`", parameters.join(", ")).replace(" `", "`");
        let extension = self.extended_by().map_or(String::new(), |format| format!(" with {}", format.name));
        let spelled = operation.spelling.as_ref().map_or(String::new(), |s| format!(" Spelled `{s}` on some targets."));
        put!(
            doc,
            ": {}{extension}, opcode {}.{spelled}\n\nSource: {}.",
            def.name,
            self.number,
            def.source.text(&t.row.name)
        );
        if !modifiers.is_empty() {
            put!(doc, " Modifiers: `{}`.", modifiers.join("`, `"));
        }
        doc.push_str(self.computes);
        doc
    }

    /// The values that a field of the operation can have; `None` for all values.
    fn values(&self, field: &str) -> Option<Values> {
        let def = self.t.formats[self.operation.format].def;
        def.values_of(field, &self.operation.mnemonic, &self.t.row.name)
    }

    /// The values of an operand's field; for an offset that may also be a register, the values of the constant.
    fn values_of(&self, desc: &OperandDesc) -> Option<Values> {
        self.values(&desc.field).or_else(|| self.values_of_constant(desc))
    }

    /// The values that an offset can have as a constant, if a statement limits constants only: its condition is then
    /// about the bit that tells constants from registers.
    fn values_of_constant(&self, desc: &OperandDesc) -> Option<Values> {
        let OperandKind::Offset(OffsetKind::Bytes { imm, .. }) = desc.kind else { return None };
        let format = &self.t.formats[self.operation.format];
        let is_imm = |(field, values): &(String, Values)| {
            pieces(format, field) == Some([(imm, 1), (0, 0)]) && *values == Values { shift: 0, set: 1 << 1 }
        };
        let target = &self.t.row.name;
        let mut limits = format.def.limits(&self.operation.mnemonic, target);
        let only = limits.find(|only| only.field == desc.field && matches!(&only.conditions[..], [one] if is_imm(one)));
        only.and_then(|only| only.values.of(target).copied())
    }

    /// The limits of modifiers that can be set, if the limits have conditions: each as the source text of a `Limit`.
    fn limits(&self, settable: &[&OperandDesc]) -> Vec<String> {
        let format = &self.t.formats[self.operation.format];
        let (mnemonic, target) = (&self.operation.mnemonic, &self.t.row.name);
        let limits = format.def.limits(mnemonic, target).filter(|only| !only.conditions.is_empty());
        let about_set = limits.filter(|only| settable.iter().any(|desc| desc.field == only.field));
        let limit = |only: &Only| {
            let values = only.values.of(target)?;
            let conditions = only
                .conditions
                .iter()
                .map(|(other, values)| Some(format!("({:?}, {:#x})", pieces(format, other)?, values.set)));
            Some(format!(
                "Limit {{ field: crate::opcode::Field::{}, at: {:?}, shift: {}, values: {:#x}, conditions: &[{}] }}",
                camel(&only.field),
                pieces(format, &only.field)?,
                values.shift,
                values.set,
                conditions.collect::<Option<Vec<_>>>()?.join(", ")
            ))
        };
        about_set.filter_map(limit).collect()
    }
}

/// The lowest bits and the widths of the two pieces of a field, the low part of the value first. The second width is 0
/// if there is one piece.
fn pieces(format: &LFormat, field: &str) -> Option<[(u8, u8); 2]> {
    let (_, at) = format.fields.iter().find(|(other, _)| other.name == field)?;
    let piece = |n: usize| at.pieces.get(n).map_or((0, 0), |piece| (piece.lsb, piece.width));
    Some([piece(0), piece(1)])
}
