//! Metadata, which is YAML in sources and MessagePack in notes.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use amdgpu_isa::kernel::Hidden;
use rmpv::Value;

use super::expr::{self, plain_number};
use super::yaml::{self, DEPTH};

/// The type of the note with a MessagePack document. The name of the note is `AMDGPU`.
pub const DOCUMENT: u32 = 32;
/// The type of the note with the processor's name. The name of the note is `AMD`.
pub const ISA_NAME: u32 = 11;
/// The type of the note with pairs of registers and values. The name of the note is `AMD`.
pub const PAL_REGISTERS: u32 = 12;

/// A note of an ELF file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The vendor that defines the type, followed by a zero: `AMDGPU\0`, `AMD\0`.
    pub name: Vec<u8>,
    /// The type: [`DOCUMENT`], [`ISA_NAME`] or [`PAL_REGISTERS`].
    pub kind: u32,
    /// The contents.
    pub contents: Vec<u8>,
}

/// The bytes of a section with notes. Each note is the lengths, the type, the name and the contents, padded to dwords.
pub fn notes(all: &[Note]) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    for Note { name, kind, contents } in all {
        for number in [name.len() as u32, contents.len() as u32, *kind] {
            bytes.extend(number.to_le_bytes());
        }
        for part in [name, contents] {
            bytes.extend(part);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
    }
    bytes
}

/// The reason why a document is wrong, and the byte at which the error is.
pub(crate) type Fault = (String, usize);

/// The MessagePack form of a document for the runtime of HSA.
pub(crate) fn encode_hsa(text: &str) -> Result<Vec<u8>, Fault> {
    let mut value = yaml::parse(text)?.unwrap_or(Value::Nil);
    check(&mut value).map_err(|why| (why, text.len()))?;
    bytes(&value)
}

/// Takes the value of a key out of a map.
fn taken(map: &mut Vec<(Value, Value)>, key: &str) -> Option<Value> {
    let at = map.iter().position(|(known, _)| known.as_str() == Some(key))?;
    Some(map.remove(at).1)
}

/// A map with one more key, in the order of keys.
fn with(mut map: Vec<(Value, Value)>, key: &str, value: Value) -> Value {
    map.push((key.into(), value));
    map.sort_by(|a, b| order(&a.0).cmp(&order(&b.0)));
    Value::Map(map)
}

/// The pairs of a map; none if the value is not a map.
fn pairs(value: Option<Value>) -> Vec<(Value, Value)> {
    match value {
        Some(Value::Map(pairs)) => pairs,
        _ => Vec::new(),
    }
}

/// The number of a register, or another key in its place, in the order in which LLVM writes them.
#[derive(Clone, Debug)]
struct Register(Value);

impl Ord for Register {
    fn cmp(&self, other: &Register) -> Ordering {
        order(&self.0).cmp(&order(&other.0))
    }
}

impl PartialOrd for Register {
    fn partial_cmp(&self, other: &Register) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Register {
    fn eq(&self, other: &Register) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Register {}

/// Metadata for the runtime of PAL: the last document, and the registers of its first pipeline. All of it is one note.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pal {
    root: Vec<(Value, Value)>,
    first: Vec<(Value, Value)>,
    others: Vec<Value>,
    registers: BTreeMap<Register, Value>,
    /// Whether a list of registers came last. The note then has only the registers.
    is_list: bool,
}

impl Pal {
    /// Reads a document. A key of its registers can have the name of the register after its number; the note then has
    /// only the number.
    pub(crate) fn read(text: &str) -> Result<Pal, Fault> {
        let mut root = pairs(yaml::parse(text)?);
        let mut pipelines = match taken(&mut root, "amdpal.pipelines") {
            Some(Value::Array(all)) => all.into_iter(),
            _ => Vec::new().into_iter(),
        };
        let mut first = pairs(pipelines.next());
        let mut new = Pal { root, others: pipelines.collect(), ..Pal::default() };
        for (key, value) in pairs(taken(&mut first, ".registers")) {
            let key = match key.as_str() {
                Some(name) => register(name).map(Value::from).ok_or_else(|| {
                    let at = text.find(".registers").and_then(|at| Some(at + text.get(at..)?.find(name)?));
                    (format!("{name:?} does not begin with the number of a register"), at.unwrap_or(text.len()))
                })?,
                None => key,
            };
            *new.register(key) = value;
        }
        Ok(Pal { first, ..new })
    }

