//! Writes the properties of operations (spaces, counters, flags of forms) and the swapped sources, which `src/facts.rs`
//! and `src/convert/` use.

use crate::build::check::facts::COUNTERS;
use crate::build::emit::builtin;
use crate::build::emit::tables::flag_bits;
use crate::build::emit::{camel, names};
use crate::build::kind::{NumberKind, OperandKind};
use crate::build::lower::{NONE, OperandDesc, Target};
use crate::build::model::counters::fits;
use crate::build::model::*;
use crate::build::shared::ADDRESS_JUMP;
use crate::build::writer::{put, putln};
use std::collections::{BTreeMap, BTreeSet};

/// The names of the variants of `Counter` in src/table/counters.rs, for every generation. They are also names of
/// fields, because errors name counters as fields.
pub const ALL_COUNTERS: [&str; 13] = [
    "vmcnt",
    "expcnt",
    "lgkmcnt",
    "vscnt",
    "loadcnt",
    "storecnt",
    "samplecnt",
    "bvhcnt",
    "dscnt",
    "kmcnt",
    "xcnt",
    "asynccnt",
    "tensorcnt",
];

/// Writes `ASSEMBLER_FACTS`, what LLVM's assembler does with each format.
pub fn assembler_facts(w: &mut String, isa: &Isa) {
    let formats = super::sorted_formats(isa);
    putln!(w, "#[cfg(feature = \"text\")]\npub(crate) static ASSEMBLER_FACTS: [AssemblerFacts; {}] = [", formats.len());
    for AssemblerFacts { is_long, folds_signs, open } in formats.iter().map(|f| &f.assembler) {
        let open = if open.is_empty() { "Words".into() } else { camel(open) };
        putln!(w, "AssemblerFacts {{ is_long: {is_long}, folds_signs: {folds_signs}, open: Open::{open} }},");
    }
    putln!(w, "];");
}

/// Writes `SPACES`, the memory of each format.
pub fn spaces(w: &mut String, isa: &Isa) {
    let space = |f: &&Format| match &f.space {
        Some((_, name)) => format!("Some(Space::{})", camel(name)),
        None => "None".into(),
    };
    let spaces: Vec<String> = super::sorted_formats(isa).iter().map(space).collect();
    putln!(w, "pub(crate) static SPACES: [Option<Space>; {}] = [{}];", spaces.len(), spaces.join(", "));
}

