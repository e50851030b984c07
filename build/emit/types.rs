//! Writes the public types: a module for each target with a struct for each microcode format and an enum for each
//! opcode table. Targets share a type if its struct or enum is the same, bit for bit; the type names all their manuals.

use crate::build::emit::camel;
use crate::build::lower::{LFormat, Target};
use crate::build::model::*;
use crate::build::writer::{put, putln};
use std::collections::BTreeMap;

pub fn all(isa: &Isa, targets: &[Target]) -> String {
    let mut out = String::new();
    // The structs of a target do not depend on the size of its waves.
    let codes: Vec<(&Target, Vec<Type>)> =
        targets.iter().filter(|t| !t.row.is_other_wave()).map(|t| (t, Type::all_of(t))).collect();
    let mut manuals: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for ty in codes.iter().flat_map(|(_, types)| types) {
        let manuals = manuals.entry(&ty.key).or_default();
        if !manuals.contains(&&*ty.manual) {
            manuals.push(&ty.manual);
        }
    }
    let mut written: BTreeMap<&str, &str> = BTreeMap::new();
    for (t, types) in &codes {
        let name = &t.row.name;
        putln!(
            out,
            "/// The microcode formats and opcodes of {name} ({}).\n#[allow(clippy::all)] // generated\npub mod {name} {{",
            t.row.generation
        );
        putln!(out, "#[allow(unused_imports)]\nuse crate::microcode::prelude::*;");
        putln!(out, "#[cfg(feature = \"make\")]\npub use crate::make::generated::{name}::*;");
        documentation(&mut out, name);
        for other in targets.iter().filter(|o| o.row.is_other_wave() && o.row.processor == t.row.processor) {
            let lanes = other.row.lanes();
            putln!(
                out,
                "/// Constructors for waves of {lanes} lanes.\n#[cfg(feature = \"make\")]\npub mod wave{lanes} {{\npub use crate::make::generated::{}::*;",
                other.row.name
            );
            documentation(&mut out, &other.row.name);
            putln!(out, "}}");
        }
        enums(&mut out, isa, t);
        for Type { name: ty, key, code, .. } in types {
            if let Some(module) = written.get(&**key) {
                putln!(out, "pub use super::{module}::{ty};");
            } else {
                out.push_str(&code.replace(MANUALS, &manuals[&**key].join("; ")));
                written.insert(key, name);
            }
        }
        putln!(out, "}}");
    }
    out
}

/// The placeholder, in the code of a type, for the manuals that describe it.
const MANUALS: &str = "{manuals}";

/// A type of a target.
struct Type {
    name: String,
    /// The text that two targets have in common exactly if they share the type.
    key: String,
    code: String,
    manual: String,
}

impl Type {
    /// The opcode enum and the struct of each format.
    fn all_of(t: &Target) -> Vec<Type> {
        let mut types = Vec::new();
        for f in &t.formats {
            let name = camel(&f.def.name);
            let manual = f.def.source.text(&t.row.name);
            let op = if f.def.extension { String::new() } else { op_enum(t, f) };
            let code = format_struct(f, &name);
            // The struct depends on the opcode enum that its getter returns.
            let key = format!("{name}\n{op}{code}");
            if !op.is_empty() {
                let name = format!("{name}Op");
                types.push(Type { key: format!("{name}\n{op}"), name, code: op, manual: manual.clone() });
            }
            types.push(Type { name, key, code, manual });
        }
        types
    }
}

/// Includes the tables of a target's constructors where `cargo doc` looks for them.
fn documentation(out: &mut String, target: &str) {
    putln!(
        out,
        "#[cfg(all(doc, feature = \"make\"))]\ninclude!(concat!(env!(\"OUT_DIR\"), \"/constructors_{target}.rs\"));"
    );
}

/// Writes the modules of disabled targets. They are never compiled, but the compiler names the missing feature if code
/// refers to one. For this, the modules have to be in the root of the crate, where they would be if enabled.
pub fn off(isa: &Isa, targets: &[Target]) -> String {
    let mut out = String::new();
    let is_off = |row: &&TargetRow| !row.is_other_wave() && !targets.iter().any(|t| t.row.name == row.name);
    for row in isa.targets.iter().filter(is_off) {
        putln!(out, "#[cfg(feature = {:?})]\npub mod {} {{}}", row.feature(), row.name);
    }
    out
}

