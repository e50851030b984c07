//! Modifiers: the traits of `src/make/modifiers.rs` that a form's set implements, and default values.

use crate::build::emit::camel;
use crate::build::emit::make::Shared;
use crate::build::kind::{
    AddressKind, ImageKind, ListStyle, ModifierKind, ModifierList, Notation, NumberKind, OffsetKind, OperandKind,
    RegisterKind,
};
use crate::build::lower::{Constraints, NONE, OperandDesc, Target};
use crate::build::model::Values;
use crate::build::model::error::Result;
use crate::build::shared::RuleKind;
use crate::build::writer::{put, putln};

/// The modifiers of a form.
#[derive(Default)]
pub struct Set {
    /// The `impl` lines, with `$` for the name of the set.
    pub impls: String,
    /// The methods: the name, and the words that tell the tests how to call it.
    pub methods: Vec<String>,
    pub defaults: u128,
}

/// The position of bit `n` of a field, which may be in pieces.
fn bit(desc: &OperandDesc, n: u8) -> u8 {
    let (hi, low_width) = desc.split;
    if hi == NONE || n < low_width { desc.lsb + n } else { hi + n - low_width }
}

/// The width of a field that holds exactly these values, if there is one.
fn width_of(values: Values) -> Option<u8> {
    let runs = values.set.trailing_ones();
    let fills = runs == values.set.count_ones() && runs.is_power_of_two();
    fills.then(|| values.shift + runs.ilog2() as u8)
}

/// The width of a field without its highest bits, if these must be zero. `values` are the values that the field can
/// have; `None` for all values.
pub fn free_width(constraints: &Constraints, values: Option<Values>, desc: &OperandDesc) -> u8 {
    let (one, lsb, width) = (desc.split.0 == NONE, desc.lsb, desc.width);
    let zero = |n: u8| one && constraints.mask >> (lsb + n) & 1 == 1 && constraints.value >> (lsb + n) & 1 == 0;
    let is_narrow = matches!(
        desc.kind,
        OperandKind::Offset(OffsetKind::Bytes { .. } | OffsetKind::Sum { .. })
            | OperandKind::Number(NumberKind::Plain(Notation::SignedHex | Notation::Int16))
    );
    let free = (0..width).rev().find(|&n| !zero(n)).map_or(0, |n| n + 1);
    let free = if free == 0 || !is_narrow { width } else { free };
    // A set whose bits stand for runs of values limits the width.
    let values = values.filter(|values| values.shift > 0);
    values.map_or(free, |values| free.min(width_of(values).expect("the highest bits are zero")))
}

/// The positions of the first `N` bits of a field; `NONE` for bits that the row does not use.
fn bits<const N: usize>(desc: &OperandDesc) -> [u8; N] {
    std::array::from_fn(
        |n| if n < desc.width.into() && desc.used_bits >> n & 1 == 1 { bit(desc, n as u8) } else { NONE },
    )
}

/// The variants of a function for flags that affect operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    Plain,
    /// Whether the old value is returned.
    Returns(bool),
    /// Whether the data goes to LDS.
    Lds(bool),
}

/// The kind of image data, as `image::*` in src/shared.rs, and the positions of dmask, tfe and d16.
fn image(constraints: &Constraints) -> Option<[u8; 4]> {
    let rule = constraints.rules.iter().find(|rule| rule.kind == RuleKind::Image)?;
    let [dmask, tfe, d16] = rule.looks.map(|(piece, _)| if piece.width == 0 { NONE } else { piece.lsb });
    Some([rule.n, dmask, tfe, d16])
}

/// Whether a rule refuses the flag at this bit in combination with another.
fn refuses(constraints: &Constraints, bit: u8) -> bool {
    constraints.rules.iter().any(|rule| rule.kind == RuleKind::Forbidden && rule.field.lsb == bit)
}