/// Writes the tables that all targets share: `SWAPS`, and the properties of formats, jumps and fields.
pub fn common(w: &mut String, isa: &Isa, targets: &[Target], formats: &[&Format], ops: &[String]) {
    let there = |name: &String| ops.contains(name);
    let swaps = isa.swaps.iter().filter(|(a, b)| there(a) && there(b));
    let swaps: Vec<String> = swaps.map(|(a, b)| format!("(Opcode::{}, Opcode::{})", camel(a), camel(b))).collect();
    putln!(w, "pub(crate) static SWAPS: [(Opcode, Opcode); {}] = [{}];", swaps.len(), swaps.join(", "));
    let bus: Vec<bool> = formats.iter().map(|f| f.bus).collect();
    putln!(w, "pub(crate) static BUS: [bool; {}] = {bus:?};", bus.len());
    let apart: Vec<bool> = formats.iter().map(|f| f.apart).collect();
    putln!(w, "pub(crate) static APART: [bool; {}] = {apart:?};", apart.len());
    let has_only = |only: &Only| targets.iter().any(|t| only.values.of(&t.row.name).is_some());
    let only: Vec<bool> = formats.iter().map(|f| f.only.iter().any(has_only)).collect();
    putln!(w, "#[allow(dead_code)]\npub(crate) static ONLY: [bool; {}] = {only:?};", only.len());
    let is_jump = |row: &Row| row.address.as_deref() == Some(ADDRESS_JUMP) && there(&row.mnemonic);
    let mut jumps = formats.iter().filter(|f| f.rows.iter().any(is_jump));
    let jump = jumps.next();
    assert!(jumps.next().is_none(), "jumps are in one format");
    // src/operand.rs reads distances in the lower half of the first dword, and the sources of jumps in the lowest byte;
    // src/patch/change.rs writes any distance to that half.
    for t in targets {
        for signature in &t.signatures {
            let numbers = &t.desc_lists[signature.descs.0..signature.descs.0 + signature.descs.1];
            let mut descs = numbers.iter().map(|&n| &t.descs[usize::from(n)]);
            if let Some(label) = descs.find(|desc| desc.kind == OperandKind::Number(NumberKind::Label)) {
                assert_eq!(
                    (label.lsb, label.width, label.field.as_str()),
                    (0, 16, "simm16"),
                    "the place of a distance"
                );
                assert_eq!(t.constraints[signature.constraints].mask as u16, 0, "a distance that is not free");
            }
            let is_jump = jump.is_some_and(|f| f.name == t.formats[signature.format].def.name);
            let mut descs = numbers.iter().map(|&n| &t.descs[usize::from(n)]).filter(|_| is_jump);
            let is_low = |desc: &OperandDesc| desc.field != "ssrc0" || (desc.lsb, desc.width, desc.add) == (0, 8, 0);
            assert!(descs.all(is_low), "the place of a source");
        }
    }
    let jump = jump.map(|f| format!("Some(Format::{})", camel(&f.name)));
    putln!(w, "/// The format of operations that add their only source to the address of the code.");
    putln!(w, "pub(crate) const JUMPS: Option<Format> = {};", jump.as_deref().unwrap_or("None"));
    let mut addresses: Vec<(&String, u8)> = Vec::new();
    for row in formats.iter().flat_map(|f| &f.rows).filter(|row| there(&row.mnemonic)) {
        if let Some(most) =
            row.tokens.iter().find_map(most_dwords).filter(|_| !addresses.iter().any(|a| a.0 == &row.mnemonic))
        {
            addresses.push((&row.mnemonic, most));
        }
    }
    let texts: Vec<String> = addresses.iter().map(|(name, n)| format!("(Opcode::{}, {n})", camel(name))).collect();
    let (count, texts) = (texts.len(), texts.join(", "));
    putln!(w, "/// The most registers of an image address.");
    putln!(w, "pub(crate) static ADDRESSES: [(Opcode, u8); {count}] = [{texts}];");
    for (name, neutral) in [("DEFAULTS", false), ("NEUTRALS", true)] {
        let of_all = formats.iter().flat_map(|f| &f.defaults).filter(|d| d.neutral == neutral);
        let mut all: Vec<String> = of_all.map(|d| format!("(Field::{}, {})", camel(&d.field), d.value)).collect();
        all.sort();
        all.dedup();
        let (count, all) = (all.len(), all.join(", "));
        putln!(w, "#[allow(dead_code)]\npub(crate) static {name}: [(Field, u32); {count}] = [{all}];");
    }
}

/// Writes `PURPOSES`, in the order of the operations.
pub fn purposes(w: &mut String, isa: &Isa, ops: &[String]) {
    let rows = isa.formats.iter().flat_map(|f| &f.rows);
    let stated = |row: &Row| Some((ops.iter().position(|op| *op == row.mnemonic)?, row.purpose.clone()?));
    let all: BTreeMap<usize, String> = rows.filter_map(stated).collect();
    let name = |number: &usize| camel(&ops[*number]);
    let texts: Vec<String> =
        all.iter().map(|(op, purpose)| format!("(Opcode::{}, Purpose::{})", name(op), camel(purpose))).collect();
    putln!(w, "/// What code uses some operations for, by the number of the operation.");
    let count = texts.len();
    putln!(w, "pub(crate) static PURPOSES: [(Opcode, Purpose); {count}] = [{}];", texts.join(", "));
}

