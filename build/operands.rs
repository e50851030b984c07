//! Writes what the operand iterator needs of one target: `OperandTables` in src/table/operands.rs.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::build::assume::room;
use crate::build::check::IMPLICIT;
use crate::build::decode::number;
use crate::build::emit::camel;
use crate::build::error::Result;
use crate::build::lower::{Info, Item, NONE, Shape, Slot, Target, tail};
use crate::build::model::Access;
use crate::build::pages::{PAGE, pages, position};
use crate::build::tables::item_text;
use crate::build::usual;
use crate::build::ways::VECTOR;

/// The operands of a form, by their numbers in `Lists::rows`, and the lists (plus one) of further forms.
#[derive(Clone, PartialEq)]
pub struct List {
    pub rows: Vec<u8>,
    forms: [u16; 2],
    others: Vec<(u8, u16)>,
    /// Dwords without a literal.
    pub dwords: u8,
}

/// What an operand is.
#[derive(Clone, PartialEq)]
pub enum Row {
    Item(Item),
    /// A register that no field names, by its number in `IMPLICIT`, and the bit without which it is none.
    Implicit(usize, Access, u8),
}

pub struct Lists<'a> {
    pub t: &'a Target<'a>,
    pub rows: Vec<Row>,
    pub list: Vec<List>,
}

impl Lists<'_> {
    /// The number (plus one) of what is left of a shape of the printer; 0 for 0.
    fn of(&mut self, shape: usize, info: &Info) -> u16 {
        let Some(s) = shape.checked_sub(1).map(|n| &self.t.shapes[n]) else { return 0 };
        let forms = [self.of(s.sdwa, info), self.of(s.dpp, info)];
        let others = s.numbered_follows().filter(|o| o.1 != 0).map(|(f, form)| (form, self.of(f.form, info))).collect();
        let numbers = self.t.item_lists[s.items.0..s.items.0 + s.items.1].iter();
        let items: Vec<&Item> =
            numbers.map(|&n| &self.t.items[usize::from(n)]).filter(|i| i.access.is_some()).collect();
        let implicit = implicit(info, &items);
        let all = items.into_iter().map(|item| Row::Item(plain(item))).chain(implicit);
        let rows = all.map(|row| number(&mut self.rows, row)).collect();
        position(&mut self.list, List { rows, forms, others, dwords: dwords(self.t, s) }) as u16 + 1
    }
}

/// The registers that no field names.
fn implicit(info: &Info, items: &[&Item]) -> Vec<Row> {
    // The vcc that the text shows is not implicit besides; nor is it written when SDWA names another register.
    let shown = |access: fn(Access) -> bool| {
        items.iter().any(|i| ["vcc", "sdst_or_vcc"].contains(&i.kind.as_str()) && i.access.is_some_and(access))
    };
    let shown = (shown(Access::reads), shown(Access::writes));
    // And m0 is the address in LDS: without the lds bit it is not read.
    let lds = items.iter().find(|i| i.kind == "buf_data" && i.aux[1] != NONE).map_or(NONE, |i| i.aux[1]);
    let row = |(n, name): (usize, &&str)| {
        let (reads, writes) = (info.reads.iter().any(|r| r == name), info.writes.iter().any(|r| r == name));
        let is_vcc = *name == "vcc";
        let access = Access::of(reads && !(is_vcc && shown.0), writes && !(is_vcc && shown.1))?;
        Some(Row::Implicit(n, access, if *name == "m0" { lds } else { NONE }))
    };
    IMPLICIT.iter().enumerate().filter_map(row).collect()
}

/// An item without what only text tells apart: what a constant is taken for, and the signs of sources.
fn plain(item: &Item) -> Item {
    let [a, .., d] = item.aux;
    let aux = match item.kind.as_str() {
        "code" | "sdwa_src" => [NONE; 4],
        "half" | "half_sel" => [NONE, NONE, NONE, d],
        "acc" => [a, NONE, NONE, NONE],
        _ => item.aux,
    };
    Item { aux, ty: "b".into(), used: 0, ..item.clone() }
}

