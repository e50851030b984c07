//! Writes the tables for text that is printed without descriptors: `FastText` in src/table/fast_text.rs.

use crate::build::check::layout_assumptions::room;
use crate::build::emit::names::parts;
use crate::build::emit::operand_texts::{self, DEPCTRS, INSTIDS, INSTSKIPS};
use crate::build::emit::tables::UNNAMED;
use crate::build::kind::{ListStyle, ModifierKind, ModifierList, NumberKind, NumberList, OperandKind};
use crate::build::lower::codes::Codes;
use crate::build::lower::encoding::{encoding, number_of};
use crate::build::lower::fast_texts::{self, Parts, Ready};
use crate::build::lower::pages::run;
use crate::build::lower::{FormSignature, NONE, OperandDesc, Operation, Target};
use crate::build::model::Isa;
use crate::build::model::error::Result;
use crate::build::writer::{put, putln};
use std::collections::{BTreeMap, HashMap};

/// The data of a `FastSignature`, with its modifiers.
#[derive(Clone, PartialEq)]
struct Fast {
    modifier_mask: u64,
    modifier_default: u64,
    /// The bits of the third dword that belong to modifiers.
    third: u32,
    suffix: u8,
    modifiers: Vec<String>,
    /// The texts of operands, in one or several entries of the table.
    entries: Vec<String>,
    /// Whether another signature follows, for other words of the same form.
    is_followed: bool,
}

impl Fast {
    /// The source text of the entries. `modifiers` is the index of the first modifier.
    fn signature(&self, modifiers: usize) -> String {
        let Fast { modifier_mask, modifier_default, third, suffix, entries, is_followed, .. } = self;
        let suffix = padded::<8>([" ", "_e32 ", "_e64 "][usize::from(*suffix)]);
        let entry = |(n, texts): (usize, &String)| {
            let (modifier_mask, modifier_default, modifiers) =
                if n == 0 { (*modifier_mask, *modifier_default, modifiers) } else { ((*third).into(), 0, 0) };
            let next_delta = if n == 0 && *is_followed { entries.len() } else { 0 };
            format!(
                "FastSignature {{ modifier_mask: {modifier_mask:#x}, modifier_default: {modifier_default:#x}, \
                 suffix: {suffix:?}, modifiers: {modifiers}, {texts}, next_delta: {next_delta} }},\n"
            )
        };
        entries.iter().enumerate().map(entry).collect()
    }
}

/// The length of the longest name, as in src/text/fast.rs. The fast path does not print longer names.
const NAME: usize = 32;

