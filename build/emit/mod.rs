//! Writes the tables of every enabled target, and the enums that all targets share.

pub mod builtin;
pub mod counters;
pub mod decode;
pub mod descriptor;
pub mod facts;
pub mod fast_decode;
pub mod fast_text;
pub mod hazards;
#[cfg(any(feature = "make", test))]
pub mod make;
#[cfg(any(feature = "meaning", test))]
pub mod meaning;
pub mod mnemonics;
pub mod names;
pub mod operand_texts;
pub mod operands;
pub mod struct_list;
pub mod tables;
pub mod types;

use crate::build::emit::operands::Operands;
use crate::build::emit::tables::{info_table, target_tables};
use crate::build::lower::codes;
use crate::build::lower::lengths::Lengths;
use crate::build::lower::{self, Target};
use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::shared::PAGE;
use crate::build::writer::{put, putln};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Writes all files. `every_struct` lists all structs for the tests, instead of one struct for each layout.
pub fn all(isa: &Isa, targets: &[Target], every_struct: bool) -> Result<Vec<(String, String)>> {
    let mut files = vec![
        ("opcode.rs".to_string(), opcode_file(isa, targets)?),
        ("targets.rs".to_string(), target_enum(isa, targets)),
    ];
    // The sizes of tables and the types of indices, which the types of the tables need.
    let (mut sizes, mut tables) = (String::new(), String::new());
    let infos = infos(targets);
    info_table(&mut tables, &infos);
    // A byte is enough for the indices, unless many targets are enabled.
    let index = if infos.len() <= 1 << u8::BITS { "u8" } else { "u16" };
    putln!(sizes, "pub(crate) type InfoIndex = {index};");
    let lengths = targets.iter().map(|t| Lengths::of(&waves(targets, t))).collect::<Result<Vec<_>>>()?;
    let listed = lengths.iter().any(|lengths| !lengths.lists.is_empty());
    putln!(sizes, "pub(crate) const ANY_LISTED_LENGTH: bool = {listed};");
    features(&mut sizes, targets);
    let mut abouts = vec![String::new()];
    let tables_of = targets.iter().map(lower::decode::Tables::new).collect::<Result<Vec<_>>>()?;
    decode::sizes(&mut sizes, &tables_of);
    let third = lower::fast_decode::any_third(&tables_of);
    putln!(sizes, "#[cfg(feature = \"fast\")]\npub(crate) const ANY_THIRD: bool = {third};");
    // The size of a table with an entry for every possible opcode index. No operation has the last index.
    let operations = targets.iter().map(|t| t.operations.len() + PAGE).max().unwrap_or(0).next_power_of_two().max(64);
    putln!(sizes, "#[cfg(feature = \"fast\")]\npub(crate) const OP_INDICES: usize = {operations};");
    let (flags, rules) = lower::decode::needed(&tables_of);
    putln!(sizes, "pub(crate) const CONSTRAINT_FLAGS: u8 = {flags};\npub(crate) const RULES: u8 = {rules};");
    operands::values(&mut tables, isa, targets);
    let texts = fast_text::shared(isa, targets);
    let opcodes = opcodes(isa, targets);
    let number_of = isa.opcodes.iter().map(|opcode| (opcode.name.as_str(), opcode.number)).collect();
    let place_of = opcodes.iter().map(String::as_str).zip(0..).collect();
    let info_of = infos.iter().zip(0..).collect();
    let mut end = 0;
    let place = |name: &String| {
        end += name.len();
        (end - name.len(), name.len())
    };
    let spellings = spellings(targets);
    let names = || opcodes.iter().chain(&spellings);
    let mnemonics = names().map(String::as_str).zip(names().map(place)).collect();
    let mut forms = HashMap::new();
    for key in targets.iter().flat_map(|t| t.signatures.iter().map(|s| tables::form_key(t, s))) {
        let next = forms.len();
        forms.entry(key).or_insert(next);
    }
    let numbers = Numbers { opcodes: &opcodes, number_of, place_of, info_of, mnemonics, forms };
    let mut shared = SharedTables::default();
    let operands_of = targets.iter().map(|t| Operands::new(isa, t)).collect::<Result<Vec<_>>>()?;
    let operand_sizes = operands::Sizes::of(&operands_of);
    operand_sizes.write(&mut sizes);
    for (((t, of_target), lengths), operands) in targets.iter().zip(&tables_of).zip(&lengths).zip(&operands_of) {
        let operands = (operands, &operand_sizes);
        let of_target = target_tables(isa, targets, of_target, lengths, &numbers, &mut abouts, operands)?;
        let name = &t.row.name;
        let (module, file) =
            apart(&format!("pub(crate) mod {name} {{"), format!("tables_{name}.rs"), shared.module(name, of_target));
        tables += &module;
        files.push(file);
    }
    facts::spaces(&mut tables, isa);
    facts::assembler_facts(&mut tables, isa);
    facts::purposes(&mut tables, isa, &opcodes);
    hazards::rule_infos(&mut tables, isa, targets)?;
    hazards::unchecked(&mut tables, isa, targets);
    names::successors(&mut tables, isa);
    facts::small_floats(&mut tables, isa, targets, &opcodes);
    facts::retargeting(&mut tables, isa, targets, &opcodes);
    names::part_names(&mut tables, isa);
    putln!(tables, "pub(crate) static ABOUTS: &[&str] = &{abouts:?};");
    files.push(("sizes.rs".to_string(), sizes));
    files.push(("tables.rs".to_string(), tables));
    files.push(("texts".to_string(), texts));
    files.push(("types.rs".to_string(), types::all(isa, targets)));
    files.push(("off.rs".to_string(), types::off(isa, targets)));
    files.push(("roster.rs".to_string(), struct_list::all(targets, every_struct)));
    Ok(files)
}