/// Kinds whose value is the number in the field: `Kind::is_number` in src/table.rs.
const NUMBERS: [&str; 10] =
    ["attr", "interp_param", "exp_tgt", "hex", "int16", "endpgm", "hwreg", "sendmsg", "waitcnt", "gpr_idx"];

/// What a row says, but for the operand that it is like.
struct RowText {
    how: &'static str,
    turn: u8,
    acc: u8,
    address: u8,
    mask: u32,
    add: u16,
}

/// Nothing is in the words.
const FIXED: RowText = RowText { how: "Value", turn: 0, acc: NO_SHIFT, address: NO_SHIFT, mask: 0, add: 0 };

impl RowText {
    fn text(self, role: &str, bits: u16, access: Access) -> (&'static str, String) {
        let RowText { how, turn, acc, address, mask, add } = self;
        let how = if how == "Value" && (acc, address) != (NO_SHIFT, NO_SHIFT) { "Varied" } else { how };
        let text = format!(
            "Row::new(How::{how}, [{turn}, {acc}, {address}], [{mask:#x}, {add}], ({role}, {bits}, Access::{access:?}))"
        );
        (how, text)
    }
}

/// A row that needs no item, if this is one: always there, in one piece of the first 64 bits, of at most so many.
fn row_text(t: &Target, row: &Row, most: u8) -> Option<(&'static str, String)> {
    let i = match row {
        Row::Item(item) => item,
        &Row::Implicit(n, access, bit) => {
            let bits = match IMPLICIT[n] {
                "scc" => 1,
                "vcc" | "exec" => lanes(t).into(),
                "flat_scr" | "xnack" => 64,
                _ => 32,
            };
            let (how, acc) = if bit == NONE { ("Value", NO_SHIFT) } else { ("If", bit) };
            return Some(RowText { how, acc, add: IMPLICIT_PLACES + n as u16, ..FIXED }.text("None", bits, access));
        }
    };
    let of = |row: RowText, bits: u16| {
        let role = format!("Some(Field::{})", camel(&i.field));
        Some(row.text(&role, bits, i.access.expect("a modifier is no operand")))
    };
    let kind = i.kind.as_str();
    let bits = if kind == "global_addr" { 32 } else { u16::from(i.dwords) * 32 };
    if kind == "vcc" {
        let vcc = IMPLICIT.iter().position(|name| *name == "vcc")? as u16;
        return of(RowText { add: IMPLICIT_PLACES + vcc, ..FIXED }, bits);
    }
    // What is not there, where that is known: the code of no register.
    if kind == "off" {
        return of(RowText { add: ADDRESSES + t.code.off, ..FIXED }, bits);
    }
    if i.cond != NONE || i.split.0 != NONE || i.lsb >= 64 || i.width > most {
        return None;
    }
    let mask = (1u32 << i.width) - 1;
    if kind == "label" || NUMBERS.contains(&kind) {
        let how = if kind == "label" { "Label" } else { "Imm" };
        return of(RowText { how, turn: i.lsb, mask, ..FIXED }, i.width.into());
    }
    let (acc, address) = match kind {
        "code" | "saddr" | "agpr" => (NO_SHIFT, NO_SHIFT),
        "acc" | "buf_data" if i.aux[1..3] != [NONE; 2] => return None,
        "acc" | "buf_data" if i.aux[0] == NONE => (NO_SHIFT, NO_SHIFT),
        "acc" | "buf_data" => (i.aux[0].checked_sub(VECTOR)?, NO_SHIFT),
        "global_addr" => (NO_SHIFT, i.aux[0]),
        _ => return None,
    };
    // Single registers, pairs, and what is longer; vector registers are not aligned.
    let section = if i.add >= 1 << VECTOR { 0 } else { (u16::from(i.dwords.min(3)) - 1) * SECTION };
    let other = match kind {
        "saddr" => ADDRESSES,
        "agpr" => 1 << VECTOR,
        _ => 0,
    };
    let add = i.add + section + other;
    of(RowText { how: "Value", turn: (i.lsb + 64 - i.shift) % 64, acc, address, mask: mask << i.shift, add }, bits)
}