/// Writes the tables. `names` has the position of each mnemonic in the list of all mnemonics, and its length.
pub fn tables(w: &mut String, isa: &Isa, t: &Target, names: &HashMap<&str, (usize, usize)>) -> Result<()> {
    let parts = |name: &str| parts(isa, t, name);
    let parts = Parts { waitcnt: parts("waitcnt")?, depctr: parts("depctr")?, delay_alu: parts("delay_alu")? };
    // Common signatures come first, then the signatures of three dwords and of two operations.
    let (mut common, mut special): (Vec<Fast>, Vec<Fast>) = Default::default();
    // The index of the first `Fast` for operations with a given signature and suffix, and whether it is in `special`.
    let mut known: HashMap<(usize, u8), Option<(usize, bool)>> = HashMap::new();
    let mut row = |operation: &Option<Operation>| {
        let name = |operation: &Operation| names[operation.spelling.as_ref().unwrap_or(&operation.mnemonic).as_str()];
        let is_short = |operation: &&Operation| name(operation).1 <= NAME;
        let operation = operation.as_ref().filter(is_short)?;
        let signature = &t.signatures[operation.signature - 1];
        let suffix = if t.infos[operation.info].suffix && has_operand(t, signature) { signature.suffix } else { 0 };
        let number = known.entry((operation.signature, suffix)).or_insert_with(|| {
            let def = t.formats[operation.format].def;
            // The bits set in all words of the form, without the first dword's encoding, for the parser.
            let bits = encoding(t, operation.format, 0);
            let ones = (t.constraints[signature.constraints].value & !bits | bits >> 32 << 32) as u64;
            let fast = fast(t, signature, suffix, &parts, def.bits == 96, ones);
            let first = fast.first()?;
            let is_special = def.bits == 96 || def.dual.is_some();
            let all = if is_special { &mut special } else { &mut common };
            let number = all.iter().position(|other| other == first).unwrap_or_else(|| {
                let at = all.len();
                all.extend(fast);
                at
            });
            Some((number, is_special))
        });
        let (signature, is_special) = (*number)?;
        let (at, len) = name(operation);
        Some((at | len << 16, signature, is_special))
    };
    let rows: Vec<_> = t.operations.iter().map(&mut row).collect();
    let all: Vec<&Fast> = common.iter().chain(&special).collect();
    // Entry 0 is for operations that the fast path does not print.
    let mut entries = vec![1];
    entries.extend(all.iter().scan(1, |end, fast| {
        *end += fast.entries.len();
        Some(*end)
    }));
    let entry = |signature: usize| entries[signature];
    let number = |row: &Option<(usize, usize, bool)>| {
        let of =
            |&(name, n, special): &(usize, usize, bool)| name | entry(if special { common.len() + n } else { n }) << 22;
        row.as_ref().map_or(0, of)
    };
    let mut numbers: Vec<usize> = rows.iter().map(number).collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    room(t, "signatures that are printed fast", entry(all.len()), 10)?;
    room(t, "bytes of mnemonics", names.values().map(|name| name.0).max().unwrap_or(0), 16)?;
    putln!(w, "#[cfg(all(feature = \"text\", feature = \"fast\"))]");
    putln!(w, "pub(crate) static FAST_TEXT: FastText = FastText {{ rows: &{numbers:?},");
    putln!(w, "first: &{:?},", firsts(t, &numbers));
    let mut modifiers = Vec::new();
    putln!(w, "special: {}, signatures: &[NO_FAST,", entry(common.len()));
    for fast in &all {
        let (first, _) = run(&mut modifiers, &fast.modifiers);
        put!(w, "{}", fast.signature(first));
    }
    room(t, "modifiers that are printed fast", modifiers.len(), 16)?;
    putln!(w, "], modifiers: &[");
    modifiers.iter().for_each(|entry| putln!(w, "{entry},"));
    putln!(w, "] }};");
    Ok(())
}

/// For each opcode index, the first dword without operands and modifiers; `FastText::NO_FIRST` if the index has no row,
/// or if the instruction is two operations.
fn firsts(t: &Target, rows: &[usize]) -> Vec<u32> {
    let first = |((n, operation), row): ((usize, &Option<Operation>), &usize)| {
        let operation = operation.as_ref().filter(|_| *row != 0)?;
        let is_dual = t.formats[operation.format].def.dual.is_some();
        (!is_dual).then(|| encoding(t, operation.format, number_of(t, n, operation)))
    };
    let all = t.operations.iter().enumerate().zip(rows).map(first);
    all.map(|bits| bits.map_or(u32::MAX, |bits| bits as u32)).collect()
}

/// The texts of operand codes that mean the same on every target.
pub fn shared(isa: &Isa, targets: &[Target]) -> String {
    let last = targets.iter().map(|t| t.codes.iter().find(|c| c.class == "sgpr").and_then(|c| c.range.of(&t.row.name)));
    let last = last.map(|range| range.map_or(0, |range| range.1)).min().unwrap_or(0);
    let mut all = targets.iter().map(named_codes);
    let first = all.next().unwrap_or_default();
    let shared: BTreeMap<_, _> = all.fold(first, |mut shared, other| {
        shared.retain(|code, names| other.get(code) == Some(names));
        shared
    });
    operand_texts::all(last, targets.first().map_or(&Codes::NONE, |t| &t.code), &shared, &parts_named(isa, targets))
}