    /// Adds the bits of a value to a register, for a list of registers.
    pub(crate) fn add(&mut self, register: u32, bits: u32) {
        self.is_list = true;
        let value = self.register(register.into());
        *value = (value.as_u64().unwrap_or(0) as u32 | bits).into();
    }

    fn register(&mut self, key: Value) -> &mut Value {
        self.registers.entry(Register(key)).or_insert(Value::Nil)
    }

    /// The note; `None` if its contents cannot be encoded.
    pub(crate) fn note(self) -> Option<Note> {
        if self.is_list {
            let number = |value: &Value| (value.as_u64().unwrap_or(0) as u32).to_le_bytes();
            let contents = self.registers.iter().flat_map(|(register, value)| [number(&register.0), number(value)]);
            return Some(Note { name: b"AMD\0".to_vec(), kind: PAL_REGISTERS, contents: contents.flatten().collect() });
        }
        let registers = self.registers.into_iter().map(|(register, value)| (register.0, value)).collect();
        let first = with(self.first, ".registers", Value::Map(registers));
        let pipelines = std::iter::once(first).chain(self.others).collect();
        let value = with(self.root, "amdpal.pipelines", Value::Array(pipelines));
        let contents = bytes(&value).ok()?;
        Some(Note { name: b"AMDGPU\0".to_vec(), kind: DOCUMENT, contents })
    }
}

/// The number at the beginning of the name of a register.
fn register(name: &str) -> Option<u64> {
    let word = name.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    let (digits, radix) = expr::digits(word)?;
    let len = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    u64::from_str_radix(digits.get(..len)?, radix).ok()
}

fn bytes(value: &Value) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).map_err(|e| (e.to_string(), 0))?;
    Ok(bytes)
}

/// The kind of value that a key needs.
enum Shape {
    Text,
    Number,
    Truth,
    /// A text that is one of these.
    OneOf(&'static [&'static str]),
    /// The kind of an argument.
    ValueKind,
    /// A list with this many numbers.
    Numbers(usize),
    Texts,
    /// A list of maps with these keys. The text is the noun for one of the maps.
    Maps(&'static str, &'static [Key]),
}