/// The attribute that keeps an item out of the documentation of `cargo doc`, but not out of an editor's completion. A
/// page for each of thousands of items would be most of the documentation; a table of the module lists them instead.
pub const HIDDEN: &str = "#[cfg_attr(doc, doc(hidden))]";

/// Writes the values of each enum as a module of constants.
fn enums(out: &mut String, isa: &Isa, t: &Target) {
    for e in isa.enums.iter().filter(|e| !e.bits) {
        let values: Vec<(&EnumValue, &String)> =
            e.values.iter().filter_map(|v| v.value.of(&t.row.name).map(|c| (v, c))).collect();
        let plain = |n: &str| n.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if values.is_empty() || e.name == "dpp_ctrl64" {
            continue;
        }
        let (mut table, mut constants) = (String::new(), String::new());
        for (v, cell) in values {
            let name: String =
                v.name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
            let doc = if plain(&v.name) { String::new() } else { format!(" Printed as `{}`.", v.name) };
            let first = cell.split('-').next().unwrap_or(cell);
            putln!(table, "/// | `{name}` | {cell}.{doc} |");
            putln!(constants, "    /// {cell}.{doc}\n    {HIDDEN}\n    pub const {name}: u16 = {first};");
        }
        putln!(
            out,
            "/// Values of `{}` (see `isa/enums.isa`).\n///\n/// | constant (`u16`) | value |\n/// |---|---|\n{table}pub mod {} {{",
            e.name,
            e.name
        );
        out.push_str(&constants);
        putln!(out, "}}");
    }
}

/// Whether the field has a setter: encoding bits and bits without a meaning have none.
pub fn is_settable(field: &Field, bits: &Bits) -> bool {
    bits.fixed.is_none() && field.name != "reserved"
}

/// Whether every value of the field's type fits.
pub fn is_exact(width: u8) -> bool {
    [1, 8, 16, 32].contains(&width)
}

/// The width of the opcode in bits.
fn op_bits(f: &LFormat) -> u8 {
    f.fields.iter().find(|(x, _)| x.operand_type == "op").map_or(0, |(_, b)| b.width())
}

fn op_enum(t: &Target, f: &LFormat) -> String {
    let mut out = String::new();
    let ty = camel(&f.def.name);
    let base = op_base(op_bits(f));
    putln!(out, "#[cfg(feature = \"arbitrary\")]\ncrate::arbitrary::operations!({ty}Op, {base}, {});", op_bits(f));
    let rows = f.def.rows_of(&t.row.name);
    putln!(out, "operations!({ty}Op, {base});");
    putln!(out, "/// Opcodes of {} ({MANUALS}). The discriminant is the opcode number.", f.def.name);
    putln!(out, "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, num_enum::IntoPrimitive)]");
    putln!(out, "#[repr({base})]\n#[non_exhaustive]\n#[allow(missing_docs)]\npub enum {ty}Op {{");
    let names: Vec<(String, u16)> = rows.iter().map(|(r, n, _)| (camel(&r.mnemonic), *n)).collect();
    for ((name, n), (r, ..)) in names.iter().zip(&rows) {
        putln!(out, "    /// `{}`\n    {name} = {n},", r.mnemonic);
    }
    putln!(out, "}}\nimpl {ty}Op {{");
    putln!(
        out,
        "    /// The operation with this opcode number; the number itself is the error if no operation has it.\n    #[inline]\n    pub const fn from_bits(bits: {base}) -> Result<Self, {base}> {{\n        Ok(match bits {{"
    );
    for (name, n) in &names {
        putln!(out, "            {n} => Self::{name},");
    }
    putln!(out, "            _ => return Err(bits),\n        }})\n    }}");
    putln!(
        out,
        "    /// The operation, independent of its encodings.\n    #[inline]\n    pub const fn opcode(self) -> Opcode {{\n        match self {{"
    );
    for (name, _) in &names {
        putln!(out, "            Self::{name} => Opcode::{name},");
    }
    putln!(out, "        }}\n    }}\n}}");
    out
}