/// Writes constants with which the compiler leaves out code that no enabled target needs.
fn features(out: &mut String, targets: &[Target]) {
    let is_wide = |lsb: u8| (64..lower::NONE).contains(&lsb);
    let wide =
        targets.iter().flat_map(|t| &t.descs).any(|i| is_wide(i.lsb) || i.kind.positions().into_iter().any(is_wide));
    putln!(out, "pub(crate) const ANY_WIDE: bool = {wide};");
    let images = targets.iter().flat_map(|t| &t.descs).any(|i| i.kind.is_image_address());
    putln!(out, "pub(crate) const ANY_IMAGE_ADDRESS: bool = {images};");
    let long = targets.iter().any(|t| t.code.literal64 != u16::MAX);
    putln!(out, "pub(crate) const ANY_LITERAL64: bool = {long};");
    let joined = targets.iter().flat_map(|t| &t.opcode_spaces).any(|f| f.is_joined());
    putln!(out, "pub(crate) const ANY_JOINED: bool = {joined};");
    let second = targets.iter().flat_map(|t| &t.opcode_spaces).any(|f| f.ends_in_second_dword());
    putln!(out, "pub(crate) const ANY_OPCODE_IN_SECOND_DWORD: bool = {second};");
    let fills = targets.iter().any(|t| t.signatures.iter().any(|s| t.row.filler(s.fillers) != 0));
    putln!(out, "pub(crate) const ANY_FILLER: bool = {fills};");
    putln!(out, "pub(crate) const TRAILING: u8 = {};", lower::decode::trailings(targets));
}

/// Numbers that are the same for all targets.
pub struct Numbers<'a> {
    /// The opcodes of the enabled targets, in the order of their numbers.
    pub opcodes: &'a [String],
    /// The number of each opcode, which is the same in every build.
    pub number_of: HashMap<&'a str, usize>,
    /// The position of each opcode in `opcodes`.
    pub place_of: HashMap<&'a str, usize>,
    /// The index of each info in the shared table of infos.
    pub info_of: HashMap<&'a lower::Info, usize>,
    /// The position of each mnemonic in the list of all mnemonics, and its length.
    pub mnemonics: HashMap<&'a str, (usize, usize)>,
    /// The number of each list of operands and modifiers in a format.
    pub forms: HashMap<FormKey<'a>, usize>,
}

/// The base format of a form, the format of its trailing dword, its operands and its modifiers.
pub type FormKey<'a> = (&'a str, Option<&'a str>, Vec<&'a lower::OperandDesc>);