/// The texts of the named parts of constants, where all targets that have a number give it one name.
fn parts_named(isa: &Isa, targets: &[Target]) -> BTreeMap<u16, String> {
    let mut all = BTreeMap::new();
    let values = |name: &'static str, bits: bool| {
        isa.enums.iter().filter(move |e| e.name == name && e.bits == bits).flat_map(|e| &e.values)
    };
    for (name, first) in [("instid", INSTIDS), ("instskip", INSTSKIPS)] {
        for value in values(name, false) {
            let numbers = targets.iter().filter_map(|t| value.value.of(&t.row.name)?.parse::<u16>().ok());
            // "No dependency" (0) has no text.
            for number in numbers.filter(|&n| n < 16 && (name != "instid" || n != 0)) {
                let name = all.entry(first + number).or_insert_with(|| value.name.clone());
                if *name != value.name {
                    *name = String::new();
                }
            }
        }
    }
    for (value, n) in values("depctr", true).zip(0..) {
        all.insert(DEPCTRS + n, format!("depctr_{}(", value.name));
    }
    // A number whose name differs between targets has no text.
    all.retain(|_, text| !text.is_empty());
    all
}

/// The names of a target's codes that are not printed as numbers. If a code has several names, the first one is used.
fn named_codes<'a>(t: &Target<'a>) -> BTreeMap<u16, (&'a str, &'a str)> {
    let mut all = BTreeMap::new();
    for row in t.codes.iter().filter(|c| !UNNAMED.contains(&c.class.as_str())) {
        let &(first, last) = row.range.of(&t.row.name).expect("a target has its codes");
        for code in first..=last {
            all.entry(code).or_insert((row.name.as_str(), row.pair.as_deref().unwrap_or("")));
        }
    }
    all
}

fn descs<'a>(t: &'a Target, signature: &FormSignature) -> impl Iterator<Item = (u16, &'a OperandDesc)> {
    let numbers = &t.desc_lists[signature.descs.0..signature.descs.0 + signature.descs.1];
    numbers.iter().map(|&n| (n, &t.descs[usize::from(n)]))
}

/// Whether the signature has operands. LLVM prints the suffix with the first operand, so v_nop has no suffix.
pub fn has_operand(t: &Target, signature: &FormSignature) -> bool {
    descs(t, signature).any(|(_, desc)| desc.access.is_some())
}

/// The fast signatures of a signature, one for each case of its words. Empty if the fast path does not print the
/// signature, for example because the separator after an operand is not a comma, an operand follows a modifier, or the
/// suffix is for a trailing dword. `wide` tells whether the instruction has three dwords; `ones` are the bits that are
/// set in all of its words.
fn fast(t: &Target, signature: &FormSignature, suffix: u8, parts: &Parts, wide: bool, ones: u64) -> Vec<Fast> {
    // The second of two operations is printed by its own signature.
    let is_own = |i: &(u16, &OperandDesc)| i.1.kind != OperandKind::Second;
    let descs: Vec<(u16, &OperandDesc)> = descs(t, signature).filter(is_own).collect();
    let count = descs.iter().take_while(|i| i.1.access.is_some()).count();
    let (before, after) = descs.split_at(count);
    let other_separator =
        before.iter().any(|i| i.1.kind == OperandKind::Number(NumberKind::Choice(NumberList::ExportTarget)));
    if other_separator || after.iter().any(|i| i.1.access.is_some()) || signature.suffix > 2 {
        return Vec::new();
    }
    let (mut modifier_mask, mut modifier_default, mut modifiers) = (0, 0, Vec::new());
    for &(number, desc) in after.iter().filter(|i| i.1.kind != OperandKind::Modifier(ModifierKind::Hidden)) {
        // A modifier that is always printed is rare, and has no fast path.
        let Some((bits, value)) = modifier(desc) else { return Vec::new() };
        if bits >> 64 != 0 && !wide {
            return Vec::new();
        }
        (modifier_mask, modifier_default) = (modifier_mask | bits, modifier_default | value);
        let (way, label) = label(desc);
        let is_list = way == "List";
        let all = if is_list { desc.used_bits.into() } else { u16::MAX >> (16 - desc.width.min(16)) };
        let below = u16::MAX.checked_shr(16 - u32::from(desc.split.1.min(16))).unwrap_or(0);
        let high_turn = if desc.split.0 == NONE { 0 } else { (desc.split.0 + 64 - desc.split.1) % 64 };
        let (low, high) = ([(desc.lsb % 64).into(), all & below], [u16::from(high_turn), all & !below]);
        let width = if is_list { desc.used_bits.count_ones() as u8 } else { desc.width };
        let (bits, third) = (bits as u64, (bits >> 64) as u32);
        modifiers.push(format!(
            "FastModifier {{ mask: {bits:#x}, third: {third:#x}, label: {label:?}, low: {low:?}, high: {high:?}, \
             desc: {number}, width: {width}, way: ModifierWay::{way} }}"
        ));
    }
    let operands: Vec<&OperandDesc> = before.iter().map(|i| i.1).collect();
    let mut all = fast_texts::all(&operands, parts, &t.code, wide);
    all.iter_mut().for_each(|ready| ready.set |= ones & !ready.clear);
    let last = all.len().saturating_sub(1);
    let (modifier_default, third, modifiers) = (modifier_default as u64, (modifier_mask >> 64) as u32, &modifiers);
    let fast = |(n, ready): (usize, Ready)| Fast {
        modifier_mask: modifier_mask as u64,
        modifier_default,
        third,
        suffix,
        modifiers: modifiers.clone(),
        entries: ready.fields(operands.len(), if wide { 128 } else { 64 }, usize::from(wide)),
        is_followed: n < last,
    };
    all.into_iter().enumerate().map(fast).collect()
}

