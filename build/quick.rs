//! Writes the tables for what is printed without a look at items: `QuickTables` in src/table.rs.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::build::assume::room;
use crate::build::error::Result;
use crate::build::lower::{Item, NONE, Shape, Slot, Target};
use crate::build::model::Access;
use crate::build::pages::{pages, position, run};
use crate::build::tables::UNNAMED;

/// A shape, its operands and its modifiers.
#[derive(PartialEq)]
struct Quick {
    marks: u64,
    loud: u64,
    quiet: u64,
    suffix: u8,
    operands: Vec<String>,
    modifiers: Vec<String>,
}

/// `names`: where each mnemonic stands in the list of all, and its length.
pub fn tables(w: &mut String, t: &Target, names: &HashMap<&str, (usize, usize)>) -> Result<()> {
    let mut all = Vec::new();
    let mut row = |slot: &Option<Slot>| {
        let Some(slot) = slot.as_ref().filter(|slot| slot.spelling.is_none()) else { return 0 };
        let shape = &t.shapes[slot.shape - 1];
        let suffix = if t.infos[slot.info].suffix && has_operand(t, shape) { shape.suffix } else { 0 };
        let Some(quick) = quick(t, shape, suffix) else { return 0 };
        let shape = position(&mut all, quick);
        let (at, len) = names[slot.mnemonic.as_str()];
        // One more: zero is that of what is not quick.
        at | len << 16 | (shape + 1) << 22
    };
    let rows: Vec<usize> = t.slots.iter().map(&mut row).collect();
    room(t, "shapes that are printed quickly", all.len() + 1, 10)?;
    room(t, "bytes of mnemonics", names.values().map(|name| name.0).max().unwrap_or(0), 16)?;
    room(t, "bytes in a mnemonic", names.values().map(|name| name.1).max().unwrap_or(0), 5)?;
    let (numbers, entries) = pages(&rows, <[usize]>::to_vec);
    writeln!(w, "#[cfg(feature = \"text\")]").unwrap();
    writeln!(
        w,
        "pub(crate) static QUICK: QuickTables = QuickTables {{ pages: &{numbers:?}, rows: &{entries:?}, shapes: &["
    )
    .unwrap();
    let (mut operands, mut modifiers) = (Vec::new(), Vec::new());
    for Quick { marks, loud, quiet, suffix, operands: read, modifiers: others } in &all {
        let ((first, count), (modifier, more)) = (run(&mut operands, read), run(&mut modifiers, others));
        let suffix = short([" ", "_e32 ", "_e64 "][usize::from(*suffix)]);
        write!(w, "QuickShape {{ marks: {marks:#x}, loud: {loud:#x}, quiet: {quiet:#x}, suffix: {suffix:#x}, ")
            .unwrap();
        writeln!(w, "first: {first}, operands: {count}, modifiers: {modifier}, count: {more} }},").unwrap();
    }
    room(t, "operands and modifiers that are printed quickly", operands.len().max(modifiers.len()), 16)?;
    for (name, list) in [("operands", operands), ("modifiers", modifiers)] {
        writeln!(w, "], {name}: &[").unwrap();
        list.iter().for_each(|entry| writeln!(w, "{entry},").unwrap());
    }
    writeln!(w, "] }};").unwrap();
    Ok(())
}

/// A text of up to seven bytes, and its length in the last byte.
fn short(text: &str) -> u64 {
    text.bytes().rev().fold((text.len() as u64) << 56 >> (8 * text.len()), |all, byte| all << 8 | u64::from(byte))
}