/// A key of a map: its name, whether the key is required, and the kind of its value.
type Key = (&'static str, bool, Shape);

/// The kinds of access to the memory of an argument.
const ACCESS: Shape = Shape::OneOf(&["read_only", "write_only", "read_write"]);

/// The keys of metadata that have a meaning for the runtime. Other keys are copied with any values.
const ROOT: [Key; 3] = [
    ("amdhsa.version", true, Shape::Numbers(2)),
    ("amdhsa.printf", false, Shape::Texts),
    ("amdhsa.kernels", true, Shape::Maps("kernel", &KERNEL)),
];
const KERNEL: [Key; 23] = [
    (".name", true, Shape::Text),
    (".symbol", true, Shape::Text),
    (".language", false, Shape::OneOf(&["OpenCL C", "OpenCL C++", "HCC", "HIP", "OpenMP", "Assembler"])),
    (".language_version", false, Shape::Numbers(2)),
    (".args", false, Shape::Maps("argument", &ARGUMENT)),
    (".reqd_workgroup_size", false, Shape::Numbers(3)),
    (".workgroup_size_hint", false, Shape::Numbers(3)),
    (".cluster_dims", false, Shape::Numbers(3)),
    (".vec_type_hint", false, Shape::Text),
    (".device_enqueue_symbol", false, Shape::Text),
    (".kernarg_segment_size", true, Shape::Number),
    (".group_segment_fixed_size", true, Shape::Number),
    (".private_segment_fixed_size", true, Shape::Number),
    (".uses_dynamic_stack", false, Shape::Truth),
    (".workgroup_processor_mode", false, Shape::Number),
    (".kernarg_segment_align", true, Shape::Number),
    (".wavefront_size", true, Shape::Number),
    (".sgpr_count", true, Shape::Number),
    (".vgpr_count", true, Shape::Number),
    (".max_flat_workgroup_size", true, Shape::Number),
    (".sgpr_spill_count", false, Shape::Number),
    (".vgpr_spill_count", false, Shape::Number),
    (".uniform_work_group_size", false, Shape::Number),
];
const ARGUMENT: [Key; 13] = [
    (".name", false, Shape::Text),
    (".type_name", false, Shape::Text),
    (".size", true, Shape::Number),
    (".offset", true, Shape::Number),
    (".value_kind", true, Shape::ValueKind),
    (".pointee_align", false, Shape::Number),
    (".address_space", false, Shape::OneOf(&["private", "global", "constant", "local", "generic", "region"])),
    (".access", false, ACCESS),
    (".actual_access", false, ACCESS),
    (".is_const", false, Shape::Truth),
    (".is_restrict", false, Shape::Truth),
    (".is_volatile", false, Shape::Truth),
    (".is_pipe", false, Shape::Truth),
];
/// The kinds of arguments, without those of [`Hidden`].
const VALUE_KINDS: [&str; 8] =
    ["by_value", "global_buffer", "dynamic_shared_pointer", "sampler", "image", "pipe", "queue", "hidden_none"];

/// Refuses metadata that the runtime cannot read: without a version, without names and sizes of kernels and of their
/// arguments, or with values of the wrong kind.
fn check(value: &mut Value) -> Result<(), String> {
    if !value.is_map() {
        return Err("metadata is a map".into());
    }
    has(value, "", &ROOT)
}

/// Refuses a map in which a required key is missing, or a value has the wrong shape. `name` is the map's name in
/// messages.
fn has(value: &mut Value, name: &str, keys: &[Key]) -> Result<(), String> {
    for (key, is_needed, shape) in keys {
        match get_mut(value, key) {
            Some(value) => fits(value, name, key, shape)?,
            None if *is_needed => return Err(format!("{name}{key} with {} is missing", shape.about())),
            None => {}
        }
    }
    Ok(())
}

fn fits(value: &mut Value, name: &str, key: &str, shape: &Shape) -> Result<(), String> {
    // Where a number or a truth value is needed, a text that reads as one is taken for it.
    if let (Shape::Number | Shape::Truth, Some(text)) = (shape, value.as_str()) {
        *value = scalar(text);
    }
    let list = value.as_array();
    let is_right = match shape {
        Shape::Text => value.is_str(),
        Shape::Number => is_number(value),
        Shape::Truth => value.is_bool(),
        Shape::OneOf(texts) => value.as_str().is_some_and(|text| texts.contains(&text)),
        Shape::ValueKind => value.as_str().is_some_and(is_value_kind),
        Shape::Numbers(count) => list.is_some_and(|list| list.len() == *count && list.iter().all(is_number)),
        Shape::Texts => list.is_some_and(|list| list.iter().all(Value::is_str)),
        Shape::Maps(..) => list.is_some(),
    };
    if !is_right {
        return Err(format!("{name}{key} has to be {}, not {value}", shape.about()));
    }
    if let (Shape::Maps(kind, keys), Value::Array(list)) = (shape, value) {
        for (n, map) in list.iter_mut().enumerate() {
            let known = get(map, ".name").and_then(Value::as_str).map(|text| format!("the {kind} {text}"));
            let known = known.unwrap_or_else(|| format!("{kind} {}", n + 1));
            let outer = name.trim_end_matches(": ");
            let comma = if outer.is_empty() { "" } else { ", " };
            has(map, &format!("{outer}{comma}{known}: "), keys)?;
        }
    }
    Ok(())
}

fn is_value_kind(text: &str) -> bool {
    VALUE_KINDS.contains(&text) || Hidden::ALL.iter().any(|hidden| hidden.name() == text)
}

impl Shape {
    fn about(&self) -> String {
        match self {
            Shape::Text => "a text".into(),
            Shape::Number => "a number".into(),
            Shape::Truth => "true or false".into(),
            Shape::OneOf(texts) => format!("one of {}", texts.join(", ")),
            Shape::ValueKind => "one of the kinds that the runtime knows".into(),
            Shape::Numbers(count) => format!("{count} numbers"),
            Shape::Texts => "a list of texts".into(),
            Shape::Maps(kind, _) => format!("a list of {kind}s"),
        }
    }
}

fn get<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    let Value::Map(all) = value else { return None };
    all.iter().find(|(known, _)| known.as_str() == Some(key)).map(|(_, value)| value)
}