/// The targets of the same processor: one for each size of its waves.
fn waves<'t>(targets: &'t [Target<'t>], t: &Target) -> Vec<&'t Target<'t>> {
    targets.iter().filter(|other| other.row.processor == t.row.processor).collect()
}

/// The name in camel case: `s_add_u32` -> `SAddU32`, `VOP3P-MAI` -> `Vop3pMai`.
pub fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut is_first = true;
    for c in name.chars() {
        if c == '_' || c == '-' {
            is_first = true;
        } else if is_first {
            // A digit after a digit needs a separator if the split removed one: `x_2b_1` and `x_2b1` are different
            // names.
            if c.is_ascii_digit() && out.as_bytes().last().is_some_and(u8::is_ascii_digit) {
                out.push('_');
            }
            out.push(c.to_ascii_uppercase());
            is_first = false;
        } else {
            out.push(c.to_ascii_lowercase());
        }
    }
    out
}

/// The tables written so far: the first target that has a table defines it, and later targets refer to it.
#[derive(Default)]
struct SharedTables {
    /// The first target for which each table was written, by the table's text.
    first: BTreeMap<String, String>,
}

impl SharedTables {
    /// The items of a target's module, in which a table that an earlier target has is only a reference.
    fn module(&mut self, target: &str, tables: Vec<(&str, String)>) -> String {
        let mut out = String::from("use super::*;\n");
        for (name, text) in tables {
            match self.first.get(&text) {
                Some(other) => {
                    let cfg = text.split_inclusive('\n').next().filter(|line| line.starts_with("#[cfg(")).unwrap_or("");
                    putln!(out, "{cfg}pub(crate) use super::{other}::{name};");
                }
                None => {
                    out.push_str(&text);
                    self.first.insert(text, target.to_string());
                }
            }
        }
        out
    }
}

/// Returns a module that begins with `head` and includes `items` from a file, and that file. `cargo doc` makes a page
/// of the source of each file that contains a module; pages of the generated items would be most of the documentation.
pub fn apart(head: &str, file: String, items: String) -> (String, (String, String)) {
    (format!("{head}\ninclude!({file:?});\n}}\n"), (file, items))
}

/// All opcodes of the enabled targets, in the order of their numbers.
pub fn opcodes(isa: &Isa, targets: &[Target]) -> Vec<String> {
    let there: HashSet<&String> =
        targets.iter().flat_map(|t| t.operations.iter().flatten()).map(|operation| &operation.mnemonic).collect();
    isa.opcodes.iter().map(|opcode| &opcode.name).filter(|name| there.contains(name)).cloned().collect()
}

/// The targets' own spellings of operations, except spellings that are the name of another operation.
fn spellings(targets: &[Target]) -> Vec<String> {
    let names: HashSet<&String> =
        targets.iter().flat_map(|t| t.operations.iter().flatten()).map(|o| &o.mnemonic).collect();
    let all = targets.iter().flat_map(|t| t.operations.iter().flatten()).filter_map(|o| o.spelling.as_ref());
    all.filter(|name| !names.contains(name)).collect::<BTreeSet<_>>().into_iter().cloned().collect()
}

/// Every field name in the tables of all targets: hand-written code may name any of them in any build.
fn fields(isa: &Isa) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = isa.formats.iter().flat_map(|f| &f.fields).map(|f| f.name.to_lowercase()).collect();
    all.insert("vcc".into());
    // Errors name parts of constants as fields; `rest` stands for the bits that do not belong to a part.
    all.extend(isa.enums.iter().filter(|e| e.bits).flat_map(|e| &e.values).map(|v| v.name.clone()));
    all.insert("rest".into());
    all.extend(facts::ALL_COUNTERS.iter().map(|counter| counter.to_string()));
    all
}