/// What operand codes mean on every target: the last of the scalar registers, and the names of codes, as one register
/// and as two.
pub fn shared(w: &mut String, targets: &[Target]) {
    let last = targets.iter().map(|t| t.codes.iter().find(|c| c.class == "sgpr").and_then(|c| c.range.of(&t.row.name)));
    let last = last.map(|range| range.map_or(0, |range| range.1)).min().unwrap_or(0);
    let used = "#[cfg(any(feature = \"text\", not(target_os = \"none\")))]";
    writeln!(w, "{used}\npub(crate) const SCALAR_LAST: u16 = {last};").unwrap();
    writeln!(w, "#[cfg(feature = \"text\")]\npub(crate) const OTHER: usize = {OTHER:#x};").unwrap();
    let mut all = targets.iter().map(named_codes);
    let first = all.next().unwrap_or_default();
    let shared: BTreeMap<_, _> = all.fold(first, |mut shared, other| {
        shared.retain(|code, names| other.get(code) == Some(names));
        shared
    });
    let list: Vec<String> = shared.iter().map(|(code, (name, pair))| format!("({code}, {name:?}, {pair:?})")).collect();
    writeln!(w, "{used}\npub(crate) const SHARED_CODES: &[(u16, &str, &str)] = &[{}];", list.join(", ")).unwrap();
}

/// The names of a target's codes that text does not show by their number; the first name of a code is its name.
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

fn items<'a>(t: &'a Target, shape: &Shape) -> impl Iterator<Item = (u16, &'a Item)> {
    let numbers = &t.item_lists[shape.items.0..shape.items.0 + shape.items.1];
    numbers.iter().map(|&n| (n, &t.items[usize::from(n)]))
}

/// LLVM prints the suffix with the first operand; v_nop has none.
pub fn has_operand(t: &Target, shape: &Shape) -> bool {
    items(t, shape).any(|(_, item)| item.access.is_some())
}

/// `None` if something is before a modifier that has no comma behind it, or behind one that is no modifier.
fn quick(t: &Target, shape: &Shape, suffix: u8) -> Option<Quick> {
    let items: Vec<(u16, &Item)> = items(t, shape).collect();
    let count = items.iter().take_while(|i| i.1.access.is_some()).count();
    let (before, behind) = items.split_at(count);
    let other_separator = before.iter().any(|i| ["exp_tgt", "second"].contains(&i.1.kind.as_str()));
    if other_separator || behind.iter().any(|i| i.1.access.is_some()) || shape.suffix > 2 {
        return None;
    }
    let (mut marks, mut operands) = (0, Vec::new());
    for &(number, item) in before {
        let (way, bit, bits) = way(item);
        marks |= bits;
        let (mask, add) = match item.kind.as_str() {
            // What no field names is always vcc.
            "vcc" | "sdst_or_vcc" => (0, code(t, "vcc")?),
            "saddr" => ((1 << item.width) - 1, SADDRS),
            _ if way == "Number" => (u16::MAX, NUMBERS),
            _ => (((1u64 << item.width.min(16)) - 1) as u16, item.add),
        };
        let add =
            if item.dwords == 2 && !["saddr", "global_addr"].contains(&item.kind.as_str()) { add + PAIRS } else { add };
        let add = if ["Text", "Number"].contains(&way) { add } else { add + OTHER };
        let (turn, mask) = ((item.lsb + 64 - item.shift) % 64, mask << item.shift);
        operands.push(format!(
            "QuickOperand {{ turn: {turn}, way: Way::{way}, mask: {mask:#x}, add: {add:#x}, dwords: {}, item: {number}, bit: {bit} }}",
            item.dwords
        ));
    }
    // There is no such value of no bits.
    let always = (0, 1);
    let (mut loud, mut quiet, mut modifiers) = (0, 0, Vec::new());
    for &(number, item) in behind.iter().filter(|i| i.1.kind != "none") {
        let (bits, value) = modifier(item).unwrap_or(always);
        (loud, quiet) = (loud | bits, quiet | value);
        let (way, label) = label(item);
        modifiers.push(format!(
            "QuickModifier {{ loud: {bits:#x}, quiet: {value:#x}, item: {number}, way: ModifierWay::{way}, label: {label:?} }}"
        ));
    }
    if behind.iter().any(|i| modifier(i.1).is_none()) {
        (loud, quiet) = always;
    }
    Some(Quick { marks, loud, quiet, suffix, operands, modifiers })
}

/// The code of the pair or register of this name.
fn code(t: &Target, name: &str) -> Option<u16> {
    let code = t.codes.iter().find(|c| c.pair.as_deref() == Some(name) || c.name == name)?;
    code.range.of(&t.row.name).map(|range| range.0)
}