/// The variant of `ModifierWay` in src/table/fast_text.rs for printing a modifier, and the text before its value, with
/// the length in the last byte.
fn label(desc: &OperandDesc) -> (&'static str, [u8; 16]) {
    let OperandKind::Modifier(kind) = desc.kind else { return ("Descriptor", [0; 16]) };
    let (way, name) = match kind {
        ModifierKind::Signed if desc.lsb >= 64 => ("Third", desc.field.as_str()),
        _ if desc.width > 16 || desc.lsb >= 64 => return ("Descriptor", [0; 16]),
        ModifierKind::List(_) if ![3, 7].contains(&desc.used_bits) => return ("Descriptor", [0; 16]),
        ModifierKind::Flag { .. } => ("Flag", desc.field.as_str()),
        ModifierKind::Named => ("Number", desc.field.as_str()),
        ModifierKind::Signed => ("Signed", desc.field.as_str()),
        ModifierKind::List(ListStyle::Plain | ListStyle::Ones) => ("List", desc.field.as_str()),
        ModifierKind::List(ListStyle::NegLo) => ("List", "neg_lo"),
        ModifierKind::List(ListStyle::Neg) => ("List", "neg"),
        _ => return ("Descriptor", [0; 16]),
    };
    let text = format!(" {}{}", name.to_lowercase(), if way == "Flag" { "" } else { ":" });
    (way, padded(&text))
}

/// The text with its length in the last byte.
fn padded<const N: usize>(text: &str) -> [u8; N] {
    let mut all = [0; N];
    all[..text.len()].copy_from_slice(text.as_bytes());
    all[N - 1] = text.len() as u8;
    all
}

/// The bits that determine whether a modifier is printed, and their values if it is not; `None` if it is always
/// printed, or is not one of the common modifiers.
fn modifier(desc: &OperandDesc) -> Option<(u128, u128)> {
    let (high, low) = (desc.split.0, desc.split.1);
    if desc.lsb >= 96 || high != NONE && high >= 64 {
        return None;
    }
    let spread = |value: u128| {
        let above = if high == NONE { 0 } else { value >> low << high };
        (value & ((1 << low) - 1)) << desc.lsb | above
    };
    let OperandKind::Modifier(kind) = desc.kind else { return None };
    match kind {
        ModifierKind::Flag { .. }
        | ModifierKind::Omod
        | ModifierKind::Named
        | ModifierKind::Signed
        | ModifierKind::Swizzle
        | ModifierKind::Choice(ModifierList::Scope)
        | ModifierKind::TemporalHint { .. } => Some((spread((1 << desc.width) - 1), 0)),
        ModifierKind::List(ListStyle::Plain | ListStyle::All | ListStyle::NegLo | ListStyle::Neg) => {
            Some((spread(desc.used_bits.into()), 0))
        }
        ModifierKind::List(ListStyle::Ones) => Some((spread(desc.used_bits.into()), spread(desc.used_bits.into()))),
        _ => None,
    }
}