/// Writes the table of names, and the table of their positions. The names `after`, which have no number, come at the
/// end of the first table; only the fast path uses them.
fn names_fn(out: &mut String, name: &str, doc: &str, list: &[String], after: &[String]) {
    // Readers of a name copy 48 bytes from its start.
    assert!(list.iter().chain(after).all(|s| s.len() <= 48));
    let mut ends = vec![0usize];
    for s in list {
        ends.push(ends.last().unwrap() + s.len());
    }
    let text = "feature = \"text\"";
    let with_after = if after.is_empty() { text.to_string() } else { format!("all({text}, feature = \"fast\")") };
    let mut blob = |cfg: &str, after: &[String]| {
        let blob = list.concat() + &after.concat() + &" ".repeat(48);
        putln!(out, "/// {doc}\n#[cfg({cfg})]\npub(crate) static {name}: &str = \"{blob}\";");
    };
    blob(&with_after, after);
    // Without the fast path, the additional names are not used.
    if !after.is_empty() {
        blob(&format!("all({text}, not(feature = \"fast\"))"), &[]);
    }
    putln!(out, "#[cfg(feature = \"text\")]\npub(crate) static {name}_AT: [u16; {}] = {ends:?};", ends.len());
}

/// Writes `Opcode`: all operations, whether enabled or not, and the places of the enabled ones, `ops`, in
/// `Opcode::ALL`.
fn opcode_enum(out: &mut String, isa: &Isa, ops: &[String]) {
    *out += "/// An operation, independent of its encodings and of its opcode numbers on the targets.\n///\n";
    *out += "/// Every build has the operations of all targets, enabled or not, and their numbers ([`Opcode::number`]) never change.\n";
    *out +=
        "/// [`Opcode::ALL`] has those of the enabled targets, sorted by their numbers, whose order has no meaning.\n";
    *out += "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\n#[repr(u16)]\n";
    *out += "#[allow(missing_docs)]\npub enum Opcode {\n";
    let mut by_name: Vec<&OpcodeNumber> = isa.opcodes.iter().collect();
    by_name.sort_by_key(|opcode| &opcode.name);
    for OpcodeNumber { name, number, retired, .. } in by_name {
        let retired = if *retired { ", which no target has any more" } else { "" };
        putln!(out, "    /// `{name}`{retired}\n    {} = {number},", camel(name));
    }
    *out += "}\n";
    *out += FROM_NUMBER;
    for OpcodeNumber { name, number, .. } in &isa.opcodes {
        putln!(out, "{number} => Opcode::{},", camel(name));
    }
    *out += "            _ => return None,\n        })\n    }\n\n";
    *out += "    /// Every operation of the enabled targets, in the order of their numbers.\n";
    *out += "    pub const ALL: &'static [Opcode] = &[";
    for op in ops {
        put!(out, "Opcode::{}, ", camel(op));
    }
    *out += "];\n}\n";
    // A bit for each operation number, set if an enabled target has the operation; and for each 32 bits, the number of
    // such operations before them.
    let enabled: HashSet<&String> = ops.iter().collect();
    let is_enabled = |opcode: &OpcodeNumber| enabled.contains(&opcode.name);
    let bits = |some: &[OpcodeNumber]| {
        some.iter().enumerate().fold(0u32, |set, (n, opcode)| set | u32::from(is_enabled(opcode)) << n)
    };
    let lowest = isa.opcodes.iter().take(ops.len()).all(is_enabled);
    let sets: Vec<u32> = if lowest { Vec::new() } else { isa.opcodes.chunks(32).map(bits).collect() };
    let before = sets.iter().scan(0, |sum, set| Some(std::mem::replace(sum, *sum + set.count_ones())));
    let (count, before): (usize, Vec<u32>) = (sets.len(), before.collect());
    putln!(out, "/// Whether the operations of the enabled targets are those with the lowest numbers.");
    putln!(out, "const LOWEST: bool = {lowest};");
    putln!(out, "/// A bit for each number, which is set if an enabled target has the operation; empty if `LOWEST`.");
    putln!(out, "static ENABLED: [u32; {count}] = {sets:?};");
    putln!(out, "/// The number of bits that are set before each dword of `ENABLED`.");
    putln!(out, "static ENABLED_BEFORE: [u16; {count}] = {before:?};");
}