/// Dwords of the base words, with those that always follow.
fn dwords(t: &Target, s: &Shape) -> u8 {
    let always = t.classes[s.class].tail & tail::ALWAYS != 0;
    t.formats[s.format].def.bits / 32 + u8::from(always)
}

/// As in src/operand/values.rs: how long a section of the table of values is, where scalar addresses begin in it, and what
/// is behind the sections.
const SECTION: u16 = 1024;
const ADDRESSES: u16 = 768;
const IMPLICIT_PLACES: u16 = 3 * SECTION;
/// As in src/table/operands.rs.
const NO_SHIFT: u8 = 63;

/// All lists, and which one each slot has.
fn lists<'a>(t: &'a Target) -> (Lists<'a>, Vec<u16>) {
    let mut lists = Lists { t, rows: Vec::new(), list: Vec::new() };
    let mut known = HashMap::new();
    // Slots without an operation have the list of a neighbour: they are never asked for it.
    let mut last = 0;
    let mut list_of = Vec::new();
    for slot in &t.slots {
        if let Some(Slot { shape, info, .. }) = slot {
            last = *known.entry((shape, info)).or_insert_with(|| lists.of(*shape, &t.infos[*info]).saturating_sub(1));
        }
        list_of.push(last);
    }
    (lists, list_of)
}

/// The integer that holds a list of operands, a byte each, if the longest has so many. The highest byte is free: `PLAIN` in
/// src/table/operands.rs is a bit of it.
pub fn list_type(longest: usize) -> &'static str {
    if longest < 8 { "u64" } else { "u128" }
}

/// A list as a number.
pub fn bytes(rows: &[u8]) -> u128 {
    rows.iter().rev().fold(0, |all, &n| all << 8 | (u128::from(n) + 1))
}

