//! Writes what the operand iterator needs of one target: `OperandTables` in src/table.rs.

use std::fmt::Write;

use crate::build::assume::room;
use crate::build::check::IMPLICIT;
use crate::build::decode::number;
use crate::build::emit::camel;
use crate::build::error::Result;
use crate::build::lower::{Info, Item, NONE, Slot, Target};
use crate::build::pages::{PAGE, pages, position, run};
use crate::build::tables::item_text;

/// The operands of a form: the items by their numbers, the registers that no field names, and the shapes (plus one) of
/// further forms.
#[derive(Clone, PartialEq)]
struct Shape {
    list: Vec<u8>,
    implicit: Vec<String>,
    forms: [u16; 2],
    others: Vec<(u8, u16)>,
}

struct Shapes<'a> {
    t: &'a Target<'a>,
    items: Vec<Item>,
    list: Vec<Shape>,
}

impl Shapes<'_> {
    /// The number (plus one) of what is left of a shape of the printer; 0 for 0.
    fn of(&mut self, shape: usize, implicit: &[String]) -> u16 {
        let Some(s) = shape.checked_sub(1).map(|n| &self.t.shapes[n]) else { return 0 };
        let forms = [self.of(s.sdwa, implicit), self.of(s.dpp, implicit)];
        let others =
            s.numbered_follows().filter(|o| o.1 != 0).map(|(f, form)| (form, self.of(f.form, implicit))).collect();
        let numbers = self.t.item_lists[s.items.0..s.items.0 + s.items.1].iter();
        let items = numbers.map(|&n| &self.t.items[usize::from(n)]).filter(|i| i.access.is_some());
        let list = items.map(|i| number(&mut self.items, plain(i))).collect();
        position(&mut self.list, Shape { list, implicit: implicit.to_vec(), forms, others }) as u16 + 1
    }
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

/// Always there, in one piece of the first 64 bits.
fn is_plain(item: &Item) -> bool {
    let always = item.cond == NONE && item.split.0 == NONE && item.lsb < 64 && item.width <= 9;
    always && ["code", "acc", "saddr", "global_addr"].contains(&item.kind.as_str())
}

fn plain_text(i: &Item) -> String {
    let access = i.access.expect("a modifier is no operand");
    let (bit, mode) = match i.kind.as_str() {
        "saddr" => (NONE, "Off"),
        "global_addr" => (i.aux[0], "Address"),
        _ => (i.aux[0], "Acc"),
    };
    let (turn, mask) = ((i.lsb + 64 - i.shift) % 64, ((1u32 << i.width) - 1) << i.shift);
    let (field, bits) = (camel(&i.field), u16::from(i.dwords) * 32);
    // Single registers, pairs, and what is longer.
    let section = (u16::from(i.dwords.min(3)) - 1) * SECTION + if i.kind == "saddr" { ADDRESSES } else { 0 };
    format!(
        "Plain {{ turn: {turn}, mask: {mask:#x}, add: {}, bit: {bit}, mode: Mode::{mode}, role: Some(Field::{field}), bits: {bits}, access: Access::{access:?} }}",
        i.add + section,
    )
}

/// As in src/operand/values.rs: how long a section of the table of values is, and where scalar addresses begin in it.
const SECTION: u16 = 1024;
const ADDRESSES: u16 = 768;