fn get_mut<'v>(value: &'v mut Value, key: &str) -> Option<&'v mut Value> {
    let Value::Map(all) = value else { return None };
    all.iter_mut().find(|(known, _)| known.as_str() == Some(key)).map(|(_, value)| value)
}

fn is_number(value: &Value) -> bool {
    value.is_u64() || value.is_i64()
}

/// The order of keys: integers, nil, truth values, floats and texts. Keys of one kind are in the order of their values.
pub(crate) fn order(key: &Value) -> (u8, i128, &str) {
    match key {
        Value::Integer(n) => (0, n.as_i64().map_or_else(|| n.as_u64().unwrap_or(0).into(), i128::from), ""),
        Value::Nil => (1, 0, ""),
        Value::Boolean(is_true) => (2, i128::from(*is_true), ""),
        Value::F32(_) | Value::F64(_) => {
            // The bits of floats, made to compare as the floats do.
            let bits = key.as_f64().unwrap_or(0.0).to_bits() as i64;
            (3, (bits ^ ((bits >> 63) as u64 >> 1) as i64).into(), "")
        }
        _ => (4, 0, key.as_str().unwrap_or("")),
    }
}

/// The value of a scalar with a tag, such as `!str 5`. LLVM reads "5" as the number 5: only a tag makes it a text.
pub(crate) fn tagged(tag: &str, text: &str) -> Result<Value, &'static str> {
    // An unknown tag makes the value a text. The tags of YAML, such as `!!int`, are unknown, too, except for `!!str`,
    // which has no effect.
    match (tag, scalar(text)) {
        ("!" | "!!str", value) => Ok(value),
        ("!nil", _) => Ok(Value::Nil),
        ("!int", value) => is_number(&value).then_some(value).ok_or("an integer expected"),
        ("!bool", _) => truth(text).map(Value::from).ok_or("true or false expected"),
        ("!float", _) => real(text).map(float).ok_or("a number expected"),
        _ if tag.starts_with("!<") => Err("tags in angle brackets have no meaning here"),
        _ => Ok(text.into()),
    }
}

/// The truth value of a word after the tag `!bool`. The word is in small letters, in capitals, or in small letters
/// after one capital.
fn truth(text: &str) -> Option<bool> {
    let lower = text.to_ascii_lowercase();
    let is_capital = text.get(1..).is_some_and(|rest| lower.ends_with(rest));
    let is_spelled = text == lower || text == text.to_ascii_uppercase() || is_capital;
    match lower.as_str() {
        _ if !is_spelled => None,
        "true" | "yes" | "on" | "y" => Some(true),
        "false" | "no" | "off" | "n" => Some(false),
        _ => None,
    }
}