/// Where the codes of scalar addresses and those of pairs begin in `TEXTS` of src/text/texts.rs.
const SADDRS: u16 = 0x300;
const PAIRS: u16 = 0x400;
/// Where numbers begin there.
const NUMBERS: u16 = 0x700;
/// More than any number of a text.
const OTHER: u16 = 0x8000;

/// How an operand is printed, as `Way` in src/table.rs, the bit that it looks at, and those of which none may be set.
fn way(item: &Item) -> (&'static str, u8, u64) {
    let bits = |aux: &[u8]| aux.iter().filter(|&&bit| bit != NONE).fold(0, |all, bit| all | 1u64 << bit);
    let returned = item.access == Some(Access::Write) && item.cond != NONE;
    let near = item.lsb < 64 && item.split.0 == NONE && item.aux.iter().all(|&bit| bit == NONE || bit < 64);
    let (plain, acc) = if item.dwords <= 2 { ("Text", "AccText") } else { ("Tuple", "AccTuple") };
    match item.kind.as_str() {
        _ if returned || !near => ("Item", NONE, 0),
        // Its constants are printed by their bits.
        "code" if item.ty == "i16" => ("Item", NONE, 0),
        // The sign, the absolute value, the sign extension.
        "code" => (plain, NONE, bits(&item.aux)),
        "acc" | "buf_data" if item.aux[0] == NONE => (plain, NONE, bits(&item.aux)),
        "acc" => (acc, item.aux[0], 0),
        // What goes to LDS, and the register for the fail status.
        "buf_data" => (acc, item.aux[0], bits(&item.aux[1..])),
        "saddr" if item.width == 7 && item.dwords == 2 => ("Text", NONE, 0),
        "global_addr" => ("Address", item.aux[0], 0),
        "vcc" if item.dwords == 2 => ("Text", NONE, 0),
        "sdst_or_vcc" if item.dwords == 2 => ("Text", NONE, bits(&item.aux[..1])),
        // Their small numbers are decimal.
        "int16" | "label" if item.lsb == 0 && item.width == 16 => ("Number", NONE, 0),
        "waitcnt" if item.lsb == 0 => ("Waitcnt", NONE, 0),
        "hex" | "int16" | "label" | "hwreg" | "sendmsg" | "waitcnt" => ("Constant", NONE, 0),
        _ => ("Item", NONE, 0),
    }
}

/// How a modifier is printed, as `ModifierWay` in src/table.rs, and what stands before its value, with its length in the
/// last byte.
fn label(item: &Item) -> (&'static str, [u8; 16]) {
    let (way, name) = match item.kind.as_str() {
        "flag" => ("Flag", item.field.as_str()),
        "named" => ("Number", item.field.as_str()),
        "signed" => ("Signed", item.field.as_str()),
        "list" | "list_ones" => ("List", item.field.as_str()),
        "list_neg_lo" => ("List", "neg_lo"),
        "list_neg" => ("List", "neg"),
        _ => return ("Item", [0; 16]),
    };
    let text = format!(" {}{}", name.to_lowercase(), if way == "Flag" { "" } else { ":" });
    let mut label = [0; 16];
    label[..text.len()].copy_from_slice(text.as_bytes());
    label[15] = text.len() as u8;
    (way, label)
}

/// The bits that a modifier looks at to see whether to print something, and their values when it prints nothing; `None`
/// if it always prints, or is none of the common ones.
fn modifier(item: &Item) -> Option<(u64, u64)> {
    let (high, low) = (item.split.0, item.split.1);
    if item.kind == "none" {
        return Some((0, 0));
    }
    if item.lsb >= 64 || high != NONE && high >= 64 {
        return None;
    }
    let spread = |value: u64| {
        let above = if high == NONE { 0 } else { value >> low << high };
        (value & ((1 << low) - 1)) << item.lsb | above
    };
    match item.kind.as_str() {
        "flag" | "omod" | "named" | "signed" | "swizzle" => Some((spread((1 << item.width) - 1), 0)),
        "list" | "list_all" | "list_neg_lo" | "list_neg" => Some((spread(item.used.into()), 0)),
        "list_ones" => Some((spread(item.used.into()), spread(item.used.into()))),
        _ => None,
    }
}