fn op_base(bits: u8) -> &'static str {
    if bits <= 8 { "u8" } else { "u16" }
}

/// A run of bits of a struct.
struct Part<'a> {
    field: Option<&'a Field>,
    name: String,
    piece: Piece,
    /// Whether the part is one of several pieces of its field.
    split: bool,
    fixed: Option<u64>,
}

fn parts<'a>(f: &LFormat<'a>) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    for (field, bits) in &f.fields {
        if field.overlay {
            continue;
        }
        for (n, &piece) in bits.pieces.iter().enumerate() {
            let split = bits.pieces.len() > 1;
            let mut name = field.name.to_lowercase();
            if name == "reserved" {
                name = format!("reserved_{}", piece.lsb);
            } else if split {
                name = format!("{name}_{n}");
            }
            parts.push(Part { field: Some(field), name, piece, split, fixed: bits.fixed });
        }
    }
    parts.sort_by_key(|p| p.piece.lsb);
    parts
}

fn signed(operand_type: &str) -> bool {
    ["flat_offset", "global_offset", "smem_offset"].contains(&operand_type)
}

fn int_type(width: u8, signed: bool) -> String {
    let bits = [8, 16, 32, 64].into_iter().find(|b| width <= *b).expect("fields have 64 bits at most");
    format!("{}{bits}", if signed { 'i' } else { 'u' })
}

/// The Rust type for the values of a field.
pub fn field_type(operand_type: &str, width: u8) -> String {
    if width == 1 { "bool".into() } else { int_type(width, signed(operand_type)) }
}

/// The integer type of a format's struct. Formats of 96 bits use a `u128`, whose upper bits stay zero.
fn base_type(def: &Format) -> String {
    format!("u{}", if def.bits == 96 { 128 } else { def.bits })
}

fn format_struct(f: &LFormat, ty: &str) -> String {
    let mut out = String::new();
    let def = f.def;
    let base = base_type(def);
    let parts = parts(f);
    putln!(out, "/// {}\n///\n/// Source: {MANUALS}.\n///\n/// ```text", def.about);
    for line in picture(def, &parts) {
        putln!(out, "/// {line}");
    }
    putln!(out, "/// ```");
    putln!(
        out,
        "#[bitfield_struct::bitfield({base}, debug = false)]\n#[derive(PartialEq, Eq, Hash)]\npub struct {ty} {{"
    );
    for p in &parts {
        let field = p.field.expect("parts have fields");
        let width = p.piece.width;
        let vis = if p.split || p.fixed.is_some() || field.name == "reserved" { "" } else { "pub " };
        let range = range(p.piece);
        let about = if field.about.is_empty() { field.name.clone() } else { field.about.clone() };
        match (p.fixed, field.operand_type.as_str()) {
            (Some(v), _) => putln!(
                out,
                "    /// Bits {range}: encoding, {v:#b}.\n    #[bits({width}, access = RO, default = {})] {}: {},",
                if width == 1 { (v == 1).to_string() } else { v.to_string() },
                p.name,
                field_type("", width)
            ),
            (_, "op") if !p.split && def.dual.is_none() => putln!(
                out,
                "    /// Bits {range}: the opcode; its number if no operation has it.\n    #[bits({width}, access = RO, from = {ty}Op::from_bits, default = 0)] {vis}{}: Result<{ty}Op, {}>,",
                p.name,
                op_base(width)
            ),
            (_, operand_type) => putln!(
                out,
                "    /// Bits {range}: {about}.\n    #[bits({width}, access = RO)] {vis}{}: {},",
                p.name,
                field_type(operand_type, width)
            ),
        };
    }
    if def.bits == 96 {
        putln!(out, "    /// Not part of the format; always zero.\n    #[bits(32, access = None)] padding: u32,");
    }
    putln!(out, "}}\nimpl {ty} {{");
    for (field, bits) in &f.fields {
        if !is_settable(field, bits) {
            continue;
        }
        accessors(&mut out, field, bits, ty, &base, def.dual.is_none());
    }
    if !def.extension && op_bits(f) == 0 {
        putln!(
            out,
            "    /// The only operation of this format, which has no opcode field.\n    pub const fn op(&self) -> Result<{ty}Op, u8> {{\n        {ty}Op::from_bits(0)\n    }}\n    /// Changes nothing, because the format has only one operation.\n    pub const fn with_op(self, op: {ty}Op) -> Self {{\n        let _ = op;\n        self\n    }}"
        );
    }
    putln!(out, "}}");
    debug(&mut out, ty, &parts);
    microcode(&mut out, f, ty, &base);
    let free = f.fields.iter().filter(|(field, bits)| is_settable(field, bits) && field.operand_type != "op");
    let mask = free.fold(0, |mask, (_, bits)| mask | bits.mask());
    let op = if def.extension || def.dual.is_some() { String::new() } else { format!(", {ty}Op") };
    putln!(out, "#[cfg(feature = \"arbitrary\")]\ncrate::arbitrary::structure!({ty}, {base}, {mask:#x}{op});");
    out
}