/// Returns how many operands there are in the longest list.
pub fn tables(w: &mut String, t: &Target) -> Result<usize> {
    let (mut lists, mut list_of) = lists(t);
    let last = list_of.last().copied().unwrap_or(0);
    let longest = lists.list.iter().map(|l| l.rows.len()).max().unwrap_or(0);
    room(t, "operands in a list", longest + 1, 4)?;
    writeln!(w, "pub(crate) static OPERANDS: OperandTables = OperandTables {{").unwrap();
    writeln!(w, "#[cfg(not(target_os = \"none\"))]\nlist_of: padded(&{list_of:?}, 0),").unwrap();
    // The lists of a page are neighbours: what they are counted from stands beside its number.
    list_of.resize(list_of.len().next_multiple_of(PAGE), last);
    let base = |page: &[u16]| page.iter().copied().min().unwrap_or(0);
    let (numbers, entries) = pages(&list_of, |page| page.iter().map(|n| n - base(page)).collect());
    room(t, "lists of operands between those of 16 slots", entries.iter().max().map_or(0, |&n| n.into()), 8)?;
    let numbers: Vec<_> = numbers.iter().zip(list_of.chunks(PAGE)).map(|(n, page)| (n, base(page))).collect();
    let small = "#[cfg(target_os = \"none\")]";
    writeln!(w, "{small}\npages: &{numbers:?},\n{small}\nlist_of: &{entries:?},").unwrap();
    let mut forms = vec![[0; 2]];
    let forms_of: Vec<_> = lists.list.iter().map(|l| number(&mut forms, l.forms)).collect();
    room(t, "pairs of forms of operands", forms.len(), 8)?;
    let numbers: Vec<u128> = lists.list.iter().map(|l| bytes(&l.rows)).collect();
    let all = lists.list.iter().zip(0u16..);
    let further: Vec<_> = all.flat_map(|(l, n)| l.others.iter().map(move |o| (n, o.0, o.1 - 1))).collect();
    writeln!(w, "lists: &{numbers:#x?},\nforms_of: &{forms_of:?}, forms: &{forms:?}, others: &{further:?},").unwrap();
    // Rows behind these are of usual lists only.
    let whole = lists.rows.len() + 1;
    let usual = usual::all(&mut lists);
    // `USUAL` in src/table/operands.rs.
    room(t, "usual lists of operands", usual.len(), 9)?;
    room(t, "rows of operands", lists.rows.len() + 1, 8)?;
    let (mut items, mut rows, mut plain) = (Vec::new(), vec!["NO_ROW".to_string()], Vec::new());
    for (n, row) in lists.rows.iter().enumerate() {
        // A row's numbers have 16 bits on bare metal.
        let most = if n + 1 < whole { 16 } else { 31 };
        let (how, text) = match (row_text(t, row, most), row) {
            (Some(row), _) => row,
            (None, Row::Item(item)) => {
                items.push(item_text(item));
                ("Other", format!("Row::item({})", items.len() - 1))
            }
            (None, Row::Implicit(..)) => unreachable!("a register without a field needs no item"),
        };
        plain.push(how == "Value");
        rows.push(text);
    }
    let usual = usual.iter().map(|usual| usual.text(&plain)).collect::<Vec<_>>().join(",\n");
    writeln!(w, "#[cfg(not(target_os = \"none\"))]\nusual: padded(&[{usual}], NO_USUAL),").unwrap();
    writeln!(w, "#[cfg(not(target_os = \"none\"))]\nvalues: &{},", values_name(t)).unwrap();
    let (all, some) = (rows.join(",\n"), rows[..whole].join(",\n"));
    writeln!(w, "#[cfg(not(target_os = \"none\"))]\nrows: padded(&[{all}], NO_ROW),\n{small}\nrows: &[{some}],")
        .unwrap();
    writeln!(w, "items: &[{}],", items.join(",\n")).unwrap();
    let [sgpr_last, ttmp_first, ttmp_last, off] = scalars(t);
    writeln!(w, "sgpr_last: {sgpr_last}, ttmp_first: {ttmp_first}, ttmp_last: {ttmp_last}, off: {off},").unwrap();
    writeln!(w, "lanes: {} }};", lanes(t)).unwrap();
    Ok(longest)
}

/// What tells the meaning of codes on one target from that on another: the last scalar register, the first and the last of
/// the trap handler's, and the code that is no scalar address.
fn scalars(t: &Target) -> [u16; 4] {
    let bounds = |class: &str| t.codes.iter().find(|c| c.class == class).and_then(|c| c.range.of(&t.row.name));
    let (_, sgpr_last) = bounds("sgpr").copied().unwrap_or_default();
    let (ttmp_first, ttmp_last) = bounds("ttmp").copied().unwrap_or((512, 0));
    [sgpr_last, ttmp_first, ttmp_last, t.code.off]
}

fn values_name(t: &Target) -> String {
    let [sgpr_last, ttmp_first, ttmp_last, off] = scalars(t);
    format!("VALUES_{sgpr_last}_{ttmp_first}_{ttmp_last}_{off}")
}

/// What codes mean: one table for all targets on which they mean the same.
pub fn values(w: &mut String, targets: &[Target]) {
    let all: BTreeMap<_, _> = targets.iter().map(|t| (values_name(t), scalars(t))).collect();
    for (name, [sgpr_last, ttmp_first, ttmp_last, off]) in all {
        let value = format!("values({sgpr_last}, {ttmp_first}, {ttmp_last}, {off})");
        writeln!(w, "#[cfg(not(target_os = \"none\"))]\nstatic {name}: Values = {value};").unwrap();
    }
}

fn lanes(t: &Target) -> u8 {
    if t.row.has("wave32") { 32 } else { 64 }
}