/// Writes the operations with floats of 8 bits (their rows have a cell that needs the trait `fp8`), and the targets
/// whose floats of 8 bits have neither infinity nor -0 (`fnuz`).
pub fn small_floats(w: &mut String, isa: &Isa, targets: &[Target], ops: &[String]) {
    let needs = |row: &Row| row.opcode.entries.iter().any(|entry| entry.needs.as_deref() == Some("fp8"));
    let all: BTreeSet<&String> =
        isa.formats.iter().flat_map(|f| &f.rows).filter(|row| needs(row)).map(|row| &row.mnemonic).collect();
    let list: Vec<String> =
        ops.iter().filter(|op| all.contains(op)).map(|op| format!("Opcode::{}", camel(op))).collect();
    putln!(w, "/// Operations with floats of 8 bits, in their order.");
    putln!(w, "pub(crate) static SMALL_FLOATS: &[Opcode] = &[{}];", list.join(", "));
    let fnuz = targets.iter().enumerate().filter(|(_, t)| t.row.has("fnuz")).fold(0u128, |set, (n, _)| set | 1 << n);
    putln!(w, "/// Targets whose floats of 8 bits have neither infinity nor -0: a bit for each.");
    putln!(w, "pub(crate) static FNUZ: u128 = {fnuz:#x};");
}

/// Writes the facts for re-targeting: operations that another generation has under another name, fields that must have
/// one value (`fixed`), targets whose memory can have ECC, and the bits of a waiting instruction's constant that
/// matter.
pub fn retargeting(w: &mut String, isa: &Isa, targets: &[Target], ops: &[String]) {
    let there = |name: &str| ops.iter().any(|op| op == name);
    putln!(w, "/// Operations that newer targets have under another name: the older one, and the newer one.");
    put!(w, "pub(crate) static RENAMED: &[(Opcode, Opcode)] = &[");
    for Swap { names: [old, new], .. } in isa.formats.iter().flat_map(|f| &f.renames) {
        if there(old) && there(new) {
            put!(w, "(Opcode::{}, Opcode::{}),", camel(old), camel(new));
        }
    }
    putln!(w, "];\n/// The only value of a field that has a meaning.");
    put!(w, "pub(crate) static FIXED: &[(Opcode, Field, u16)] = &[");
    let mut seen = BTreeSet::new();
    for f in &isa.formats {
        for Fixed { pattern, field, value, .. } in &f.fixed {
            for row in f.rows.iter().filter(|row| fits(pattern, &row.mnemonic) && there(&row.mnemonic)) {
                if seen.insert((&row.mnemonic, field)) {
                    put!(w, "(Opcode::{}, Field::{}, {value}),", camel(&row.mnemonic), camel(field));
                }
            }
        }
    }
    let ecc = targets.iter().enumerate().filter(|(_, t)| t.row.has("ecc")).fold(0u128, |set, (n, _)| set | 1 << n);
    putln!(w, "];\n/// Targets whose memory can have ECC: a bit for each.");
    putln!(w, "pub(crate) static ECC: u128 = {ecc:#x};");
    let bits = |t: &Target| isa.hazards.nop.as_ref().and_then(|nop| nop.bits.of(&t.row.name).copied()).unwrap_or(0);
    let masks: Vec<String> = targets.iter().map(|t| ((1u32 << bits(t)) - 1).to_string()).collect();
    putln!(w, "/// The bits of the number of cycles that count, for each target.");
    putln!(w, "pub(crate) static NOP_BITS: [u16; {}] = [{}];", masks.len(), masks.join(", "));
}

/// The largest size in dwords of an operand such as `b64..384`.
fn most_dwords(token: &Token) -> Option<u8> {
    let Token::Operand { ty, .. } = token else { return None };
    let (_, most) = ty.split_once("..")?;
    most.parse::<u16>().ok().map(|bits| bits.div_ceil(32) as u8)
}