fn range(p: Piece) -> String {
    if p.width == 1 { p.lsb.to_string() } else { format!("{}:{}", p.lsb + p.width - 1, p.lsb) }
}

/// Writes the setter of a field, and a getter for fields in pieces and overlays.
fn accessors(out: &mut String, field: &Field, bits: &Bits, ty: &str, base: &str, typed: bool) {
    let name = &field.name;
    let width = bits.width();
    let mask = bits.mask();
    let ranges: Vec<String> = bits.pieces.iter().rev().map(|&p| range(p)).collect();
    let ranges = ranges.join(",");
    let set = |value: &str| -> String {
        let mut low = 0;
        let mut terms = Vec::new();
        for p in &bits.pieces {
            let m = (1u64 << p.width) - 1;
            terms.push(format!("((({value} >> {low}) & {m:#x}) << {})", p.lsb));
            low += p.width;
        }
        format!("Self::from_bits((self.into_bits() & !{mask:#x}) | {})", terms.join(" | "))
    };
    if field.operand_type == "op" && typed {
        if bits.pieces.len() > 1 {
            let get = combine(bits);
            let ob = op_base(width);
            putln!(
                out,
                "    /// Bits {ranges}: the opcode; its number if no operation has it.\n    pub const fn op(&self) -> Result<{ty}Op, {ob}> {{\n        {ty}Op::from_bits(({get}) as {ob})\n    }}"
            );
        }
        let body = set(&format!("(op as {base})"));
        putln!(
            out,
            "    /// Sets the opcode (bits {ranges}).\n    pub const fn with_op(self, op: {ty}Op) -> Self {{\n        {body}\n    }}"
        );
        return;
    }
    let t = field_type(&field.operand_type, width);
    if bits.pieces.len() > 1 || field.overlay {
        let get = combine(bits);
        let about = &field.about;
        let get = if t == "bool" { format!("({get}) != 0") } else { format!("({get}) as {t}") };
        putln!(out, "    /// Bits {ranges}: {about}.\n    pub const fn {name}(&self) -> {t} {{\n        {get}\n    }}");
    }
    if is_exact(width) {
        let body = set(&format!("(value as {base})"));
        putln!(
            out,
            "    /// Sets `{name}` (bits {ranges}).\n    pub const fn with_{name}(self, value: {t}) -> Self {{\n        {body}\n    }}"
        );
    } else {
        let (lo, hi) = if signed(&field.operand_type) {
            (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1)
        } else {
            (0, (1i64 << width) - 1)
        };
        let body = set(&format!("(value as {base})"));
        let bad = if lo < 0 { format!("value < {lo} || value > {hi}") } else { format!("value > {hi}") };
        putln!(
            out,
            "    /// Sets `{name}` (bits {ranges}).\n    ///\n    /// # Errors\n    /// The value is not in {lo}..={hi}.\n    pub const fn with_{name}(self, value: {t}) -> Result<Self, FieldError> {{\n        if {bad} {{\n            return Err(FieldError {{ field: Field::{}, value: value as i64, width: {width} }});\n        }}\n        Ok({body})\n    }}",
            camel(name)
        );
    }
}

/// The expression for the value of a field in pieces, low piece first.
fn combine(bits: &Bits) -> String {
    let mut low = 0;
    let mut terms = Vec::new();
    for p in &bits.pieces {
        let m = (1u64 << p.width) - 1;
        terms.push(format!("(((self.into_bits() >> {}) & {m:#x}) << {low})", p.lsb));
        low += p.width;
    }
    terms.join(" | ")
}

