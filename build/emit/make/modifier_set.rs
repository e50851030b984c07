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
pub struct ModifierSet {
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

/// The width of a field. For offsets and signed numbers, the highest bits do not count if they must be zero. `values`
/// are the values that the field can have, `None` for all values; a set of runs of values also limits the width.
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
/// `limits` are the limits of modifiers, each as the source text of a `Limit`.
pub fn of(
    t: &Target,
    constraints: &Constraints,
    descs: &[&OperandDesc],
    variant: Variant,
    values: &dyn Fn(&str) -> Option<Values>,
    limits: &[String],
) -> Result<ModifierSet> {
    let sources = [("Neg", [NONE; 3]), ("Abs", [NONE; 3]), ("Sext", [NONE; 3])];
    let mut form = Form { t, constraints, descs, variant, values, set: ModifierSet::default(), sources };
    form.constants(limits);
    for desc in descs {
        form.operand(desc);
        if let OperandKind::Modifier(kind) = desc.kind {
            if desc.access.is_none() {
                form.modifier(desc, kind)?;
            }
        }
    }
    for (name, all) in form.sources.iter().filter(|s| s.1 != [NONE; 3]) {
        let mask = (0..3).filter(|n| all[*n] != NONE).fold(0, |m, n| m | 1 << n);
        let method = format!("source {} {mask}", name.to_lowercase());
        form.set.add(format!("impl {name} for $ {{ const BITS: [u8; 3] = {all:?}; }}"), method);
    }
    Ok(form.set)
}

impl ModifierSet {
    fn add(&mut self, line: String, method: String) {
        putln!(self.impls, "{line}");
        self.methods.push(method);
    }
}

/// A form, and the modifiers that were found so far.
struct Form<'a> {
    t: &'a Target<'a>,
    constraints: &'a Constraints,
    descs: &'a [&'a OperandDesc],
    variant: Variant,
    values: &'a dyn Fn(&str) -> Option<Values>,
    set: ModifierSet,
    /// The traits for signs, with the bit of each source.
    sources: [(&'static str, [u8; 3]); 3],
}

impl Form<'_> {
    fn has(&self, is_meant: impl Fn(&OperandDesc) -> bool) -> bool {
        self.descs.iter().any(|desc| is_meant(desc))
    }

    fn free_width(&self, desc: &OperandDesc) -> u8 {
        free_width(self.constraints, (self.values)(&desc.field), desc)
    }

    /// The default value of a field in LLVM's assembler, shifted to the field's position.
    fn default(&self, desc: &OperandDesc) -> u128 {
        let mut of_all = self.t.formats.iter().flat_map(|f| &f.def.defaults).filter(|d| !d.neutral);
        of_all.find(|d| d.field == desc.field).map_or(0, |d| u128::from(d.value)) << desc.lsb
    }

    /// Writes the constants of image data and addresses, and those of limits.
    fn constants(&mut self, limits: &[String]) {
        let mut consts = String::new();
        if !limits.is_empty() {
            put!(consts, "const LIMITS: &'static [Limit] = &[{}];", limits.join(", "));
        }
        if let Some(image) = image(self.constraints) {
            put!(consts, "const IMAGE: [u8; 4] = {image:?};");
        }
        for address in self.descs {
            let OperandKind::Image(ImageKind::Address { shape, dim, a16, .. }) = address.kind else { continue };
            let (field, more) = (camel(&address.field), address.dwords - 1);
            put!(
                consts,
                "const ADDRESS: Option<AddressSize> = Some(AddressSize {{ field: crate::opcode::Field::{field}, of: AddressShape::{shape:?}, dim: {dim}, a16: {a16}, more: {more} }});"
            );
        }
        putln!(self.set.impls, "impl ModifierSet for $ {{ {consts} }}");
    }

    /// Adds the methods of an operand: the optional number of `s_endpgm`, and a register that is added to an offset.
    fn operand(&mut self, desc: &OperandDesc) {
        let lsb = desc.lsb;
        let bits = match desc.kind {
            OperandKind::Number(NumberKind::Plain(Notation::Endpgm)) => {
                let line = format!("impl Simm16 for $ {{ const LSB: u8 = {lsb}; }}");
                return self.set.add(line, "value simm16 16".into());
            }
            OperandKind::Offset(OffsetKind::Bytes { imm, soffset_en, soffset }) if soffset != NONE => {
                [imm, soffset_en, soffset]
            }
            OperandKind::Offset(OffsetKind::Sum { soffset, .. }) => [NONE, NONE, soffset],
            _ => return,
        };
        let ([imm, soffset_en, soffset], width, off) = (bits, self.free_width(desc), self.t.code.off);
        let signed = if width == desc.width { "" } else { " const SIGNED: bool = false;" };
        self.set.add(
            format!("impl ScalarOffset for $ {{ const BITS: [u8; 5] = [{imm}, {soffset_en}, {lsb}, {width}, {soffset}]; const OFF: u64 = {off};{signed} }}"),
            format!("plus {width} {}", u8::from(signed.is_empty())),
        );
    }

    fn modifier(&mut self, desc: &OperandDesc, kind: ModifierKind) -> Result<()> {
        let name = desc.field.as_str();
        let ty = camel(name);
        let (lsb, width) = (desc.lsb, desc.width);
        match kind {
            ModifierKind::Hidden => self.hidden(desc),
            ModifierKind::List(ListStyle::Neg) => self.sources[0].1 = bits(desc),
            ModifierKind::Flag { .. } | ModifierKind::DppBound => self.flag(desc),
            ModifierKind::List(style) => self.list(desc, style),
            ModifierKind::Named | ModifierKind::Signed | ModifierKind::Swizzle if name == "offset" => {
                let width = self.free_width(desc);
                let signed = kind == ModifierKind::Signed && width == desc.width;
                self.set.add(
                    format!("impl Offset for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; const SIGNED: bool = {signed}; }}"),
                    format!("offset {width} {}", u8::from(signed)),
                );
            }
            // The formats of matrices are parameters, because operand lengths depend on them.
            ModifierKind::Named if ["cbsz", "blgp"].contains(&name) && self.has(is_matrix) => {}
            ModifierKind::Choice(ModifierList::MatrixFormat) if self.has(is_matrix) => {}
            // A number of one bit is a flag.
            ModifierKind::Named if width == 1 && name != "index_key" => {
                let position = if name == "fi" { "LSB" } else { "BIT" };
                let line = format!("impl {ty} for $ {{ const {position}: u8 = {lsb}; }}");
                self.set.add(line, format!("flag {name}"));
            }
            ModifierKind::Named if name == "index_key" => {
                let width = desc.used_bits.count_ones();
                let line = format!("impl {ty} for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; }}");
                self.set.add(line, format!("value {name} {width}"));
            }
            ModifierKind::ByteSel => {
                let all: [u8; 2] = bits(desc);
                let line = format!("impl ByteSel for $ {{ const BITS: [u8; 2] = {all:?}; }}");
                self.set.add(line, format!("byte_sel {name}"));
            }
            ModifierKind::Choice(ModifierList::Scope) => {
                let line = format!("impl Scope for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; }}");
                self.set.add(line, "scope".into());
            }
            ModifierKind::TemporalHint { .. } => self.temporal_hint(desc),
            ModifierKind::Bitop3 { middle, low } => {
                let line = format!("impl Bitop3 for $ {{ const LSB: [u8; 3] = [{lsb}, {middle}, {low}]; }}");
                self.set.add(line, "bitop3".into());
            }
            ModifierKind::Named
            | ModifierKind::Wait
            | ModifierKind::Choice(ModifierList::MatrixScale | ModifierList::MatrixScaleFormat)
            | ModifierKind::MtbufFormat { .. }
            | ModifierKind::BufferFormat
            | ModifierKind::DppMask => {
                let line = format!("impl {ty} for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; }}");
                self.set.add(line, format!("value {name} {width}"));
                self.set.defaults |= self.default(desc);
            }
            ModifierKind::Omod => {
                self.set.add(format!("impl Omod for $ {{ const LSB: u8 = {lsb}; }}"), "omod".into());
            }
            ModifierKind::Choice(ModifierList::SdwaSel | ModifierList::DstUnused) => self.choice(desc)?,
            // These modifiers are parameters of the function.
            ModifierKind::DppCtrl | ModifierKind::Dmask | ModifierKind::Choice(ModifierList::Dim) => {}
            // The lanes are a parameter of the function. Code 234 announces the dword with `fi`, and code 233 without
            // it.
            ModifierKind::Dpp8 { code } => {
                let line = format!("impl Fi for $ {{ const LSB: u8 = {code}; const BITS: (u64, u64) = (3, 2); }}");
                self.set.add(line, "flag fi".into());
            }
            ModifierKind::Signed | ModifierKind::Swizzle | ModifierKind::Choice(_) => {
                let kind = desc.kind.name().unwrap_or("?");
                return self
                    .t
                    .row
                    .at
                    .err(format!("build/make does not know the modifier `{name}` of operand type {kind}"));
            }
        }
        Ok(())
    }

    /// Adds a modifier that the text of another operand or modifier includes: signs of sources, or a number format.
    fn hidden(&mut self, desc: &OperandDesc) {
        let (lsb, width) = (desc.lsb, desc.width);
        let which = match desc.ty.as_str() {
            "neg" => 0,
            "abs" => 1,
            "sext" => 2,
            "nfmt" => {
                let line = format!("impl Nfmt for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; }}");
                return self.set.add(line, format!("value nfmt {width}"));
            }
            _ => return,
        };
        // The field is either one such as `src0_neg`, or has a bit for each source.
        match desc.field.strip_prefix("src").and_then(|rest| rest.split('_').next()?.parse::<usize>().ok()) {
            Some(n) => self.sources[which].1[n] = lsb,
            None => self.sources[which].1 = bits(desc),
        }
    }

    fn flag(&mut self, desc: &OperandDesc) {
        let (name, lsb, variant) = (desc.field.as_str(), desc.lsb, self.variant);
        let is_flag = matches!(desc.kind, OperandKind::Modifier(ModifierKind::Flag { .. }));
        match name {
            // A bit that is always one is not a modifier.
            _ if is_flag && self.constraints.value >> lsb & 1 == 1 => {}
            "offen" | "idxen" | "addr64" if is_flag && self.has(is_buffer_address) => {}
            _ if is_flag && desc.ty == "rtn" && matches!(variant, Variant::Returns(_)) => {
                self.set.defaults |= u128::from(variant == Variant::Returns(true)) << lsb;
            }
            "lds" if is_flag && matches!(variant, Variant::Lds(_)) => {
                self.set.defaults |= u128::from(variant == Variant::Lds(true)) << lsb;
            }
            "tfe" if is_flag => self.fail_status(desc),
            "compr" if is_flag => {
                let first = self.descs.iter().find(|i| is_export(i)).map_or(32, |i| i.lsb);
                let line = format!("impl Compr for $ {{ const BITS: (u8, u8) = ({lsb}, {first}); }}");
                self.set.add(line, "compr".into());
            }
            // The address determines this flag.
            "nsa" if is_flag => {}
            _ => {
                let line = format!("impl {} for $ {{ const BIT: u8 = {lsb}; }}", camel(name));
                self.set.add(line, format!("flag {name}"));
            }
        }
    }

    fn fail_status(&mut self, desc: &OperandDesc) {
        let (lsb, variant) = (desc.lsb, self.variant);
        // On some targets, data that goes to LDS has no fail status.
        if variant == Variant::Lds(true) && refuses(self.constraints, lsb) {
            return;
        }
        let there = variant != Variant::Lds(true) && variant != Variant::Returns(false);
        let has_status =
            |i: &&&OperandDesc| matches!(i.kind, OperandKind::Register(RegisterKind::Data { tfe, .. }) if tfe != NONE);
        let data = self.descs.iter().find(has_status).filter(|_| there);
        let (at, dwords) = data.map_or((NONE, 0), |i| (i.lsb, i.dwords));
        let (even, vgprs) = (self.t.row.has("aligned-vgprs"), self.t.vgprs());
        self.set.add(
            format!("impl Tfe for $ {{ const BIT: u8 = {lsb}; const DATA: (u8, u8) = ({at}, {dwords}); const EVEN: bool = {even}; const VGPRS: u16 = {vgprs}; }}"),
            "tfe".into(),
        );
    }

    fn list(&mut self, desc: &OperandDesc, style: ListStyle) {
        let name = desc.field.as_str();
        // Bits that are always zero, although the text shows them, cannot be set.
        let free = |bit: &u8| *bit != NONE && self.constraints.mask >> bit & 1 == 0;
        let all = bits::<4>(desc).map(|bit| if free(&bit) { bit } else { NONE });
        let used = (0..4).filter(|n| all[*n] != NONE).fold(0, |mask, n| mask | 1 << n);
        let (ty, method) = if name == "neg" { ("NegLo".into(), "neg_lo") } else { (camel(name), name) };
        // Operands that are halves of registers use bits of this modifier.
        let has_halves = name == "op_sel" && self.has(is_half);
        let halves = if has_halves { " const HALVES: bool = true;" } else { "" };
        // The style of the list, as a number for the tests: 1 if the default is ones, 2 if the text has an extra bit
        // when it shows the list, 3 if the text always shows the list with the extra bit, 4 if it shows all four bits;
        // plus 10 if halves of registers determine bits.
        let shown = match style {
            ListStyle::Ones => 1,
            ListStyle::All if desc.used_bits == 3 => 2,
            ListStyle::All if desc.width == 4 => 4,
            ListStyle::Always => 3,
            ListStyle::All | ListStyle::Plain | ListStyle::NegLo | ListStyle::Neg => 0,
        };
        let (with_halves, of_text) = (shown + 10 * u8::from(has_halves), desc.used_bits & 15);
        let usual = if shown == 1 { used } else { 0 };
        if shown == 1 {
            self.set.defaults |= all.iter().filter(|b| **b != NONE).fold(0, |m, b| m | 1 << b);
        }
        // Bits that can only have their usual values are not a modifier.
        if (self.values)(&desc.field) == Some(Values { shift: 0, set: 1 << usual }) {
            return;
        }
        let line = format!("impl {ty} for $ {{ const BITS: [u8; 4] = {all:?};{halves} }}");
        self.set.add(line, format!("list {method} {used} {with_halves} {of_text}"));
    }

    /// Adds a temporal hint, whose lowest bit makes an atomic operation return the old value.
    fn temporal_hint(&mut self, desc: &OperandDesc) {
        let (lsb, width) = (desc.lsb, desc.width);
        let returns = match self.variant {
            Variant::Returns(returns) => Some(returns),
            Variant::Plain | Variant::Lds(_) => None,
        };
        let values = (self.values)(&desc.field).map_or(u8::MAX, |values| values.set as u8);
        self.set.add(
            format!("impl Th for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; const VALUES: u8 = {values:#x}; const RETURNS: Option<bool> = {returns:?}; }}"),
            format!("th {width} {} {values}", returns.map_or(2, u8::from)),
        );
        self.set.defaults |= u128::from(returns == Some(true)) << lsb;
    }

    /// Adds a modifier whose values have names, up to a greatest value.
    fn choice(&mut self, desc: &OperandDesc) -> Result<()> {
        let (name, lsb, width) = (desc.field.as_str(), desc.lsb, desc.width);
        let (first, count) = self.constraints.checks;
        let mut checks = self.t.checks[first..first + count].iter().filter(|c| c.lsb == lsb);
        let words = checks.next().map(|c| self.t.sets[c.set]);
        let Some(max) = words.and_then(|w| (0..1 << width).rev().find(|n| w[0] >> n & 1 == 1)) else {
            return self.t.row.at.err(format!("`{name}` takes all values"));
        };
        let (ty, method) = (camel(name), format!("choice {name} {max}"));
        let line =
            format!("impl {ty} for $ {{ const LSB: u8 = {lsb}; const WIDTH: u8 = {width}; const MAX: u16 = {max}; }}");
        self.set.add(line, method);
        self.set.defaults |= self.default(desc);
        Ok(())
    }
}

fn is_buffer_address(desc: &OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Address(AddressKind::Buffer { .. }))
}

fn is_half(desc: &OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Register(RegisterKind::HalfSelected { .. }))
}

fn is_matrix(desc: &OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Register(RegisterKind::Matrix { .. }))
}

fn is_export(desc: &OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Address(AddressKind::ExportSource { .. }))
}

/// The name of the type for a set.
pub fn name(shared: &mut Shared, prefix: &str, set: &ModifierSet) -> String {
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