/// The value of a number as in C: decimal, hexadecimal, infinity or NaN.
fn real(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text).to_ascii_lowercase();
    if !unsigned.starts_with("0x") {
        return text.parse().ok();
    }
    let power = if unsigned.contains('p') { "" } else { "p0" };
    let value = f64::from_bits(super::real::bits(&format!("{unsigned}{power}"), true)?);
    Some(if text.starts_with('-') { -value } else { value })
}

/// A float. A value in the range of normal `f32` numbers becomes an `f32`, as in LLVM, even if digits are lost.
fn float(value: f64) -> Value {
    let is_short = (f64::from(f32::MIN_POSITIVE)..=f32::MAX.into()).contains(&value.abs());
    if is_short { (value as f32).into() } else { value.into() }
}

/// The value of a scalar, which may be a number or a truth value.
pub(crate) fn scalar(text: &str) -> Value {
    let sign = text.strip_prefix('-');
    let digits = sign.unwrap_or(text);
    if digits.starts_with(|c: char| c.is_ascii_digit()) {
        let octal = digits.strip_prefix("0o").and_then(|digits| i64::from_str_radix(digits, 8).ok());
        match (plain_number(digits).or(octal), sign) {
            (Some(value), None) => return (value as u64).into(),
            (Some(value), Some(_)) if value.wrapping_neg() <= 0 => return value.wrapping_neg().into(),
            _ => {}
        }
    }
    if let Some(value) = real(text) {
        return float(value);
    }
    match text {
        "true" => true.into(),
        "false" => false.into(),
        // LLVM reads an empty text as 0.0, and words such as `null` as texts.
        "" => float(0.0),
        _ => text.into(),
    }
}

/// A MessagePack document as YAML, with one line for each value; `None` for a document that the assembler would not
/// write. `is_hsa`: the document is for the runtime of HSA, and not for that of PAL.
pub fn decode(document: &[u8], is_hsa: bool) -> Option<String> {
    let value = rmpv::decode::read_value_with_max_depth(&mut &*document, DEPTH).ok()?;
    let mut out = String::from("---\n");
    write(&mut out, &value, 0, "");
    out += "...\n";
    let again = if is_hsa { bytes(&yaml::parse(&out).ok()??).ok()? } else { Pal::read(&out).ok()?.note()?.contents };
    (again == document).then_some(out)
}

fn write(out: &mut String, value: &Value, depth: usize, first: &str) {
    let pad = "  ".repeat(depth);
    match value {
        Value::Array(list) if !list.is_empty() => {
            for (n, value) in list.iter().enumerate() {
                *out += if n == 0 { first } else { &pad };
                *out += "- ";
                write(out, value, depth + 1, "");
            }
        }
        Value::Map(map) if !map.is_empty() => {
            for (n, (key, value)) in map.iter().enumerate() {
                *out += if n == 0 { first } else { &pad };
                *out += &plain(key);
                *out += ":";
                let is_block = matches!(value, Value::Array(list) if !list.is_empty())
                    || matches!(value, Value::Map(map) if !map.is_empty());
                if is_block {
                    *out += "\n";
                    write(out, value, depth + 1, &"  ".repeat(depth + 1));
                } else {
                    *out += " ";
                    write(out, value, 0, "");
                }
            }
        }
        Value::Array(_) => *out += "[]\n",
        Value::Map(_) => *out += "{}\n",
        other => {
            *out += &plain(other);
            *out += "\n";
        }
    }
}

/// A value on one line.
fn plain(value: &Value) -> String {
    let Some(text) = value.as_str() else { return value.to_string() };
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.' || c == '_')
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"._-+/ ".contains(&c))
        && !text.ends_with(' ')
        && scalar(text).is_str();
    match scalar(text).is_str() {
        _ if is_plain => text.to_string(),
        true => quoted(text),
        false => format!("!str {}", quoted(text)),
    }
}

/// A text in quotes, with the escapes of JSON, which are also valid in YAML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            '\u{8}' => out += "\\b",
            '\u{c}' => out += "\\f",
            // Writing to a String cannot fail.
            '\0'..='\x1f' => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}