/// Writes the trait for generic code, and assertions that the layout matches the table.
fn microcode(out: &mut String, f: &LFormat, ty: &str, base: &str) {
    let def = f.def;
    let words = usize::from(def.bits / 32);
    let to = (0..words)
        .map(|i| if words == 1 { "bits".to_string() } else { format!("(bits >> {}) as u32", 32 * i) })
        .collect::<Vec<_>>()
        .join(", ");
    let from = (0..words)
        .map(|i| if words == 1 { "words[0]".into() } else { format!("((words[{i}] as {base}) << {})", 32 * i) })
        .collect::<Vec<String>>()
        .join(" | ");
    putln!(
        out,
        "impl {ty} {{\n    /// The dwords in memory order.\n    pub const fn to_words(self) -> [u32; {words}] {{\n        let bits = self.into_bits();\n        [{to}]\n    }}\n    /// Makes the struct from dwords, and keeps every bit.\n    pub const fn from_words(words: [u32; {words}]) -> Self {{\n        Self::from_bits({from})\n    }}\n}}",
    );
    putln!(
        out,
        "impl Microcode for {ty} {{\n    const FORMAT: Format = Format::{};\n    const EXTENSION: bool = {};\n    type Words = [u32; {words}];\n    fn to_words(self) -> Self::Words {{ self.to_words() }}\n    fn from_words(words: Self::Words) -> Self {{ Self::from_words(words) }}\n}}",
        camel(&def.name),
        def.extension
    );
    let size = if def.bits == 96 { 16 } else { def.bits / 8 };
    putln!(out, "static_assertions::const_assert_eq!(core::mem::size_of::<{ty}>(), {size});");
    let plain = |(field, bits): &&(&Field, Bits)| {
        field.name != "reserved" && field.operand_type != "enc" && !field.overlay && bits.pieces.len() == 1
    };
    let lies = |(field, bits): &(&Field, Bits)| {
        let (upper, Piece { lsb, width }) = (field.name.to_uppercase(), bits.pieces[0]);
        format!("{ty}::{upper}_OFFSET == {lsb} && {ty}::{upper}_BITS == {width}")
    };
    // There is a single assertion for all fields, because each assertion costs as much compile time as a function.
    let all: Vec<String> = f.fields.iter().filter(plain).map(lies).collect();
    if !all.is_empty() {
        putln!(out, "static_assertions::const_assert!({});", all.join("\n    && "));
    }
}

/// Writes `Debug` as `derive` would, but as code that is only compiled where it is called.
fn debug(out: &mut String, ty: &str, parts: &[Part]) {
    putln!(
        out,
        "impl core::fmt::Debug for {ty} {{\n    #[inline]\n    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {{\n        f.debug_struct(\"{ty}\")"
    );
    for name in parts.iter().map(|p| &p.name) {
        putln!(out, "            .field(\"{name}\", &self.{name}())");
    }
    putln!(out, "            .finish()\n    }}\n}}");
}

/// Draws the bit layout, two lines for each dword, high bits to the left.
fn picture(def: &Format, parts: &[Part]) -> Vec<String> {
    let mut lines = Vec::new();
    for dword in (0..def.bits / 32).rev() {
        let mut here: Vec<&Part> = parts.iter().filter(|p| p.piece.lsb / 32 == dword).collect();
        here.sort_by_key(|p| std::cmp::Reverse(p.piece.lsb));
        let (mut top, mut mid) = (String::new(), String::new());
        for p in here {
            let field = p.field.expect("parts have fields");
            let label = match p.fixed {
                Some(v) => format!("{v:0w$b}", w = usize::from(p.piece.width)),
                None if field.name == "reserved" => "-".into(),
                None => field.name.clone(),
            };
            let bits = range(p.piece);
            let w = label.len().max(bits.len()).max(usize::from(p.piece.width)) + 2;
            put!(top, " {bits:<w$}");
            put!(mid, "|{label:^w$}");
        }
        lines.push(top.trim_end().to_string());
        lines.push(format!("{mid}|"));
    }
    lines
}