/// The start of `Opcode::from_number`.
const FROM_NUMBER: &str = "impl Opcode {
    /// The operation with this [number](Opcode::number), whether a target that has it is enabled or not; `None` if no
    /// operation of this version has it.
    // The compiler recognises that the number stays the same.
    #[inline]
    pub const fn from_number(number: u16) -> Option<Opcode> {
        Some(match number {
";

fn opcode_file(isa: &Isa, targets: &[Target]) -> Result<String> {
    let mut out = String::new();
    let ops = opcodes(isa, targets);
    opcode_enum(&mut out, isa, &ops);
    names_fn(
        &mut out,
        "MNEMONICS",
        "Names of the enabled targets' opcodes, concatenated, and after them the targets' own spellings.",
        &ops,
        &spellings(targets),
    );

    out += "/// A microcode format.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\n#[repr(u8)]\npub enum Format {\n";
    let formats = sorted_formats(isa);
    for f in &formats {
        putln!(out, "    /// {} ({} bits)\n    {},", f.about, f.bits, camel(&f.name));
    }
    out += "}\n";
    let all: Vec<String> = formats.iter().map(|f| format!("Format::{}", camel(&f.name))).collect();
    let doc = "/// Every format of all targets, enabled or not.";
    putln!(out, "impl Format {{\n    {doc}\n    pub const ALL: &'static [Format] = &[{}];\n}}", all.join(", "));
    let names: Vec<String> = formats.iter().map(|f| f.name.clone()).collect();
    putln!(out, "pub(crate) static FORMAT_NAMES: [&str; {}] = {names:?};", names.len());

    let fields: Vec<String> = fields(isa).into_iter().collect();
    out += "/// The name of a field of a microcode format.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\n#[repr(u8)]\n#[allow(missing_docs)]\npub enum Field {\n";
    for f in &fields {
        putln!(out, "    {},", camel(f));
    }
    out += "}\n";
    let all: Vec<String> = fields.iter().map(|f| format!("Field::{}", camel(f))).collect();
    let doc = "/// Every field of all targets, enabled or not.";
    putln!(out, "impl Field {{\n    {doc}\n    pub const ALL: &'static [Field] = &[{}];\n}}", all.join(", "));
    putln!(out, "pub(crate) static FIELD_NAMES: [&str; {}] = {fields:?};", fields.len());

    facts::common(&mut out, isa, targets, &formats, &ops);
    names::common(&mut out, isa);
    codes::common(&mut out, isa)?;
    Ok(out + &builtin::all(&ops))
}

/// The formats in the order of the enum.
pub fn sorted_formats(isa: &Isa) -> Vec<&Format> {
    let mut formats: Vec<&Format> = isa.formats.iter().collect();
    formats.sort_by_key(|f| &f.name);
    formats
}

/// The distinct infos of all targets, which the targets share.
pub fn infos(targets: &[Target]) -> Vec<lower::Info> {
    let mut seen = HashSet::new();
    targets.iter().flat_map(|t| &t.infos).filter(|info| seen.insert(*info)).cloned().collect()
}

/// The usual filler, as a variant of `Filler`.
fn filler(is_new: bool) -> &'static str {
    if is_new { "Llvm23" } else { "Llvm22" }
}

fn target_enum(isa: &Isa, targets: &[Target]) -> String {
    let mut out = String::new();
    out += "/// A GPU target that this build supports.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\n";
    out += if targets.is_empty() { "" } else { "#[repr(u8)]\n" };
    out += "pub enum Target {\n";
    for t in targets {
        let about = match t.row.is_other_wave() {
            true => format!("`{}` with waves of {} lanes", t.row.processor, t.row.lanes()),
            false if t.row.aliases.is_empty() => format!("LLVM calls it `{}`", t.row.processor),
            false => format!("also called `{}`", t.row.aliases.join("`, `")),
        };
        putln!(out, "    /// {}; {about}.\n    {},", t.row.generation, camel(&t.row.name));
    }
    out += "}\n";
    let variants: Vec<String> = targets.iter().map(|t| format!("Target::{}", camel(&t.row.name))).collect();
    putln!(
        out,
        "impl Target {{\n    /// Every enabled target.\n    pub const ALL: &'static [Target] = &[{}];\n}}",
        variants.join(", ")
    );
    putln!(out, "pub(crate) static TARGETS: [TargetInfo; {}] = [", targets.len());
    for t in targets {
        let a: Vec<String> = t.row.aliases.iter().map(|a| format!("{a:?}")).collect();
        putln!(
            out,
            "    TargetInfo {{ name: {:?}, processor: {:?}, generation: {:?}, mach: &{:?}, aligned_vgprs: {}, low_scalars: {}, halves: {}, offset_3f: {}, dual: {:?}, bound_ctrl_zero: {}, omits: {:?}, filler: Filler::{}, aliases: &[{}] }},",
            t.row.shown(),
            t.row.processor,
            t.row.generation,
            t.row.mach,
            t.row.has("aligned-vgprs"),
            t.row.has("low-scalars"),
            t.row.has("true16"),
            t.row.has("offset-3f"),
            [t.row.has("dual-moves"), t.row.has("dual-equal")],
            !t.row.has("bound-ctrl"),
            [t.row.has("silent-vcc"), t.row.has("silent-carry")],
            filler(t.row.has("new-fillers")),
            a.join(", ")
        );
    }
    out += "];\n";
    processors(&mut out, isa, targets);
    out += &descriptor::tables(isa, targets);
    tables_by_target(&mut out, targets);
    out
}

/// Writes the processors, with the targets whose instructions they have.
fn processors(out: &mut String, isa: &Isa, targets: &[Target]) {
    putln!(out, "pub(crate) static PROCESSORS: [ProcessorInfo; {}] = [", isa.processors.len());
    for p in &isa.processors {
        let target = targets.iter().find(|t| p.target.as_ref().is_some_and(|name| t.row.shown() == *name));
        let target = target.map_or("None".into(), |t| format!("Some(Target::{})", camel(&t.row.name)));
        putln!(
            out,
            "    ProcessorInfo {{ name: {:?}, mach: {:#x}, generic: {:?}, target: {target}, filler: Filler::{}, aliases: &{:?} }},",
            p.name,
            p.mach,
            p.generic,
            filler(p.has_new_fillers),
            p.aliases
        );
    }
    *out += "];\n";
}

/// Writes, for each kind of table, the tables of all targets.
fn tables_by_target(out: &mut String, targets: &[Target]) {
    for (name, ty) in [
        ("LENGTHS", "LengthTables"),
        ("DECODE", "DecodeTables"),
        ("OPERANDS", "OperandTables"),
        ("DESCS", "DescTables"),
        ("OPS", "OpTables"),
        ("INFO_OF", "InfoTables"),
        ("PLAIN", "PlainWords"),
        ("MOVES", "MoveTables"),
        ("ENTRIES", "EntryTables"),
        ("LAYOUT", "LayoutTables"),
        ("IMMS", "ImmTables"),
        ("NAMES", "NameTables"),
        ("HWREGS", "HwregTables"),
        ("FACTS", "FactTables"),
        ("COUNTS", "CountTables"),
        ("HAZARDS", "HazardTables"),
    ] {
        let refs: Vec<String> = targets.iter().map(|t| format!("&{}::{name}", t.row.name)).collect();
        putln!(out, "pub(crate) const {name}: [&{ty}; {}] = [{}];", targets.len(), refs.join(", "));
    }
    for (name, ty) in [("FAST_DECODE", "FastDecode"), ("BRANCHES", "Branches")] {
        let refs: Vec<String> = targets.iter().map(|t| format!("&{}::{name}", t.row.name)).collect();
        let list = format!("const {name}: [&{ty}; {}] = [{}];", targets.len(), refs.join(", "));
        putln!(out, "#[cfg(feature = \"fast\")]\npub(crate) {list}");
    }
    let text = "feature = \"text\"";
    let both = format!("all({text}, feature = \"fast\")");
    for (name, ty, cfg) in
        [("TEXT", "TextTables", text), ("MNEMONICS_OF", "MnemonicTable", text), ("FAST_TEXT", "FastText", &both)]
    {
        let refs: Vec<String> = targets.iter().map(|t| format!("&{}::{name}", t.row.name)).collect();
        putln!(out, "#[cfg({cfg})]");
        putln!(out, "pub(crate) const {name}: [&{ty}; {}] = [{}];", targets.len(), refs.join(", "));
    }
}