/// Writes `FactTables` of one target.
pub fn tables(w: &mut String, isa: &Isa, t: &Target) {
    put!(w, "pub(crate) static FACTS: FactTables = FactTables {{ whens: &[");
    for f in &t.formats {
        for when in &f.def.whens {
            let bits = |name: &String| f.fields.iter().find(|(field, _)| &field.name == name).map(|(_, bits)| bits);
            let bit = match &when.field {
                None => NONE,
                // A field that the target lacks or ignores is never set.
                Some(name) => match bits(name).filter(|b| !b.ignored) {
                    Some(bits) => bits.pieces[0].lsb,
                    None => continue,
                },
            };
            let (clear, set): (Vec<String>, Vec<String>) = when.flags.iter().cloned().partition(|x| x.starts_with('-'));
            let clear: Vec<String> = clear.iter().map(|x| x[1..].to_string()).collect();
            let format = camel(&f.def.name);
            let (set, clear) = (flag_bits(&set), flag_bits(&clear));
            put!(w, "When {{ format: Format::{format}, bit: {bit}, set: {set:#x}, clear: {clear:#x} }},");
        }
    }
    let mut returns = Vec::new();
    for f in &t.formats {
        let counts = f.def.counts.iter().any(|c| c.counter == "vscnt" && c.cells.of(&t.row.name).is_some());
        let rtn = f.fields.iter().find(|(field, _)| field.is_rtn());
        if let Some((_, bits)) = rtn.filter(|_| counts) {
            returns.push(format!("(Format::{}, {})", camel(&f.def.name), bits.pieces[0].lsb));
        }
    }
    let returns = returns.join(", ");
    let only = only(t).join(", ");
    let mut counters = Vec::new();
    for f in t.formats.iter().filter(|f| !f.def.counters.is_empty()) {
        let renamed = |flag: &&str| f.def.counters.iter().find(|c| &c.counter == flag)?.cells.of(&t.row.name);
        let names = ALL_COUNTERS[..COUNTERS.len()].iter().map(|flag| renamed(flag).map_or(*flag, String::as_str));
        let names: Vec<String> = names.map(|name| format!("Counter::{}", camel(name))).collect();
        if f.def.counters.iter().any(|c| c.cells.of(&t.row.name).is_some()) {
            counters.push(format!("(Format::{}, [{}])", camel(&f.def.name), names.join(", ")));
        }
    }
    let counters = counters.join(", ");
    let code = |name: &str| {
        let row = t.codes.iter().find(|c| c.name == name);
        row.and_then(|c| c.range.of(&t.row.name)).map_or(NONE.into(), |&(first, _)| first)
    };
    let codes = ["vcc_lo", "exec_lo", "m0", "flat_scratch_lo", "xnack_mask_lo"];
    let codes: Vec<String> = codes.iter().map(|name| code(name).to_string()).collect();
    let specials = names::special_codes(isa, &t.row.name);
    let bus = t.row.bus;
    let mut rows = isa.formats.iter().flat_map(|format| &format.rows);
    let banked = rows.any(|row| row.mnemonic == builtin::BANKS && row.opcode.of(&t.row.name).is_some());
    putln!(
        w,
        "], returns: &[{returns}], only: &[{only}], counters: &[{counters}], codes: Codes::new([{}]), specials: &{specials:?}, bus: {bus}, banked: {banked} }};",
        codes.join(", ")
    );
}

/// The values that a field can have, and the conditions: other fields with their values.
type Limit<'a> = (Values, &'a [(String, Values)]);

/// The rows of `FactTables::only`: runs of operations, with a field and the values that it can have.
fn only(t: &Target) -> Vec<String> {
    let mut rows: Vec<(usize, usize, &String, Limit)> = Vec::new();
    for (op_index, operation) in t.operations.iter().enumerate() {
        let Some(operation) = operation else { continue };
        let def = t.formats[operation.format].def;
        let mut limits: Vec<&Only> = def.limits(&operation.mnemonic, &t.row.name).collect();
        limits.sort_by_key(|only| &only.field);
        for only in limits {
            let limit = (*only.values.of(&t.row.name).expect("it is about the target"), &*only.conditions);
            match rows.iter_mut().find(|row| (row.1 + 1, row.2, row.3) == (op_index, &only.field, limit)) {
                Some(row) => row.1 = op_index,
                None => rows.push((op_index, op_index, &only.field, limit)),
            }
        }
    }
    let mut texts = Vec::new();
    for (first, last, field, (Values { shift, set }, conditions)) in rows {
        let field = camel(field);
        let conditions =
            conditions.iter().map(|(other, values)| format!("(Field::{}, {:#x})", camel(other), values.set));
        let conditions = conditions.collect::<Vec<String>>().join(", ");
        texts.push(format!(
            "Only {{ first: {first}, last: {last}, field: Field::{field}, shift: {shift}, values: {set:#x}, conditions: &[{conditions}] }}"
        ));
    }
    texts
}