pub fn tables(w: &mut String, t: &Target) -> Result<()> {
    let mut shapes = Shapes { t, items: Vec::new(), list: Vec::new() };
    // Slots without an operation have the shape of a neighbour: they are never asked for it.
    let mut last = 0;
    let mut shape_of = Vec::new();
    for slot in &t.slots {
        let of = |s: &Slot| shapes.of(s.shape, &registers(t, &t.infos[s.info])).saturating_sub(1);
        last = slot.as_ref().map_or(last, of);
        shape_of.push(last);
    }
    shape_of.resize(shape_of.len().next_multiple_of(PAGE), last);
    // The shapes of a page are neighbours: what they are counted from stands beside its number.
    let base = |page: &[u16]| page.iter().copied().min().unwrap_or(0);
    let (numbers, entries) = pages(&shape_of, |page| page.iter().map(|n| n - base(page)).collect());
    room(t, "shapes of operands between those of 16 slots", entries.iter().max().map_or(0, |&n| n.into()), 8)?;
    let numbers: Vec<_> = numbers.iter().zip(shape_of.chunks(PAGE)).map(|(n, page)| (n, base(page))).collect();
    room(t, "shapes of operands", shapes.list.len() + 1, 16)?;
    room(t, "items of operands", shapes.items.len(), 8)?;
    writeln!(w, "pub(crate) static OPERANDS: OperandTables = OperandTables {{ pages: &{numbers:?}, shape_of: &{entries:?}, shapes: &[").unwrap();
    // The plain ones get the first numbers.
    let (first, others): (Vec<usize>, Vec<usize>) = (0..shapes.items.len()).partition(|&n| is_plain(&shapes.items[n]));
    let order: Vec<usize> = [first.clone(), others.clone()].concat();
    let renumbered = |old: &u8| order.iter().position(|&n| n == usize::from(*old)).expect("it is of all") as u8;
    shapes.list.iter_mut().for_each(|s| s.list = s.list.iter().map(renumbered).collect());
    let (mut lists, mut registers, mut forms) = (Vec::new(), Vec::new(), vec![[0; 2]]);
    for s in &shapes.list {
        let ((first, items), (implicit, count)) = (run(&mut lists, &s.list), run(&mut registers, &s.implicit));
        let forms = number(&mut forms, s.forms);
        writeln!(
            w,
            "OperandShape {{ first: {first}, items: {items}, implicit: {implicit}, count: {count}, forms: {forms} }},"
        )
        .unwrap();
    }
    room(t, "implicit operands", registers.len(), 8)?;
    room(t, "pairs of forms of operands", forms.len(), 8)?;
    let all = shapes.list.iter().zip(0u16..);
    let further: Vec<_> = all.flat_map(|(s, n)| s.others.iter().map(move |o| (n, o.0, o.1 - 1))).collect();
    writeln!(w, "], forms: &{forms:?}, others: &{further:?}, lists: &{lists:?},\nplain: &[").unwrap();
    first.iter().for_each(|&n| writeln!(w, "{},", plain_text(&shapes.items[n])).unwrap());
    writeln!(w, "],\nitems: &[").unwrap();
    others.iter().for_each(|&n| writeln!(w, "{},", item_text(&shapes.items[n])).unwrap());
    writeln!(w, "],\nimplicit: &[{}],", registers.concat()).unwrap();
    let bounds = |class: &str| t.codes.iter().find(|c| c.class == class).and_then(|c| c.range.of(&t.row.name));
    let (_, sgpr_last) = bounds("sgpr").copied().unwrap_or_default();
    let (ttmp_first, ttmp_last) = bounds("ttmp").copied().unwrap_or((512, 0));
    writeln!(w, "sgpr_last: {sgpr_last}, ttmp_first: {ttmp_first}, ttmp_last: {ttmp_last},").unwrap();
    writeln!(w, "lanes: {} }};", lanes(t)).unwrap();
    Ok(())
}

fn lanes(t: &Target) -> u8 {
    if t.row.has("wave32") { 32 } else { 64 }
}

/// The registers that no field names.
fn registers(t: &Target, info: &Info) -> Vec<String> {
    let operand = |name: &str| {
        let (reads, writes) = (info.reads.iter().any(|r| r == name), info.writes.iter().any(|r| r == name));
        let access = match (reads, writes) {
            (true, true) => "ReadWrite",
            (true, false) => "Read",
            (false, true) => "Write",
            (false, false) => return None,
        };
        let (reg, bits) = match name {
            "scc" => ("Scc", 1),
            "vcc" => ("Vcc", lanes(t)),
            "exec" => ("Exec", lanes(t)),
            "m0" => ("M0", 32),
            "mode" => ("Mode", 32),
            "flat_scr" => ("FlatScratch", 64),
            "xnack" => ("XnackMask", 64),
            _ => ("TrapStatus", 32),
        };
        let value = format!("Value::Reg(Reg::{reg})");
        Some(format!("Operand {{ role: None, value: {value}, bits: {bits}, access: Access::{access} }},"))
    };
    IMPLICIT.iter().filter_map(|name| operand(name)).collect()
}