/// The modifiers of a form. `values` gives the values that a field of the operation can have, or `None` for all values;
/// `excluding` gives the lowest bit, the width and the value of another field that excludes all but zero in the field.
pub fn set(
    t: &Target,
    constraints: &Constraints,
    descs: &[&OperandDesc],
    variant: Variant,
    values: &dyn Fn(&str) -> Option<Values>,
    excluding: &dyn Fn(&str) -> Option<[u8; 3]>,
) -> Result<Set> {
    let free_width = |desc: &OperandDesc| free_width(constraints, values(&desc.field), desc);
    let mut set = Set::default();
    let mut sources: [(&str, [u8; 3]); 3] = [("Neg", [NONE; 3]), ("Abs", [NONE; 3]), ("Sext", [NONE; 3])];
    let buffer = descs.iter().any(|i| matches!(i.kind, OperandKind::Address(AddressKind::Buffer { .. })));
    let mut consts = String::new();
    if let Some(image) = image(constraints) {
        put!(consts, "const IMAGE: [u8; 4] = {image:?};");
    }
    for address in descs {
        let OperandKind::Image(ImageKind::Address { shape, dim, a16, .. }) = address.kind else { continue };
        let (field, more) = (camel(&address.field), address.dwords - 1);
        put!(
            consts,
            "const ADDRESS: Option<AddressSize> = Some(AddressSize {{ field: crate::opcode::Field::{field}, of: AddressShape::{shape:?}, dim: {dim}, a16: {a16}, more: {more} }});"
        );
    }
    putln!(set.impls, "impl ModifierSet for $ {{ {consts} }}");
    // The default value of a field in LLVM's assembler.
    let default = |field: &str| {
        let mut of_all = t.formats.iter().flat_map(|f| &f.def.defaults).filter(|d| !d.neutral);
        of_all.find(|d| d.field == field).map_or(0, |d| u128::from(d.value))
    };
    for desc in descs {
        if desc.kind == OperandKind::Number(NumberKind::Plain(Notation::Endpgm)) {
            putln!(set.impls, "impl Simm16 for $ {{ const LSB: u8 = {}; }}", desc.lsb);
            set.methods.push("value simm16 16".into());
        }
        let sum = match desc.kind {
            OperandKind::Offset(OffsetKind::Bytes { imm, soffset_en, soffset }) if soffset != NONE => {
                Some([imm, soffset_en, soffset])
            }
            OperandKind::Offset(OffsetKind::Sum { soffset, .. }) => Some([NONE, NONE, soffset]),
            _ => None,
        };
        if let Some([imm, soffset_en, soffset]) = sum {
            let width = free_width(desc);
            let signed = if width == desc.width { "" } else { " const SIGNED: bool = false;" };
            putln!(
                set.impls,
                "impl ScalarOffset for $ {{ const BITS: [u8; 5] = [{imm}, {soffset_en}, {}, {width}, {soffset}]; const OFF: u64 = {};{signed} }}",
                desc.lsb,
                t.code.off
            );
            set.methods.push(format!("plus {width} {}", u8::from(signed.is_empty())));
        }
        let OperandKind::Modifier(kind) = desc.kind else { continue };
        if desc.access.is_some() {
            continue;
        }
        let name = desc.field.as_str();
        let ty = camel(name);
        let (lsb, width) = (desc.lsb, desc.width);
        match kind {
            ModifierKind::Hidden => {
                let which = match desc.ty.as_str() {
                    "neg" => 0,
                    "abs" => 1,
                    "sext" => 2,
                    "nfmt" => {
                        putln!(set.impls, "impl Nfmt for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; }}");
                        set.methods.push(format!("value nfmt {width}"));
                        continue;
                    }
                    _ => continue,
                };
                // The field is either one such as `src0_neg`, or has a bit for each source.
                match name.strip_prefix("src").and_then(|rest| rest.split('_').next()?.parse::<usize>().ok()) {
                    Some(n) => sources[which].1[n] = lsb,
                    None => sources[which].1 = bits(desc),
                }
            }
            ModifierKind::List(ListStyle::Neg) => sources[0].1 = bits(desc),
            // A bit that is always one is not a modifier.
            ModifierKind::Flag if constraints.value >> lsb & 1 == 1 => {}
            ModifierKind::Flag if buffer && ["offen", "idxen", "addr64"].contains(&name) => {}
            ModifierKind::Flag if desc.ty == "rtn" && matches!(variant, Variant::Returns(_)) => {
                set.defaults |= u128::from(variant == Variant::Returns(true)) << lsb;
            }
            ModifierKind::Flag if name == "lds" && matches!(variant, Variant::Lds(_)) => {
                set.defaults |= u128::from(variant == Variant::Lds(true)) << lsb;
            }
            ModifierKind::Flag if name == "tfe" => {
                // On some targets, data that goes to LDS has no fail status.
                if variant == Variant::Lds(true) && refuses(constraints, lsb) {
                    continue;
                }
                let there = variant != Variant::Lds(true) && variant != Variant::Returns(false);
                let has_status = |i: &&&OperandDesc| matches!(i.kind, OperandKind::Register(RegisterKind::Data { tfe, .. }) if tfe != NONE);
                let data = descs.iter().find(has_status).filter(|_| there);
                let (at, dwords) = data.map_or((NONE, 0), |i| (i.lsb, i.dwords));
                putln!(
                    set.impls,
                    "impl Tfe for $ {{ const BIT: u8 = {lsb}; const DATA: (u8, u8) = ({at}, {dwords}); const EVEN: bool = {}; const VGPRS: u16 = {}; }}",
                    t.row.has("aligned-vgprs"),
                    t.vgprs()
                );
                set.methods.push("tfe".into());
            }
            ModifierKind::Flag if name == "compr" => {
                let first = descs.iter().find(|i| is_export(i)).map_or(32, |i| i.lsb);
                putln!(set.impls, "impl Compr for $ {{ const BITS: (u8, u8) = ({lsb}, {first}); }}");
                set.methods.push("compr".into());
            }
            // The address determines this flag.
            ModifierKind::Flag if name == "nsa" => {}
            ModifierKind::Flag | ModifierKind::DppBound => {
                let by = excluding(&desc.field);
                let by = by.map_or(String::new(), |by| format!(" const EXCLUDED_BY: Option<[u8; 3]> = Some({by:?});"));
                putln!(set.impls, "impl {ty} for $ {{ const BIT: u8 = {lsb};{by} }}");
                set.methods.push(format!("flag {name}"));
            }
            ModifierKind::List(style) => {
                // Bits that are always zero, although the text shows them, cannot be set.
                let free = |bit: &u8| *bit != NONE && constraints.mask >> bit & 1 == 0;
                let all = bits::<4>(desc).map(|bit| if free(&bit) { bit } else { NONE });
                let used = (0..4).filter(|n| all[*n] != NONE).fold(0, |mask, n| mask | 1 << n);
                let ty = if name == "neg" { "NegLo".into() } else { ty };
                // Operands that are halves of registers use bits of this modifier.
                let halves = name == "op_sel"
                    && descs.iter().any(|i| matches!(i.kind, OperandKind::Register(RegisterKind::HalfSelected { .. })));
                let halves = if halves { " const HALVES: bool = true;" } else { "" };
                putln!(set.impls, "impl {ty} for $ {{ const BITS: [u8; 4] = {all:?};{halves} }}");
                let method = if name == "neg" { "neg_lo" } else { name };
                // The style of the list, as a number for the tests: 1 if the default is ones, 2 if the text has an
                // extra bit when it shows the list, 3 if the text always shows the list with the extra bit, 4 if it
                // shows all four bits; plus 10 if halves of registers determine bits.
                let shown = match style {
                    ListStyle::Ones => 1,
                    ListStyle::All if desc.used_bits == 3 => 2,
                    ListStyle::All if desc.width == 4 => 4,
                    ListStyle::Always => 3,
                    ListStyle::All | ListStyle::Plain | ListStyle::NegLo | ListStyle::Neg => 0,
                };
                let of_halves = u8::from(!halves.is_empty());
                let (with_halves, of_text) = (shown + 10 * of_halves, desc.used_bits & 15);
                set.methods.push(format!("list {method} {used} {with_halves} {of_text}"));
                if shown == 1 {
                    set.defaults |= all.iter().filter(|b| **b != NONE).fold(0, |m, b| m | 1 << b);
                }
            }
            ModifierKind::Named | ModifierKind::Signed | ModifierKind::Swizzle if name == "offset" => {
                let width = free_width(desc);
                let signed = kind == ModifierKind::Signed && width == desc.width;
                putln!(
                    set.impls,
                    "impl Offset for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; const SIGNED: bool = {signed}; }}"
                );
                set.methods.push(format!("offset {width} {}", u8::from(signed)));
            }
            // The formats of matrices are parameters, because operand lengths depend on them.
            ModifierKind::Named if ["cbsz", "blgp"].contains(&name) && descs.iter().any(|i| is_matrix(i)) => {}
            ModifierKind::Choice(ModifierList::MatrixFormat) if descs.iter().any(|i| is_matrix(i)) => {}
            // A number of one bit is a flag.
            ModifierKind::Named if width == 1 && name != "index_key" => {
                let position = if name == "fi" { "LSB" } else { "BIT" };
                putln!(set.impls, "impl {ty} for $ {{ const {position}: u8 = {lsb}; }}");
                set.methods.push(format!("flag {name}"));
            }
            ModifierKind::Named if name == "index_key" => {
                let width = desc.used_bits.count_ones();
                putln!(set.impls, "impl {ty} for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; }}");
                set.methods.push(format!("value {name} {width}"));
            }
            ModifierKind::ByteSel => {
                let all: [u8; 2] = bits(desc);
                putln!(set.impls, "impl ByteSel for $ {{ const BITS: [u8; 2] = {all:?}; }}");
                set.methods.push(format!("byte_sel {name}"));
            }
            ModifierKind::Choice(ModifierList::Scope) => {
                putln!(set.impls, "impl Scope for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; }}");
                set.methods.push("scope".into());
            }
            // The lowest bit of the hint makes an atomic operation return the old value.
            ModifierKind::TemporalHint { .. } => {
                let returns = match variant {
                    Variant::Returns(returns) => Some(returns),
                    _ => None,
                };
                let values = values(name).map_or(u8::MAX, |values| values.set as u8);
                putln!(
                    set.impls,
                    "impl Th for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; const VALUES: u8 = {values:#x}; const RETURNS: Option<bool> = {returns:?}; }}"
                );
                set.methods.push(format!("th {width} {} {values}", returns.map_or(2, u8::from)));
                set.defaults |= u128::from(returns == Some(true)) << lsb;
            }
            ModifierKind::Bitop3 { middle, low } => {
                putln!(set.impls, "impl Bitop3 for $ {{ const LSB: [u8; 3] = [{lsb}, {middle}, {low}]; }}");
                set.methods.push("bitop3".into());
            }
            ModifierKind::Named
            | ModifierKind::Wait
            | ModifierKind::Choice(ModifierList::MatrixScale | ModifierList::MatrixScaleFormat)
            | ModifierKind::MtbufFormat { .. }
            | ModifierKind::BufferFormat
            | ModifierKind::DppMask => {
                putln!(set.impls, "impl {ty} for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; }}");
                set.methods.push(format!("value {name} {width}"));
                set.defaults |= default(name) << lsb;
            }
            ModifierKind::Omod => {
                putln!(set.impls, "impl Omod for $ {{ const LSB: u8 = {lsb}; }}");
                set.methods.push("omod".into());
            }
            ModifierKind::Choice(ModifierList::SdwaSel | ModifierList::DstUnused) => {
                let checks = t.checks[constraints.checks.0..constraints.checks.0 + constraints.checks.1].iter();
                let words = checks.filter(|c| c.lsb == lsb).map(|c| t.sets[c.set]).next();
                let Some(max) = words.and_then(|w| (0..1 << width).rev().find(|n| w[0] >> n & 1 == 1)) else {
                    return t.row.at.err(format!("`{name}` takes all values"));
                };
                putln!(
                    set.impls,
                    "impl {ty} for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; const MAX: u16 = {max}; }}"
                );
                set.methods.push(format!("choice {name} {max}"));
                set.defaults |= default(name) << lsb;
            }
            // These modifiers are parameters of the function.
            ModifierKind::DppCtrl | ModifierKind::Dmask | ModifierKind::Choice(ModifierList::Dim) => {}

            // The lanes are a parameter of the function. Code 234 announces the dword with `fi`, and code 233 without
            // it.
            ModifierKind::Dpp8 { code } => {
                putln!(set.impls, "impl Fi for $ {{ const LSB: u8 = {code}; const BITS: (u64, u64) = (3, 2); }}");
                set.methods.push("flag fi".into());
            }
            ModifierKind::Signed | ModifierKind::Swizzle | ModifierKind::Choice(_) => {
                let kind = desc.kind.name().unwrap_or("?");
                return t.row.at.err(format!("build/make does not know the modifier `{name}` of operand type {kind}"));
            }
        }
    }
    for (name, all) in sources.iter().filter(|s| s.1 != [NONE; 3]) {
        putln!(set.impls, "impl {name} for $ {{ const BITS: [u8; 3] = {all:?}; }}");
        let mask = (0..3).filter(|n| all[*n] != NONE).fold(0, |m, n| m | 1 << n);
        set.methods.push(format!("source {} {mask}", name.to_lowercase()));
    }
    Ok(set)
}

fn is_matrix(desc: &OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Register(RegisterKind::Matrix { .. }))
}

fn is_export(desc: &OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Address(AddressKind::ExportSource { .. }))
}

/// The name of the type for a set.
pub fn name(shared: &mut Shared, prefix: &str, set: &Set) -> String {
    let methods: Vec<&str> = set.methods.iter().map(|m| method(m)).collect();
    let doc = match methods.len() {
        0 => "No modifiers.".to_string(),
        _ => format!("Modifiers: `{}`.", methods.join("`, `")),
    };
    // The tests read the methods from the key.
    let key = format!("{}//{}", set.impls, set.methods.join(";"));
    shared.sets.name(prefix, key, |name, _| {
        format!(
            "/// {doc}\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub struct {name};\n{}",
            set.impls.replace('$', name)
        )
    })
}

/// The name of the method in a line for the tests.
pub fn method(line: &str) -> &str {
    let mut words = line.split(' ');
    match (words.next(), words.next()) {
        (Some("flag" | "value" | "list" | "choice" | "source"), Some(name)) => name,
        (Some("omod"), _) => "mul2`, `mul4`, `div2",
        (Some(name), _) => name,
        _ => "",
    }
}
